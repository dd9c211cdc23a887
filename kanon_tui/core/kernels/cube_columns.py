"""Fixing one attribute after the other of a cube with few empty places (see `cube_room`)."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import called_by_kernels
from kanon_tui.core.kernels.cube_room import Lattice, Room, fill_targets
from kanon_tui.core.numeric import Int64s

__all__ = ["add_columns", "fix_cube", "lost_by_columns"]


@called_by_kernels
def add_columns(
    room: Room, source: int, sums: int, parts: int, rows: int, stride: int, length: int
) -> None:
    """The records of every part of a cube, label by label, with parts of so many places."""
    numbers, height = room.numbers, np.uint64(rows)
    for begin in range(sums, sums + parts, max(rows, 1)):
        to = np.uint64(begin)
        for i in range(height):
            numbers[to + i] = 0
        for _ in range(length):
            at = np.uint64(source)
            for i in range(height):
                numbers[to + i] += numbers[at + i]
            source += stride


@called_by_kernels
def _add_totals(room: Room, sums: int, rows: int, label: int) -> None:
    """The records of all rows of a cube with a label."""
    totals, height = room.totals, np.uint64(rows)
    for row in range(height):
        totals[row] = 0
    for i in range(room.first_label[label], room.first_label[label + 1]):
        at = np.uint64(sums + room.sorted_labels[i] * rows)
        for row in range(height):
            totals[row] += room.numbers[at + row]


@called_by_kernels
def lost_by_columns(room: Room, sums: int, rows: int, new: int, k: int) -> tuple[int, int]:
    """The records of rows of fewer than k, when one more attribute is fixed; how many have more."""
    lost, more, totals, most = 0, 0, room.totals, np.int32(k)
    for label in range(new):
        _add_totals(room, sums, rows, label)
        gone, kept = np.int32(0), np.int32(0)
        for row in range(np.uint64(rows)):
            gone += totals[row] * np.int32(totals[row] < most)
            kept += np.int32(totals[row] >= most)
        lost += int(gone)
        more += int(kept)
    return lost, more


@called_by_kernels
def _add_label(
    room: Room, source: int, rows: int, stride: int, old: int, new: int, label: int
) -> None:
    """The columns that come of a label, with parts of `old` places before and `new` after."""
    columns, height = room.columns, np.uint64(rows)
    for i in range(np.uint64(new * rows)):
        columns[i] = 0
    for i in range(room.first_label[label], room.first_label[label + 1]):
        begin = source + room.sorted_labels[i] * old * stride
        for place in range(old):
            at, to = np.uint64(begin + place * stride), np.uint64(room.targets[place] * rows)
            for row in range(height):
                columns[to + row] += room.numbers[at + row]


@called_by_kernels
def _choose_rows(room: Room, rows: int, new: int, k: np.int32) -> tuple[int, int]:
    """List the rows of columns of which something can change; their records in small classes."""
    columns, small, height = room.columns, room.small, np.uint64(rows)
    for row in range(height):
        small[row] = 0
    for place in range(new):
        at = np.uint64(place * rows)
        for row in range(height):
            small[row] += columns[at + row] * np.int32(columns[at + row] < k)
    chosen, records = np.uint64(0), 0
    for row in range(height):
        room.chosen[chosen] = row
        if room.totals[row] >= k and small[row] > 0:
            records += int(small[row])
            chosen += np.uint64(1)
    return int(chosen), records


@called_by_kernels
def fix_cube(
    room: Room,
    source: int,
    begin: int,
    rows: int,
    strides: tuple[int, int],
    a: int,
    low: Int64s,
    high: Int64s,
    lattice: Lattice,
    k: int,
) -> tuple[int, int]:
    """A cube with one more attribute fixed; gives its rows, and its records in small classes.

    The source stands at levels `low`, the new cube at `high`; strides are the lengths of their
    columns. The records of the source's parts stand before the new cube. `sort_labels` was called.
    """
    old, new = fill_targets(a + 1, len(low) - 1, low, high, lattice, room.targets)
    sums = begin - rows * lattice.radix[a, low[a]]
    kept, small = 0, 0
    for label in range(lattice.radix[a, high[a]]):
        _add_totals(room, sums, rows, label)
        _add_label(room, source, rows, strides[0], old, new, label)
        chosen, below = _choose_rows(room, rows, new, np.int32(k))
        for place in range(new):
            at, to = np.uint64(place * rows), np.uint64(begin + place * strides[1] + kept)
            for i in range(np.uint64(chosen)):
                room.numbers[to + i] = room.columns[at + np.uint64(room.chosen[i])]
        small += below
        kept += chosen
    return kept, small
