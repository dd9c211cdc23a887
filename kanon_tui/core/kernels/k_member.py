"""Greedy k-member clustering's inner loop: start clusters, grow them, let the last records join.

Scores are compared as *extra width*, the growth of Σ ranges + Σ heights. The information loss of a
cluster of s records grows by (s + 1) · (width + extra) − s · width: the order is the same, and TIE
is divided by s + 1.

With `MemberSearch.squared` it is d², the squared distance from the mean of the cluster, whose
squared differences from the mean then grow by d² · s / (s + 1), and the furthest row is the one at
the largest squared distance. There are numbers only, and none is missing.

A record costs one search, for the furthest row or the cheapest row, and a record left over one look
at every cluster. Both searches look for the smallest score in a tree of boxes (`box_tree`): depth
first, the more promising child first, leaving out every node whose box cannot hold anything better.
The bound of a box is summed in the same order as the score of a row, and no term of it is larger,
so rounding cannot make it wrong. Only numbers of the furthest row are bounded in another way, by
the signed sums of `clustering.diagonals`, with room for rounding.

The winner is, of all records whose score is less than a tie above the smallest, the one with the
lowest number, so the order of visits does not matter. A node that could only tie is left out when
its records come after the best so far. That is exact unless scores creep below one another in steps
smaller than a tie; then the search is repeated with the smallest score known.

Rows with a rare label of the cluster are listed, and looked at before: in the tree that label
counts as one that nobody has (`clustering.rare_values`).

In the worst case every row is looked at, as the twin in `algorithms/twins/k_member.py`
does.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_tree import BoxTree
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s, Words

MIXED_LABEL = -1
"""In place of a label: the records of a cluster have several."""

AT_WORK, LAST_ADDED, REMAINING, MAJORITY = range(4)
"""Places in `MemberGrowth.state`: the cluster at work, the position of the last record added, how
many records remain, and the class label that most records of the cluster have."""


@dataclass(frozen=True, eq=False)
class MemberClusters(Struct):
    """The boxes and sizes of all clusters; the last one may be growing."""

    low: Annotated[Floats, writes("clusters", "numbers")]
    """Per cluster and number the lowest place; inf where all are missing. Squared: the mean."""
    high: Annotated[Floats, writes("clusters", "numbers")]
    """Per cluster and number the highest place; -inf where all are missing. Squared: the mean."""
    blank: Annotated[Flags, writes("clusters", "numbers")]
    """Per cluster and number: one is missing."""
    labels: Annotated[Int32s, writes("clusters", "categories")]
    """Per cluster and category the label all its records have, or MIXED_LABEL."""
    size: Annotated[Int64s, writes("clusters")]
    width: Annotated[Floats, writes("clusters")]
    """Σ ranges + Σ heights, so that IL = size · width."""
    growths: Annotated[Floats, writes("clusters")]
    """Scratch memory: by how much the loss of each would grow."""


@dataclass(frozen=True, eq=False)
class MemberSearch(Struct):
    """The arrays that searches read, and scratch memory for columns that can widen a cluster."""

    tree: BoxTree
    squared: bool
    """Whether squared distances from the mean count, not ranges."""
    weights: Annotated[Floats, reads("categories")]
    """What mixed labels cost per category; 0: the class label."""
    shared: Annotated[Int32s, reads("categories")]
    """Per category so many bits of a set, the first, stand for more than one label each."""
    again: Annotated[Int32s, reads("categories")]
    """Per category the one, of weight 0, that has better bits for labels that share theirs; itself
    where there is none."""
    sums: Annotated[Int32s, reads("_")]
    """Where the signed sums of each group of numbers begin, and the end."""
    stand_in: Annotated[Floats, reads("numbers")]
    """Per number the place of a missing one in these sums."""
    begins: Annotated[Int32s, reads("categories+1")]
    """Per category where its labels begin in `starts`."""
    starts: Annotated[Int32s, reads("_")]
    """Per label where its rows begin in `rows`; a frequent label has none."""
    rows: Annotated[Int32s, reads("_")]
    """Positions of the rows with rare labels."""
    columns: Annotated[Int32s, writes("numbers")]
    """Which number each line below is about."""
    lines: Annotated[Floats, writes("numbers", 4)]
    """What a place costs by its distance to a range, and a missing one."""
    marks: Annotated[Int32s, writes("categories", 3)]
    """Per mark a category, the one that has its bit, and the label that costs nothing there."""
    costs: Annotated[Floats, writes("categories")]
    """Per mark what another label costs."""
    bits: Annotated[Words, writes("categories")]
    """Per mark the bit of its label in the boxes; none where the rows that have it are listed."""
    node: Annotated[Int32s, writes("nodes")]
    """Stack of nodes to visit."""
    bound: Annotated[Floats, writes("nodes")]
    """Per node on the stack the lowest score that its rows can have."""


@dataclass(frozen=True, eq=False)
class MemberGrowth(Struct):
    """The clusters of one table under construction."""

    clusters: MemberClusters
    records: Annotated[Int32s, reads("_")]
    """`records[begin[row] : end[row]]` are the records that are left of a row."""
    begin: Annotated[Int32s, writes("rows")]
    end: Annotated[Int32s, reads("rows")]
    k: int
    penalty: float
    """What a class label other than the majority's costs."""
    class_counts: Annotated[Int64s, writes("_")]
    """How many records of the cluster have each label of the last category; empty when that is no
    class label."""
    state: Annotated[Int64s, writes(4)]
    """What the constants above name."""


class FoundRow(NamedTuple):
    """The winner of a search."""

    position: int
    score: float
    """Extra width, or minus the distance."""
    visits: int
    """Nodes and rows that were looked at."""


class GrownClusters(NamedTuple):
    """The result of a call of `advance`."""

    decided: int
    growth: float
    """Of information loss."""
    score: float
    """Of the last decision: distance of a start, growth of a join."""


class Joined(NamedTuple):
    """The cluster that a record joined, and the growth of information loss."""

    cluster: int
    growth: float


@c_function
def find_furthest(search: MemberSearch, origin: int) -> FoundRow:
    """Return the row furthest from the one at a position."""


@c_function
def find_cheapest(search: MemberSearch, clusters: MemberClusters, c: int) -> FoundRow:
    """Return the row that widens cluster c least, whatever its class label."""


@c_function
def advance(
    search: MemberSearch, growth: MemberGrowth, chosen: Annotated[Int32s, writes("_")]
) -> GrownClusters:
    """Fill `chosen` with the records of the next decisions: each starts a cluster or joins one.

    There may be fewer decisions than it has room for.
    """


@c_function
def join_cheapest(search: MemberSearch, clusters: MemberClusters, position: int) -> Joined:
    """Let the row at a position join the cluster whose information loss grows least."""
