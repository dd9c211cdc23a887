"""`overlap: false`: published ranges of an attribute are equal or disjoint over a release."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.clustering.disjoint_ranges import divide
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.verify import overlapping
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.rules import Boundary, RuleTable
from kanon_tui.core.task.task import Family, Grouping, RunContext, Task
from tests.core.metrics.strategies import CITIES
from tests.helpers import make_task
from tests.tries import tries

CLUSTERINGS = [n for n, a in ALGORITHMS.items() if a.family is Family.CLUSTERING]


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    n = draw(st.integers(4, 24))

    def column(values: list[object]) -> list[object]:
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    columns = {
        "age": [str(age) for age in column([*range(20, 40), "21.0", "?"])],
        "pay": column([0, 0, 5, 10, 50, 1000]),
        "city": column(sorted(CITIES)),
        "ill": column(["flu", "cold"]),
    }
    if all(age == "?" for age in columns["age"]):
        columns["age"][0] = "30"
    specs = {
        "age": AttributeSpec(kind=Kind.NUMERIC, rules=RuleTable(1.0, (Boundary("29", "30", 2.0),))),
        "city": AttributeSpec(hierarchy={"levels": CITIES}, kind=Kind.CATEGORICAL),
        "ill": AttributeSpec(kind=Kind.CATEGORICAL, role=Role.SENSITIVE),
    }
    k = draw(st.integers(2, 4))
    return make_task(columns, min(k, n), specs, overlap=False)


def ranges(cells: pl.Series) -> set[tuple[float, float]]:
    """What somebody reads off the printed cells; a star says nothing."""
    found = set()
    for text in cells.to_list():
        numbers = re.fullmatch(r"\[(-?[\d.]+?)\.\.(-?[\d.]+)\]\*?|(-?[\d.]+)\*?", text)
        if numbers is None:
            assert text in ("*", "?", "?*")
        elif numbers[3]:
            found.add((float(numbers[3]), float(numbers[3])))
        else:
            found.add((float(numbers[1]), float(numbers[2])))
    return found


def finished(task: Task, name: str) -> Result:
    return conclude(Run(task, ALGORITHMS[name]()))


def check(made: Result) -> None:
    for name in ("age", "pay"):
        if name in made.table.columns:
            for one, other in combinations(ranges(made.table[name]), 2):
                assert one[1] < other[0] or other[1] < one[0], (name, one, other)


@given(tasks(), st.sampled_from(CLUSTERINGS))
@settings(max_examples=tries(25), deadline=None)
def test_no_two_ranges_overlap(task: Task, name: str) -> None:
    made = finished(task, name)
    check(made)
    told = made.grouping.search["disjoint"]
    assert made.measures.smallest_class >= task.k
    assert told["ncp_with_overlap"] == pytest.approx(
        conclude(Run(replace(task, overlap=True), made.algorithm)).measures.ncp
    )
    assert {*told["stretches"]} == {"age", "pay"}
    assert any("do not overlap" in str(note) for note in made.notes)


@given(tasks(), st.data())
@settings(max_examples=tries(30), deadline=None)
def test_figures_are_those_of_what_is_printed(task: Task, data: st.DataObject) -> None:
    """NCP and the share of rules, by the printed range of every record."""
    labels = data.draw(st.lists(st.integers(0, 3), min_size=task.n, max_size=task.n))
    array = np.array(labels, dtype=np.int32)
    stretches = tuple(
        divide(a, array, data.draw(st.integers(1, 6))) if a.ordered else None for a in task.quasi
    )
    release = recode(task, Grouping(array, stretches=stretches))
    for cells, published in zip(cells_of(release), release.cells, strict=True):
        if not cells.attribute.ordered:
            continue
        low, high = cells.attribute.domain
        lost = 0.0
        for code in published.codes.tolist():
            text = published.texts[code]
            ((start, end),) = ranges(pl.Series([text])) or {(low, high)}
            lost += 0.0 if text == "?" else (end - start) / (high - low) if high > low else 0.0
            if text == "*" and high == low:
                lost += 1.0
        assert measure(release).attributes[cells.attribute.name].ncp == pytest.approx(lost / task.n)


@given(tasks(), st.integers(1, 12), st.data())
@settings(max_examples=80, deadline=None)
def test_stretches_follow_the_line(task: Task, count: int, data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(-1, 3), min_size=task.n, max_size=task.n))
    labels[0] = 0
    for attribute in task.quasi:
        if not attribute.ordered:
            continue
        column = attribute.column
        stretch = divide(attribute, np.array(labels, dtype=np.int32), count)
        assert stretch[0] == 0
        assert set(np.diff(stretch).tolist()) <= {0, 1}
        numbers = column.numbers
        for one, other in combinations(range(len(numbers)), 2):
            if numbers[one] == numbers[other]:
                assert stretch[one] == stretch[other]
        if column.missing is not None:
            assert (stretch == stretch[column.missing]).sum() == 1
        assert stretch.max() + 1 <= count + (column.missing is not None)


def test_what_is_required_beyond_k_holds() -> None:
    rng = np.random.default_rng(3)
    columns = {
        "age": rng.integers(20, 60, 80).tolist(),
        "ill": rng.choice(["flu", "cold", "ache"], 80).tolist(),
    }
    specs = {"ill": AttributeSpec(kind=Kind.CATEGORICAL, role=Role.SENSITIVE)}
    task = make_task(columns, 3, specs, overlap=False)
    task = replace(task, privacy=Privacy(k=3, requirements=(DistinctLDiversity(3, "ill"),)))
    made = finished(task, "mondrian")
    check(made)
    assert made.measures.privacy.figures["l_distinct"]["ill"] >= 3


def test_greedy_cka_keeps_its_limits() -> None:
    rng = np.random.default_rng(5)
    columns = {"age": rng.integers(20, 60, 90).tolist(), "pay": rng.integers(0, 9, 90).tolist()}
    task = make_task(columns, 3, {"age": AttributeSpec(max_width=5)}, overlap=False)
    made = finished(task, "gcka")
    check(made)
    assert made.measures.privacy.violations == 0
    assert max(high - low for low, high in ranges(made.table["age"])) <= 5


def test_the_verifier_sees_ranges_that_overlap() -> None:
    numbers = {"1": 1.0, "2": 2.0, "3": 3.0, "?": float("nan")}
    assert not overlapping(pl.Series(["[1..2]", "3", "?", "*", "[1..2]*"]), numbers)
    assert overlapping(pl.Series(["[1..2]", "[2..3]"]), numbers)
    assert overlapping(pl.Series(["[1..3]", "2"]), numbers)
    with pytest.raises(NotReachedError, match="no range of the data"):
        overlapping(pl.Series(["[1..9]"]), numbers)


def test_a_release_whose_ranges_overlap_is_refused() -> None:
    task = make_task({"age": [1, 3, 2, 4]}, 2, overlap=False)
    run = Run(task, ALGORITHMS["mondrian"]())
    run.finish()
    run.grouping = Grouping(np.array([0, 0, 1, 1], dtype=np.int32))
    with pytest.raises(NotReachedError, match="ranges of age overlap"):
        conclude(run)


def test_a_cancel_keeps_nothing_that_overlaps() -> None:
    rng = np.random.default_rng(1)
    task = make_task({"age": rng.integers(0, 50, 60).tolist()}, 3, overlap=False)
    run = Run(task, ALGORITHMS["mondrian"](), RunContext(1))
    for step in run:
        if step.kind == "divide":
            break
        assert step.keep is None
    for step in run:
        if step.keep is not None:
            break
    run.cancel()
    check(conclude(run))


def test_why_says_that_the_stretch_is_shared() -> None:
    rng = np.random.default_rng(2)
    task = make_task({"age": rng.integers(0, 50, 60).tolist()}, 3, overlap=False)
    made = finished(task, "k-member")
    why = explainer(made).of_record(0, 0)
    assert "ranges do not overlap in this release" in why.because
    assert why.changes == ()
