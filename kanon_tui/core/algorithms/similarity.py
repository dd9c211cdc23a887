"""What `sbc` and `sd` share: classes of k grown from the first record left, by similarity."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.box_words import in_words, records
from kanon_tui.core.features import Floats, Ints, collapse, places, ranks
from kanon_tui.core.run import Grouping, Step
from kanon_tui.core.task import QuasiIdentifier, Task

__all__ = ["Similarity"]

_CLOSED, _SIZE = 1, 2  # what `Growth.state` holds
_VALUES_NAMED = 3
_LEAST_REACH = 1e-6


class Similarity:
    """Classes of one table under construction.

    Equal records are one row of a tree of boxes, and contingency tables are kept up to date instead
    of being counted again for every class; see `kernels.similarity` and `kernels.contingency`.
    `spatial` chooses the contexts, distances and moving centre of `sd`.
    """

    def __init__(self, task: Task, spatial: bool) -> None:
        from kanon_tui.core.kernels.box_tree import grow_tree
        from kanon_tui.core.kernels.contingency import new_contingency
        from kanon_tui.core.kernels.similarity import Growth, new_centre

        self.task, self.spatial = task, spatial
        self.numbers = [attribute for attribute in task.quasi if attribute.ordered]
        self.categories = sorted(
            (attribute for attribute in task.quasi if not attribute.ordered),
            key=lambda attribute: len(attribute.column.values),
        )
        self.sorted_by, order = _sorted(task.quasi)
        distinct = collapse([attribute.column.codes for attribute in task.quasi])
        first = distinct.first
        codes = [attribute.column.codes[first] for attribute in self.categories]
        numbers = [places(attribute)[attribute.column.codes[first]] for attribute in self.numbers]
        self.table = new_contingency(
            codes,
            [attribute.column.missing for attribute in self.categories],
            distinct.counts,
            task.k,
            spatial,
        )
        self.tree = grow_tree(
            np.array(numbers, dtype=np.float64).reshape(-1, len(first)).T.copy(),
            np.array(codes, dtype=np.int32).reshape(-1, len(first)).T.copy(),
            self._reach(),
            first,
        )
        self.centre = new_centre(self.tree, int(self.table.offsets[-1]))
        self.growth = Growth(
            order=order,
            row=distinct.number,
            position=np.argsort(self.tree.row).astype(np.int32),
            records=distinct.records,
            begin=distinct.starts[:-1].copy(),
            end=distinct.starts[1:].copy(),
            members=np.full(task.n, -1, dtype=np.int32),
            labels=np.full(task.n, -1, dtype=np.int32),
            state=np.zeros(4, dtype=np.int64),
        )
        self._joined: dict[int, list[int]] = {}
        self._left_over = 0
        self._suppressed = 0
        self._loss = 0.0  # NCP of the closed classes, summed over their records

    def grouping(self, notes: tuple[str, ...] = ()) -> Grouping:
        """What has been decided."""
        search = {
            "sorted_by": self.sorted_by.name,
            "clusters": int(self.growth.state[_CLOSED]),
            "left_over": self._left_over,
        }
        return Grouping(self.growth.labels, search=search, notes=notes)

    def grow(self) -> Generator[Step, None, Ints]:
        """Make classes while k records are left; returns those left over, as sorted."""
        from kanon_tui.core.kernels.similarity import CLOSED, GROWN, STARTED, advance

        kinds = {STARTED: "start", GROWN: "grow", CLOSED: "close"}
        known = (self.tree, self.table, self.centre, self.growth)
        k, state = self.task.k, self.growth.state
        while True:
            closed = int(state[_CLOSED])
            made, kind, distance = advance(*known, k, self.spatial, self.task.pace.decisions)
            if not made:
                break
            new = self.growth.members[closed * k : int(state[_CLOSED]) * k].reshape(-1, k)
            self._loss += _loss(self.task.quasi, new)
            if made == 1:
                yield self._step(kinds[kind], *self._told(kind, distance))
            else:
                facts = {"new": len(new), "closed": int(state[_CLOSED]), "k": k}
                template = "{new:,} classes of {k:,} records closed; that makes {closed:,}."
                yield self._step("close", template, facts)
        order = self.growth.order
        left = order[self.growth.labels[order] < 0]
        self._left_over = len(left)
        return left

    def join_last(self, left: Ints) -> Generator[Step, None, None]:
        """The records left over join the class that was made last."""
        last = int(self.growth.state[_CLOSED]) - 1
        template = (
            "Record {record:,} ({values}) is left over, with too few others for a class of {k:,}: "
            "it joins the last one, {cluster:,}."
        )
        for batch in self._batches(left):
            self._join({int(record): last for record in batch})
            yield self._placed("join", template, batch)

    def suppress(self, left: Ints) -> Generator[Step, None, None]:
        """The records left over are not published."""
        template = (
            "Record {record:,} ({values}) is left over, with too few others for a class of {k:,}: "
            "it is suppressed."
        )
        for batch in self._batches(left):
            self._suppressed += len(batch)
            yield self._placed("suppress", template, batch)

    def join_nearest(self, left: Ints) -> Generator[Step, None, None]:
        """The records left over join the nearest class, one after the other.

        Every one of them could have joined any class when that was made, so its distance from a
        class is taken as it was then.
        """
        from kanon_tui.core.kernels.similarity import LeftOver, join, recall

        if not len(left):
            return
        clusters = cluster = int(self.growth.state[_CLOSED])
        position = self.growth.position[self.growth.row[left]]
        numbers, categories = len(self.numbers), len(self.categories)
        left_over = LeftOver(
            place=self.tree.places[position],
            value=(self.tree.labels[position] + self.table.offsets[:-1]).astype(np.int32),
            total=np.zeros((clusters, numbers)),
            terms=np.zeros((clusters, numbers), dtype=np.int64),
            blank=np.zeros((clusters, numbers), dtype=np.bool_),
            category=np.zeros((clusters, len(left), categories)),
        )
        known = (self.tree, self.table, self.centre, self.growth, left_over)
        while cluster:
            cluster = recall(*known, self.task.k, self.spatial, cluster)
            facts = {"left": records(len(left)), "k": self.task.k, "compared": clusters - cluster}
            template = "{left} left over, too few for {k:,}: compared with {compared:,} classes."
            yield self._step("compare", template, facts)

        whose = "centre" if self.spatial else "first record"
        template = (
            f"Record {{record:,}} ({{values}}) is left over and joins class {{cluster:,}}, whose "
            f"{whose} is nearest, at distance {{distance:.3g}}."
        )
        places_left = iter(range(len(left)))
        for batch in self._batches(left):
            nearest = {}
            for record in batch:
                nearest[int(record)], distance = join(left_over, next(places_left), self.spatial)
            self._join(nearest)
            yield self._placed("join", template, batch, distance)

    def _batches(self, left: Ints) -> Generator[Ints, None, None]:
        """The records left over, as many at a time as one step may stand for."""
        start = 0
        while start < len(left):
            batch = left[start : start + self.task.pace.decisions]
            yield batch
            start += len(batch)

    def _join(self, clusters: dict[int, int]) -> None:
        """Let left-over records join closed classes."""
        touched = set(clusters.values())
        self._loss -= sum(self._loss_of(cluster) for cluster in touched)
        for record, cluster in clusters.items():
            self.growth.labels[record] = cluster
            self._joined.setdefault(cluster, []).append(record)
        self._loss += sum(self._loss_of(cluster) for cluster in touched)

    def _loss_of(self, cluster: int) -> float:
        return _loss(self.task.quasi, self._members(cluster)[None, :])

    def _members(self, cluster: int) -> Ints:
        """The records of a class, in the order in which they joined."""
        k = self.task.k
        grown = self.growth.members[cluster * k : (cluster + 1) * k]
        return np.concatenate([grown, np.array(self._joined.get(cluster, []), dtype=np.int32)])

    def _reach(self) -> Floats:
        """How much the values of a category can differ, roughly: decides where the tree divides."""
        reach, below = [], 1.0
        for attribute in self.categories:
            others = len(attribute.column.values) - 1
            if others < 2:
                reach.append(1.0)
                below = 1.0
            else:
                reach.append(max(below / others, _LEAST_REACH) if self.spatial else 0.5)
                below *= math.exp(-min(others * math.log(others), 700.0))  # others ** -others
        return np.array(reach, dtype=np.float64)

    # --- in words -----------------------------------------------------------------------------

    def _step(self, kind: str, template: str, facts: dict[str, Any]) -> Step:
        """A decision, with the running totals; NCP is that of the records in closed classes."""
        closed, size = int(self.growth.state[_CLOSED]), int(self.growth.state[_SIZE])
        settled = closed * self.task.k + sum(map(len, self._joined.values())) + self._suppressed
        counters = {
            "clusters": closed + (size > 0),
            "placed": settled + size - self._suppressed,
            "remaining": self.task.n - settled - size,
            "ncp": (max(self._loss, 0.0) + self._suppressed) / max(settled, 1),
        }
        return Step(kind, template, facts, counters, progress=(settled + size) / self.task.n)

    def _placed(self, kind: str, template: str, batch: Ints, distance: float = 0.0) -> Step:
        """A step about records left over."""
        if len(batch) > 1:
            what = "suppressed" if kind == "suppress" else "placed in classes"
            facts: dict[str, Any] = {"count": len(batch), "what": what}
            return self._step(kind, "{count:,} records that were left over are {what}.", facts)
        record = int(batch[0])
        facts = self._facts(record) | {"distance": distance}
        return self._step(kind, template, facts | {"cluster": int(self.growth.labels[record]) + 1})

    def _facts(self, record: int) -> dict[str, Any]:
        texts = [a.column.values[a.column.codes[record]] for a in self.task.quasi]
        return {"record": record + 1, "values": ", ".join(texts), "k": self.task.k}

    def _told(self, kind: int, distance: float) -> tuple[str, dict[str, Any]]:
        """The last decision as a template and its facts."""
        from kanon_tui.core.kernels.similarity import CLOSED, STARTED

        closed, size = int(self.growth.state[_CLOSED]), int(self.growth.state[_SIZE])
        if kind == CLOSED:
            codes = [a.column.codes[self._members(closed - 1)] for a in self.task.quasi]
            box = f"{records(self.task.k)}, {in_words(self.task.quasi, codes)}"
            return "Class {cluster:,} is closed: {box}.", {"cluster": closed, "box": box}
        members = self.growth.members[closed * self.task.k :][:size]
        facts = self._facts(int(members[-1]))
        facts |= {"cluster": closed + 1, "size": size, "first": int(members[0]) + 1}
        if kind == STARTED:
            facts |= {"sorted_by": self.sorted_by.name, "measured": self._measured(members[0])}
            return (
                "Record {record:,} ({values}), the first left in the order of {sorted_by}, starts "
                "class {cluster:,}{measured}.",
                facts,
            )
        whom = "the centre of class {cluster:,}" if self.spatial else "record {first:,}"
        return (
            f"Record {{record:,}} ({{values}}) is nearest to {whom}, at distance {{distance:.3g}}: "
            f"class {{cluster:,}} has {{size:,}} of {{k:,}} records.",
            facts | {"distance": distance},
        )

    def _measured(self, record: int) -> str:
        """How the values of the record that starts a class compare with others: `; sex …`."""
        table, row = self.table, int(self.growth.row[record])
        told = ""
        for y in np.flatnonzero(table.chosen >= 0).tolist():
            group = int(table.chosen[y])
            cells = slice(int(table.starts[group]), int(table.starts[group + 1]))
            counts = dict(
                zip(table.value[cells].tolist(), table.counts[cells].tolist(), strict=True)
            )
            own = slice(int(table.columns[y]), int(table.columns[y + 1]))
            conditions = own.stop - 1 - own.start
            while table.group[table.cell[row, own.stop - 1 - conditions]] != group:
                conditions -= 1
            told += "; " + self._compared(y, record, counts, int(table.size[group]), conditions)
        return told

    def _compared(
        self, y: int, record: int, counts: dict[int, int], total: int, conditions: int
    ) -> str:
        """`nationality among the 9 with gender Male: Japan 4/9, US 4/9 at 0.5, Iran 1/9 at 1`."""
        column = self.categories[y].column
        offset, own = int(self.table.offsets[y]), int(column.codes[record])
        distances = self.centre.distance[offset : offset + len(column.values)]
        left = self.table.counts[offset : offset + len(column.values)] > 0
        others = [v for v in np.argsort(distances, kind="stable").tolist() if left[v] and v != own]
        where = [
            f"{a.name} {a.column.values[a.column.codes[record]]}"
            for a in (self.categories[:y] if self.spatial else self.categories[y - 1 : y])
        ][:conditions]
        among = "with " + " and ".join(where) if where else "left"
        shown = [
            f"{column.values[v]} {counts.get(v, 0):,}/{total:,} at {distances[v]:.3g}"
            for v in (others if len(others) <= _VALUES_NAMED + 1 else others[:_VALUES_NAMED])
        ]
        if len(shown) < len(others):
            shown.append(f"{len(others) - len(shown):,} values further away")
        return (
            f"{column.name} among the {total:,} {among}: {column.values[own]} "
            f"{counts[own]:,}/{total:,}, {', '.join(shown)}"
        )


def _sorted(quasi: Sequence[QuasiIdentifier]) -> tuple[QuasiIdentifier, Ints]:
    """The quasi-identifier with most distinct values, and the records sorted by it."""
    lines = [ranks(attribute) for attribute in quasi]
    x = max(range(len(quasi)), key=lambda x: int(lines[x].max()))
    codes = quasi[x].column.codes
    keys = lines[x][codes] if quasi[x].ordered else codes
    return quasi[x], np.argsort(keys, kind="stable").astype(np.int32)


def _loss(quasi: Sequence[QuasiIdentifier], classes: Ints) -> float:
    """NCP of classes × records, summed over the records."""
    total = np.zeros(len(classes))
    for attribute in quasi:
        values = len(attribute.column.values)
        codes = np.sort(attribute.column.codes[classes], axis=1)
        if attribute.column.numbers is not None:
            ends = attribute.column.numbers[codes[:, [0, -1]]]
            width = (ends[:, 1] - ends[:, 0]) / (attribute.domain_width or 1.0)
            share = np.where(np.isnan(width), codes[:, 0] != codes[:, -1], width)
        else:
            covered = _covered(attribute, codes)
            share = np.where(covered > 1, covered / values, 0.0)
        total += attribute.weight * share
    return float(total.sum() * classes.shape[1])


def _covered(attribute: QuasiIdentifier, codes: Ints) -> npt.NDArray[np.int64]:
    """How many values the published category of each class covers; its codes are sorted."""
    if not attribute.hierarchy_given:
        return np.asarray(1 + (np.diff(codes, axis=1) > 0).sum(axis=1), dtype=np.int64)
    covered = np.zeros(len(codes), dtype=np.int64)
    for level in range(attribute.hierarchy.height, -1, -1):
        labels = attribute.hierarchy.maps[level][codes]
        agree = (labels == labels[:, :1]).all(axis=1)
        covered[agree] = attribute.hierarchy.covered(level)[labels[agree, 0]]
    return covered
