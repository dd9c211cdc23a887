"""The line of numbers or dates that ranges are cut from.

Which range a value belongs to is decided in whole numbers, never in floating point: the values,
widths and cut points of a column are written out as decimals and scaled until all are whole (dates
are whole days to begin with). So 0.3 lies in [0.3, 0.4) at width 0.1, though 0.3 // 0.1 is 2.

Labels
    whole numbers    `20-24`; `[-10..-6]` throughout when any end is negative; `20` for a width of 1
    decimals         `[2.5, 5)`, the upper end left out; `[2,5; 5)` where the comma is decimal
    dates            `[1995-09-20..1995-09-26]`, widths in days

Numbers and days are written as the column writes them: `16.000-16.999`, `[20.09.1995..26.09.1995]`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import FieldType
from kanon_tui.core.fields.yaml_text import LocatedValue, as_number
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy, exact
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.dates import date_text

Point = Decimal | datetime.date | str
"""A place on the line of a column's values: a number, a date, or a text that only it can read."""

_DAY_ZERO = datetime.date(1970, 1, 1).toordinal()


def _read_point(located: LocatedValue) -> Point:
    if isinstance(located.value, datetime.date):
        return located.value
    value = located.value
    if isinstance(value, str):  # in quotes or not
        value = as_number(value)
        if value is None:
            return str(located.value)
    replace(located, value=value).number(POINT.allowed)
    return exact(value)


POINT = FieldType("a number, or a date for dates", _read_point)
"""A place on the line, as a project writes it."""


@dataclass(frozen=True)
class Line:
    """The present values of a column as whole numbers of one unit, and how to print a range."""

    column: Column
    decimals: int
    """The unit is 10 to the minus this; always 0 for dates, whose unit is a day."""
    positions: tuple[int, ...]
    """One per value that is not missing, rising."""

    @classmethod
    def of(cls, column: Column, points: Iterable[Decimal]) -> Line:
        """Return a line fine enough for the values of a column and for these points."""
        if column.kind is Kind.DATE:
            return cls(column, 0, tuple(np.floor(present_numbers(column)).astype(int).tolist()))
        values = column.exact_numbers
        coding = column.coding
        ends = () if coding is None else (coding.top, coding.bottom)
        bounds = [exact(end) for end in ends if end is not None]
        decimals = max(map(_decimals, [*values, *points, *bounds]))
        return cls(column, decimals, tuple(_scaled(values, decimals)))

    def units(self, points: Iterable[Decimal]) -> list[int]:
        """Return points or widths in units."""
        return _scaled(points, self.decimals)

    def text(self, units: int) -> str:
        """Return a place on the line as the column writes it."""
        if self.column.kind is Kind.DATE:
            return date_text(units, self.column.date_format)
        with localcontext(prec=1000):
            plain = f"{Decimal(units).scaleb(-self.decimals).normalize():f}"
        return self.column.number_format.write(plain)

    def range_text(self, low: int, high: int, signed: bool) -> str:
        """Return the label of all places from `low` up to but without `high`.

        Where the ends of the column are coded, a range that holds a bound is open at that end: it
        must not tell less than the values in it mean.
        """
        opened = self._open_text(low, high)
        if opened is not None:
            return opened
        if self.decimals:
            return f"[{self.text(low)}{self.column.number_format.separator}{self.text(high)})"
        if high == low + 1:
            return self.text(low)
        if signed or self.column.kind is Kind.DATE:
            return f"[{self.text(low)}..{self.text(high - 1)}]"
        return f"{self.text(low)}-{self.text(high - 1)}"

    def _open_text(self, low: int, high: int) -> str | None:
        """Return the label of a range that holds a coded end, or lies beyond one.

        None for others.
        """
        return open_label(
            self.column, low, high, self.text, lambda end: self.units([exact(end)])[0]
        )

    def level(self, group_of: Callable[[int], int], label_of: Callable[[int], str]) -> list[str]:
        """Return the label of every value: `label_of` is asked once per group."""
        groups = [group_of(position) for position in self.positions]
        labels = {group: label_of(group) for group in dict.fromkeys(groups)}
        return [labels[group] for group in groups]


def open_label(
    column: Column,
    low: int,
    after: int,
    text: Callable[[int], str],
    place: Callable[[float], float] = float,
) -> str | None:
    """Return the label of a range that holds a coded end, or lies beyond one; None for others.

    `text` prints a place of the range, and `place` is where a bound of the coding lies.
    """
    coding = column.coding
    if coding is None:
        return None
    up = coding.top is not None and after > place(coding.top)
    down = coding.bottom is not None and low <= place(coding.bottom)
    if up and down:
        return HIDDEN
    if down:
        return f"<{text(after)}"
    return f">={text(low)}" if up else None


def point_of(column: Column, written: Point) -> Decimal:
    """Return a place on the line as written in a project: a number, or for dates a date."""
    is_date = column.kind is Kind.DATE
    if isinstance(written, str):
        parsed = float(column.parse([written])[0])
        if not np.isnan(parsed):
            return exact(np.floor(parsed) if is_date else parsed)
    elif is_date and isinstance(written, datetime.date):
        return Decimal(written.toordinal() - _DAY_ZERO)
    elif not is_date and isinstance(written, Decimal):
        return written
    raise InputError(
        f"{column.name}: '{written}' is not a {'date' if is_date else 'number'}; "
        f"write one like '{column.values[0]}'"
    )


def present_numbers(column: Column) -> npt.NDArray[np.float64]:
    """Return the numbers of a column without the missing one, rising."""
    assert column.numbers is not None
    return column.numbers[: len(column.values) - (column.missing is not None)]


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), "only finite numbers come here"
    return max(0, -exponent)


def _scaled(numbers: Iterable[Decimal], decimals: int) -> list[int]:
    with localcontext(prec=1000):  # enough for every double, from 5e-324 to 1.8e308
        return [int(number.scaleb(decimals)) for number in numbers]


def levels_hierarchy(column: Column, levels: Sequence[Sequence[str]]) -> Hierarchy:
    """Return the hierarchy of the labels of every present value, level by level."""
    present = column.values[: len(levels[0])]
    return Hierarchy.of(zip(present, *levels, strict=True), column.name)
