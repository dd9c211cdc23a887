"""How the columns of a grid share its width, and which of them is the first in view.

A grid scrolls sideways by whole columns: the first one in view is always seen from its beginning.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

__all__ = [
    "GAP",
    "GridColumn",
    "column_starts",
    "first_in_view",
    "shared_widths",
    "start_for",
    "up_to",
]

GAP = 2
"""Cells between two columns."""


@dataclass(frozen=True)
class GridColumn:
    """Title, width in terminal cells and alignment of one column."""

    title: str
    width: int
    right: bool = False
    wish: int = 0
    """How wide it would be if there were room; 0: no wider than its width."""


def up_to(most: int, title: str, width: int, right: bool = False) -> GridColumn:
    """A column of this width; where there is no room for all of it, of the most it may take."""
    return GridColumn(title, min(width, most), right, wish=width)


def shared_widths(columns: Sequence[GridColumn], room: int) -> list[int]:
    """A width for every column: its own, and more towards its wish while there is room."""
    widths = [column.width for column in columns]
    left = room - sum(widths) - GAP * max(len(widths) - 1, 0)
    while left > 0:
        short = [x for x, column in enumerate(columns) if column.wish > widths[x]]
        if not short:
            break
        share = max(left // len(short), 1)
        for x in short:
            more = min(share, columns[x].wish - widths[x], left)
            widths[x] += more
            left -= more
    return widths


def column_starts(widths: Sequence[int]) -> list[int]:
    """Where every column begins, and where one more would."""
    return list(accumulate((width + GAP for width in widths), initial=0))


def first_in_view(starts: Sequence[int], scrolled: int) -> int:
    """The first column that is seen whole when the grid is scrolled this far."""
    return min(bisect_left(starts, scrolled), max(len(starts) - 2, 0))


def start_for(starts: Sequence[int], column: int, scrolled: int, room: int) -> int:
    """How far to scroll so that a column is seen, no further than needed."""
    end = starts[column + 1] - GAP
    left = starts[first_in_view(starts, scrolled)]
    if starts[column] < left:
        return starts[column]
    if end <= left + room:
        return left
    return next((start for start in starts[:column] if end - start <= room), starts[column])
