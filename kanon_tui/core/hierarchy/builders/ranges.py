"""Hierarchies of numbers and dates cut into ranges: `intervals`, `breaks` and `quantiles`.

Which range a value belongs to is decided in whole numbers, never in floating point: the values,
widths and cut points of a column are written out as decimals and scaled until all are whole (dates
are whole days to begin with). So 0.3 lies in [0.3, 0.4) at width 0.1, though 0.3 // 0.1 is 2.

Labels
    whole numbers    `20-24`; `[-10..-6]` throughout when any end is negative; `20` for a width of 1
    decimals         `[2.5, 5)`, the upper end left out
    dates            `[1995-09-20..1995-09-26]`, widths in days
    open ends        `<18`, `>=65` (breaks)
    quantiles        `[lo..hi]`, both ends values of the data as they stand there

Cost: O(values · levels) for each builder.
"""

from __future__ import annotations

import datetime
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.data.column import Column
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.builders.keys import Point, exact
from kanon_tui.core.hierarchy.level_table import Hierarchy

__all__ = ["MOST_LEVELS", "build_breaks", "build_intervals", "build_quantiles"]

MOST_LEVELS = 64
_DAY_ZERO = datetime.date(1970, 1, 1).toordinal()
_FIRST_GROUPS = 16
"""About how many groups the first level has when no width is given."""


@dataclass(frozen=True)
class _Line:
    """The present values of a column as whole numbers of one unit, and how to print a range."""

    column: Column
    decimals: int
    """The unit is 10 to the minus this; always 0 for dates, whose unit is a day."""
    positions: tuple[int, ...]
    """One per value that is not missing, rising."""

    @classmethod
    def of(cls, column: Column, points: Iterable[Decimal]) -> _Line:
        """A line fine enough for the values of a column and for these points."""
        numbers = _present(column)
        if column.kind is Kind.DATE:
            return cls(column, 0, tuple(np.floor(numbers).astype(int).tolist()))
        values = [exact(number) for number in numbers.tolist()]
        decimals = max(map(_decimals, [*values, *points]))
        return cls(column, decimals, tuple(_scaled(values, decimals)))

    def units(self, points: Iterable[Decimal]) -> list[int]:
        """Points or widths in units."""
        return _scaled(points, self.decimals)

    def text(self, units: int) -> str:
        """A place on the line as a person writes it."""
        if self.column.kind is Kind.DATE:
            return str(np.datetime64(units, "D"))
        with localcontext(prec=1000):
            return f"{Decimal(units).scaleb(-self.decimals).normalize():f}"

    def range_text(self, low: int, high: int, signed: bool) -> str:
        """The label of all places from `low` up to but without `high`."""
        if self.decimals:
            return f"[{self.text(low)}, {self.text(high)})"
        if high == low + 1:
            return self.text(low)
        if signed or self.column.kind is Kind.DATE:
            return f"[{self.text(low)}..{self.text(high - 1)}]"
        return f"{self.text(low)}-{self.text(high - 1)}"

    def level(self, group_of: Callable[[int], int], label_of: Callable[[int], str]) -> list[str]:
        """The label of every value: `label_of` is asked once per group."""
        groups = [group_of(position) for position in self.positions]
        labels = {group: label_of(group) for group in dict.fromkeys(groups)}
        return [labels[group] for group in groups]


