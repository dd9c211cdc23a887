"""The what-if sweep: points are ordinary runs, errors are points, a cancel keeps what is done."""

from __future__ import annotations

import csv
import io
import json
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.analysis.sweep.output import SWEEP_ENDINGS, sweep_text
from kanon_tui.core.analysis.sweep.sweep import (
    DEFAULT_KS,
    METRICS,
    Sweep,
    SweepPoint,
    best_at,
    k_values,
    lines_of,
    sweep,
    with_attributes,
    with_strings,
)
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.lattice.pre_pruning import levels_alone
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.report.chart import compact_number, ticks
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import RunContext, Step, Steps, Task

CITIES = {
    "Wichita": ["Kansas"],
    "Topeka": ["Kansas"],
    "Lincoln": ["Nebraska"],
    "Omaha": ["Nebraska"],
}


def people(n: int = 120, seed: int = 4) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": [str(a) for a in rng.integers(18, 60, n)],
            "city": rng.choice(list(CITIES), n).tolist(),
            "sex": rng.choice(["F", "M"], n).tolist(),
            "ill": rng.choice(["flu", "none"], n).tolist(),
        }
    )


def project(algorithm: str = "global", max_suppression: float = 0.0, **params: object) -> Project:
    quasi = {"role": Role.QUASI}
    return Project(
        DataSource("people.csv"),
        {
            "age": AttributeSpec(
                **quasi,
                kind=Kind.NUMERIC,
                hierarchy={"builder": "intervals", "widths": [5, 10, 20]},
            ),
            "city": AttributeSpec(**quasi, kind=Kind.CATEGORICAL, hierarchy={"levels": CITIES}),
            "sex": AttributeSpec(**quasi, kind=Kind.CATEGORICAL),
            "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=Privacy(5, max_suppression),
        algorithm=AlgorithmChoice(algorithm, params),
    )


def alone(made: Project, name: str, k: int) -> Result:
    choice = made.algorithm if made.algorithm.name == name else AlgorithmChoice(name)
    asked = replace(made, algorithm=choice, privacy=replace(made.privacy, k=k))
    return anonymize(asked, people())


# --- the points


@pytest.mark.slow
@pytest.mark.parametrize("max_suppression", [0.0, 0.05])
@pytest.mark.parametrize("workers", [1, 3])
def test_points_are_what_separate_runs_give(workers: int, max_suppression: float) -> None:
    made = project(max_suppression=max_suppression)
    names = ["global", "local", "hybrid", "distributed", "incognito", "datafly", "mondrian", "udc"]
    swept = sweep(made, names, [2, 3, 5, 10, 25], people(), workers)
    points = list(swept)
    assert {(p.algorithm, p.k) for p in points} == {(n, k) for n in names for k in swept.ks}
    for point in points:
        if point.error is not None:
            with pytest.raises(NotReachedError) as refused:
                alone(made, point.algorithm, point.k)
            assert (point.algorithm, point.error) == ("local", str(refused.value))
            continue
        result = alone(made, point.algorithm, point.k)
        measures = result.measures
        assert (point.ncp, point.rv, point.il) == (measures.ncp, measures.rv, measures.il)
        assert point.classes == measures.classes
        assert point.suppressed_records == measures.suppressed_records
        assert point.grouping is not None
        assert point.grouping.levels == result.grouping.levels
        assert (point.grouping.labels == result.grouping.labels).all()
        assert point.grouping.search == result.grouping.search, "the very same decisions"


def test_the_projects_own_algorithm_keeps_its_parameters() -> None:
    made = project("mondrian", relaxed=True)
    [point] = sweep(made, None, [5], people())
    assert point.algorithm == "mondrian"
    assert point.ncp == alone(made, "mondrian", 5).measures.ncp
    assert point.ncp != alone(project(), "mondrian", 5).measures.ncp


def test_a_point_opens_as_the_full_result_of_its_own_project() -> None:
    swept = sweep(project(), ["global", "mondrian"], [3], people())
    for point in swept:
        result = swept.open(point)
        expected = alone(project(), point.algorithm, 3)
        assert result.table.equals(expected.table)
        assert result.report["metrics"] == expected.report["metrics"]
        assert result.project is not None
        assert result.project.privacy.k == result.report["k"] == 3
        assert result.project.algorithm.name == result.algorithm.name == point.algorithm
        assert result.seconds == point.seconds


def test_without_a_release_a_point_says_why_and_the_others_go_on() -> None:
    made = project()
    marked = replace(made.attributes["city"], magvals=tuple(CITIES))
    made = replace(made, attributes={**made.attributes, "city": marked})
    swept = sweep(made, ["gcka", "mondrian"], [5, 40, 121], people())
    points = {(p.algorithm, p.k): p for p in swept}
    assert points["gcka", 5].error is None
    assert points["mondrian", 40].error is None
    too_many = points["gcka", 40]  # no city has 40 people
    assert too_many.error is not None
    assert too_many.ncp is too_many.seconds is too_many.grouping is None
    for name in ("gcka", "mondrian"):
        assert points[name, 121].error == (
            "k is 121 but the table has only 120 records; choose k of at most 120"
        )
    with pytest.raises(InputError, match="no release to open"):
        swept.open(too_many)


def test_the_projects_own_k_may_be_larger_than_the_table() -> None:
    made = replace(project(), privacy=Privacy(500))
    [point] = sweep(made, ["mondrian"], [5], people())
    assert point.error is None


def test_every_algorithm_has_a_point_before_any_has_two() -> None:
    names = ["k-member", "local", "mondrian"]
    first = [p.algorithm for p, _ in zip(sweep(project(), names, [2, 5], people(), 1), names)]  # noqa: B905
    assert sorted(first) == sorted(names)


def test_points_in_order_follow_what_was_asked_for() -> None:
    swept = sweep(project(), ["mondrian", "global"], [10, 2, 5, 2], people())
    assert [(p.algorithm, p.k) for p in swept.in_order(swept)] == [
        (name, k) for name in ("mondrian", "global") for k in (2, 5, 10)
    ]


# --- stopping


def test_cancel_keeps_the_points_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = threading.Semaphore(1)  # a point begins when the one before has been taken
    begin = Sweep._point

    def begin_in_turn(self: Sweep, name: str, k: int) -> SweepPoint | None:
        taken.acquire()
        return begin(self, name, k)

    monkeypatch.setattr(Sweep, "_point", begin_in_turn)
    swept = sweep(project(), ["mondrian", "local"], DEFAULT_KS, people(), workers=1)
    points = []
    for point in swept:
        points.append(point)
        if len(points) == 3:
            swept.cancel()
        taken.release()
    assert 3 <= len(points) <= 4 < swept.total  # one more may have been under way
    for point in points:
        assert point.ncp == alone(project(), point.algorithm, point.k).measures.ncp


class Endless(Datafly):
    """Never comes to an end."""

    def steps(self, task: Task, context: RunContext) -> Steps:
        while True:
            yield Step(Event())


def test_cancel_reaches_into_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "datafly", Endless)
    before = threading.active_count()
    swept = sweep(project(), ["local", "datafly"], [2, 5], people(), workers=2)
    points = []
    for point in swept:
        points.append(point)
        if len(points) == 2:
            swept.cancel()
    assert [p.algorithm for p in points] == ["local", "local"]
    assert threading.active_count() == before


