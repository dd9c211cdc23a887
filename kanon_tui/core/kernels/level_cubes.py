"""Testing many strings at once on a cube: the records of every combination of labels.

Near the border between strings that pass and strings that fail classes are few, and so are the
combinations of labels. Records by combination are added up along an attribute in a fraction of the
time that it takes to look classes up one by one (`cube_room`).

The attributes are in an order; a *box* fixes the levels of the first ones and leaves the others
free. What has one more attribute fixed is made of what has one less.

`grid` has a byte for every string: unknown, fails or passes. The first attribute is slowest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels import called_by_kernels, inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.cube_cells import add_cells, fix_cells, lost_by_cells
from kanon_tui.core.kernels.cube_columns import add_columns, fix_cube, lost_by_columns
from kanon_tui.core.kernels.cube_room import Lattice, Room, row_length, sort_labels
from kanon_tui.core.numeric import Int64s

__all__ = [
    "FAILS",
    "PASSES",
    "PLACES_PER_CELL",
    "UNKNOWN",
    "Known",
    "Walk",
    "begin_walk",
    "walk_box",
]

Known = npt.NDArray[np.uint8]

UNKNOWN, FAILS, PASSES = 0, 1, 2
PLACES_PER_CELL = 8
"""Up to so many times the cells of its source a cube may be large."""
_NOT_BEGUN = -2


class Walk(NamedTuple):
    """Where a walk through a box stands: the source of every attribute that is looked at."""

    at: Int64s
    """The attribute that is looked at now, and the first that is not fixed."""
    levels: Int64s
    """Attributes × attributes: the levels of a source …"""
    begins: Int64s
    """… where it begins in the room …"""
    sums: Int64s
    """… and the records of its parts, …"""
    parts: Int64s
    """… how many these are, …"""
    rows: Int64s
    """… and its rows, …"""
    strides: Int64s
    """… the length of its columns, 0 where it has cells, …"""
    lost: Int64s
    """… the records of the rows that were left out, …"""
    turn: Int64s
    """… and which level of its attribute comes next."""


def begin_walk(string: Int64s, depth: int, parts: int, lost: int) -> Walk:
    """The walk through the box of a string whose first attributes are fixed (see `walk_box`)."""
    free = len(string)
    levels = np.tile(string, (free, 1))
    begins, sums, part_counts, rows, strides, losses = np.zeros((6, free), dtype=np.int64)
    part_counts[depth], losses[depth] = parts, lost
    turn = np.full(free, _NOT_BEGUN, dtype=np.int64)
    at = np.array([depth, depth], dtype=np.int64)
    return Walk(at, levels, begins, sums, part_counts, rows, strides, losses, turn)


@part_of_kernel
def _place(lattice: Lattice, string: Int64s, attributes: int) -> int:
    """Where a string is in the grid, by the levels of so many attributes."""
    place = 0
    for a in range(attributes):
        place += string[a] * lattice.places[a]
    return place


@inner_kernel
def _mark_known(grid: Known, string: Int64s, end: Int64s, lattice: Lattice, mark: int) -> int:
    """Mark the strings from one to another that are unknown; gives how many.

    What lies behind a string that is known is known as well, and is not looked at.
    """
    at = string.copy()
    step = 1 if mark == PASSES else -1
    last = len(at) - 1
    place = _place(lattice, at, len(at))
    marked, a = 0, last
    while a >= 0:
        if grid[place] == UNKNOWN:
            grid[place] = mark
            marked += 1
            a = last
        else:
            place -= (at[a] - string[a]) * lattice.places[a]
            at[a] = string[a]
            a -= 1
        while a >= 0 and at[a] == end[a]:
            place -= (at[a] - string[a]) * lattice.places[a]
            at[a] = string[a]
            a -= 1
        if a >= 0:
            at[a] += step
            place += step * lattice.places[a]
    return marked


@part_of_kernel
def _lowest_unknown(grid: Known, begin: int, depth: int, lattice: Lattice, lowest: Int64s) -> int:
    """The levels that the unknown strings of a box have at least; gives how many these are."""
    free = len(lattice.sizes)
    for a in range(depth, free):
        lowest[a] = lattice.sizes[a]
    unknown = 0
    for i in range(begin, begin + (lattice.places[depth - 1] if depth else len(grid))):
        if grid[i] == UNKNOWN:
            unknown += 1
            rest = i - begin
            for a in range(depth, free):
                level = rest // lattice.places[a]
                rest -= level * lattice.places[a]
                lowest[a] = min(lowest[a], level)
    return unknown


@part_of_kernel
def _middle_unknown(grid: Known, begin: int, levels: int) -> int:
    """The level between those that fail and those that pass on a line; -1 where none is unknown."""
    low, high = levels, -1
    for level in range(levels):
        if grid[begin + level] == UNKNOWN:
            low, high = min(low, level), level
    return (low + high) // 2 if high >= 0 else -1


@inner_kernel
def _settle(
    grid: Known, string: Int64s, a: int, passes: bool, lattice: Lattice, end: Int64s
) -> int:
    """Mark what a test tells: all below, or all above of a box (see `walk_box`); gives how many."""
    last = len(string) - 1
    for b in range(len(string)):
        above = lattice.sizes[b] - 1 if b > a or b == last else string[b]
        end[b] = above if passes else 0
    return _mark_known(grid, string, end, lattice, PASSES if passes else FAILS)


@called_by_kernels
def _fix_next(
    room: Room,
    walk: Walk,
    a: int,
    rows: int,
    lowest: Int64s,
    lost: int,
    lattice: Lattice,
    k: int,
) -> tuple[int, int]:
    """Make the source with one more attribute fixed, at these levels, of so many rows at most.

    Gives its records in small classes, and the numbers looked at.
    """
    source, parts, levels = walk.begins[a], walk.parts[a], walk.levels[a]
    begin, length = walk.sums[a] + parts, row_length(lattice, lowest, a + 1)
    stride = rows
    if walk.strides[a]:
        looked_at = begin - source
        strides = (walk.strides[a], stride)
        rows, small = fix_cube(
            room, source, begin, walk.rows[a], strides, a, levels, lowest, lattice, k
        )
    else:
        looked_at = room.begin[source + parts] - room.begin[source]
        if rows * length > PLACES_PER_CELL * looked_at:
            stride = 0
        rows, small = fix_cells(room, source, begin, parts, stride, a, levels, lowest, lattice, k)
    for b in range(len(lowest)):
        walk.levels[a + 1, b] = lowest[b]
    walk.rows[a + 1], walk.strides[a + 1], walk.lost[a + 1] = rows, stride, lost
    walk.parts[a + 1] = rows * lattice.radix[a + 1, lowest[a + 1]]
    walk.begins[a + 1] = begin if stride else source + parts + 1
    walk.sums[a + 1] = begin + length * stride
    return small, looked_at


@called_by_kernels
def _count_lost(
    room: Room, walk: Walk, a: int, level: int, lattice: Lattice, k: int
) -> tuple[int, int]:
    """The records that are lost when an attribute is fixed, and the rows of k records and more."""
    old, new = lattice.radix[a, walk.levels[a, a]], lattice.radix[a, level]
    sort_labels(lattice, a, walk.levels[a, a], level, room)
    if walk.strides[a]:
        lost, rows = lost_by_columns(room, walk.sums[a], walk.rows[a], new, k)
    else:
        lost, rows = lost_by_cells(room, walk.sums[a], walk.parts[a], old, new, k)
    return walk.lost[a] + lost, rows


@called_by_kernels
def _begin_source(room: Room, walk: Walk, a: int, lattice: Lattice) -> None:
    """What is to be known of a source before its attribute is fixed."""
    walk.turn[a] = lattice.sizes[a] - 1
    source, sums, parts = walk.begins[a], walk.sums[a], walk.parts[a]
    if walk.strides[a]:
        length = row_length(lattice, walk.levels[a], a + 1)
        add_columns(room, source, sums, parts, walk.rows[a], walk.strides[a], length)
    else:
        add_cells(room, source, sums, parts)


@kernel
def walk_box(
    grid: Known,
    lattice: Lattice,
    walk: Walk,
    room: Room,
    k: int,
    allowed: int,
    patience: int,
    tested: Int64s,
) -> tuple[int, int, int, int]:
    """Test the unknown strings of a box, general ones first, until none is left or it took long.

    The walk begins with the levels of some first attributes fixed; the cells of a string, which is
    nowhere more general than what is unknown, are the first in the room. Rows of fewer than k
    records are left out and counted as lost: these have to go whatever the levels of the others.
    `tested` gets the places of the strings that were tested. What is more general than one that
    passes, with other levels fixed, was looked at before.

    When an attribute is fixed, two strings are tested: that with everything behind it at the root,
    by the records of the rows, and the most specific of those that are unknown. What the latter
    tells of the former counts as no test.

    Gives how many strings were tested, how many more are known, the numbers looked at, and of the
    last string that was tested the records in classes smaller than k.
    """
    free, depth = len(lattice.sizes), walk.at[1]
    lowest, general, end = lattice.sizes.copy(), lattice.sizes.copy(), lattice.sizes.copy()
    tests, known, work, small, a, levels = 0, 0, 0, 0, walk.at[0], walk.levels
    while a >= depth and not (work > patience and tests > 0):
        if walk.turn[a] == _NOT_BEGUN:
            _begin_source(room, walk, a, lattice)
        place, level = _place(lattice, levels[a], a), walk.turn[a]
        if a == free - 1:
            level = _middle_unknown(grid, place, lattice.sizes[a])
        if level < 0:
            walk.turn[a] = _NOT_BEGUN
            a -= 1
            continue
        walk.turn[a] = level - 1
        for b in range(free):
            general[b] = levels[a, b] if b < a else lattice.sizes[b] - 1
            lowest[b] = general[b]
        general[a] = lowest[a] = level
        unknown = _lowest_unknown(grid, place + level * lattice.places[a], a + 1, lattice, lowest)
        if unknown == 0:
            continue
        lost, rows = _count_lost(room, walk, a, level, lattice, k)
        root = _place(lattice, general, free)
        if lost > allowed or (unknown == 1 and grid[root] == UNKNOWN):
            tested[tests], small = root, lost
            tests += 1
            known += _settle(grid, general, a, lost <= allowed, lattice, end)
            if lost > allowed:
                walk.turn[a] = -1  # so do the levels below
            continue
        below, looked_at = _fix_next(room, walk, a, rows, lowest, lost, lattice, k)
        work += looked_at
        place = _place(lattice, lowest, free)
        if grid[place] == UNKNOWN:
            tested[tests], small = place, lost + below
            tests += 1
            unknown -= 1
            known += _settle(grid, lowest, a, small <= allowed, lattice, end)
            if small <= allowed:
                continue
        if grid[root] == UNKNOWN:
            tested[tests], small = root, lost
            tests += 1
            unknown -= 1
            known += _settle(grid, general, a, True, lattice, end)
        a += int(unknown > 0)
    walk.at[0] = a
    return tests, known - tests, work, small
