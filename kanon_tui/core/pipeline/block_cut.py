"""A coarse cut of a table into blocks of about so many records, none with fewer than k."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.task.part import part_of
from kanon_tui.core.task.steps import Grouping, RunContext, Step, Steps
from kanon_tui.core.task.task import Task

__all__ = ["BlockCut", "cut_into_blocks"]

_CUTS_PER_STEP = 16


@dataclass(frozen=True, eq=False)
class BlockCut:
    """A table in blocks."""

    blocks: Sequence[Int64s]
    """The records of every block."""
    groups: int
    """How many there were before anything was cut: groups of MAGVals, or the table."""
    suppressed: Int64s
    """The records in groups of MAGVals that are too small for any class."""

    @property
    def divides(self) -> bool:
        """Whether anything was cut that the algorithm would have clustered together."""
        return len(self.blocks) > self.groups


def cut_into_blocks(
    algorithm: BlockClustering, task: Task, size: int
) -> Generator[Step, None, BlockCut]:
    """The blocks of a table; equal records are in the same one."""
    groups = [np.arange(task.n)]
    if algorithm.keeps_magvals:
        found = group_by_magvals(task)
        groups = [np.sort(each) for each in np.split(found.records, found.starts[1:-1])]
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
    return BlockCut(blocks, len(large), suppressed)


def _coarse_cut(part: Task, before: int) -> Steps:
    steps = Mondrian().steps(part, RunContext(_CUTS_PER_STEP))
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            grouping: Grouping = stop.value
            return grouping
        blocks = before + int(step.counters["clusters"])
        template = "Cut the table into blocks: {blocks:,} so far."
        yield Step("block", template, {"blocks": blocks}, {"blocks_done": 0}, 0.0)
