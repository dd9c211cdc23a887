"""Testing many strings at once on a cube: the records of every combination of labels.

Near the border between strings that pass and strings that fail classes are few, and so are the
combinations of labels. A table of all of them, empty ones included, is added up along an attribute
in a fraction of the time that it takes to look classes up one by one.

The attributes are in an order; a *box* fixes the levels of the first ones and leaves the others
free. A cube has a row for every combination of labels of the fixed attributes that occurs, and in a
row an axis for every other attribute, at some level each. Fixing one more attribute adds up along
its axis and makes rows of it; those without records are left out.

`grid` has a byte for every string: unknown, fails or passes. The first attribute is slowest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels import inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.tuple_keys import TupleLayout
from kanon_tui.core.numeric import Int32s, Int64s, Words

__all__ = ["FAILS", "PASSES", "UNKNOWN", "Known", "Lattice", "fill_cube", "walk_box"]

Known = npt.NDArray[np.uint8]

UNKNOWN, FAILS, PASSES = 0, 1, 2
_LONG = 16  # numbers in a row for which a loop of their own pays


class Lattice(NamedTuple):
    """The levels of the attributes, in the order of the walk and counted from the lowest."""

    sizes: Int64s
    """How many levels an attribute has."""
    places: Int64s
    """Its place value in the grid."""
    radix: Int64s
    """Attributes × levels: how many labels."""
    start: Int64s
    """Attributes × levels: where a level begins in `parents`."""
    parents: Int32s
    """Of every label of a level the label of the next level."""


@kernel
def fill_cube(
    tuples: Words,
    members: Int32s,
    sizes: Int32s,
    rows: Int32s,
    attributes: Int64s,
    levels: Int64s,
    layout: TupleLayout,
    cube: Int32s,
) -> None:
    """Put groups of records into a cube of these attributes, the last one fastest."""
    word, shift, mask = layout.word[attributes], layout.shift[attributes], layout.mask[attributes]
    first, radix = np.empty_like(attributes), np.empty_like(attributes)
    for i, a in enumerate(attributes):
        first[i], radix[i] = layout.start[a, levels[a]], layout.radix[a, levels[a]]
    cube[:] = 0
    for g in range(len(members)):
        place = np.int64(rows[g])
        for i in range(len(first)):
            field = (tuples[members[g], word[i]] >> shift[i]) & mask[i]
            place = place * radix[i] + layout.labels[np.uint64(first[i]) + field]
        cube[np.uint64(place)] += sizes[g]


@inner_kernel
def _mark_known(grid: Known, string: Int64s, end: Int64s, lattice: Lattice, mark: int) -> int:
    """Mark the strings from one to another that are unknown; gives how many.

    What lies behind a string that is known is known as well, and is not looked at.
    """
    at = string.copy()
    step = 1 if mark == PASSES else -1
    last = len(at) - 1
    place = (at * lattice.places).sum()
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
def _fill_targets(
    first: int, last: int, low: Int64s, high: Int64s, lattice: Lattice, targets: Int32s
) -> tuple[int, int]:
    """Where the numbers of a row go when its attributes are raised; lengths before and after."""
    old, new = 1, 1
    targets[0] = 0
    for a in range(last, first - 1, -1):
        for label in range(lattice.radix[a, low[a]] - 1, -1, -1):  # the others copy what 0 has
            above = label
            for level in range(low[a], high[a]):
                above = int(lattice.parents[lattice.start[a, level] + above])
            for i in range(old):
                targets[label * old + i] = targets[i] + above * new
        old *= int(lattice.radix[a, low[a]])
        new *= int(lattice.radix[a, high[a]])
    return old, new


@part_of_kernel
def _add_up(
    room: Int32s, source: int, old: int, begin: int, new: int, rows: int, run: int, targets: Int32s
) -> None:
    """Add rows of `old` runs up to `new` ones. Unsigned indices let long runs be vectorised."""
    for row in range(rows):
        at, to = np.uint64(source + row * old * run), np.uint64(begin + row * new * run)
        if run == 1:
            for i in range(np.uint64(old)):
                room[to + np.uint64(targets[i])] += room[at + i]
            continue
        for part in range(np.uint64(old)):
            target = to + np.uint64(targets[part]) * np.uint64(run)
            for i in range(np.uint64(run)):
                room[target + i] += room[at + part * np.uint64(run) + i]


@part_of_kernel
def _move_kept(room: Int32s, begin: int, parts: int, length: int) -> int:
    """Move the parts with records together; gives how many these are."""
    kept = 0
    for part in range(parts):
        at, to = np.uint64(begin + part * length), np.uint64(begin + kept * length)
        records = np.int32(0)
        for i in range(np.uint64(length)):
            records |= room[at + i]
            room[to + i] = room[at + i]
        kept += int(records > 0)
    return kept


@inner_kernel
def _fix_attribute(
    room: Int32s,
    source: int,
    rows: int,
    a: int,
    low: Int64s,
    high: Int64s,
    lattice: Lattice,
    targets: Int32s,
) -> tuple[int, int]:
    """A cube with one more attribute fixed, behind its source; gives its begin and its rows.

    The source stands at levels `low`, the new cube at `high`.
    """
    run, last = 1, len(low) - 1
    while last > a and low[last] == high[last]:
        run *= int(lattice.radix[last, low[last]])
        last -= 1
    if run < _LONG:
        run, last = 1, len(low) - 1
    old, new = _fill_targets(a, last, low, high, lattice, targets)
    begin = source + rows * old * run
    room[begin : begin + rows * new * run] = 0
    _add_up(room, source, old, begin, new, rows, run, targets)
    parts = int(lattice.radix[a, high[a]])
    return begin, _move_kept(room, begin, rows * parts, new * run // parts)


@part_of_kernel
def _classes_of(room: Int32s, begin: int, end: int, k: int) -> tuple[int, int, int]:
    """Classes of a cube, records in those smaller than k, and records of the smallest."""
    classes, small, smallest = 0, 0, np.int32(2**31 - 1)
    for i in range(begin, end):
        size = room[np.uint64(i)]
        classes += size > 0
        small += size * (size < k)
        smallest = min(smallest, size if size > 0 else smallest)
    return classes, small, int(smallest)


@part_of_kernel
def _row_length(lattice: Lattice, levels: Int64s, depth: int) -> int:
    """The numbers in a row of a cube at these levels, with the first attributes fixed."""
    length = 1
    for a in range(depth, len(levels)):
        length *= int(lattice.radix[a, levels[a]])
    return length


@part_of_kernel
def _middle_unknown(grid: Known, begin: int, levels: int) -> int:
    """The level between those that fail and those that pass on a line; -1 where none is unknown."""
    low, high = levels, -1
    for level in range(levels):
        if grid[begin + level] == UNKNOWN:
            low, high = min(low, level), level
    return (low + high) // 2 if high >= 0 else -1


@part_of_kernel
def _find_end(lattice: Lattice, string: Int64s, a: int, passes: bool, end: Int64s) -> None:
    """How far a test reaches: to the lowest levels, or to the highest of a box (see `walk_box`)."""
    last = len(string) - 1
    for b in range(len(string)):
        above = lattice.sizes[b] - 1 if b > a or b == last else string[b]
        end[b] = above if passes else 0


@kernel
def walk_box(
    grid: Known,
    lattice: Lattice,
    string: Int64s,
    depth: int,
    rows: int,
    room: Int32s,
    k: int,
    allowed: int,
    patience: int,
    tested: Int64s,
) -> tuple[int, int, int, int, int, int]:
    """Test the unknown strings of a box, general ones first, until none is left or it took long.

    The levels of the first `depth` attributes are fixed; the cube of `string`, which is nowhere
    more general than what is unknown, begins in `room`, which has to be as long as it is times the
    attributes left and one more. `tested` gets the places of the strings that were tested. What is
    more general than one that passes, with other levels fixed, was looked at before.

    Gives how many these are, how many more are known, the numbers looked at, and of the last string
    that was tested classes, records in those smaller than k, and records of the smallest.
    """
    free = len(lattice.sizes)
    levels = np.zeros((free + 1, free), dtype=np.int64)
    begins, row_counts = np.zeros((2, free + 1), dtype=np.int64)
    turn = lattice.sizes - 1
    levels[depth], row_counts[depth] = string, rows
    lowest, end = string.copy(), string.copy()
    targets = np.empty(_row_length(lattice, string, depth), dtype=np.int32)
    tests, others, work = 0, 0, 0
    classes, small, smallest = 0, 0, 0
    a = depth
    while a >= depth:
        place = (levels[a, :a] * lattice.places[:a]).sum()
        level = turn[a]
        if a == free - 1:
            level = _middle_unknown(grid, place, lattice.sizes[a])
        if level < 0 or (work > patience and tests > 0):
            a -= 1
            continue
        turn[a] = level - 1
        place += level * lattice.places[a]
        lowest[:a] = levels[a, :a]
        lowest[a] = level
        unknown = _lowest_unknown(grid, place, a + 1, lattice, lowest)
        if unknown == 0:
            continue
        begin, kept = _fix_attribute(
            room, begins[a], row_counts[a], a, levels[a], lowest, lattice, targets
        )
        work += begin - begins[a]
        place = (lowest * lattice.places).sum()
        if grid[place] == UNKNOWN:
            length = kept * _row_length(lattice, lowest, a + 1)
            classes, small, smallest = _classes_of(room, begin, begin + length, k)
            tested[tests] = place
            tests += 1
            _find_end(lattice, lowest, a, small <= allowed, end)
            mark = PASSES if small <= allowed else FAILS
            others += _mark_known(grid, lowest, end, lattice, mark) - 1
            if small <= allowed or unknown == 1:
                continue
        if a < free - 1:
            a += 1
            levels[a], begins[a], row_counts[a] = lowest, begin, kept
            turn[a] = lattice.sizes[a] - 1
    return tests, others, work, classes, small, smallest
