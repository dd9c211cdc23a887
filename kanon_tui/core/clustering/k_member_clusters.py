"""Clusters of k under construction, as `k-member` and `gcka` build them."""

from collections.abc import Generator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.alternatives import Measured
from kanon_tui.core.clustering.events import NO_RECORDS, SUPPRESSED, UNPLACED, GroupEvent, Moves
from kanon_tui.core.clustering.features import (
    Features,
    by_agreement,
    diagonals,
    rows_of_rare_labels,
    shared_bits,
    with_other_bits,
)
from kanon_tui.core.clustering.growing_events import LeftOverJoined, MemberTaken, RecordsPlaced
from kanon_tui.core.kernels import k_member as kernel
from kanon_tui.core.kernels.box_tree import GONE, BoxTree, grow_tree
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.task.task import Grouping, RunContext, Step, Task
from kanon_tui.core.text import Note

_Boxes = tuple[Floats, Floats, Flags, Int32s]
"""Lowest and highest place, whether one is missing, and the label all have or -1."""


class Members:
    """Greedy growth of clusters, the part that two algorithms share.

    Records with equal quasi-identifiers (and equal class label, where labels count) are one row of
    a tree of boxes; see `kernels.box_tree` and `kernels.k_member` for how it is searched.
    """

    def __init__(
        self,
        task: Task,
        context: RunContext,
        class_codes: Int32s | None = None,
        penalty: float = 0.0,
        squared: bool = False,
    ) -> None:
        """Begin without clusters; `squared` counts squared distances from their means."""
        self.task = task
        self.context = context
        self._squared = squared
        also = [] if class_codes is None else [class_codes]
        self.features = Features.from_task(task, also, squared)
        self.labels = np.full(task.n, -1, dtype=np.int32)
        """Per record its cluster, -1 as long as it has none."""
        self.clusters = 0
        self.left_over = 0
        self.suppressed = 0
        self.suppressed_rows: Int64s = np.empty(0, dtype=np.int64)
        self._clusters_reported = False
        """Whether a step has reported the cluster of every record."""
        self._placed = 0
        self._loss = 0.0
        self._penalty = penalty
        self._table, self._again = with_other_bits(self.features.labels)
        self._weights = np.zeros(len(self._again))  # the further columns cost nothing
        self._weights[: len(self.features.label_weights)] = self.features.label_weights
        division = self._weights
        self._class_counts = np.zeros(0, dtype=np.int64)
        if class_codes is not None:  # one more column, which costs nothing outside the penalty
            column = class_codes[self.features.distinct.first]
            self._table = np.ascontiguousarray(np.column_stack([self._table, column]))
            self._weights = np.append(self._weights, 0.0)
            self._again = np.append(self._again, np.int32(len(self._again)))
            division = np.append(division, min(penalty, 1.0) / task.k)
            self._class_counts = np.zeros(int(class_codes.max()) + 1, dtype=np.int64)
        self._shared = shared_bits(self._table)
        self._division = by_agreement(self._table, division)
        self._diagonals = diagonals(self.features.places)

    def grouping(self, notes: tuple[Note, ...] = ()) -> Grouping:
        """Return the clusters as a grouping."""
        search = {"clusters": self.clusters, "left_over": self.left_over}
        return Grouping(self.labels, search=search, notes=notes)

    def cluster(
        self, rows: Int32s, start: int, draw: np.random.Generator | None = None
    ) -> Generator[Step, None, None]:
        """Cluster the records of these distinct rows; `start` is the record drawn at random.

        Records left over join in row order, or shuffled by `draw`.
        """
        k = self.task.k
        context = self.context
        distinct = self.features.distinct
        starts = distinct.starts[rows]
        ends = distinct.starts[rows + 1]
        lowest = distinct.records[starts]
        places, (sums, begins, stand_in) = self.features.places, self._diagonals
        division = self._division._replace(labels=self._division.labels[rows])
        coordinates = np.hstack([places[rows], sums[rows]])
        tree = grow_tree(coordinates, self._table[rows], division, lowest, along=places[rows])
        search = new_member_search(
            tree, self._weights, self._shared, self._again, begins, stand_in, self._squared
        )
        total = int((ends - starts).sum())
        clusters = new_member_clusters(total // k, places.shape[1], len(self._weights))
        origin = np.flatnonzero(rows[tree.row] == distinct.number[start])[0]
        state = np.array([0, origin, total, 0], dtype=np.int64)
        growing = kernel.MemberGrowth(
            clusters, distinct.records, starts, ends, k, self._penalty, self._class_counts, state
        )
        first = self.clusters
        last = start
        while state[kernel.REMAINING] >= k or clusters.size[state[kernel.AT_WORK]] < k:
            chosen = np.empty(context.decisions_per_step, dtype=np.int32)
            before = total - int(state[kernel.REMAINING])
            measured = self._measure(tree, rows, clusters, state) if len(chosen) == 1 else None
            placed, growth, score = kernel.advance(search, growing, chosen)
            chosen = chosen[:placed]
            self.labels[chosen] = first + (before + np.arange(placed)) // k
            self.clusters = first + int(state[kernel.AT_WORK]) + 1
            size = int(clusters.size[state[kernel.AT_WORK]])
            self._placed += placed
            self._loss += growth
            if placed == 1:
                taken = int(chosen[0])
                best = None if measured is None else measured.best(taken, highest=size == 1)
                event: GroupEvent = MemberTaken(
                    taken, self.clusters - 1, size, size == k, last, not before, score,
                    self._squared, best,
                )  # fmt: skip
                yield self.step(self._watched(event, chosen), open_clusters=size < k)
            else:
                event = RecordsPlaced(self.clusters, decisions=placed)
                yield self.step(self._watched(event, chosen), open_clusters=size < k)
            last = int(chosen[-1])

        left_over = sorted(
            (record, i)
            for i in np.flatnonzero(tree.record != GONE).tolist()
            for record in distinct.records[starts[tree.row[i]] : ends[tree.row[i]]].tolist()
        )
        if draw is not None:
            left_over = [left_over[i] for i in draw.permutation(len(left_over)).tolist()]
        self.left_over += len(left_over)
        yield from self._join(left_over, tree, rows, clusters, search, first)

    def _join(
        self,
        left_over: list[tuple[int, int]],
        tree: BoxTree,
        rows: Int32s,
        clusters: kernel.MemberClusters,
        search: kernel.MemberSearch,
        first: int,
    ) -> Generator[Step, None, None]:
        """Let records, given with their position in the tree, join the cheapest cluster each."""
        while left_over:
            most = self.context.decisions_per_step
            batch = left_over[:most]
            left_over = left_over[most:]
            for record, i in batch:
                measured = None
                if most == 1:
                    measured = self._measure_growth(
                        _cluster_boxes(self.features, clusters, slice(None)),
                        clusters.size[:, None],
                        _boxes(self.features, rows[tree.row[i : i + 1]]),
                        np.arange(first, first + len(clusters.size), dtype=np.int32),
                    )
                c, growth = kernel.join_cheapest(search, clusters, i)
                self.labels[record] = first + c
                self._placed += 1
                self._loss += growth
            joined = np.array([record for record, _ in batch], dtype=np.int64)
            event: GroupEvent = RecordsPlaced(self.clusters, decisions=len(batch))
            if len(batch) == 1:
                best = None if measured is None else measured.best(first + c)
                event = LeftOverJoined(record, first + c, growth, self._squared, best)
            yield self.step(self._watched(event, joined))

    def _measure(
        self, tree: BoxTree, rows: Int32s, clusters: kernel.MemberClusters, state: Int64s
    ) -> Measured | None:
        """Measure every record left for the next decision; None where there is none."""
        unplaced = np.flatnonzero(tree.record != GONE)
        unplaced = unplaced[np.argsort(tree.record[unplaced])]
        c, last, remaining, majority = (int(number) for number in state)
        size = int(clusters.size[c])
        starts = size in (0, self.task.k)
        if starts and remaining < self.task.k:
            return None
        cluster = _cluster_boxes(self.features, clusters, slice(c, c + 1))
        if starts:
            cluster = _boxes(self.features, rows[tree.row[last : last + 1]])
            size = 0
        candidates = _boxes(self.features, rows[tree.row[unplaced]])
        grown = self._measure_growth(cluster, size, candidates, tree.record[unplaced])
        if len(self._class_counts) and not starts:
            grown.scores[self._table[rows[tree.row[unplaced]], -1] != majority] += self._penalty
        return grown

    def _measure_growth(
        self, cluster: _Boxes, sizes: int | Int64s, records: _Boxes, numbers: Int32s
    ) -> Measured:
        """Measure the loss added when clusters of some sizes and records that join them are unions.

        With size 0 that is the distance of two records. `numbers` are those of the candidates.
        """
        if self._squared:
            share = np.where(np.equal(sizes, 0), 1.0, np.divide(sizes, np.add(sizes, 1)))
            parts = share * (records[0] - cluster[0]) ** 2
        else:
            after = _widths(self.features, cluster, records)
            before = _widths(self.features, cluster, cluster)
            parts = (sizes + 1) * after - sizes * before
        return Measured(numbers, parts, parts.sum(axis=1))

    def _watched(self, event: GroupEvent, placed: npt.NDArray[np.integer]) -> GroupEvent:
        """Return an event with the groups of the records that were placed, where somebody looks."""
        if not self.context.watched:
            return event
        start = None
        if not self._clusters_reported:
            start = np.full(self.task.n, UNPLACED, dtype=np.int32)
            start[self.suppressed_rows] = SUPPRESSED
            before = np.setdiff1d(np.flatnonzero(self.labels >= 0), placed)
            start[before] = self.labels[before]
            self._clusters_reported = True
        records = placed.astype(np.int64)
        moves = Moves(records, self.labels[records])
        about = records if event.decisions == 1 else NO_RECORDS
        return replace(event, start=start, moves=moves, records=about)

    def step(self, event: GroupEvent, open_clusters: bool = False) -> Step:
        """Return the step of an event, with the running totals."""
        counters: dict[str, float] = {
            "clusters": self.clusters,
            "under_k": int(open_clusters),
            "placed": self._placed,
            "suppressed": self.suppressed,
        }
        if self._squared:
            counters["sse"] = 100 * self._loss / (self.task.n * len(self.task.quasi))
        else:
            counters["il"] = self._loss
        progress = (self._placed + self.suppressed) / self.task.n
        return Step(event, counters, progress=progress)


def new_member_search(
    tree: BoxTree,
    weights: Floats,
    shared: Int32s,
    again: Int32s,
    sums: Int32s,
    stand_in: Floats,
    squared: bool = False,
) -> kernel.MemberSearch:
    """Return room for searches in a tree, whose boxes also know the signed sums of `diagonals`."""
    begins, starts, rows = rows_of_rare_labels(tree.labels)
    return kernel.MemberSearch.allocate(
        tree=tree,
        squared=squared,
        weights=weights,
        shared=shared,
        again=again,
        sums=sums,
        stand_in=stand_in,
        begins=begins,
        starts=starts,
        rows=rows,
        nodes=len(tree.start) + 1,
    )


def new_member_clusters(most: int, numbers: int, categories: int) -> kernel.MemberClusters:
    """Return arrays with room for `most` clusters."""
    empty = np.full((most, numbers), np.inf)
    return kernel.MemberClusters.allocate(low=empty, high=-empty, categories=categories)


def _boxes(features: Features, rows: Int32s) -> _Boxes:
    """Return every distinct row as a box of its own."""
    places = features.places[rows]
    blank = np.isnan(places)
    low = np.where(blank, np.inf, places)
    high = np.where(blank, -np.inf, places)
    return low, high, blank, features.labels[rows]


def _cluster_boxes(features: Features, clusters: kernel.MemberClusters, which: slice) -> _Boxes:
    labels = clusters.labels[which, : len(features.flattened)]  # without the class label
    return clusters.low[which], clusters.high[which], clusters.blank[which], labels


def _widths(features: Features, first: _Boxes, second: _Boxes) -> Floats:
    """Return the widths of unions of boxes, of shape (unions, attributes)."""
    low = np.minimum(first[0], second[0])
    high = np.maximum(first[1], second[1])
    has_range = low <= high
    width = np.where(has_range, np.where(has_range, high, 0.0) - np.where(has_range, low, 0.0), 0.0)
    width = np.where((first[2] | second[2]) & has_range, 1.0, width)
    mixed = (
        (first[3] == kernel.MIXED_LABEL)
        | (second[3] == kernel.MIXED_LABEL)
        | (first[3] != second[3])
    )
    attributes = max([*features.ordered, *features.flattened]) + 1
    widths = np.zeros((max(len(width), len(mixed)), attributes))
    np.add.at(widths.T, [*features.ordered], width.T)
    np.add.at(widths.T, [*features.flattened], (mixed * features.label_weights).T)
    return widths
