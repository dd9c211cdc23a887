"""Builder `date`: dates along the calendar, by day, month, quarter, year, some years, decade.

Labels are `1995-09-20`, `1995-09`, `1995-Q3`, `1995`, `1990-1994` (5 years), `1990-1999` (decade);
groups of n years start at the years that n divides. A clock time belongs to its day.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, FieldType, list_of
from kanon_tui.core.fields.yaml_text import LocatedValue
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.builders.intervals import open_label
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.dates import date_text

DATE_LEVELS = ("month", "year", "5 years", "decade")
"""The levels when none are named."""

_LEVELS = "a list of day, month, quarter, year, 5 years (or any number), decade"
_MONTHS = {"day": 0, "month": 1, "quarter": 3, "year": 12, "decade": 120}


def _read_level(located: LocatedValue) -> str:
    word = located.text(_LEVELS)
    if _months(word) is None:
        raise located.wrong(_LEVELS)
    return word


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build one level per calendar unit, each a multiple of the one before."""
    levels = options["levels"]
    for before, word in pairwise(levels):
        fine, coarse = _months(before), _months(word)
        assert fine is not None
        assert coarse is not None
        if coarse <= fine or (fine and coarse % fine):
            raise InputError(
                f"{column.name}: level '{word}' of builder date cannot follow '{before}': its "
                f"groups would not be made of whole groups of that level; go from short to long, "
                f"each a multiple of the one before"
            )
    labels = [date_labels(column, word) for word in levels]
    return Hierarchy.from_rows(
        zip(column.values[: len(labels[0])], *labels, strict=True), column.name
    )


def date_labels(column: Column, word: str) -> list[str]:
    """Return the label of every present value at one calendar level."""
    months = _months(word)
    assert months is not None
    present = column.value_numbers[: len(column.values) - (column.missing is not None)]
    days = np.floor(present).astype(np.int64).astype("datetime64[D]")
    if months == 0:
        shown = zip(column.values[: len(days)], days, strict=True)
        return [text if text in column.coded_ends else str(day) for text, day in shown]
    since_year_zero = days.astype("datetime64[M]").astype(np.int64) + 1970 * 12
    groups, number = np.unique(since_year_zero // months, return_inverse=True)
    labels = [_group_label(column, int(group) * months, months) for group in groups]
    return [labels[i] for i in number.tolist()]


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
    apart = tuple(word for word in DATE_LEVELS if len(set(date_labels(column, word))) > 1)
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


def _months(word: str) -> int | None:
    """Return the months that a level groups; 0 for days, None for an unknown word."""
    years = re.fullmatch(r"([1-9][0-9]{0,3}) years?", word)
    return 12 * int(years[1]) if years else _MONTHS.get(word)


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
    _build,
)
