"""Clusters of k grown from the first record left, by similarity: shared by `sbc` and `sd`."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.alternatives import Measured
from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.events import NO_RECORDS, SUPPRESSED, UNPLACED, GroupEvent, Moves
from kanon_tui.core.clustering.features import by_agreement, collapse, places, ranks
from kanon_tui.core.clustering.growing_events import (
    ClusterClosed,
    ClustersClosed,
    FirstTaken,
    LeftOversCompared,
    LeftOversPlaced,
    LeftOverSuppressed,
    LeftOverToLast,
    LeftOverToNearest,
    NearestTaken,
    OtherValue,
    RecordsSorted,
    ValueComparison,
)
from kanon_tui.core.clustering.splitting import class_penalties
from kanon_tui.core.kernels import similarity as kernel
from kanon_tui.core.kernels.box_arrays import WORD_BITS
from kanon_tui.core.kernels.box_tree import GONE, BoxTree, grow_tree
from kanon_tui.core.kernels.cluster_centre import labels_by_frequency, new_centre, new_contingency
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s, sum_in_order
from kanon_tui.core.task.task import Grouping, QuasiIdentifier, RunContext, Step, Task

_KINDS = ("start", "grow", "close")
"""Kinds of steps, by CLUSTER_STARTED, CLUSTER_GROWN and CLUSTER_CLOSED of the kernel."""


@dataclass(frozen=True)
class SimilarityClustering(BlockClustering):
    """A clustering that grows classes of k from the first record left."""

    terms: ClassVar[tuple[str, ...]] = ("centre",)


class Similarity:
    """Clusters of one table under construction.

    Equal records are one row of a tree of boxes, and contingency tables are kept up to date instead
    of being counted again for every cluster; see `kernels.similarity` and `kernels.cluster_centre`.
    `spatial` chooses the contexts, distances and moving centre of `sd`.
    """

    def __init__(self, task: Task, context: RunContext, spatial: bool) -> None:
        self.task = task
        self.context = context
        self.spatial = spatial
        self.sorted_by, order = _sorted(task.quasi)
        numbers = [attribute for attribute in task.quasi if attribute.ordered]
        self.categories = [_occurring(category) for category in task.quasi if not category.ordered]
        self.categories.sort(key=lambda attribute: len(attribute.column.values))

        distinct = collapse([attribute.column.codes for attribute in task.quasi])
        first = distinct.first
        codes = [attribute.column.codes[first] for attribute in self.categories]
        all_places = [places(attribute)[attribute.column.codes[first]] for attribute in numbers]
        missing = [attribute.column.missing for attribute in self.categories]
        self.table = new_contingency(codes, missing, distinct.counts, task.k, spatial)
        values = [labels_by_frequency(category.column.counts) for category in self.categories]
        rows = [label_of[codes[y]] for y, label_of in enumerate(values)]
        labels = np.array(rows, dtype=np.int32).reshape(-1, len(first)).T.copy()
        number_places = np.array(all_places, dtype=np.float64).reshape(-1, len(first)).T.copy()
        self.tree = self._new_tree(number_places, labels, first)
        self.centre = new_centre(self.tree, values)
        self.search = kernel.NearestSearch.allocate(
            waiting=len(self.tree.start) + 1, rows=len(first), records=1 if spatial else task.k - 1
        )
        self.growth = kernel.Growth(
            order=order,
            row=distinct.number,
            position=np.argsort(self.tree.row).astype(np.int32),
            records=distinct.records,
            end=distinct.starts[1:],
            left=distinct.counts,
            members=np.full(task.n, -1, dtype=np.int32),
            labels=np.full(task.n, -1, dtype=np.int32),
            state=np.zeros(3, dtype=np.int64),
        )
        self._joined: dict[int, list[int]] = {}  # records left over that joined a closed cluster
        self._left_over = 0
        self._suppressed = 0
        names = [attribute.name for attribute in task.quasi]
        self._columns = [names.index(attribute.name) for attribute in (*numbers, *self.categories)]
        self._loss = 0.0  # NCP of the closed clusters, summed over their records

    def grouping(self) -> Grouping:
        """Return the clusters as a grouping."""
        search: dict[str, Any] = {"sorted_by": self.sorted_by.name, "clusters": self._closed}
        return Grouping(self.growth.labels, search=search | {"left_over": self._left_over})

    def grow(self) -> Generator[Step, None, Int32s]:
        """Make clusters while k records are left; returns those left over, as sorted."""
        start = np.full(self.task.n, UNPLACED, dtype=np.int32) if self.context.watched else None
        yield self._step(RecordsSorted(self._place_of(self.sorted_by), start=start))
        k = self.task.k
        growth = self.growth
        growing = (self.tree, self.table, self.centre, self.search, growth, k, self.spatial)
        while True:
            before = self._closed
            placed = self._placed
            single = self.context.decisions_per_step == 1 and 0 < self._size < k
            measured = self._measure_records() if single else None
            decided, kind, away = kernel.advance(*growing, self.context.decisions_per_step)
            if not decided:
                break
            closed = self._closed
            self._loss += class_loss(
                self.task.quasi, growth.members[before * k : closed * k].reshape(-1, k)
            )
            event: GroupEvent = ClustersClosed(closed - before, closed, decisions=decided)
            if decided == 1:
                event = self._growth_event(_KINDS[kind], away, measured)
            yield self._step(self._with_growth(event, placed))
        leftovers = growth.order[growth.labels[growth.order] < 0]
        self._left_over = len(leftovers)
        return leftovers

    @property
    def _closed(self) -> int:
        """Return the number of closed clusters."""
        return int(self.growth.state[kernel.CLUSTERS_CLOSED])

    @property
    def _size(self) -> int:
        """Return the records of the cluster that grows."""
        return int(self.growth.state[kernel.GROWING_SIZE])

    @property
    def _placed(self) -> int:
        """Records in clusters, those left over aside."""
        return self._closed * self.task.k + self._size

    def _with_growth(self, event: GroupEvent, before: int) -> GroupEvent:
        """Return an event with the records placed since `before`, where somebody watches."""
        if not self.context.watched:
            return event
        records = self.growth.members[before : self._placed].astype(np.int64)
        if len(records):
            clusters = np.arange(before, self._placed) // self.task.k
            return placed_event(event, records, clusters)
        closed = self._closed - 1
        members = self._members(closed).astype(np.int64)
        return replace(event, records=members, closed=closed)

    def join_last(self, leftovers: Int32s) -> Generator[Step, None, None]:
        """Let the records left over join the cluster that was made last."""
        last = self._closed - 1
        for batch in self._batches(leftovers):
            self._join(dict.fromkeys(batch, last))
            event: GroupEvent = LeftOversPlaced(suppressed=False, decisions=len(batch))
            if len(batch) == 1:
                event = LeftOverToLast(batch[0], last)
            yield self._left_over_step(event, batch)

    def suppress(self, leftovers: Int32s) -> Generator[Step, None, None]:
        """Suppress the records left over."""
        for batch in self._batches(leftovers):
            self._suppressed += len(batch)
            event: GroupEvent = LeftOversPlaced(suppressed=True, decisions=len(batch))
            if len(batch) == 1:
                event = LeftOverSuppressed(batch[0])
            yield self._left_over_step(event, batch)

    def join_nearest(self, leftovers: Int32s) -> Generator[Step, None, None]:
        """Let each record left over join the cluster whose centre is nearest, one after the other.

        Any of them could have joined any cluster when that was made, so there was a distance
        between the two then, and that is the one taken.
        """
        if not len(leftovers):
            return
        clusters = cluster = self._closed
        positions = self.growth.position[self.growth.row[leftovers]]
        distances = kernel.LeftoverDistances.allocate(
            place=self.tree.places[positions],
            value=self.tree.labels[positions] + self.centre.offsets[:-1],
            clusters=clusters,
        )
        while cluster:
            structs = (self.tree, self.table, self.centre, self.growth, distances)
            cluster = kernel.measure_leftovers(*structs, self.task.k, self.spatial, cluster)
            yield self._step(LeftOversCompared(len(leftovers), clusters - cluster, clusters))
        place = 0
        for batch in self._batches(leftovers):
            nearest: dict[int, int] = {}
            event: GroupEvent = LeftOversPlaced(suppressed=False, decisions=len(batch))
            for record in batch:
                measured = self._measure_clusters(distances, place)
                nearest[record] = int(np.argmax(measured.scores < measured.scores.min() + TIE))
                away = measured.scores[nearest[record]]
                if self.spatial:
                    _take_part(distances, place, nearest[record])
                place += 1
                if len(batch) == 1:
                    best = measured.best(nearest[record])
                    event = LeftOverToNearest(
                        record, nearest[record], float(away), self.spatial, best
                    )
            self._join(nearest)
            yield self._left_over_step(event, batch)

    def _batches(self, leftovers: Int32s) -> Generator[list[int], None, None]:
        """Yield the records left over, as many at a time as one step may stand for."""
        most = self.context.decisions_per_step
        for start in range(0, len(leftovers), most):
            yield leftovers[start : start + most].tolist()

    def _join(self, clusters: dict[int, int]) -> None:
        """Let records join closed clusters."""
        touched = set(clusters.values())
        self._loss -= sum_in_order(map(self._loss_of, touched))
        for record, cluster in clusters.items():
            self.growth.labels[record] = cluster
            self._joined.setdefault(cluster, []).append(record)
        self._loss += sum_in_order(map(self._loss_of, touched))

    def _loss_of(self, cluster: int) -> float:
        return class_loss(self.task.quasi, self._members(cluster)[None, :])

    def _members(self, cluster: int) -> Int32s:
        k = self.task.k
        grown = self.growth.members[cluster * k : (cluster + 1) * k]
        return np.concatenate([grown, np.array(self._joined.get(cluster, []), dtype=np.int32)])

    def _new_tree(self, places: Floats, labels: Int32s, records: Int32s) -> BoxTree:
        """Return the tree over all rows.

        Of more than 64 values those that are about equally frequent are near each other: rows are
        divided by their rank in frequency, as by a number, and not by agreement.
        """
        reach = self._reach()
        division = by_agreement(labels, reach)
        long = np.array(
            [len(category.column.values) > WORD_BITS for category in self.categories], bool
        )
        division.weights[long] = 0.0
        rank = division.labels[:, long] / np.maximum(division.labels.max(axis=0)[long], 1)
        along = np.ascontiguousarray(np.hstack([places, rank * reach[long] / 2]))
        return grow_tree(places, labels, division, records, along=along)

    def _reach(self) -> Floats:
        """Return roughly how far apart the values of every category are."""
        reach = []
        below = 1.0
        for attribute in self.categories:
            other_values = len(attribute.column.values) - 1
            if other_values < 2:
                reach.append(1.0)
                below = 1.0
            else:
                reach.append(max(below / other_values, TIE) if self.spatial else 0.5)
                below *= (1.0 / other_values) ** other_values
        return np.array(reach, dtype=np.float64)

    def _step(self, event: GroupEvent) -> Step:
        """Return a step with the running totals; NCP is that of the closed classes."""
        closed = self._closed
        size = self._size
        published = closed * self.task.k + sum(map(len, self._joined.values()))
        decided = published + self._suppressed
        counters = {
            "clusters": closed + (size > 0),
            "placed": published + size,
            "remaining": self.task.n - decided - size,
            "ncp": (max(self._loss, 0.0) + self._suppressed) / max(decided, 1),
        }
        return Step(event, counters, progress=(decided + size) / self.task.n)

    def _growth_event(self, kind: str, away: float, measured: Measured | None) -> GroupEvent:
        """Return the event of one start, join or close."""
        closed = self._closed
        size = self._size
        if kind == "close":
            return ClusterClosed(closed - 1, self._members(closed - 1))
        start = closed * self.task.k
        first, last = self.growth.members[[start, start + size - 1]].tolist()
        if kind == "start":
            comparisons = self._comparisons(first, int(self.growth.row[first]))
            sorted_by = self._place_of(self.sorted_by)
            return FirstTaken(first, closed, size, sorted_by, comparisons)
        best = None if measured is None else measured.best(last)
        return NearestTaken(last, closed, size, first, self.spatial, away, best)

    def _place_of(self, attribute: QuasiIdentifier) -> int:
        """Return the number of an attribute among the quasi-identifiers."""
        return [candidate.name for candidate in self.task.quasi].index(attribute.name)

    def _measure_records(self) -> Measured:
        """Measure the distance of every record left from the centre of the cluster that grows."""
        tree = self.tree
        centre = self.centre
        unplaced = np.flatnonzero(tree.record != GONE)
        unplaced = unplaced[np.argsort(tree.record[unplaced])]
        apart = _apart(tree.places[unplaced], centre.place, centre.blank)
        return self._measured(
            tree.record[unplaced],
            apart,
            centre.distance[centre.offsets[:-1] + tree.labels[unplaced]],
        )

    def _measure_clusters(self, leftovers: kernel.LeftoverDistances, i: int) -> Measured:
        """Measure the distance of a record left over from every cluster."""
        terms = leftovers.terms
        centres = np.where(terms > 0, leftovers.total / np.maximum(terms, 1), np.nan)
        places = np.broadcast_to(leftovers.place[i], centres.shape)
        apart = _apart(places, centres, leftovers.blank)
        numbers = np.arange(len(terms), dtype=np.int32)
        return self._measured(numbers, apart, leftovers.category[:, i])

    def _measured(self, candidates: Int32s, places: Floats, values: Floats) -> Measured:
        parts = np.zeros((len(candidates), len(self.task.quasi)))
        parts[:, self._columns] = np.hstack([places, values])
        return Measured(candidates, parts, parts.sum(axis=1))

    def _left_over_step(self, event: GroupEvent, batch: Sequence[int]) -> Step:
        """Return the step of records left over that join or are suppressed."""
        if self.context.watched:
            records = np.array(batch, dtype=np.int64)
            labels = self.growth.labels[records]
            clusters = np.where(event.kind == "suppress", SUPPRESSED, labels)
            event = placed_event(event, records, clusters)
        return self._step(event)

    def _comparisons(self, record: int, row: int) -> tuple[ValueComparison, ...]:
        """Return per category how far its values are from those of a record."""
        chosen = self.table.chosen
        by_frequency = np.flatnonzero(chosen >= 0).tolist()
        compared = [self._by_frequency(y, record, row) for y in by_frequency]
        for y in np.flatnonzero(chosen < 0).tolist():
            away, nearest_first = self._others(y, record)
            if nearest_first:
                values = self.categories[y].column.values
                other_values = tuple(
                    OtherValue(values[v], float(away[v]), 0) for v in nearest_first
                )
                compared.append(ValueComparison(self._place_of(self.categories[y]), other_values))
        return tuple(compared)

    def _by_frequency(self, y: int, record: int, row: int) -> ValueComparison:
        """Return the comparison of an attribute with three values or more, by frequency."""
        table = self.table
        group = int(table.chosen[y])
        column = self.categories[y].column
        cells = slice(int(table.starts[group]), int(table.starts[group + 1]))
        counts = dict(zip(table.value[cells].tolist(), table.counts[cells].tolist(), strict=True))
        away, nearest_first = self._others(y, record)
        return ValueComparison(
            self._place_of(self.categories[y]),
            tuple(
                OtherValue(column.values[v], float(away[v]), counts.get(v, 0))
                for v in nearest_first
            ),
            counts[int(column.codes[record])],
            int(table.size[group]),
            tuple(self._place_of(attribute) for attribute in self._conditions(y, row)),
        )

    def _others(self, y: int, record: int) -> tuple[Floats, list[int]]:
        """Return the distances of an attribute's values, and the other values, nearest first."""
        values = slice(int(self.table.offsets[y]), int(self.table.offsets[y + 1]))
        away = self.centre.distance[self.centre.label[values]]
        value_of_record = int(self.categories[y].column.codes[record])
        remaining = np.flatnonzero(self.table.counts[values] > 0)
        return away, [
            v
            for v in remaining[np.argsort(away[remaining], kind="stable")].tolist()
            if v != value_of_record
        ]

    def _conditions(self, y: int, row: int) -> Sequence[QuasiIdentifier]:
        """Return the attributes that an attribute's frequencies were conditioned on."""
        contexts = self.table.cell[row, self.table.columns[y] : self.table.columns[y + 1]]
        dropped = int(np.argmax(self.table.group[contexts] == self.table.chosen[y]))
        used = len(contexts) - 1 - dropped
        return self.categories[:used] if self.spatial else self.categories[y - used : y]


