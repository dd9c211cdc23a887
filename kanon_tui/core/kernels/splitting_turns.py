"""Let the rows of a large group widen the boxes of two seeds in their order, without visiting most.

Boxes only grow. A row that the box of the first side has covered when its turn comes goes there and
changes nothing; one that only the box of the second side covers goes there, and changes nothing
either. So rows that follow one another are passed over together when one box covers them all. What
is left are the rows that widen a box, of which there are few, and those that one box covers and the
other does not, where neighbours go different ways.

Values of a long set, one with more than 64 values, are most of them rare, and each is new to both
boxes once. Every such row would widen a box and have to be visited, in every split. But a new value
costs both boxes the same, once they have two. So where nodes are covered but for what is new, their
rows go to the first side if it covers them; and to the second if it does, unless the box of the
first covers a row with something new, which is looked for in the tree of near rows. The side that
takes them becomes the host of new values (`splitting_boxes`). For values that one box alone has,
the next row with each is known from its links; a node with such a row is not covered by the other.

`splitting_sides` says what this needs, and which side of the two is listed then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import called_by_kernels, inner_kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import BITS, CHAIN, KIND, NOTHING, SET, START, Attributes
from kanon_tui.core.kernels.boxes import int64
from kanon_tui.core.kernels.partner_tree import ALIVE, BEGIN, CHILD, END, FIRST_PLACE
from kanon_tui.core.kernels.splitting_boxes import (
    FIRST_BOX,
    HOST,
    SECOND_BOX,
    TURNING,
    SideBoxes,
    bit,
    box_growth,
    widen,
)
from kanon_tui.core.kernels.splitting_tree import (
    FRESH,
    LATER,
    REACH_HIGH,
    REACH_LOW,
    GroupTree,
    GroupTrees,
)
from kanon_tui.core.numeric import TIE, Int32s, Int64s

__all__: list[str] = []  # all of it is for kernels only

_ALONE = 64  # of more values no account is kept
_MANY = 64  # a side becomes the host for no fewer rows, and nobody searches for fewer


class _Account(NamedTuple):
    """What is known of long sets while rows have their turns."""

    alone: Int32s  # sides × values that the other side alone has × next row with it and attribute
    known: Int64s  # per side how many these are, -1: too many
    soon: Int64s  # next row that brings the first side something new, and rows it had widened for


@part_of_kernel
def covers(attributes: Attributes, tree: GroupTree, boxes: SideBoxes, side: int, node: int) -> bool:
    """Whether the box of a side covers every row of a node, but for long sets."""
    facts = attributes.facts
    for x in range(len(facts)):
        lowest, highest = tree.reach[node, x, REACH_LOW], tree.reach[node, x, REACH_HIGH]
        if facts[x, KIND] != SET:
            if lowest < boxes.low[side, x] or highest > boxes.high[side, x]:
                return False
        elif facts[x, CHAIN] < 0 and (
            tree.words[node, facts[x, BITS]] & ~boxes.words[side, facts[x, BITS]] != 0
        ):
            return False
    return True


@part_of_kernel
def misses(attributes: Attributes, tree: GroupTree, boxes: SideBoxes, side: int, node: int) -> bool:
    """Whether the box of a side certainly covers no row of a node, new values left aside."""
    facts, reach, words = attributes.facts, tree.reach, tree.words
    for x in range(len(facts)):
        if facts[x, KIND] == SET:
            new = facts[x, CHAIN] >= 0 and words[node, FRESH] & bit(facts[x, CHAIN]) != 0
            column = facts[x, BITS]
            if words[node, column] & boxes.words[side, column] == 0 and not new:
                return True
        elif (
            reach[node, x, REACH_HIGH] < boxes.low[side, x]
            or reach[node, x, REACH_LOW] > boxes.high[side, x]
        ):
            return True
    return False


@part_of_kernel
def children(tree: GroupTree, node: int, depth: int) -> int:
    """Put the children of a node on the tree's stack, the first on top; its new depth."""
    child = tree.branches[node, CHILD]
    tree.stack[depth], tree.stack[depth + 1] = child + 1, child
    return depth + 2


