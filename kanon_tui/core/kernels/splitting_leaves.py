"""Sorting rows into the leaves of a tree, as the kernels do it that numba compiles.

`partner_tree` has the same for C; this goes when splitting is C too.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import KIND, LOW, SET, UNIT, Attributes
from kanon_tui.core.kernels.boxes import int64, set_extent, width
from kanon_tui.core.kernels.partner_tree import BEGIN, CHILD, END, LEAF, PARENT
from kanon_tui.core.kernels.sorting import sort
from kanon_tui.core.numeric import Floats, Int32s

__all__ = ["divide_into_leaves"]

_SAMPLE = 32
_MORE_VALUES = 2.0  # how much more it tells that a set is larger than that it has other values


@part_of_kernel
def _boundary(attributes: Attributes, x: int, column: int, sample: Floats) -> tuple[float, float]:
    """How well an attribute parts a sorted sample, and the first value of the upper side."""
    size = len(sample)
    cut = 0
    for i in range(1, size):
        if sample[i - 1] < sample[i] and abs(2 * i - size) < abs(2 * cut - size):
            cut = i
    if cut == 0:
        return 0.0, 0.0
    low, high = sample[cut // 2], sample[(cut + size) // 2]
    if high == np.inf:  # hidden cells cost nothing, wherever they are
        return 0.0, 0.0
    if attributes.facts[x, KIND] != SET:
        crossing = width(attributes, x, low, high)
    elif column == LOW:
        crossing = set_extent(attributes, x, 2)
    else:
        crossing = _MORE_VALUES * attributes.prices[x, UNIT] * (high - low)
    return crossing * min(cut, size - cut), sample[cut]


@inner_kernel
def _middle(
    attributes: Attributes, boxes: Floats, scale: Floats, order: Int32s, begin: int, end: int
) -> int:
    """Divide a run of clusters in place, and say where its upper side begins.

    It is divided where that parts most clusters by the costliest difference; a sample decides.
    """
    size = end - begin
    best, best_x, best_column, best_value = 0.0, -1, 0, 0.0
    picks = min(size, _SAMPLE)
    sample = np.empty(picks)
    for x in range(boxes.shape[1]):
        for column in range(boxes.shape[2] if attributes.facts[x, KIND] == SET else 1):
            for i in range(picks):
                sample[i] = boxes[order[begin + i * size // picks], x, column]
            sort(sample)
            gain, value = _boundary(attributes, x, column, sample)
            if gain * scale[x] > best:
                best, best_x, best_column, best_value = gain * scale[x], x, column, value
    if best_x < 0:
        return begin + size // 2
    middle = begin
    for i in range(begin, end):
        if boxes[order[i], best_x, best_column] < best_value:
            order[middle], order[i] = order[i], order[middle]
            middle += 1
    return middle


@kernel
def divide_into_leaves(
    attributes: Attributes, boxes: Floats, scale: Floats, order: Int32s, branches: Int32s
) -> tuple[int, int]:
    """Sort clusters into leaves; gives the number of nodes and the depth of the tree.

    `order` holds the clusters and ends in the order of the leaves; `branches` gets BEGIN, END,
    CHILD and PARENT of every node; `scale` is the price of extent.
    """
    count, deepest = 1, 1
    branches[0, BEGIN], branches[0, END] = 0, len(order)
    branches[0, CHILD], branches[0, PARENT] = -1, -1
    depth = np.ones(len(branches), dtype=np.int32)
    waiting = np.zeros(len(branches), dtype=np.int32)  # begins with the root
    top = 0
    while top >= 0:
        node = int64(waiting[top])
        top -= 1
        begin, end = int64(branches[node, BEGIN]), int64(branches[node, END])
        deepest = max(deepest, depth[node])
        if end - begin > LEAF:
            middle = _middle(attributes, boxes, scale, order, begin, end)
            branches[node, CHILD] = count
            branches[count, BEGIN], branches[count, END] = begin, middle
            branches[count + 1, BEGIN], branches[count + 1, END] = middle, end
            branches[count : count + 2, CHILD] = -1
            branches[count : count + 2, PARENT] = node
            depth[count : count + 2] = depth[node] + 1
            waiting[top + 1], waiting[top + 2] = count + 1, count
            top += 2
            count += 2
    return count, deepest
