"""Which records a split does not really divide: their published cells reach to its other side.

A tree divides published cells, not people. Where `[20..41]` and `[23..43]` fall to either side of a
split, nobody can tell from that who is older: Morton had to take such records out by hand before he
could read his figures 16 to 20 ("after filtering the overlap in ranges"). So for every split

  number or date, by where it begins or by its middle   a record straddles the split when its range
                                                        has values below the cut and at or above it
  category, and questions about width and count         when its cell shares a value with a cell of
                                                        the other side

Cost: O(values of the data · cells) per split for categories, O(values + cells) for numbers.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.analysis.published.range_reading import end_of_range
from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.numeric import Flags, Int64s

__all__ = ["straddling_cells"]

_BLOCK = 1 << 22


def straddling_cells(cells: ReadCells, present: Int64s, above: Flags, cut: float | None) -> Flags:
    """Which of the cells at a split straddle it, in the order of `present`.

    `above` tells for each on which side it is, `cut` the number at which the upper side begins
    where the split is by numbers of the attribute.
    """
    column = cells.attribute.column
    if cut is not None:
        high = end_of_range(cells.high[present], column)
        through = (cells.low[present] < cut) & (high >= cut)
        return np.asarray(through & ~cells.missing[present], dtype=bool)
    if column.kind.ordered:
        return _sharing_numbers(cells, present, above)
    found = np.zeros(len(present), dtype=bool)
    step = max(1, _BLOCK // max(1, len(cells.texts)))
    for start in range(0, len(column.values), step):
        covered = cells.shows(column.values[start : start + step])[:, present]
        beyond = np.where(above, covered[:, ~above].any(axis=1, keepdims=True),
                          covered[:, above].any(axis=1, keepdims=True))  # fmt: skip
        found |= (covered & beyond).any(axis=0)
    return found


def _sharing_numbers(cells: ReadCells, present: Int64s, above: Flags) -> Flags:
    column = cells.attribute.column
    assert column.numbers is not None
    line = np.unique(column.numbers[~np.isnan(column.numbers)])
    missing, everything = cells.missing[present], cells.everything[present]
    first = np.searchsorted(line, cells.low[present])
    behind = np.searchsorted(line, end_of_range(cells.high[present], column), "right")
    places = len(line)
    if column.missing is not None:  # one place more, behind the last number
        first, behind = np.where(missing, places, first), np.where(missing, places + 1, behind)
        places += 1
        behind = np.where(everything, places, behind)
    behind = np.maximum(first, behind)
    found = np.zeros(len(present), dtype=bool)
    for side in (above, ~above):
        opened = np.bincount(first[side], minlength=places + 1)
        closed = np.bincount(behind[side], minlength=places + 1)
        covered = np.cumsum(opened - closed)[:places] > 0
        before = np.concatenate([[0], np.cumsum(covered)])
        found |= ~side & (before[behind] > before[first])
    return found