@part_of_kernel
def _note_alone(account: _Account, side: int, row: int, x: int) -> None:
    """Note that a side has not what the other has; the next row with it, if there is one."""
    known = account.known[side]
    if row < 0 or known < 0:
        return
    if known == _ALONE:
        account.known[side] = -1
        return
    account.alone[side, known, 0], account.alone[side, known, 1] = row, x
    account.known[side] += 1


@part_of_kernel
def _note_new(
    attributes: Attributes,
    rows: Int32s,
    turns: GroupTree,
    boxes: SideBoxes,
    account: _Account,
    side: int,
    row: int,
) -> None:
    """Note what is new with a row that a side takes, and what its other one has not."""
    facts, links = attributes.facts, turns.links
    for x in range(rows.shape[1]):
        chain = facts[x, CHAIN]
        if chain >= 0:
            flag = facts[x, START] + rows[row, x]
            if links.heads[flag] == row + 1 and not boxes.present[1 - side, flag]:
                _note_alone(account, 1 - side, int64(links.rows[row, chain, LATER]), x)


@inner_kernel
def _new_account(
    attributes: Attributes,
    rows: Int32s,
    turns: GroupTree,
    boxes: SideBoxes,
    seeds: tuple[int, int],
) -> _Account:
    """What is known when the boxes have their seeds."""
    facts = attributes.facts
    account = _Account(
        np.zeros((2, _ALONE, 2), dtype=np.int32),
        np.zeros(2, dtype=np.int64),
        np.full(2, -1, dtype=np.int64),
    )
    for x in range(rows.shape[1]):
        if facts[x, CHAIN] >= 0:
            for side in range(2):
                flag = facts[x, START] + rows[seeds[1 - side], x]
                if not boxes.present[side, flag]:
                    _note_alone(account, side, int64(turns.links.heads[flag]) - 1, x)
    return account


@part_of_kernel
def _alone_in_node(
    attributes: Attributes,
    rows: Int32s,
    turns: GroupTree,
    boxes: SideBoxes,
    account: _Account,
    side: int,
    node: int,
) -> bool:
    """Whether a row of a node has a value that only the box of the other side has."""
    facts, alone, branches, links = attributes.facts, account.alone, turns.branches, turns.links
    i = 0
    while i < account.known[side]:
        row, x = int64(alone[side, i, 0]), int64(alone[side, i, 1])
        shared = boxes.present[side, facts[x, START] + rows[row, x]]
        while row >= 0 and branches[turns.leaf_of[row], BEGIN] < branches[node, BEGIN]:
            row = int64(links.rows[row, facts[x, CHAIN], LATER])
        if shared or row < 0:
            account.known[side] -= 1
            last = account.known[side]
            alone[side, i, 0], alone[side, i, 1] = alone[side, last, 0], alone[side, last, 1]
            continue
        alone[side, i, 0] = row
        if branches[turns.leaf_of[row], BEGIN] < branches[node, END]:
            return True
        i += 1
    return bool(account.known[side] < 0)


@part_of_kernel
def _new_to_first(attributes: Attributes, rows: Int32s, boxes: SideBoxes, row: int) -> bool:
    """Whether the first box covers a row but for what is new, and something is."""
    facts = attributes.facts
    found = False
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] != SET:
            if value < boxes.low[FIRST_BOX, x] or value > boxes.high[FIRST_BOX, x]:
                return False
            continue
        flag = facts[x, START] + value
        if not boxes.present[FIRST_BOX, flag]:
            if facts[x, CHAIN] < 0 or boxes.heads[flag] != row + 1:
                return False
            found = True
    return found


@part_of_kernel
def _next_new_to_first(
    attributes: Attributes, rows: Int32s, near: GroupTree, boxes: SideBoxes, since: int
) -> int:
    """The next row that is new to the first box alone, NOTHING if there is none."""
    branches = near.branches
    found = NOTHING
    near.stack[0] = 0
    depth = 1
    while depth:
        depth -= 1
        node = int64(near.stack[depth])
        if near.words[node, FRESH] == 0 or branches[node, FIRST_PLACE] >= found:
            continue
        if misses(attributes, near, boxes, FIRST_BOX, node):
            continue
        if branches[node, CHILD] >= 0:
            depth = children(near, node, depth)
            continue
        for i in range(branches[node, BEGIN], branches[node, END]):
            row = int64(near.items[i])
            if since <= row < found and _new_to_first(attributes, rows, boxes, row):
                found = row
    return found


