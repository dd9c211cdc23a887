"""Two searches in the tree of a group: the row furthest from a row, and the cheapest to take.

Both are one search for the least score, as the row furthest from another has the least of minus
distances. It goes depth first through the tree, the better child first, and leaves out a node when
even the best row that fits its box would not do, or could only be as good and comes later. How far
away numbers can be is known from their signed sums (`clustering.diagonals`), but for rounding. The
winner is the first row whose score is less than a tie above the least. Where scores creep below one
another in steps smaller than a tie, the search may have to be repeated with the least score known.
Which of the two scores is meant is known when the search is compiled, and so costs nothing.

In the worst case every row is looked at, as `splitting_scan` does for groups without a tree.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import called_by_kernels, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    BITS,
    KIND,
    LINE,
    MISSING,
    MIXED,
    NOTHING,
    SET,
    START,
    TREE,
    Attributes,
)
from kanon_tui.core.kernels.boxes import extent, int64, set_extent
from kanon_tui.core.kernels.partner_tree import ALIVE, BEGIN, CHILD, END, FIRST_PLACE
from kanon_tui.core.kernels.splitting_boxes import (
    SideBoxes,
    Sides,
    apart,
    box_growth,
    one_value_more,
)
from kanon_tui.core.kernels.splitting_tree import REACH_HIGH, REACH_LOW, GroupTree
from kanon_tui.core.numeric import TIE, Int32s

__all__ = ["cheapest_row", "furthest_row"]

_NOISE = 1e-12


@part_of_kernel
def _further_end(attributes: Attributes, x: int, value: int, low: int, high: int) -> float:
    """No value from one to another is further from a value than this; not for sets."""
    down = extent(attributes, x, min(value, low), max(value, low))
    up = extent(attributes, x, min(value, high), max(value, high))
    return max(down, up)


@called_by_kernels
def _furthest_corner(
    attributes: Attributes, rows: Int32s, tree: GroupTree, row: int, node: int
) -> float:
    """How far numbers of a row are from the furthest corner of the box of a node."""
    total = 0.0
    for x in range(rows.shape[1]):
        if attributes.facts[x, KIND] == LINE:
            low, high = tree.reach[node, x, REACH_LOW], tree.reach[node, x, REACH_HIGH]
            total += _further_end(attributes, x, rows[row, x], low, high)
    return total


@part_of_kernel
def _most_apart(
    attributes: Attributes, rows: Int32s, tree: GroupTree, row: int, node: int
) -> float:
    """No row of a node is further from a row than this."""
    facts, reach, sums, sums_reach = attributes.facts, tree.reach, tree.sums, tree.sums_reach
    total, others = sums.rounding, 0.0
    missing = False
    for group in range(len(sums.begins) - 1):
        most = 0.0
        for i in range(sums.begins[group], sums.begins[group + 1]):
            here = sums.values[row, i]
            below, above = here - sums_reach[node, i, REACH_LOW], sums_reach[node, i, REACH_HIGH]
            most = max(most, below, above - here)
        total += most
    for x in range(rows.shape[1]):
        value, low, high = rows[row, x], reach[node, x, REACH_LOW], reach[node, x, REACH_HIGH]
        if facts[x, KIND] == SET:
            if low != value or high != value:
                others += set_extent(attributes, x, 2)
        elif facts[x, KIND] == TREE:
            others += _further_end(attributes, x, value, low, high)
        elif value == facts[x, MISSING]:  # what a missing number costs beyond its sums
            total += attributes.prices[x, MIXED] if low != value else 0.0
            missing = True
        elif high == facts[x, MISSING]:
            away = abs(attributes.line[facts[x, START] + value] - sums.stand_in[x])
            total += max(attributes.prices[x, MIXED] - away, 0.0)
            missing = True
    if missing:  # its sums may say less than the corners of the box
        total = min(total, _furthest_corner(attributes, rows, tree, row, node))
    return total + others


@part_of_kernel
def _least_growth(
    attributes: Attributes, tree: GroupTree, boxes: SideBoxes, side: int, node: int
) -> float:
    """The box of a side grows at least by this when it takes a row of a node."""
    facts = attributes.facts
    total = 0.0
    for x in range(len(facts)):
        lowest, highest = boxes.low[side, x], boxes.high[side, x]
        if facts[x, KIND] == SET:
            if tree.words[node, facts[x, BITS]] & boxes.words[side, facts[x, BITS]] == 0:
                total += one_value_more(attributes, x, highest)
            continue
        wider_low = min(lowest, tree.reach[node, x, REACH_HIGH])
        wider_high = max(highest, tree.reach[node, x, REACH_LOW])
        if wider_low < lowest or wider_high > highest:
            total += extent(attributes, x, wider_low, wider_high)
            total -= extent(attributes, x, lowest, highest)
    return total


@part_of_kernel
def _least_score(
    attributes: Attributes, rows: Int32s, tree: GroupTree, sides: Sides | None, of: int, node: int
) -> float:
    """No row of a node has a lower score; inf when the node has no rows."""
    if not tree.branches[node, ALIVE]:
        return np.inf
    if sides is None:
        return -_most_apart(attributes, rows, tree, of, node)
    return _least_growth(attributes, tree, sides.boxes, of, node)


@part_of_kernel
def _score(
    attributes: Attributes,
    rows: Int32s,
    sides: Sides | None,
    of: int,
    own: int,
    spare: int,
    row: int,
) -> float:
    """The score of a row; inf when the side may not take it."""
    if sides is None:
        return -apart(attributes, rows, of, row)
    if sides.side_of[row] == own or sides.counts[row] > spare:
        return np.inf
    return box_growth(attributes, rows, sides.boxes, of, row)


@part_of_kernel
def _first_of_least(
    attributes: Attributes,
    rows: Int32s,
    tree: GroupTree,
    sides: Sides | None,
    of: int,
    own: int,
    spare: int,
    found: int,
) -> int:
    """The first of the rows with the least score, NOTHING if there is none.

    Without `sides` the score is minus the distance from the row `of`, with them the growth of the
    box of the side `of` by a row of the other side that stands for at most `spare` records; `own`
    is how its own rows are flagged. `found` is a row that may do, or NOTHING.
    """
    branches, stack, bounds = tree.branches, tree.stack, tree.bounds
    least = of_found = np.inf
    if found != NOTHING:
        least = of_found = _score(attributes, rows, sides, of, own, spare, found)
    known, again = False, True
    while again:
        again = False
        stack[0], bounds[0] = 0, -np.inf
        depth = 1
        while depth:
            depth -= 1
            node, bound = int64(stack[depth]), bounds[depth]
            late = (known or bound > least - _NOISE) and branches[node, FIRST_PLACE] >= found
            if late or bound > least + TIE:
                continue
            child = int64(branches[node, CHILD])
            if child >= 0:
                one = _least_score(attributes, rows, tree, sides, of, child)
                other = _least_score(attributes, rows, tree, sides, of, child + 1)
                earlier = branches[child, FIRST_PLACE] < branches[child + 1, FIRST_PLACE]
                last = 0 if one < other or (one == other and earlier) else 1
                stack[depth], bounds[depth] = child + 1 - last, one if last else other
                stack[depth + 1], bounds[depth + 1] = child + last, other if last else one
                depth += 2
                continue
            for i in range(branches[node, BEGIN], branches[node, END]):
                row = int64(tree.items[i])
                if row < 0:
                    continue
                score = _score(attributes, rows, sides, of, own, spare, row)
                if score < least and not known:
                    again = again or (of_found > score + TIE and least <= score + TIE)
                    if of_found > score + TIE:
                        found, of_found = row, score
                    least = score
                if score <= least + TIE and score < np.inf and row < found:
                    found, of_found = row, score
        if again:
            known, found, of_found = True, NOTHING, np.inf
    return found


@called_by_kernels
def furthest_row(
    attributes: Attributes, rows: Int32s, tree: GroupTree, here: int, known: int
) -> tuple[int, float]:
    """The first of the rows furthest from a row, and how far it is; `known` is one far from it."""
    found = _first_of_least(attributes, rows, tree, None, here, 0, 0, known)
    return found, apart(attributes, rows, here, found)


@called_by_kernels
def cheapest_row(
    attributes: Attributes,
    rows: Int32s,
    tree: GroupTree,
    sides: Sides,
    side: int,
    own: int,
    spare: int,
) -> int:
    """The first of the rows of the other side by which the box of a side grows least.

    Only rows that stand for at most `spare` records; NOTHING if there is none. `own` is how the
    side's own rows are flagged.
    """
    return _first_of_least(attributes, rows, tree, sides, side, own, spare, NOTHING)
