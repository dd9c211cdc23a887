"""Every way to get a hierarchy, with its keys: the contents page of the builders.

Whatever reads, checks, shows or documents a specification goes by these two tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType, text
from kanon_tui.core.hierarchy.builders.builder import FLAT, Builder
from kanon_tui.core.hierarchy.builders.dates import DATE
from kanon_tui.core.hierarchy.builders.groups import GROUPS
from kanon_tui.core.hierarchy.builders.intervals import BREAKS, INTERVALS, QUANTILES
from kanon_tui.core.hierarchy.builders.mask import MASK

__all__ = ["BUILDERS", "SOURCES"]

BUILDERS: dict[str, Builder] = {
    builder.name: builder for builder in (INTERVALS, BREAKS, QUANTILES, MASK, DATE, GROUPS, FLAT)
}
"""Ways to build a hierarchy from the values of a column."""

_LEVEL_TABLE = "a mapping from every value to the list of its labels"


def _read_level_table(located: LocatedValue) -> dict[Any, list[Any]]:
    """Return values and labels as written; a list may be empty (a hierarchy of one value)."""
    if not isinstance(located.value, Mapping) or not located.value:
        raise located.refuse(f"{located.shown} is not allowed here; write {_LEVEL_TABLE}")
    for value, labels in located.value.items():
        if not isinstance(labels, list | tuple):
            row = located.at(str(value), labels)
            raise row.refuse(f"{row.shown} is not allowed here; write {_LEVEL_TABLE}")
    return {value: list(labels) for value, labels in located.value.items()}


SOURCES: dict[str, tuple[Field, ...]] = {
    "file": (
        Field("file", text("the name of a file", empty=False), help="A level table in ARX's form"),
    ),
    "utd": (
        Field(
            "utd",
            text("the name of an XML file", empty=False),
            help="A configuration of the UTD toolbox",
        ),
        Field(
            "attribute",
            text("a name", empty=False),
            help="The name (or index) of the attribute in it; the column's name when not given",
        ),
    ),
    "levels": (
        Field(
            "levels",
            FieldType(_LEVEL_TABLE, _read_level_table),
            help="The labels of every value from level 1 on",
        ),
    ),
}
"""Level tables that are given, not built: each by the key that tells it and all its keys."""