def test_leaving_the_loop_ends_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "datafly", Endless)
    before = threading.active_count()
    points: Iterator[SweepPoint] = iter(
        sweep(project(), ["local", "datafly"], [2, 5], people(), workers=2)
    )
    next(points)
    points.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


class Broken(Datafly):
    """Has a mistake in it."""

    def steps(self, task: Task, context: RunContext) -> Steps:
        yield Step(Event())
        raise ZeroDivisionError


def test_a_mistake_in_an_algorithm_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "datafly", Broken)
    with pytest.raises(ZeroDivisionError):
        list(sweep(project(), ["datafly"], [2, 5], people(), workers=2))


# --- what may be asked for


def test_requests_that_make_no_sense_are_refused_before_anything_runs() -> None:
    with pytest.raises(InputError, match="did you mean 'mondrian'"):
        sweep(project(), ["mondrain"], [2], people())
    with pytest.raises(InputError, match="at least one"):
        sweep(project(), ["mondrian"], [], people())
    with pytest.raises(InputError, match="k is 0"):
        sweep(project(), ["mondrian"], [5, 0], people())
    with pytest.raises(InputError, match="speed: unknown parameter"):
        sweep(project("mondrian", speed=9), None, [2], people())


def test_k_values_are_sorted_and_once_each() -> None:
    assert k_values("10, 2,5,2") == (2, 5, 10)


