"""The boxes of the two sides while a group is divided.

A box is a row of several tables: lowest and highest value per attribute, flags of the values that
its sets have, and the same flags as words of 64 (value code modulo 64), with which nodes of a tree
can be compared at once. A set has its number of values as the highest. Along other attributes a box
reaches as far as it can without a greater extent: in a tree over all values of its node, and over
everything when a number is missing. So a box grows no more by what it reaches, and by everything
else it does.

A set of more than 64 values may have most of them once. They are not all flagged where one side
takes whatever is new, the host: it has each value that has occurred and that the other side has
not. When the other side gets one that the host has, it is flagged for both. The number of values of
the host is then too low, which matters no more from two on.

Everything here is a part of other kernels and costs O(attributes) per row. Its twin in
`tests/core/algorithms/twins/merging.py` works on sets of values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    BITS,
    CHAIN,
    KIND,
    MISSING,
    MIXED,
    NOTHING,
    SET,
    START,
    TREE,
    WORD_BITS,
    Attributes,
)
from kanon_tui.core.kernels.boxes import common_ancestor, extent, set_extent
from kanon_tui.core.numeric import TIE, Flags, Int32s, Int64s, Words

__all__ = ["SideBoxes", "Sides"]

HOST, TURNING = 0, 1  # entries of `SideBoxes.host`
FIRST_BOX, SECOND_BOX = 0, 1  # of the two sides; others are the first once more


class SideBoxes(NamedTuple):
    """Some boxes."""

    low: Int32s  # boxes × attributes
    high: Int32s  # boxes × attributes
    present: Flags  # boxes, or more × values of all sets
    words: Words  # boxes × words: a value on this bit is there
    host: Int64s  # HOST: side, or -1; TURNING: rows have their turns, what is ahead is new
    heads: Int32s  # per value of long sets one more than the first row that has it; none by scan


class Sides(NamedTuple):
    """The two sides of a group."""

    boxes: SideBoxes
    side_of: Int32s  # per row: 0 or 1; with trees 1 for the rows of the side that is listed
    counts: Int32s  # per row: records


@inner_kernel
def new_boxes(count: int, attributes: Attributes, present: Flags, heads: Int32s) -> SideBoxes:
    """Room for so many boxes; `present` is all false."""
    columns = 1
    for x in range(len(attributes.facts)):
        columns = max(columns, attributes.facts[x, BITS] + 1)
    host = np.zeros(2, dtype=np.int64)
    host[HOST] = -1
    return SideBoxes(
        np.zeros((count, len(attributes.facts)), dtype=np.int32),
        np.zeros((count, len(attributes.facts)), dtype=np.int32),
        present,
        np.zeros((count, columns), dtype=np.uint64),
        host,
        heads,
    )


@part_of_kernel
def bit(value: int) -> np.uint64:
    """A value of a set as one bit of a word."""
    return np.uint64(1) << np.uint64(value % WORD_BITS)


@part_of_kernel
def apart(attributes: Attributes, rows: Int32s, i: int, j: int) -> float:
    """Extent of the box around two distinct rows."""
    total = 0.0
    for x in range(rows.shape[1]):
        low, high = min(rows[i, x], rows[j, x]), max(rows[i, x], rows[j, x])
        if low == high:
            continue
        if attributes.facts[x, KIND] == SET:
            total += set_extent(attributes, x, 2)
        else:
            total += extent(attributes, x, low, high)
    return total


@part_of_kernel
def one_value_more(attributes: Attributes, x: int, count: int) -> float:
    """By how much a set of so many values grows when it gets another one."""
    return set_extent(attributes, x, count + 1) - set_extent(attributes, x, count)


@part_of_kernel
def _has(attributes: Attributes, boxes: SideBoxes, side: int, x: int, row: int, value: int) -> bool:
    """Whether the set of a side has the value of a row."""
    flag, host = attributes.facts[x, START] + value, boxes.host[HOST]
    if boxes.present[side, flag]:
        return True
    if host < 0 or attributes.facts[x, CHAIN] < 0 or (side == SECOND_BOX) != (host == SECOND_BOX):
        return False
    new = boxes.host[TURNING] == 1 and boxes.heads[flag] == row + 1
    return not (new or boxes.present[1 - host, flag])


@part_of_kernel
def box_growth(
    attributes: Attributes, rows: Int32s, boxes: SideBoxes, side: int, row: int
) -> float:
    """By how much the box of a side grows when it takes a row."""
    facts, low, high = attributes.facts, boxes.low, boxes.high
    total = 0.0
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            if not _has(attributes, boxes, side, x, row, value):
                total += one_value_more(attributes, x, high[side, x])
        elif value < low[side, x] or value > high[side, x]:
            wider_low, wider_high = min(low[side, x], value), max(high[side, x], value)
            total += extent(attributes, x, wider_low, wider_high)
            total -= extent(attributes, x, low[side, x], high[side, x])
    return total


@part_of_kernel
def _add_value(
    attributes: Attributes, boxes: SideBoxes, side: int, x: int, row: int, value: int
) -> None:
    """Let the set of a side have one more value, that of a row."""
    facts, present = attributes.facts, boxes.present
    flag = facts[x, START] + value
    present[side, flag] = True
    boxes.high[side, x] += 1
    boxes.words[side, facts[x, BITS]] |= bit(value)
    if facts[x, CHAIN] < 0 or boxes.host[HOST] < 0 or not boxes.host[TURNING]:
        return
    if boxes.heads[flag] != row + 1:  # it is not new, so the other side has had it from the start
        for box in range(len(present)):
            present[box, flag] = present[box, flag] or (box == SECOND_BOX) != (side == SECOND_BOX)


@part_of_kernel
def begin_box(attributes: Attributes, rows: Int32s, boxes: SideBoxes, side: int, row: int) -> None:
    """Begin the box of a side with a row."""
    facts = attributes.facts
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            _add_value(attributes, boxes, side, x, row, value)
        else:
            boxes.low[side, x], boxes.high[side, x] = value, value


@part_of_kernel
def widen(attributes: Attributes, rows: Int32s, boxes: SideBoxes, side: int, row: int) -> None:
    """Widen the box of a side so that it covers a row."""
    facts = attributes.facts
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] != SET:
            if value < boxes.low[side, x] or value > boxes.high[side, x]:
                _widen_range(attributes, boxes, side, x, value)
        elif not _has(attributes, boxes, side, x, row, value):
            _add_value(attributes, boxes, side, x, row, value)


@part_of_kernel
def _widen_range(
    attributes: Attributes, boxes: SideBoxes, side: int, x: int, value: np.int32
) -> None:
    """Widen the box of a side along a number, a date or a tree, as far as that costs the same."""
    facts, nodes, low, high = attributes.facts, attributes.nodes, boxes.low, boxes.high
    low[side, x], high[side, x] = min(low[side, x], value), max(high[side, x], value)
    if facts[x, KIND] == TREE:
        node = common_ancestor(nodes, facts[x, START], low[side, x], high[side, x])
        low[side, x], high[side, x] = nodes[node, 0], nodes[node, 1]
    elif facts[x, MISSING] != NOTHING:
        wide = extent(attributes, x, low[side, x], high[side, x])
        if wide >= attributes.prices[x, MIXED] - TIE:
            low[side, x], high[side, x] = 0, facts[x, MISSING]


@part_of_kernel
def forget(attributes: Attributes, rows: Int32s, members: Int32s, present: Flags) -> None:
    """Clear the flags of the values of these rows, so that the next boxes begin with none."""
    facts = attributes.facts
    for x in range(rows.shape[1]):
        if facts[x, KIND] == SET:
            for row in members:
                for side in range(len(present)):
                    present[side, facts[x, START] + rows[row, x]] = False
