"""Builders for numbers and dates: `intervals`, `quantiles`, `breaks` and `date`.

intervals    ranges of equal width, `20-24`, `20-29`, …
quantiles    ranges that hold about equally many records, `[lo..hi]` with ends of the data
breaks       ranges between cut points, `<18`, `18-39`, `40-64`, `>=65`
date         dates along the calendar: by day, month, quarter, year, some years, decade

The first three cut a line of numbers or dates. Which range a value belongs to is decided in whole
numbers, never in floating point: the values, widths and cut points of a column are written out as
decimals and scaled until all are whole (dates are whole days to begin with). So 0.3 lies in
[0.3, 0.4) at width 0.1, though 0.3 // 0.1 is 2.

Labels of intervals
    whole numbers    `20-24`; `[-10..-6]` throughout when any end is negative; `20` for a width of 1
    decimals         `[2.5, 5)`, the upper end left out; `[2,5; 5)` where the comma is decimal
    dates            `[1995-09-20..1995-09-26]`, widths in days

Numbers and days are written as the column writes them: `16.000-16.999`, `[20.09.1995..26.09.1995]`.

Labels of the calendar are `1995-09-20`, `1995-09`, `1995-Q3`, `1995`, `1990-1994` (5 years),
`1990-1999` (decade); groups of n years start at the years that n divides. A clock time belongs to
its day.
"""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import THOSE_OF_DATA, InputError, Value
from kanon_tui.core.fields.declaration import Field, FieldType, list_of, number, whole_number
from kanon_tui.core.fields.located import LocatedValue, as_number, exact_number
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy, Level, exact
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column, Kind, range_text
from kanon_tui.core.table.scaled_numbers import (
    LARGEST_SAFE,
    WholeNumbers,
    decimal_places,
    units_of,
    whole_numbers,
)
from kanon_tui.core.table.value_formats import date_text

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
    number(words=POINT.allowed).read(replace(located, value=value))
    return exact(value)


POINT = FieldType("a number, or a date for dates", _read_point)
"""A place on the line, as a project writes it."""


@dataclass(frozen=True)
class Line:
    """The present values of a column as whole numbers of one unit, and how to print a range."""

    column: Column
    decimals: int
    """The unit is 10 to the minus this; always 0 for dates, whose unit is a day."""
    positions: WholeNumbers
    """One per value that is not missing, rising."""

    @classmethod
    def from_column(cls, column: Column, points: Iterable[Decimal]) -> Self:
        """Return a line fine enough for the values of a column and for these points."""
        if column.kind is Kind.DATE:
            return cls(column, 0, np.floor(present_numbers(column)).astype(np.int64))
        numbers = column.scaled_numbers
        coding = column.coding
        ends = () if coding is None else (coding.top, coding.bottom)
        beside = [*points, *(exact(end) for end in ends if end is not None)]
        decimals = max([numbers.decimals, *map(decimal_places, beside)])
        positions = numbers.with_decimals(decimals).units
        if any(abs(unit) > LARGEST_SAFE for unit in units_of(beside, decimals)):
            positions = positions.astype(object)
        return cls(column, decimals, positions)

    @property
    def lowest(self) -> int:
        """The place of the smallest value."""
        return int(self.positions[0])

    @property
    def highest(self) -> int:
        """The place of the largest value."""
        return int(self.positions[-1])

    def units(self, points: Iterable[Decimal]) -> list[int]:
        """Return points or widths in units."""
        return units_of(points, self.decimals)

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
        opened = open_label(
            self.column, low, high, self.text, lambda end: self.units([exact(end)])[0]
        )
        if opened is not None:
            return opened
        if self.decimals:
            return f"[{self.text(low)}{self.column.number_format.separator}{self.text(high)})"
        if high == low + 1:
            return self.text(low)
        if signed or self.column.kind is Kind.DATE:
            return f"[{self.text(low)}..{self.text(high - 1)}]"
        return f"{self.text(low)}-{self.text(high - 1)}"


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
        f"write one like {Value(column.values[0], THOSE_OF_DATA)}"
    )


def present_numbers(column: Column) -> npt.NDArray[np.float64]:
    """Return the numbers of a column without the missing one, rising."""
    return column.value_numbers[: column.present]


def levels_hierarchy(column: Column, levels: Sequence[Level]) -> Hierarchy:
    """Return the hierarchy of the labels of every present value, level by level."""
    present = Level.of_values(column.values[: column.present])
    return Hierarchy.from_levels([present, *levels], column.name)


