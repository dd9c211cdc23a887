"""Give the rows of a large group to the sides of two seeds, without looking at most of them.

First rows have their turns (`splitting_turns`). Then only one side is listed, whichever is found
sooner: the rows of the second side among those passed over, or the rows inside the box of the first
side that were covered when their turn came. The other side is what the group has else. So a split
that takes a few rows away costs about as much as they do, however many stay.

This needs that a box grows by more than a tie whenever it takes a row that it does not cover;
`clustering.splitting` sees to it. The twin is `splitting_scan`, which looks at every row; tests
compare the two.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import inner_kernel
from kanon_tui.core.kernels.box_arrays import NOTHING, Attributes
from kanon_tui.core.kernels.boxes import int64
from kanon_tui.core.kernels.partner_tree import ALIVE, BEGIN, CHILD, END
from kanon_tui.core.kernels.sorting import sort
from kanon_tui.core.kernels.splitting_boxes import (
    FIRST_BOX,
    SECOND_BOX,
    SideBoxes,
    Sides,
    begin_box,
    box_growth,
    forget,
    new_boxes,
    widen,
)
from kanon_tui.core.kernels.splitting_search import cheapest_row, furthest_row
from kanon_tui.core.kernels.splitting_tree import GroupTree, GroupTrees
from kanon_tui.core.kernels.splitting_turns import children, covers, misses, take_turns
from kanon_tui.core.numeric import Flags, Int32s, Int64s

__all__ = ["BOXES", "far_pair_by_tree", "sides_by_tree"]

_REPLAY, _REPLAY_FIRST = 2, 3  # the first box once more, for either way to list a side
BOXES = 4


@inner_kernel
def far_pair_by_tree(
    attributes: Attributes, rows: Int32s, near: GroupTree, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart."""
    here, there, distance = start, start, 0.0
    for _ in range(rounds):
        before, here = here, there
        there, distance = furthest_row(attributes, rows, near, here, before)
    return min(here, there), max(here, there), distance


@inner_kernel
def _in_time(
    attributes: Attributes,
    rows: Int32s,
    boxes: SideBoxes,
    inside: list[int],
    widened_first: list[int],
) -> list[int]:
    """Those of the rows inside the first box that it covered when their turn came."""
    found = [0]  # a list says what it holds by what it held at first
    found.clear()
    replayed = 1
    in_turn = np.array(inside)
    sort(in_turn)
    for row in in_turn:
        while replayed < len(widened_first) and widened_first[replayed] <= row:
            widen(attributes, rows, boxes, _REPLAY_FIRST, widened_first[replayed])
            replayed += 1
        if box_growth(attributes, rows, boxes, _REPLAY_FIRST, row) == 0.0:
            found.append(row)
    return found


@inner_kernel
def _list_a_side(
    attributes: Attributes,
    rows: Int32s,
    trees: GroupTrees,
    boxes: SideBoxes,
    second: int,
    widened_first: list[int],
    on_second: list[int],
    passed: list[int],
    ahead: list[int],
) -> tuple[list[int], int]:
    """The rows of one side, and which: both are looked for in turns, node by node."""
    near, turns = trees
    long_sets = turns.links.rows.shape[1] > 0
    inside = [0]
    inside.clear()
    near.stack[0] = 0
    near_depth, turns_depth, at, replayed = 1, 0, 0, 1
    while near_depth:
        if turns_depth == 0:
            if at == len(passed):
                return on_second, SECOND_BOX
            while replayed < ahead[at]:
                widen(attributes, rows, boxes, _REPLAY, widened_first[replayed])
                replayed += 1
            turns.stack[0] = passed[at]
            turns_depth = 1
            at += 1
        turns_depth -= 1
        node = int64(turns.stack[turns_depth])
        if turns.branches[node, ALIVE] and (
            long_sets or not covers(attributes, turns, boxes, _REPLAY, node)
        ):
            if turns.branches[node, CHILD] >= 0:
                turns_depth = children(turns, node, turns_depth)
            else:
                for i in range(turns.branches[node, BEGIN], turns.branches[node, END]):
                    row = int64(turns.items[i])
                    if row < 0 or row == second:
                        continue
                    if box_growth(attributes, rows, boxes, _REPLAY, row) > 0.0:
                        on_second.append(row)
        near_depth -= 1
        node = int64(near.stack[near_depth])
        if near.branches[node, ALIVE] and not misses(attributes, near, boxes, FIRST_BOX, node):
            if near.branches[node, CHILD] >= 0:
                near_depth = children(near, node, near_depth)
            else:
                for i in range(near.branches[node, BEGIN], near.branches[node, END]):
                    row = int64(near.items[i])
                    if row < 0 or row == second:
                        continue
                    if box_growth(attributes, rows, boxes, FIRST_BOX, row) == 0.0:
                        inside.append(row)
    return _in_time(attributes, rows, boxes, inside, widened_first), FIRST_BOX


