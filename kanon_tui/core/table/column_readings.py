"""The ways to read a column: as texts, as numbers with some marks, as dates of some form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.dates import DATE_FORMATS, date_text, parse_dates
from kanon_tui.core.table.numbers import NUMBER_FORMATS, NumberFormat
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.value_formats import Format

__all__ = ["Parsed", "Reading", "parsed", "readings"]

SAMPLE = 5_000
"""Different values that the list of readings goes by; `parsed` counts them all."""
_CENTURY_END = 10_956  # 1999-12-31, a day that shows which number is which


@dataclass(frozen=True)
class Reading:
    """A kind with its format, and how much of a sample it reads."""

    kind: Kind
    format: Format | None
    read: int
    sample: int

    @property
    def title(self) -> str:
        """`numeric 1.234,5`, `date 31.12.1999`."""
        if self.format is None:
            return str(self.kind)
        if isinstance(self.format, str):
            return f"{self.kind} {date_text(_CENTURY_END, self.format)} ({self.format})"
        return f"{self.kind} {self.format}"


@dataclass(frozen=True)
class Parsed:
    """What a reading makes of a column."""

    examples: tuple[tuple[str, str], ...]
    """Values and what they are read as."""
    distinct: int
    unread: int
    """Different values that cannot be read so."""
    unread_examples: tuple[str, ...]


def readings(texts: pl.Series, missing_tokens: tuple[str, ...]) -> tuple[Reading, ...]:
    """Every way that reads at least one value, those that read most first; texts come last.

    Of two that read the same numbers the simpler one is given.
    """
    values = _present(texts, missing_tokens).head(SAMPLE)
    found: list[tuple[Reading, Floats]] = []
    formats: list[tuple[Kind, Format]] = [
        *((Kind.NUMERIC, each) for each in NUMBER_FORMATS),
        *((Kind.DATE, each) for each in DATE_FORMATS),
    ]
    for kind, format in formats:
        numbers = _read(values, kind, format)
        read = int((~np.isnan(numbers)).sum())
        same = any(
            kind is known.kind and np.array_equal(numbers, n, equal_nan=True) for known, n in found
        )
        if read and not same:
            found.append((Reading(kind, format, read, values.len()), numbers))
    ordered = sorted((each for each, _ in found), key=lambda each: -each.read)
    return (*ordered, Reading(Kind.CATEGORICAL, None, values.len(), values.len()))


def parsed(
    texts: pl.Series, missing_tokens: tuple[str, ...], kind: Kind, format: Format | None, most: int
) -> Parsed:
    """Examples of what a reading makes of a column, and what it cannot read."""
    values = _present(texts, missing_tokens)
    if not kind.ordered or format is None:
        shown = tuple((value, "as it is") for value in values.head(most))
        return Parsed(shown, values.len(), 0, ())
    numbers = _read(values, kind, format)
    unread = values.filter(np.isnan(numbers))
    examples = [
        (value, _text(number, kind))
        for value, number in zip(values.head(SAMPLE), numbers[:SAMPLE].tolist(), strict=True)
        if number == number
    ]
    return Parsed(
        tuple(examples[:most]), values.len(), unread.len(), tuple(unread.head(3).to_list())
    )


def _present(texts: pl.Series, missing_tokens: tuple[str, ...]) -> pl.Series:
    distinct = texts.unique(maintain_order=True)
    return distinct.filter(~distinct.is_in(list(missing_tokens)))


def _read(values: pl.Series, kind: Kind, format: Format) -> Floats:
    if isinstance(format, NumberFormat):
        return format.read(values)
    return parse_dates(values, format)


def _text(number: float, kind: Kind) -> str:
    """A number in plain digits, a date as 1999-12-31 with its clock time where it has one."""
    if kind is Kind.NUMERIC:
        return f"{number:.15g}"
    day = int(np.floor(number))
    seconds = round((number - day) * 86_400)
    clock = f" {seconds // 3600:02}:{seconds // 60 % 60:02}" if seconds else ""
    return date_text(day, None) + clock
