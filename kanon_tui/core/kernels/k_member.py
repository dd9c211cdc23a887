"""Greedy k-member clustering's inner loop: start clusters, grow them, let the last records join.

Scores are compared as *extra width*, the growth of Σ ranges + Σ heights. The information loss of a
cluster of s records grows by (s + 1) · (width + extra) − s · width: the order is the same, and TIE
is divided by s + 1.

A record costs one search (`k_member_search`), a record left over one look at every cluster. The
twin in `tests/core/algorithms/twins/k_member.py` tries every record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.box_tree_numba import GONE, BoxTreeTuple, take
from kanon_tui.core.kernels.k_member_search import (
    BLANK_COST,
    HIGH,
    LOW,
    NUMBER_COST,
    Search,
    Wanted,
    best_row,
    extra_width,
    mark,
)
from kanon_tui.core.kernels.ties import first_of_smallest
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s

__all__ = ["Clusters", "RowRecords", "advance", "join_cheapest_cluster", "new_clusters"]

MIXED = -1
_VISITS_PER_CALL = 2_000_000  # a call that has looked at so many boxes and rows returns


class Clusters(NamedTuple):
    """What is known of every cluster; the last one may be growing."""

    low: Floats
    """Per cluster and number the lowest place (inf: there is none) …"""
    high: Floats
    """… and the highest."""
    blank: Flags
    """Per cluster and number: one is missing."""
    labels: Int32s
    """Per cluster and category the label all its records have, or MIXED."""
    size: Int64s
    width: Floats
    """Σ ranges + Σ heights, so that IL = size · width."""


class RowRecords(NamedTuple):
    """`records[begin[row] : end[row]]` are the records that are left of a row."""

    records: Int32s
    begin: Int32s
    end: Int32s


def new_clusters(most: int, numbers: int, categories: int) -> Clusters:
    """Room for so many clusters."""
    return Clusters(
        np.full((most, numbers), np.inf),
        np.full((most, numbers), -np.inf),
        np.zeros((most, numbers), dtype=np.bool_),
        np.zeros((most, categories), dtype=np.int32),
        np.zeros(most, dtype=np.int64),
        np.zeros(most),
    )


@inner_kernel
def _prepare_search(clusters: Clusters, c: int, weights: Floats, search: Search) -> tuple[int, int]:
    """Prepare a search for the record that widens cluster c least; returns the columns in use."""
    numbers = categories = 0
    for x in range(clusters.low.shape[1]):
        low, high, blank = clusters.low[c, x], clusters.high[c, x], clusters.blank[c, x]
        if blank and low <= high:
            continue  # already published as *
        search.columns[numbers] = x
        search.lines[numbers, LOW] = -np.inf if blank else low
        search.lines[numbers, HIGH] = np.inf if blank else high
        search.lines[numbers, NUMBER_COST] = 1.0 if blank else 0.0
        search.lines[numbers, BLANK_COST] = 0.0 if blank else 1.0 - (high - low)
        numbers += 1
    for y in range(len(weights)):
        if weights[y] > 0 and clusters.labels[c, y] != MIXED:  # 0: the class label
            label = int(np.int64(clusters.labels[c, y]))
            mark(search, categories, y, label, weights[y])
            categories += 1
    return numbers, categories


@inner_kernel
def _add_row(clusters: Clusters, c: int, tree: BoxTreeTuple, i: int, weights: Floats) -> float:
    """Let the row at a position join a cluster; by how much does its information loss grow?"""
    before = clusters.size[c] * clusters.width[c]
    width = 0.0
    for x in range(clusters.low.shape[1]):
        place = tree.places[i, x]
        if np.isnan(place):
            clusters.blank[c, x] = True
        else:
            clusters.low[c, x] = min(clusters.low[c, x], place)
            clusters.high[c, x] = max(clusters.high[c, x], place)
        if clusters.low[c, x] <= clusters.high[c, x]:
            length = clusters.high[c, x] - clusters.low[c, x]
            width += 1.0 if clusters.blank[c, x] else length
    for y in range(len(weights)):
        if clusters.size[c] == 0:
            clusters.labels[c, y] = tree.labels[i, y]
        elif clusters.labels[c, y] != tree.labels[i, y]:
            clusters.labels[c, y] = MIXED
        if clusters.labels[c, y] == MIXED:
            width += weights[y]
    clusters.size[c] += 1
    clusters.width[c] = width
    return float(clusters.size[c] * width - before)


@inner_kernel
def _find(
    tree: BoxTreeTuple, search: Search, wanted: Wanted, weights: Floats, shared: Int32s, tie: float
) -> tuple[int, float, int]:
    """The position of the best row, its score, nodes and rows visited; repeats where it must."""
    found, smallest, visits, repeat = best_row(tree, search, wanted, weights, shared, tie, np.inf)
    if repeat:
        found, smallest, more, _ = best_row(tree, search, wanted, weights, shared, tie, smallest)
        visits += more
    return found, smallest, visits


@inner_kernel
def _new_majority(class_counts: Int64s, label: int, majority: int, alone: bool) -> int:
    """Count a class label; which one most records of the cluster have then."""
    class_counts[label] += 1
    more = class_counts[label] - class_counts[majority]
    if alone or more > 0 or (more == 0 and label < majority):
        return label
    return majority


@kernel
def advance(
    tree: BoxTreeTuple,
    clusters: Clusters,
    search: Search,
    left: RowRecords,
    weights: Floats,
    shared: Int32s,
    penalty: float,
    class_counts: Int64s,
    k: int,
    decisions: int,
    state: Int64s,
    chosen: Int32s,
) -> tuple[int, float, float]:
    """Make up to `decisions` decisions: start a cluster, or let one more record join it.

    Of category y the first `shared[y]` bits of a set stand for more than one label each. `state` is
    the cluster at work, the position of the last record added, how many records remain
    and the majority label of the cluster. `class_counts` counts the labels of the last flattened
    column in it, and is empty when there is no such column. `chosen[j]` becomes the record that
    decision j added. Returns decisions made, the growth of information loss, and the score of the
    last decision (distance of a start, growth of a join).
    """
    c, last, remaining, majority = state[0], state[1], state[2], state[3]
    class_column = len(weights) - 1
    decided, visits = 0, 0
    grown, score = 0.0, 0.0
    while decided < decisions and visits < _VISITS_PER_CALL:
        numbers, categories, origin, tie = 0, 0, -1, TIE
        if clusters.size[c] == 0 or clusters.size[c] == k:
            if remaining < k:
                break
            if clusters.size[c] == k:
                c += 1
            class_counts[:] = 0
            origin = last
        else:
            numbers, categories = _prepare_search(clusters, c, weights, search)
            tie = TIE / (clusters.size[c] + 1)
            if len(class_counts) > 0:
                cost = penalty / (clusters.size[c] + 1)
                mark(search, categories, class_column, majority, cost)
                categories += 1
        wanted = Wanted(numbers, categories, origin)
        found, smallest, seen = _find(tree, search, wanted, weights, shared, tie)
        visits += seen
        chosen[decided] = tree.record[found]
        last = found
        growth = _add_row(clusters, c, tree, found, weights)
        grown += growth
        score = growth if origin < 0 else -smallest
        if len(class_counts) > 0:
            label = int(np.int64(tree.labels[found, class_column]))
            majority = _new_majority(class_counts, label, majority, clusters.size[c] == 1)
        row = tree.row[found]
        left.begin[row] += 1
        begin = left.begin[row]
        take(tree, found, left.records[begin] if begin < left.end[row] else GONE)
        remaining -= 1
        decided += 1
    state[0], state[1], state[2], state[3] = c, last, remaining, majority
    return decided, grown, score


@kernel
def join_cheapest_cluster(
    tree: BoxTreeTuple, clusters: Clusters, search: Search, weights: Floats, i: int
) -> tuple[int, float]:
    """Let the row at a position join the cluster whose information loss grows least."""
    growths = np.empty(len(clusters.size))
    for c in range(len(growths)):
        size, width = clusters.size[c], clusters.width[c]
        numbers, categories = _prepare_search(clusters, c, weights, search)
        extra = extra_width(tree, i, search, numbers, categories, np.inf)
        growths[c] = (size + 1) * (width + extra) - size * width
    c = first_of_smallest(growths)
    return c, _add_row(clusters, c, tree, i, weights)
