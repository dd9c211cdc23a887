"""Signed sums of numbers, by which a tree of boxes knows how far away its furthest row really is.

The distance of two rows along their numbers is Σ |a − b|, which is the largest of all sums
Σ ±(a − b). So the lowest and the highest of every signed sum (a + b and a − b of two numbers) say
exactly how far the furthest row of a node is. The corners of its box only say how far a row could
be, and with many numbers few corners are taken.

The sums of m numbers are 2^(m−1) columns, so only so many numbers are summed together; sums of the
next ones are further columns, and their distances are added. Where a number is missing its lowest
or highest place stands in for it, whichever rows are further from; a search makes up for that.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from kanon_tui.core.numeric import Floats, Int32s

__all__ = ["Diagonals", "diagonals"]

_TOGETHER = 5


class Diagonals(NamedTuple):
    """The signed sums of all rows."""

    sums: Floats
    """Rows × sums; of a sum and its negative only one."""
    begins: Int32s
    """Where the sums of each group of numbers begin, counted with the numbers before them; one more
    entry marks the end."""
    stand_in: Floats
    """Per number the place of a missing one."""


def diagonals(places: Floats) -> Diagonals:
    """The signed sums of numbers of which the places are known (nan: missing)."""
    numbers = places.shape[1]
    stand_in = np.array([_end_further_away(column) for column in places.T], dtype=np.float64)
    filled = np.where(np.isnan(places), stand_in, places)
    sums, begins = [], [numbers]
    for start in range(0, numbers, _TOGETHER):
        first, *others = filled.T[start : start + _TOGETHER]
        for signs in product((1.0, -1.0), repeat=len(others)):
            sums.append(sum((s * column for s, column in zip(signs, others, strict=True)), first))
        begins.append(numbers + len(sums))
    table = np.array(sums, dtype=np.float64).reshape(len(sums), len(places))
    return Diagonals(np.ascontiguousarray(table.T), np.array(begins, dtype=np.int32), stand_in)


def _end_further_away(column: Floats) -> float:
    """The lowest or the highest place of a number, whichever rows are further from on average."""
    present = column[~np.isnan(column)]
    if not len(present):
        return 0.0
    low, high = float(present.min()), float(present.max())
    return high if present.mean() < (low + high) / 2 else low
