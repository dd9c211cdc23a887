"""Similarity-based clustering, inner loop: start a class, find the nearest record, close it.

Distances are measured from a *centre*: a place per number, a distance per value
(`contingency`). The nearest record is found in a tree of boxes (`box_tree`): first the smallest
distance, leaving out every node whose box is no nearer; then the lowest record less than TIE
above it, leaving out every node whose records all come later. A box's bound is summed in the
order of a row's distance, term by term no larger, so rounding cannot make it wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels import Flags, Floats, Ints, Longs, kernel, part_of_kernel
from kanon_tui.core.kernels.box_tree import GONE, BoxTree, take
from kanon_tui.core.kernels.contingency import Contingency, count, measure

__all__ = [
    "CLOSED",
    "GROWN",
    "STARTED",
    "Centre",
    "Growth",
    "LeftOver",
    "advance",
    "join",
    "new_centre",
    "recall",
]

STARTED, GROWN, CLOSED = 0, 1, 2
TIE = 1e-9
_WORK_PER_CALL = 3_000_000  # nodes, rows and values looked at before a call returns
_ONE = np.uint64(1)
_DE_BRUIJN = 0x03F79D71B4CB0A89
_BIT = np.empty(64, dtype=np.uint8)  # which bit a power of two is, by its product with _DE_BRUIJN
for _bit in range(64):
    _BIT[((_DE_BRUIJN << _bit) % 2**64) >> 58] = _bit


class Centre(NamedTuple):
    """What distances are measured from."""

    place: Floats
    """Per number its mean; nan without any."""
    blank: Flags
    """Per number: a missing one is at distance 0."""
    total: Floats
    terms: Longs
    distance: Floats
    """Per value (cell of the whole)."""
    bits: Floats
    """Per attribute and value number modulo 64 the smallest distance."""
    zero: npt.NDArray[np.uint64]
    """Per attribute the bits at distance 0."""
    node: Ints
    """Nodes that a search has still to look at."""
    bound: Floats


class Growth(NamedTuple):
    """The clustering so far."""

    order: Ints
    """All records, as sorted."""
    row: Ints
    """Per record its row."""
    position: Ints
    """Per row its position in the tree."""
    records: Ints
    """Record numbers, those of row 0 first; `begin` and `end` tell which are left of each row."""
    begin: Ints
    end: Ints
    members: Ints
    """Records in the order in which they joined, k per cluster."""
    labels: Ints
    """Per record its cluster; -1 without one."""
    state: Longs
    """Place in the order, clusters closed, size of the growing one, position of its last record."""


class LeftOver(NamedTuple):
    """Distances of the records left over from every cluster, in parts."""

    place: Floats
    """Left-over records × numbers."""
    value: Ints
    """Left-over records × categories: the cell of the whole."""
    total: Floats
    """Clusters × numbers: sum and number of the places their centre is the mean of."""
    terms: Longs
    blank: Flags
    category: Floats
    """Clusters × left-over records × categories."""


def new_centre(tree: BoxTree, values: int) -> Centre:
    """Room for a centre over so many values, and for searches in the tree."""
    numbers, categories = tree.places.shape[1], tree.labels.shape[1]
    return Centre(
        np.full(numbers, np.nan),
        np.zeros(numbers, dtype=np.bool_),
        np.zeros(numbers),
        np.zeros(numbers, dtype=np.int64),
        np.zeros(values),
        np.zeros((categories, 64)),
        np.zeros(categories, dtype=np.uint64),
        np.zeros(len(tree.start) + 1, dtype=np.int32),
        np.zeros(len(tree.start) + 1),
    )


@kernel
def _aim(tree: BoxTree, position: int, table: Contingency, centre: Centre) -> None:
    """Put the centre on a row, whose distances were measured."""
    for x in range(len(centre.place)):
        place = tree.places[position, x]
        centre.blank[x] = np.isnan(place)
        centre.place[x] = place
        centre.total[x] = 0.0 if np.isnan(place) else place
        centre.terms[x] = 0 if np.isnan(place) else 1
    for y in range(len(centre.zero)):
        centre.bits[y] = np.inf
        centre.zero[y] = 0
        offset = table.offsets[y]
        for cell in range(offset, table.offsets[y + 1]):
            if table.counts[cell] > 0:
                bit = (cell - offset) & 63
                centre.bits[y, bit] = min(centre.bits[y, bit], centre.distance[cell])
                if centre.distance[cell] == 0.0:
                    centre.zero[y] |= _ONE << np.uint64(bit)


@kernel
def _move(tree: BoxTree, position: int, table: Contingency, centre: Centre) -> None:
    """Let a row take part in the centre."""
    for x in range(len(centre.place)):
        place = tree.places[position, x]
        if np.isnan(place):
            centre.blank[x] = True
        else:
            centre.total[x] += place
            centre.terms[x] += 1
            centre.place[x] = centre.total[x] / centre.terms[x]
    for y in range(len(centre.zero)):
        label = tree.labels[position, y]
        centre.distance[table.offsets[y] + label] = 0.0
        centre.bits[y, label & 63] = 0.0
        centre.zero[y] |= _ONE << np.uint64(label & 63)


@part_of_kernel
def _distance(tree: BoxTree, i: int, offsets: Longs, centre: Centre, enough: float) -> float:
    """Distance of the row at a position; may stop when it is more than enough."""
    total = 0.0
    for x in range(len(centre.place)):
        place, middle = tree.places[i, x], centre.place[x]
        if np.isnan(place):
            total += 0.0 if centre.blank[x] else 1.0
        else:
            total += 1.0 if np.isnan(middle) else abs(place - middle)
    for y in range(len(centre.zero)):
        if total >= enough:
            break
        total += centre.distance[offsets[y] + tree.labels[i, y]]
    return total


@part_of_kernel
def _bound(tree: BoxTree, node: int, centre: Centre) -> float:
    """No row of this node is nearer."""
    if tree.first[node] == GONE:
        return np.inf
    total = 0.0
    for x in range(len(centre.place)):
        low, high, middle = tree.low[node, x], tree.high[node, x], centre.place[x]
        least = np.inf
        if low <= high:
            least = 1.0 if np.isnan(middle) else max(low - middle, middle - high, 0.0)
        if tree.blank[node, x]:
            least = min(least, 0.0 if centre.blank[x] else 1.0)
        total += least
    for y in range(len(centre.zero)):
        labels = tree.sets[node, y]
        if labels & centre.zero[y]:
            continue
        least = 1.0
        while labels:
            lowest = labels & (~labels + _ONE)
            least = min(
                least, centre.bits[y, _BIT[(lowest * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]]
            )
            labels ^= lowest
        total += least
    return total


@kernel
def _nearest(
    tree: BoxTree, offsets: Longs, centre: Centre, hint: int, floor: float
) -> tuple[int, float, int]:
    """Position of the nearest row, its distance, and the work it took.

    Of rows less than TIE above the smallest distance, the one with the lowest record. The row at
    `hint` is tried first, and none is known to be nearer than `floor`.
    """
    node, bound = centre.node, centre.bound
    found, smallest, work, depth = -1, np.inf, 0, 0
    if tree.record[hint] != GONE:
        found, smallest = hint, _distance(tree, hint, offsets, centre, np.inf)
    if smallest > floor:
        node[0], bound[0], depth = 0, 0.0, 1
    while depth > 0 and smallest > floor:
        depth -= 1
        here = node[depth]
        if bound[depth] >= smallest:
            continue
        work += 1
        if tree.left[here] >= 0:
            near, far = tree.left[here], tree.right[here]
            near_bound, far_bound = _bound(tree, near, centre), _bound(tree, far, centre)
            if far_bound < near_bound:
                near, far, near_bound, far_bound = far, near, far_bound, near_bound
            if far_bound < smallest:
                node[depth], bound[depth] = far, far_bound
                depth += 1
            if near_bound < smallest:
                node[depth], bound[depth] = near, near_bound
                depth += 1
            continue
        for i in range(tree.start[here], tree.end[here]):
            if tree.record[i] != GONE:
                work += 1
                distance = _distance(tree, i, offsets, centre, smallest)
                if distance < smallest:
                    found, smallest = i, distance

    enough = smallest + TIE
    record = tree.record[found]
    node[0], depth = 0, 1
    while depth > 0:
        depth -= 1
        here = node[depth]
        if tree.first[here] >= record:
            continue
        work += 1
        if tree.left[here] >= 0:
            early, late = tree.left[here], tree.right[here]
            if tree.first[late] < tree.first[early]:
                early, late = late, early
            if tree.first[late] < record and _bound(tree, late, centre) < enough:
                node[depth] = late
                depth += 1
            if tree.first[early] < record and _bound(tree, early, centre) < enough:
                node[depth] = early
                depth += 1
            continue
        for i in range(tree.start[here], tree.end[here]):
            if tree.record[i] < record:
                work += 1
                if _distance(tree, i, offsets, centre, enough) < enough:
                    found, record = i, tree.record[i]
    return found, smallest, work


@kernel
def _join_cluster(tree: BoxTree, growth: Growth, position: int, k: int) -> None:
    """The lowest record of the row at a position joins the growing cluster."""
    record, row = tree.record[position], tree.row[position]
    cluster, size = growth.state[1], growth.state[2]
    growth.members[cluster * k + size] = record
    growth.labels[record] = cluster
    growth.state[2], growth.state[3] = size + 1, position
    growth.begin[row] += 1
    more = growth.begin[row] < growth.end[row]
    take(tree, position, growth.records[growth.begin[row]] if more else GONE)


@kernel
def advance(
    tree: BoxTree,
    table: Contingency,
    centre: Centre,
    growth: Growth,
    k: int,
    spatial: bool,
    decisions: int,
) -> tuple[int, int, float]:
    """Make up to `decisions` decisions: start a cluster, let a record join it, close it.

    Returns how many were made, what the last one was, and the distance of the last one that joined.
    """
    made, work, kind = 0, 0, CLOSED
    smallest = 0.0
    floor = 0.0
    state = growth.state
    while made < decisions and work < _WORK_PER_CALL:
        if state[2] == k:
            kind = CLOSED
            for i in range(state[1] * k, state[1] * k + k):
                count(table, growth.row[growth.members[i]], -1)
            work += k
            state[1] += 1
            state[2] = 0
        elif state[2] > 0:
            kind = GROWN
            found, smallest, passed = _nearest(tree, table.offsets, centre, state[3], floor)
            work += passed
            if spatial:
                _move(tree, found, table, centre)
            else:
                floor = smallest  # the centre stays, so nothing nearer will be found
            _join_cluster(tree, growth, found, k)
        else:
            if len(growth.order) - state[1] * k < k:
                break
            kind = STARTED
            while growth.labels[growth.order[state[0]]] >= 0:
                state[0] += 1
            row = growth.row[growth.order[state[0]]]
            measure(table, row, k, spatial, centre.distance)
            _aim(tree, growth.position[row], table, centre)
            _join_cluster(tree, growth, growth.position[row], k)
            work += len(centre.distance)
            floor = 0.0
        made += 1
    return made, kind, smallest


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
    """Measure the records left over as they were when the clusters before this one were made.

    Goes backwards from the last cluster: when its records are counted again, the table is as it was
    at its start. Returns the cluster it came to.
    """
    work = 0
    while cluster > 0 and work < _WORK_PER_CALL:
        cluster -= 1
        members = growth.members[cluster * k : cluster * k + k]
        for record in members:
            count(table, growth.row[record], 1)
        row = growth.row[members[0]]
        measure(table, row, k, spatial, centre.distance)
        _aim(tree, growth.position[row], table, centre)
        if spatial:
            for record in members[1:]:
                _move(tree, growth.position[growth.row[record]], table, centre)
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
    """The cluster whose centre is nearest to a left-over record, and its distance.

    With `spatial` the record takes part in that centre from now on.
    """
    distances = np.zeros(len(left_over.total))
    for c in range(len(distances)):
        for x in range(left_over.place.shape[1]):
            place = left_over.place[i, x]
            if np.isnan(place):
                distances[c] += 0.0 if left_over.blank[c, x] else 1.0
            elif left_over.terms[c, x] == 0:
                distances[c] += 1.0
            else:
                distances[c] += abs(place - left_over.total[c, x] / left_over.terms[c, x])
        for y in range(left_over.value.shape[1]):
            distances[c] += left_over.category[c, i, y]
    enough = distances.min() + TIE
    c = 0
    while distances[c] >= enough:
        c += 1
    if spatial:
        for x in range(left_over.place.shape[1]):
            place = left_over.place[i, x]
            if np.isnan(place):
                left_over.blank[c, x] = True
            else:
                left_over.total[c, x] += place
                left_over.terms[c, x] += 1
        for other in range(len(left_over.value)):
            for y in range(left_over.value.shape[1]):
                if left_over.value[other, y] == left_over.value[i, y]:
                    left_over.category[c, other, y] = 0.0
    return c, distances[c]
