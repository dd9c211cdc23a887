"""A tree over the rows of one group, for splits that take a few far-off rows away from many.

A leaf holds a few rows that lie together, an inner node what its two children hold. Every node
knows, per attribute, the lowest and the highest value below it and which values of a set occur, so
that whole branches need not be looked at. A row that leaves the group changes only the nodes above
it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import (
    BITS,
    KIND,
    NOTHING,
    SET,
    START,
    Attributes,
)
from kanon_tui.core.kernels.boxes import extent, long, set_extent, uncounted
from kanon_tui.core.kernels.partner_tree import (
    ALIVE,
    BEGIN,
    CHILD,
    END,
    FIRST_PLACE,
    PARENT,
    divide,
)
from kanon_tui.core.kernels.splitting_boxes import apart, bit, box_growth
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s, Words

__all__ = [
    "GroupTree",
    "furthest",
    "grow",
    "leave",
    "nearest",
    "plant",
    "tree_extent",
]

REACH_LOW, REACH_HIGH = 0, 1  # last axis of `GroupTree.reach`


class GroupTree(NamedTuple):
    """Nodes of the tree; rows stand in the order of the leaves."""

    branches: Int32s  # nodes × the columns of `partner_tree`; FIRST_PLACE is the lowest row
    reach: Int32s  # nodes × attributes × lowest and highest value
    words: Words  # nodes × words: values of the sets
    items: Int32s  # rows, -1 where one has left
    leaf_of: Int32s  # per row of the table; groups share it
    tally: Int32s  # per value of all sets how many rows have it
    stack: Int32s  # scratch for a search
    bounds: Floats


def plant(
    attributes: Attributes, rows: Int32s, members: Int32s, leaf_of: Int32s, values: int
) -> GroupTree:
    """A tree over some distinct rows, possibly none; `values` is how many all sets have."""
    items = members.copy()
    branches = np.zeros((max(1, 2 * len(items)), 6), dtype=np.int32)
    scale = np.ones(rows.shape[1])
    count, depth = divide(attributes, rows.reshape(*rows.shape, 1), scale, items, branches)
    columns = 1 + max(0, int(attributes.facts[:, BITS].max()))
    tree = GroupTree(
        branches[:count].copy(),
        np.zeros((count, rows.shape[1], 2), dtype=np.int32),
        np.zeros((count, columns), dtype=np.uint64),
        items,
        leaf_of,
        np.zeros(values, dtype=np.int32),
        np.zeros(depth + 2, dtype=np.int32),
        np.zeros(depth + 2),
    )
    grow(attributes, rows, tree)
    return tree


@uncounted
def _sum_up(
    facts: Int64s,
    rows: Int32s,
    branches: Int32s,
    reach: Int32s,
    words: Words,
    items: Int32s,
    node: int,
) -> None:
    """Work out what a node knows from its rows or its children."""
    branches[node, ALIVE], branches[node, FIRST_PLACE] = 0, NOTHING
    for x in range(rows.shape[1]):
        reach[node, x, REACH_LOW], reach[node, x, REACH_HIGH] = NOTHING, -1
    for word in range(words.shape[1]):
        words[node, word] = np.uint64(0)
    child = branches[node, CHILD]
    if child >= 0:
        for i in range(child, child + 2):
            branches[node, ALIVE] += branches[i, ALIVE]
            first = min(branches[node, FIRST_PLACE], branches[i, FIRST_PLACE])
            branches[node, FIRST_PLACE] = first
            for x in range(rows.shape[1]):
                reach[node, x, REACH_LOW] = min(reach[node, x, REACH_LOW], reach[i, x, REACH_LOW])
                reach[node, x, REACH_HIGH] = max(
                    reach[node, x, REACH_HIGH], reach[i, x, REACH_HIGH]
                )
            for word in range(words.shape[1]):
                words[node, word] |= words[i, word]
        return
    for i in range(branches[node, BEGIN], branches[node, END]):
        row = items[i]
        if row < 0:
            continue
        branches[node, ALIVE] += 1
        branches[node, FIRST_PLACE] = min(branches[node, FIRST_PLACE], row)
        for x in range(rows.shape[1]):
            value = rows[row, x]
            reach[node, x, REACH_LOW] = min(reach[node, x, REACH_LOW], value)
            reach[node, x, REACH_HIGH] = max(reach[node, x, REACH_HIGH], value)
            if facts[x, KIND] == SET:
                words[node, facts[x, BITS]] |= bit(value)


@kernel
def grow(attributes: Attributes, rows: Int32s, tree: GroupTree) -> None:
    """Work out what every node knows; children come after their parents."""
    facts, _, _, _, _ = attributes
    branches, reach, words, items, leaf_of, tally, _, _ = tree
    for node in range(len(branches) - 1, -1, -1):
        _sum_up(facts, rows, branches, reach, words, items, node)
        if branches[node, CHILD] < 0:
            for i in range(branches[node, BEGIN], branches[node, END]):
                leaf_of[items[i]] = node
    for row in items:
        for x in range(rows.shape[1]):
            if facts[x, KIND] == SET:
                tally[facts[x, START] + rows[row, x]] += 1


@kernel
def leave(attributes: Attributes, rows: Int32s, tree: GroupTree, row: int) -> None:
    """Take a row out of the tree."""
    facts, _, _, _, _ = attributes
    branches, reach, words, items, leaf_of, tally, _, _ = tree
    node = long(leaf_of[row])
    for i in range(branches[node, BEGIN], branches[node, END]):
        if items[i] == row:
            items[i] = -1
    while node >= 0:
        _sum_up(facts, rows, branches, reach, words, items, node)
        node = long(branches[node, PARENT])
    for x in range(rows.shape[1]):
        if facts[x, KIND] == SET:
            tally[facts[x, START] + rows[row, x]] -= 1


@kernel
def tree_extent(attributes: Attributes, tree: GroupTree) -> float:
    """Extent of the box around all rows of the tree."""
    facts, prices, line, nodes, _ = attributes
    _, reach, _, _, _, tally, _, _ = tree
    total = 0.0
    for x in range(len(facts)):
        low, high = reach[0, x, REACH_LOW], reach[0, x, REACH_HIGH]
        if facts[x, KIND] == SET:
            count = 0
            for value in range(low, high + 1):
                count += tally[facts[x, START] + value] > 0
            total += set_extent(prices, x, count)
        else:
            total += extent(facts, prices, line, nodes, x, low, high)
    return total


@uncounted
def _most_apart(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    rows: Int32s,
    reach: Int32s,
    row: int,
    node: int,
) -> float:
    """No row of a node is further from a row than this."""
    total = 0.0
    for x in range(rows.shape[1]):
        value, low, high = rows[row, x], reach[node, x, REACH_LOW], reach[node, x, REACH_HIGH]
        if facts[x, KIND] == SET:
            if low != value or high != value:
                total += set_extent(prices, x, 2)
        else:
            down = extent(facts, prices, line, nodes, x, min(value, low), max(value, low))
            up = extent(facts, prices, line, nodes, x, min(value, high), max(value, high))
            total += max(down, up)
    return total


@kernel
def furthest(attributes: Attributes, rows: Int32s, tree: GroupTree, here: int) -> tuple[int, float]:
    """The first of the rows furthest from a row, and how far it is.

    Once to find how far, once to find the first row that is so far.
    """
    facts, prices, line, nodes, _ = attributes
    branches, reach, _, items, _, _, stack, bounds = tree
    most, found = -np.inf, NOTHING
    for search in range(2):
        stack[0], bounds[0] = 0, np.inf
        depth = 1
        while depth:
            depth -= 1
            node, bound = long(stack[depth]), bounds[depth]
            if search == 0 and bound <= most:
                continue
            if search == 1 and (bound < most - TIE or branches[node, FIRST_PLACE] >= found):
                continue
            child = long(branches[node, CHILD])
            if child < 0:
                for i in range(branches[node, BEGIN], branches[node, END]):
                    row = long(items[i])
                    if row < 0:
                        continue
                    far = apart(facts, prices, line, nodes, rows, here, row)
                    if search == 0:
                        most = max(most, far)
                    elif far >= most - TIE and row < found:
                        found = row
                continue
            one, other = -np.inf, -np.inf
            if branches[child, ALIVE]:
                one = _most_apart(facts, prices, line, nodes, rows, reach, here, child)
            if branches[child + 1, ALIVE]:
                other = _most_apart(facts, prices, line, nodes, rows, reach, here, child + 1)
            if search == 0:
                last = 0 if one > other else 1
            else:
                last = int(branches[child, FIRST_PLACE] > branches[child + 1, FIRST_PLACE])
            for which in (1 - last, last):
                stack[depth], bounds[depth] = child + which, other if which else one
                depth += 1
    return found, apart(facts, prices, line, nodes, rows, here, found)


@uncounted
def _least_growth(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    reach: Int32s,
    words: Words,
    low: Int32s,
    high: Int32s,
    box_words: Words,
    side: int,
    node: int,
) -> float:
    """The box of a side grows at least by this when it takes a row of a node."""
    total = 0.0
    for x in range(len(facts)):
        if facts[x, KIND] == SET:
            column = facts[x, BITS]
            if words[node, column] & box_words[side, column] == 0:
                count = high[side, x]
                total += set_extent(prices, x, count + 1) - set_extent(prices, x, count)
            continue
        lowest, highest = low[side, x], high[side, x]
        wider_low = min(lowest, reach[node, x, REACH_HIGH])
        wider_high = max(highest, reach[node, x, REACH_LOW])
        if wider_low < lowest or wider_high > highest:
            total += extent(facts, prices, line, nodes, x, wider_low, wider_high)
            total -= extent(facts, prices, line, nodes, x, lowest, highest)
    return total


@kernel
def nearest(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    tree: GroupTree,
    low: Int32s,
    high: Int32s,
    present: Flags,
    box_words: Words,
    side_of: Int32s,
    side: int,
    spare: int,
) -> int:
    """The first of the rows of the other side by which the box of a side grows least.

    Only rows that stand for at most `spare` records; NOTHING if there is none. As `furthest`, once
    for how much and once for the row.
    """
    facts, prices, line, nodes, _ = attributes
    branches, reach, words, items, _, _, stack, bounds = tree
    least, found = np.inf, NOTHING
    for search in range(2):
        stack[0], bounds[0] = 0, 0.0
        depth = 1
        while depth:
            depth -= 1
            node, bound = long(stack[depth]), bounds[depth]
            if search == 0 and bound >= least:
                continue
            if search == 1 and (bound > least + TIE or branches[node, FIRST_PLACE] >= found):
                continue
            child = long(branches[node, CHILD])
            if child < 0:
                for i in range(branches[node, BEGIN], branches[node, END]):
                    row = long(items[i])
                    if row < 0 or side_of[row] == side or counts[row] > spare:
                        continue
                    grows = box_growth(
                        facts, prices, line, nodes, rows, low, high, present, side, row
                    )
                    if search == 0:
                        least = min(least, grows)
                    elif grows <= least + TIE and row < found:
                        found = row
                continue
            one, other = np.inf, np.inf
            if branches[child, ALIVE]:
                one = _least_growth(
                    facts, prices, line, nodes, reach, words, low, high, box_words, side, child
                )
            if branches[child + 1, ALIVE]:
                other = _least_growth(
                    facts, prices, line, nodes, reach, words, low, high, box_words, side, child + 1
                )
            if search == 0:
                last = 0 if one < other else 1
            else:
                last = int(branches[child, FIRST_PLACE] > branches[child + 1, FIRST_PLACE])
            for which in (1 - last, last):
                stack[depth], bounds[depth] = child + which, other if which else one
                depth += 1
    return found
