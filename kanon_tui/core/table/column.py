"""A column of texts becomes integer codes, with numbers or days beside them.

The texts are what is published, so they are never rewritten: `01`, `1` and `1.0` stay three values.
Algorithms work on the codes, and a value's code is its rank, so that for numbers and dates
comparing codes compares the values themselves.

The work is done on the distinct texts, not on the cells: find them, sort them by what they mean,
and join the codes back. That costs O(n) hashing plus a sort of the distinct texts.

`GroupValues` are the distinct values that groups of records hold, counted once for all callers.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.cell_codes import text_series
from kanon_tui.core.table.scaled_numbers import ScaledNumbers
from kanon_tui.core.table.value_formats import PLAIN, NumberFormat, parse_dates
from kanon_tui.core.table.value_formats import Kind as Kind

MISSING_TOKENS = ("", "?", "NA")
CHANGED = "the data changed while it was read; run again when nobody writes to it"


class Role(StrEnum):
    """The treatment of an attribute when the table is published."""

    IDENTIFIER = "identifier"  # never published
    PERSON = "person"  # never published; its records are one person's, and privacy counts people
    QUASI = "quasi"  # generalised
    SENSITIVE = "sensitive"  # published as it is; protected by l-diversity and similar models
    OTHER = "other"  # published as it is
    WEIGHT = "weight"  # a survey weight: for the risk in a population; published only when asked

    @property
    def published(self) -> bool:
        """Whether a release has the attribute at all."""
        return self not in (Role.IDENTIFIER, Role.PERSON, Role.WEIGHT)


@dataclass(frozen=True, eq=False, repr=False)
class EndCoding:
    """The coding of a column's ends (see `column_coding`), with the values it hides."""

    top: float | None
    bottom: float | None
    top_text: str | None
    """The published text of values at or above `top`, also if there are none."""
    bottom_text: str | None
    new_code: NDArray[np.int32]
    """The code of every value before coding."""
    covered: NDArray[np.int64]
    """The number of original values that each value stands for."""
    original: Floats
    """The distinct numbers before coding, rising."""


