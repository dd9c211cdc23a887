"""GreedyCKA: k-member clustering that never generalises beyond what is allowed.

Its page, with naive code, a picture and a run: algorithms/gcka.html of the manual, which
`kanon-tui explain gcka` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.events import UNPLACED
from kanon_tui.core.clustering.growing_events import MagvalGroupEntered, MagvalsGrouped
from kanon_tui.core.clustering.k_member_clusters import Members
from kanon_tui.core.clustering.magval_groups import group_by_magvals, small_groups_note
from kanon_tui.core.task.task import Line, RunContext, Steps, Task, Wish


@dataclass(frozen=True)
class Gcka(BlockClustering):
    """Constrained k-anonymity: every value stays at or below its maximum allowed generalisation.

    Idea: two records can share a class without violation exactly when their MAGVals agree on every
    quasi-identifier. So the records are first grouped by their MAGVals, and clustering happens
    inside the groups only.

    Phases:

    1. Group the records by the vector of their MAGVals (a value without a mark above it has the
       root; an attribute without marks divides nothing).
    2. Suppress the groups with fewer than k records. No release keeps any of them, so this set is
       the smallest possible (CKA, properties 5 and 6).
    3. Run greedy k-member clustering inside each other group, in order of first appearance. One
       random generator serves all groups: it draws one starting record per group.

    Numbers and dates are published as ranges, but marks in their hierarchies bound them all the
    same: a range inside a group stays inside the marked node.

    Cost: O(n log n) to group, then that of `k-member` on each group, which is less than on the
    whole table.

    Reference: Miller, Campan and Truta, Constrained k-anonymity: privacy with generalization
    boundaries (2008), section 4.
    """

    name: ClassVar[str] = "gcka"
    title: ClassVar[str] = "GreedyCKA"
    paper: ClassVar[str] = "Miller, Campan and Truta 2008"
    summary: ClassVar[str] = (
        "k-member clustering that never generalises a value beyond its maximum allowed "
        "generalisation, with the least suppression"
    )
    sample: ClassVar[str] = "locations"
    terms: ClassVar[tuple[str, ...]] = ("IL", "MAGVal")
    twin: ClassVar[str] = ".twins.k_member:gcka"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("group the records by the MAGVals of their cells", 0, ("group",)),
        Line("suppress the groups with fewer than k records"),
        Line("for every other group:", 0, ("enter",)),
        Line("start a cluster with the record furthest from the last one", 1, ("start",)),
        Line("add the record that adds least loss, until it has k", 1, ("grow", "close")),
        Line("each record left over joins where the loss grows least", 1, ("join",)),
    )
    keeps_magvals: ClassVar[bool] = True
    always_suppresses: ClassVar[bool] = True
    time_exponent: ClassVar[float] = 1.1

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return MAGVals respected, where a hierarchy has marks."""
        return (Wish.MAGVALS,) if any(a.hierarchy.marks for a in task.quasi) else ()

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Group by MAGVals, suppress small groups, cluster the others."""
        groups = group_by_magvals(task)
        members = Members(task, context)
        distinct = members.features.distinct
        small = groups.counts < task.k
        members.suppressed = int(groups.counts[small].sum())
        members.suppressed_rows = np.flatnonzero(small[groups.number])
        group_of = groups.number.astype(np.int64) if context.watched else None
        start = np.full(task.n, UNPLACED, dtype=np.int32) if context.watched else None
        suppressed = members.suppressed
        yield members.step(
            MagvalsGrouped(len(groups), int(small.sum()), suppressed, group_of, start=start)
        )
        rng = np.random.default_rng(task.seed)
        for group in np.flatnonzero(~small).tolist():
            records = groups.records[groups.starts[group] : groups.starts[group + 1]]
            rows = np.unique(distinct.number[records])
            if context.decisions_per_step == 1:
                yield members.step(MagvalGroupEntered(group, len(records), int(records[0])))
            yield from members.cluster(rows, int(records[rng.integers(len(records))]))
        return members.grouping(small_groups_note(task, members.suppressed))