@pytest.mark.parametrize("text", ["", "2,,5", "2.5", "-3", "0", "two", "²", "1e3", "9" * 30, "2;3"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="whole number of at least 1"):
        k_values(text)


def test_it_says_when_the_project_has_changed_since(tmp_path: Path) -> None:
    made = project()
    swept = sweep(made, ["global", "mondrian"], [2], people())
    assert swept.fits(made)
    assert swept.fits(replace(made, privacy=Privacy(77)))  # k is the sweep's own
    assert swept.fits(replace(made, algorithm=AlgorithmChoice("udc")))
    assert swept.fits(replace(made, path=tmp_path / "saved.yaml"))
    assert not swept.fits(replace(made, seed=1))
    assert not swept.fits(replace(made, privacy=Privacy(5, max_suppression=0.1)))
    assert not swept.fits(replace(made, algorithm=AlgorithmChoice("mondrian", {"relaxed": True})))


# --- files and plots

POINTS = [
    SweepPoint("global", 2, 0.25, 0.5, 120.5, 30, 2, 0.125),
    SweepPoint("global", 5, error='no string "passes", & k < 3'),
    SweepPoint("mondrian", 2, 0.125, 0.75, 60.0, 40, 0, 0.5),
    SweepPoint("mondrian", 5, 0.5, 0.25, 90.0, 20, 0, 0.25),
]
FIELDS = [
    "algorithm", "k", "ncp", "rv", "il", "classes", "suppressed_records", "seconds", "error",
]  # fmt: skip


def test_json_has_the_fields_programs_rely_on() -> None:
    read = json.loads(sweep_text(POINTS, Path("x.json")))
    assert [list(each) for each in read] == [FIELDS] * 4
    assert read[0]["ncp"] == 0.25
    assert read[0]["error"] is None
    assert read[1]["ncp"] is None
    assert read[1]["error"] == POINTS[1].error


def test_csv_reads_back() -> None:
    rows = list(csv.DictReader(io.StringIO(sweep_text(POINTS, Path("x.CSV")))))
    assert list(rows[0]) == FIELDS
    assert [row["il"] for row in rows] == ["120.5", "", "60.0", "90.0"]
    assert rows[1]["error"] == POINTS[1].error


def test_svg_is_a_picture_with_a_line_for_every_algorithm_and_metric() -> None:
    root = ElementTree.fromstring(sweep_text(POINTS, Path("x.svg")))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    texts = ["".join(each.itertext()) for each in root.iter(f"{space}text")]
    for metric in METRICS:
        assert any(text.startswith(metric.title) for text in texts)
    assert texts.count("global") == texts.count("mondrian") == 1
    circles = [each for each in root.iter(f"{space}path") if "a4 4" in each.attrib["d"]]
    assert len(circles) == 1 + len(METRICS)  # in the legend, and its one point in every panel


@pytest.mark.parametrize("points", [POINTS[:1], POINTS[1:2], []])
def test_svg_of_little_or_nothing_is_still_a_picture(points: list[SweepPoint]) -> None:
    ElementTree.fromstring(sweep_text(points, Path("x.svg")))


def test_other_endings_are_refused() -> None:
    with pytest.raises(InputError, match=r"\.csv, \.json or \.svg"):
        sweep_text(POINTS, Path("x.pdf"))
    assert SWEEP_ENDINGS == (".csv", ".json", ".svg")


def test_the_best_at_a_k_are_those_with_the_least_lost_or_the_most_kept() -> None:
    figures = {metric.name: metric for metric in METRICS}
    points = [
        SweepPoint("a", 2, ncp=0.2, rv=0.7, classes=9),
        SweepPoint("b", 2, ncp=0.2, rv=0.8, classes=7),
        SweepPoint("c", 2, ncp=0.3, rv=0.1, classes=8),
        SweepPoint("d", 2, error="none"),
        SweepPoint("e", 5, ncp=0.0, rv=1.0, classes=99),
    ]

    def names(metric: str, k: int) -> str:
        return "".join(point.algorithm for point in best_at(points, figures[metric], k))

    assert (names("ncp", 2), names("rv", 2), names("classes", 2)) == ("ab", "b", "a")
    assert (names("ncp", 5), names("ncp", 3), names("il", 2)) == ("e", "", "")
    assert [metric.shown(points[3]) for metric in METRICS] == ["–"] * len(METRICS)
    assert figures["ncp"].shown(points[0]) == "0.200"


def test_lines_have_gaps_where_there_is_no_point() -> None:
    lines = lines_of(POINTS[:3], METRICS[0], ["global", "mondrian", "udc"], [2, 5])
    assert [(line.name, line.values) for line in lines] == [
        ("global", (0.25, None)),
        ("mondrian", (0.125, None)),
        ("udc", (None, None)),
    ]


@given(st.floats(0, 1e12), st.integers(2, 12), st.booleans())
def test_ticks_are_few_evenly_spaced_and_reach_the_top(
    highest: float, most: int, whole: bool
) -> None:
    marks = ticks(highest, most, whole)
    assert marks[0] == 0
    assert marks[-1] >= highest * (1 - 1e-6)
    assert 2 <= len(marks) <= most + 1
    steps = np.diff(marks)
    assert np.allclose(steps, steps[0])
    if whole:
        assert all(float(mark).is_integer() for mark in marks)
    else:
        first_digits = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
        assert min(abs(first_digits - f) for f in (1, 2, 2.5, 5, 10)) < 1e-6


@given(st.floats(1e-6, 1e12) | st.just(0.0))
def test_compact_numbers_stay_short_and_close(value: float) -> None:
    text = compact_number(value)
    assert len(text) <= 8
    unit = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1.0)
    read = float(text.rstrip("kMG").replace(",", "")) * unit
    assert read == pytest.approx(value, rel=0.006)


