"""What `sbc` and `sd` share: clusters of k grown from the first record left, by similarity."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_tui.core.clustering.box_sentences import in_words
from kanon_tui.core.clustering.class_loss import class_loss
from kanon_tui.core.clustering.cluster_facts import SUPPRESSED
from kanon_tui.core.clustering.features import by_agreement, collapse, places, ranks
from kanon_tui.core.clustering.measured import Measured, against
from kanon_tui.core.clustering.similarity_facts import Measuring, begun, placed_facts
from kanon_tui.core.clustering.similarity_sentences import compared, distance_text
from kanon_tui.core.kernels.box_tree import Division, grow_tree
from kanon_tui.core.kernels.cluster_centre import new_centre, new_contingency
from kanon_tui.core.kernels.similarity import (
    CLUSTER_CLOSED,
    CLUSTER_GROWN,
    CLUSTER_STARTED,
    CLUSTERS_CLOSED,
    GROWING_SIZE,
    Growth,
    advance,
    join_nearest_cluster,
    measure_leftovers,
    new_leftover_distances,
    new_search,
)
from kanon_tui.core.numeric import Floats, Int32s
from kanon_tui.core.task.steps import Grouping, RunContext, Step
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import count_of, plural

__all__ = ["Similarity"]

_KINDS = {CLUSTER_STARTED: "start", CLUSTER_GROWN: "grow", CLUSTER_CLOSED: "close"}
_LEAST_REACH = 1e-6


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
        labels = np.array(codes, dtype=np.int32).reshape(-1, len(first)).T.copy()
        self.tree = grow_tree(
            np.array(all_places, dtype=np.float64).reshape(-1, len(first)).T.copy(),
            labels,
            Division(*by_agreement(labels, self._reach())),
            first,
        )
        self.centre = new_centre(self.tree, self.table.offsets)
        self.search = new_search(self.tree, 1 if spatial else task.k - 1)
        self.growth = Growth(
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
        self._measuring = Measuring(task, self.categories, spatial)
        self._loss = 0.0  # NCP of the closed clusters, summed over their records

    def grouping(self) -> Grouping:
        """What has been decided."""
        search = {
            "sorted_by": self.sorted_by.name,
            "clusters": int(self.growth.state[CLUSTERS_CLOSED]),
            "left_over": self._left_over,
        }
        return Grouping(self.growth.labels, search=search)

    def grow(self) -> Generator[Step, None, Int32s]:
        """Make clusters while k records are left; returns those left over, as sorted."""
        yield self._sort_step()
        k, growth, state = self.task.k, self.growth, self.growth.state
        known = (self.tree, self.table, self.centre, self.search, growth, k, self.spatial)
        while True:
            before, placed = int(state[CLUSTERS_CLOSED]), self._placed
            single = self.context.decisions_per_step == 1 and 0 < int(state[GROWING_SIZE]) < k
            measured = self._measuring.records(self.tree, self.centre) if single else None
            decided, kind, away = advance(*known, self.context.decisions_per_step)
            if not decided:
                break
            closed = int(state[CLUSTERS_CLOSED])
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
    def _placed(self) -> int:
        """Records in clusters, those left over aside."""
        closed, size = int(self.growth.state[CLUSTERS_CLOSED]), int(self.growth.state[GROWING_SIZE])
        return closed * self.task.k + size

    def _drawn_growth(self, before: int) -> dict[str, Any]:
        """What pictures show of the records placed since there were so many."""
        if not self.context.watched:
            return {}
        records = self.growth.members[before : self._placed].astype(np.int64)
        if len(records):
            return placed_facts(records, np.arange(before, self._placed) // self.task.k)
        closed = int(self.growth.state[CLUSTERS_CLOSED]) - 1
        return {"rows": self._members(closed).astype(np.int64), "closed_group": closed}

    def join_last(self, left: Int32s) -> Generator[Step, None, None]:
        """The records left over join the cluster that was made last."""
        last = int(self.growth.state[CLUSTERS_CLOSED]) - 1
        for batch in self._batches(left):
            self._join(dict.fromkeys(batch, last))
            why = "joins the last cluster, number {cluster:,}"
            yield self._left_over_step("join", why, batch, {})

    def suppress(self, left: Int32s) -> Generator[Step, None, None]:
        """The records left over are not published."""
        for batch in self._batches(left):
            self._suppressed += len(batch)
            yield self._left_over_step("suppress", "is suppressed", batch, {})

    def join_nearest(self, left: Int32s) -> Generator[Step, None, None]:
        """The records left over, one after the other, join the cluster whose centre is nearest.

        Any of them could have joined any cluster when that was made, so there was a distance
        between the two then, and that is the one taken.
        """
        if not len(left):
            return
        clusters = cluster = int(self.growth.state[CLUSTERS_CLOSED])
        positions = self.growth.position[self.growth.row[left]]
        leftovers = new_leftover_distances(self.tree, self.centre, positions, clusters)
        while cluster:
            cluster = measure_leftovers(
                self.tree,
                self.table,
                self.centre,
                self.growth,
                leftovers,
                self.task.k,
                self.spatial,
                cluster,
            )
            facts = {
                "left": count_of(len(left), "record is", "records are"),
                "k": self.task.k,
                "compared": clusters - cluster,
                "clusters": clusters,
            }
            template = (
                "{left} left, too few for a cluster of {k:,}: compared with {compared:,} of "
                f"{{clusters:,}} {plural(clusters, 'cluster')}."
            )
            yield self._step("compare", template, facts)
        whose = "centre" if self.spatial else "first record"
        place = 0
        for batch in self._batches(left):
            nearest: dict[int, int] = {}
            told: dict[str, Any] = {}
            margin = ""
            for record in batch:
                measured = self._measuring.clusters(leftovers, place) if len(batch) == 1 else None
                nearest[record], away = join_nearest_cluster(leftovers, place, self.spatial)
                place += 1
                if measured is not None:
                    told = self._measuring.where(measured, record, nearest[record])
                    margin = against(told["choice"])
            self._join(nearest)
            why = (
                f"joins cluster {{cluster:,}}, whose {whose} is nearest, at distance "
                f"{distance_text(away)}{margin}"
            )
            yield self._left_over_step("join", why, batch, told)

    def _batches(self, left: Int32s) -> Generator[list[int], None, None]:
        """The records left over, as many at a time as one step may stand for."""
        start = 0
        while start < len(left):
            batch = left[start : start + self.context.decisions_per_step].tolist()
            yield batch
            start += len(batch)

    def _join(self, clusters: dict[int, int]) -> None:
        """Let records join closed clusters."""
        touched = set(clusters.values())
        self._loss -= sum(map(self._loss_of, touched))
        for record, cluster in clusters.items():
            self.growth.labels[record] = cluster
            self._joined.setdefault(cluster, []).append(record)
        self._loss += sum(map(self._loss_of, touched))

    def _loss_of(self, cluster: int) -> float:
        return class_loss(self.task.quasi, self._members(cluster)[None, :])

    def _members(self, cluster: int) -> Int32s:
        k = self.task.k
        grown = self.growth.members[cluster * k : (cluster + 1) * k]
        return np.concatenate([grown, np.array(self._joined.get(cluster, []), dtype=np.int32)])

    def _reach(self) -> Floats:
        """Roughly how far apart the values of a category are."""
        reach, below = [], 1.0
        for attribute in self.categories:
            others = len(attribute.column.values) - 1
            if others < 2:
                reach.append(1.0)
                below = 1.0
            else:
                reach.append(max(below / others, _LEAST_REACH) if self.spatial else 0.5)
                below *= (1.0 / others) ** others
        return np.array(reach, dtype=np.float64)

    def _step(self, kind: str, template: str, facts: dict[str, Any]) -> Step:
        """A decision, with the running totals; NCP is that of the closed classes so far."""
        closed, size = int(self.growth.state[CLUSTERS_CLOSED]), int(self.growth.state[GROWING_SIZE])
        published = closed * self.task.k + sum(map(len, self._joined.values()))
        decided = published + self._suppressed
        counters = {
            "clusters": closed + (size > 0),
            "placed": published + size,
            "remaining": self.task.n - decided - size,
            "ncp": (max(self._loss, 0.0) + self._suppressed) / max(decided, 1),
        }
        return Step(kind, template, facts, counters, progress=(decided + size) / self.task.n)

    def _sort_step(self) -> Step:
        facts = {
            "n": self.task.n,
            "sorted_by": self.sorted_by.name,
            "values": len(self.sorted_by.column.values),
        }
        template = (
            "Sort the {n:,} records by {sorted_by}, the attribute with most values ({values:,})."
        )
        facts |= begun(self.growth.order) if self.context.watched else {}
        return self._step("sort", template, facts)

    def _growth_step(
        self, kind: str, away: float, measured: Measured | None, drawn: dict[str, Any]
    ) -> Step:
        """One start, join or close."""
        closed, size = int(self.growth.state[CLUSTERS_CLOSED]), int(self.growth.state[GROWING_SIZE])
        if kind == "close":
            members = self._members(closed - 1)
            box = in_words(self.task.quasi, [a.column.codes[members] for a in self.task.quasi])
            facts: dict[str, Any] = {
                "cluster": closed,
                "k": count_of(self.task.k, "record"),
                "box": box,
            }
            template = "Cluster {cluster:,} is closed with {k}: {box}."
            return self._step(kind, template, facts | drawn)
        start = closed * self.task.k
        first, last = self.growth.members[[start, start + size - 1]].tolist()
        facts = self._facts(last) | {"cluster": closed + 1, "size": size} | drawn
        if kind == "start":
            row = int(self.growth.row[first])
            facts["sorted_by"] = self.sorted_by.name
            facts["compared"] = compared(
                self.categories, self.table, self.centre.distance, first, row, self.spatial
            )
            template = (
                "Record {record:,} ({values}) is the first left by {sorted_by} and starts "
                "cluster {cluster:,}.{compared}"
            )
            return self._step(kind, template, facts)
        whom, margin = "its centre" if self.spatial else "record {first:,}", ""
        if measured is not None:
            facts |= self._measuring.nearest(measured, last, first, closed + 1)
            margin = against(facts["choice"])
        template = (
            "Record {record:,} ({values}) joins cluster {cluster:,} as number {size:,} of {k:,}: "
            f"it is nearest to {whom}, at distance {distance_text(away)}{margin}."
        )
        return self._step(kind, template, facts | {"first": first + 1, "distance": away})

    def _left_over_step(
        self, kind: str, why: str, batch: Sequence[int], told: dict[str, Any]
    ) -> Step:
        """What becomes of records left over."""
        if self.context.watched:
            records = np.array(batch, dtype=np.int64)
            gone = np.full(len(batch), SUPPRESSED)
            told |= placed_facts(
                records, gone if kind == "suppress" else self.growth.labels[records]
            )
        if len(batch) > 1:
            what = "suppressed" if kind == "suppress" else "placed in clusters"
            facts: dict[str, Any] = {"count": len(batch), "what": what} | told
            return self._step(kind, "{count:,} records that were left over are {what}.", facts)
        facts = self._facts(batch[0]) | {"cluster": int(self.growth.labels[batch[0]]) + 1} | told
        template = f"Fewer than {{k:,}} are left, so record {{record:,}} ({{values}}) {why}."
        return self._step(kind, template, facts)

    def _facts(self, record: int) -> dict[str, Any]:
        values = [a.column.values[a.column.codes[record]] for a in self.task.quasi]
        return {"record": record + 1, "values": ", ".join(values), "k": self.task.k}


def _sorted(quasi: Sequence[QuasiIdentifier]) -> tuple[QuasiIdentifier, Int32s]:
    """The quasi-identifier with most distinct values, and the records sorted by it."""
    lines = [ranks(attribute) for attribute in quasi]
    x = max(range(len(quasi)), key=lambda x: int(lines[x].max()))
    codes = quasi[x].column.codes
    keys = lines[x][codes] if quasi[x].ordered else codes  # categories as text, not as in a tree
    return quasi[x], np.argsort(keys, kind="stable").astype(np.int32)


def _occurring(category: QuasiIdentifier) -> QuasiIdentifier:
    """A category with the values that occur alone: in a part of a table these need not be all."""
    column = category.column
    there = column.counts > 0
    if there.all():
        return category
    dense = column.with_values(np.flatnonzero(there), (np.cumsum(there) - 1)[column.codes])
    return replace(category, column=dense)
