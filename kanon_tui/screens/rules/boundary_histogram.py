"""The histogram that shows where a boundary cuts a column."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.table.column import Column
from kanon_tui.core.task.rules import Boundary
from kanon_tui.widgets.drawing import sparkline

__all__ = ["boundary_histogram"]


def boundary_histogram(column: Column, rule: Boundary, width: int) -> str:
    """A histogram of the column with a │ where the boundary lies."""
    numbers = column.numbers
    assert numbers is not None
    present = ~np.isnan(numbers)
    first, _ = rule.sides(column)
    heights, edges = np.histogram(numbers[present], bins=width, weights=column.counts[present])
    below = numbers[present & first]
    cut = int(np.searchsorted(edges, below.max() if len(below) else edges[0], side="right"))
    line = sparkline(heights.tolist())
    return line[:cut] + "│" + line[cut:]
