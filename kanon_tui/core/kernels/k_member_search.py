"""The two searches of greedy k-member clustering: the furthest row, and the cheapest row.

Both look for the smallest score in a tree of boxes (`box_tree`): depth first, the more promising
child first, leaving out every node whose box cannot hold anything better. The bound of a box is
summed in the same order as the score of a row, and no term of it is larger, so rounding cannot make
it wrong.

The winner is, of all records whose score is less than a tie above the smallest, the one with the
lowest number, so the order of visits does not matter. A node that could only tie is left out when
its records come after the best so far. That is exact unless scores creep below one another in steps
smaller than a tie; then the search has to be repeated with the smallest score known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import Flags, Floats, Ints, kernel, part_of_kernel
from kanon_tui.core.kernels.box_tree import GONE, Bits, BoxTree

__all__ = [
    "BLANK_COST",
    "COLUMN",
    "HIGH",
    "LABEL",
    "LOW",
    "NUMBER_COST",
    "Search",
    "extra_width",
    "find",
    "new_search",
]

LOW, HIGH, NUMBER_COST, BLANK_COST = 0, 1, 2, 3  # columns of Search.lines
COLUMN, LABEL = 0, 1  # columns of Search.marks
_NOISE = 1e-12


class Search(NamedTuple):
    """Room for one search: the columns that can still widen a cluster, and the nodes to visit."""

    columns: Ints
    """Which number each line below is about."""
    lines: Floats
    """A place costs NUMBER_COST plus its distance to LOW … HIGH, a missing one BLANK_COST."""
    marks: Ints
    """A label other than LABEL in category COLUMN …"""
    costs: Floats
    """… costs this."""
    node: Ints
    bound: Floats


def new_search(tree: BoxTree) -> Search:
    """Room for searches in a tree."""
    numbers, categories, nodes = tree.places.shape[1], tree.labels.shape[1], len(tree.start)
    return Search(
        np.zeros(numbers, dtype=np.int32),
        np.zeros((numbers, 4)),
        np.zeros((categories, 2), dtype=np.int32),
        np.zeros(categories),
        np.zeros(nodes + 1, dtype=np.int32),
        np.zeros(nodes + 1),
    )


@part_of_kernel
def extra_width(
    places: Floats,
    labels: Ints,
    i: int,
    columns: Ints,
    lines: Floats,
    numbers: int,
    marks: Ints,
    costs: Floats,
    categories: int,
    enough: float,
) -> float:
    """Extra width that the row at a position brings; may stop when it is more than enough."""
    total = 0.0
    for y in range(categories):
        if labels[i, marks[y, COLUMN]] != marks[y, LABEL]:
            total += costs[y]
    if total > enough:
        return total
    for x in range(numbers):
        place = places[i, columns[x]]
        if np.isnan(place):
            total += lines[x, BLANK_COST]
        else:
            away = max(place - lines[x, HIGH], lines[x, LOW] - place, 0.0)
            total += lines[x, NUMBER_COST] + away
    return total


@part_of_kernel
def _least_extra(
    low: Floats,
    high: Floats,
    blank: Flags,
    sets: Bits,
    node: int,
    columns: Ints,
    lines: Floats,
    numbers: int,
    marks: Ints,
    costs: Floats,
    categories: int,
) -> float:
    """No row of this node brings less extra width."""
    total = 0.0
    for y in range(categories):
        bit = np.uint64(marks[y, LABEL] & 63)
        if not (sets[node, marks[y, COLUMN]] >> bit) & np.uint64(1):
            total += costs[y]
    for x in range(numbers):
        bottom, top = low[node, columns[x]], high[node, columns[x]]
        least = lines[x, NUMBER_COST] + max(bottom - lines[x, HIGH], lines[x, LOW] - top, 0.0)
        if blank[node, columns[x]] and (bottom > top or lines[x, BLANK_COST] < least):
            least = lines[x, BLANK_COST]
        total += least
    return total


@part_of_kernel
def _nearness(places: Floats, labels: Ints, i: int, origin: int, weights: Floats) -> float:
    """Minus the distance between two positions, so that the furthest has the smallest score."""
    total = 0.0
    for y in range(len(weights)):
        if labels[i, y] != labels[origin, y]:
            total -= weights[y]
    for x in range(places.shape[1]):
        a, b = places[i, x], places[origin, x]
        if np.isnan(a) or np.isnan(b):
            total -= 0.0 if np.isnan(a) and np.isnan(b) else 1.0
        else:
            total -= abs(a - b)
    return total


@part_of_kernel
def _least_nearness(
    low: Floats,
    high: Floats,
    blank: Flags,
    sets: Bits,
    node: int,
    places: Floats,
    labels: Ints,
    origin: int,
    weights: Floats,
    hashed: Flags,
) -> float:
    """No row of this node is further from the origin."""
    total = 0.0
    for y in range(len(weights)):
        own = np.uint64(1) << np.uint64(labels[origin, y] & 63)
        if hashed[y] or sets[node, y] != own:
            total -= weights[y]
    for x in range(places.shape[1]):
        place = places[origin, x]
        if blank[node, x] or np.isnan(place):
            total -= 1.0
        else:
            total -= max(abs(place - low[node, x]), abs(place - high[node, x]))
    return total


@kernel
def find(
    tree: BoxTree,
    search: Search,
    numbers: int,
    categories: int,
    origin: int,
    weights: Floats,
    hashed: Flags,
    tie: float,
    smallest: float,
) -> tuple[int, float, int, bool]:
    """The position of the winner, the smallest score, nodes and rows visited, and: repeat?

    Looks for the row furthest from the position `origin`, or, where that is -1, for the least
    extra width. `smallest` is inf, or the smallest score when that is known from before.
    """
    places, labels, record = tree.places, tree.labels, tree.record
    left, right, first = tree.left, tree.right, tree.first
    low, high, blank, sets = tree.low, tree.high, tree.blank, tree.sets
    columns, lines, marks, costs = search.columns, search.lines, search.marks, search.costs
    stack, bounds = search.node, search.bound
    known = smallest < np.inf
    winner, lowest = -1, GONE
    visits, repeat = 0, False
    stack[0], bounds[0] = 0, -np.inf
    depth = 1
    while depth > 0:
        depth -= 1
        node, bound = stack[depth], bounds[depth]
        late = first[node] > lowest and (known or bound > smallest - _NOISE)
        if late or bound >= smallest + tie:
            continue
        visits += 1
        if left[node] >= 0:
            base = depth
            for turn in range(2):
                child = left[node] if turn == 0 else right[node]
                if first[child] == GONE:
                    continue
                if origin < 0:
                    bound = _least_extra(
                        low,
                        high,
                        blank,
                        sets,
                        child,
                        columns,
                        lines,
                        numbers,
                        marks,
                        costs,
                        categories,
                    )
                else:
                    bound = _least_nearness(
                        low, high, blank, sets, child, places, labels, origin, weights, hashed
                    )
                if bound < smallest + tie:
                    stack[depth], bounds[depth] = child, bound
                    depth += 1
            if depth == base + 2:
                a, b = stack[base], stack[base + 1]
                better = bounds[base + 1] - bounds[base]
                if better > 0 or (better == 0 and first[a] < first[b]):  # goes on top
                    stack[base], stack[base + 1] = b, a
                    bounds[base], bounds[base + 1] = bounds[base + 1], bounds[base]
            continue
        for i in range(tree.start[node], tree.end[node]):
            if record[i] == GONE:
                continue
            visits += 1
            if origin < 0:
                score = extra_width(
                    places,
                    labels,
                    i,
                    columns,
                    lines,
                    numbers,
                    marks,
                    costs,
                    categories,
                    smallest + tie,
                )
            else:
                score = _nearness(places, labels, i, origin, weights)
            if score >= smallest + tie:
                continue
            if score < smallest and not known:
                better = smallest - score
                repeat = repeat or _NOISE < better <= 2 * tie
                if better >= tie:
                    lowest = GONE
                smallest = score
            if record[i] < lowest:
                winner, lowest = i, record[i]
    return winner, smallest, visits, repeat
