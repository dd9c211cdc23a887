"""One block clustered on its own, and all blocks put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.magval_groups import small_groups_note
from kanon_tui.core.pipeline.block_cut import BlockCut
from kanon_tui.core.task.part import part_of
from kanon_tui.core.task.steps import Grouping, RunContext, Steps
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import Note, note

__all__ = ["cluster_block", "put_together"]


def cluster_block(algorithm: BlockClustering, task: Task, cut: BlockCut, number: int) -> Steps:
    """Cluster one block, with a seed made from that of the run and its number."""
    seed = int(np.random.SeedSequence([task.seed, number]).generate_state(1)[0])
    return algorithm.steps(part_of(task, cut.blocks[number], seed), RunContext())


def put_together(task: Task, cut: BlockCut, found: Mapping[int, Grouping]) -> Grouping:
    """The grouping of all blocks; one that is not done yet is a class."""
    labels = np.full(task.n, -1, dtype=np.int32)
    hidden: np.ndarray | None = None
    classes = 0
    for number, records in enumerate(cut.blocks):
        if number not in found:
            labels[records] = classes
            classes += 1
            continue
        own = found[number]
        labels[records] = np.where(own.labels < 0, -1, own.labels + classes)
        classes += int(own.labels.max(initial=-1)) + 1
        if own.suppressed_cells is not None:
            if hidden is None:
                hidden = np.zeros((task.n, len(task.quasi)), dtype=bool)
            hidden[records] = own.suppressed_cells
    notes = dict.fromkeys(said for number in sorted(found) for said in found[number].notes)
    early: tuple[Note, ...] = ()
    if len(found) < len(cut.blocks):
        early = (note("stopped early: blocks that were not reached are one class each"),)
    return Grouping(
        labels,
        suppressed_cells=hidden,
        search=_summed(found),
        notes=(*notes, *small_groups_note(task, len(cut.suppressed)), *early),
    )


def _summed(found: Mapping[int, Grouping]) -> dict[str, Any]:
    """The figures of all searches, those that can be added."""
    summed: dict[str, Any] = {}
    for grouping in found.values():
        for name, figure in grouping.search.items():
            if isinstance(figure, int | float) and not isinstance(figure, bool):
                summed[name] = summed.get(name, 0) + figure
    return summed
