"""The distinct values that groups of records hold, counted once for all who ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Flags, Int64s

__all__ = ["GroupValues"]


_DENSE = 8  # cells of a table of all pairs per entry


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The distinct values of every group of records, as sorted (group, value) pairs."""

    count: int
    """Number of groups; one whose cells are all hidden has no pair."""
    group: Int64s
    code: Int64s
    records: Int64s
    """How many records of the group have the value."""

    @classmethod
    def of(
        cls,
        groups: npt.NDArray[np.integer],
        codes: npt.NDArray[np.integer],
        count: int,
        records: npt.NDArray[np.integer] | None = None,
    ) -> GroupValues:
        """Collapse records to pairs; records with a negative group are passed over.

        With `records` given, entry i stands for so many records.
        """
        width = np.int64(codes.max()) + 1 if len(codes) else np.int64(1)
        shown = groups >= 0
        keys = groups[shown] * width + codes[shown]
        each = None if records is None else records[shown]
        if count * width <= _DENSE * len(keys):  # a table of all pairs is quicker than sorting
            table = np.bincount(keys, weights=each, minlength=int(count * width)).astype(np.int64)
            pairs = np.flatnonzero(table)
            found = table[pairs]
        elif each is None:
            pairs, found = np.unique(keys, return_counts=True)
        else:
            pairs, place = np.unique(keys, return_inverse=True)
            found = np.bincount(place, weights=each, minlength=len(pairs)).astype(np.int64)
        return cls(count, pairs // width, pairs % width, found)

    @cached_property
    def starts(self) -> Int64s:
        """Where the pairs of each group begin, and where the last group's end."""
        return np.searchsorted(self.group, np.arange(self.count + 1))

    @cached_property
    def distinct(self) -> Int64s:
        """Number of distinct values of every group."""
        return np.diff(self.starts)

    @cached_property
    def sizes(self) -> Int64s:
        """Records of every group, none of which may be empty."""
        sums: Int64s = np.add.reduceat(self.records, self.starts[:-1])
        return sums

    def only(self, shown: Flags) -> tuple[Int64s, GroupValues]:
        """The groups that have any of some pairs, and these pairs with groups numbered anew."""
        there, group = np.unique(self.group[shown], return_inverse=True)
        return there, GroupValues(len(there), group, self.code[shown], self.records[shown])

    def stretch_ends(
        self, stretches: npt.NDArray[np.integer]
    ) -> tuple[Int64s, Int64s, npt.NDArray[np.bool_]]:
        """First and last code of the stretch that a group's values lie in, and if in several.

        `stretches` has the stretch of every code and rises. A group in several has its own ends.
        """
        low, high = self.ends(self.code)
        several = (low >= 0) & (stretches[low] != stretches[high])
        snapped = (low >= 0) & ~several
        low[snapped] = np.searchsorted(stretches, stretches[low[snapped]], "left")
        high[snapped] = np.searchsorted(stretches, stretches[high[snapped]], "right") - 1
        return low, high, several

    def relabelled(self, labels: npt.NDArray[np.integer]) -> GroupValues:
        """The same records by labels of their values."""
        width = np.int64(labels.max()) + 1
        pairs, place = np.unique(self.group * width + labels[self.code], return_inverse=True)
        records = np.zeros(len(pairs), dtype=self.records.dtype)
        np.add.at(records, place, self.records)
        return GroupValues(self.count, pairs // width, pairs % width, records)

    def ends(self, per_pair: npt.NDArray[np.integer]) -> tuple[Int64s, Int64s]:
        """Smallest and largest of some number per group; -1 for a group without pairs."""
        low = np.full(self.count, -1, dtype=np.int64)
        high = low.copy()
        there = np.flatnonzero(self.distinct)
        if len(there):
            low[there] = np.minimum.reduceat(per_pair, self.starts[there])
            high[there] = np.maximum.reduceat(per_pair, self.starts[there])
        return low, high
