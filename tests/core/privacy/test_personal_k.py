"""Personal k: the largest k that anybody of a class asks for is kept, by every algorithm."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.twins.full_domain import Levels, all_strings, best
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, conclude, start
from kanon_tui.core.pipeline.trial import sampled
from kanon_tui.core.privacy.k_anonymity import PersonalK, personal_requirement
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.verify import verify
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import GroupValues, Kind, Role
from kanon_tui.core.table.table import as_table, code_column
from kanon_tui.core.task.task import Family, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import classes
from tests.tries import tries

CLUSTERING = [name for name, a in ALGORITHMS.items() if a.family is Family.CLUSTERING]


def asking(task: Task, seed: int) -> tuple[Task, list[int]]:
    """The task with a k for everybody, mostly small; some ask for nothing."""
    rng = random.Random(seed)
    asked = [rng.choice([0, 1, 2, 2, 3, 3, 4, 6]) for _ in range(task.n)]
    texts = pl.Series("wish", [str(one) if one else "?" for one in asked])
    column = code_column(texts, Kind.NUMERIC)
    return replace(task, personal_k=column), asked


def below(task: Task, asked: list[int], records: list[int]) -> bool:
    return len(records) < max(task.k, *(asked[i] for i in records))


def must_go(task: Task, asked: list[int], levels: Levels) -> set[int]:
    return {i for records in classes(task, levels) if below(task, asked, records) for i in records}


def kept(result: Result, asked: list[int]) -> None:
    """Nobody is in a class smaller than they ask for, by the printed cells."""
    cells = defaultdict(list)
    names = [attribute.name for attribute in result.task.quasi]
    for record, row in zip(
        result.release.order.tolist(), result.table.select(names).rows(), strict=True
    ):
        cells[row].append(record)
    for records in cells.values():
        assert not below(result.task, asked, records)


@pytest.mark.parametrize("seed", range(tries(20)))
def test_searches_are_exact_against_exhaustive_search(seed: int) -> None:
    task, asked = asking(searchable_task(seed), seed)
    allowed = min(task.allowed_suppressed, task.n - 1)
    strings = [s for s in all_strings(task) if len(must_go(task, asked, s)) <= allowed]
    for name in ("global", "hybrid", "distributed", "incognito"):
        if not strings:
            with pytest.raises(NotReachedError):
                Run(task, ALGORITHMS[name]()).finish()
            continue
        result = conclude(Run(task, ALGORITHMS[name]()))
        gone = set(np.flatnonzero(result.grouping.labels < 0).tolist())
        assert gone == must_go(task, asked, result.grouping.levels), name
        if name != "incognito":
            assert result.grouping.levels == best(task, strings), name
        kept(result, asked)


@pytest.mark.parametrize("name", [*CLUSTERING, "datafly"])
@pytest.mark.parametrize("seed", range(tries(5)))
def test_every_clustering_keeps_it_or_says_why(name: str, seed: int) -> None:
    task, asked = asking(random_task(seed), seed)
    if task.n < task.k:
        return
    try:
        result = conclude(Run(task, ALGORITHMS[name]()))
    except NotReachedError:
        assert max(asked) > task.n or name in ("gcka", "datafly")
        return
    kept(result, asked)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.integers(1, 3))
def test_figures_and_what_must_go_by_definition(asked: list[int], classes: int) -> None:
    column = code_column(pl.Series("wish", [str(a) if a else "" for a in asked]), Kind.NUMERIC)
    requirement = personal_requirement(column)
    group = np.arange(len(asked)) % min(classes, len(asked))
    count = int(group.max()) + 1
    groups = GroupValues.from_records(group, column.codes, count)
    figures = requirement.figures(groups)
    removed = requirement.least_removed(groups)
    for one in range(count):
        wishes = [max(1, asked[i]) for i in np.flatnonzero(group == one)]
        assert figures[one] == pytest.approx(len(wishes) / max(wishes))
        most = max(
            size
            for size in range(len(wishes) + 1)
            for stay in combinations(wishes, size)
            if not stay or len(stay) >= max(stay)
        )
        assert removed[one] == len(wishes) - most
    assert (requirement.gaps(groups) > 0).tolist() == (figures < 1).tolist()


# --- projects

AGES = ["20", "21", "22", "23", "40", "41", "42", "43"]
WISHES = ["", "", "", "", "", "4", "", ""]


def project(**privacy: object) -> Project:
    specs = {
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "wish": AttributeSpec(role=Role.IDENTIFIER),
    }
    given = Privacy(**{"k": 2, "personal_k": "wish", **privacy})  # type: ignore[arg-type]
    return Project(
        data=DataSource("x.csv"),
        attributes=specs,
        privacy=given,
        algorithm=AlgorithmChoice("mondrian"),
    )


def test_one_wish_makes_one_class_larger() -> None:
    """Nobody else pays: the young stay in pairs."""
    table = as_table(pl.DataFrame({"age": AGES, "wish": WISHES}))
    without = conclude(start(project(personal_k=None), table))
    assert sorted(without.release.class_sizes.tolist()) == [2, 2, 2, 2]
    result = conclude(start(project(), table))
    assert sorted(result.release.class_sizes.tolist()) == [2, 2, 4]
    assert result.table.columns == ["age"]
    reached = result.measures.privacy.required[0]
    assert (reached.requirement.model.name, reached.figure) == ("personal_k", 1.0)


def test_a_sample_of_the_records_has_their_wishes() -> None:
    ages = [str(20 + i) for i in range(60)]
    wishes = [str(1 + i % 3) for i in range(60)]
    table = as_table(pl.DataFrame({"age": ages, "wish": wishes}))
    small = sampled(prepare(project(), table), 20)
    assert small.personal_k is not None
    asked = [small.personal_k.values[code] for code in small.personal_k.codes]
    assert asked == small.table.frame["wish"].to_list()
    conclude(Run(small, ALGORITHMS["mondrian"]()))


def test_it_is_a_key_of_the_project(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("data: {path: x.csv}\nprivacy: {k: 2, personal_k: wish}\n")
    read = Project.load(path)
    assert read.privacy == Privacy(k=2, personal_k="wish")
    read.save(path)
    assert Project.load(path).privacy == read.privacy


@pytest.mark.parametrize(
    ("wishes", "name", "message"),
    [
        (WISHES, "wich", "privacy: personal_k: the data has no column 'wich'; did you mean 'wish'"),
        (WISHES, "age", "privacy: personal_k: 'age' is quasi-identifying"),
        (
            ["0", *WISHES[1:]],
            "wish",
            "personal_k: column 'wish' holds a value that is no k .*; a person's k is a whole",
        ),
        (["2.5", *WISHES[1:]], "wish", "personal_k: column 'wish' holds a value that is no k"),
        (["two", *WISHES[1:]], "wish", "wish"),
    ],
)
def test_refused(wishes: list[str], name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        prepare(project(personal_k=name), as_table(pl.DataFrame({"age": AGES, "wish": wishes})))


def test_more_than_there_are_is_out_of_reach() -> None:
    table = as_table(pl.DataFrame({"age": AGES, "wish": ["16", *WISHES[1:]]}))
    with pytest.raises(NotReachedError, match="the whole table has only 50% of them"):
        conclude(start(project(), table))


# --- the verifier


def test_the_verifier_counts_by_itself() -> None:
    release = pl.DataFrame({"age": ["[20..23]"] * 3 + ["[40..43]"] * 2})
    nothing = float("nan")
    assert verify(release, ["age"], (), 2, (), [3, nothing, 1, 2, 2]) == 2
    with pytest.raises(NotReachedError, match="1 of its classes has fewer records than a person"):
        verify(release, ["age"], (), 2, (), [3, nothing, 1, 2, 3])
    with pytest.raises(NotReachedError, match="2 of its classes have fewer"):
        verify(release, ["age"], (), 2, (), [4, nothing, 1, 2, 3])
    with pytest.raises(NotReachedError, match="5 records and 4 wishes"):
        verify(release, ["age"], (), 2, (), [1, 1, 1, 1])


def test_a_release_by_a_wrong_model_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        PersonalK, "figures", lambda self, groups, column: np.full(groups.count, 1.0)
    )
    table = as_table(pl.DataFrame({"age": AGES, "wish": WISHES}))
    with pytest.raises(NotReachedError, match="fewer records than a person in it asks for"):
        conclude(start(project(), table))


@pytest.mark.parametrize("unlisted", ["drop", "publish"])
def test_wishes_are_published_only_where_somebody_asks_for_it(unlisted: str) -> None:
    frame = pl.DataFrame({"age": ["1", "1", "2", "2"], "wish": ["2", "?", "2", "2"]})
    project = Project(
        data=DataSource("x.csv", unlisted=unlisted),
        attributes={"age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC)},
        privacy=Privacy(k=2, personal_k="wish"),
        algorithm=AlgorithmChoice("mondrian"),
    )
    for attributes in (project.attributes, {**project.attributes, "wish": AttributeSpec()}):
        unasked = replace(project, attributes=attributes)
        run = start(unasked, frame, accept_guesses=True)
        assert conclude(run).table.columns == ["age"]
    asked = {**project.attributes, "wish": AttributeSpec(role=Role.OTHER)}
    made = conclude(start(replace(project, attributes=asked), frame))
    assert made.table.columns == ["age", "wish"]
