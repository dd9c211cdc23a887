"""A tree over clusters, in which `partner_search` finds the best partner of one.

A leaf holds a few clusters that lie together, an inner node what its two children hold. Every node
knows, per attribute, what all boxes below it have in common (ALL_…, `all_words`: the highest LOW
and the lowest HIGH, the values and rule sides that everyone has) and what some box has (SOME_…,
`some_words`). After a merge only nodes above the two clusters change, and few of these: those up to
the first for which nothing is different.

Nodes are numbered depth first: those of a branch stand together, and so do its clusters. Clusters
get their turn in the order of the table, so that every search is in another part of the tree; what
it looks at there is a few runs of memory.

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
    SIZE,
    UNIT,
    Attributes,
    Clusters,
)
from kanon_tui.core.kernels.boxes import int64, set_extent, width
from kanon_tui.core.kernels.sorting import sort
from kanon_tui.core.numeric import Floats, Int32s, Int64s, Words

__all__ = ["PartnerTree", "divide_into_leaves", "fill_nodes", "refresh"]

LEAF = 8
MOST_SHARERS = 4096  # that one search tries because of rare values
_SAMPLE = 32
_MORE_VALUES = 2.0  # how much more it tells that a set is larger than that it has other values

# Columns of `PartnerTree.branches`. BEGIN, END: its clusters. CHILD: its first child, the second
# comes next; -1 for a leaf. PARENT: -1 for the root. ALIVE: what is left below it (only counted in
# the trees of `splitting_tree`). FIRST_PLACE: lowest place in the list of clusters, NOTHING where
# none is left.
BEGIN, END, CHILD, PARENT, ALIVE, FIRST_PLACE = range(6)

# Last axis of `PartnerTree.reach`. ALL_LOW: highest LOW of a box, ALL_HIGH: lowest HIGH.
ALL_LOW, ALL_HIGH = range(2)

# Last axis of `PartnerTree.others`. SOME_LOW: lowest LOW of a box, SOME_HIGH: highest HIGH;
# LEAST_SHOWN: fewest records with a cell that is not hidden; LEAST_HIDE: least that hiding a whole
# cluster adds to D.
SOME_LOW, SOME_HIGH, LEAST_SHOWN, LEAST_HIDE = range(4)


class PartnerTree(NamedTuple):
    """Nodes of the tree; clusters stand in the order of the leaves."""

    branches: Int32s  # nodes × columns above
    reach: Floats  # nodes × attributes × columns above
    others: Floats  # nodes × attributes × columns above; no attributes where nobody asks
    all_words: Words  # nodes × words: bits that all boxes have
    some_words: Words  # bits that some box has
    leaf_of: Int32s  # per cluster
    rare_starts: Int32s  # per value of all sets where its rows begin in `rare_rows`, if it is rare
    rare_rows: Int32s
    owner: Int32s  # per distinct row its cluster
    heap: Int32s  # scratch for a search: nodes to visit, the lowest key first
    keys: Floats
    candidates: Int32s  # clusters to try: those that share a rare value, then those of a leaf
    alone: Int64s  # per attribute values of which all clusters that share them are candidates


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


@part_of_kernel
def _fit_reach(clusters: Clusters, tree: PartnerTree, node: int) -> bool:
    """Work out what all boxes of a node have in common; was it something else before?"""
    branches, reach, boxes = tree.branches, tree.reach, clusters.boxes
    child = branches[node, CHILD]
    changed = False
    for x in range(reach.shape[1]):
        low, high = -np.inf, np.inf
        if child >= 0:
            low = max(reach[child, x, ALL_LOW], reach[child + 1, x, ALL_LOW])
            high = min(reach[child, x, ALL_HIGH], reach[child + 1, x, ALL_HIGH])
        else:
            for c in range(branches[node, BEGIN], branches[node, END]):
                if clusters.info[c, SIZE] > 0:
                    low, high = max(low, boxes[c, x, LOW]), min(high, boxes[c, x, HIGH])
        if low != reach[node, x, ALL_LOW] or high != reach[node, x, ALL_HIGH]:
            reach[node, x, ALL_LOW], reach[node, x, ALL_HIGH] = low, high
            changed = True
    return changed


@part_of_kernel
def _fit_others(attributes: Attributes, clusters: Clusters, tree: PartnerTree, node: int) -> bool:
    """Work out what is in `others` of a node; was it something else before?"""
    branches, others, boxes = tree.branches, tree.others, clusters.boxes
    child = branches[node, CHILD]
    changed = False
    for x in range(others.shape[1]):
        low, high, shown, hide = np.inf, -np.inf, np.inf, np.inf
        if child >= 0:
            for i in range(child, child + 2):
                low, high = min(low, others[i, x, SOME_LOW]), max(high, others[i, x, SOME_HIGH])
                shown = min(shown, others[i, x, LEAST_SHOWN])
                hide = min(hide, others[i, x, LEAST_HIDE])
        else:
            for c in range(branches[node, BEGIN], branches[node, END]):
                if clusters.info[c, SIZE] > 0:
                    low, high = min(low, boxes[c, x, LOW]), max(high, boxes[c, x, HIGH])
                    shown = min(shown, clusters.shown[c, x])
                    more = attributes.prices[x, HIDE] - clusters.extents[c, x]
                    hide = min(hide, clusters.shown[c, x] * more)
        if (
            low != others[node, x, SOME_LOW]
            or high != others[node, x, SOME_HIGH]
            or shown != others[node, x, LEAST_SHOWN]
            or hide != others[node, x, LEAST_HIDE]
        ):
            others[node, x, SOME_LOW], others[node, x, SOME_HIGH] = low, high
            others[node, x, LEAST_SHOWN], others[node, x, LEAST_HIDE] = shown, hide
            changed = True
    return changed


@part_of_kernel
def _fit_words(clusters: Clusters, tree: PartnerTree, node: int) -> bool:
    """Work out the bits that all boxes of a node have, and those that some have; as above."""
    branches, all_words, some_words = tree.branches, tree.all_words, tree.some_words
    child = branches[node, CHILD]
    changed = False
    for word in range(all_words.shape[1]):
        everyone, someone = ~np.uint64(0), np.uint64(0)
        if child >= 0:
            everyone = all_words[child, word] & all_words[child + 1, word]
            someone = some_words[child, word] | some_words[child + 1, word]
        else:
            for c in range(branches[node, BEGIN], branches[node, END]):
                if clusters.info[c, SIZE] > 0:
                    everyone &= clusters.words[c, word]
                    someone |= clusters.words[c, word]
        if everyone != all_words[node, word] or someone != some_words[node, word]:
            all_words[node, word], some_words[node, word] = everyone, someone
            changed = True
    return changed


@part_of_kernel
def _fit_place(clusters: Clusters, tree: PartnerTree, node: int) -> bool:
    """Work out the first place in the list that a node has; was it another before?"""
    branches = tree.branches
    child = branches[node, CHILD]
    first = NOTHING
    if child >= 0:
        first = min(branches[child, FIRST_PLACE], branches[child + 1, FIRST_PLACE])
    else:
        for c in range(branches[node, BEGIN], branches[node, END]):
            if clusters.info[c, SIZE] > 0:
                first = min(first, clusters.info[c, PLACE])
    changed = bool(first != branches[node, FIRST_PLACE])
    branches[node, FIRST_PLACE] = first
    return changed


@part_of_kernel
def _fit(attributes: Attributes, clusters: Clusters, tree: PartnerTree, node: int) -> bool:
    """Work out what a node knows of its boxes; was it something else before?"""
    reach = _fit_reach(clusters, tree, node)
    others = _fit_others(attributes, clusters, tree, node)
    words = _fit_words(clusters, tree, node)
    return reach or others or words


@kernel
def fill_nodes(attributes: Attributes, clusters: Clusters, tree: PartnerTree) -> None:
    """Work out what every node knows; children come after their parents."""
    branches = tree.branches
    for node in range(len(branches) - 1, -1, -1):
        _fit(attributes, clusters, tree, node)
        _fit_place(clusters, tree, node)
        if branches[node, CHILD] < 0:
            for c in range(branches[node, BEGIN], branches[node, END]):
                tree.leaf_of[c] = node


@inner_kernel
def refresh(attributes: Attributes, clusters: Clusters, tree: PartnerTree, c: int) -> None:
    """Bring the nodes above a cluster up to date."""
    node = int64(tree.leaf_of[c])
    while node >= 0 and _fit(attributes, clusters, tree, node):
        node = int64(tree.branches[node, PARENT])
    node = int64(tree.leaf_of[c])
    while node >= 0 and _fit_place(clusters, tree, node):
        node = int64(tree.branches[node, PARENT])
