"""Extents of boxes, as the kernels see them that numba compiles; `c/boxes.h` has the same for C."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    KIND,
    LINE,
    MISSING,
    MISSING_PLACE,
    MIXED,
    SHIFT,
    START,
    UNIT,
    Attributes,
)
from kanon_tui.core.numeric import Int32s

__all__: list[str] = []  # all of it is for kernels only


@part_of_kernel
def int64(number: float | np.int32) -> int:
    """A whole number of an array as kernels hand it on; else each would be compiled twice."""
    return int(np.int64(number))


@part_of_kernel
def count_bits(word: np.uint64) -> int:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@part_of_kernel
def common_ancestor(nodes: Int32s, start: int, low: int, high: int) -> int:
    """The lowest node of a tree that has both ranks below it."""
    node = start + low
    while nodes[node, 1] < high:
        node = start + nodes[node, 2]
    return node


@part_of_kernel
def extent(attributes: Attributes, x: int, low: int, high: int) -> float:
    """Extent of the smallest box from one code or rank to another; not for sets."""
    if low >= high:
        return 0.0
    facts, prices = attributes.facts, attributes.prices
    line, nodes = attributes.line, attributes.nodes
    start = facts[x, START]
    if facts[x, KIND] == LINE:
        if high == facts[x, MISSING]:
            return float(prices[x, MIXED])
        return float(line[start + high] - line[start + low])
    node = common_ancestor(nodes, start, low, high)
    covered = nodes[node, 1] - nodes[node, 0] + 1
    return float(prices[x, UNIT] * covered + prices[x, SHIFT])


@part_of_kernel
def width(attributes: Attributes, x: int, low: float, high: float) -> float:
    """Extent of the smallest box from one place or rank to another; not for sets."""
    if low >= high:
        return 0.0
    if attributes.facts[x, KIND] == LINE:
        return float(attributes.prices[x, MIXED] if high == MISSING_PLACE else high - low)
    return extent(attributes, x, int64(low), int64(high))


@part_of_kernel
def set_extent(attributes: Attributes, x: int, count: int) -> float:
    """Extent of a set of so many values."""
    if count <= 1:
        return 0.0
    return float(attributes.prices[x, UNIT] * count + attributes.prices[x, SHIFT])