_MOST_LEVELS = 64
_FIRST_GROUPS = 16
"""About how many groups the first level has when no width is given."""
_ABOVE_ZERO = number(above=0)
_WIDTH = FieldType(_ABOVE_ZERO.allowed, lambda located: exact(_ABOVE_ZERO.read(located)))


def _build_intervals(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build ranges of equal width, counted from an origin.

    Widths are listed, or grow from a first width by a factor: for so many levels, or until at most
    two groups are left, or a level more would leave one. Without a first width one is taken from
    the range of the data: the smallest of 1, 2, 5, 10, 20, … that gives about sixteen groups.
    """
    line, start, steps = _line_and_steps(column, options)
    lowest = min(start + (line.lowest - start) // step * step for step in steps)
    return levels_hierarchy(column, [_of_width(line, start, step, lowest < 0) for step in steps])


def _line_and_steps(column: Column, options: Mapping[str, Any]) -> tuple[Line, int, list[int]]:
    """Return the line of the values, where a group starts on it, and the width of every level."""
    widths = options["widths"] or [options["width"] or first_width(column)]
    origin = Decimal(0) if options["origin"] is None else point_of(column, options["origin"])
    line = Line.from_column(column, [*widths, origin])
    if column.kind is Kind.DATE:
        for width in widths:
            if width != width.to_integral_value():
                raise InputError(f"{column.name}: width {width} is not a whole number of days")
    start, *steps = line.units([origin, *widths])
    if options["widths"] is None:
        steps = _growing(line, start, steps[0], options["factor"] or 2, options["levels"])
    _check_nesting(line, steps)
    return line, start, steps


def chosen_widths(column: Column, options: Mapping[str, Any]) -> list[int | float | str]:
    """Return the width of every level as it was given or found from the data."""
    line, _, steps = _line_and_steps(column, options)
    widths = (Decimal(step).scaleb(-line.decimals).normalize() for step in steps)
    return [exact_number(f"{width:f}") for width in widths]


def _of_width(line: Line, start: int, width: int, signed: bool) -> Level:
    """Return the labels of the values at a level of equal widths.

    Group g starts at start + g·width.
    """

    def label(group: int) -> str:
        low = start + group * width
        return line.range_text(low, low + width, signed)

    return Level.from_groups(_whole_quotients(line.positions - start, width), label)


def _whole_quotients(numbers: WholeNumbers, width: int) -> WholeNumbers:
    """Return how often a width goes into numbers, rounded down; it may exceed all of them."""
    if width > LARGEST_SAFE:
        numbers = numbers.astype(object)
    return numbers // width


def _growing(line: Line, start: int, width: int, factor: int, levels: int | None) -> list[int]:
    if levels is not None:
        return [width * factor**i for i in range(levels)]
    low = line.lowest - start
    high = line.highest - start
    widths = [width]
    while len(widths) <= _MOST_LEVELS:
        wider = widths[-1] * factor
        one_group = low // wider == high // wider
        only_the_origin_cuts = widths[-1] > high and widths[-1] >= -low
        at_most_two_groups = widths[-1] > high - low
        if one_group or only_the_origin_cuts or at_most_two_groups:
            return widths
        widths.append(wider)
    raise InputError(
        f"{line.column.name}: width {line.text(width)} would need more than {_MOST_LEVELS} levels "
        f"to reach from {Value(line.text(line.lowest), 'the lowest value')} to "
        f"{Value(line.text(line.highest), 'the highest')}; "
        f"choose a wider one, or say how many levels"
    )


def _check_nesting(line: Line, steps: Sequence[int]) -> None:
    for before, step in pairwise(steps):
        if step <= before or step % before:
            days = line.column.kind is Kind.DATE
            a, b = (str(width) if days else line.text(width) for width in (before, step))
            raise InputError(
                f"{line.column.name}: width {b} is not a multiple of {a}, the width before it, so "
                f"its groups would split groups of the level below; each width must be twice, "
                f"three times, … the one before"
            )


def first_width(column: Column) -> Decimal:
    """Return the smallest of 1, 2, 5, 10, … (or 0.5, 0.2, …) that gives about sixteen groups."""
    numbers = present_numbers(column)
    least_width = (exact(numbers[-1]) - exact(numbers[0])) / _FIRST_GROUPS
    integers = bool((numbers == np.floor(numbers)).all())
    if integers or column.kind is Kind.DATE:
        least_width = max(
            least_width, Decimal(2)
        )  # a width of 1 would leave whole numbers as they are
    if least_width == 0:
        return Decimal(1)
    steps = (Decimal(step).scaleb(least_width.adjusted()) for step in (1, 2, 5, 10))
    return next(step for step in steps if step >= least_width)


INTERVALS = Builder(
    "intervals",
    "Ranges of equal width: 20-24, 20-29, …",
    (Kind.NUMERIC, Kind.DATE),
    (
        Field(
            "widths",
            list_of(_WIDTH, "a list of numbers above 0, such as [5, 10, 20]", empty=False),
            help="Width at every level, in days for dates; each a multiple of the one before",
            excludes=("width", "factor", "levels"),
        ),
        Field(
            "width",
            _WIDTH,
            help="Width at the first level, instead of a list; without either, taken from the data",
        ),
        Field(
            "factor",
            whole_number(low=2),
            help="How many times wider each further level is (2 when not given)",
        ),
        Field(
            "levels",
            whole_number(1, _MOST_LEVELS),
            help="How many levels; without it, until one or two groups are left",
        ),
        Field(
            "origin", POINT, help="Where a group starts: 0, or 1970-01-01 for dates, when not given"
        ),
    ),
    _build_intervals,
)


_MOST_BINS = 10_000
_BINS = f"a list of falling whole numbers from 2 to {_MOST_BINS}, such as [10, 5]"
_COUNTS = list_of(whole_number(2, _MOST_BINS), _BINS, empty=False)


def _read_bins(located: LocatedValue) -> tuple[int, ...]:
    counts: tuple[int, ...] = _COUNTS.read(located)
    if any(before <= after for before, after in pairwise(counts)):
        raise located.refuse(f"these numbers do not fall; write {_BINS}")
    return counts


def _build_quantiles(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build bins that hold about equally many records.

    The i-th of b - 1 cuts lies between the two neighbouring values where the records below it come
    nearest to i/b of all (the lower one on a tie); a value is never split, so frequent values make
    bins fewer or uneven. Coarser levels choose among the cuts of the level below, so levels nest.
    """
    numbers = present_numbers(column)
    last_of_number = np.flatnonzero(np.append(np.diff(numbers) > 0, True))
    below = np.cumsum(column.counts[: len(numbers)])[last_of_number]
    total = int(below[-1])
    cuts = list(range(len(last_of_number) - 1))  # cut c lies above the c-th distinct number
    levels = []
    for bins in options["bins"]:
        records = below[cuts] * bins
        targets = [total * i for i in range(1, bins)] if cuts else []
        cuts = sorted({cuts[int(np.abs(records - target).argmin())] for target in targets})
        ends = np.array([*(int(last_of_number[cut]) for cut in cuts), len(numbers) - 1])
        levels.append(_level_of_bins(column, ends))
    return levels_hierarchy(column, levels)


def _level_of_bins(column: Column, ends: Int64s) -> Level:
    """Return the level of bins that end with these value codes, rising."""
    begins = np.append(0, ends[:-1] + 1)

    def label(number: int) -> str:
        low = column.values[begins[number]]
        high = column.values[ends[number]]
        return low if low == high else range_text(column, low, high)

    return Level.from_groups(np.repeat(np.arange(len(ends)), ends - begins + 1), label)


QUANTILES = Builder(
    "quantiles",
    "Ranges that hold about equally many records",
    (Kind.NUMERIC, Kind.DATE),
    (
        Field(
            "bins",
            FieldType(_BINS, _read_bins),
            help="How many ranges at every level",
            required="bins: [10, 5]",
        ),
    ),
    _build_quantiles,
)


_CUTS = "a list of lists of cut points, such as [[18, 40, 65], [65]]"


def _build_breaks(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build ranges between explicit cut points; a cut belongs to the range above it.

    The cuts of a level must be among those of the level below, or its groups would not be unions
    of the groups below.
    """
    points = [[point_of(column, cut) for cut in level] for level in options["levels"]]
    line = Line.from_column(column, [point for level in points for point in level])
    levels = [line.units(level) for level in points]
    for height, cuts in enumerate(levels, start=1):
        for before, cut in pairwise(cuts):
            if before >= cut:
                raise InputError(
                    f"{column.name}: cut points must rise, but at level {height} "
                    f"{line.text(cut)} comes after {line.text(before)}"
                )
        below = levels[height - 2] if height > 1 else cuts
        stray = sorted(set(cuts) - set(below))
        if stray:
            raise InputError(
                f"{column.name}: level {height} cuts at {line.text(stray[0])}, which is not a cut "
                f"of level {height - 1}, so it would split a group; take its cuts from "
                + ", ".join(map(line.text, below))
            )
    signed = levels[0][0] < 0
    return levels_hierarchy(column, [_between(line, cuts, signed) for cuts in levels])


def _between(line: Line, cuts: Sequence[int], signed: bool) -> Level:
    """Return the labels of the values at a level of cut points; group g lies below cut number g."""

    def label(group: int) -> str:
        if group == 0:
            return f"<{line.text(cuts[0])}"
        if group == len(cuts):
            return f">={line.text(cuts[-1])}"
        return line.range_text(cuts[group - 1], cuts[group], signed)

    places = whole_numbers(cuts)
    if places.dtype == object or line.positions.dtype == object:
        places = places.astype(object)
    return Level.from_groups(np.searchsorted(places, line.positions, side="right"), label)


BREAKS = Builder(
    "breaks",
    "Ranges between cut points: <18, 18-39, 40-64, >=65",
    (Kind.NUMERIC, Kind.DATE),
    (
        Field(
            "levels",
            list_of(list_of(POINT, _CUTS, empty=False), _CUTS, empty=False),
            help="Cut points per level, rising; those of a level are among those of the level "
            "below (typed as 18 40 65; 65)",
            required="levels: [[18, 40, 65], [65]]",
        ),
    ),
    _build_breaks,
)


DATE_LEVELS = ("month", "year", "5 years", "decade")
"""The levels when none are named."""

_LEVELS = "a list of day, month, quarter, year, 5 years (or any number), decade"
_MONTHS = {"day": 0, "month": 1, "quarter": 3, "year": 12, "decade": 120}


def _read_level(located: LocatedValue) -> str:
    word = located.text(_LEVELS)
    if _months(word) < 0:
        raise located.wrong(_LEVELS)
    return word


def _build_dates(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build one level per calendar unit, each a multiple of the one before."""
    levels = options["levels"]
    for before, word in pairwise(levels):
        fine = _months(before)
        coarse = _months(word)
        if coarse <= fine or (fine and coarse % fine):
            raise InputError(
                f"{column.name}: level '{word}' of builder date cannot follow '{before}': its "
                f"groups would not be made of whole groups of that level; go from short to long, "
                f"each a multiple of the one before"
            )
    return levels_hierarchy(column, [date_level(column, word) for word in levels])


def date_level(column: Column, word: str) -> Level:
    """Return the labels of the present values at one calendar level."""
    months = _months(word)
    present = column.value_numbers[: column.present]
    days = np.floor(present).astype(np.int64).astype("datetime64[D]")
    if months == 0:
        labels = np.datetime_as_string(days).tolist()
        for text in column.coded_ends:
            if text in column.code_of:
                labels[column.code_of[text]] = text
        return Level.from_texts(labels)
    since_year_zero = days.astype("datetime64[M]").astype(np.int64) + 1970 * 12
    groups = since_year_zero // months
    return Level.from_groups(groups, lambda group: _group_label(column, group * months, months))


def _group_label(column: Column, first: int, months: int) -> str:
    """Return the label of some months, open where they hold a coded end."""
    if column.coding is None:
        return _label(first, months)
    start, after = (_first_day(month) for month in (first, first + months))
    opened = open_label(column, start, after, lambda day: date_text(day, column.date_format))
    return opened or _label(first, months)


def _first_day(month: int) -> int:
    """Return the first day of a month that is counted from the year 0, counted from 1970-01-01."""
    return int(np.datetime64(month - 1970 * 12, "M").astype("datetime64[D]").astype(np.int64))


def default_date_levels(column: Column) -> tuple[str, ...]:
    """Return the calendar units that distinguish the dates of a column."""
    apart = tuple(word for word in DATE_LEVELS if len(date_level(column, word).labels) > 1)
    return apart or DATE_LEVELS[:1]


def _label(first: int, months: int) -> str:
    """Return the label of `months` months from month number `first` on, counted from year 0."""
    year, month = divmod(first, 12)
    if months == 1:
        return f"{year:04}-{month + 1:02}"
    if months == 3:
        return f"{year:04}-Q{month // 3 + 1}"
    if months == 12:
        return f"{year:04}"
    return f"{year:04}-{year + months // 12 - 1:04}"


def _months(word: str) -> int:
    """Return the months that a level groups; 0 for days, -1 for an unknown word."""
    years = re.fullmatch(r"([1-9][0-9]{0,3}) years?", word)
    return 12 * int(years[1]) if years else _MONTHS.get(word, -1)


DATE = Builder(
    "date",
    "Calendar units: month, year, some years, decade",
    (Kind.DATE,),
    (
        Field(
            "levels",
            list_of(FieldType(_LEVELS, _read_level), _LEVELS, empty=False),
            DATE_LEVELS,
            "The unit of every level, from short to long",
        ),
    ),
    _build_dates,
)
