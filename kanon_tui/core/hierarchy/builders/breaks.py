"""Builder `breaks`: ranges between cut points, `<18`, `18-39`, `40-64`, `>=65`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.types import list_of
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.builders.line import POINT, Line, levels_hierarchy, point_of
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind

__all__ = ["BREAKS"]

_CUTS = "a list of lists of cut points, such as [[18, 40, 65], [65]]"


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Ranges between explicit cut points; a cut belongs to the range above it.

    The cuts of a level must be among those of the level below, or its groups would not be unions
    of the groups below.
    """
    points = [[point_of(column, cut) for cut in level] for level in options["levels"]]
    line = Line.of(column, [point for level in points for point in level])
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
    return levels_hierarchy(column, [_between(line, cuts, signed) for cuts in levels])


def _between(line: Line, cuts: Sequence[int], signed: bool) -> list[str]:
    """Labels of the values at a level of cut points; group g lies below the cut number g."""

    def label(group: int) -> str:
        if group == 0:
            return f"<{line.text(cuts[0])}"
        if group == len(cuts):
            return f">={line.text(cuts[-1])}"
        return line.range_text(cuts[group - 1], cuts[group], signed)

    return line.level(lambda place: bisect_right(cuts, place), label)


BREAKS = Builder(
    "breaks",
    "Ranges between cut points: <18, 18-39, 40-64, >=65",
    (Kind.NUMERIC, Kind.DATE),
    (
        Field(
            "levels",
            list_of(list_of(POINT, _CUTS, empty=False), _CUTS, empty=False),
            help="Cut points per level, rising; those of a level are among those of the level "
            "below",
            required="levels: [[18, 40, 65], [65]]",
        ),
    ),
    _build,
)
