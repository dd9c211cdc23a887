"""A tree over clusters, in which `partner_search` finds the best partner of one.

A leaf holds a few clusters that lie together, an inner node what its two children hold. Every node
knows, per attribute, what all boxes below it have in common (ALL_…, `all_words`: the highest LOW
and the lowest HIGH, the values and rule sides that everyone has) and what some box has (SOME_…,
`some_words`). After a merge only the nodes above the two clusters change.

Building costs O(clusters · attributes · log clusters), a change O(attributes · log clusters).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    HIDE,
    HIGH,
    KIND,
    LOW,
    NOTHING,
    PLACE,
    SET,
    SHOWN,
    SIZE,
    Attributes,
    Clusters,
)
from kanon_tui.core.kernels.boxes import extent, int64, set_extent
from kanon_tui.core.numeric import Floats, Int32s, Words

__all__ = ["PartnerTree", "divide_into_leaves", "fill_nodes", "refresh"]

LEAF = 8
_SAMPLE = 32

# Columns of `PartnerTree.branches`. BEGIN, END: its clusters. CHILD: its first child, the second
# comes next; -1 for a leaf. PARENT: -1 for the root. ALIVE: clusters not yet merged into another.
# FIRST_PLACE: lowest place in the list of clusters.
BEGIN, END, CHILD, PARENT, ALIVE, FIRST_PLACE = range(6)

# Last axis of `PartnerTree.reach`. ALL_LOW: highest LOW of a box, ALL_HIGH: lowest HIGH; SOME_LOW:
# lowest LOW, SOME_HIGH: highest HIGH; LEAST_SHOWN: fewest records with a cell that is not hidden.
ALL_LOW, ALL_HIGH, SOME_LOW, SOME_HIGH, LEAST_SHOWN = range(5)


class PartnerTree(NamedTuple):
    """Nodes of the tree; clusters stand in the order of the leaves."""

    branches: Int32s  # nodes × columns above
    reach: Int32s  # nodes × attributes × columns above
    least_hide: Floats  # nodes × attributes: least that hiding a whole cluster adds to D
    all_words: Words  # nodes × words: bits that all boxes have
    some_words: Words  # bits that some box has
    leaf_of: Int32s  # per cluster
    stack: Int32s  # scratch for a search
    bounds: Floats


@part_of_kernel
def _boundary(attributes: Attributes, x: int, sample: Int32s) -> tuple[float, int]:
    """How well an attribute parts a sorted sample, and the first value of the upper side."""
    size = len(sample)
    cut = 0
    for i in range(1, size):
        if sample[i - 1] < sample[i] and abs(2 * i - size) < abs(2 * cut - size):
            cut = i
    if cut == 0:
        return 0.0, 0
    low, high = sample[cut // 2], sample[(cut + size) // 2]
    if high == NOTHING:  # hidden cells cost nothing, wherever they are
        return 0.0, 0
    if attributes.facts[x, KIND] == SET:
        crossing = set_extent(attributes, x, 2)
    else:
        crossing = extent(attributes, x, low, high)
    return crossing * min(cut, size - cut), sample[cut]


@inner_kernel
def _middle(
    attributes: Attributes, boxes: Int32s, scale: Floats, order: Int32s, begin: int, end: int
) -> int:
    """Divide a run of clusters in place, and say where its upper side begins.

    It is divided where that parts most clusters by the costliest difference; a sample decides.
    """
    size = end - begin
    best, best_x, best_value = 0.0, -1, 0
    picks = min(size, _SAMPLE)
    sample = np.empty(picks, dtype=np.int32)
    for x in range(boxes.shape[1]):
        for i in range(picks):
            sample[i] = boxes[order[begin + i * size // picks], x, LOW]
        sample.sort()
        gain, value = _boundary(attributes, x, sample)
        if gain * scale[x] > best:
            best, best_x, best_value = gain * scale[x], x, value
    if best_x < 0:
        return begin + size // 2
    middle = begin
    for i in range(begin, end):
        if boxes[order[i], best_x, LOW] < best_value:
            order[middle], order[i] = order[i], order[middle]
            middle += 1
    return middle


@kernel
def divide_into_leaves(
    attributes: Attributes, boxes: Int32s, scale: Floats, order: Int32s, branches: Int32s
) -> tuple[int, int]:
    """Sort clusters into leaves; gives the number of nodes and the depth of the tree.

    `order` holds the clusters and ends in the order of the leaves; `branches` gets BEGIN, END,
    CHILD and PARENT of every node; `scale` is the price of extent.
    """
    count, deepest = 1, 1
    branches[0, BEGIN], branches[0, END] = 0, len(order)
    branches[0, CHILD], branches[0, PARENT] = -1, -1
    depth = np.ones(len(branches), dtype=np.int32)
    node = 0
    while node < count:
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
            count += 2
        node += 1
    return count, deepest


@part_of_kernel
def _clear(tree: PartnerTree, node: int) -> None:
    """A node without clusters: all of none have everything, none of them has anything."""
    branches, reach, least_hide, all_words, some_words, _, _, _ = tree
    branches[node, ALIVE], branches[node, FIRST_PLACE] = 0, NOTHING
    for x in range(reach.shape[1]):
        reach[node, x, ALL_LOW], reach[node, x, ALL_HIGH] = -1, NOTHING
        reach[node, x, SOME_LOW], reach[node, x, SOME_HIGH] = NOTHING, -1
        reach[node, x, LEAST_SHOWN] = NOTHING
        least_hide[node, x] = np.inf
    for word in range(all_words.shape[1]):
        all_words[node, word], some_words[node, word] = ~np.uint64(0), np.uint64(0)


@part_of_kernel
def _add_node(tree: PartnerTree, node: int, i: int) -> None:
    """Add what a child knows to what its parent does."""
    branches, reach, least_hide, all_words, some_words, _, _, _ = tree
    branches[node, ALIVE] += branches[i, ALIVE]
    branches[node, FIRST_PLACE] = min(branches[node, FIRST_PLACE], branches[i, FIRST_PLACE])
    for x in range(reach.shape[1]):
        reach[node, x, ALL_LOW] = max(reach[node, x, ALL_LOW], reach[i, x, ALL_LOW])
        reach[node, x, ALL_HIGH] = min(reach[node, x, ALL_HIGH], reach[i, x, ALL_HIGH])
        reach[node, x, SOME_LOW] = min(reach[node, x, SOME_LOW], reach[i, x, SOME_LOW])
        reach[node, x, SOME_HIGH] = max(reach[node, x, SOME_HIGH], reach[i, x, SOME_HIGH])
        reach[node, x, LEAST_SHOWN] = min(reach[node, x, LEAST_SHOWN], reach[i, x, LEAST_SHOWN])
        least_hide[node, x] = min(least_hide[node, x], least_hide[i, x])
    for word in range(all_words.shape[1]):
        all_words[node, word] &= all_words[i, word]
        some_words[node, word] |= some_words[i, word]


@part_of_kernel
def _add_cluster(
    attributes: Attributes, clusters: Clusters, tree: PartnerTree, node: int, c: int
) -> None:
    """Add what a cluster is to what its leaf knows."""
    branches, reach, least_hide, all_words, some_words, _, _, _ = tree
    boxes, words = clusters.boxes, clusters.words
    branches[node, ALIVE] += 1
    branches[node, FIRST_PLACE] = min(branches[node, FIRST_PLACE], clusters.info[c, PLACE])
    for x in range(reach.shape[1]):
        low, high, shown = boxes[c, x, LOW], boxes[c, x, HIGH], boxes[c, x, SHOWN]
        reach[node, x, ALL_LOW] = max(reach[node, x, ALL_LOW], low)
        reach[node, x, ALL_HIGH] = min(reach[node, x, ALL_HIGH], high)
        reach[node, x, SOME_LOW] = min(reach[node, x, SOME_LOW], low)
        reach[node, x, SOME_HIGH] = max(reach[node, x, SOME_HIGH], high)
        reach[node, x, LEAST_SHOWN] = min(reach[node, x, LEAST_SHOWN], shown)
        hide = shown * (attributes.prices[x, HIDE] - clusters.extents[c, x])
        least_hide[node, x] = min(least_hide[node, x], hide)
    for word in range(all_words.shape[1]):
        all_words[node, word] &= words[c, word]
        some_words[node, word] |= words[c, word]


@part_of_kernel
def _sum_up(attributes: Attributes, clusters: Clusters, tree: PartnerTree, node: int) -> None:
    """Work out what a node knows from its clusters or its children."""
    _clear(tree, node)
    child = tree.branches[node, CHILD]
    if child >= 0:
        for i in range(child, child + 2):
            _add_node(tree, node, i)
        return
    for c in range(tree.branches[node, BEGIN], tree.branches[node, END]):
        if clusters.info[c, SIZE] > 0:
            _add_cluster(attributes, clusters, tree, node, c)


@kernel
def fill_nodes(attributes: Attributes, clusters: Clusters, tree: PartnerTree) -> None:
    """Work out what every node knows; children come after their parents."""
    branches = tree.branches
    for node in range(len(branches) - 1, -1, -1):
        _sum_up(attributes, clusters, tree, node)
        if branches[node, CHILD] < 0:
            for c in range(branches[node, BEGIN], branches[node, END]):
                tree.leaf_of[c] = node


@inner_kernel
def refresh(attributes: Attributes, clusters: Clusters, tree: PartnerTree, c: int) -> None:
    """Bring the nodes above a cluster up to date."""
    node = int64(tree.leaf_of[c])
    while node >= 0:
        _sum_up(attributes, clusters, tree, node)
        node = int64(tree.branches[node, PARENT])
