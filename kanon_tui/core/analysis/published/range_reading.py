"""Reading ranges of numbers and dates, as published cells and labels spell them.

  `[20..35]` `[2.5, 5)`      between two ends, the upper one left out before a round bracket;
                             `[2,5; 5)` beside decimal commas
  `<18` `<=17` `>=65` `>64`  open at one end
  `20-24`                    whole numbers, so up to just below 25
  `4620*`                    whole numbers with hidden digits, where a label may be a mask
  `1995-09` `1995-Q3` `1995` `1990-1994`   months, quarters, years and runs of years
  `27`, `1995-09-20`         a number or date alone

Ends are written as in the attribute's own column, dates also as 1995-09-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind

__all__ = ["Range", "end_of_range", "read_ranges"]

Range = tuple[float, float]
"""The lowest and the highest number; both belong to it."""

_PAIR = re.compile(r"\[(.+)\.\.(.+)\]|\[(.+)[,;] (.+)\)")
_ONE_SIDED = re.compile(r"(<=|<|>=|>) ?(.+)")
_DASHED = re.compile(r"([0-9]+)-([0-9]+)")
_DASHED_GROUPS = re.compile(r"([0-9][0-9.,' ]*)-([0-9][0-9.,' ]*)")
_HIDDEN_DIGITS = re.compile(r"([0-9]+)(\*+)")
_CALENDAR = re.compile(r"([0-9]{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])|([0-9]{4})))?")


def read_ranges(texts: Iterable[str], column: Column, masks: bool = False) -> dict[str, Range]:
    """The ranges that texts spell; those that spell none are left out."""
    grouped = column.number_format.thousands != "none"
    dashed = _DASHED_GROUPS if grouped else _DASHED
    forms = {text: _form(text, column.kind, masks, dashed) for text in texts}
    ends = list(dict.fromkeys(chain.from_iterable(ends for ends, _, _ in forms.values())))
    number = dict(zip(ends, column.parse(ends).tolist(), strict=True))
    ranges = {}
    for text, ((low, high), opening, closing) in forms.items():
        start = -np.inf if opening == "open" else number[low]
        end = np.inf if closing == "open" else number[high]
        if opening == "after":
            start = np.nextafter(start, np.inf)
        if closing in ("before", "below next"):
            end = np.nextafter(end + (closing == "below next"), -np.inf)
        if column.kind is Kind.DATE and (calendar := _CALENDAR.fullmatch(text)):
            start, end = _calendar_range(*calendar.groups())
        if start <= end:
            ranges[text] = start, end
    return ranges


def _form(
    text: str, kind: Kind, masks: bool, dashes: re.Pattern[str]
) -> tuple[tuple[str, str], str, str]:
    """The two ends of a range as texts, and what each means."""
    if pair := _PAIR.fullmatch(text):
        low, high, start, before = pair.groups()
        return ((low, high), "", "") if low else ((start, before), "", "before")
    if one := _ONE_SIDED.fullmatch(text):
        sign, end = one.groups()
        if sign[0] == "<":
            return (end, end), "open", "" if sign == "<=" else "before"
        return (end, end), "" if sign == ">=" else "after", "open"
    if kind is Kind.NUMERIC and (dashed := dashes.fullmatch(text)):
        return (dashed[1], dashed[2]), "", "below next"
    if masks and kind is Kind.NUMERIC and (digits := _HIDDEN_DIGITS.fullmatch(text)):
        hidden = len(digits[2])
        return (digits[1] + "0" * hidden, digits[1] + "9" * hidden), "", "below next"
    return (text, text), "", ""


def _calendar_range(year: str, month: str | None, quarter: str | None, until: str | None) -> Range:
    """First and last day of a month, a quarter, a year or some years."""
    if until is not None:
        first, last = f"{year}-01", f"{until}-12"
    elif quarter is not None:
        first, last = f"{year}-{3 * int(quarter) - 2:02}", f"{year}-{3 * int(quarter):02}"
    else:
        first, last = f"{year}-{month or '01'}", f"{year}-{month or '12'}"
    start = np.datetime64(first, "M").astype("datetime64[D]")
    after = (np.datetime64(last, "M") + 1).astype("datetime64[D]")
    return float(start.astype(np.int64)), float(after.astype(np.int64) - 1)


def end_of_range(high: npt.ArrayLike, column: Column) -> Floats:
    """The last moment of a range: a day without a clock time lasts until midnight."""
    ends = np.asarray(high, dtype=np.float64)
    if column.kind is not Kind.DATE:
        return ends
    return np.where(ends == np.floor(ends), np.nextafter(ends + 1, -np.inf), ends)
