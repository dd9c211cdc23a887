"""Give the rows of a large group to the sides of two seeds, without looking at most of them.

Boxes only grow. A row that the box of the first side has already covered goes there whenever its
turn comes, and changes nothing; so a whole branch of the tree that is covered can be passed over. A
row covered by the box of the second side changes neither box: it goes to the second side unless
the first box covers it too when its turn comes, and that can be found out at the end, by letting
the first box grow once more. What is left are the rows that widen a box, and there are no more of
them than the group has values.

This needs that a box grows by more than a tie whenever it takes a row that it does not cover;
`clustering.splitting` sees to it. The twin is `splitting_scan`, which looks at every row; tests
compare the two.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from kanon_tui.core.kernels import kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import BITS, CHAIN, KIND, NOTHING, SET, START, Attributes
from kanon_tui.core.kernels.boxes import int64
from kanon_tui.core.kernels.partner_tree import ALIVE, BEGIN, CHILD, END, FIRST_PLACE, LEAF
from kanon_tui.core.kernels.splitting_boxes import (
    SideBoxes,
    Sides,
    begin_box,
    box_growth,
    forget,
    new_boxes,
    widen,
)
from kanon_tui.core.kernels.splitting_search import cheapest_row, furthest_row
from kanon_tui.core.kernels.splitting_tree import REACH_HIGH, REACH_LOW, GroupTree
from kanon_tui.core.numeric import TIE, Flags, Int32s, Int64s

__all__ = ["far_pair_by_tree", "sides_by_tree"]

_FIRST, _SECOND, _REPLAY = 0, 1, 2  # boxes
_NEITHER = -1
_TURN = 1 << 32  # what waits is sorted by its turn, then comes what it is


@part_of_kernel
def _covers(
    attributes: Attributes, tree: GroupTree, boxes: SideBoxes, side: int, node: int
) -> bool:
    """Whether the box of a side certainly covers every row of a node."""
    facts = attributes.facts
    for x in range(len(facts)):
        lowest, highest = tree.reach[node, x, REACH_LOW], tree.reach[node, x, REACH_HIGH]
        if facts[x, KIND] != SET:
            if lowest < boxes.low[side, x] or highest > boxes.high[side, x]:
                return False
        elif facts[x, CHAIN] < 0:
            if tree.words[node, facts[x, BITS]] & ~boxes.words[side, facts[x, BITS]] != 0:
                return False
        elif lowest != highest or not boxes.present[side, facts[x, START] + lowest]:
            return False
    return True


@part_of_kernel
def _misses(
    attributes: Attributes, tree: GroupTree, boxes: SideBoxes, side: int, node: int
) -> bool:
    """Whether the box of a side certainly covers no row of a node."""
    facts, reach = attributes.facts, tree.reach
    for x in range(len(facts)):
        if facts[x, KIND] == SET:
            if tree.words[node, facts[x, BITS]] & boxes.words[side, facts[x, BITS]] == 0:
                return True
        elif (
            reach[node, x, REACH_HIGH] < boxes.low[side, x]
            or reach[node, x, REACH_LOW] > boxes.high[side, x]
        ):
            return True
    return False


@kernel
def far_pair_by_tree(
    attributes: Attributes, rows: Int32s, tree: GroupTree, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart."""
    here, there, distance = start, start, 0.0
    for _ in range(rounds):
        here = there
        there, distance = furthest_row(attributes, rows, tree, here)
    return min(here, there), max(here, there), distance


@part_of_kernel
def _opened(
    attributes: Attributes,
    rows: Int32s,
    tree: GroupTree,
    boxes: SideBoxes,
    node: int,
    seeds: tuple[int, int],
    last: int,
    found: Int64s,
) -> int:
    """What to wait for instead of a node: `found` gets its children, or the rows of a leaf.

    Says how many there are. None if the first box covers the node, -1 if the second one does.
    """
    branches = tree.branches
    if _covers(attributes, tree, boxes, _FIRST, node):
        return 0
    if _covers(attributes, tree, boxes, _SECOND, node):
        return -1
    count = 0
    child = int64(branches[node, CHILD])
    if child >= 0:
        for i in range(child, child + 2):
            if branches[i, ALIVE]:
                found[count] = branches[i, FIRST_PLACE] * _TURN + i
                count += 1
        return count
    for i in range(branches[node, BEGIN], branches[node, END]):
        row = int64(tree.items[i])
        if row <= last or row in seeds:
            continue
        if box_growth(attributes, rows, boxes, _FIRST, row):
            found[count] = row * _TURN + len(branches) + row
            count += 1
    return count


@part_of_kernel
def _place_row(attributes: Attributes, rows: Int32s, sides: Sides, sizes: Int64s, row: int) -> int:
    """Give a row to the side whose box grows less; the side whose box did grow, or neither."""
    boxes = sides.boxes
    one = box_growth(attributes, rows, boxes, _FIRST, row)
    if one == 0.0:
        return _NEITHER
    other = box_growth(attributes, rows, boxes, _SECOND, row)
    to = _FIRST if one <= other + TIE else _SECOND
    sides.side_of[row] = to
    sizes[_SECOND] += to * sides.counts[row]
    if to == _SECOND and other <= 0.0:
        return _NEITHER
    widen(attributes, rows, boxes, to, row)
    return to


