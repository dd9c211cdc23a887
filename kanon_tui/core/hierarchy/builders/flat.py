"""Builder `flat`: every value directly below `*`."""

from __future__ import annotations

from kanon_tui.core.hierarchy.builders.builder import Builder, present_values
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.schema import Kind

__all__ = ["FLAT"]

FLAT = Builder(
    "flat",
    "Every value directly below *",
    tuple(Kind),
    (),
    lambda column, options: Hierarchy.flat(present_values(column)),
)
