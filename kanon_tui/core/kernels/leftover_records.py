"""Records left over by similarity-based clustering: how far they are from the clusters made.

Any of them was there when a cluster was made, so their distance is the one they had then. The
contingency table is brought back to that moment, cluster by cluster, the last one first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_tree import BoxTree
from kanon_tui.core.kernels.cluster_centre import Centre, aim, move
from kanon_tui.core.kernels.contingency import Contingency, count, measure
from kanon_tui.core.kernels.similarity import Growth
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s

__all__ = ["LeftOver", "join", "new_left_over", "recall"]

_WORK_PER_CALL = 1_000_000  # values and records looked at before a call returns


class LeftOver(NamedTuple):
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


def new_left_over(tree: BoxTree, centre: Centre, positions: Int32s, clusters: int) -> LeftOver:
    """Room for the distances of records, given by their positions in the tree."""
    place, labels = tree.places[positions], tree.labels[positions]
    return LeftOver(
        place,
        labels + centre.offsets[:-1],
        np.zeros((clusters, place.shape[1])),
        np.zeros((clusters, place.shape[1]), dtype=np.int64),
        np.zeros((clusters, place.shape[1]), dtype=np.bool_),
        np.zeros((clusters, *labels.shape)),
    )


@kernel
def recall(
    tree: BoxTree,
    table: Contingency,
    centre: Centre,
    growth: Growth,
    left_over: LeftOver,
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
        aim(tree, growth.position[row], table, centre)
        if spatial:
            for record in members[1:]:
                move(tree, growth.position[growth.row[record]], centre)
        left_over.total[cluster] = centre.total
        left_over.terms[cluster] = centre.terms
        left_over.blank[cluster] = centre.blank
        for i in range(len(left_over.value)):
            for y in range(left_over.value.shape[1]):
                left_over.category[cluster, i, y] = centre.distance[left_over.value[i, y]]
        work += len(centre.distance) + k + left_over.value.size
    return cluster


@kernel
def join(left_over: LeftOver, i: int, spatial: bool) -> tuple[int, float]:
    """The cluster whose centre is nearest to a left-over record, of equals the first; its distance.

    With `spatial` the record takes part in that centre from now on.
    """
    numbers, categories = left_over.place.shape[1], left_over.value.shape[1]
    distances = np.zeros(len(left_over.total))
    for c in range(len(distances)):
        for x in range(numbers):
            place, terms = left_over.place[i, x], left_over.terms[c, x]
            if np.isnan(place):
                distances[c] += 0.0 if left_over.blank[c, x] else 1.0
            else:
                distances[c] += abs(place - left_over.total[c, x] / terms) if terms > 0 else 1.0
        for y in range(categories):
            distances[c] += left_over.category[c, i, y]
    enough = distances.min() + TIE
    c = 0
    while distances[c] >= enough:
        c += 1
    if spatial:
        for x in range(numbers):
            place = left_over.place[i, x]
            if np.isnan(place):
                left_over.blank[c, x] = True
            else:
                left_over.total[c, x] += place
                left_over.terms[c, x] += 1
        for y in range(categories):
            for other in range(len(left_over.value)):
                if left_over.value[other, y] == left_over.value[i, y]:
                    left_over.category[c, other, y] = 0.0
    return c, distances[c]
