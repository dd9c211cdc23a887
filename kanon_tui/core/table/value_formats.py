"""How a file writes its numbers and dates, and what that makes of a column.

An attribute may say it of itself (`format`). Where it does not, a file may say it for all its
columns; a column that is written otherwise, and any column of a file that says nothing, is looked
at by itself. What can be read in two ways is refused with both of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.sections import write_fields
from kanon_tui.core.fields.types import FieldType, text
from kanon_tui.core.table.dates import closest_date_format, date_formats
from kanon_tui.core.table.numbers import (
    DECIMAL_MARKS,
    NUMBER_FORMATS,
    THOUSANDS_MARKS,
    NumberFormat,
    closest_number_format,
    number_formats,
    read_number_format,
)
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.text import quoted_list

__all__ = ["FORMAT", "Format", "ValueFormats", "fitting_format"]

Format = str | NumberFormat
"""How values are written: a date format like `%d.%m.%Y`, or the marks of numbers."""

_FORMAT = (
    """a date format like '%d.%m.%Y', or the marks of numbers like {decimal: ",", thousands: "."}"""
)
_DATE_FORMAT = text("auto or a date format like '%d.%m.%Y'", empty=False)


def _read_format(located: LocatedValue) -> Format:
    if isinstance(located.value, dict):
        return read_number_format(located)
    return located.text(_FORMAT)


FORMAT = FieldType(
    _FORMAT,
    _read_format,
    lambda value: text().write(value) if isinstance(value, str) else write_fields(value),
)
"""The format of an attribute, as a project writes it."""


@dataclass(frozen=True)
class ValueFormats:
    """How the columns of a file are written; what is `auto` is detected column by column."""

    decimal: str = declared(
        "auto", "The mark before the decimals of numbers", choices=("auto", *DECIMAL_MARKS)
    )
    thousands: str = declared(
        "auto",
        "The mark between groups of three digits of numbers",
        choices=("auto", *THOUSANDS_MARKS),
    )
    dates: str = declared("auto", "How dates are written", type=_DATE_FORMAT)
    points_may_group: bool = False
    """Whether `1.234` alone may be a thousand: so in files cut by semicolons, whose decimal mark
    is mostly the comma."""

    @property
    def _numbers(self) -> tuple[NumberFormat, ...]:
        """The formats that were asked for; none where nothing was."""
        if (self.decimal, self.thousands) == ("auto", "auto"):
            return ()
        return tuple(
            each
            for each in (*NUMBER_FORMATS, NumberFormat(self.decimal, self.thousands))
            if self.decimal in ("auto", each.decimal) and self.thousands in ("auto", each.thousands)
        )

    @property
    def _dates(self) -> tuple[str, ...]:
        return () if self.dates == "auto" else (self.dates,)

    def of_numbers(self, texts: pl.Series) -> tuple[NumberFormat, ...]:
        """The formats in which every text is a number and which differ in what they read."""
        return number_formats(texts, self._numbers, self.points_may_group)

    def of_dates(self, texts: pl.Series) -> tuple[str, ...]:
        """The formats in which every text is a date and which differ in what they read."""
        return date_formats(texts, self._dates)

    def only(self, name: str, present: pl.Series, kind: Kind) -> Format:
        """The one format of a column, or an error that says why there is none.

        Without a format that reads all, the one that reads most shows which values are amiss.
        """
        formats: tuple[Format, ...]
        formats = self.of_dates(present) if kind is Kind.DATE else self.of_numbers(present)
        if len(formats) > 1:
            what = "dates" if kind is Kind.DATE else "numbers"
            raise InputError(
                f"{name}: {quoted_list(sorted(present)[:1])} and all other {what} can be read as "
                f"{' or as '.join(map(str, formats))}; set format to the right one"
            )
        if formats:
            return formats[0]
        if kind is Kind.DATE:
            return closest_date_format(present, self._dates)
        return closest_number_format(present, self._numbers)


def fitting_format(kind: Kind | None, given: Format | None) -> Format | None:
    """A format, if it is one of this kind."""
    wanted = str if kind is Kind.DATE else NumberFormat if kind is Kind.NUMERIC else ()
    return given if isinstance(given, wanted) else None
