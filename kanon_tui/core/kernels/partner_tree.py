"""A tree over clusters, in which `merging.cheapest_partner` finds the best partner of one.

A leaf holds a few clusters that lie together, an inner node what its two children hold. Every node
knows, per attribute, what all boxes below it have in common (ALL_…, ALL_WORDS: the highest LOW
and the lowest HIGH, the values and rule sides that everyone has) and what some box has (SOME_…,
SOME_WORDS). After a merge only nodes above the two clusters change, and few of these: those up to
the first for which nothing is different.

Nodes are numbered depth first: those of a branch stand together, and so do its clusters. Clusters
get their turn in the order of the table, so that every search is in another part of the tree; what
it looks at there is a few runs of memory.

Building costs O(clusters · attributes · log clusters), a change O(attributes · log clusters).
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_arrays import Attributes, BoxClusters
from kanon_tui.core.numeric import Floats, Int32s, Int64s, Words

LEAF = 8
"""The most clusters of a leaf."""
MOST_SHARERS = 4096
"""The most clusters that one search tries because of rare values."""

# Columns of `PartnerTree.branches`. BEGIN, END: its clusters. CHILD: its first child, the second
# comes next; -1 for a leaf. PARENT: -1 for the root. ALIVE: what is left below it (only counted in
# the trees of `splitting_tree`). FIRST_PLACE: lowest place in the list of clusters, NOTHING where
# none is left.
BEGIN, END, CHILD, PARENT, ALIVE, FIRST_PLACE = range(6)

# Last axis of `PartnerTree.reach`. ALL_LOW: highest LOW of a box, ALL_HIGH: lowest HIGH. Only asked
# for by costs of a release: SOME_LOW: lowest LOW, SOME_HIGH: highest HIGH; LEAST_SHOWN: fewest
# records with a cell that is not hidden; LEAST_HIDE: least that hiding a whole cluster adds to D.
ALL_LOW, ALL_HIGH, SOME_LOW, SOME_HIGH, LEAST_SHOWN, LEAST_HIDE = range(6)

# Middle axis of `PartnerTree.words`: bits that all boxes have, and bits that some box has.
ALL_WORDS, SOME_WORDS = range(2)


@dataclass(frozen=True, eq=False)
class PartnerTree(Struct):
    """Nodes of the tree; clusters stand in the order of the leaves."""

    branches: Annotated[Int32s, writes("nodes", 6)]
    """BEGIN to FIRST_PLACE."""
    reach: Annotated[Floats, writes("nodes", "attributes", "known")]
    """ALL_LOW and ALL_HIGH, or as far as LEAST_HIDE."""
    words: Annotated[Words, writes("nodes", 2, "words")]
    """ALL_WORDS and SOME_WORDS."""
    leaf_of: Annotated[Int32s, writes("clusters")]
    rare_starts: Annotated[Int32s, reads("_")]
    """Per value of all sets where its rows begin in `rare_rows`, if it is rare."""
    rare_rows: Annotated[Int32s, reads("_")]
    owner: Annotated[Int32s, writes("rows")]
    """Per distinct row its cluster."""
    heap: Annotated[Int32s, writes("nodes")]
    """Scratch for a search: nodes to visit, the lowest key first."""
    keys: Annotated[Floats, writes("nodes")]
    candidates: Annotated[Int32s, writes("candidates")]
    """Scratch: clusters to try, those that share a rare value, then those of a leaf."""
    alone: Annotated[Int64s, writes("attributes")]
    """Scratch: values of which all clusters that share them are candidates."""


class Leaves(NamedTuple):
    """The result of `divide_into_leaves`."""

    nodes: int
    depth: int


@c_function
def divide_into_leaves(
    attributes: Attributes,
    boxes: Annotated[Floats, reads("_", "attributes", "_")],
    columns: int,
    scale: Annotated[Floats, reads("attributes")],
    order: Annotated[Int32s, writes("_")],
    branches: Annotated[Int32s, writes("_", 6)],
) -> Leaves:
    """Sort boxes into leaves; return the number of nodes and the depth of the tree.

    `order` holds the boxes and ends in the order of the leaves; `branches` has room for twice as
    many nodes and gets BEGIN, END, CHILD and PARENT of each; `scale` is the price of extent. Sets
    are divided by the first so many columns of their box, all else by the first.
    """


@c_function
def fill_nodes(attributes: Attributes, clusters: BoxClusters, tree: PartnerTree) -> None:
    """Fill in the bounds that every node keeps of the boxes below it."""


@c_function
def refresh(attributes: Attributes, clusters: BoxClusters, tree: PartnerTree, c: int) -> None:
    """Bring the nodes above a cluster up to date."""
