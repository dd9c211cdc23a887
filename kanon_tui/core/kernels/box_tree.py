"""A tree of boxes over the distinct rows of a table, from which records can be taken.

Rows are divided again and again along the column in which they differ most, down to a few rows per
leaf. Every node has a box that says what its rows can be: per number the range and whether one is
missing, per flattened category (see `clustering.features`) a set of labels as 64 bits (label number
modulo 64, so with more labels it is a set of maybes); and the lowest record it still has. A search
leaves out a node when even the best row that fits its box would not do. Boxes shrink as records are
taken.

Building costs O(rows · (columns + log rows)), taking a record O(columns · log rows); memory is
linear in rows. It has no twin: those of the algorithms that search it look at every record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.sorting import sort
from kanon_tui.core.numeric import Flags, Floats, Int32s, Words

__all__ = ["GONE", "BoxTree", "Division", "grow_tree", "take"]

GONE = 2**31 - 1
"""In place of a record number: none is left. Larger than any."""

_LEAF = 8
_SAMPLE = 64  # rows looked at to choose where to divide a large node
_MISSING = 2.0  # where missing numbers stand when a node is divided: after all places, 0 to 1


class Division(NamedTuple):
    """How rows are divided by their categories."""

    labels: Int32s
    """Per row and category; labels with close numbers stay together."""
    weights: Floats
    """Per category what it is worth, in units of a number's domain, if all rows of a node differ in
    it, and if all agree but a few."""


class BoxTree(NamedTuple):
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
def _spread(values: Floats) -> float:
    """How far values lie apart on average."""
    size = len(values)
    total = 0.0
    for value in values:
        total += value
    mean, total = total / size, 0.0
    for value in values:
        total += abs(value - mean)
    return float(1.4 * total / size)  # about the mean distance of two values


@inner_kernel
def _agreement(labels: Floats) -> float:
    """How often two labels, which it sorts, are the same."""
    size = len(labels)
    total = 0.0
    run = 0
    sort(labels)
    for i in range(size):
        run += 1
        if i + 1 == size or labels[i + 1] != labels[i]:
            total += run * run
            run = 0
    return float(total / (size * size))


@inner_kernel
def _column(places: Floats, labels: Int32s, rows: Int32s, column: int) -> Floats:
    """A column (numbers first, then categories) of these rows."""
    values = np.empty(len(rows))
    numbers = places.shape[1]
    for i in range(len(rows)):
        if column >= numbers:
            values[i] = labels[rows[i], column - numbers]
        else:
            place = places[rows[i], column]
            values[i] = _MISSING if np.isnan(place) else place
    return values


@inner_kernel
def _pivot(places: Floats, labels: Int32s, weights: Floats, rows: Int32s) -> tuple[int, float]:
    """Where to divide these rows: a column (-1: nowhere) and the lowest value of its upper side."""
    numbers, categories = places.shape[1], labels.shape[1]
    best, widest = -1, 0.0
    ordered = np.empty(0)
    for column in range(numbers + categories):
        values = _column(places, labels, rows, column)
        if column < numbers:
            spread = _spread(values)
        else:
            y, agree = column - numbers, _agreement(values)
            spread = weights[y, 0] * (1.0 - agree) + weights[y, 1] * agree if agree < 1.0 else 0.0
        if spread > widest:
            best, widest, ordered = column, spread, values
    if best < 0:
        return -1, 0.0
    sort(ordered)
    half = len(ordered) // 2
    below = above = half
    while below > 0 and ordered[below - 1] == ordered[half]:
        below -= 1
    while above < len(ordered) and ordered[above] == ordered[half]:
        above += 1
    if below == 0 or (above < len(ordered) and above - half < half - below):
        return best, ordered[above]
    return best, ordered[below]


@inner_kernel
def _divide(places: Floats, labels: Int32s, rows: Int32s, column: int, pivot: float) -> int:
    """Move the rows below the pivot to the front; returns how many they are."""
    values = _column(places, labels, rows, column)
    spare = rows.copy()
    left, right = 0, len(rows)
    for i in range(len(rows)):
        if values[i] < pivot:
            rows[left] = spare[i]
            left += 1
        else:
            right -= 1
            rows[right] = spare[i]
    return left


@inner_kernel
def _fit_leaf(tree: BoxTree, node: int) -> None:
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
def _fit_parent(tree: BoxTree, node: int) -> bool:
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


@kernel
def _divide_all(
    places: Floats, labels: Int32s, weights: Floats
) -> tuple[Int32s, Int32s, Int32s, Int32s, Int32s, Int32s]:
    """Divide all rows into a tree: the rows in its order; start, end, children, parent of nodes.

    Nodes of a branch stand together, so that a search finds them close together in memory.
    `labels` and `weights` are those of a `Division`.
    """
    size = len(places)
    row = np.arange(size).astype(np.int32)
    most = 2 * size + 1
    start, end = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int32)
    left, right = np.full(most, -1, dtype=np.int32), np.full(most, -1, dtype=np.int32)
    parent = np.full(most, -1, dtype=np.int32)
    end[0] = size
    waiting = np.zeros(most, dtype=np.int32)  # begins with the root
    count, top = 1, 0
    while top >= 0:
        node = waiting[top]
        top -= 1
        part = row[start[node] : end[node]]
        if len(part) > _LEAF:
            sample = part[:: max(1, len(part) // _SAMPLE)].copy()
            column, pivot = _pivot(places, labels, weights, sample)
            if column < 0:  # the sample is all alike, the rest need not be
                column, pivot = _pivot(places, labels, weights, part)
            if column >= 0:
                middle = start[node] + _divide(places, labels, part, column, pivot)
                left[node], right[node] = count, count + 1
                start[count], end[count], parent[count] = start[node], middle, node
                start[count + 1], end[count + 1], parent[count + 1] = middle, end[node], node
                waiting[top + 1], waiting[top + 2] = count + 1, count
                top += 2
                count += 2
    return (
        row,
        start[:count].copy(),
        end[:count].copy(),
        left[:count].copy(),
        right[:count].copy(),
        parent[:count].copy(),
    )


@kernel
def _fit_all(tree: BoxTree) -> None:
    """Set the box of every node, and the leaf of every position."""
    for node in range(len(tree.start) - 1, -1, -1):
        if tree.left[node] < 0:
            tree.leaf[tree.start[node] : tree.end[node]] = node
            _fit_leaf(tree, node)
        else:
            _fit_parent(tree, node)


def grow_tree(
    places: Floats,
    labels: Int32s,
    division: Division,
    records: Int32s,
    besides: Floats | None = None,
) -> BoxTree:
    """The tree over all rows of these tables; `records` has the lowest record of every row.

    What boxes are to know `besides` are further numbers, by which no node is divided.
    """
    row, start, end, left, right, parent = _divide_all(places, *division)
    known = places[row] if besides is None else np.hstack([places[row], besides[row]])
    nodes, numbers, categories = len(start), known.shape[1], labels.shape[1]
    tree = BoxTree(
        row,
        known,
        labels[row],
        records[row],
        leaf=np.empty(len(row), dtype=np.int32),
        start=start,
        end=end,
        left=left,
        right=right,
        parent=parent,
        first=np.full(nodes, GONE, dtype=np.int32),
        low=np.empty((nodes, numbers)),
        high=np.empty((nodes, numbers)),
        blank=np.empty((nodes, numbers), dtype=np.bool_),
        sets=np.empty((nodes, categories), dtype=np.uint64),
    )
    _fit_all(tree)
    return tree


@inner_kernel
def take(tree: BoxTree, position: int, next_record: int) -> None:
    """Take a record; `next_record` is the next one of the same row, or GONE."""
    tree.record[position] = next_record
    node = tree.leaf[position]
    _fit_leaf(tree, node)
    node = tree.parent[node]
    while node >= 0 and _fit_parent(tree, node):
        node = tree.parent[node]
