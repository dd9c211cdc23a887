"""Builder `intervals`: ranges of equal width, `20-24`, `20-29`, …"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.types import FieldType, list_of, whole_number
from kanon_tui.core.fields.yaml_text import exact_number
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.builders.line import (
    POINT,
    Line,
    levels_hierarchy,
    point_of,
    present_numbers,
)
from kanon_tui.core.hierarchy.decimals import exact
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind

__all__ = ["INTERVALS", "chosen_widths", "first_width"]

_MOST_LEVELS = 64
_FIRST_GROUPS = 16
"""About how many groups the first level has when no width is given."""
_WIDTH = FieldType(
    "a number above 0", lambda located: exact(located.number("a number above 0", above=0))
)


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Ranges of equal width, counted from an origin.

    Widths are listed, or grow from a first width by a factor: for so many levels, or until at most
    two groups are left, or a level more would leave one. Without a first width one is taken from
    the range of the data: the smallest of 1, 2, 5, 10, 20, … that gives about sixteen groups.
    """
    line, start, steps = _line_and_steps(column, options)
    lowest = min(start + (line.positions[0] - start) // step * step for step in steps)
    return levels_hierarchy(column, [_of_width(line, start, step, lowest < 0) for step in steps])


def _line_and_steps(column: Column, options: Mapping[str, Any]) -> tuple[Line, int, list[int]]:
    """The line of the values, where a group starts on it, and the width of every level."""
    widths = options["widths"] or [options["width"] or first_width(column)]
    origin = Decimal(0) if options["origin"] is None else point_of(column, options["origin"])
    line = Line.of(column, [*widths, origin])
    if column.kind is Kind.DATE:
        _check_whole_days(column, widths)
    start, *steps = line.units([origin, *widths])
    if options["widths"] is None:
        steps = _growing(line, start, steps[0], options["factor"] or 2, options["levels"])
    _check_nesting(line, steps)
    return line, start, steps


def chosen_widths(column: Column, options: Mapping[str, Any]) -> list[int | float | str]:
    """The width of every level as it was given or found from the data."""
    line, _, steps = _line_and_steps(column, options)
    widths = (Decimal(step).scaleb(-line.decimals).normalize() for step in steps)
    return [exact_number(f"{width:f}") for width in widths]


def _of_width(line: Line, start: int, width: int, signed: bool) -> list[str]:
    """Labels of the values at a level of equal widths; group g starts at start + g·width."""

    def label(group: int) -> str:
        low = start + group * width
        return line.range_text(low, low + width, signed)

    return line.level(lambda place: (place - start) // width, label)


def _growing(line: Line, start: int, width: int, factor: int, levels: int | None) -> list[int]:
    if levels is not None:
        return [width * factor**i for i in range(levels)]
    low, high = line.positions[0] - start, line.positions[-1] - start
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
        f"to reach from {line.text(line.positions[0])} to {line.text(line.positions[-1])}; "
        f"choose a wider one, or say how many levels"
    )


def _check_nesting(line: Line, steps: Sequence[int]) -> None:
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


def _number_text(line: Line, units: int) -> str:
    return str(units) if line.column.kind is Kind.DATE else line.text(units)


def first_width(column: Column) -> Decimal:
    """The smallest of 1, 2, 5, 10, … (and of 0.5, 0.2, …) that gives about sixteen groups."""
    numbers = present_numbers(column)
    wanted = (exact(numbers[-1]) - exact(numbers[0])) / _FIRST_GROUPS
    whole = bool((numbers == np.floor(numbers)).all())
    if whole or column.kind is Kind.DATE:
        wanted = max(wanted, Decimal(2))  # a width of 1 would leave whole numbers as they are
    if wanted == 0:
        return Decimal(1)
    steps = (Decimal(step).scaleb(wanted.adjusted()) for step in (1, 2, 5, 10))
    return next(step for step in steps if step >= wanted)


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
            "origin",
            POINT,
            help="Where a group starts: 0, or 1970-01-01 for dates, when not given",
        ),
    ),
    _build,
)
