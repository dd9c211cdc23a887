"""Clustering in blocks: a coarse cut of the table, each block clustered on its own.

1. Mondrian cuts the table into blocks of about `blocks` records, by values alone. For GreedyCKA
   the groups of MAGVals come first, and only larger ones are cut. Groups of fewer than k records
   are suppressed, as without blocks.
2. The algorithm runs on every block, in threads on all cores: kernels release the interpreter's
   lock. The result depends neither on the order of the blocks nor on the number of cores.
3. Records that blocks leave over (`left_over: suppress`) are clustered together, so that fewer
   than k are suppressed in the end.
4. What follows a clustering sees the whole table: classes that miss a requirement beyond k merge
   across blocks, and refining exchanges records across them.

The cost of blocks is measured on a sample, clustered as a whole and in blocks. One block is the
plain algorithm. A cancelled run keeps the finished blocks; each of the others becomes one class.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.clustering.alternatives import MOST_FOLLOWED
from kanon_tui.core.clustering.clustering import BlockClustering, Clustering
from kanon_tui.core.clustering.disjoint_ranges import disjoint_steps, ncp_of
from kanon_tui.core.clustering.events import SUPPRESSED, UNPLACED, GroupEvent, Moves
from kanon_tui.core.clustering.later_events import (
    BlockDone,
    BlocksBegun,
    BlocksGoOn,
    LeftOversPooled,
    TableCut,
)
from kanon_tui.core.clustering.magval_groups import group_by_magvals, small_groups_note
from kanon_tui.core.clustering.refining import refined_steps
from kanon_tui.core.clustering.requirement_repair import steps_beyond_k
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.processes.workers import cores
from kanon_tui.core.task.parts import part_of
from kanon_tui.core.task.task import (
    Algorithm,
    Grouping,
    RunContext,
    Step,
    Steps,
    Task,
    map_steps,
)
from kanon_tui.core.text import Note, Quotable, note

_CUTS_PER_STEP = 16
BlockJob = tuple[int, Callable[[], Steps]]
"""The number of records of a job, and what begins it."""


@dataclass(frozen=True, eq=False)
class BlockCut:
    """A table cut into blocks."""

    task: Task
    blocks: Sequence[Int64s]
    """The records of every block."""
    groups: int
    """The number of groups before the cut: groups of MAGVals, or one for the whole table."""
    suppressed: Int64s
    """The records in groups of MAGVals that are too small for any class."""

    @property
    def divides(self) -> bool:
        """Whether anything was cut that the algorithm would have clustered together."""
        return len(self.blocks) > self.groups

    def jobs(self, algorithm: BlockClustering, first: int = 0) -> list[BlockJob]:
        """Return a job per block, from number `first` on."""
        return [
            (len(self.blocks[number]), partial(self._cluster, algorithm, number))
            for number in range(first, len(self.blocks))
        ]

    def _cluster(self, algorithm: BlockClustering, number: int) -> Steps:
        """Return the steps of a block, with a seed made of the run's seed and its number."""
        seed = int(np.random.SeedSequence([self.task.seed, number]).generate_state(1)[0])
        return algorithm.steps(part_of(self.task, self.blocks[number], seed), RunContext())

    def put_together(self, groupings: Mapping[int, Grouping]) -> Grouping:
        """Return the grouping of all blocks; a block that is not done yet is one class."""
        labels = np.full(self.task.n, -1, dtype=np.int32)
        hidden: np.ndarray | None = None
        classes = 0
        for number, records in enumerate(self.blocks):
            if number not in groupings:
                labels[records] = classes
                classes += 1
                continue
            block_grouping = groupings[number]
            labels[records] = np.where(
                block_grouping.labels < 0, -1, block_grouping.labels + classes
            )
            classes += int(block_grouping.labels.max(initial=-1)) + 1
            if block_grouping.suppressed_cells is not None:
                if hidden is None:
                    hidden = np.zeros((self.task.n, len(self.task.quasi)), dtype=bool)
                hidden[records] = block_grouping.suppressed_cells
        notes = dict.fromkeys(
            block_note for number in sorted(groupings) for block_note in groupings[number].notes
        )
        early: tuple[Note, ...] = ()
        if len(groupings) < len(self.blocks):
            early = (note("stopped early: blocks that were not reached are one class each"),)
        return Grouping(
            labels,
            suppressed_cells=hidden,
            search=_summed(groupings),
            notes=(*notes, *small_groups_note(self.task, len(self.suppressed)), *early),
        )


