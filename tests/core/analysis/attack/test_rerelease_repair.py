"""Releases that are repaired beside an earlier one, against an attacker who reads printed cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms.twins import full_domain
from kanon_tui.core.analysis.attack.two_releases import (
    levels_as_general,
    repaired,
    two_releases,
)
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, conclude, start
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Grouping, Task
from tests.tries import tries

CITIES = {
    "Rome": ["Italy", "Europe"], "Milan": ["Italy", "Europe"],
    "Paris": ["France", "Europe"], "Nice": ["France", "Europe"],
}  # fmt: skip
PROJECT = Project(
    data=DataSource("x.csv"),
    attributes={
        "age": AttributeSpec(
            role=Role.QUASI,
            kind=Kind.NUMERIC,
            hierarchy={"builder": "intervals", "widths": [2, 4]},
        ),
        "city": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy={"levels": CITIES}),
    },
    privacy=Privacy(k=3),
)
CLUSTERINGS = ("mondrian", "k-member", "udc", "udc-suppress", "sbc")


def task_of(rows: list[tuple[int, str]], project: Project) -> Task:
    columns = {"age": [str(age) for age, _ in rows], "city": [city for _, city in rows]}
    return prepare(project, as_table(pl.DataFrame(columns)))


@st.composite
def pairs(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[Project, Task, Table]:
    """A task, and a release of the same records that is k-anonymous by itself."""
    people = st.tuples(st.integers(18, 27), st.sampled_from(sorted(CITIES)))
    rows = draw(st.lists(people, min_size=6, max_size=16))
    project = replace(PROJECT, algorithm=AlgorithmChoice(draw(st.sampled_from(names))))
    task = task_of(rows, project)
    order = draw(st.permutations(range(len(rows))))
    labels = np.empty(len(rows), dtype=np.int32)
    labels[list(order)] = np.minimum(np.arange(len(rows)) // 3, len(rows) // 3 - 1)
    return project, task, as_table(recode(task, Grouping(labels)).frame)


def covers(cell: tuple[str, str], row: tuple[int, str]) -> bool:
    """What the attacker reads off a printed row, without any of our readers."""
    age, city = cell
    if age != "*":
        ends = [int(end) for end in age.strip("[])").replace("..", "-").split("-")]
        if not ends[0] <= row[0] <= ends[-1]:
            return False
    return city in ("*", row[1], *CITIES[row[1]]) or row[1] in city.strip("{}*").split("|")


def candidates(rows: list[tuple[int, str]], *tables: pl.DataFrame) -> list[int]:
    """Per record how many share a row with it in every one of the tables."""
    shared = []
    for table in tables:
        cells = [
            tuple("*" if cell.endswith("*") else cell for cell in (age, city))
            for age, city in zip(table["age"].to_list(), table["city"].to_list(), strict=True)
        ]
        groups = [{i for i, row in enumerate(rows) if covers(c, row)} for c in set(cells)]
        shared.append([set().union(*(g for g in groups if i in g)) for i in range(len(rows))])
    return [len(set.intersection(*(each[i] for each in shared))) for i in range(len(rows))]


def rows_of(task: Task) -> list[tuple[int, str]]:
    frame = task.table.frame
    return [(int(a), c) for a, c in zip(frame["age"], frame["city"], strict=True)]


def check(made: Result, project: Project, task: Task, earlier: Table) -> None:
    found = two_releases(PublishedTable.from_result(made, project), earlier, "old.csv")
    assert found.below_k == 0
    counts = candidates(rows_of(task), earlier.frame, made.table)
    assert all(count == 0 or count >= task.k for count in counts)


@given(pairs(CLUSTERINGS))
@settings(max_examples=tries(30), deadline=None)
def test_merged_classes_leave_everybody_k_candidates(made: tuple[Project, Task, Table]) -> None:
    project, task, earlier = made
    run = start(project, task=task)
    before = run.finish()
    assert before is not None
    result = repaired(conclude(run, project), project, earlier, "old.csv")
    check(result, project, task, earlier)
    told = result.grouping.search.get("repaired")
    if told is None:  # nothing was to be done
        assert result.grouping is before
    else:
        assert told["below_k_before"] > 0
        assert told["merges"] > 0
        assert told["ncp_before"] <= told["ncp"] == pytest.approx(result.measures.ncp)
        assert any("generalised further" in str(each) for each in result.notes)
        for label in np.unique(before.labels[before.labels >= 0]):  # classes are only merged
            assert len(np.unique(result.grouping.labels[before.labels == label])) == 1


@given(pairs(("global", "hybrid", "incognito", "datafly")))
@settings(max_examples=tries(20), deadline=None)
def test_searches_answer_with_the_best_string_as_general_as_before(
    made: tuple[Project, Task, Table],
) -> None:
    project, task, earlier = made
    result = repaired(conclude(start(project, task=task), project), project, earlier, "old.csv")
    check(result, project, task, earlier)
    least = levels_as_general(PublishedTable(project, task, earlier))
    if "repaired" not in result.grouping.search:
        return
    assert result.grouping.levels is not None
    assert all(np.array(result.grouping.levels) >= least)
    if project.algorithm.name in ("global", "hybrid"):
        above = [s for s in full_domain.passing(task) if all(np.array(s) >= least)]
        assert result.grouping.levels == full_domain.best(task, above)


@given(pairs(("global",)))
@settings(max_examples=50, deadline=None)
def test_every_string_as_general_as_before_is_safe(made: tuple[Project, Task, Table]) -> None:
    """By definition, label by label: all whom an earlier row covers share the new label."""
    project, task, earlier = made
    least = levels_as_general(PublishedTable(project, task, earlier))
    labels = np.zeros(task.n, dtype=np.int32)
    table = recode(task, Grouping(labels, levels=least)).frame
    counts = candidates(rows_of(task), earlier.frame, table)
    alone = candidates(rows_of(task), earlier.frame)
    assert counts == alone


def test_who_is_left_with_too_few_people_in_the_data_is_refused() -> None:
    """The earlier release had two more in the class of 18 to 20, who have left since."""
    rows = [(18, "Rome"), (22, "Rome"), (23, "Rome"), (24, "Rome"), (25, "Rome")]
    project = replace(PROJECT, algorithm=AlgorithmChoice("mondrian"))
    task = task_of(rows, project)
    earlier = as_table(
        pl.DataFrame({"age": ["[18..20]"] * 3 + ["[22..25]"] * 4, "city": ["Rome"] * 7})
    )
    result = repaired(conclude(start(project, task=task), project), project, earlier, "old.csv")
    found = two_releases(PublishedTable.from_result(result, project), earlier, "old.csv")
    assert found.fewest == 1
    with pytest.raises(NotReachedError, match="too few of those whom it covers are left"):
        found.refuse("old.csv", tried=True)


def test_constrained_classes_are_merged_within_their_magvals() -> None:
    specs = dict(PROJECT.attributes)
    specs["city"] = replace(specs["city"], magvals=("Italy", "France"))
    project = replace(PROJECT, attributes=specs, algorithm=AlgorithmChoice("gcka"))
    rows = [(18 + i % 10, city) for i, city in enumerate(["Rome", "Nice", "Milan", "Paris"] * 6)]
    task = task_of(rows, project)
    ages = ["[18..22]" if age <= 22 else "[23..27]" for age, _ in rows]
    earlier = as_table(pl.DataFrame({"age": ages, "city": [CITIES[city][0] for _, city in rows]}))
    result = repaired(conclude(start(project, task=task), project), project, earlier, "old.csv")
    check(result, project, task, earlier)
    assert result.measures.privacy.violations == 0
