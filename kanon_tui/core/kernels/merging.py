"""Merging clusters until all have k records: the cost of a merge, the best partner, the loop.

Every objective is a cost that is a sum of terms ≥ 0, one per attribute, so that a sum can be given
up as soon as it is too high. With E the extent of the union and D the sum of records × span over
all clusters:

- `EXTENT` (bottom-up, euclidean): E.
- `RELEASE` (udc): w·n/D − w·n/D(after)·DR, which is what the attribute's research value loses; the
  highest score has the lowest loss.
- `CLUSTER` (udc, objective cluster): w − w/span·DR of the merged cluster.
- `SUPPRESS` (udc-suppress): as `RELEASE`, but per attribute the cells of one of the two sides may
  be hidden, where that loses less.
- `SUPPRESS_CLUSTER` (udc-suppress, objective cluster): as `CLUSTER`, with the mean extent of the
  union, in which a hidden cell counts the domain. No bound is known: every cluster is tried.

With a rule emphasis f other than ½ a product G · DR is G^(2(1−f)) · DR^(2f). Terms stay ≥ 0, rise
with D and the span and fall with DR, which is what all bounds rest on.

A merge costs one search for a partner and what changes in the tree above the two clusters.
`algorithms/twins/merging.py` scores every pair from the values of its records.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_arrays import Attributes, BoxClusters, ClusterList
from kanon_tui.core.kernels.partner_tree import PartnerTree
from kanon_tui.core.numeric import Flags, Floats, Int32s

EXTENT, RELEASE, CLUSTER, SUPPRESS, SUPPRESS_CLUSTER = range(5)
HIDE_NONE = 0
HIDE_SMALL = 1
HIDE_OTHER = 2


@dataclass(frozen=True, eq=False)
class MergeState(Struct):
    """The clusters, and the objective by which merges are chosen."""

    attributes: Attributes
    clusters: BoxClusters
    load: Annotated[Floats, writes("attributes")]
    """Per attribute Σ records · extent over all clusters, hidden cells included."""
    kept: Annotated[Floats, writes("attributes")]
    """Per attribute Σ records · DR over all clusters."""
    records: int
    mode: int
    """EXTENT to SUPPRESS_CLUSTER."""


class Partner(NamedTuple):
    """The cluster that another is best merged with."""

    cluster: int
    cost: float
    side: int
    """The side that hides cells: HIDE_NONE, HIDE_SMALL (the one that was asked for) or HIDE_OTHER
    (the partner)."""
    tried: int
    """How many boxes were looked at."""


@c_function
def cheapest_partner(state: MergeState, tree: PartnerTree, a: int) -> Partner:
    """Return the cluster to merge cluster a with.

    The answer is that of trying all: the lowest cost, and among those less than `TIE` above it the
    cluster that comes first in the list. In the worst case all of them are tried, on data a few
    dozen.
    """


@c_function
def next_small(clusters: BoxClusters, listed: ClusterList, turn: int, k: int) -> int:
    """Return the next place in the list that has a cluster under k; its end if none has.

    With turns (`turn` > 0), a cluster that was part of a merge in this turn waits for the next.
    """


@c_function
def union_extents(
    state: MergeState,
    a: int,
    b: int,
    side: int,
    wide: Annotated[Floats, writes("attributes")],
    hidden: Annotated[Flags, writes("attributes")],
) -> None:
    """Fill in the extents of the union of two clusters if nothing were hidden.

    `hidden` gets the attributes that a merge hides which may hide cells of this side.
    """


@c_function
def advance(
    state: MergeState, tree: PartnerTree, listed: ClusterList, turn: int, k: int, decisions: int
) -> int:
    """Make up to `decisions` merges and return how many were made.

    The call ends early when PATIENCE is, because a new tree is then worth its while.
    """


@c_function
def merge_into(state: MergeState, into: Annotated[Int32s, reads("clusters")]) -> None:
    """Merge every cluster into the one that `into` names, which may be itself, in their order."""


@c_function
def hide_cells(
    state: MergeState, hidden: Annotated[Flags, reads("clusters", "attributes")]
) -> None:
    """Hide cells of clusters that are one row each."""


@c_function
def costs_with(state: MergeState, a: int, costs: Annotated[Floats, writes("clusters")]) -> None:
    """Write the cost of merging cluster a with every cluster to `costs`, merged ones included."""


@c_function
def power(x: float, y: float) -> float:
    """Return x raised to y, for x ≥ 0 and y from 0 to 2, with the same bits on every machine."""