@part_of_kernel
def _none_for_first(
    attributes: Attributes,
    rows: Int32s,
    trees: GroupTrees,
    boxes: SideBoxes,
    account: _Account,
    node: int,
    widened: int,
) -> bool:
    """Whether no row of a node is new to the first box alone; it has been widened so often."""
    turns, soon = trees.turns, account.soon
    since = int64(turns.branches[node, FIRST_PLACE])
    if soon[1] != widened or soon[0] < since:
        if turns.branches[node, ALIVE] < _MANY:
            return False
        soon[0] = _next_new_to_first(attributes, rows, trees.near, boxes, since)
        soon[1] = widened
    return bool(
        soon[0] == NOTHING
        or turns.branches[turns.leaf_of[soon[0]], BEGIN] >= turns.branches[node, END]
    )


@called_by_kernels
def _takes_all(
    attributes: Attributes,
    rows: Int32s,
    trees: GroupTrees,
    boxes: SideBoxes,
    account: _Account,
    side: int,
    node: int,
    widened: int,
) -> bool:
    """Whether a side takes every row of a node that its box covers but for long sets."""
    facts, turns = attributes.facts, trees.turns
    if _alone_in_node(attributes, rows, turns, boxes, account, side, node):
        return False
    fresh, host = turns.words[node, FRESH], boxes.host[HOST]
    if fresh == 0:
        return True
    if host != side and (host >= 0 or turns.branches[node, ALIVE] < _MANY):
        return False
    for x in range(len(facts)):
        chain = facts[x, CHAIN]
        if chain >= 0 and boxes.high[side, x] < 2 and fresh & bit(chain) != 0:
            return False
    if side == SECOND_BOX and not _none_for_first(
        attributes, rows, trees, boxes, account, node, widened
    ):
        return False
    boxes.host[HOST] = side
    account.known[1 - side] = -1
    for word in range(boxes.words.shape[1]):
        boxes.words[side, word] |= turns.words[node, word]
    return True


@inner_kernel
def take_turns(
    attributes: Attributes,
    rows: Int32s,
    trees: GroupTrees,
    boxes: SideBoxes,
    seeds: tuple[int, int],
    widened_first: list[int],
    taken: list[int],
    on_second: list[int],
    passed: list[int],
    ahead: list[int],
) -> None:
    """Let rows widen the boxes in their order.

    `widened_first` gets the rows that widened the first box, `taken` those that widened any,
    `on_second` rows of the second side. `passed` are nodes passed over because the second box
    covers them, `ahead` how many rows had widened the first one by then.
    """
    turns = trees.turns
    branches = turns.branches
    long_sets = turns.links.rows.shape[1] > 0
    account = _new_account(attributes, rows, turns, boxes, seeds)
    boxes.host[TURNING] = 1
    turns.stack[0] = 0
    depth = 1
    while depth:
        depth -= 1
        node = int64(turns.stack[depth])
        if not branches[node, ALIVE]:
            continue
        widened = len(widened_first)
        if covers(attributes, turns, boxes, FIRST_BOX, node) and (
            not long_sets
            or _takes_all(attributes, rows, trees, boxes, account, FIRST_BOX, node, widened)
        ):
            continue
        if covers(attributes, turns, boxes, SECOND_BOX, node) and (
            not long_sets
            or _takes_all(attributes, rows, trees, boxes, account, SECOND_BOX, node, widened)
        ):
            passed.append(node)
            ahead.append(widened)
            continue
        if branches[node, CHILD] >= 0:
            depth = children(turns, node, depth)
            continue
        for i in range(branches[node, BEGIN], branches[node, END]):
            row = int64(turns.items[i])
            if row < 0 or row == seeds[1]:
                continue
            one = box_growth(attributes, rows, boxes, FIRST_BOX, row)
            if one == 0.0:
                continue
            other = box_growth(attributes, rows, boxes, SECOND_BOX, row)
            to = FIRST_BOX if one <= other + TIE else SECOND_BOX
            if to == FIRST_BOX:
                widened_first.append(row)
            else:
                on_second.append(row)
            if to == FIRST_BOX or other > 0.0:
                widen(attributes, rows, boxes, to, row)
                taken.append(row)
                if long_sets:
                    _note_new(attributes, rows, turns, boxes, account, to, row)
    boxes.host[TURNING] = 0
