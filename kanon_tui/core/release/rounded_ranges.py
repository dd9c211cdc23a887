"""Ranges whose ends lie on a round grid: `[1950..1959]` instead of the values of two people.

The ends of a published range are values of the data, so each of them tells what somebody has. With
`publish: rounded` a range is widened to the next round ends. The step of numbers is the smallest of
1, 2, 5, 10, 20, … that is at least half as wide as the range (and at least 2 for whole numbers);
that of dates is a month, from a year on a year, from ten years on a decade. A class of one value
prints it as it is, and a coded end stays.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from kanon_tui.core.hierarchy.level_table import exact
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column, Kind, end_text
from kanon_tui.core.table.dates import date_text

_YEAR = 365
_MONTHS = {10 * _YEAR: 120, _YEAR: 12, 0: 1}
"""By the least width in days, the months that ends of dates are rounded to."""
_FIRST_DAY, _LAST_DAY = (
    int(np.datetime64(day, "D").astype(np.int64)) for day in ("0001-01-01", "9999-12-31")
)


def rounded_range(column: Column, low: int, high: int) -> tuple[list[str], list[float]]:
    """Return the ends of the round range around two values, as texts and as numbers.

    The values are given by their codes; the first is the smaller.
    """
    ends = float(column.value_numbers[low]), float(column.value_numbers[high])
    numbers: list[float]
    if column.kind is Kind.DATE:
        days = _round_days(*ends)
        texts, numbers = [date_text(day, column.date_format) for day in days], [*days]
    else:
        present = column.value_numbers[~np.isnan(column.value_numbers)]
        whole = bool((present == np.floor(present)).all())
        decimals = _round_numbers(exact(ends[0]), exact(ends[1]), whole)
        form = column.number_format
        texts = [form.as_range_end(form.write(f"{each.normalize():f}")) for each in decimals]
        numbers = [float(each) for each in decimals]
    for end, code in enumerate((low, high)):
        if column.values[code] in column.coded_ends:
            texts[end], numbers[end] = end_text(column, column.values[code]), ends[end]
    return texts, numbers


def rounded_codes(column: Column, low: Int64s, high: Int64s) -> tuple[Int64s, Int64s]:
    """Return the first and the last value of the data in every widened range, as codes.

    `low` and `high` have shape (n_groups,) and hold codes; a group without values has -1, and one
    with a missing value ends at the missing code. Both stay.
    """
    present = column.value_numbers[: len(column.value_numbers) - (column.missing is not None)]
    wide = (low >= 0) & (low != high) & (high < len(present))
    pairs, place = np.unique(np.stack([low[wide], high[wide]]), axis=1, return_inverse=True)
    ranges = np.array([rounded_range(column, *pair)[1] for pair in pairs.T.tolist()])
    begins, ends = ranges.reshape(-1, 2).T
    first = np.searchsorted(present, begins, "left")
    day = column.kind is Kind.DATE  # which includes its hours
    last = np.searchsorted(present, ends + day, "left" if day else "right") - 1
    low, high = low.copy(), high.copy()
    low[wide], high[wide] = first[place.ravel()], last[place.ravel()]
    return low, high


def _round_numbers(low: Decimal, high: Decimal, whole: bool) -> tuple[Decimal, Decimal]:
    half = (high - low) / 2
    wanted = max(half, Decimal(2)) if whole else half
    steps = (Decimal(step).scaleb(wanted.adjusted()) for step in (1, 2, 5, 10))
    step = next(each for each in steps if each >= wanted)
    start = (low / step).to_integral_value(ROUND_FLOOR) * step
    if whole:
        return start, ((high / step).to_integral_value(ROUND_FLOOR) + 1) * step - 1
    return start, (high / step).to_integral_value(ROUND_CEILING) * step


def _round_days(low: float, high: float) -> tuple[int, int]:
    """Return the first and the last day of whole months, years or decades."""
    months = next(unit for width, unit in _MONTHS.items() if high - low >= width)
    days = np.floor([low, high]).astype(np.int64).astype("datetime64[D]")
    first, last = (days.astype("datetime64[M]").astype(np.int64) + 1970 * 12) // months
    edges = np.array([first * months, (last + 1) * months]) - 1970 * 12
    start, after = edges.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return max(int(start), _FIRST_DAY), min(int(after) - 1, _LAST_DAY)
