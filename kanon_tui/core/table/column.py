"""A column of texts becomes integer codes, with numbers or days beside them.

The texts are what is published, so they are never rewritten: `01`, `1` and `1.0` stay three values.
Algorithms work on the codes, and a value's code is its rank, so that for numbers and dates
comparing codes compares the values themselves.

The work is done on the distinct texts, not on the cells: find them, sort them by what they mean,
and join the codes back. That costs O(n) hashing plus a sort of the distinct texts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.cell_codes import text_series
from kanon_tui.core.table.dates import parse_dates
from kanon_tui.core.table.numbers import PLAIN, NumberFormat

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


class Kind(StrEnum):
    """The kind of an attribute's values."""

    NUMERIC = "numeric"
    DATE = "date"
    CATEGORICAL = "categorical"

    @property
    def ordered(self) -> bool:
        """Whether values lie on a line, so that groups have a range."""
        return self is not Kind.CATEGORICAL


@dataclass(frozen=True, eq=False, repr=False)
class EndCoding:
    """The coding of a column's ends (see `end_coding`), with the values it hides."""

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

    def __repr__(self) -> str:
        """Describe the column without a value: tracebacks, logs and notebooks show it."""
        return f"<Column with {len(self.values):,} distinct values>"

    def parse(self, texts: Iterable[str]) -> Floats:
        """Return the numbers (or days) these texts stand for in this column, nan for none.

        Besides the column's own form, a decimal point and a date like 1995-09-20 are understood.
        """
        wanted = text_series(texts)
        if self.kind is Kind.DATE:
            numbers = parse_dates(wanted, "%Y-%m-%d")
            if self.date_format is not None:
                own = parse_dates(wanted, self.date_format)
                numbers = np.where(np.isnan(own), numbers, own)
        else:
            numbers = self.number_format.read(wanted)
            if self.number_format != PLAIN:
                numbers = np.where(np.isnan(numbers), PLAIN.read(wanted), numbers)
        if self.coding is None:
            return numbers
        for text, bound in self.coded_ends.items():
            numbers = np.where((wanted == text).to_numpy(), bound, numbers)
        return numbers

    @cached_property
    def coded_ends(self) -> dict[str, float]:
        """The texts of coded ends with their bounds."""
        coding = self.coding
        if coding is None:
            return {}
        ends = ((coding.bottom_text, coding.bottom), (coding.top_text, coding.top))
        return {text: bound for text, bound in ends if text is not None and bound is not None}

    @cached_property
    def exact_numbers(self) -> list[Decimal]:
        """The numbers of the present values with all their digits, rising."""
        assert self.numbers is not None
        present = len(self.values) - (self.missing is not None)
        texts = [text[2:] if text in self.coded_ends else text for text in self.values[:present]]
        return self.number_format.exact(texts, self.numbers[:present].tolist())

    @cached_property
    def lowest(self) -> Floats:
        """The smallest number each value may stand for: of a coded bottom, the original's."""
        return self._reach("bottom_text", 0)

    @cached_property
    def highest(self) -> Floats:
        """The largest number each value may stand for: of a coded top, the original's."""
        return self._reach("top_text", -1)

    def _reach(self, end: str, place: int) -> Floats:
        assert self.numbers is not None
        code = None if self.coding is None else self.code_of.get(getattr(self.coding, end))
        if self.coding is None or code is None:
            return self.numbers
        reach = self.numbers.copy()
        reach[code] = self.coding.original[place]
        return reach

    @cached_property
    def covered(self) -> NDArray[np.int64]:
        """The number of original values each value stands for: one, except for coded ends."""
        if self.coding is None:
            return np.ones(len(self.values), dtype=np.int64)
        return self.coding.covered

    @property
    def distinct(self) -> int:
        """The number of values, those behind coded ends included."""
        return len(self.values) if self.coding is None else int(self.coding.covered.sum())

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every value."""
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

    def with_values(self, kept: NDArray[np.int64], codes: NDArray[np.integer]) -> Self:
        """Return the column with the values `kept` (codes, rising) and new codes of its records."""
        place = np.full(len(self.values), -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        missing = None if self.missing is None else int(place[self.missing])
        coding = self.coding and replace(
            self.coding, new_code=place[self.coding.new_code], covered=self.coding.covered[kept]
        )
        return replace(
            self,
            codes=codes.astype(np.int32),
            values=tuple(self.values[code] for code in kept.tolist()),
            numbers=None if self.numbers is None else self.numbers[kept],
            missing=None if missing == -1 else missing,
            ground=self.ground and tuple(labels[kept] for labels in self.ground),
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