def _sorted(quasi: Sequence[QuasiIdentifier]) -> tuple[QuasiIdentifier, Int32s]:
    """Return the quasi-identifier with most distinct values, and the records sorted by it."""
    lines = [ranks(attribute) for attribute in quasi]
    x = max(range(len(quasi)), key=lambda x: int(lines[x].max()))
    codes = quasi[x].column.codes
    keys = lines[x][codes] if quasi[x].ordered else codes  # categories as text, not as in a tree
    return quasi[x], np.argsort(keys, kind="stable").astype(np.int32)


def _occurring(category: QuasiIdentifier) -> QuasiIdentifier:
    """Return a category with the values that occur, which in a part of a table may be fewer."""
    column = category.column
    occurs = column.counts > 0
    if occurs.all():
        return category
    dense = column.with_values(np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[column.codes])
    return replace(category, column=dense)


def _apart(places: Floats, centre: Floats, blank: Flags) -> Floats:
    """Return |place − centre| element by element, for arrays that broadcast.

    A missing place is at 0 from a centre with a missing number (`blank`), at 1 from others.
    """
    missing = np.where(blank, 0.0, 1.0)
    away = np.where(np.isnan(centre), 1.0, np.abs(places - np.nan_to_num(centre)))
    return np.asarray(np.where(np.isnan(places), missing, away), dtype=np.float64)


def _take_part(leftovers: kernel.LeftoverDistances, i: int, cluster: int) -> None:
    """Let a record left over take part in the centre of a cluster."""
    place = leftovers.place[i]
    value = leftovers.value
    missing = np.isnan(place)
    leftovers.blank[cluster] |= missing
    leftovers.total[cluster] += np.where(missing, 0.0, place)
    leftovers.terms[cluster] += ~missing
    leftovers.category[cluster][value == value[i]] = 0.0


def placed_event(
    event: GroupEvent, records: Int64s, clusters: npt.NDArray[np.integer]
) -> GroupEvent:
    """Return an event with the records that joined clusters."""
    about = records if len(records) == 1 else NO_RECORDS
    return replace(event, moves=Moves(records, clusters), records=about)


def class_loss(quasi: Sequence[QuasiIdentifier], classes: npt.NDArray[np.integer]) -> float:
    """Return the summed NCP of classes of equal size, of shape (classes, records)."""
    count, size = classes.shape
    class_of = np.repeat(np.arange(count), size)
    penalties_of = class_penalties(quasi, classes.ravel(), class_of, count)
    return float(
        size * sum_in_order(weight * float(penalties.sum()) for weight, penalties in penalties_of)
    )