def cut_into_blocks(
    algorithm: BlockClustering, task: Task, size: int
) -> Generator[Step, None, BlockCut]:
    """Yield steps and return the blocks of a table; equal records are in the same block."""
    groups = [np.arange(task.n)]
    if algorithm.keeps_magvals:
        magval_groups = group_by_magvals(task)
        groups = [
            np.sort(group_records)
            for group_records in np.split(magval_groups.records, magval_groups.starts[1:-1])
        ]
    large = [group for group in groups if len(group) >= task.k]
    small = [group for group in groups if len(group) < task.k]
    blocks: list[Int64s] = []
    for group in large:
        if len(group) <= size:
            blocks.append(group)
            continue
        part = part_of(task, group, task.seed)
        part = replace(part, privacy=replace(part.privacy, k=max(size // 2, task.k)))
        labels = (yield from _coarse_cut(part, len(blocks))).labels
        order = np.argsort(labels, kind="stable")
        blocks += np.split(group[order], np.cumsum(np.bincount(labels))[:-1])
    suppressed = np.sort(np.concatenate([*small, np.empty(0, dtype=np.int64)]))
    return BlockCut(task, blocks, len(large), suppressed)


def _coarse_cut(part: Task, before: int) -> Steps:
    def count_blocks(step: Step) -> Step:
        blocks = before + int(step.counters["clusters"])
        return Step(TableCut(blocks), {"blocks_done": 0}, 0.0)

    return map_steps(count_blocks, Mondrian().steps(part, RunContext(_CUTS_PER_STEP)))


@dataclass(frozen=True, eq=False)
class JobReport:
    """The progress of a job after one of its steps."""

    job: int
    progress: float
    grouping: Grouping | None = None
    """The grouping of the block, once the job is done."""


def side_by_side(
    jobs: Sequence[Callable[[], Steps]], workers: int
) -> Generator[JobReport, None, None]:
    """Yield the progress of all jobs, `workers` of them at a time; closing it ends them.

    A thread makes one step of a job, and the next one only when its report has been pulled.
    """
    waiting = iter(enumerate(jobs))
    running: dict[Future[JobReport], Steps] = {}
    with ThreadPoolExecutor(workers) as pool:
        for number, job in islice(waiting, workers):
            steps = job()
            running[pool.submit(_make_step, number, steps)] = steps
        while running:
            for finished_job in wait(running, return_when=FIRST_COMPLETED).done:
                steps = running.pop(finished_job)
                report = finished_job.result()
                yield report
                number = report.job
                if report.grouping is not None:
                    following = next(waiting, None)
                    if following is None:
                        continue
                    number = following[0]
                    steps = following[1]()
                running[pool.submit(_make_step, number, steps)] = steps


def _make_step(number: int, steps: Steps) -> JobReport:
    try:
        return JobReport(number, next(steps).progress or 0.0)
    except StopIteration as stop:
        return JobReport(number, 1.0, stop.value)


def _summed(groupings: Mapping[int, Grouping]) -> dict[str, Any]:
    """Return the sums of the numeric figures of all searches."""
    summed: Counter[str] = Counter()
    for grouping in groupings.values():
        numbers = {k: n for k, n in grouping.search.items() if isinstance(n, int | float)}
        summed.update({name: n for name, n in numbers.items() if not isinstance(n, bool)})
    return dict(summed)


SAMPLE_BLOCKS = 4


def sample_cut(
    algorithm: BlockClustering, cut: BlockCut, size: int
) -> Generator[Step, None, BlockCut | None]:
    """Yield steps and return a sample of a table in blocks of about `size` records.

    None where blocks cost nothing, or the sample cannot be cut.
    """
    if not cut.divides:
        return None
    task = cut.task
    count = min(task.n, SAMPLE_BLOCKS * size)
    records = np.random.default_rng(task.seed).choice(task.n, count, replace=False)
    sample = part_of(task, np.sort(records), task.seed)
    sampled_cut = yield from cut_into_blocks(algorithm, sample, size)
    return sampled_cut if sampled_cut.divides else None


def blocks_note(cut: BlockCut, measured: dict[str, Any]) -> Note:
    """Return the note about blocks for a report."""
    sizes = [len(records) for records in cut.blocks]
    cost = "these are the groups of MAGVals, so that it costs nothing"
    if measured:
        cost = (
            "on a sample of {sample:,} records, blocks of this size have an NCP of "
            "{ncp_in_blocks:.4f}, and {ncp_whole:.4f} without blocks"
        )
    elif cut.divides:
        cost = "what that costs was not measured, since a sample cannot be cut so"
    return note(
        "clustered in {blocks:,} blocks of {least:,} to {most:,} records; {cost}",
        blocks=len(sizes),
        least=min(sizes),
        most=max(sizes),
        cost=Quotable(cost.format_map(measured)),
    )


def block_steps(
    algorithm: BlockClustering, task: Task, context: RunContext, workers: int | None = None
) -> Steps:
    """Yield the steps of a clustering, in blocks where its parameters ask for them."""
    size = algorithm.block_size(task)
    if size is None or task.copies is not None:
        return (yield from algorithm.steps(task, context))
    cut = yield from cut_into_blocks(algorithm, task, size)
    if len(cut.blocks) < 2:
        return (yield from algorithm.steps(task, context))
    sample = yield from sample_cut(algorithm, cut, size)
    blocks = _Blocks(algorithm, context, cut, sample)
    # One worker gives a watched run the same steps every time.
    yield from blocks.run(1 if context.watched else workers or cores())
    return blocks.grouping()


class _Blocks:
    """The blocks of a table while the algorithm clusters them."""

    def __init__(
        self,
        algorithm: BlockClustering,
        context: RunContext,
        cut: BlockCut,
        sample: BlockCut | None,
    ) -> None:
        self._algorithm = algorithm
        self._cut = cut
        self._sample = sample
        task = cut.task
        self._found: dict[int, Grouping] = {}
        self._found_in_sample: dict[int, Grouping] = {}
        self._classes = 0
        self._sizes: Int64s = np.zeros(2 * task.k, dtype=np.int64)
        """How many classes have 1, 2, … 2k records; larger ones count as 2k."""
        self._drawn = context.watched and task.n <= MOST_FOLLOWED

    def run(self, workers: int) -> Iterator[Step]:
        """Yield the steps of clustering every block, and the sample both ways."""
        jobs = self._cut.jobs(self._algorithm)
        sample = self._sample
        yield self._first_step([size for size, _ in jobs])
        if sample is not None:
            at_once = partial(self._algorithm.steps, sample.task, RunContext())
            jobs += [(sample.task.n, at_once), *sample.jobs(self._algorithm)]
        weights = np.array([size for size, _ in jobs], dtype=float)
        progress_by_job = np.zeros(len(weights))
        with closing(side_by_side([job for _, job in jobs], workers)) as reports:
            for report in reports:
                progress_by_job[report.job] = max(progress_by_job[report.job], report.progress)
                yield self._take(report, float(progress_by_job @ weights / weights.sum()))
        yield from self._pool_left_overs()

    def grouping(self) -> Grouping:
        """Return the grouping of all blocks, with the notes and figures for the report."""
        together = self._cut.put_together(self._found)
        sample = self._sample
        measured: dict[str, Any] = {}
        if sample is not None:
            at_once, *in_blocks = (
                sample_grouping for _, sample_grouping in sorted(self._found_in_sample.items())
            )
            blocks = sample.put_together(dict(enumerate(in_blocks)))
            measured = {
                "sample": sample.task.n,
                "ncp_in_blocks": ncp_of(sample.task, blocks),
                "ncp_whole": ncp_of(sample.task, at_once),
            }
        figures = {"count": len(self._cut.blocks), **measured}
        return replace(
            together,
            search={**together.search, "blocks": figures},
            notes=(*together.notes, blocks_note(self._cut, measured)),
        )

    def _take(self, report: JobReport, share: float) -> Step:
        blocks = len(self._cut.blocks)
        if report.job >= blocks:
            if report.grouping is not None:
                self._found_in_sample[report.job - blocks] = report.grouping
            return self._step(BlocksGoOn(len(self._found), blocks, on_sample=True), share)
        if report.grouping is None:
            return self._step(BlocksGoOn(len(self._found), blocks, on_sample=False), share)
        self._found[report.job] = report.grouping
        return self._step(self._done(report.job, report.grouping), share)

    def _done(self, block: int, grouping: Grouping) -> BlockDone:
        """Return that a block is clustered."""
        records = self._cut.blocks[block]
        labels = grouping.labels
        sizes = np.bincount(labels[labels >= 0])
        classes = np.flatnonzero(sizes)
        most = 2 * self._cut.task.k
        self._sizes += np.bincount(np.minimum(sizes[classes], most), minlength=most + 1)[1:]
        blocks = len(self._cut.blocks)
        event = BlockDone(block, len(records), len(classes), len(self._found), blocks)
        if self._drawn:
            placed = labels >= 0
            moves = Moves(records[placed], self._classes + labels[placed])
            event = replace(event, records=records, moves=moves)
        self._classes += int(labels.max(initial=-1)) + 1
        return event

    def _pool_left_overs(self) -> Iterator[Step]:
        """Yield the steps of clustering the records that blocks left over, if they fill a class."""
        blocks = self._cut.blocks
        left_over_records = [
            block_records[self._found[number].labels < 0]
            for number, block_records in enumerate(blocks)
        ]
        records = np.sort(np.concatenate(left_over_records))
        if len(records) < self._cut.task.k:
            return
        yield self._step(LeftOversPooled(len(records)), 1.0)
        self._cut = replace(self._cut, blocks=[*blocks, records])
        ((_, pool),) = self._cut.jobs(self._algorithm, len(blocks))
        for report in side_by_side([pool], 1):
            if report.grouping is not None:
                yield self._take(replace(report, job=len(blocks)), 1.0)

    def _first_step(self, sizes: Sequence[int]) -> Step:
        event = BlocksBegun(len(sizes), min(sizes), max(sizes))
        if self._drawn:
            start = np.full(self._cut.task.n, UNPLACED, dtype=np.int32)
            start[self._cut.suppressed] = SUPPRESSED
            event = replace(event, start=start)
        return self._step(event, 0.0)

    def _step(self, event: GroupEvent, share: float) -> Step:
        counters = {"blocks_done": len(self._found), "clusters": self._classes}
        keep = None
        if not self._cut.task.beyond_k:  # classes of a block may miss the requirements
            keep = partial(self._cut.put_together, dict(self._found))
        if self._classes:
            event = replace(event, class_sizes=tuple(self._sizes.tolist()))
        return Step(event, counters, share, keep)


def clustering_steps(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    """Return the steps of a clustering with blocks, requirements, refining and disjoint ranges."""
    if not task.overlap and isinstance(algorithm, Clustering):
        return disjoint_steps(partial(_steps_with_overlap, algorithm), algorithm, task, context)
    return _steps_with_overlap(algorithm, task, context)


def _steps_with_overlap(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    own_steps = algorithm.steps
    if isinstance(algorithm, BlockClustering):
        own_steps = partial(block_steps, algorithm)
    steps = steps_beyond_k(algorithm, task, context, own_steps)
    if isinstance(algorithm, Clustering) and algorithm.refine:
        return refined_steps(steps, algorithm, task, context)
    return steps
