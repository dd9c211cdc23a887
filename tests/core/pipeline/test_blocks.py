"""Clusterings in blocks: a valid release whatever the cut, the same for any number of workers."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.gcka import Gcka
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.sbc import SBC
from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline.blocks import BlockCut, block_steps, cut_into_blocks, side_by_side
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import Family, Grouping, RunContext, Step, Steps, Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task
from tests.tries import tries

IN_BLOCKS = [name for name, each in ALGORITHMS.items() if issubclass(each, BlockClustering)]
SEEDS = st.integers(0, 10_000)


def in_blocks(name: str, size: int | str) -> BlockClustering:
    algorithm = with_parameters(ALGORITHMS[name], {"blocks": size}, name)
    assert isinstance(algorithm, BlockClustering)
    return algorithm


def drained(steps: Steps) -> Grouping:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            grouping: Grouping = stop.value
            return grouping


def table(seed: int, k: int = 2, most: int = 120) -> Task:
    task = random_task(seed, most)
    return replace(task, privacy=replace(task.privacy, k=min(k, task.n)))


def large() -> Task:
    """A table that is cut into several blocks."""
    return next(t for t in map(table, range(1000)) if t.n > 100 and len(t.quasi) > 3)


def cut_of(algorithm: BlockClustering, task: Task, size: int) -> BlockCut:
    steps = cut_into_blocks(algorithm, task, size)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            cut: BlockCut = stop.value
            return cut


def test_clusterings_that_search_among_records_take_blocks() -> None:
    clusterings = {n for n, each in ALGORITHMS.items() if each.family is Family.CLUSTERING}
    assert set(IN_BLOCKS) == clusterings - {"mondrian", "stepwise"}


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_BLOCKS)
@given(seed=SEEDS, k=st.integers(1, 4), size=st.integers(2, 60))
@settings(max_examples=tries(5), deadline=None)
def test_blocks_together_are_a_valid_release(name: str, seed: int, k: int, size: int) -> None:
    task = table(seed, k)
    result = conclude(Run(task, in_blocks(name, size)))  # which verifies
    labels = result.grouping.labels
    assert (np.bincount(labels[labels >= 0]) != 0).sum() == len(np.unique(labels[labels >= 0]))
    assert np.unique(labels[labels >= 0], return_counts=True)[1].min() >= task.k


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_one_block_off_and_auto_on_a_small_table_are_the_same(name: str) -> None:
    for seed in range(20, 30):
        task = table(seed)
        plain = drained(ALGORITHMS[name]().steps(task, RunContext()))
        for size in ("off", "auto", 1000):
            found = Run(task, in_blocks(name, size)).finish()
            assert found is not None
            assert np.array_equal(found.labels, plain.labels)
            assert found.search == plain.search
            assert found.notes == plain.notes


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_BLOCKS)
def test_the_number_of_workers_changes_nothing(name: str) -> None:
    task = large()
    algorithm = in_blocks(name, 20)
    one, *others = (
        drained(block_steps(algorithm, task, RunContext(), workers)) for workers in (1, 2, 5)
    )
    assert one.search["blocks"]["count"] > 2
    for other in others:
        assert np.array_equal(one.labels, other.labels)
        assert one.notes == other.notes
        assert one.search == other.search


def test_blocks_are_of_the_size_and_keep_equal_records_together() -> None:
    task = large()
    cut = cut_of(KMember(), task, 20)
    assert len(cut.blocks) > 2
    assert np.array_equal(np.sort(np.concatenate(cut.blocks)), np.arange(task.n))
    assert min(map(len, cut.blocks)) >= 10
    block = np.zeros(task.n, dtype=int)
    for number, records in enumerate(cut.blocks):
        block[records] = number
    for row in np.unique(task.codes, axis=0):
        assert len(set(block[(task.codes == row).all(axis=1)])) == 1


def test_magvals_hold_and_small_groups_alone_are_suppressed() -> None:
    marked = random_task(3, 200, city=("Italy", "France"))
    task = replace(marked, privacy=replace(marked.privacy, k=3))
    plain = Run(task, Gcka()).finish()
    found = Run(task, Gcka(blocks=12)).finish()
    assert plain is not None
    assert found is not None
    groups = group_by_magvals(task).number
    for label in np.unique(found.labels[found.labels >= 0]):
        assert len(np.unique(groups[found.labels == label])) == 1
    assert np.array_equal(found.labels < 0, plain.labels < 0)
    conclude(Run(task, Gcka(blocks=12)))


def test_requirements_beyond_k_hold_across_blocks() -> None:
    for seed in range(tries(15)):
        task = table(seed, most=200)
        task = replace(
            task, privacy=replace(task.privacy, requirements=(DistinctLDiversity(2, "label"),))
        )
        if len(task.sensitive[0].values) > 1:
            conclude(Run(task, KMember(blocks=12, refine=True)))  # which verifies both


def test_left_overs_of_all_blocks_are_clustered_together() -> None:
    task = large()
    task = replace(task, privacy=replace(task.privacy, k=4))
    found = Run(task, SBC(blocks=21, left_over="suppress")).finish()
    assert found is not None
    assert found.search["blocks"]["count"] > 2
    assert (found.labels < 0).sum() < task.k
    conclude(Run(task, SBC(blocks=21, left_over="suppress")))


def test_the_report_says_how_many_blocks_and_what_they_cost() -> None:
    result = conclude(Run(large(), KMember(blocks=20)))
    told = result.grouping.search["blocks"]
    assert told["sample"] == 80
    assert 0 <= told["ncp_whole"] <= 1
    said = [note for note in result.notes if note.startswith("clustered in")]
    assert said == [
        note for note in said if f"{told['ncp_in_blocks']:.4f}, and {told['ncp_whole']:.4f}" in note
    ]
    assert result.report["search"]["blocks"] == told


def test_a_cancel_keeps_what_is_done_and_leaves_no_thread() -> None:
    task = large()
    before = threading.active_count()
    run = Run(task, KMember(blocks=20))
    while (step := next(run)).counters.get("blocks_done", 0) < 2:
        pass
    assert "2 of" in step.sentence
    run.cancel()
    assert threading.active_count() == before
    result = conclude(run)
    assert any("stopped early" in note for note in result.notes)


def test_who_does_not_pull_makes_all_jobs_wait() -> None:
    taken = []

    def job(number: int) -> Steps:
        for _ in range(50):
            taken.append(number)
            yield Step(Event())
        return Grouping(np.zeros(1, dtype=np.int32))

    jobs = [lambda number=n: job(number) for n in range(4)]
    news = side_by_side(jobs, 2)
    next(news)
    # One that was heard, one in the queue, and one in the hands of each of two workers.
    assert len(taken) <= 4
    news.close()
    assert len(taken) <= 4 + 2


def test_an_error_in_a_block_is_the_error_of_the_run() -> None:
    algorithm = KMember(blocks=20, class_attribute="nobody", class_penalty=1.0)
    with pytest.raises(InputError, match="nobody"):
        drained(block_steps(algorithm, large(), RunContext(), 2))


@pytest.mark.parametrize("written", ["0", "1", "some", "2.5", "yes"])
def test_other_sizes_are_refused_with_what_is_allowed(written: str) -> None:
    with pytest.raises(InputError, match="auto, off, or how many records"):
        in_blocks("k-member", written)


def test_off_is_read_as_a_file_has_it() -> None:
    assert with_parameters(KMember, {"blocks": False}, "k-member").blocks == "off"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "records", "size"),
    [
        ("numbers", 500_001, 25_000),
        ("numbers", 500_000, None),
        ("labels", 20_001, 4_000),
        ("labels", 20_000, None),
        ("both", 20_001, None),
    ],
)
def test_tables_of_labels_alone_are_cut_sooner(shape: str, records: int, size: int | None) -> None:
    """Their nearest records are hardly nearer than others, so that every search is a scan."""
    rng = np.random.default_rng(1)
    numbers = {f"n{x}": rng.integers(0, 50, records).tolist() for x in range(2)}
    labels = {f"c{x}": [f"v{v}" for v in rng.integers(0, 300, records)] for x in range(5)}
    chosen = {"numbers": numbers, "labels": labels, "both": numbers | {"c0": labels["c0"]}}
    task = make_task(chosen[shape])
    assert KMember().block_size(task) == size
    assert KMember(blocks="off").block_size(task) is None
    assert KMember(blocks=77).block_size(task) == 77