def build_intervals(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Ranges of equal width, counted from an origin.

    Widths are listed, or grow from a first width by a factor: for so many levels, or until at most
    two groups are left, or a level more would leave one. Without a first width one is taken from
    the range of the data: the smallest of 1, 2, 5, 10, 20, … that gives about sixteen groups.
    """
    widths = options["widths"] or [options["width"] or _first_width(column)]
    origin = Decimal(0) if options["origin"] is None else _point(column, options["origin"])
    line = _Line.of(column, [*widths, origin])
    if column.kind is Kind.DATE:
        _check_whole_days(column, widths)
    start, *steps = line.units([origin, *widths])
    if options["widths"] is None:
        steps = _growing(line, start, steps[0], options["factor"] or 2, options["levels"])
    _check_nesting(line, steps)

    lowest = min(start + (line.positions[0] - start) // step * step for step in steps)
    return _hierarchy(column, [_of_width(line, start, step, lowest < 0) for step in steps])


def build_breaks(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Ranges between explicit cut points; a cut belongs to the range above it.

    The cuts of a level must be among those of the level below, or its groups would not be unions
    of the groups below.
    """
    points = [[_point(column, cut) for cut in level] for level in options["levels"]]
    line = _Line.of(column, [point for level in points for point in level])
    levels = [line.units(level) for level in points]
    for number, cuts in enumerate(levels, start=1):
        for before, cut in pairwise(cuts):
            if before >= cut:
                raise InputError(
                    f"{column.name}: cut points must rise, but at level {number} "
                    f"{line.text(cut)} comes after {line.text(before)}"
                )
        below = levels[number - 2] if number > 1 else cuts
        stray = sorted(set(cuts) - set(below))
        if stray:
            raise InputError(
                f"{column.name}: level {number} cuts at {line.text(stray[0])}, which is not a cut "
                f"of level {number - 1}, so it would split a group; take its cuts from "
                + ", ".join(map(line.text, below))
            )
    signed = levels[0][0] < 0
    return _hierarchy(column, [_between(line, cuts, signed) for cuts in levels])


def build_quantiles(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Bins that hold about equally many records.

    The i-th of b - 1 cuts lies between the two neighbouring values where the records below it come
    nearest to i/b of all (the lower one on a tie); a value is never split, so frequent values make
    bins fewer or uneven. Coarser levels choose among the cuts of the level below, so levels nest.
    """
    numbers = _present(column)
    last_of_number = np.flatnonzero(np.append(np.diff(numbers) > 0, True))
    below = np.cumsum(column.counts[: len(numbers)])[last_of_number]
    total = int(below[-1])
    cuts = list(range(len(last_of_number) - 1))  # cut c lies above the c-th distinct number
    values = column.values
    levels = []
    for bins in options["bins"]:
        targets = [total * i for i in range(1, bins)]
        cuts = _nearest_cuts(cuts, [int(below[c]) * bins for c in cuts], targets)
        ends = [int(last_of_number[c]) for c in cuts] + [len(numbers) - 1]
        level: list[str] = []
        for end in ends:
            low, high = values[len(level)], values[end]
            label = low if low == high else f"[{low}..{high}]"
            level += [label] * (end + 1 - len(level))
        levels.append(level)
    return _hierarchy(column, levels)


def _nearest_cuts(cuts: Sequence[int], records: Sequence[int], targets: Iterable[int]) -> list[int]:
    """For every target the cut whose record count is nearest to it, without repeats."""
    chosen: set[int] = set()
    for target in targets:
        above = bisect_right(records, target)
        nearby = [i for i in (above - 1, above) if 0 <= i < len(cuts)]
        chosen.update(cuts[i] for i in sorted(nearby, key=lambda i: abs(records[i] - target))[:1])
    return sorted(chosen)


def _of_width(line: _Line, start: int, width: int, signed: bool) -> list[str]:
    """Labels of the values at a level of equal widths; group g starts at start + g·width."""

    def label(group: int) -> str:
        low = start + group * width
        return line.range_text(low, low + width, signed)

    return line.level(lambda place: (place - start) // width, label)


def _between(line: _Line, cuts: Sequence[int], signed: bool) -> list[str]:
    """Labels of the values at a level of cut points; group g lies below the cut number g."""

    def label(group: int) -> str:
        if group == 0:
            return f"<{line.text(cuts[0])}"
        if group == len(cuts):
            return f">={line.text(cuts[-1])}"
        return line.range_text(cuts[group - 1], cuts[group], signed)

    return line.level(lambda place: bisect_right(cuts, place), label)


def _growing(line: _Line, start: int, width: int, factor: int, levels: int | None) -> list[int]:
    if levels is not None:
        return [width * factor**i for i in range(levels)]
    low, high = line.positions[0] - start, line.positions[-1] - start
    widths = [width]
    while len(widths) <= MOST_LEVELS:
        wider = widths[-1] * factor
        one_group = low // wider == high // wider
        only_the_origin_cuts = widths[-1] > high and widths[-1] >= -low
        at_most_two_groups = widths[-1] > high - low
        if one_group or only_the_origin_cuts or at_most_two_groups:
            return widths
        widths.append(wider)
    raise InputError(
        f"{line.column.name}: width {line.text(width)} would need more than {MOST_LEVELS} levels "
        f"to reach from {line.text(line.positions[0])} to {line.text(line.positions[-1])}; "
        f"choose a wider one, or say how many levels"
    )


def _check_nesting(line: _Line, steps: Sequence[int]) -> None:
    for before, step in pairwise(steps):
        if step <= before or step % before:
            a, b = (_number_text(line, width) for width in (before, step))
            raise InputError(
                f"{line.column.name}: width {b} is not a multiple of {a}, the width before it, so "
                f"its groups would split groups of the level below; each width must be twice, "
                f"three times, … the one before"
            )


def _check_whole_days(column: Column, widths: Iterable[Decimal]) -> None:
    for width in widths:
        if width != width.to_integral_value():
            raise InputError(f"{column.name}: width {width} is not a whole number of days")


def _number_text(line: _Line, units: int) -> str:
    return str(units) if line.column.kind is Kind.DATE else line.text(units)


def _first_width(column: Column) -> Decimal:
    """The smallest of 1, 2, 5, 10, … (and of 0.5, 0.2, …) that gives about sixteen groups."""
    numbers = _present(column)
    wanted = (exact(numbers[-1]) - exact(numbers[0])) / _FIRST_GROUPS
    whole = bool((numbers == np.floor(numbers)).all())
    if whole or column.kind is Kind.DATE:
        wanted = max(wanted, Decimal(2))  # a width of 1 would leave whole numbers as they are
    if wanted == 0:
        return Decimal(1)
    steps = (Decimal(step).scaleb(wanted.adjusted()) for step in (1, 2, 5, 10))
    return next(step for step in steps if step >= wanted)


def _point(column: Column, written: Point) -> Decimal:
    """A place on the line as written in a project: a number, or for dates a date."""
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


def _present(column: Column) -> npt.NDArray[np.float64]:
    assert column.numbers is not None
    return column.numbers[: len(column.values) - (column.missing is not None)]


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), "only finite numbers come here"
    return max(0, -exponent)


def _scaled(numbers: Iterable[Decimal], decimals: int) -> list[int]:
    with localcontext(prec=1000):  # enough for every double, from 5e-324 to 1.8e308
        return [int(number.scaleb(decimals)) for number in numbers]


def _hierarchy(column: Column, levels: Sequence[Sequence[str]]) -> Hierarchy:
    present = column.values[: len(levels[0])]
    return Hierarchy.of(zip(present, *levels, strict=True), column.name)
