"""The tree of boxes (`box_tree`) as the kernels see it that numba still compiles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel
from kanon_tui.core.numeric import Flags, Floats, Int32s, Words

__all__ = ["GONE", "BoxTreeTuple", "take"]

GONE = 2**31 - 1


class BoxTreeTuple(NamedTuple):
    """Rows in tree order, each at its *position*, and nodes; children come after their parent."""

    row: Int32s
    """Per position the row of the table it came from."""
    places: Floats
    """Per position and number, then per position what boxes are to know besides."""
    labels: Int32s
    """Per position and category."""
    record: Int32s
    """Per position the lowest record that is left of its row, or GONE."""
    leaf: Int32s
    """Per position the node it is in."""
    start: Int32s
    """Per node where its positions start …"""
    end: Int32s
    """… and end."""
    left: Int32s
    """Per node its children and its parent, -1 for none."""
    right: Int32s
    parent: Int32s
    first: Int32s
    """Per node the lowest record that is left; GONE: the node is empty, its box means nothing."""
    low: Floats
    """Per node and number the lowest place (inf: there is none) …"""
    high: Floats
    """… and the highest."""
    blank: Flags
    """Per node and number: one is missing."""
    sets: Words
    """Per node and category the labels in it."""


@inner_kernel
def _fit_leaf(tree: BoxTreeTuple, node: int) -> None:
    """Set the box of a leaf from the rows it still has."""
    places, labels, record = tree.places, tree.labels, tree.record
    low, high, blank, labels_in = tree.low[node], tree.high[node], tree.blank[node], tree.sets[node]
    low[:], high[:], blank[:], labels_in[:] = np.inf, -np.inf, False, 0
    first = GONE
    for i in range(tree.start[node], tree.end[node]):
        if record[i] == GONE:
            continue
        first = min(first, record[i])
        for x in range(places.shape[1]):
            place = places[i, x]
            if np.isnan(place):
                blank[x] = True
            else:
                low[x] = min(low[x], place)
                high[x] = max(high[x], place)
        for y in range(labels.shape[1]):
            labels_in[y] |= np.uint64(1) << np.uint64(labels[i, y] & 63)
    tree.first[node] = first


@inner_kernel
def _fit_parent(tree: BoxTreeTuple, node: int) -> bool:
    """Set the box of an inner node from its children; was there anything to change?"""
    first, low, high, blank, sets = tree.first, tree.low, tree.high, tree.blank, tree.sets
    a, b = tree.left[node], tree.right[node]
    if first[a] == GONE:
        a = b
    if first[b] == GONE:
        b = a
    changed = bool(min(first[a], first[b]) != first[node])
    first[node] = min(first[a], first[b])
    for x in range(low.shape[1]):
        lowest, highest = min(low[a, x], low[b, x]), max(high[a, x], high[b, x])
        gap = blank[a, x] or blank[b, x]
        if lowest != low[node, x] or highest != high[node, x] or gap != blank[node, x]:
            low[node, x], high[node, x], blank[node, x] = lowest, highest, gap
            changed = True
    for y in range(sets.shape[1]):
        labels_in = sets[a, y] | sets[b, y]
        if labels_in != sets[node, y]:
            sets[node, y] = labels_in
            changed = True
    return changed


@inner_kernel
def take(tree: BoxTreeTuple, position: int, next_record: int) -> None:
    """Take a record; `next_record` is the next one of the same row, or GONE."""
    tree.record[position] = next_record
    node = tree.leaf[position]
    _fit_leaf(tree, node)
    node = tree.parent[node]
    while node >= 0 and _fit_parent(tree, node):
        node = tree.parent[node]
