"""What clustering in blocks costs: a sample in blocks of the same size, and as a whole."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, Self

import numpy as np

from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.disjoint_ranges import ncp_of
from kanon_tui.core.pipeline.block_cut import BlockCut, cut_into_blocks
from kanon_tui.core.pipeline.block_parts import cluster_block, put_together
from kanon_tui.core.task.part import part_of
from kanon_tui.core.task.steps import Grouping, RunContext, Step, Steps
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import Note, note

__all__ = ["SAMPLE_BLOCKS", "BlockSample", "blocks_note"]

SAMPLE_BLOCKS = 4


class BlockSample:
    """Records drawn by the seed, to be clustered both ways."""

    def __init__(self, algorithm: BlockClustering, task: Task, cut: BlockCut | None) -> None:
        """`task` is that of the sample; without a cut there is nothing to measure."""
        self._task, self._cut = task, cut
        self.jobs: list[Callable[[], Steps]] = []
        """First the sample as a whole, then its blocks."""
        self.sizes: list[int] = []
        self.found: dict[int, Grouping] = {}
        """What jobs have found."""
        if cut is not None:
            blocks = range(len(cut.blocks))
            self.jobs = [partial(algorithm.steps, task, RunContext())]
            self.jobs += [partial(cluster_block, algorithm, task, cut, b) for b in blocks]
            self.sizes = [task.n, *map(len, cut.blocks)]

    @classmethod
    def draw(
        cls, algorithm: BlockClustering, task: Task, size: int, cut: BlockCut
    ) -> Generator[Step, None, Self]:
        """A sample of a table that was cut into blocks of about so many records."""
        count = min(task.n, SAMPLE_BLOCKS * size)
        records = np.random.default_rng(task.seed).choice(task.n, count, replace=False)
        sample = part_of(task, np.sort(records), task.seed)
        if not cut.divides:
            return cls(algorithm, sample, None)
        own = yield from cut_into_blocks(algorithm, sample, size)
        return cls(algorithm, sample, own if own.divides else None)

    def measured(self) -> dict[str, Any]:
        """For the report: the records of the sample and its NCP both ways; empty: not measured."""
        if self._cut is None:
            return {}
        whole, *blocks = (self.found[job] for job in range(len(self.jobs)))
        together = put_together(self._task, self._cut, dict(enumerate(blocks)))
        return {
            "sample": self._task.n,
            "ncp_in_blocks": ncp_of(self._task, together),
            "ncp_whole": ncp_of(self._task, whole),
        }


def blocks_note(cut: BlockCut, measured: dict[str, Any]) -> Note:
    """What a report says of blocks."""
    sizes = [len(records) for records in cut.blocks]
    counts = {"blocks": len(sizes), "least": min(sizes), "most": max(sizes)}
    if measured:
        return note(
            "clustered in {blocks:,} blocks of {least:,} to {most:,} records; on a sample of "
            "{sample:,} records, blocks of this size have an NCP of {ncp_in_blocks:.4f}, and "
            "{ncp_whole:.4f} without blocks",
            **counts,
            **measured,
        )
    if cut.divides:
        return note(
            "clustered in {blocks:,} blocks of {least:,} to {most:,} records; what that costs was "
            "not measured, since a sample cannot be cut so",
            **counts,
        )
    return note(
        "clustered in {blocks:,} blocks of {least:,} to {most:,} records; these are the groups of "
        "MAGVals, so that it costs nothing",
        **counts,
    )
