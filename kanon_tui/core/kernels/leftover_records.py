"""Records left over by similarity-based clustering: how far they are from the clusters made.

Any of them was there when a cluster was made, so their distance is the one they had then. The
contingency table is brought back to that moment, cluster by cluster, the last one first.

Costs one pass over all values per cluster. The twin in `tests/core/algorithms/twins/similarity.py`
counts the records again for every cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.box_tree_numba import BoxTreeTuple
from kanon_tui.core.kernels.cluster_centre import Centre, add_to_centre, start_centre
from kanon_tui.core.kernels.contingency import Contingency, count, measure
from kanon_tui.core.kernels.similarity import Growth
from kanon_tui.core.kernels.ties import first_of_smallest
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

__all__ = [
    "LeftoverDistances",
    "join_nearest_cluster",
    "measure_leftovers",
    "new_leftover_distances",
]

_WORK_PER_CALL = 1_000_000  # values and records looked at before a call returns


class LeftoverDistances(NamedTuple):
    """Distances of the records left over from every cluster, in parts."""

    place: Floats
    """Left-over records × numbers."""
    value: Int64s
    """Left-over records × categories, as `Centre` counts values."""
    total: Floats
    """Clusters × numbers: sum and number of the places their centre is the mean of."""
    terms: Int64s
    blank: Flags
    """Clusters × numbers: a missing one is at distance 0."""
    category: Floats
    """Clusters × left-over records × categories."""


def new_leftover_distances(
    tree: BoxTreeTuple, centre: Centre, positions: Int32s, clusters: int
) -> LeftoverDistances:
    """Room for the distances of records, given by their positions in the tree."""
    place, labels = tree.places[positions], tree.labels[positions]
    return LeftoverDistances(
        place,
        labels + centre.offsets[:-1],
        np.zeros((clusters, place.shape[1])),
        np.zeros((clusters, place.shape[1]), dtype=np.int64),
        np.zeros((clusters, place.shape[1]), dtype=np.bool_),
        np.zeros((clusters, *labels.shape)),
    )


@kernel
def measure_leftovers(
    tree: BoxTreeTuple,
    table: Contingency,
    centre: Centre,
    growth: Growth,
    leftovers: LeftoverDistances,
    k: int,
    spatial: bool,
    cluster: int,
) -> int:
    """Measure the records left over from the centres of the clusters before this one, backwards.

    Once the records of a cluster are counted again, the table is as it was when that was started.
    Returns the cluster it came to.
    """
    work = 0
    while cluster > 0 and work < _WORK_PER_CALL:
        cluster -= 1
        members = growth.members[cluster * k : cluster * k + k]
        for record in members:
            count(table, growth.row[record], 1)
        row = growth.row[members[0]]
        measure(table, row, k, spatial, centre.distance)
        start_centre(tree, growth.position[row], table, centre)
        if spatial:
            for record in members[1:]:
                add_to_centre(tree, growth.position[growth.row[record]], centre)
        for x in range(len(centre.total)):
            leftovers.total[cluster, x] = centre.total[x]
            leftovers.terms[cluster, x] = centre.terms[x]
            leftovers.blank[cluster, x] = centre.blank[x]
        for i in range(len(leftovers.value)):
            for y in range(leftovers.value.shape[1]):
                leftovers.category[cluster, i, y] = centre.distance[leftovers.value[i, y]]
        work += len(centre.distance) + k + leftovers.value.size
    return cluster


@inner_kernel
def _distance(leftovers: LeftoverDistances, i: int, c: int) -> float:
    """How far a left-over record is from the centre of a cluster."""
    total = 0.0
    for x in range(leftovers.place.shape[1]):
        place, terms = leftovers.place[i, x], leftovers.terms[c, x]
        if np.isnan(place):
            total += 0.0 if leftovers.blank[c, x] else 1.0
        else:
            total += abs(place - leftovers.total[c, x] / terms) if terms > 0 else 1.0
    for y in range(leftovers.value.shape[1]):
        total += leftovers.category[c, i, y]
    return total


@inner_kernel
def _take_part(leftovers: LeftoverDistances, i: int, c: int) -> None:
    """Let a left-over record take part in the centre of a cluster."""
    for x in range(leftovers.place.shape[1]):
        place = leftovers.place[i, x]
        if np.isnan(place):
            leftovers.blank[c, x] = True
        else:
            leftovers.total[c, x] += place
            leftovers.terms[c, x] += 1
    for y in range(leftovers.value.shape[1]):
        for other in range(len(leftovers.value)):
            if leftovers.value[other, y] == leftovers.value[i, y]:
                leftovers.category[c, other, y] = 0.0


@kernel
def join_nearest_cluster(leftovers: LeftoverDistances, i: int, spatial: bool) -> tuple[int, float]:
    """The cluster whose centre is nearest to a left-over record, of equals the first; its distance.

    With `spatial` the record takes part in that centre from now on.
    """
    distances = np.empty(len(leftovers.total))
    for c in range(len(distances)):
        distances[c] = _distance(leftovers, i, c)
    c = first_of_smallest(distances)
    if spatial:
        _take_part(leftovers, i, c)
    return c, distances[c]
