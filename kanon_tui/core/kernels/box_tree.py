"""A tree of boxes over the distinct rows of a table, from which records can be taken.

Rows are divided again and again along the column in which they differ most, down to a few rows per
leaf. Every node has a box that says what its rows can be: per number the range and whether one is
missing, per flattened category (see `clustering.features`) a set of labels as 64 bits (label number
modulo 64, so with more labels it is a set of maybes); and the lowest record it still has. A search
leaves out a node when even the best row that fits its box would not do. Boxes shrink as records are
taken.

Building costs O(rows · (columns + log rows)), taking a record O(columns · log rows); memory is
linear in rows. It has no twin: those of the algorithms that search it look at every record.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.numeric import Flags, Floats, Int32s, Words

GONE = 2**31 - 1
"""In place of a record number: none is left. Larger than any."""


class Division(NamedTuple):
    """The weights by which rows are divided along categories."""

    labels: Int32s
    """Per row and category, from 0 upwards; labels with close numbers stay together."""
    weights: Floats
    """Per category what it is worth, in units of a number's domain, if all rows of a node differ in
    it, and if all agree but a few."""


@dataclass(frozen=True, eq=False)
class BoxTree(Struct):
    """Rows in tree order, each at its *position*, and nodes; children come after their parent."""

    row: Annotated[Int32s, reads("rows")]
    """Per position the row of the table it came from."""
    places: Annotated[Floats, reads("rows", "numbers")]
    """Per position and number."""
    labels: Annotated[Int32s, reads("rows", "categories")]
    """Per position and category."""
    record: Annotated[Int32s, writes("rows")]
    """Per position the lowest record that is left of its row, or GONE."""
    leaf: Annotated[Int32s, writes("rows")]
    """Per position the node it is in."""
    start: Annotated[Int32s, reads("nodes")]
    """Per node where its positions start."""
    end: Annotated[Int32s, reads("nodes")]
    """Per node where its positions end."""
    child: Annotated[Int32s, reads("nodes")]
    """Per node the first of its two children, -1 for none; the second is the next node."""
    parent: Annotated[Int32s, reads("nodes")]
    """Per node its parent, -1 for none."""
    first: Annotated[Int32s, writes("nodes")]
    """Per node the lowest record that is left; GONE: the node is empty, its box means nothing."""
    low: Annotated[Floats, writes("nodes", "numbers")]
    """Per node and number the lowest place; inf where all are missing."""
    high: Annotated[Floats, writes("nodes", "numbers")]
    """Per node and number the highest place; -inf where all are missing."""
    blank: Annotated[Flags, writes("nodes", "numbers")]
    """Per node and number: one is missing."""
    sets: Annotated[Words, writes("nodes", "categories")]
    """Per node and category the labels in it."""


@dataclass(frozen=True, eq=False)
class TreeGrowth(Struct):
    """The rows that a tree grows from, its nodes before they have boxes, and scratch memory."""

    places: Annotated[Floats, reads("rows", "numbers")]
    labels: Annotated[Int32s, reads("rows", "categories")]
    """Per row and category the label by which rows are divided, as in a `Division`."""
    weights: Annotated[Floats, reads("categories", 2)]
    """Per category how much it matters, as in a `Division`."""
    row: Annotated[Int32s, writes("rows")]
    start: Annotated[Int32s, writes("nodes")]
    end: Annotated[Int32s, writes("nodes")]
    child: Annotated[Int32s, writes("nodes")]
    parent: Annotated[Int32s, writes("nodes")]
    waiting: Annotated[Int32s, writes("nodes")]
    values: Annotated[Floats, writes("rows")]
    spare: Annotated[Int32s, writes("rows")]
    counts: Annotated[Int32s, writes("counts")]
    """Per label of any category; all 0 between two counts."""


def grow_tree(
    places: Floats,
    labels: Int32s,
    division: Division,
    records: Int32s,
    along: Floats | None = None,
) -> BoxTree:
    """Return the tree over all rows of these tables; `records` has the lowest record of every row.

    Nodes are divided along the numbers of `along`, if given, and not along those that boxes know.
    """
    growth = TreeGrowth.allocate(
        places=places if along is None else along,
        labels=division.labels,
        weights=division.weights,
        row=np.arange(len(places), dtype=np.int32),
        nodes=2 * len(places) + 1,  # a division leaves rows on both sides
        counts=division.labels.max(initial=0) + 1,
    )
    nodes = divide_rows(growth)
    row = growth.row
    tree = BoxTree.allocate(
        row=row,
        places=places[row],
        labels=labels[row],
        record=records[row],
        start=growth.start[:nodes].copy(),
        end=growth.end[:nodes].copy(),
        child=growth.child[:nodes].copy(),
        parent=growth.parent[:nodes].copy(),
    )
    fit_boxes(tree)
    return tree


@c_function
def divide_rows(growth: TreeGrowth) -> int:
    """Divide all rows into a tree and return how many nodes it has; boxes are not set.

    Nodes of a branch stand together, so that a search finds them close together in memory.
    """


@c_function
def fit_boxes(tree: BoxTree) -> None:
    """Set the box of every node, and the leaf of every position."""


@c_function
def take(tree: BoxTree, position: int, next_record: int) -> None:
    """Take a record; `next_record` is the next one of the same row, or GONE."""
