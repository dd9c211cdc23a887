"""Clusters of k grown from the first record left, by similarity: shared by `sbc` and `sd`."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.events import SUPPRESSED, UNPLACED
from kanon_tui.core.clustering.facts import Measured, against, in_words, moved_records
from kanon_tui.core.clustering.features import by_agreement, collapse, places, ranks
from kanon_tui.core.clustering.splitting import class_penalties
from kanon_tui.core.kernels import similarity as kernel
from kanon_tui.core.kernels.box_arrays import WORD_BITS
from kanon_tui.core.kernels.box_tree import GONE, BoxTree, grow_tree
from kanon_tui.core.kernels.cluster_centre import labels_by_frequency, new_centre, new_contingency
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s, sum_in_order
from kanon_tui.core.task.task import (
    Choice,
    Grouping,
    QuasiIdentifier,
    RunContext,
    Step,
    Task,
    narrated,
)
from kanon_tui.core.text import count_of, joined, plural

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
        self.task, self.context, self.spatial = task, context, spatial
        self.sorted_by, order = _sorted(task.quasi)
        numbers = [attribute for attribute in task.quasi if attribute.ordered]
        self.categories = [_occurring(each) for each in task.quasi if not each.ordered]
        self.categories.sort(key=lambda attribute: len(attribute.column.values))

        distinct = collapse([attribute.column.codes for attribute in task.quasi])
        first = distinct.first
        codes = [attribute.column.codes[first] for attribute in self.categories]
        all_places = [places(attribute)[attribute.column.codes[first]] for attribute in numbers]
        missing = [attribute.column.missing for attribute in self.categories]
        self.table = new_contingency(codes, missing, distinct.counts, task.k, spatial)
        values = [labels_by_frequency(each.column.counts) for each in self.categories]
        rows = [own[codes[y]] for y, own in enumerate(values)]
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
        yield self._sort_step()
        k, growth = self.task.k, self.growth
        known = (self.tree, self.table, self.centre, self.search, growth, k, self.spatial)
        while True:
            before, placed = self._closed, self._placed
            single = self.context.decisions_per_step == 1 and 0 < self._size < k
            measured = self._measure_records() if single else None
            decided, kind, away = kernel.advance(*known, self.context.decisions_per_step)
            if not decided:
                break
            closed = self._closed
            self._loss += class_loss(
                self.task.quasi, growth.members[before * k : closed * k].reshape(-1, k)
            )
            drawn = self._drawn_growth(placed)
            if decided == 1:
                yield self._growth_step(_KINDS[kind], away, measured, drawn)
            else:
                facts = {"new": closed - before, "closed": closed, "k": k} | drawn
                template = (
                    f"{{new:,}} {plural(closed - before, 'cluster')} of {{k:,}} "
                    f"{plural(k, 'record')} closed, {{closed:,}} so far."
                )
                yield self._step("close" if closed > before else "grow", template, facts)
        left = growth.order[growth.labels[growth.order] < 0]
        self._left_over = len(left)
        return left

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

    def _drawn_growth(self, before: int) -> dict[str, Any]:
        """Return the facts that pictures need of the records placed since `before`."""
        if not self.context.watched:
            return {}
        records = self.growth.members[before : self._placed].astype(np.int64)
        if len(records):
            return placed_facts(records, np.arange(before, self._placed) // self.task.k)
        closed = self._closed - 1
        return {"rows": self._members(closed).astype(np.int64), "closed_group": closed}

    def join_last(self, left: Int32s) -> Generator[Step, None, None]:
        """Let the records left over join the cluster that was made last."""
        last = self._closed - 1
        for batch in self._batches(left):
            self._join(dict.fromkeys(batch, last))
            why = "joins the last cluster, number {cluster:,}"
            yield self._left_over_step("join", why, batch, {})

    def suppress(self, left: Int32s) -> Generator[Step, None, None]:
        """Suppress the records left over."""
        for batch in self._batches(left):
            self._suppressed += len(batch)
            yield self._left_over_step("suppress", "is suppressed", batch, {})

    def join_nearest(self, left: Int32s) -> Generator[Step, None, None]:
        """Let each record left over join the cluster whose centre is nearest, one after the other.

        Any of them could have joined any cluster when that was made, so there was a distance
        between the two then, and that is the one taken.
        """
        if not len(left):
            return
        clusters = cluster = self._closed
        positions = self.growth.position[self.growth.row[left]]
        leftovers = kernel.LeftoverDistances.allocate(
            place=self.tree.places[positions],
            value=self.tree.labels[positions] + self.centre.offsets[:-1],
            clusters=clusters,
        )
        while cluster:
            known = (self.tree, self.table, self.centre, self.growth, leftovers)
            cluster = kernel.measure_leftovers(*known, self.task.k, self.spatial, cluster)
            facts = {"left": count_of(len(left), "record is", "records are"), "k": self.task.k}
            facts |= {"compared": clusters - cluster, "clusters": clusters}
            template = (
                "{left} left, too few for a cluster of {k:,}: compared with {compared:,} of "
                f"{{clusters:,}} {plural(clusters, 'cluster')}."
            )
            yield self._step("compare", template, facts)
        whose = "centre" if self.spatial else "first record"
        place = 0
        for batch in self._batches(left):
            nearest: dict[int, int] = {}
            more: dict[str, Any] = {}
            for record in batch:
                measured = self._measure_clusters(leftovers, place)
                nearest[record] = int(np.argmax(measured.scores < measured.scores.min() + TIE))
                away = measured.scores[nearest[record]]
                if self.spatial:
                    _take_part(leftovers, place, nearest[record])
                place += 1
                if len(batch) == 1:
                    rule = "the nearest; of equals the first"
                    which = f"which cluster takes record {record + 1:,}"
                    asked = Choice(which, "distance", (), 0, rule, _FORMULA)
                    more = measured.facts(self.task, nearest[record], asked, "cluster")
            self._join(nearest)
            why = (
                f"joins cluster {{cluster:,}}, whose {whose} is nearest, at distance "
                f"{distance_text(away)}{against(more)}"
            )
            yield self._left_over_step("join", why, batch, more)

    def _batches(self, left: Int32s) -> Generator[list[int], None, None]:
        """Yield the records left over, as many at a time as one step may stand for."""
        most = self.context.decisions_per_step
        for start in range(0, len(left), most):
            yield left[start : start + most].tolist()

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
        long = np.array([len(each.column.values) > WORD_BITS for each in self.categories], bool)
        division.weights[long] = 0.0
        rank = division.labels[:, long] / np.maximum(division.labels.max(axis=0)[long], 1)
        along = np.ascontiguousarray(np.hstack([places, rank * reach[long] / 2]))
        return grow_tree(places, labels, division, records, along=along)

    def _reach(self) -> Floats:
        """Return roughly how far apart the values of every category are."""
        reach, below = [], 1.0
        for attribute in self.categories:
            others = len(attribute.column.values) - 1
            if others < 2:
                reach.append(1.0)
                below = 1.0
            else:
                reach.append(max(below / others, TIE) if self.spatial else 0.5)
                below *= (1.0 / others) ** others
        return np.array(reach, dtype=np.float64)

    def _step(self, kind: str, template: str, facts: dict[str, Any]) -> Step:
        """Return a step with the running totals; NCP is that of the closed classes."""
        closed, size = self._closed, self._size
        published = closed * self.task.k + sum(map(len, self._joined.values()))
        decided = published + self._suppressed
        counters = {
            "clusters": closed + (size > 0),
            "placed": published + size,
            "remaining": self.task.n - decided - size,
            "ncp": (max(self._loss, 0.0) + self._suppressed) / max(decided, 1),
        }
        return narrated(kind, template, facts, counters, progress=(decided + size) / self.task.n)

    def _sort_step(self) -> Step:
        facts: dict[str, Any] = {"n": self.task.n, "sorted_by": self.sorted_by.name}
        facts["values"] = len(self.sorted_by.column.values)
        template = (
            "Sort the {n:,} records by {sorted_by}, the attribute with most values ({values:,})."
        )
        if self.context.watched:
            facts["together"] = np.full(self.task.n, UNPLACED, dtype=np.int32)
        return self._step("sort", template, facts)

    def _growth_step(
        self, kind: str, away: float, measured: Measured | None, drawn: dict[str, Any]
    ) -> Step:
        """Return the step of one start, join or close."""
        closed, size = self._closed, self._size
        if kind == "close":
            members = self._members(closed - 1)
            box = in_words(self.task.quasi, [a.column.codes[members] for a in self.task.quasi])
            drawn |= {"cluster": closed, "k": count_of(self.task.k, "record"), "box": box}
            return self._step(kind, "Cluster {cluster:,} is closed with {k}: {box}.", drawn)
        start = closed * self.task.k
        first, last = self.growth.members[[start, start + size - 1]].tolist()
        facts = self._facts(last) | {"cluster": closed + 1, "size": size} | drawn
        if kind == "start":
            row = int(self.growth.row[first])
            facts["sorted_by"] = self.sorted_by.name
            facts["compared"] = self._comparison(first, row)
            template = (
                "Record {record:,} ({values}) is the first left by {sorted_by} and starts "
                "cluster {cluster:,}.{compared}"
            )
            return self._step(kind, template, facts)
        whom = "its centre" if self.spatial else "record {first:,}"
        if measured is not None:
            centre = f"the centre of cluster {closed + 1:,}"
            origin = centre if self.spatial else f"record {first + 1:,}"
            rule = f"the nearest to {origin}; of equals the lowest row"
            which = f"which record joins cluster {closed + 1:,}"
            asked = Choice(which, "distance", (), 0, rule, _FORMULA)
            facts |= measured.facts(self.task, last, asked)
        template = (
            "Record {record:,} ({values}) joins cluster {cluster:,} as number {size:,} of {k:,}: "
            f"it is nearest to {whom}, at distance {distance_text(away)}{against(facts)}."
        )
        return self._step(kind, template, facts | {"first": first + 1, "distance": away})

    def _measure_records(self) -> Measured:
        """Measure the distance of every record left from the centre of the cluster that grows."""
        tree, centre = self.tree, self.centre
        left = np.flatnonzero(tree.record != GONE)
        left = left[np.argsort(tree.record[left])]
        apart = _apart(tree.places[left], centre.place, centre.blank)
        return self._measured(
            tree.record[left], apart, centre.distance[centre.offsets[:-1] + tree.labels[left]]
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

    def _left_over_step(
        self, kind: str, why: str, batch: Sequence[int], more: dict[str, Any]
    ) -> Step:
        """Return the step of records left over that join or are suppressed."""
        if self.context.watched:
            records = np.array(batch, dtype=np.int64)
            labels = self.growth.labels[records]
            more |= placed_facts(records, np.where(kind == "suppress", SUPPRESSED, labels))
        if len(batch) > 1:
            what = "suppressed" if kind == "suppress" else "placed in clusters"
            facts: dict[str, Any] = {"count": len(batch), "what": what} | more
            return self._step(kind, "{count:,} records that were left over are {what}.", facts)
        facts = self._facts(batch[0]) | {"cluster": int(self.growth.labels[batch[0]]) + 1} | more
        template = f"Fewer than {{k:,}} are left, so record {{record:,}} ({{values}}) {why}."
        return self._step(kind, template, facts)

    def _comparison(self, record: int, row: int) -> str:
        """Return a sentence per attribute on how far its values are from those of the record.

        ` By how often each nationality occurs among the 9 with gender Male, Japan (4) is 0.5 from
        US (4) and 1 from Iran (1). Of gender, Male is 1 from Female.`
        """
        chosen = self.table.chosen
        words = [self._by_frequency(y, record, row) for y in np.flatnonzero(chosen >= 0).tolist()]
        for y in np.flatnonzero(chosen < 0).tolist():
            away, others = self._others(y, record)
            if others:
                column = self.categories[y].column
                own = column.values[int(column.codes[record])]
                distances = [f"{distance_text(away[v])} from {column.values[v]}" for v in others]
                words.append(f" Of {column.name}, {own} is {joined(distances)}.")
        return "".join(words)

    def _by_frequency(self, y: int, record: int, row: int) -> str:
        """Return the sentence on an attribute with three values or more, by frequency."""
        table, group = self.table, int(self.table.chosen[y])
        where = self._conditions(y, row)
        cells_of = [f"{a.name} {a.column.values[a.column.codes[record]]}" for a in where]
        among = "with " + " and ".join(cells_of) if where else "left"
        column = self.categories[y].column
        cells = slice(int(table.starts[group]), int(table.starts[group + 1]))
        counts = dict(zip(table.value[cells].tolist(), table.counts[cells].tolist(), strict=True))
        own = int(column.codes[record])
        away, others = self._others(y, record)
        named = others if len(others) <= _VALUES_NAMED + 1 else others[:_VALUES_NAMED]
        distances = [
            f"{distance_text(away[v])} from {column.values[v]} ({counts.get(v, 0):,})"
            for v in named
        ]
        if len(named) < len(others):
            distances.append(f"further from {len(others) - len(named):,} other values")
        return (
            f" By how often each {column.name} occurs among the {table.size[group]:,} {among}, "
            f"{column.values[own]} ({counts[own]:,}) is {joined(distances)}."
        )

    def _others(self, y: int, record: int) -> tuple[Floats, list[int]]:
        """Return the distances of an attribute's values, and the other values, nearest first."""
        values = slice(int(self.table.offsets[y]), int(self.table.offsets[y + 1]))
        away = self.centre.distance[self.centre.label[values]]
        own = int(self.categories[y].column.codes[record])
        left = np.flatnonzero(self.table.counts[values] > 0)
        return away, [v for v in left[np.argsort(away[left], kind="stable")].tolist() if v != own]

    def _conditions(self, y: int, row: int) -> Sequence[QuasiIdentifier]:
        """Return the attributes that an attribute's frequencies were conditioned on."""
        contexts = self.table.cell[row, self.table.columns[y] : self.table.columns[y + 1]]
        dropped = int(np.argmax(self.table.group[contexts] == self.table.chosen[y]))
        kept = len(contexts) - 1 - dropped
        return self.categories[:kept] if self.spatial else self.categories[y - kept : y]

    def _facts(self, record: int) -> dict[str, Any]:
        values = [a.column.values[a.column.codes[record]] for a in self.task.quasi]
        return {"record": record + 1, "values": ", ".join(values), "k": self.task.k}


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
    there = column.counts > 0
    if there.all():
        return category
    dense = column.with_values(np.flatnonzero(there), (np.cumsum(there) - 1)[column.codes])
    return replace(category, column=dense)