def test_a_sweep_runs_over_a_prepared_task() -> None:
    made = project()
    task = prepare(made, as_table(people()))
    points = list(Sweep(made, task, ["mondrian"], [2, 5]))
    assert sorted(p.k for p in points if p.error is None) == [2, 5]
    assert task.k == 5  # the task itself is as it was


def test_subsets_of_the_attributes_leave_the_others_out_and_count_their_strings() -> None:
    whole = Project.load(find_sample("race-rules").project)
    asked = sweep(with_attributes(whole, ["age", "race"]), ["global", "local"], [3])
    assert [attribute.name for attribute in asked.task.quasi] == ["race", "age"]
    assert "sex" in asked.task.left_out
    points = with_strings(asked, asked, ["age", "race"])
    for point in points:
        figures = point.figures
        assert (figures["attributes"], figures["strings"]) == ("age,race", 20)
        task = replace(asked.task, privacy=Privacy(k=3))
        surviving = [sum(one.passes for one in levels_alone(a, task)) for a in task.quasi]
        assert figures["after_pre_pruning"] == surviving[0] * surviving[1]
        assert figures["rv_roots"] == 0 < figures["rv_most_specific"]
    with pytest.raises(InputError, match=r"'rice' is not a quasi-identifier.*race"):
        with_attributes(whole, ["rice"])
