"""The two searches of greedy k-member clustering: the furthest row, and the cheapest row.

Both look for the smallest score in a tree of boxes (`box_tree`): depth first, the more promising
child first, leaving out every node whose box cannot hold anything better. The bound of a box is
summed in the same order as the score of a row, and no term of it is larger, so rounding cannot make
it wrong. Only numbers of the furthest row are bounded in another way, by the signed sums of
`clustering.diagonals`, with room for rounding.

The winner is, of all records whose score is less than a tie above the smallest, the one with the
lowest number, so the order of visits does not matter. A node that could only tie is left out when
its records come after the best so far. That is exact unless scores creep below one another in steps
smaller than a tie; then the search has to be repeated with the smallest score known.

Rows with a rare label of the cluster are listed, and looked at before: in the tree that label
counts as one that nobody has (`clustering.rare_values`).

In the worst case every row is looked at, as the twin in `tests/core/algorithms/twins/k_member.py`
does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, part_of_kernel
from kanon_tui.core.kernels.box_tree_numba import GONE, BoxTreeTuple
from kanon_tui.core.numeric import Floats, Int32s, Words

__all__ = [
    "BLANK_COST",
    "HIGH",
    "LOW",
    "NUMBER_COST",
    "Search",
    "Wanted",
    "best_row",
    "mark",
    "new_search",
]

LOW, HIGH, NUMBER_COST, BLANK_COST = 0, 1, 2, 3  # columns of Search.lines
COLUMN, LABEL = 0, 1  # columns of Search.marks
_NOISE = 1e-12
_ROUNDING = _NOISE / 2


class Search(NamedTuple):
    """Room for one search: the columns that can still widen a cluster, and the nodes to visit."""

    columns: Int32s
    """Which number each line below is about."""
    lines: Floats
    """A place costs NUMBER_COST plus its distance to LOW … HIGH, a missing one BLANK_COST."""
    marks: Int32s
    """A label other than LABEL in category COLUMN …"""
    costs: Floats
    """… costs this."""
    bits: Words
    """Per mark the bit of its label in the boxes; none where the rows that have it are listed."""
    begins: Int32s
    """Per category where its labels begin in …"""
    starts: Int32s
    """… where the rows of each label begin in …"""
    rows: Int32s
    """… the positions of rows with rare labels."""
    sums: Int32s
    """Where the signed sums of each group of numbers begin, and the end."""
    stand_in: Floats
    """Per number the place of a missing one in these sums."""
    node: Int32s
    bound: Floats


class Wanted(NamedTuple):
    """What a search looks for."""

    numbers: int
    """How many columns and lines of the search are in use …"""
    categories: int
    """… and how many marks."""
    origin: int
    """Look for the row furthest from this position; -1: for the least extra width."""


def new_search(
    tree: BoxTreeTuple, sums: Int32s, stand_in: Floats, begins: Int32s, starts: Int32s, rows: Int32s
) -> Search:
    """Room for searches in a tree, whose boxes also know signed sums, with rare labels listed."""
    numbers, categories, nodes = len(stand_in), tree.labels.shape[1], len(tree.start)
    return Search(
        np.zeros(numbers, dtype=np.int32),
        np.zeros((numbers, 4)),
        np.zeros((categories, 2), dtype=np.int32),
        np.zeros(categories),
        np.zeros(categories, dtype=np.uint64),
        begins,
        starts,
        rows,
        sums,
        stand_in,
        np.zeros(nodes + 1, dtype=np.int32),
        np.zeros(nodes + 1),
    )


@part_of_kernel
def extra_width(
    tree: BoxTreeTuple, i: int, search: Search, numbers: int, categories: int, enough: float
) -> float:
    """Extra width that the row at a position brings; may stop when it is more than enough."""
    total = 0.0
    for y in range(categories):
        if tree.labels[i, search.marks[y, COLUMN]] != search.marks[y, LABEL]:
            total += search.costs[y]
    if total > enough:
        return total
    for x in range(numbers):
        place = tree.places[i, search.columns[x]]
        if np.isnan(place):
            total += search.lines[x, BLANK_COST]
        else:
            away = max(place - search.lines[x, HIGH], search.lines[x, LOW] - place, 0.0)
            total += search.lines[x, NUMBER_COST] + away
    return total


@part_of_kernel
def _least_extra_width(
    tree: BoxTreeTuple, node: int, search: Search, numbers: int, categories: int, enough: float
) -> float:
    """No row of this node brings less extra width; may stop when it is enough."""
    total = 0.0
    for y in range(categories):
        if tree.sets[node, search.marks[y, COLUMN]] & search.bits[y] == 0:
            total += search.costs[y]
    if total >= enough:
        return total
    for x in range(numbers):
        column = search.columns[x]
        low, high = tree.low[node, column], tree.high[node, column]
        away = max(low - search.lines[x, HIGH], search.lines[x, LOW] - high, 0.0)
        least = search.lines[x, NUMBER_COST] + away
        blank_cost = search.lines[x, BLANK_COST]
        if tree.blank[node, column] and (low > high or blank_cost < least):
            least = blank_cost
        total += least
    return total


@part_of_kernel
def _nearness(tree: BoxTreeTuple, i: int, origin: int, numbers: int, weights: Floats) -> float:
    """Minus the distance between two positions, so that the furthest has the smallest score."""
    total = 0.0
    for y in range(len(weights)):
        if tree.labels[i, y] != tree.labels[origin, y]:
            total -= weights[y]
    for x in range(numbers):
        a, b = tree.places[i, x], tree.places[origin, x]
        if np.isnan(a) or np.isnan(b):
            total -= 0.0 if np.isnan(a) and np.isnan(b) else 1.0
        else:
            total -= abs(a - b)
    return total


@part_of_kernel
def _least_nearness(
    tree: BoxTreeTuple, node: int, origin: int, search: Search, weights: Floats, shared: Int32s
) -> float:
    """No row of this node is further from the origin."""
    places, low, high = tree.places, tree.low, tree.high
    total = 0.0
    for y in range(len(weights)):
        own = tree.labels[origin, y] & 63
        if own < shared[y] or tree.sets[node, y] != np.uint64(1) << np.uint64(own):
            total -= weights[y]
    for group in range(len(search.sums) - 1):
        most = 0.0
        for x in range(search.sums[group], search.sums[group + 1]):
            most = max(most, places[origin, x] - low[node, x], high[node, x] - places[origin, x])
        total -= most
    for x, stand_in in enumerate(search.stand_in):  # what a missing number costs beyond its sums
        place = places[origin, x]
        if not np.isnan(place):
            total -= 1.0 - abs(place - stand_in) if tree.blank[node, x] else 0.0
        elif low[node, x] <= high[node, x]:
            total -= 1.0 - max(low[node, x] - stand_in, stand_in - high[node, x], 0.0)
    return total - _ROUNDING


@part_of_kernel
def _listed(search: Search, place: int) -> tuple[int, int]:
    """Where the rows with the label of a mark begin and end; none are listed of a frequent one."""
    number = search.begins[search.marks[place, COLUMN]] + search.marks[place, LABEL]
    return search.starts[number], search.starts[number + 1]


@part_of_kernel
def mark(search: Search, place: int, column: int, label: int, cost: float) -> None:
    """Let labels other than this one cost something."""
    search.marks[place, COLUMN] = column
    search.marks[place, LABEL] = label
    search.costs[place] = cost
    begin, end = _listed(search, place)
    search.bits[place] = np.uint64(begin == end) << np.uint64(label & 63)


@part_of_kernel
def _compared(
    record: int, score: float, smallest: float, lowest: int, tie: float, known: bool
) -> tuple[float, int, bool]:
    """The smallest score and the lowest record of equals, also with this one; does it creep?"""
    creeps = False
    if score < smallest and not known:
        better = smallest - score
        creeps = _NOISE < better <= 2 * tie
        if better >= tie:
            lowest = GONE
        smallest = score
    return smallest, min(lowest, record), creeps


@part_of_kernel
def _push_children(
    tree: BoxTreeTuple,
    search: Search,
    wanted: Wanted,
    weights: Floats,
    shared: Int32s,
    node: int,
    enough: float,
    depth: int,
) -> int:
    """Put the children worth a visit on the stack, the more promising on top; its new depth."""
    stack, bounds, first = search.node, search.bound, tree.first
    base = depth
    for turn in range(2):
        child = tree.left[node] if turn == 0 else tree.right[node]
        if first[child] == GONE:
            continue
        if wanted.origin < 0:
            bound = _least_extra_width(
                tree, child, search, wanted.numbers, wanted.categories, enough
            )
        else:
            bound = _least_nearness(tree, child, wanted.origin, search, weights, shared)
        if bound < enough:
            stack[depth], bounds[depth] = child, bound
            depth += 1
    if depth == base + 2:
        a, b = stack[base], stack[base + 1]
        better = bounds[base + 1] - bounds[base]
        if better > 0 or (better == 0 and first[a] < first[b]):
            stack[base], stack[base + 1] = b, a
            bounds[base], bounds[base + 1] = bounds[base + 1], bounds[base]
    return depth


@inner_kernel
def best_row(
    tree: BoxTreeTuple,
    search: Search,
    wanted: Wanted,
    weights: Floats,
    shared: Int32s,
    tie: float,
    smallest: float,
) -> tuple[int, float, int, bool]:
    """The position of the winner, the smallest score, nodes and rows visited, and: repeat?

    `smallest` is inf, or the smallest score when that is known from before.
    """
    first, record, origin = tree.first, tree.record, wanted.origin
    known = smallest < np.inf
    winner, lowest = -1, GONE
    visits, repeat = 0, False
    for y in range(wanted.categories):
        begin, end = _listed(search, y)
        for j in range(begin, end):
            i = search.rows[j]
            if record[i] == GONE:
                continue
            visits += 1
            enough = smallest + tie
            score = extra_width(tree, i, search, wanted.numbers, wanted.categories, enough)
            if score < enough:
                smallest, lowest, creeps = _compared(record[i], score, smallest, lowest, tie, known)
                repeat = repeat or creeps
                winner = i if record[i] == lowest else winner
    search.node[0], search.bound[0] = 0, -np.inf
    depth = 1
    while depth > 0:
        depth -= 1
        node, bound = search.node[depth], search.bound[depth]
        late = first[node] > lowest and (known or bound > smallest - _NOISE)
        if late or bound >= smallest + tie:
            continue
        visits += 1
        if tree.left[node] >= 0:
            depth = _push_children(
                tree, search, wanted, weights, shared, node, smallest + tie, depth
            )
            continue
        for i in range(tree.start[node], tree.end[node]):
            if record[i] == GONE:
                continue
            visits += 1
            enough = smallest + tie
            if origin < 0:
                score = extra_width(tree, i, search, wanted.numbers, wanted.categories, enough)
            else:
                score = _nearness(tree, i, origin, len(search.stand_in), weights)
            if score < enough:
                smallest, lowest, creeps = _compared(record[i], score, smallest, lowest, tie, known)
                repeat = repeat or creeps
                winner = i if record[i] == lowest else winner
    return winner, smallest, visits, repeat