@kernel
def _take_turns(
    attributes: Attributes,
    rows: Int32s,
    tree: GroupTree,
    sides: Sides,
    sizes: Int64s,
    members: Int32s,
    scanned: int,
    seeds: tuple[int, int],
    taken: list[int],
    widened_first: list[int],
    covered_by_second: list[int],
) -> None:
    """Let rows widen the boxes in their order: the first few one by one, the others by the tree.

    `taken` gets the rows that widened a box, `widened_first` those that widened the first one.
    """
    nodes, boxes = len(tree.branches), sides.boxes
    last = int64(members[scanned - 1])
    what = 0
    waiting = [last * _TURN]  # the root, as soon as the rows up to the last one have had their turn
    found = np.empty(LEAF, dtype=np.int64)
    turn = 0
    while turn < scanned or len(waiting):
        if turn < scanned:
            row = int64(members[turn])
            turn += 1
            if row in seeds:
                continue
        else:
            what = heappop(waiting) % _TURN
            row = what - nodes
        if row < 0:
            count = _opened(attributes, rows, tree, boxes, what, seeds, last, found)
            if count < 0:
                covered_by_second.append(what)
            for i in range(count):
                heappush(waiting, found[i])
            continue
        side = _place_row(attributes, rows, sides, sizes, row)
        if side != _NEITHER:
            taken.append(row)
        if side == _FIRST:
            widened_first.append(row)


@kernel
def _give_to_second(
    attributes: Attributes,
    tree: GroupTree,
    sides: Sides,
    sizes: Int64s,
    last: int,
    seeds: tuple[int, int],
    covered_by_second: list[int],
) -> list[int]:
    """Give the rows after the last one in these nodes to the second side.

    Returns those that the first box may have covered before their turn, as a heap.
    """
    branches, boxes = tree.branches, sides.boxes
    unsure = [0]  # a list says what it holds by what it held at first
    unsure.clear()
    while len(covered_by_second):
        node = covered_by_second.pop()
        child = int64(branches[node, CHILD])
        missed = _misses(attributes, tree, boxes, _FIRST, node)
        if not missed and child >= 0:
            for i in range(child, child + 2):
                if branches[i, ALIVE]:
                    covered_by_second.append(i)
            continue
        for i in range(branches[node, BEGIN], branches[node, END]):
            row = int64(tree.items[i])
            if row <= last or row in seeds:
                continue
            sides.side_of[row] = _SECOND
            sizes[_SECOND] += sides.counts[row]
            if not missed:
                heappush(unsure, row)
    return unsure


@kernel
def _replay(
    attributes: Attributes,
    rows: Int32s,
    sides: Sides,
    sizes: Int64s,
    unsure: list[int],
    widened_first: list[int],
) -> None:
    """Let the first box grow once more, and give it the rows it covers when their turn comes."""
    boxes = sides.boxes
    replayed = 1
    while len(unsure):
        row = heappop(unsure)
        while replayed < len(widened_first) and widened_first[replayed] < row:
            widen(attributes, rows, boxes, _REPLAY, widened_first[replayed])
            replayed += 1
        if box_growth(attributes, rows, boxes, _REPLAY, row) == 0.0:
            sides.side_of[row] = _FIRST
            sizes[_SECOND] -= sides.counts[row]


@kernel
def _fill_poor_side(
    attributes: Attributes,
    rows: Int32s,
    tree: GroupTree,
    sides: Sides,
    sizes: Int64s,
    k: int,
    taken: list[int],
) -> bool:
    """Let a side with fewer than k records take rows from the other; is that possible?"""
    poor = _FIRST if sizes[_FIRST] < sizes[_SECOND] else _SECOND
    while sizes[poor] < k:
        row = cheapest_row(attributes, rows, tree, sides, poor, sizes[1 - poor] - k)
        if row == NOTHING:
            return False
        sides.side_of[row] = poor
        widen(attributes, rows, sides.boxes, poor, row)
        taken.append(row)
        sizes[poor] += sides.counts[row]
        sizes[1 - poor] -= sides.counts[row]
    return True


@kernel
def sides_by_tree(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    tree: GroupTree,
    members: Int32s,
    seeds: tuple[int, int],
    k: int,
    size: int,
    scan: float,
    present: Flags,
    side_of: Int32s,
) -> bool:
    """As `sides_by_scan`, which looks at every row, for the rows of a tree with `size` records.

    `side_of` is 0 for all `members` and becomes 1 for those of the second side. At the start, when
    boxes are narrow, nearly every row widens one and a tree is of no use: as many as `scan` times
    the root of their number come in turn before the tree is asked.
    """
    first, second = seeds
    sides = Sides(new_boxes(3, attributes, present), side_of, counts)
    begin_box(attributes, rows, sides.boxes, _FIRST, first)
    begin_box(attributes, rows, sides.boxes, _SECOND, second)
    begin_box(attributes, rows, sides.boxes, _REPLAY, first)
    side_of[second] = _SECOND
    sizes = np.array([0, int64(counts[second])])
    taken = [first, second]  # rows that widened a box
    widened_first = [first]
    covered_by_second = [0]  # nodes; a list says what it holds by what it held at first
    covered_by_second.clear()
    scanned = max(1, min(len(members), int(scan * np.sqrt(len(members)))))
    _take_turns(
        attributes,
        rows,
        tree,
        sides,
        sizes,
        members,
        scanned,
        seeds,
        taken,
        widened_first,
        covered_by_second,
    )
    last = int64(members[scanned - 1])
    unsure = _give_to_second(attributes, tree, sides, sizes, last, seeds, covered_by_second)
    _replay(attributes, rows, sides, sizes, unsure, widened_first)
    sizes[_FIRST] = size - sizes[_SECOND]
    enough = _fill_poor_side(attributes, rows, tree, sides, sizes, k, taken)
    forget(attributes, rows, np.array(taken, dtype=np.int32), present)
    return enough