@dataclass(frozen=True, eq=False, repr=False)
class Spellings:
    """The spellings of the values of a column in which all spellings of a value have one code."""

    column: "Column"
    """The column as it is spelt."""
    missing_tokens: tuple[str, ...]
    codes: tuple[int, ...]
    """The code of every value of the column as it is spelt."""


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One attribute as codes: `values[codes[i]]` is the cell of record i.

    In a counted table a row stands for several equal records (`copies`).

    Missing cells are one value whatever token stood there: the last one, printed as the first
    token (in the order of the tokens) that occurs.
    """

    name: str
    kind: Kind
    codes: NDArray[np.int32]  # one per record, an index into values
    values: tuple[str, ...]  # distinct texts: by (number, text), categories by text; missing last
    numbers: Floats | None  # per value: the number, or days since 1970-01-01; nan for missing
    missing: int | None  # code of the missing value
    date_format: str | None = None  # how its dates are written
    number_format: NumberFormat = PLAIN  # how its numbers are written
    ground: tuple[NDArray[np.integer], ...] | None = None
    """The label number of every value on each level of its hierarchy between values and root, where
    values under one label are nearer to each other (sensitive attributes only)."""
    copies: NDArray[np.int64] | None = None  # how many records each code stands for; None: one
    value_counts: NDArray[np.int64] | None = None  # records of each value, if there are no codes
    coding: EndCoding | None = None  # of a column with coded ends such as `>=90`
    spellings: Spellings | None = None  # of a column with one of several spellings as a value

    def __repr__(self) -> str:
        """Describe the column without a value: tracebacks, logs and notebooks show it."""
        return f"<Column with {len(self.values):,} distinct values>"

    def first_record_text(self, codes: Sequence[int] | NDArray[np.integer]) -> str:
        """Return ` (first in record 12)` for the first record with one of these codes.

        Where records are not at hand, as in a table beyond memory, the text is empty.
        """
        places = np.flatnonzero(np.isin(self.codes, np.asarray(codes)))
        if self.copies is not None or not len(places):
            return ""
        return f" (first in record {int(places[0]) + 1:,})"

    def parse(self, texts: Iterable[str]) -> Floats:
        """Return the numbers (or days) these texts stand for in this column, nan for none.

        Besides the column's own form, a decimal point and a date like 1995-09-20 are understood.
        """
        series = text_series(texts)
        if self.kind is Kind.DATE:
            numbers = parse_dates(series, "%Y-%m-%d")
            if self.date_format is not None:
                formatted_days = parse_dates(series, self.date_format)
                numbers = np.where(np.isnan(formatted_days), numbers, formatted_days)
        else:
            numbers = self.number_format.read(series)
            if self.number_format != PLAIN:
                numbers = np.where(np.isnan(numbers), PLAIN.read(series), numbers)
        if self.coding is None:
            return numbers
        for text, bound in self.coded_ends.items():
            numbers = np.where((series == text).to_numpy(), bound, numbers)
        return numbers

    @cached_property
    def coded_ends(self) -> dict[str, float]:
        """The texts of coded ends with their bounds."""
        coding = self.coding
        if coding is None:
            return {}
        ends = ((coding.bottom_text, coding.bottom), (coding.top_text, coding.top))
        return {text: bound for text, bound in ends if text is not None and bound is not None}

    @property
    def value_numbers(self) -> Floats:
        """The numbers (or days) of the values of an ordered column; nan where missing."""
        assert self.numbers is not None, f"{self.name} has no numbers"
        return self.numbers

    @cached_property
    def exact_numbers(self) -> list[Decimal]:
        """The numbers of the present values with all their digits, rising."""
        numbers = self.value_numbers[: self.present]
        return self.number_format.exact(self._texts_of_numbers, numbers.tolist())

    @cached_property
    def scaled_numbers(self) -> ScaledNumbers:
        """The numbers of the present values as whole multiples of one power of ten, rising."""
        numbers = self.value_numbers[: self.present]
        return self.number_format.scaled(self._texts_of_numbers, numbers.tolist())

    @property
    def _texts_of_numbers(self) -> list[str]:
        """The texts of the present values, coded ends without their `>=` or `<=`."""
        values = self.values[: self.present]
        return [text[2:] if text in self.coded_ends else text for text in values]

    @cached_property
    def lowest(self) -> Floats:
        """The smallest number each value may stand for: of a coded bottom, the original's."""
        return self._reach("bottom_text", 0)

    @cached_property
    def highest(self) -> Floats:
        """The largest number each value may stand for: of a coded top, the original's."""
        return self._reach("top_text", -1)

    def _reach(self, end: str, place: int) -> Floats:
        code = None if self.coding is None else self.code_of.get(getattr(self.coding, end))
        if self.coding is None or code is None:
            return self.value_numbers
        reach = self.value_numbers.copy()
        reach[code] = self.coding.original[place]
        return reach

    @cached_property
    def covered(self) -> NDArray[np.int64]:
        """The number of original values each value stands for: one, except for coded ends."""
        if self.coding is None:
            return np.ones(len(self.values), dtype=np.int64)
        return self.coding.covered

    @property
    def present(self) -> int:
        """The number of values that are not missing, which come first."""
        return len(self.values) - (self.missing is not None)

    @property
    def distinct(self) -> int:
        """The number of values, those behind coded ends included."""
        return len(self.values) if self.coding is None else int(self.coding.covered.sum())

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every value, and of its other spellings."""
        if self.spellings is not None:
            return dict(zip(self.spellings.column.values, self.spellings.codes, strict=True))
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of records that have each value."""
        if self.value_counts is not None:
            return self.value_counts
        return counted(self.codes, self.copies, len(self.values))

    @cached_property
    def records(self) -> int:
        """The number of records of the column."""
        return int(self.counts.sum())

    def with_values(self, kept_codes: NDArray[np.int64], codes: NDArray[np.integer]) -> Self:
        """Return the column with the values of some codes (rising) and new codes of records."""
        place = np.full(len(self.values), -1, dtype=np.int32)
        place[kept_codes] = np.arange(len(kept_codes))
        missing = None if self.missing is None else int(place[self.missing])
        coding = self.coding and replace(
            self.coding,
            new_code=place[self.coding.new_code],
            covered=self.coding.covered[kept_codes],
        )
        return replace(
            self,
            codes=codes.astype(np.int32),
            values=tuple(self.values[code] for code in kept_codes.tolist()),
            numbers=None if self.numbers is None else self.numbers[kept_codes],
            missing=None if missing == -1 else missing,
            ground=self.ground and tuple(labels[kept_codes] for labels in self.ground),
            value_counts=None,
            coding=coding,
        )

    def keeps_every_text(self, texts: pl.Series) -> bool:
        """Return whether no text is lost in its values: several missing tokens become one value."""
        if self.missing is None:
            return True
        return bool((texts == self.values[self.missing]).sum() == self.counts[self.missing])


def counted(
    numbers: NDArray[np.integer], copies: NDArray[np.int64] | None, least: int = 0
) -> NDArray[np.int64]:
    """Return how many records have each number; a row stands for `copies` of them (None: one)."""
    if copies is None:
        return np.bincount(numbers, minlength=least)
    return np.bincount(numbers, weights=copies, minlength=least).astype(np.int64)


NOTHING = "(missing)"
"""The empty text, which means missing, as a member of a published set."""
_LIKE_NOTHING = re.compile(r"\(+missing\)+")
"""A value that could be taken for it; as a member it has one more pair of parentheses."""


def set_text(members: Iterable[str]) -> str:
    """Return `{A|B}` for values of a category, sorted, with a word for the empty text."""
    texts = (f"({m})" if _LIKE_NOTHING.fullmatch(m) else m or NOTHING for m in members)
    return "{" + "|".join(sorted(texts)) + "}"


