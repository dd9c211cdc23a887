"""Clusterings in blocks: a coarse cut of the table, each part clustered on its own.

1. Mondrian cuts the table into blocks of about `blocks` records, by values alone. For GreedyCKA
   the groups of MAGVals come first, and only those that are larger are cut. Groups of fewer than
   k records are suppressed, as without blocks.
2. The algorithm runs on every block, on all cores. The answer depends neither on the order in which
   blocks are done nor on the number of cores.
3. Records that blocks leave over (`left_over: suppress`) are clustered together, so that fewer
   than k are suppressed in the end.
4. What follows a clustering sees the whole table: classes that miss what is required beyond k merge
   across blocks, and refining exchanges records across them.

What blocks cost is measured on a sample (`block_sample`). One block is the algorithm as it is. A
cancel keeps the blocks that are done; the others are one class each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from kanon_tui.core.clustering.cluster_facts import MOST_FOLLOWED, SUPPRESSED, UNPLACED
from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.pipeline.block_cut import BlockCut, cut_into_blocks
from kanon_tui.core.pipeline.block_jobs import Heard, side_by_side
from kanon_tui.core.pipeline.block_parts import cluster_block, put_together
from kanon_tui.core.pipeline.block_sample import BlockSample, blocks_note
from kanon_tui.core.processes.helper_processes import cores
from kanon_tui.core.task.steps import Grouping, RunContext, Step, Steps
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of

__all__ = ["block_steps"]


def block_steps(
    algorithm: BlockClustering, task: Task, context: RunContext, workers: int | None = None
) -> Steps:
    """The steps of a clustering, in blocks where it is to take the table so."""
    size = algorithm.block_size(task.n)
    if size is None or task.copies is not None:
        return (yield from algorithm.steps(task, context))
    cut = yield from cut_into_blocks(algorithm, task, size)
    if len(cut.blocks) < 2:
        return (yield from algorithm.steps(task, context))
    sample = yield from BlockSample.draw(algorithm, task, size, cut)
    blocks = _Blocks(algorithm, task, context, cut, sample)
    # Whoever watches sees the same steps every time.
    yield from blocks.run(1 if context.watched else workers or cores())
    return blocks.grouping()


class _Blocks:
    """The blocks of a table while they are clustered."""

    def __init__(
        self,
        algorithm: BlockClustering,
        task: Task,
        context: RunContext,
        cut: BlockCut,
        sample: BlockSample,
    ) -> None:
        self._algorithm, self._task, self._cut, self._sample = algorithm, task, cut, sample
        self._found: dict[int, Grouping] = {}
        self._classes = 0
        self._drawn = context.watched and task.n <= MOST_FOLLOWED

    def run(self, workers: int) -> Iterator[Step]:
        """Cluster every block, and the sample both ways."""
        sizes = [len(records) for records in self._cut.blocks]
        yield self._first_step(sizes)
        own = [
            partial(cluster_block, self._algorithm, self._task, self._cut, number)
            for number in range(len(sizes))
        ]
        weights = np.array([*sizes, *self._sample.sizes], dtype=float)
        done = np.zeros(len(weights))
        with closing(side_by_side([*own, *self._sample.jobs], workers)) as news:
            for heard in news:
                done[heard.job] = max(done[heard.job], heard.progress)
                yield self._take(heard, float(done @ weights / weights.sum()))
        yield from self._pool_left_overs()

    def grouping(self) -> Grouping:
        """All blocks together, and what the report says of them."""
        together = put_together(self._task, self._cut, self._found)
        measured = self._sample.measured()
        told = {"count": len(self._cut.blocks), **measured}
        return replace(
            together,
            search={**together.search, "blocks": told},
            notes=(*together.notes, blocks_note(self._cut, measured)),
        )

    def _take(self, heard: Heard, share: float) -> Step:
        blocks = len(self._cut.blocks)
        facts: dict[str, Any] = {"blocks": blocks}
        template = "Cluster the blocks: {done:,} of {blocks:,} are done."
        if heard.job >= blocks:
            template = "Measure on a sample what blocks cost; {done:,} of {blocks:,} are done."
            if heard.grouping is not None:
                self._sample.found[heard.job - blocks] = heard.grouping
        elif heard.grouping is not None:
            self._found[heard.job] = heard.grouping
            facts |= self._placed(heard.job, heard.grouping)
            template = "Block {number:,}, {size}: {classes}. {done:,} of {blocks:,} are done."
        facts["done"] = len(self._found)
        return self._step(template, facts, share)

    def _placed(self, number: int, grouping: Grouping) -> dict[str, Any]:
        records, labels = self._cut.blocks[number], grouping.labels
        classes = np.unique(labels[labels >= 0]).tolist()
        facts: dict[str, Any] = {
            "number": number + 1,
            "size": count_of(len(records), "record"),
            "classes": count_of(len(classes), "class", "classes"),
        }
        if self._drawn:
            moved = [(self._classes + c, records[labels == c]) for c in classes]
            facts |= {"rows": records, "moved": tuple(moved)}
        self._classes += int(labels.max(initial=-1)) + 1
        return facts

    def _pool_left_overs(self) -> Iterator[Step]:
        """Cluster together what blocks have left over, where that is enough for a class."""
        blocks = self._cut.blocks
        left = [each[self._found[number].labels < 0] for number, each in enumerate(blocks)]
        records = np.sort(np.concatenate(left))
        if len(records) < self._task.k:
            return
        template = "Cluster together the {left} that blocks have left over."
        yield self._step(template, {"left": count_of(len(records), "record")}, 1.0)
        self._cut = replace(self._cut, blocks=[*blocks, records])
        pool = partial(cluster_block, self._algorithm, self._task, self._cut, len(blocks))
        for heard in side_by_side([pool], 1):
            if heard.grouping is not None:
                yield self._take(replace(heard, job=len(blocks)), 1.0)

    # -- what is told

    def _first_step(self, sizes: Sequence[int]) -> Step:
        facts: dict[str, Any] = {"blocks": len(sizes), "n": self._task.n}
        facts |= {"least": min(sizes), "most": max(sizes)}
        if self._drawn:
            together = np.full(self._task.n, UNPLACED, dtype=np.int32)
            together[self._cut.suppressed] = SUPPRESSED
            facts["together"] = together
        template = (
            "Cut the {n:,} records into {blocks:,} blocks of {least:,} to {most:,}; each is "
            "clustered on its own."
        )
        return self._step(template, facts, 0.0)

    def _step(self, template: str, facts: Mapping[str, Any], share: float) -> Step:
        counters = {"blocks_done": len(self._found), "clusters": self._classes}
        keep = None
        beyond_k = self._task.requirements or self._task.release_risk is not None
        if not beyond_k:  # a class of a block need not have what is required
            keep = partial(put_together, self._task, self._cut, dict(self._found))
        return Step("block", template, facts, counters, share, keep)
