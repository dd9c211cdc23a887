"""The distinct values of groups of records, counted once for all callers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Flags, Int64s

_DENSE = 2  # the most cells of a table of all pairs per entry
_NARROW = 2**31  # keys below it are sorted as smaller numbers, which is twice as fast
_BITS = 63  # bits of a number
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2**64 / golden ratio


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The distinct values of every group of records, as sorted (group, value) pairs."""

    count: int
    """The number of groups; a group whose cells are all hidden has no pair."""
    group: Int64s
    code: Int64s
    records: Int64s
    """The number of records of the group that have the value."""

    @classmethod
    def from_records(
        cls,
        groups: npt.NDArray[np.integer],
        codes: npt.NDArray[np.integer],
        count: int,
        records: npt.NDArray[np.integer] | None = None,
    ) -> GroupValues:
        """Collapse records to pairs; records with a negative group are passed over.

        With `records` given, entry i stands for so many records.
        """
        width = int(codes.max()) + 1 if len(codes) else 1
        if len(groups) and groups.min() < 0:
            shown = groups >= 0
            groups, codes = groups[shown], codes[shown]
            records = None if records is None else records[shown]
        number = np.int32 if count * width < _NARROW else np.int64
        keys: npt.NDArray[np.integer] = groups.astype(number)
        keys *= width
        keys += codes.astype(keys.dtype, copy=False)
        if count * width <= _DENSE * len(keys):  # a table of all pairs is quicker than sorting
            table = np.bincount(keys, weights=records, minlength=count * width).astype(np.int64)
            pairs = np.flatnonzero(table)
            found = table[pairs]
        elif records is None:
            keys.sort()
            begins = np.flatnonzero(keys[1:] != keys[:-1]) + 1
            starts = np.concatenate([[0], begins]) if len(keys) else begins
            pairs = keys[starts].astype(np.int64)
            found = np.diff(starts, append=len(keys))
        else:
            pairs, found = _summed(keys.astype(np.int64, copy=False), records)
        return cls(count, *_halves(pairs, width), found)

    @cached_property
    def starts(self) -> Int64s:
        """The index of the first pair of each group, and the number of pairs at the end."""
        each = np.bincount(self.group, minlength=self.count)
        return np.concatenate([[0], np.cumsum(each)])

    @cached_property
    def distinct(self) -> Int64s:
        """The number of distinct values of every group."""
        return np.diff(self.starts)

    @cached_property
    def sizes(self) -> Int64s:
        """The number of records of every group, none of which may be empty."""
        sums: Int64s = np.add.reduceat(self.records, self.starts[:-1])
        return sums

    @cached_property
    def same_sets(self) -> tuple[Int64s, Int64s]:
        """Per group a number shared by groups with the same values, and a group of each number."""
        mixed = (self.code.astype(np.uint64) + np.uint64(1)) * _MIX
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
        sums = np.concatenate([[np.uint64(0)], np.cumsum(mixed ^ (mixed >> np.uint64(32)))])
        _, examples, same = np.unique(
            sums[self.starts[1:]] - sums[self.starts[:-1]], return_index=True, return_inverse=True
        )
        example = examples[same]
        beside = np.arange(len(self.code)) + np.repeat(
            self.starts[example] - self.starts[:-1], self.distinct
        )
        alike = np.array_equal(self.distinct, self.distinct[example])
        if not alike or not np.array_equal(self.code, self.code[beside]):
            every = np.arange(self.count)  # different sets share a sum: treat each group as a set
            return every, every
        return same, examples

    def without(self, code: int) -> tuple[Int64s, GroupValues] | None:
        """Return the groups without one value, as `only` does; None where no group has it.

        Several who ask get the same, with what is known of it.
        """
        if code not in self._without:
            shown = self.code != code
            self._without[code] = None if shown.all() else self.only(shown)
        return self._without[code]

    @cached_property
    def _without(self) -> dict[int, tuple[Int64s, GroupValues] | None]:
        return {}

    def only(self, shown: Flags) -> tuple[Int64s, GroupValues]:
        """Return the groups that have any of the flagged pairs, and these pairs renumbered."""
        there, group = np.unique(self.group[shown], return_inverse=True)
        return there, GroupValues(len(there), group, self.code[shown], self.records[shown])

    def stretch_ends(
        self, stretches: npt.NDArray[np.integer]
    ) -> tuple[Int64s, Int64s, npt.NDArray[np.bool_]]:
        """Return the first and last code of the stretch of a group's values, and if it has several.

        `stretches` has the stretch of every code and rises. A group in several has its own ends.
        """
        low, high = self.ends(self.code)
        several = (low >= 0) & (stretches[low] != stretches[high])
        snapped = (low >= 0) & ~several
        low[snapped] = np.searchsorted(stretches, stretches[low[snapped]], "left")
        high[snapped] = np.searchsorted(stretches, stretches[high[snapped]], "right") - 1
        return low, high, several

    def relabelled(self, labels: npt.NDArray[np.integer]) -> GroupValues:
        """Return the pairs with every value replaced by its label."""
        width = np.int64(labels.max()) + 1
        pairs, records = _summed(self.group * width + labels[self.code], self.records)
        return GroupValues(self.count, *_halves(pairs, int(width)), records)

    def ends(self, per_pair: npt.NDArray[np.integer]) -> tuple[Int64s, Int64s]:
        """Return the smallest and largest number of each group's pairs; -1 without pairs."""
        low = np.full(self.count, -1, dtype=np.int64)
        high = low.copy()
        there = np.flatnonzero(self.distinct)
        if len(there) and per_pair is self.code:  # it rises within a group
            low[there] = per_pair[self.starts[there]]
            high[there] = per_pair[self.starts[there + 1] - 1]
        elif len(there):
            low[there] = np.minimum.reduceat(per_pair, self.starts[there])
            high[there] = np.maximum.reduceat(per_pair, self.starts[there])
        return low, high


def _halves(pairs: Int64s, width: int) -> tuple[Int64s, Int64s]:
    """Return the groups and the codes of keys that hold both."""
    groups: Int64s = pairs // width
    return groups, pairs - groups * width  # quicker than a remainder


def _summed(keys: Int64s, records: npt.NDArray[np.integer]) -> tuple[Int64s, Int64s]:
    """Return the distinct keys, rising, and the sum of their records."""
    if not len(keys):
        return keys, np.zeros(0, dtype=np.int64)
    bits = int(records.max()).bit_length()
    if int(keys.max()).bit_length() + bits <= _BITS:  # sorting both as one number is quickest
        both = np.sort((keys << bits) | records)
        keys, records = both >> bits, both & ((1 << bits) - 1)
    else:
        order = np.argsort(keys)
        keys, records = keys[order], records[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return keys[starts], np.add.reduceat(records, starts, dtype=np.int64)
