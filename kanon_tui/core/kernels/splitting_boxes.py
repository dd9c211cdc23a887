"""The boxes of the two sides while a group is divided.

A box is a row of several tables: lowest and highest value per attribute, flags of the values that
its sets have, and the same flags as words of 64 (value code modulo 64), with which nodes of a tree
can be compared at once. As a set may have more than 64 values, other words say where the box has
every value of the group that falls on a bit. A set has its number of values as the highest. Along
other attributes a box reaches as far as it can without a greater extent: in a tree over all values
of its node, and over everything when a number is missing. So a box grows no more by what it
reaches, and by everything else it does.

Everything here is a part of other kernels and costs O(attributes) per row. Its twin in
`tests/core/algorithms/twins/merging.py` works on sets of values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    BITS,
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
from kanon_tui.core.numeric import TIE, Flags, Int32s, Words

__all__ = ["SideBoxes", "Sides"]


class SideBoxes(NamedTuple):
    """Some boxes."""

    low: Int32s  # boxes × attributes
    high: Int32s  # boxes × attributes
    present: Flags  # boxes, or more × values of all sets
    words: Words  # boxes × words: a value on this bit is there
    absent: Int32s  # boxes × bits of all words: values of the group on it that are not there
    full: Words  # boxes × words: all values of the group on this bit are there


class Sides(NamedTuple):
    """The two sides of a group."""

    boxes: SideBoxes
    side_of: Int32s  # per row: 0 or 1; with trees 1 for the rows of the side that is listed
    counts: Int32s  # per row: records


@inner_kernel
def new_boxes(count: int, attributes: Attributes, present: Flags, on_bits: Int32s) -> SideBoxes:
    """Room for so many boxes; `present` is all false.

    `on_bits` counts the values of the group on every bit of all words. Where nobody asks whether a
    box covers a node it may be empty.
    """
    columns = 1
    for x in range(len(attributes.facts)):
        columns = max(columns, attributes.facts[x, BITS] + 1)
    absent = np.zeros((count, columns * WORD_BITS), dtype=np.int32)
    for box in range(count):
        for i in range(len(on_bits)):
            absent[box, i] = on_bits[i]
    return SideBoxes(
        np.zeros((count, len(attributes.facts)), dtype=np.int32),
        np.zeros((count, len(attributes.facts)), dtype=np.int32),
        present,
        np.zeros((count, columns), dtype=np.uint64),
        absent,
        np.zeros((count, columns), dtype=np.uint64),
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
def box_growth(
    attributes: Attributes, rows: Int32s, boxes: SideBoxes, side: int, row: int
) -> float:
    """By how much the box of a side grows when it takes a row."""
    facts, low, high = attributes.facts, boxes.low, boxes.high
    total = 0.0
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            if not boxes.present[side, facts[x, START] + value]:
                total += one_value_more(attributes, x, high[side, x])
        elif value < low[side, x] or value > high[side, x]:
            wider_low, wider_high = min(low[side, x], value), max(high[side, x], value)
            total += extent(attributes, x, wider_low, wider_high)
            total -= extent(attributes, x, low[side, x], high[side, x])
    return total


@part_of_kernel
def _add_value(attributes: Attributes, boxes: SideBoxes, side: int, x: int, value: int) -> None:
    """Let the set of a side have one more value."""
    column = attributes.facts[x, BITS]
    boxes.present[side, attributes.facts[x, START] + value] = True
    boxes.high[side, x] += 1
    boxes.words[side, column] |= bit(value)
    place = column * WORD_BITS + value % WORD_BITS
    boxes.absent[side, place] -= 1
    if boxes.absent[side, place] == 0:
        boxes.full[side, column] |= bit(value)


@part_of_kernel
def begin_box(attributes: Attributes, rows: Int32s, boxes: SideBoxes, side: int, row: int) -> None:
    """Begin the box of a side with a row."""
    facts = attributes.facts
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            _add_value(attributes, boxes, side, x, value)
        else:
            boxes.low[side, x], boxes.high[side, x] = value, value


@part_of_kernel
def widen(attributes: Attributes, rows: Int32s, boxes: SideBoxes, side: int, row: int) -> None:
    """Widen the box of a side so that it covers a row."""
    facts = attributes.facts
    for x in range(rows.shape[1]):
        value, start = rows[row, x], facts[x, START]
        if facts[x, KIND] != SET:
            if value < boxes.low[side, x] or value > boxes.high[side, x]:
                _widen_range(attributes, boxes, side, x, value)
        elif not boxes.present[side, start + value]:
            _add_value(attributes, boxes, side, x, value)


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
