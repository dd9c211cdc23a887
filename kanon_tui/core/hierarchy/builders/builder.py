"""What a builder is: a name, the kinds it is for, its keys, and how it makes a hierarchy.

Builder `flat`: every value directly below `*`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind

__all__ = ["FLAT", "Builder", "present_values"]


@dataclass(frozen=True)
class Builder:
    """A way to make a hierarchy from the values of a column."""

    name: str
    help: str
    kinds: tuple[Kind, ...]
    """The kinds of attributes it is for."""
    keys: tuple[Field, ...]
    build: Callable[[Column, Mapping[str, Any]], Hierarchy]


def present_values(column: Column) -> Sequence[str]:
    """Return the values of a column without the missing one."""
    return column.values[: len(column.values) - (column.missing is not None)]


FLAT = Builder(
    "flat",
    "Every value directly below *",
    tuple(Kind),
    (),
    lambda column, options: Hierarchy.flat(present_values(column)),
)