_FORMULA = (
    "distance = Σ |place − centre| of numbers, 0 to 1 of the domain, + Σ of categories what the "
    "start of the cluster said",
)


def _apart(places: Floats, centre: Floats, blank: Flags) -> Floats:
    """Return |place − centre| element by element, for arrays that broadcast.

    A missing place is at 0 from a centre with a missing number (`blank`), at 1 from others.
    """
    missing = np.where(blank, 0.0, 1.0)
    away = np.where(np.isnan(centre), 1.0, np.abs(places - np.nan_to_num(centre)))
    return np.asarray(np.where(np.isnan(places), missing, away), dtype=np.float64)


def _take_part(leftovers: kernel.LeftoverDistances, i: int, cluster: int) -> None:
    """Let a record left over take part in the centre of a cluster."""
    place, value = leftovers.place[i], leftovers.value
    missing = np.isnan(place)
    leftovers.blank[cluster] |= missing
    leftovers.total[cluster] += np.where(missing, 0.0, place)
    leftovers.terms[cluster] += ~missing
    leftovers.category[cluster][value == value[i]] = 0.0


def placed_facts(records: Int64s, clusters: npt.NDArray[np.integer]) -> dict[str, Any]:
    """Return the facts of records that joined clusters."""
    facts = moved_records(records, clusters)
    return facts | {"rows": records} if len(records) == 1 else facts


_VALUES_NAMED = 3
_NEXT_TO_NOTHING = 1e-7


def distance_text(distance: float) -> str:
    """Return a distance with three digits, or `almost 0` where shrinking left nothing of it."""
    return "almost 0" if 0 < distance < _NEXT_TO_NOTHING else f"{distance:.3g}"


def class_loss(quasi: Sequence[QuasiIdentifier], classes: npt.NDArray[np.integer]) -> float:
    """Return the summed NCP of classes of equal size, of shape (classes, records)."""
    count, size = classes.shape
    class_of = np.repeat(np.arange(count), size)
    found = class_penalties(quasi, classes.ravel(), class_of, count)
    return float(size * sum_in_order(weight * float(each.sum()) for weight, each in found))
