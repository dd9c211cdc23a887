"""Searches for the records nearest to a centre, in a tree of boxes.

A node is left out when no row that fits its box can be near enough. Its bound is summed in the
order of a row's distance (numbers, then categories), term by term no larger, so rounding cannot
make it wrong. In the worst case every row is looked at.

Distances less than TIE above the smallest one count as equal, and of equals the lowest record is
the nearest. A centre that stays is searched once for all records of its cluster (`gather_nearest`,
then `next_nearest` one by one); one that moves is searched twice for each record, for the smallest
distance and for the lowest record (`nearest_record`).

The twin in `tests/core/algorithms/twins/similarity.py` measures every record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, part_of_kernel
from kanon_tui.core.kernels.box_tree_numba import GONE, BoxTreeTuple
from kanon_tui.core.kernels.cluster_centre import Centre
from kanon_tui.core.kernels.sorting import sort_together
from kanon_tui.core.numeric import TIE, Floats, Int32s, Int64s

__all__ = ["Search", "gather_nearest", "nearest_record", "new_search", "next_nearest"]

_ONE = np.uint64(1)
_DE_BRUIJN = 0x03F79D71B4CB0A89
_BIT = np.empty(64, dtype=np.int64)  # which bit a power of two is, by its product with _DE_BRUIJN
for _bit in range(64):
    _BIT[((_DE_BRUIJN << _bit) % 2**64) >> 58] = _bit


class Search(NamedTuple):
    """Room for a search, and what it found."""

    node: Int32s
    """Nodes still to be looked at …"""
    bound: Floats
    """… and their bounds."""
    best: Floats
    """The smallest distances of so many records, as a heap with the largest on top."""
    found: Int32s
    """Positions of the rows found …"""
    away: Floats
    """… and their distances."""
    state: Int64s
    """How many rows are found, and the first of them that may have records left."""


def new_search(tree: BoxTreeTuple, records: int) -> Search:
    """Room for a search of so many records."""
    nodes, rows = len(tree.start) + 1, len(tree.row)
    return Search(
        np.zeros(nodes, dtype=np.int32),
        np.zeros(nodes),
        np.zeros(records),
        np.zeros(rows, dtype=np.int32),
        np.zeros(rows),
        np.zeros(2, dtype=np.int64),
    )


@inner_kernel
def _improve(best: Floats, away: float) -> None:
    """Replace the largest of the smallest distances."""
    i, below = 0, 1
    while below < len(best):
        if below + 1 < len(best) and best[below + 1] > best[below]:
            below += 1
        if best[below] <= away:
            break
        best[i] = best[below]
        i, below = below, 2 * below + 1
    best[i] = away


@part_of_kernel
def _distance(tree: BoxTreeTuple, position: int, centre: Centre, enough: float) -> float:
    """How far a row is from the centre; summing may end as soon as it is enough."""
    total = 0.0
    for x in range(len(centre.place)):
        place, middle = tree.places[position, x], centre.place[x]
        if np.isnan(place):
            total += 0.0 if centre.blank[x] else 1.0
        else:
            total += 1.0 if np.isnan(middle) else abs(place - middle)
    for y in range(len(centre.offsets) - 1):
        if total >= enough:
            break
        total += centre.distance[centre.offsets[y] + tree.labels[position, y]]
    return total


@part_of_kernel
def _bound(tree: BoxTreeTuple, node: int, centre: Centre, enough: float) -> float:
    """No row of a node is nearer to the centre; summing may end as soon as it is enough."""
    total = 0.0
    for x in range(len(centre.place)):
        low, high, middle = tree.low[node, x], tree.high[node, x], centre.place[x]
        least = np.inf
        if low <= high:
            least = 1.0 if np.isnan(middle) else max(low - middle, middle - high, 0.0)
        if tree.blank[node, x]:
            least = min(least, 0.0 if centre.blank[x] else 1.0)
        total += least
    for y in range(len(centre.offsets) - 1):
        if total >= enough:
            break
        least = 1.0
        for word in range(centre.columns[y], centre.columns[y + 1]):
            if tree.sets[node, y] & centre.words[node, word] & centre.zero[word]:
                least = 0.0
        for word in range(centre.columns[y], centre.columns[y + 1]):
            bits = tree.sets[node, y] & centre.words[node, word]
            while bits and least > 0.0:
                lowest = bits & (~bits + _ONE)
                bit = _BIT[(lowest * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]
                least = min(least, centre.least[64 * word + bit])
                bits ^= lowest
        total += least
    return total


@inner_kernel
def _near(tree: BoxTreeTuple, centre: Centre, left: Int32s, search: Search, slack: float) -> int:
    """Find the rows less than `slack` above the largest of the `best` distances.

    Nearer nodes come first. `left` says how many records each row has left. Returns the work.
    """
    node, bound, best = search.node, search.bound, search.best
    best[:] = np.inf
    node[0], bound[0] = 0, 0.0
    size, work, depth = 0, 0, 1
    while depth > 0:
        depth -= 1
        here, enough = node[depth], best[0] + slack
        if bound[depth] >= enough or tree.first[here] == GONE:
            continue
        if tree.left[here] >= 0:
            work += 2
            one, other = tree.left[here], tree.right[here]
            one_bound = _bound(tree, one, centre, enough)
            other_bound = _bound(tree, other, centre, enough)
            if other_bound < one_bound:
                one, other, one_bound, other_bound = other, one, other_bound, one_bound
            node[depth], bound[depth] = other, other_bound
            node[depth + 1], bound[depth + 1] = one, one_bound
            depth += 2
            continue
        work += tree.end[here] - tree.start[here]
        for i in range(tree.start[here], tree.end[here]):
            if tree.record[i] == GONE:
                continue
            away = _distance(tree, i, centre, enough)
            if away < enough:
                search.found[size], search.away[size] = i, away
                size += 1
                for _ in range(left[tree.row[i]]):
                    if away >= best[0]:
                        break
                    _improve(best, away)
                enough = best[0] + slack
    search.state[0] = size
    return work


@inner_kernel
def _early(tree: BoxTreeTuple, centre: Centre, search: Search, enough: float) -> int:
    """Change the one row found to that with the lowest record of all nearer than `enough`.

    Nodes with lower records come first. Returns the work.
    """
    node = search.node
    record = tree.record[search.found[0]]
    node[0] = 0
    work, depth = 0, 1
    while depth > 0:
        depth -= 1
        here = node[depth]
        if tree.first[here] >= record or _bound(tree, here, centre, enough) >= enough:
            continue
        if tree.left[here] >= 0:
            work += 2
            one, other = tree.left[here], tree.right[here]
            if tree.first[other] < tree.first[one]:
                one, other = other, one
            node[depth], node[depth + 1] = other, one
            depth += 2
            continue
        work += tree.end[here] - tree.start[here]
        for i in range(tree.start[here], tree.end[here]):
            if tree.record[i] < record and _distance(tree, i, centre, enough) < enough:
                search.found[0], record = i, tree.record[i]
    return work


@inner_kernel
def gather_nearest(tree: BoxTreeTuple, centre: Centre, left: Int32s, search: Search) -> int:
    """Find all rows the nearest records can come from, for `next_nearest`; returns the work."""
    work = _near(tree, centre, left, search, TIE)
    found, away = search.found, search.away
    kept, enough = 0, search.best[0] + TIE
    for j in range(search.state[0]):
        if away[j] < enough:
            found[kept], away[kept] = found[j], away[j]
            kept += 1
    sort_together(away, found, kept)
    search.state[0], search.state[1] = kept, 0
    return work


@inner_kernel
def next_nearest(tree: BoxTreeTuple, search: Search) -> tuple[int, float]:
    """Of the rows that were gathered the position of the nearest, and its distance."""
    found, away, state = search.found, search.away, search.state
    while tree.record[found[state[1]]] == GONE:
        state[1] += 1
    j = best = state[1]
    while j < state[0] and away[j] < away[state[1]] + TIE:
        if tree.record[found[j]] < tree.record[found[best]]:
            best = j
        j += 1
    return found[best], away[best]


@inner_kernel
def nearest_record(
    tree: BoxTreeTuple, centre: Centre, left: Int32s, search: Search
) -> tuple[int, float, int]:
    """The position of the nearest row, the smallest distance, and the work."""
    work = _near(tree, centre, left, search, 0.0)
    last = search.state[0] - 1
    smallest = search.away[last]
    search.found[0] = search.found[last]
    work += _early(tree, centre, search, smallest + TIE)
    return search.found[0], smallest, work
