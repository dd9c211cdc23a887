"""Mondrian: the paper's example, its twin on random tables, and hostile tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.algorithms.twins.mondrian import holds, mondrian
from kanon_tui.core.clustering.cutting_events import CutMade
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run, RunStep
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.twins.beyond_k import with_requirements
from tests.helpers import make_task
from tests.paths import SAMPLES
from tests.tries import tries

SAMPLE = SAMPLES / "mondrian"


WAYS = {
    "allowable": Mondrian(),
    "median": Mondrian(cut="median"),
    "relaxed": Mondrian(relaxed=True),
}


def grouping(task: Task, way: str = "allowable", decisions: int = FULL_SPEED) -> Grouping:
    found = Run(task, WAYS[way], RunContext(decisions)).finish()
    assert found is not None
    return found


def classes(labels: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]


def told(task: Task) -> list[RunStep]:
    return list(Run(task, Mondrian(), RunContext(1)))


def attribute_and_values(task: Task, cut: CutMade) -> tuple[str, str, str]:
    """The attribute that is cut, and the values on either side of the cut."""
    column = task.quasi[cut.attribute].column
    return column.name, column.values[cut.below], column.values[cut.above]


def test_sbc_figure_2_9_b_from_table_2_12() -> None:
    task = prepare(Project.load(SAMPLE / "project.yaml"))
    expected = pl.read_csv(SAMPLE / "expected.csv", infer_schema=False)
    assert recode(task, grouping(task)).in_file_order.equals(expected)


def test_sbc_section_2_5_zip_is_cut_first_and_between_23111_and_23112() -> None:
    task = prepare(Project.load(SAMPLE / "project.yaml"))
    cuts = [step.event for step in told(task)][:2]
    assert [(*attribute_and_values(task, cut), cut.left, cut.right) for cut in cuts] == [
        ("zip", "23111", "23112", 4, 2),
        ("age", "36", "37", 2, 2),
    ]


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(tries(80)):
        task = random_task(seed)
        for way in WAYS:
            assert classes(grouping(task, way).labels) == mondrian(task, way), seed


@pytest.mark.slow
def test_requirements_beyond_k_are_met_by_both_sides_of_every_cut() -> None:
    """As the twin, which judges one part at a time; no class is merged afterwards."""
    cut = 0
    for seed in range(tries(60)):
        task = with_requirements(random_task(seed, most=80), seed)
        if not holds(task, range(task.n)):
            continue
        for way in WAYS:
            found = grouping(task, way, decisions=FULL_SPEED if seed % 2 else 1 + seed % 5)
            assert classes(found.labels) == mondrian(task, way), (seed, way)
            assert found.search["merged_on"] == 0
            cut += int(found.labels.max()) > 0
    assert cut > 60


@pytest.mark.slow
def test_every_published_class_has_k_records_and_any_pace_gives_the_same() -> None:
    for seed in range(60):
        task = random_task(seed, most=80)
        for way in WAYS:
            whole = grouping(task, way)
            assert recode(task, whole).class_sizes.min() >= task.k
            stepped = grouping(task, way, decisions=1 + seed % 3)
            assert np.array_equal(stepped.labels, whole.labels)


def test_stopping_at_any_cut_leaves_a_release_that_verifies() -> None:
    task = make_task({"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": list("xyxyxyxy")})
    for cuts in range(1, 8):
        run = Run(task, Mondrian(), RunContext(1))
        for _ in range(cuts):
            next(run)
        assert run.last is not None
        kept = run.cancel()
        assert kept is not None
        sizes = np.bincount(kept.labels)
        assert len(sizes) == run.last.counters["clusters"]
        assert sizes.min() >= 2


def test_sparse_ranks_are_cut_as_dense_ones() -> None:
    """Parts of a few records far apart take the sorting path of the cut."""
    rng = np.random.default_rng(3)
    task = make_task({"income": rng.integers(0, 10**6, 400).tolist()}, k=3)
    assert classes(grouping(task).labels) == mondrian(task)


def test_running_ncp_is_that_of_the_published_classes() -> None:
    for seed in range(40):
        task = random_task(seed)
        run = Run(task, Mondrian())
        release = recode(task, run.finish())
        assert run.last is not None
        assert run.last.counters["ncp"] == pytest.approx(measure(release).ncp, abs=1e-9), seed


def test_wider_domain_makes_an_attribute_narrower() -> None:
    columns = {"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]}
    assert told(make_task(columns))[0].event.attribute == 0
    wide = {"a": AttributeSpec(domain=(0, 10))}
    assert told(make_task(columns, specs=wide))[0].event.attribute == 1


def test_missing_numbers_are_cut_off_last() -> None:
    task = make_task(
        {"a": [1, 1, "?", "?"], "b": [1, 2, 1, 2]}, specs={"a": AttributeSpec(kind=Kind.NUMERIC)}
    )
    assert attribute_and_values(task, told(task)[0].event) == ("a", "1", "?")


def test_categories_are_cut_in_the_order_of_their_hierarchy() -> None:
    levels = {"d": ["x"], "a": ["x"], "c": ["y"], "b": ["y"]}
    columns = {"v": ["a", "b", "c", "d"]}
    assert classes(grouping(make_task(columns)).labels) == [[0, 1], [2, 3]]
    specs = {"v": AttributeSpec(hierarchy={"levels": levels})}
    assert classes(grouping(make_task(columns, specs=specs)).labels) == [[0, 3], [1, 2]]


def test_median_may_be_split_only_when_relaxed() -> None:
    task = make_task({"v": [1, 1, 1, 2]})
    assert classes(grouping(task).labels) == [[0, 1, 2, 3]]
    assert classes(grouping(task, "relaxed").labels) == [[0, 1], [2, 3]]


def test_the_median_alone_is_tried_before_the_next_attribute() -> None:
    """Of 1 2 2 2 3 only ≤ 2 | > 2 is tried, which leaves one record above."""
    task = make_task({"a": [1, 1, 2, 2, 2, 3], "b": [1, 1, 1, 2, 2, 2]}, 2)
    assert classes(grouping(task).labels) == [[0, 1], [2, 3, 4, 5]]
    assert classes(grouping(task, "median").labels) == [[0, 1, 2], [3, 4, 5]]
    steps = list(Run(make_task({"a": [1, 1, 2, 2, 2]}), WAYS["median"], RunContext(1)))
    assert steps[-1].sentence == (
        "Close a class of 5 records: no cut at the median of a leaves 2 records on either side."
    )


def test_sentences_name_what_was_decided() -> None:
    steps = told(make_task({"a": [1, 2, 2, 2], "b": ["x", "x", "y", "y"], "c": ["u"] * 4}))
    assert [step.sentence for step in steps] == [
        "Cut 4 records by b, since a cannot be cut, between x and y: 2 below and 2 above.",
        "Close a class of 2 records: too few for two classes of 2.",
        "Close a class of 2 records: too few for two classes of 2.",
    ]
    assert steps[-1].progress == 1.0
    lone = told(make_task({"a": [1, 1, 1, 2]}))[0].sentence
    assert lone == "Close a class of 4 records: no cut of a leaves 2 records on either side."
    alike = told(make_task({"a": [1, 1, 1, 1]}))[0].sentence
    assert alike == "Close a class of 4 records: they are all alike."
