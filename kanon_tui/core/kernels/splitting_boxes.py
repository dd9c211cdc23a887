"""The boxes of the two sides while a group is divided, and of what is left out.

A box is a row of four tables: lowest and highest value per attribute, flags of the values that its
sets have, and the same flags as words of 64 (value code modulo 64), with which nodes of a tree can
be compared at once. A set has its number of values as the highest. Along other attributes a box
reaches as far as it can without a greater extent: in a tree over all values of its node, and over
everything when a number is missing. So a box grows no more by what it reaches, and by everything
else it does.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels.box_arrays import BITS, KIND, MISSING, MIXED, NOTHING, SET, START, TREE
from kanon_tui.core.kernels.boxes import ancestor, extent, set_extent, uncounted
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s, Words

__all__: list[str] = []  # all of it is for kernels only

_ALL_BITS = 64


@uncounted
def bit(value: int) -> np.uint64:
    """A value of a set as one bit of a word."""
    return np.uint64(1) << np.uint64(value % _ALL_BITS)


@uncounted
def apart(
    facts: Int64s, prices: Floats, line: Floats, nodes: Int32s, rows: Int32s, i: int, j: int
) -> float:
    """Extent of the box around two distinct rows."""
    total = 0.0
    for x in range(rows.shape[1]):
        low, high = min(rows[i, x], rows[j, x]), max(rows[i, x], rows[j, x])
        if low == high:
            continue
        if facts[x, KIND] == SET:
            total += set_extent(prices, x, 2)
        else:
            total += extent(facts, prices, line, nodes, x, low, high)
    return total


@uncounted
def box_growth(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    rows: Int32s,
    low: Int32s,
    high: Int32s,
    present: Flags,
    side: int,
    row: int,
) -> float:
    """By how much the box of a side grows when it takes a row."""
    total = 0.0
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            if not present[side, facts[x, START] + value]:
                count = high[side, x]
                total += set_extent(prices, x, count + 1) - set_extent(prices, x, count)
        elif value < low[side, x] or value > high[side, x]:
            wider_low, wider_high = min(low[side, x], value), max(high[side, x], value)
            total += extent(facts, prices, line, nodes, x, wider_low, wider_high)
            total -= extent(facts, prices, line, nodes, x, low[side, x], high[side, x])
    return total


@uncounted
def widen(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    rows: Int32s,
    low: Int32s,
    high: Int32s,
    present: Flags,
    words: Words,
    side: int,
    row: int,
    begin: bool,
) -> None:
    """Widen the box of a side so that it covers a row, or begin a box with it."""
    for x in range(rows.shape[1]):
        value, start = rows[row, x], facts[x, START]
        if facts[x, KIND] == SET:
            if begin:
                high[side, x], words[side, facts[x, BITS]] = 0, np.uint64(0)
            if not present[side, start + value]:
                present[side, start + value] = True
                words[side, facts[x, BITS]] |= bit(value)
                high[side, x] += 1
        elif begin:
            low[side, x], high[side, x] = value, value
        elif value < low[side, x] or value > high[side, x]:
            low[side, x], high[side, x] = min(low[side, x], value), max(high[side, x], value)
            if facts[x, KIND] == TREE:
                node = ancestor(nodes, start, low[side, x], high[side, x])
                low[side, x], high[side, x] = nodes[node, 0], nodes[node, 1]
            elif facts[x, MISSING] != NOTHING:
                wide = extent(facts, prices, line, nodes, x, low[side, x], high[side, x])
                if wide >= prices[x, MIXED] - TIE:
                    low[side, x], high[side, x] = 0, facts[x, MISSING]


@uncounted
def forget(facts: Int64s, rows: Int32s, members: Int32s, present: Flags) -> None:
    """Clear the flags of the values of these rows, so that the next boxes begin with none."""
    for x in range(rows.shape[1]):
        if facts[x, KIND] == SET:
            for row in members:
                for side in range(len(present)):
                    present[side, facts[x, START] + rows[row, x]] = False
