"""Similarity-based clustering's inner loop: start a cluster, let the nearest join it, close it.

A cluster costs one pass over all values (`cluster_centre`) and its searches in a tree of boxes. A
search leaves out a node when no row that fits its box can be near enough; in the worst case every
row is looked at. Distances less than TIE above the smallest one count as equal, and of equals the
lowest record is the nearest. A centre that stays is searched once for all records of its cluster;
one that moves is searched twice for each record, for the smallest distance and for the lowest
record.

Any record left over was there when a cluster was made, so its distance is the one it had then. The
contingency table is brought back to that moment, cluster by cluster, the last one first; that costs
one pass over all values per cluster.

The twin in `algorithms/twins/similarity.py` measures every record, and counts the
records again for every cluster.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_tree import BoxTree
from kanon_tui.core.kernels.cluster_centre import Centre, Contingency
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

CLUSTER_STARTED, CLUSTER_GROWN, CLUSTER_CLOSED = range(3)

# What `Growth.state` holds: the place in the order from which on records may be left, how many
# clusters are closed, and the size of the one that grows.
PLACE_IN_ORDER, CLUSTERS_CLOSED, GROWING_SIZE = range(3)


@dataclass(frozen=True, eq=False)
class NearestSearch(Struct):
    """Arrays for a search, and its result."""

    node: Annotated[Int32s, writes("waiting")]
    """Stack of nodes still to be looked at."""
    bound: Annotated[Floats, writes("waiting")]
    """Per node on the stack the smallest distance that its rows can have."""
    best: Annotated[Floats, writes("records")]
    """The smallest distances of so many records, as a heap with the largest on top."""
    found: Annotated[Int32s, writes("rows")]
    """Positions of the rows found."""
    away: Annotated[Floats, writes("rows")]
    """Distances of the rows found."""
    count: Annotated[Int64s, writes(1)]
    """How many rows are found."""


@dataclass(frozen=True, eq=False)
class Growth(Struct):
    """The clusters so far."""

    order: Annotated[Int32s, reads("records")]
    """All records, as sorted."""
    row: Annotated[Int32s, reads("records")]
    """Per record its row."""
    position: Annotated[Int32s, reads("rows")]
    """Per row its position in the tree."""
    records: Annotated[Int32s, reads("records")]
    """Record numbers, those of row 0 first, rising inside each row."""
    end: Annotated[Int32s, reads("rows")]
    """Per row where its records end in `records`."""
    left: Annotated[Int32s, writes("rows")]
    """Per row how many of its records, the last ones, are left."""
    members: Annotated[Int32s, writes("records")]
    """Records in the order in which they joined, k per cluster."""
    labels: Annotated[Int32s, writes("records")]
    """Per record its cluster; -1 without one."""
    state: Annotated[Int64s, writes(3)]
    """PLACE_IN_ORDER, CLUSTERS_CLOSED, GROWING_SIZE."""


class Grown(NamedTuple):
    """The result of a call of `advance`."""

    decided: int
    kind: int
    """The last decision: CLUSTER_STARTED, CLUSTER_GROWN or CLUSTER_CLOSED."""
    away: float
    """The distance of the last record that joined."""


@c_function
def advance(
    tree: BoxTree,
    table: Contingency,
    centre: Centre,
    search: NearestSearch,
    growth: Growth,
    k: int,
    spatial: bool,
    decisions: int,
) -> Grown:
    """Make up to `decisions` decisions: start a cluster, let a record join it, close it."""


@dataclass(frozen=True, eq=False)
class LeftoverDistances(Struct):
    """Distances of the records left over from every cluster, in parts."""

    place: Annotated[Floats, reads("leftovers", "numbers")]
    value: Annotated[Int64s, reads("leftovers", "categories")]
    """As `Centre` counts values."""
    total: Annotated[Floats, writes("clusters", "numbers")]
    """Sum and number of the places their centre is the mean of."""
    terms: Annotated[Int64s, writes("clusters", "numbers")]
    blank: Annotated[Flags, writes("clusters", "numbers")]
    """A missing one is at distance 0."""
    category: Annotated[Floats, writes("clusters", "leftovers", "categories")]


@c_function
def measure_leftovers(
    tree: BoxTree,
    table: Contingency,
    centre: Centre,
    growth: Growth,
    leftovers: LeftoverDistances,
    k: int,
    spatial: bool,
    cluster: int,
) -> int:
    """Measure the records left over from the centres of the clusters before this one, backwards.

    Returns the cluster it came to.
    """
