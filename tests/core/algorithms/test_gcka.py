"""GreedyCKA: the paper's example, no violation ever, the smallest possible suppression."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms.gcka import Gcka
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.twins.k_member import gcka
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task
from tests.paths import SAMPLES
from tests.tries import tries

SAMPLE = SAMPLES / "locations"
MARKS = [
    {"city": ("Italy", "Asia", "Osaka")},
    {"town": ("Japan", "Europe"), "year": ("1990-", "2000s")},
    {"city": ("World",), "town": ("Rome", "Milan")},
]


def grouping(task: Task, decisions: int = FULL_SPEED) -> Grouping:
    found = Run(task, Gcka(), RunContext(decisions)).finish()
    assert found is not None
    return found


def clusters(labels: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]


def marked_task(seed: int) -> Task:
    return random_task(seed, **MARKS[seed % len(MARKS)])


def test_cka_figure_3_gives_figure_4_b() -> None:
    task = prepare(Project.load(SAMPLE / "project.yaml"))
    found = grouping(task)
    assert clusters(found.labels) == [[0, 1], [2, 3, 6], [4, 5]]
    assert not found.notes
    expected = pl.read_csv(SAMPLE / "expected.csv", infer_schema=False)
    published = recode(task, found).in_file_order
    assert published["location"].unique(maintain_order=True).to_list() == [
        "California",
        "Kansas",
        "Lincoln",
    ]
    assert published.equals(expected)


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(tries(60)):
        task = marked_task(seed)
        expected = gcka(task)
        labels = grouping(task).labels
        assert clusters(labels) == [sorted(c) for c in expected], seed
        assert (labels >= 0).sum() == sum(map(len, expected)), seed


@pytest.mark.slow
def test_nothing_is_generalised_beyond_its_magval() -> None:
    for seed in range(80):
        task = marked_task(seed)
        for cluster in clusters(grouping(task).labels):
            for attribute in task.quasi:
                codes = attribute.column.codes[cluster]
                level = attribute.hierarchy.lca_level(codes)
                assert level <= attribute.hierarchy.mark_levels[codes].min(), seed


def test_suppresses_exactly_the_records_whose_magvals_are_too_rare() -> None:
    for seed in range(80):
        task = marked_task(seed)
        vectors = [
            tuple(
                attribute.hierarchy.paths[code][attribute.hierarchy.mark_levels[code]]
                for attribute in task.quasi
                for code in [attribute.column.codes[i]]
            )
            for i in range(task.n)
        ]
        counts = Counter(vectors)
        rare = [counts[vector] < task.k for vector in vectors]
        assert (grouping(task).labels < 0).tolist() == rare, seed


def test_without_marks_it_is_k_member() -> None:
    for seed in range(30):
        task = random_task(seed)
        plain = Run(task, KMember()).finish()
        assert plain is not None
        assert np.array_equal(grouping(task).labels, plain.labels)


def test_any_pace_gives_the_same() -> None:
    for seed in range(30):
        task = marked_task(seed)
        whole = grouping(task).labels
        assert np.array_equal(grouping(task, decisions=1).labels, whole)


def test_missing_numbers_stay_outside_a_marked_range() -> None:
    levels = {"1": ["low"], "2": ["low"], "8": ["high"], "9": ["high"]}
    spec = AttributeSpec(kind=Kind.NUMERIC, hierarchy={"levels": levels}, magvals=("low", "high"))
    task = make_task({"v": ["1", "2", "?", "9", "8", "?"]}, specs={"v": spec})
    release = recode(task, grouping(task))
    assert release.in_file_order["v"].to_list() == [
        "[1..2]",
        "[1..2]",
        "?",
        "[8..9]",
        "[8..9]",
        "?",
    ]


def test_names_the_magvals_of_each_group_when_stepped() -> None:
    task = prepare(Project.load(SAMPLE / "project.yaml"))
    run = Run(task, Gcka(), RunContext(1))
    entered = [step.sentence for step in run if step.kind == "enter"]
    assert entered == [
        "Group 1: cluster its 2 records, which may be generalised up to location California.",
        "Group 2: cluster its 3 records, which may be generalised up to location Kansas.",
        "Group 3: cluster its 2 records, which may be generalised up to location Midwest.",
    ]


def test_tells_what_is_suppressed() -> None:
    levels = {"a": ["x"], "b": ["x"], "c": ["y"]}
    spec = AttributeSpec(hierarchy={"levels": levels}, magvals=("x", "y"))
    task = make_task({"v": ["a", "b", "c", "a", "a"]}, specs={"v": spec})
    run = Run(task, Gcka())
    assert next(run).sentence == (
        "Group the 5 records by their MAGVals: 2 groups. 1 of them has fewer than 2 records, so "
        "1 record is suppressed."
    )
    found = run.finish()
    assert found is not None
    assert found.labels[2] == -1
    assert found.notes == (
        "records suppressed because fewer than 2 records share their MAGVals: 1",
    )
