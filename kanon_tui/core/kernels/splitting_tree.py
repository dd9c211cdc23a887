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
"""

from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import numpy as np

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_arrays import BITS, Attributes
from kanon_tui.core.kernels.partner_tree import Leaves, divide_into_leaves
from kanon_tui.core.numeric import Floats, Int32s, Words

REACH_LOW, REACH_HIGH = 0, 1  # last axis of `GroupTree.reach` and `GroupTree.sums_reach`
EARLIER, LATER = 0, 1  # last axis of `RowLinks.rows`
FRESH = -1  # last column of `GroupTree.words` if there are long sets: those of new values


@dataclass(frozen=True, eq=False)
class PricedRows(Struct):
    """The distinct rows of the table."""

    attributes: Attributes
    values: Annotated[Int32s, reads("rows", "attributes")]
    """Codes, or ranks of a tree; equal where nothing is lost between them."""
    counts: Annotated[Int32s, reads("rows")]
    """Records that are this row."""


@dataclass(frozen=True, eq=False)
class SignedSums(Struct):
    """Signed sums of the numbers of every row."""

    values: Annotated[Floats, reads("rows", "sums")]
    begins: Annotated[Int32s, reads("_")]
    """Where the sums of each group of numbers begin, and the end."""
    stand_in: Annotated[Floats, reads("attributes")]
    """The place of a missing number in its sums."""
    rounding: float
    """No sum of differences is wrong by more."""


@dataclass(frozen=True, eq=False)
class RowLinks(Struct):
    """Rows of a group that have the same value of a long set."""

    rows: Annotated[Int32s, writes("rows", "long_sets", 2)]
    """The row before and the row after, -1: none."""
    heads: Annotated[Int32s, writes("values")]
    """Per value of all sets one more than the first row that has it, 0: none."""
    values: Annotated[Int32s, writes("long_sets")]
    """How many values rows have."""


@dataclass(frozen=True, eq=False)
class GroupTree(Struct):
    """Nodes of a tree; rows stand in the order of the leaves."""

    branches: Annotated[Int32s, writes("nodes", 6)]
    """The columns of `partner_tree`; FIRST_PLACE is the lowest row."""
    reach: Annotated[Int32s, writes("nodes", "attributes", 2)]
    """Lowest and highest value."""
    words: Annotated[Words, writes("nodes", "words")]
    """Values of the sets, and FRESH."""
    items: Annotated[Int32s, writes("_")]
    """Rows, -1 where one has left."""
    leaf_of: Annotated[Int32s, writes("_")]
    """Per row of the table; groups share it."""
    links: RowLinks
    """Of the group; both trees share them."""
    sums: SignedSums
    """Of all rows; groups share them."""
    sums_reach: Annotated[Floats, writes("nodes", "signed", 2)]
    """Lowest and highest of every signed sum."""
    stack: Annotated[Int32s, writes("depth")]
    """Stack of nodes that a search has yet to visit."""
    bounds: Annotated[Floats, writes("depth")]
    """Per node on the stack the least score that one of its rows may have."""


@dataclass(frozen=True, eq=False)
class GroupTrees(Struct):
    """Both trees of a group."""

    near: GroupTree
    """Leaves have rows that lie together."""
    turns: GroupTree
    """Leaves have rows that follow one another in the table."""


class TreeRoom(NamedTuple):
    """The arrays that the trees of all groups share."""

    table: PricedRows
    places: Floats
    """Rows × attributes as places or ranks, by which rows are divided."""
    scale: Floats
    """Per attribute how much it matters then."""
    sums: SignedSums
    leaf_of: Int32s
    """Trees × rows."""
    linked: Int32s
    """Rows × long sets × row before and row after."""
    set_values: int
    """How many values all sets have."""


@c_function
def link_rows(table: PricedRows, members: Annotated[Int32s, reads("_")], links: RowLinks) -> None:
    """Link the rows of a group that have the same value of a long set."""


@c_function
def fill_nodes(table: PricedRows, tree: GroupTree) -> None:
    """Fill in the bounds that every node keeps of its rows, and the leaf of every row."""


def new_group_trees(room: TreeRoom, members: Int32s) -> GroupTrees:
    """Return the trees over some distinct rows, rising, possibly none."""
    links = RowLinks.allocate(rows=room.linked, values=room.set_values)
    link_rows(room.table, members, links)
    near_order = members.copy()
    turns_order = members.copy()
    branches = np.zeros((max(1, 2 * len(members)), 6), dtype=np.int32)
    as_boxes = room.places[:, :, np.newaxis]
    attributes = room.table.attributes
    leaves = divide_into_leaves(attributes, as_boxes, 1, room.scale, near_order, branches)
    near = _new_tree(room.table, room.sums, near_order, branches, leaves, room.leaf_of[0], links)
    no_sums = replace(room.sums, values=room.sums.values[:, :0].copy(), begins=room.sums.begins[:1])
    as_they_stand = as_boxes[:, :0].copy()  # without attributes, rows are halved
    leaves = divide_into_leaves(attributes, as_they_stand, 1, room.scale[:0], turns_order, branches)
    turns = _new_tree(room.table, no_sums, turns_order, branches, leaves, room.leaf_of[1], links)
    return GroupTrees(near, turns)


def _new_tree(
    table: PricedRows,
    sums: SignedSums,
    items: Int32s,
    branches: Int32s,
    leaves: Leaves,
    leaf_of: Int32s,
    links: RowLinks,
) -> GroupTree:
    tree = GroupTree.allocate(
        branches=branches[: leaves.nodes].copy(),
        attributes=table.values.shape[1],
        words=set_columns(table.attributes) + (len(links.values) > 0),
        items=items,
        leaf_of=leaf_of,
        links=links,
        sums=sums,
        signed=sums.values.shape[1],
        depth=leaves.depth + 2,
    )
    fill_nodes(table, tree)
    return tree


def set_columns(attributes: Attributes) -> int:
    """Return how many words the values of sets take, at least one."""
    return 1 + max(0, int(attributes.facts[:, BITS].max()))
