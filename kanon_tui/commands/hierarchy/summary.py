"""What the three parts say of a hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_tui.core.hierarchy.level_table import Hierarchy

__all__ = ["summary"]


def summary(hierarchy: Hierarchy) -> str:
    """`100 values, height 2, labels per level 100, 20, 1`."""
    counts = [len(hierarchy.labels(level)) for level in range(hierarchy.height + 1)]
    per_level = ", ".join(f"{count:,}" for count in counts)
    return f"{counts[0]:,} values, height {hierarchy.height}, labels per level {per_level}"