def set_members(text: str) -> list[str]:
    """Return the values that a published set names."""
    members = ("" if member == NOTHING else member for member in text[1:-1].split("|"))
    return [m[1:-1] if _LIKE_NOTHING.fullmatch(m) else m for m in members]


def range_text(column: Column, low: str, high: str) -> str:
    """Return `[lo..hi]`: two values of the column as they stood, unless they could be misread.

    A range that reaches a coded end is open there: `>=75`, `<=40`, and `*` at both.
    """
    return range_of_ends(column, (low, high), (end_text(column, low), end_text(column, high)))


def range_of_ends(column: Column, values: tuple[str, str], ends: tuple[str, str]) -> str:
    """Return the text of a range whose ends are already in the form of `end_text`."""
    coding, (low, high) = column.coding, values
    if coding is not None and high == coding.top_text:
        return "*" if low == coding.bottom_text else f">={ends[0]}"
    if coding is not None and low == coding.bottom_text:
        return f"<={ends[1]}"
    return f"[{ends[0]}..{ends[1]}]"


def end_text(column: Column, value: str) -> str:
    """Return a value as the end of a range."""
    return value.strip() if column.kind is Kind.DATE else column.number_format.as_range_end(value)


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
    ) -> Self:
        """Return the distinct (group, code) pairs of records; a negative group is left out.

        `groups` and `codes` have shape (records,). With `records` given, entry i stands for
        `records[i]` records.
        """
        width = int(codes.max()) + 1 if len(codes) else 1
        if len(groups) and groups.min() < 0:
            shown = groups >= 0
            groups = groups[shown]
            codes = codes[shown]
            records = None if records is None else records[shown]
        number = np.int32 if count * width < _NARROW else np.int64
        keys: npt.NDArray[np.integer] = groups.astype(number)
        keys *= width
        keys += codes.astype(keys.dtype, copy=False)
        if count * width <= _DENSE * len(keys):  # a table of all pairs is quicker than sorting
            table = np.bincount(keys, weights=records, minlength=count * width).astype(np.int64)
            pairs = np.flatnonzero(table)
            pair_records = table[pairs]
        elif records is None:
            keys.sort()
            begins = np.flatnonzero(keys[1:] != keys[:-1]) + 1
            starts = np.concatenate([[0], begins]) if len(keys) else begins
            pairs = keys[starts].astype(np.int64)
            pair_records = np.diff(starts, append=len(keys))
        else:
            pairs, pair_records = _summed(keys.astype(np.int64, copy=False), records)
        return cls(count, *_halves(pairs, width), pair_records)

    @cached_property
    def starts(self) -> Int64s:
        """The index of the first pair of each group, and the number of pairs at the end."""
        pairs_per_group = np.bincount(self.group, minlength=self.count)
        return np.concatenate([[0], np.cumsum(pairs_per_group)])

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

    def without(self, code: int) -> "tuple[Int64s, GroupValues] | None":
        """Return the groups without one value, as `only` does; None where no group has it.

        Several who ask get the same, with what is known of it.
        """
        if code not in self._without:
            shown = self.code != code
            self._without[code] = None if shown.all() else self.only(shown)
        return self._without[code]

    @cached_property
    def _without(self) -> "dict[int, tuple[Int64s, GroupValues] | None]":
        return {}

    def only(self, shown: Flags) -> "tuple[Int64s, GroupValues]":
        """Return the groups that have any of the flagged pairs, and these pairs renumbered."""
        shown_groups, group = np.unique(self.group[shown], return_inverse=True)
        return shown_groups, GroupValues(
            len(shown_groups), group, self.code[shown], self.records[shown]
        )

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

    def relabelled(self, labels: npt.NDArray[np.integer]) -> "GroupValues":
        """Return the pairs with every value replaced by its label."""
        width = np.int64(labels.max()) + 1
        pairs, records = _summed(self.group * width + labels[self.code], self.records)
        return GroupValues(self.count, *_halves(pairs, int(width)), records)

    def ends(self, per_pair: npt.NDArray[np.integer]) -> tuple[Int64s, Int64s]:
        """Return the smallest and largest number of each group's pairs; -1 without pairs."""
        low = np.full(self.count, -1, dtype=np.int64)
        high = low.copy()
        nonempty_groups = np.flatnonzero(self.distinct)
        if len(nonempty_groups) and per_pair is self.code:  # it rises within a group
            low[nonempty_groups] = per_pair[self.starts[nonempty_groups]]
            high[nonempty_groups] = per_pair[self.starts[nonempty_groups + 1] - 1]
        elif len(nonempty_groups):
            low[nonempty_groups] = np.minimum.reduceat(per_pair, self.starts[nonempty_groups])
            high[nonempty_groups] = np.maximum.reduceat(per_pair, self.starts[nonempty_groups])
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
        keys = both >> bits
        records = both & ((1 << bits) - 1)
    else:
        order = np.argsort(keys)
        keys = keys[order]
        records = records[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return keys[starts], np.add.reduceat(records, starts, dtype=np.int64)
