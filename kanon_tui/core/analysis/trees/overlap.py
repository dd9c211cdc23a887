"""Which records a split does not really divide: their published cells reach to its other side.

A tree divides published cells, not people. Where `[20..41]` and `[23..43]` fall to either side of a
split, nobody can tell from that who is older: Morton had to take such records out by hand before he
could read his figures 16 to 20 ("after filtering the overlap in ranges"). So for every split

  number or date, by where it begins or by its middle   a record straddles the split when its range
                                                        has values below the cut and at or above it
  category                                              when its cell covers something of what is
                                                        asked for and something else: `{A|B}` where
                                                        the question is whether it is A
  questions about width and number of values            when its cell shares a value with a cell of
                                                        the other side

Cost: O(values of the data · cells) per split for categories, O(values + cells) for numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kanon_tui.core.analysis.published.range_reading import end_of_range
from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.analysis.trees.features import Feature
from kanon_tui.core.numeric import Flags, Int64s

__all__ = ["straddling_cells"]

_BLOCK = 1 << 22


def straddling_cells(
    cells: ReadCells, present: Int64s, above: Flags, question: Feature, cut: float
) -> Flags:
    """Which of the cells at a split straddle it, in the order of `present`.

    `above` tells for each on which side it is, `cut` the number at which the upper side begins.
    """
    column = cells.attribute.column
    if question.cuts:
        high = end_of_range(cells.high[present], column)
        through = (cells.low[present] < cut) & (high >= cut)
        return np.asarray(through & ~cells.missing[present], dtype=bool)
    if question.values or question.cell is not None:
        return _partly_asked_for(cells, present, question)
    if column.kind.ordered:
        return _sharing_numbers(cells, present, above)
    found = np.zeros(len(present), dtype=bool)
    for _, covered in _blocks(cells, present):
        beyond = np.where(above, covered[:, ~above].any(axis=1, keepdims=True),
                          covered[:, above].any(axis=1, keepdims=True))  # fmt: skip
        found |= (covered & beyond).any(axis=0)
    return found


def _partly_asked_for(cells: ReadCells, present: Int64s, question: Feature) -> Flags:
    """The cells that cover some value which is asked for, and some other one."""
    wanted = set(question.values)
    one = cells.texts.index(question.cell) if question.cell is not None else None
    inside, outside = np.zeros(len(present), dtype=bool), np.zeros(len(present), dtype=bool)
    everywhere = np.arange(len(cells.texts))
    for values, covered in _blocks(cells, everywhere):
        asked = covered[:, one] if one is not None else np.array([v in wanted for v in values])
        inside |= covered[asked][:, present].any(axis=0)
        outside |= covered[~asked][:, present].any(axis=0)
    return np.asarray(inside & outside, dtype=bool)


def _blocks(cells: ReadCells, present: Int64s) -> Iterator[tuple[Sequence[str], Flags]]:
    """Some values of the data at a time, and which cells cover each."""
    values = cells.attribute.column.values
    step = max(1, _BLOCK // max(1, len(cells.texts)))
    for start in range(0, len(values), step):
        some = values[start : start + step]
        yield some, cells.shows(some)[:, present]


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
