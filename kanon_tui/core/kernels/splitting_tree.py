"""Two trees over the rows of one group, for splits that take a few far-off rows away from many.

A leaf holds a few rows, an inner node what its two children hold. In one tree these are rows that
lie together: it is searched for the furthest row, the cheapest row, and the rows inside a box. In
the other they follow one another in the table: it finds the next row that a box does not cover, the
row of some place, and all rows in their order. Every node knows, per attribute, the lowest and the
highest value below it and which values of a set occur, so that whole branches need not be looked
at; in the first also the lowest and highest signed sums of numbers (`clustering.diagonals`), which
say how far away its furthest row is. A row that leaves the group changes only the nodes above it.

Rows with the same value of a long set, one with more than 64 values, are linked in the order of the
table. Nodes know whether they have the first of some value: when its turn comes, no box has that
value yet, while all others have been seen before.

Building costs O(rows · attributes · log rows), taking a row out O(attributes · log rows).
`splitting_search` looks for rows in the first, `splitting_sides` in both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import called_by_kernels, inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import BITS, CHAIN, KIND, NOTHING, SET, START, Attributes
from kanon_tui.core.kernels.boxes import count_bits, extent, int64, set_extent
from kanon_tui.core.kernels.partner_tree import (
    ALIVE,
    BEGIN,
    CHILD,
    END,
    FIRST_PLACE,
    LEAF,
    PARENT,
)
from kanon_tui.core.kernels.splitting_boxes import bit
from kanon_tui.core.kernels.splitting_leaves import divide_into_leaves
from kanon_tui.core.numeric import Floats, Int32s, Words

__all__ = [
    "GroupTree",
    "GroupTrees",
    "SignedSums",
    "new_group_trees",
    "remove_row",
    "tree_extent",
    "tree_row",
    "unlink_row",
    "write_rows",
]

REACH_LOW, REACH_HIGH = 0, 1  # last axis of `GroupTree.reach`
EARLIER, LATER = 0, 1  # last axis of `Links.rows`
FRESH = -1  # last column of `GroupTree.words` if there are long sets: those of new values


class SignedSums(NamedTuple):
    """Signed sums of the numbers of every row."""

    values: Floats  # rows of the table × sums
    begins: Int32s  # where the sums of each group of numbers begin, and the end
    stand_in: Floats  # per attribute the place of a missing number in its sums
    rounding: float  # no sum of differences is wrong by more


class Links(NamedTuple):
    """Rows that have the same value of a long set."""

    rows: Int32s  # rows of the table × long sets: the row before and the row after, -1: none
    heads: Int32s  # per value of all sets one more than the first row that has it, 0: none
    values: Int32s  # per long set how many values rows have


class GroupTree(NamedTuple):
    """Nodes of the tree; rows stand in the order of the leaves."""

    branches: Int32s  # nodes × the columns of `partner_tree`; FIRST_PLACE is the lowest row
    reach: Int32s  # nodes × attributes × lowest and highest value
    words: Words  # nodes × words: values of the sets, and FRESH
    items: Int32s  # rows, -1 where one has left
    leaf_of: Int32s  # per row of the table; groups share it
    links: Links  # of rows; the trees of a group share them
    sums: SignedSums  # of rows; groups share them
    sums_reach: Floats  # nodes × sums × lowest and highest
    stack: Int32s  # scratch for a search
    bounds: Floats


class GroupTrees(NamedTuple):
    """Both trees of a group."""

    near: GroupTree
    """Leaves have rows that lie together."""
    turns: GroupTree
    """Leaves have rows that follow one another in the table."""


def new_group_trees(
    attributes: Attributes,
    rows: Int32s,
    places: Floats,
    sums: SignedSums,
    scale: Floats,
    members: Int32s,
    leaf_of: Int32s,
    linked: Int32s,
    values: int,
) -> GroupTrees:
    """Trees over some distinct rows, rising, possibly none; `values` is how many all sets have.

    `places` has the rows as places or ranks, by which they are divided; `scale` says how much each
    attribute matters then. `leaf_of` has a line for each tree, which the trees of all groups share,
    and `linked` is room for the links of rows, shared as well.
    """
    links = Links(
        linked, np.zeros(values, dtype=np.int32), np.zeros(linked.shape[1], dtype=np.int32)
    )
    _link_rows(attributes, rows, members, links)
    items = members.copy()
    branches = np.zeros((max(1, 2 * len(items)), 6), dtype=np.int32)
    as_boxes = places.reshape(*places.shape, 1)
    count, depth = divide_into_leaves(attributes, as_boxes, scale, items, branches)
    branches_near = branches[:count].copy()
    near = _new_tree(attributes, rows, sums, items, branches_near, depth, leaf_of[0], links)
    count, depth = _halve(branches, len(items))
    items = members.copy()
    none = sums._replace(values=sums.values[:, :0].copy(), begins=sums.begins[:1])
    turns = _new_tree(
        attributes, rows, none, items, branches[:count].copy(), depth, leaf_of[1], links
    )
    return GroupTrees(near, turns)


def _new_tree(
    attributes: Attributes,
    rows: Int32s,
    sums: SignedSums,
    items: Int32s,
    branches: Int32s,
    depth: int,
    leaf_of: Int32s,
    links: Links,
) -> GroupTree:
    columns = 1 + max(0, int(attributes.facts[:, BITS].max())) + (links.rows.shape[1] > 0)
    tree = GroupTree(
        branches,
        np.zeros((len(branches), rows.shape[1], 2), dtype=np.int32),
        np.zeros((len(branches), columns), dtype=np.uint64),
        items,
        leaf_of,
        links,
        sums,
        np.zeros((len(branches), sums.values.shape[1], 2)),
        np.zeros(depth + 2, dtype=np.int32),
        np.zeros(depth + 2),
    )
    _fill_nodes(attributes, rows, tree)
    return tree


@kernel
def _halve(branches: Int32s, size: int) -> tuple[int, int]:
    """Divide so many rows into leaves as they stand; gives the number of nodes and the depth."""
    branches[0, BEGIN], branches[0, END] = 0, size
    branches[0, CHILD], branches[0, PARENT] = -1, -1
    count, node, depth = 1, 0, 1
    while node < count:
        begin, end = branches[node, BEGIN], branches[node, END]
        if end - begin > LEAF:
            branches[node, CHILD] = count
            branches[count : count + 2, BEGIN] = begin
            branches[count : count + 2, END] = end
            branches[count, END] = branches[count + 1, BEGIN] = (begin + end) // 2
            branches[count : count + 2, CHILD] = -1
            branches[count : count + 2, PARENT] = node
            count += 2
        node += 1
    node = count - 1  # the last is as deep as any
    while branches[node, PARENT] >= 0:
        node = int64(branches[node, PARENT])
        depth += 1
    return count, depth


@part_of_kernel
def _clear(tree: GroupTree, node: int) -> None:
    """A node without rows."""
    tree.branches[node, ALIVE], tree.branches[node, FIRST_PLACE] = 0, NOTHING
    for x in range(tree.reach.shape[1]):
        tree.reach[node, x, REACH_LOW], tree.reach[node, x, REACH_HIGH] = NOTHING, -1
    for word in range(tree.words.shape[1]):
        tree.words[node, word] = np.uint64(0)


@part_of_kernel
def _add_node(tree: GroupTree, node: int, i: int) -> None:
    """Add what a child knows to what its parent does."""
    branches, reach, words = tree.branches, tree.reach, tree.words
    branches[node, ALIVE] += branches[i, ALIVE]
    branches[node, FIRST_PLACE] = min(branches[node, FIRST_PLACE], branches[i, FIRST_PLACE])
    for x in range(reach.shape[1]):
        reach[node, x, REACH_LOW] = min(reach[node, x, REACH_LOW], reach[i, x, REACH_LOW])
        reach[node, x, REACH_HIGH] = max(reach[node, x, REACH_HIGH], reach[i, x, REACH_HIGH])
    for word in range(words.shape[1]):
        words[node, word] |= words[i, word]


@part_of_kernel
def _add_row(attributes: Attributes, rows: Int32s, tree: GroupTree, node: int, row: int) -> None:
    """Add what a row is to what its leaf knows."""
    branches, reach, facts = tree.branches, tree.reach, attributes.facts
    branches[node, ALIVE] += 1
    branches[node, FIRST_PLACE] = min(branches[node, FIRST_PLACE], row)
    for x in range(rows.shape[1]):
        value = rows[row, x]
        reach[node, x, REACH_LOW] = min(reach[node, x, REACH_LOW], value)
        reach[node, x, REACH_HIGH] = max(reach[node, x, REACH_HIGH], value)
        if facts[x, KIND] == SET:
            tree.words[node, facts[x, BITS]] |= bit(value)
            chain = facts[x, CHAIN]
            if chain >= 0 and tree.links.rows[row, chain, EARLIER] < 0:
                tree.words[node, FRESH] |= bit(chain)


@part_of_kernel
def _sum_up(attributes: Attributes, rows: Int32s, tree: GroupTree, node: int) -> None:
    """Work out what a node knows from its rows or its children."""
    _clear(tree, node)
    child = tree.branches[node, CHILD]
    if child >= 0:
        for i in range(child, child + 2):
            _add_node(tree, node, i)
        return
    for i in range(tree.branches[node, BEGIN], tree.branches[node, END]):
        if tree.items[i] >= 0:
            _add_row(attributes, rows, tree, node, tree.items[i])


@part_of_kernel
def _sum_up_sums(tree: GroupTree, node: int) -> bool:
    """Work out the lowest and highest sums of a node; were they others before?"""
    begin, end = tree.branches[node, BEGIN], tree.branches[node, END]
    child = tree.branches[node, CHILD]
    reach, values = tree.sums_reach, tree.sums.values
    changed = False
    for x in range(reach.shape[1]):
        low, high = np.inf, -np.inf
        if child >= 0:
            low = min(reach[child, x, REACH_LOW], reach[child + 1, x, REACH_LOW])
            high = max(reach[child, x, REACH_HIGH], reach[child + 1, x, REACH_HIGH])
        else:
            for i in range(begin, end):
                if tree.items[i] >= 0:
                    low = min(low, values[tree.items[i], x])
                    high = max(high, values[tree.items[i], x])
        if low != reach[node, x, REACH_LOW] or high != reach[node, x, REACH_HIGH]:
            reach[node, x, REACH_LOW], reach[node, x, REACH_HIGH] = low, high
            changed = True
    return changed


@kernel
def _link_rows(attributes: Attributes, rows: Int32s, members: Int32s, links: Links) -> None:
    """Link the rows of a group, from the last to the first."""
    facts, linked = attributes.facts, links.rows
    for x in range(rows.shape[1]):
        chain = facts[x, CHAIN]
        if chain < 0:
            continue
        for i in range(len(members) - 1, -1, -1):
            row = members[i]
            flag = facts[x, START] + rows[row, x]
            later = links.heads[flag] - 1
            linked[row, chain, EARLIER], linked[row, chain, LATER] = -1, later
            if later >= 0:
                linked[later, chain, EARLIER] = row
            else:
                links.values[chain] += 1
            links.heads[flag] = row + 1


@called_by_kernels
def unlink_row(attributes: Attributes, rows: Int32s, trees: GroupTrees, row: int) -> None:
    """Take a row, which is about to leave the trees, out of its links."""
    facts, links = attributes.facts, trees.near.links
    for x in range(rows.shape[1]):
        chain = facts[x, CHAIN]
        if chain < 0:
            continue
        earlier, later = links.rows[row, chain, EARLIER], links.rows[row, chain, LATER]
        if later >= 0:
            links.rows[later, chain, EARLIER] = earlier
        if earlier >= 0:
            links.rows[earlier, chain, LATER] = later
            continue
        links.heads[facts[x, START] + rows[row, x]] = later + 1
        if later < 0:
            links.values[chain] -= 1
            continue
        for tree in trees:
            node = int64(tree.leaf_of[later])
            while node >= 0:
                tree.words[node, FRESH] |= bit(chain)
                node = int64(tree.branches[node, PARENT])


@kernel
def _fill_nodes(attributes: Attributes, rows: Int32s, tree: GroupTree) -> None:
    """Work out what every node knows; children come after their parents."""
    branches = tree.branches
    for node in range(len(branches) - 1, -1, -1):
        _sum_up(attributes, rows, tree, node)
        _sum_up_sums(tree, node)
        if branches[node, CHILD] < 0:
            for i in range(branches[node, BEGIN], branches[node, END]):
                tree.leaf_of[tree.items[i]] = node


@called_by_kernels
def remove_row(attributes: Attributes, rows: Int32s, tree: GroupTree, row: int) -> None:
    """Take a row out of the tree."""
    branches = tree.branches
    node = int64(tree.leaf_of[row])
    for i in range(branches[node, BEGIN], branches[node, END]):
        if tree.items[i] == row:
            tree.items[i] = -1
    changed = True
    while node >= 0:
        _sum_up(attributes, rows, tree, node)
        if changed:
            changed = _sum_up_sums(tree, node)
        node = int64(branches[node, PARENT])


@inner_kernel
def tree_extent(attributes: Attributes, tree: GroupTree) -> float:
    """Extent of the box around all rows of the tree."""
    facts = attributes.facts
    total = 0.0
    for x in range(len(facts)):
        low, high = tree.reach[0, x, REACH_LOW], tree.reach[0, x, REACH_HIGH]
        if facts[x, KIND] == SET:
            count = count_bits(tree.words[0, facts[x, BITS]])
            if facts[x, CHAIN] >= 0:
                count = int64(tree.links.values[facts[x, CHAIN]])
            total += set_extent(attributes, x, count)
        else:
            total += extent(attributes, x, low, high)
    return total


@inner_kernel
def tree_row(turns: GroupTree, place: int) -> int:
    """The row at a place in the table's order, among the rows that are left."""
    branches = turns.branches
    node = 0
    while branches[node, CHILD] >= 0:
        node = int64(branches[node, CHILD])
        if place >= branches[node, ALIVE]:
            place -= int64(branches[node, ALIVE])
            node += 1
    for i in range(branches[node, BEGIN], branches[node, END]):
        if turns.items[i] >= 0:
            if place == 0:
                return int64(turns.items[i])
            place -= 1
    return NOTHING


@inner_kernel
def write_rows(turns: GroupTree, without: Int32s, order: Int32s, begin: int) -> None:
    """Write the rows that are left, rising, into the order; but `without` some, rising too."""
    place, left_out = begin, 0
    for row in turns.items:
        if left_out < len(without) and row == without[left_out]:
            left_out += 1
        elif row >= 0:
            order[place] = row
            place += 1
