"""Classes as boxes whose NCP can be asked for before they are merged.

For every quasi-identifier there is a column of boxes, one box per class, that knows the NCP of the
union of one class with each of the others at once. `ClassBoxes` adds them up: what a merge costs is
how much more its records lose,

    (|a| + |b|) · NCP(a ∪ b) − |a| · NCP(a) − |b| · NCP(b)

with the NCP of a class summed over the attributes by their weights. Hidden cells are no part of a
box. A merge costs one pass over the classes.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from kanon_tui.core.metrics.ncp import cover_penalty, range_penalty
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.column import counted
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier, Task

__all__ = ["ClassBoxes"]


class Boxes(Protocol):
    """One attribute of every class."""

    def ncp(self) -> Floats:
        """NCP of every class."""

    def unions(self, one: int, others: Int64s) -> Floats:
        """NCP of the unions of one class with others."""

    def absorb(self, one: int, other: int) -> None:
        """Widen the box of another class so that it covers that of the one."""


class ClassBoxes:
    """All classes of a clustering."""

    def __init__(self, task: Task, labels: Int64s, hidden: Flags | None = None) -> None:
        there, copies = labels >= 0, task.copies
        each = None if copies is None else copies[there]
        self.sizes: Int64s = counted(labels[there], each)
        self._columns: list[tuple[float, Boxes]] = []
        self._own = np.zeros(len(self.sizes))
        for x, attribute in enumerate(task.quasi):
            shown = labels if hidden is None else np.where(hidden[:, x], -1, labels)
            values = GroupValues.from_records(
                shown, attribute.column.codes, len(self.sizes), copies
            )
            boxes = _boxes(attribute, values)
            self._columns.append((attribute.weight, boxes))
            self._own += attribute.weight * boxes.ncp()

    def costs(self, one: int, others: Int64s) -> Floats:
        """How much more is lost when one class is merged with each of some others."""
        apart = self.sizes[others] * self._own[others] + self.sizes[one] * self._own[one]
        together = (self.sizes[others] + self.sizes[one]) * self._unions(one, others)
        return np.asarray(together - apart, dtype=np.float64)

    def merge(self, one: int, other: int) -> None:
        """Put one class into another; the one is empty from then on."""
        self._own[other] = self._unions(one, np.array([other]))[0]
        for _, boxes in self._columns:
            boxes.absorb(one, other)
        self.sizes[other] += self.sizes[one]
        self.sizes[one] = 0

    @property
    def ncp(self) -> float:
        """Mean over the records."""
        return float((self.sizes * self._own).sum() / self.sizes.sum())

    def _unions(self, one: int, others: Int64s) -> Floats:
        total = np.zeros(len(others))
        for weight, boxes in self._columns:
            total += weight * boxes.unions(one, others)
        return total


def _boxes(attribute: QuasiIdentifier, values: GroupValues) -> Boxes:
    if attribute.ordered:
        return _Ranges(attribute, values)
    return _Nodes(attribute, values) if attribute.publishes_ancestor else _Sets(attribute, values)


class _Ranges:
    """Numbers and dates: lowest and highest value; everything is lost where missing joins them."""

    def __init__(self, attribute: QuasiIdentifier, values: GroupValues) -> None:
        numbers, missing = attribute.column.numbers, attribute.column.missing
        assert numbers is not None
        self._attribute = attribute
        there = values.code != (-1 if missing is None else missing)
        self._low = np.full(values.count, np.inf)
        self._high = np.full(values.count, -np.inf)
        np.minimum.at(self._low, values.group[there], numbers[values.code[there]])
        np.maximum.at(self._high, values.group[there], numbers[values.code[there]])
        self._missing = np.zeros(values.count, dtype=bool)
        self._missing[values.group[~there]] = True

    def ncp(self) -> Floats:
        return self._lost(self._low, self._high, self._missing)

    def unions(self, one: int, others: Int64s) -> Floats:
        low = np.minimum(self._low[others], self._low[one])
        high = np.maximum(self._high[others], self._high[one])
        return self._lost(low, high, self._missing[others] | self._missing[one])

    def _lost(self, low: Floats, high: Floats, missing: Flags) -> Floats:
        wide = range_penalty(self._attribute, np.maximum(high - low, 0.0))
        return np.where(missing & (low <= high), 1.0, wide)

    def absorb(self, one: int, other: int) -> None:
        self._low[other] = min(self._low[other], self._low[one])
        self._high[other] = max(self._high[other], self._high[one])
        self._missing[other] |= self._missing[one]


class _Nodes:
    """Categories with a hierarchy: at which level all values agree, and any one of them."""

    def __init__(self, attribute: QuasiIdentifier, values: GroupValues) -> None:
        tree = self._tree = attribute.hierarchy
        covered = [tree.covered(level)[labels] for level, labels in enumerate(tree.maps)]
        self._loss = cover_penalty(attribute, np.array(covered))  # by level and value
        self._common_levels: dict[int, npt.NDArray[np.int8]] = {}
        self._any = np.full(values.count, -1, dtype=np.int64)
        self._any[values.group] = values.code
        self._level = tree.common_ancestors(values)[0]

    def ncp(self) -> Floats:
        return self._lost(self._level, self._any)

    def unions(self, one: int, others: Int64s) -> Floats:
        return self._lost(*self._union(one, others))

    def _lost(self, level: Int64s, value: Int64s) -> Floats:
        return np.where(value < 0, 0.0, self._loss[level, value])

    def _union(self, one: int, others: Int64s) -> tuple[Int64s, Int64s]:
        """Of the unions: the level of agreement, and one of the values."""
        own, value = int(self._any[one]), self._any[others]
        level = np.maximum(self._level[others], self._level[one])
        if own < 0:
            return level, value
        value = np.where(value < 0, own, value)
        if own not in self._common_levels:
            self._common_levels[own] = self._tree.common_levels(own).astype(np.int8)
        return np.maximum(level, self._common_levels[own][value]), value

    def absorb(self, one: int, other: int) -> None:
        level, value = self._union(one, np.array([other]))
        self._level[other], self._any[other] = level[0], value[0]


class _Sets:
    """Categories without a hierarchy: the set of values, as bits."""

    def __init__(self, attribute: QuasiIdentifier, values: GroupValues) -> None:
        self._attribute = attribute
        words = -(-len(attribute.column.values) // 64)
        self._bits = np.zeros((values.count, words), dtype=np.uint64)
        bit = np.uint64(1) << (values.code % 64).astype(np.uint64)
        np.bitwise_or.at(self._bits, (values.group, values.code // 64), bit)

    def ncp(self) -> Floats:
        return self._lost(self._bits)

    def unions(self, one: int, others: Int64s) -> Floats:
        return self._lost(self._bits[others] | self._bits[one])

    def _lost(self, bits: npt.NDArray[np.uint64]) -> Floats:
        count = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        return cover_penalty(self._attribute, count)

    def absorb(self, one: int, other: int) -> None:
        self._bits[other] |= self._bits[one]
