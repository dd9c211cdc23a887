"""Similarity-based clustering's inner loop: start a cluster, let the nearest join it, close it.

A cluster costs one pass over all values (`contingency`) and its searches (`nearest_records`). The
twin in `tests/core/algorithms/twins/similarity.py` measures every record.
"""

from __future__ import annotations

from typing import NamedTuple

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.box_tree_numba import GONE, BoxTreeTuple, take
from kanon_tui.core.kernels.cluster_centre import Centre, add_to_centre, start_centre
from kanon_tui.core.kernels.contingency import Contingency, count, measure
from kanon_tui.core.kernels.nearest_records import (
    Search,
    gather_nearest,
    nearest_record,
    next_nearest,
)
from kanon_tui.core.numeric import Int32s, Int64s

__all__ = ["CLOSED", "GROWN", "STARTED", "Growth", "advance"]

STARTED, GROWN, CLOSED = 0, 1, 2
_WORK_PER_CALL = 500_000  # nodes, rows and values looked at before a call returns


class Growth(NamedTuple):
    """The clusters so far."""

    order: Int32s
    """All records, as sorted."""
    row: Int32s
    """Per record its row."""
    position: Int32s
    """Per row its position in the tree."""
    records: Int32s
    """Record numbers, those of row 0 first, rising inside each row …"""
    end: Int32s
    """… and per row where they end …"""
    left: Int32s
    """… and how many of them, the last, are left."""
    members: Int32s
    """Records in the order in which they joined, k per cluster."""
    labels: Int32s
    """Per record its cluster; -1 without one."""
    state: Int64s
    """Place in the order, clusters closed, size of the one that grows."""


@inner_kernel
def _join(tree: BoxTreeTuple, growth: Growth, position: int, k: int) -> None:
    """The lowest record of the row at a position joins the cluster that grows."""
    record, row, state = tree.record[position], tree.row[position], growth.state
    growth.members[state[1] * k + state[2]] = record
    growth.labels[record] = state[1]
    state[2] += 1
    growth.left[row] -= 1
    left = growth.left[row]
    take(tree, position, growth.records[growth.end[row] - left] if left > 0 else GONE)


@kernel
def advance(
    tree: BoxTreeTuple,
    table: Contingency,
    centre: Centre,
    search: Search,
    growth: Growth,
    k: int,
    spatial: bool,
    decisions: int,
) -> tuple[int, int, float]:
    """Make up to `decisions` decisions: start a cluster, let a record join it, close it.

    Returns how many were made, what the last one was, and the distance of the last that joined.
    """
    state = growth.state
    decided, work, kind = 0, 0, CLOSED
    away = 0.0
    while decided < decisions and work < _WORK_PER_CALL:
        if state[2] == k:
            kind = CLOSED
            for i in range(state[1] * k, state[1] * k + k):
                count(table, growth.row[growth.members[i]], -1)
            work += k
            state[1] += 1
            state[2] = 0
        elif state[2] > 0:
            kind = GROWN
            if spatial:
                found, away, looked = nearest_record(tree, centre, growth.left, search)
                work += looked
                add_to_centre(tree, found, centre)
            else:
                found, away = next_nearest(tree, search)
                work += 1
            _join(tree, growth, found, k)
        elif len(growth.order) - state[1] * k >= k:
            kind = STARTED
            while growth.labels[growth.order[state[0]]] >= 0:
                state[0] += 1
            row = growth.row[growth.order[state[0]]]
            measure(table, row, k, spatial, centre.distance)
            start_centre(tree, growth.position[row], table, centre)
            _join(tree, growth, growth.position[row], k)
            work += len(centre.distance)
            if k > 1 and not spatial:
                work += gather_nearest(tree, centre, growth.left, search)
        else:
            break
        decided += 1
    return decided, kind, away