@inner_kernel
def _others(turns: GroupTree, listed: list[int]) -> list[int]:
    """The rows of the group that are not listed."""
    ordered = np.array(listed)
    sort(ordered)
    others = [0]
    others.clear()
    at = 0
    for row in turns.items:
        if at < len(ordered) and row == ordered[at]:
            at += 1
        elif row >= 0:
            others.append(int64(row))
    return others


@inner_kernel
def _fill_poor_side(
    attributes: Attributes,
    rows: Int32s,
    near: GroupTree,
    sides: Sides,
    sizes: Int64s,
    k: int,
    listed: list[int],
    side: int,
    taken: list[int],
) -> bool:
    """Let a side with fewer than k records take rows from the other; is that possible?

    `side` is the one whose rows are listed, and flagged.
    """
    poor = FIRST_BOX if sizes[FIRST_BOX] < sizes[SECOND_BOX] else SECOND_BOX
    own = int(poor == side)
    while sizes[poor] < k:
        row = cheapest_row(attributes, rows, near, sides, poor, own, sizes[1 - poor] - k)
        if row == NOTHING:
            return False
        sides.side_of[row] = own
        if own:
            listed.append(row)
        widen(attributes, rows, sides.boxes, poor, row)
        taken.append(row)
        sizes[poor] += sides.counts[row]
        sizes[1 - poor] -= sides.counts[row]
    return True


@inner_kernel
def sides_by_tree(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    trees: GroupTrees,
    seeds: tuple[int, int],
    k: int,
    size: int,
    present: Flags,
    side_of: Int32s,
) -> tuple[bool, Int32s, int]:
    """As `sides_by_scan`, which looks at every row, for the rows of trees with `size` records.

    Whether both sides have k, and the rows of one of them, rising, and which side that is.
    """
    first, second = seeds
    sides = Sides(new_boxes(BOXES, attributes, present, trees.near.links.heads), side_of, counts)
    boxes = sides.boxes
    for box in range(BOXES):
        begin_box(attributes, rows, boxes, box, second if box == SECOND_BOX else first)
    taken = [first, second]  # rows that widened a box
    widened_first = [first]
    on_second = [second]
    passed, ahead = [0], [0]  # a list says what it holds by what it held at first
    passed.clear()
    ahead.clear()
    take_turns(
        attributes,
        rows,
        trees,
        boxes,
        seeds,
        widened_first,
        taken,
        on_second,
        passed,
        ahead,
    )
    listed, side = _list_a_side(
        attributes, rows, trees, boxes, second, widened_first, on_second, passed, ahead
    )
    if 2 * len(listed) > trees.turns.branches[0, ALIVE]:
        listed, side = _others(trees.turns, listed), 1 - side
    sizes = np.zeros(2, dtype=np.int64)
    for row in listed:
        side_of[row] = 1
        sizes[side] += counts[row]
    sizes[1 - side] = size - sizes[side]
    enough = _fill_poor_side(attributes, rows, trees.near, sides, sizes, k, listed, side, taken)
    forget(attributes, rows, np.array(taken, dtype=np.int32), present)
    ordered = np.array(listed)
    sort(ordered)
    few = np.empty(len(ordered), dtype=np.int32)
    found = 0
    for row in ordered:
        if side_of[row]:
            few[found] = row
            found += 1
    for row in listed:
        side_of[row] = 0
    return enough, few[:found], side
