"""Two results side by side: the same records, cell by cell, against the slow way."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.compare import (
    FigureDifference,
    compare,
    differences,
    file_records,
    record_losses,
)
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.rules import Boundary, RuleTable
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task

ALGORITHMS = ("datafly", "mondrian", "k-member", "udc-suppress")


def run(task: Task, name: str) -> Result:
    return conclude(Run(task, find_algorithm(name)()))


def results(seed: int, suppression: float = 0.2) -> list[Result]:
    task = random_task(seed)
    task = replace(task, privacy=replace(task.privacy, max_suppression=suppression))
    found = []
    for name in ALGORITHMS:
        try:
            found.append(run(task, name))
        except NotReachedError:
            continue
    return found


def test_the_losses_of_the_records_make_up_the_ncp() -> None:
    suppressed = 0
    for seed in range(25):
        for result in results(seed):
            losses = record_losses(result.release)
            assert losses.mean() == pytest.approx(result.measures.ncp)
            assert losses[result.release.suppressed] == pytest.approx(1.0)
            suppressed += int(result.release.suppressed.sum())
    assert suppressed > 5


def test_cells_that_differ_are_found() -> None:
    different = 0
    for seed in range(25):
        found = results(seed)
        for first, second in pairwise(found):
            made = compare(first, second)
            for x, attribute in enumerate(first.task.quasi):
                cells = [
                    [one.release.cells[x].texts[c] if c >= 0 else None for c in codes]
                    for one in (first, second)
                    for codes in [one.release.cells[x].codes]
                ]
                expected = [a != b for a, b in zip(*cells, strict=True)]
                assert made.differs[attribute.name].tolist() == expected
                different += sum(expected)
            assert {a.name: a.differs for a in made.attributes} == {
                name: int(flags.sum()) for name, flags in made.differs.items()
            }
            amounts = [abs(a.ncp.difference or 0) for a in made.attributes]
            assert amounts == sorted(amounts, reverse=True)
            order = np.abs(made.loss_difference)[made.most_different]
            assert (np.diff(order) <= 1e-8).all()
            assert sorted(made.most_different.tolist()) == list(range(first.task.n))
    assert different > 100


def test_swapping_the_results_swaps_the_verdicts() -> None:
    first, second = results(3)[:2]
    there = differences(first, second)
    back = differences(second, first)
    assert [one.better for one in there] == [-one.better for one in back]
    assert any(one.better for one in there)
    same = compare(first, first)
    assert all(one.better == 0 and not one.difference for one in same.figures)
    assert not any(flags.any() for flags in same.differs.values())


def test_what_is_better() -> None:
    def better(name: str, first: float | None, second: float | None) -> int:
        return FigureDifference(name, name, first, second).better

    assert better("ncp", 0.2, 0.3) == -1
    assert better("rv", 0.2, 0.3) == 1
    assert better("alpha", 1.0, 0.5) == 1
    assert better("l_distinct", 2, 1) == -1
    assert better("largest_class", 5, 500) == 0  # neither good nor bad
    assert better("precision", None, 0.5) == 0
    assert better("ncp", 0.2, 0.2 + 1e-12) == 0


def test_every_figure_of_the_report_is_compared() -> None:
    columns = {"age": range(12), "flu": ["yes", "no", "no"] * 4}
    rules = RuleTable(0, (Boundary("4", "5", 2),))
    specs = {"flu": AttributeSpec(role=Role.SENSITIVE), "age": AttributeSpec(rules=rules)}
    task = make_task(columns, 3, specs)
    first = run(task, "datafly")
    second = run(task, "mondrian")
    made = compare(first, second)
    names = {one.name for one in made.figures}
    report = first.report
    assert names >= {*report["metrics"], *report["privacy"]}
    assert names >= {"classes", "suppressed_records", "seconds", "largest_class"}
    ((attribute, kept),) = made.rules
    assert (attribute, kept.title) == ("age", "4 | 5")
    assert kept.first == report["attributes"]["age"]["rules"][0]["kept"]
    precision = next(one for one in made.figures if one.name == "precision")
    assert (precision.second, precision.difference) == (None, None)


def test_records_are_matched_where_one_run_dropped_some() -> None:
    """Missing values drop records 2 and 5 from one run; the others are still the same people."""
    columns = {"age": ["1", "2", "?", "4", "5", "?", "7", "8"], "sex": list("FMFMFMFM")}
    project = Project(
        DataSource("table.csv"),
        {"age": AttributeSpec(Role.QUASI, Kind.NUMERIC), "sex": AttributeSpec(Role.QUASI)},
        privacy=Privacy(2),
    )
    dropping = replace(project, data=replace(project.data, missing_policy="drop"))
    table = as_table(pl.DataFrame(columns))
    first = run(prepare(project, table), "mondrian")
    second = run(prepare(dropping, table), "mondrian")
    made = compare(first, second)
    assert file_records(second).tolist() == [0, 1, 3, 4, 6, 7]
    assert made.records[0].tolist() == [0, 1, 3, 4, 6, 7]
    assert made.records[1].tolist() == [0, 1, 2, 3, 4, 5]
    assert len(made.differs["age"]) == len(made.loss_difference) == 6


def test_only_common_attributes_are_compared() -> None:
    columns = {"age": [1, 2, 3, 4], "sex": ["F", "M", "F", "M"]}
    both = run(make_task(columns, 2), "mondrian")
    one = run(make_task(columns, 2, {"sex": AttributeSpec(role=Role.OTHER)}), "mondrian")
    assert compare(both, one).common == ("age",)
    assert set(compare(both, one).differs) == {"age"}
    assert compare(one, both).common == ("age",)
