"""Every way to get a hierarchy, with its keys: the contents page of the builders.

Whatever reads, checks, shows or documents a specification goes by these two tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_tui.core.data.column import Column
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.hierarchy.builders.dates import DATE_LEVELS, build_date, read_date_level
from kanon_tui.core.hierarchy.builders.keys import (
    MOST_BINS,
    Key,
    list_of,
    one_of,
    read_bins,
    read_groups,
    read_level_table,
    read_point,
    read_text,
    read_width,
    whole_number,
)
from kanon_tui.core.hierarchy.builders.ranges import (
    MOST_LEVELS,
    build_breaks,
    build_intervals,
    build_quantiles,
)
from kanon_tui.core.hierarchy.builders.texts import build_flat, build_groups, build_mask
from kanon_tui.core.hierarchy.level_table import Hierarchy

__all__ = ["BUILDERS", "SOURCES", "Builder"]

_SIDES = ("right", "left")


@dataclass(frozen=True)
class Builder:
    """A way to make a hierarchy from the values of a column."""

    name: str
    help: str
    kinds: tuple[Kind, ...]
    """The kinds of attributes it is for."""
    keys: tuple[Key, ...]
    build: Callable[[Column, Mapping[str, Any]], Hierarchy]


def _table(*builders: Builder) -> dict[str, Builder]:
    return {builder.name: builder for builder in builders}


BUILDERS = _table(
    Builder(
        "intervals",
        "Ranges of equal width: 20-24, 20-29, …",
        (Kind.NUMERIC, Kind.DATE),
        (
            Key(
                "widths",
                "Width at every level, in days for dates; each a multiple of the one before",
                "a list of numbers above 0, such as [5, 10, 20]",
                list_of(read_width),
                excludes=("width", "factor", "levels"),
            ),
            Key(
                "width",
                "Width at the first level, instead of a list; without either, taken from the data",
                "a number above 0",
                read_width,
            ),
            Key(
                "factor",
                "How many times wider each further level is (2 when not given)",
                "a whole number of at least 2",
                whole_number(2),
            ),
            Key(
                "levels",
                "How many levels; without it, until one or two groups are left",
                f"a whole number from 1 to {MOST_LEVELS}",
                whole_number(1, MOST_LEVELS),
            ),
            Key(
                "origin",
                "Where a group starts: 0, or 1970-01-01 for dates, when not given",
                "a number, or a date for dates",
                read_point,
            ),
        ),
        build_intervals,
    ),
    Builder(
        "breaks",
        "Ranges between cut points: <18, 18-39, 40-64, >=65",
        (Kind.NUMERIC, Kind.DATE),
        (
            Key(
                "levels",
                "Cut points per level, rising; those of a level are among those of the level below",
                "a list of lists of cut points, such as [[18, 40, 65], [65]]",
                list_of(list_of(read_point)),
                required=True,
            ),
        ),
        build_breaks,
    ),
    Builder(
        "quantiles",
        "Ranges that hold about equally many records",
        (Kind.NUMERIC, Kind.DATE),
        (
            Key(
                "bins",
                "How many ranges at every level",
                f"a list of falling whole numbers from 2 to {MOST_BINS}, such as [10, 5]",
                read_bins,
                required=True,
            ),
        ),
        build_quantiles,
    ),
    Builder(
        "mask",
        "Hides one character more at every level: 4620*, 462**, …",
        tuple(Kind),
        (
            Key(
                "from",
                "The end at which hiding begins",
                "right or left",
                one_of(_SIDES),
                default="right",
                choices=_SIDES,
            ),
            Key(
                "levels",
                "How many characters are hidden one by one before all are; all when not given",
                "a whole number of at least 1",
                whole_number(1),
            ),
        ),
        build_mask,
    ),
    Builder(
        "date",
        "Calendar units: month, year, some years, decade",
        (Kind.DATE,),
        (
            Key(
                "levels",
                "The unit of every level, from short to long",
                "a list of day, month, quarter, year, 5 years (or any number), decade",
                list_of(read_date_level),
                default=DATE_LEVELS,
            ),
        ),
        build_date,
    ),
    Builder(
        "groups",
        "Named groups of values, and groups of groups",
        tuple(Kind),
        (
            Key(
                "levels",
                "Per level the groups with their members: values, then groups of the level below",
                "a list of mappings from groups to members, such as [{Europe: [France, Italy]}]",
                list_of(read_groups),
                required=True,
            ),
            Key(
                "other",
                "The group of whatever a level does not name; without it that is an error",
                "the name of a group",
                read_text,
            ),
        ),
        build_groups,
    ),
    Builder("flat", "Every value directly below *", tuple(Kind), (), build_flat),
)

SOURCES: dict[str, tuple[Key, ...]] = {
    "file": (Key("file", "A level table in ARX's form", "the name of a file", read_text),),
    "utd": (
        Key("utd", "A configuration of the UTD toolbox", "the name of an XML file", read_text),
        Key(
            "attribute",
            "The name (or index) of the attribute in it; the column's name when not given",
            "a name",
            lambda value: str(value) if isinstance(value, int) else read_text(value),
        ),
    ),
    "levels": (
        Key(
            "levels",
            "The labels of every value from level 1 on",
            "a mapping from every value to the list of its labels",
            read_level_table,
        ),
    ),
}
"""Level tables that are given, not built: each by the key that tells it and all its keys."""
