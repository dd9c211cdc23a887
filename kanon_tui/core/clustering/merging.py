"""Clusters that are merged one by one until all have k records: shared by merging algorithms."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from kanon_tui.core.clustering.alternatives import MOST_FOLLOWED
from kanon_tui.core.clustering.boxes import (
    Measure,
    MergeObjective,
    attributes_of,
    single_row_clusters,
)
from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.events import GroupEvent, HiddenCells, Moves
from kanon_tui.core.clustering.features import collapse, rows_of_rare_values
from kanon_tui.core.kernels import box_arrays as box
from kanon_tui.core.kernels import merging as kernel
from kanon_tui.core.kernels import partner_tree
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.task.task import Grouping, RunContext, Task

_EXCESS_PER_CLUSTER = 16
"""Boxes per cluster, beyond what is usual, tried in a tree before the next: growing one takes as
long as ten."""
_LEAST_POWER = 0.01
"""An attribute by whose rules alone merges are chosen has a price, too: near ones break fewer."""


Followed = TypeVar("Followed", bound=GroupEvent)


@dataclass(frozen=True)
class MergingClustering(BlockClustering):
    """A clustering that merges clusters until all have k records."""

    sample: ClassVar[str] = "race-rules"
    pictures: ClassVar[tuple[str, ...]] = ("map", "tree")
    terms: ClassVar[tuple[str, ...]] = ("merge",)


class Merging:
    """The clusters of a task.

    Clusters stand in a list; the union of two takes the place of the one that was found. The
    list begins with the distinct rows of the table in order of first appearance.
    """

    def __init__(self, task: Task, context: RunContext, objective: MergeObjective) -> None:
        self.task = task
        self.context = context
        self.objective = objective
        self.attributes = attributes_of(task, objective.measure)
        self.distinct = collapse([attribute.column.codes for attribute in task.quasi])
        self.clusters = self._single_rows()
        self._owner = np.arange(len(self.distinct), dtype=np.int32)
        """Per distinct row its cluster."""
        sets = [x for x, kind in enumerate(self.attributes.facts[:, box.KIND]) if kind == box.SET]
        columns = [task.quasi[x].column for x in sets]
        self._rare = rows_of_rare_values(
            (column.codes[self.distinct.first], len(column.values)) for column in columns
        )
        self.load = np.zeros(len(task.quasi))
        """Per attribute Σ records · extent over all clusters, hidden cells included."""
        self.kept = np.full(len(task.quasi), float(task.n))
        """Per attribute Σ records · DR over all clusters."""
        self.start_small = int((self.clusters.info[:, box.SIZE] < task.k).sum())
        places = len(self.distinct)
        self.list = box.ClusterList(
            np.arange(places, dtype=np.int32),
            np.zeros(places, dtype=np.int32),
            np.array([0, self.start_small, places, 0, 0, 0, 0, 0], dtype=np.int64),
        )
        self.more_counters: dict[str, float] = {}
        """Totals that the algorithm itself keeps."""
        self._groups: Int32s | None = None
        """Per record the cluster that the latest event has left it in; None where none has."""
        self._hidden = np.zeros((0, 0), dtype=np.bool_)
        """Records × attributes: the cells that events have said are hidden."""
        self._start: Int32s | None = None
        """The groups that the next event begins with, where they are numbered anew."""
        self.grow_tree()

    def _single_rows(self) -> box.BoxClusters:
        first = self.distinct.first
        counts = self.distinct.counts
        return single_row_clusters(self.task, self.attributes, first, counts)

    def grow_tree(self) -> None:
        """Remove merged clusters from the list and grow a new tree over the others."""
        order = np.flatnonzero(self.clusters.info[:, box.SIZE] > 0).astype(np.int32)
        self.list.tally[box.PATIENCE] = _EXCESS_PER_CLUSTER * len(order)
        self.list.tally[box.USUAL :] = 0
        branches = np.empty((2 * len(order), 6), dtype=np.int32)
        price = self.price_of_extent()
        # How large sets are tells little of what unions cost.
        of_release = self.objective.of_release
        columns = 1 + (box.HIGH if of_release else box.LOW)
        count, _ = partner_tree.divide_into_leaves(
            self.attributes, self.clusters.boxes, columns, price, order, branches
        )
        self._owner = self._label_rows(order)
        self.clusters = taken(self.clusters, order)
        self.list.at[self.clusters.info[:, box.PLACE]] = np.arange(len(order), dtype=np.int32)
        rare_starts, rare_rows = self._rare
        self.tree = partner_tree.PartnerTree.allocate(
            branches=branches[:count].copy(),
            attributes=len(self.attributes.facts),
            known=1 + (partner_tree.LEAST_HIDE if of_release else partner_tree.ALL_HIGH),
            words=self.clusters.words.shape[1],
            clusters=len(order),
            rare_starts=rare_starts,
            rare_rows=rare_rows,
            owner=self._owner,
            candidates=min(partner_tree.MOST_SHARERS, len(rare_rows)) + partner_tree.LEAF,
        )
        partner_tree.fill_nodes(self.attributes, self.clusters, self.tree)
        self.state = self._state(self.clusters, self.kept)

    def _state(self, clusters: box.BoxClusters, rules_kept: Floats) -> kernel.MergeState:
        """Return the state of some clusters as kernels take it."""
        return kernel.MergeState(
            self.attributes, clusters, self.load, rules_kept, self.task.n, self.objective.mode
        )

    def advance(self, turn: int, most: int | None = None) -> int:
        """Make as many merges as one step may stand for, at most `most`; return their number."""
        return kernel.advance(
            self.state,
            self.tree,
            self.list,
            turn,
            self.task.k,
            self.context.decisions_per_step if most is None else most,
        )

    def renew_tree(self) -> None:
        """Grow a new tree where the old one made searches longer, in all by more than that takes.

        A tree parts clusters by the attributes that are dear when it is grown. Research value makes
        an attribute cheaper as its ranges widen, by orders of magnitude where its values are many,
        and clusters grow: what the tree parts tells ever less of what is dear by now.
        """
        if self.list.tally[box.PATIENCE] <= 0:
            self.grow_tree()

    def sizes(self) -> tuple[int, ...]:
        """Return how many clusters have 1, 2, … 2k records; larger ones count as 2k."""
        sizes = self.clusters.info[:, box.SIZE]
        counts = np.bincount(np.minimum(sizes, 2 * self.task.k), minlength=2 * self.task.k + 1)
        return tuple(counts[1:].tolist())

    def replace(self, gone: Int32s, parts: Sequence[Int32s]) -> None:
        """Replace the clusters `gone` by new ones, `parts`, each given by its distinct rows.

        The first parts take the places of replaced clusters, the rest go to the end of the list.
        """
        places = self.clusters.info[gone, box.PLACE]
        listed = len(self.list.at)
        new = np.arange(listed, listed + len(parts) - len(gone), dtype=np.int32)
        self.list = replace(
            self.list,
            at=np.concatenate([self.list.at, new]),
            touched=np.concatenate([self.list.touched, np.zeros_like(new)]),
        )
        self.load -= (self.clusters.shown[gone] * self.clusters.extents[gone]).sum(axis=0)
        self.clusters.info[gone, box.SIZE] = 0

        rows = np.concatenate(parts)
        links = self.clusters.links
        links[rows, : 1 + (links.shape[1] - 1) // 2] = -1
        fresh = taken(self._single_rows(), rows)
        fresh = replace(fresh, links=links, hidden=self.clusters.hidden)
        sizes = [len(part) for part in parts]
        starts = (np.cumsum(sizes) - sizes).astype(np.int32)
        rules_kept = np.zeros_like(self.kept)  # followed only where the measure is span
        kernel.merge_into(self._state(fresh, rules_kept), np.repeat(starts, sizes))
        fresh = taken(fresh, starts)
        self._owner[rows] = len(self.clusters.info) + np.repeat(np.arange(len(parts)), sizes)
        fresh.info[:, box.PLACE] = np.concatenate([places, new])
        self.clusters = _joined(self.clusters, fresh)
        self.list.tally[box.CLUSTERS_LEFT] += len(new)
        self._groups = None
        self.grow_tree()

    @property
    def utility(self) -> float:
        """The utility of the clusters now: RV, NCP or ranges."""
        if self.objective.measure is Measure.SPAN:
            return float(self.values(self.load, self.kept / self.task.n).sum())
        return float(self.load.sum()) / self.task.n

    def values(self, load: Floats, rules_kept: Floats) -> Floats:
        """Return the research value per attribute for these loads and shares of rules kept."""
        spans = 1.0 + load / self.task.n
        power = 2.0 * self.attributes.prices[:, box.EMPHASIS]
        return np.asarray(self.task.weights * (rules_kept**power / spans ** (2.0 - power)))

    @property
    def counters(self) -> dict[str, float]:
        """The running totals of a step."""
        return {
            "clusters": int(self.list.tally[box.CLUSTERS_LEFT]),
            "under_k": int(self.list.tally[box.UNDER_K]),
            "merges": int(self.list.tally[box.MERGES]),
            self.objective.utility.lower(): self.utility,
            **self.more_counters,
        }

    @property
    def progress(self) -> float:
        """Share of the clusters under k that are dealt with."""
        return 1.0 - int(self.list.tally[box.UNDER_K]) / max(self.start_small, 1)

    def grouping(self) -> Grouping:
        """Return the clusters as a grouping, with the cells that are hidden."""
        search: dict[str, float] = {
            "start_clusters": len(self.distinct),
            "merges": int(self.list.tally[box.MERGES]),
            "clusters": int(self.list.tally[box.CLUSTERS_LEFT]),
            **self.more_counters,
        }
        hidden = None
        if self.objective.mode >= kernel.SUPPRESS:
            hidden = self.suppressed_cells()
            search["hidden_cells"] = int(hidden.sum())
        return Grouping(self.labels(), suppressed_cells=hidden, search=search)

    def members(self, c: int) -> Int32s:
        """Return the distinct rows of a cluster, rising."""
        return self.groups(np.array([c], dtype=np.int32))[0]

    def rows(self, c: int) -> Int64s:
        """Return the records of a cluster."""
        return self.distinct.records_of(self.members(c))

    def follow(self) -> None:
        """Remember the groups before a decision, where somebody watches and none are known."""
        if not self.context.watched or self._groups is not None:
            return
        if self.context.decisions_per_step > 1 and self.task.n > MOST_FOLLOWED:
            return
        self._groups = self._places()
        self._start = self._groups.copy()
        self._hidden = self.suppressed_cells()

    def followed(self, event: Followed) -> Followed:
        """Return an event with the groups that it has changed, where somebody watches."""
        if not self.context.watched:
            return event
        if event.decisions > 1 and self.task.n > MOST_FOLLOWED:
            self._groups = None
            return replace(event, followed=False)
        assert self._groups is not None
        start = self._start
        self._start = None
        groups = self._places()
        moved = np.flatnonzero(groups != self._groups)
        self._groups = groups
        if event.decisions == 1 and len(event.records):
            self._hidden = self.suppressed_cells()
            return replace(event, start=start)
        hidden = self.suppressed_cells()
        changed = np.flatnonzero((hidden != self._hidden).any(axis=1))
        self._hidden = hidden
        cells = HiddenCells(changed, hidden[changed]) if len(changed) else None
        return replace(event, start=start, moves=Moves(moved, groups[moved]), hidden=cells)

    def _places(self) -> Int32s:
        """Return per record the place of its cluster in the list."""
        return np.flatnonzero(self.list.at >= 0).astype(np.int32)[self.labels()]

    def groups(self, chosen: Int32s) -> list[Int32s]:
        """Return the distinct rows of each of these clusters, rising."""
        labels = self._label_rows(chosen)
        order = np.argsort(labels, kind="stable").astype(np.int32)
        starts = np.searchsorted(labels[order], np.arange(len(chosen)))
        return np.split(order[starts[0] :], starts[1:] - starts[0])

    def labels(self) -> Int32s:
        """Return per record the number of its cluster, in the order of the list."""
        return self._label_rows(self.list.at[self.list.at >= 0])[self.distinct.number]

    def _label_rows(self, chosen: Int32s) -> Int32s:
        """Return per distinct row the place of its cluster among those chosen, else -1."""
        places = np.full(len(self.clusters.info), -1, dtype=np.int32)
        places[chosen] = np.arange(len(chosen))
        return places[self._owner]

    def suppressed_cells(self) -> Flags:
        """Return flags of shape (records, attributes): the cells that are hidden."""
        return self.clusters.hidden[self.distinct.number]

    def price_of_extent(self) -> Floats:
        """Return roughly what one more unit of extent costs, per attribute."""
        if self.objective.measure is not Measure.SPAN:
            return np.ones(len(self.load))
        power = np.maximum(2.0 * (1.0 - self.attributes.prices[:, box.EMPHASIS]), _LEAST_POWER)
        price = self.attributes.prices[:, box.WEIGHT] * power
        # A union has its own span, but of a release the mean of all counts.
        power += self.objective.of_release
        return np.asarray(price / (1.0 + self.load / self.task.n) ** power)


_PER_CLUSTER = ("boxes", "shown", "extents", "words", "info")
"""The arrays of `BoxClusters` with a row per cluster; the others have one per distinct row."""


def taken(clusters: box.BoxClusters, chosen: Int32s) -> box.BoxClusters:
    """Return chosen clusters in a new order; arrays about distinct rows stay shared."""
    rows = {name: getattr(clusters, name)[chosen] for name in _PER_CLUSTER}
    return replace(clusters, **rows)


def _joined(clusters: box.BoxClusters, more: box.BoxClusters) -> box.BoxClusters:
    """Return two sets of clusters as one; arrays about distinct rows come from the first."""
    pairs = {name: [getattr(source, name) for source in (clusters, more)] for name in _PER_CLUSTER}
    return replace(clusters, **{name: np.concatenate(pair) for name, pair in pairs.items()})
