"""Find a far-apart pair of a group and the sides of the two, by looking at every row.

A round of the walk to the pair and the sides cost O(rows · attributes) each. A side left with fewer
than k records then takes rows from the other one by one, which may be k times as much.
`splitting_sides` gives the rows of large groups the same sides with a tree. The twin in
`tests/core/algorithms/twins/merging.py` works on sets of values.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import inner_kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import Attributes
from kanon_tui.core.kernels.splitting_boxes import (
    Sides,
    apart,
    begin_box,
    box_growth,
    forget,
    new_boxes,
    widen,
)
from kanon_tui.core.kernels.ties import first_of_largest
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s

__all__ = ["far_pair_by_scan", "sides_by_scan"]


@inner_kernel
def far_pair_by_scan(
    attributes: Attributes, rows: Int32s, members: Int32s, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart.

    Rows are given by their places among the members.
    """
    here, there = start, start
    distances = np.zeros(len(members))
    for _ in range(rounds):
        here = there
        for i in range(len(members)):
            distances[i] = apart(attributes, rows, members[here], members[i])
        there = first_of_largest(distances)
    return min(here, there), max(here, there), distances[there]


@part_of_kernel
def _cost(grows: float, extent: float, size: int, count: int, per_record: bool) -> float:
    """What it costs when a box of so many records grows to take some more."""
    if per_record:
        return (size + count) * (extent + grows) - size * extent
    return grows


@inner_kernel
def _give_rows(
    attributes: Attributes,
    rows: Int32s,
    members: Int32s,
    seeds: tuple[int, int],
    per_record: bool,
    sides: Sides,
    sizes: Int64s,
    extents: Floats,
) -> None:
    """Give every row to the seed whose box grows less; seeds are places among the members."""
    boxes, side_of, counts = sides
    for side in range(2):
        row = members[seeds[side]]
        begin_box(attributes, rows, boxes, side, row)
        sizes[side] = counts[row]
        side_of[row] = side
    for i in range(len(members)):
        if i in seeds:
            continue
        row, count = members[i], counts[members[i]]
        one = box_growth(attributes, rows, boxes, 0, row)
        other = box_growth(attributes, rows, boxes, 1, row)
        cost_one = _cost(one, extents[0], sizes[0], count, per_record)
        cost_other = _cost(other, extents[1], sizes[1], count, per_record)
        to = 0 if cost_one <= cost_other + TIE else 1
        widen(attributes, rows, boxes, to, row)
        extents[to] += one if to == 0 else other
        sizes[to] += count
        side_of[row] = to


@inner_kernel
def _fill_poor_side(
    attributes: Attributes,
    rows: Int32s,
    members: Int32s,
    k: int,
    per_record: bool,
    sides: Sides,
    sizes: Int64s,
    extents: Floats,
) -> bool:
    """Let a side with fewer than k records take rows from the other; is that possible?"""
    boxes, side_of, counts = sides
    poor = 0 if sizes[0] < sizes[1] else 1
    rich = 1 - poor
    gains = np.zeros(len(members))
    while sizes[poor] < k:
        for i in range(len(members)):
            gains[i] = -np.inf
            row, count = members[i], counts[members[i]]
            if side_of[row] == rich and sizes[rich] - count >= k:
                grows = box_growth(attributes, rows, boxes, poor, row)
                gains[i] = -_cost(grows, extents[poor], sizes[poor], count, per_record)
        i = first_of_largest(gains)
        if gains[i] == -np.inf:
            return False
        row = members[i]
        side_of[row] = poor
        extents[poor] += box_growth(attributes, rows, boxes, poor, row)
        widen(attributes, rows, boxes, poor, row)
        sizes[poor] += counts[row]
        sizes[rich] -= counts[row]
    return True


@inner_kernel
def sides_by_scan(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    members: Int32s,
    seeds: tuple[int, int],
    k: int,
    per_record: bool,
    present: Flags,
    side_of: Int32s,
) -> bool:
    """Give every row to the seed whose box grows less, then see to it that both sides have k.

    `side_of` is 0 for all rows and becomes 1 for those of the second side.
    """
    boxes = new_boxes(2, attributes, present, side_of[:0])
    sides = Sides(boxes, side_of, counts)
    sizes, extents = np.zeros(2, dtype=np.int64), np.zeros(2)
    _give_rows(attributes, rows, members, seeds, per_record, sides, sizes, extents)
    enough = _fill_poor_side(attributes, rows, members, k, per_record, sides, sizes, extents)
    forget(attributes, rows, members, present)
    return enough
