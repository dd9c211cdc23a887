"""Fixing one attribute after the other of a cube: the rows that come of it, and their records.

A *source* has rows, one for every combination of labels of the attributes that are fixed, and in a
row the records of every combination of labels of the others, at some level each. The labels of the
first of these divide a row into *parts*. Fixing it at a level makes a row of all parts whose labels
become one there; the others may be raised at the same time.

A source is either a *cube*, which has a place for every combination, or *cells*, which are those
that have records, part by part. Sources begin sparse; cubes are for what comes later, when they are
hardly larger than cells and can be added up in runs.

Rows are left out of which nothing can change when the other attributes are raised: those of fewer
than k records, which have to go, and those without a class smaller than k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.tuple_keys import TupleLayout
from kanon_tui.core.numeric import Int32s, Int64s, Words

__all__ = [
    "Lattice", "Room", "add_parts", "fill_cells", "fix_cells", "fix_cube", "lost_records",
    "row_length", "sort_labels",
]  # fmt: skip

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


class Room(NamedTuple):
    """Where sources stand, one behind the other, and what is needed to make one of another."""

    numbers: Int32s
    """Cubes; and the records of the parts of every source."""
    begin: Int64s
    """Per part of a source of cells where these begin; at its end one more."""
    keys: Int32s
    """Per cell its place in a part."""
    sizes: Int32s
    """Per cell its records."""
    targets: Int32s
    """Where the places of a part go."""
    records: Int32s
    """Zeros, for the places of a part."""
    touched: Int32s
    sorted_labels: Int64s
    """The labels of the attribute that is fixed, sorted by what they become."""
    first_label: Int64s
    """Per label that they become where these begin; at the end one more."""


@kernel
def fill_cells(
    tuples: Words,
    sizes: Int32s,
    rows: Int32s,
    attributes: Int64s,
    levels: Int64s,
    layout: TupleLayout,
    parts: int,
    k: int,
    room: Room,
) -> int:
    """Put groups of records into cells of these attributes; a row below 0 leaves one out.

    Gives the records of cells smaller than k.
    """
    word, shift, mask = layout.word[attributes], layout.shift[attributes], layout.mask[attributes]
    first, radix = np.empty_like(attributes), np.empty_like(attributes)
    for i, a in enumerate(attributes):
        first[i], radix[i] = layout.start[a, levels[a]], layout.radix[a, levels[a]]
    begin, groups = room.begin, len(sizes)
    part_of, keys = np.empty(groups, dtype=np.int32), np.empty(groups, dtype=np.int32)
    begin[: parts + 1] = 0
    for g in range(groups):
        part_of[g] = -1
        if rows[g] < 0:
            continue
        field = (tuples[g, word[0]] >> shift[0]) & mask[0]
        part = rows[g] * radix[0] + layout.labels[np.uint64(first[0]) + field]
        key = np.int64(0)
        for i in range(1, len(first)):
            field = (tuples[g, word[i]] >> shift[i]) & mask[i]
            key = key * radix[i] + layout.labels[np.uint64(first[i]) + field]
        part_of[g], keys[g] = part, key
        begin[part + 1] += 1
    for part in range(parts):
        begin[part + 1] += begin[part]
    cells = begin[parts]
    for g in range(groups - 1, -1, -1):
        if part_of[g] >= 0:
            begin[part_of[g] + 1] -= 1  # moves down to where the part begins
            at = begin[part_of[g] + 1]
            room.keys[at], room.sizes[at] = keys[g], sizes[g]
    for part in range(parts):
        begin[part] = begin[part + 1]
    begin[parts] = cells
    _join_equal(room, parts)
    return _small_records(room.sizes, 0, begin[parts], np.int32(k))


@inner_kernel
def _join_equal(room: Room, parts: int) -> None:
    """Make one of the cells of a part that are at the same place."""
    at, end = 0, room.begin[0]
    for part in range(parts):
        begin, end = end, room.begin[part + 1]
        for i in range(begin, end):
            room.records[np.uint64(room.keys[i])] += room.sizes[i]
        room.begin[part] = at
        for i in range(begin, end):
            key = np.uint64(room.keys[i])
            if room.records[key] > 0:
                room.keys[at], room.sizes[at] = key, room.records[key]
                room.records[key] = 0
                at += 1
    room.begin[parts] = at


@part_of_kernel
def row_length(lattice: Lattice, levels: Int64s, depth: int) -> int:
    """The places in a row at these levels, with the first attributes fixed."""
    length = 1
    for a in range(depth, len(levels)):
        length *= int(lattice.radix[a, levels[a]])
    return length


@part_of_kernel
def _label_above(lattice: Lattice, a: int, label: int, low: int, high: int) -> int:
    """What a label becomes on a higher level."""
    for level in range(low, high):
        label = int(lattice.parents[lattice.start[a, level] + label])
    return label


@part_of_kernel
def sort_labels(lattice: Lattice, a: int, low: int, high: int, room: Room) -> None:
    """Sort the labels of an attribute by what they become on a higher level."""
    first, old, new = room.first_label, lattice.radix[a, low], lattice.radix[a, high]
    for above in range(new + 1):
        first[above] = 0
    for label in range(old):
        first[_label_above(lattice, a, label, low, high) + 1] += 1
    for above in range(new):
        first[above + 1] += first[above]
    for label in range(old - 1, -1, -1):
        above = _label_above(lattice, a, label, low, high)
        first[above + 1] -= 1  # moves down to where those of this label begin
        room.sorted_labels[first[above + 1]] = label
    for above in range(new):
        first[above] = first[above + 1]
    first[new] = old


@part_of_kernel
def _fill_targets(
    first: int, last: int, low: Int64s, high: Int64s, lattice: Lattice, targets: Int32s
) -> tuple[int, int]:
    """Where the places of a part go when its attributes are raised; lengths before and after."""
    old, new = 1, 1
    targets[0] = 0
    for a in range(last, first - 1, -1):
        for label in range(lattice.radix[a, low[a]] - 1, -1, -1):  # the others copy what 0 has
            above = _label_above(lattice, a, label, low[a], high[a])
            for i in range(old):
                targets[label * old + i] = targets[i] + above * new
        old *= int(lattice.radix[a, low[a]])
        new *= int(lattice.radix[a, high[a]])
    return old, new


@part_of_kernel
def add_parts(room: Room, source: int, sums: int, parts: int, length: int) -> None:
    """The records of every part: of a cube with parts of so many places, or of cells if 0."""
    numbers = room.numbers
    for part in range(parts):
        records = np.int32(0)
        if length:
            at = np.uint64(source + part * length)
            for i in range(np.uint64(length)):
                records += numbers[at + i]
        else:
            for i in range(room.begin[source + part], room.begin[source + part + 1]):
                records += room.sizes[i]
        numbers[np.uint64(sums + part)] = records


@part_of_kernel
def _records_of(room: Room, sums: int, label: int) -> int:
    """The records of a row with a label, from those of its parts."""
    records = np.int32(0)
    for i in range(room.first_label[label], room.first_label[label + 1]):
        records += room.numbers[np.uint64(sums + room.sorted_labels[i])]
    return int(records)


@part_of_kernel
def lost_records(room: Room, sums: int, parts: int, old: int, new: int, k: int) -> tuple[int, int]:
    """The records of rows of fewer than k, when one more attribute is fixed; how many have more."""
    lost, rows = 0, 0
    for row in range(sums, sums + parts, old):
        for label in range(new):
            records = _records_of(room, row, label)
            lost += records if records < k else 0
            rows += int(records >= k)
    return lost, rows


@part_of_kernel
def _small_records(sizes: Int32s, begin: int, end: int, k: np.int32) -> int:
    """The records of classes smaller than k."""
    small = np.int32(0)
    for i in range(np.uint64(begin), np.uint64(end)):
        small += sizes[i] * np.int32(sizes[i] < k)
    return int(small)


@part_of_kernel
def _add_up(numbers: Int32s, source: int, old: int, begin: int, run: int, targets: Int32s) -> None:
    """Add `old` runs up. Unsigned indices let long runs be vectorised."""
    at, to = np.uint64(source), np.uint64(begin)
    if run == 1:
        for i in range(np.uint64(old)):
            numbers[to + np.uint64(targets[i])] += numbers[at + i]
        return
    for part in range(np.uint64(old)):
        target = to + np.uint64(targets[part]) * np.uint64(run)
        for i in range(np.uint64(run)):
            numbers[target + i] += numbers[at + part * np.uint64(run) + i]


@inner_kernel
def fix_cube(
    room: Room,
    source: int,
    begin: int,
    parts: int,
    a: int,
    low: Int64s,
    high: Int64s,
    lattice: Lattice,
    k: int,
) -> tuple[int, int]:
    """A cube with one more attribute fixed; gives its rows, and its records in small classes.

    The source stands at levels `low`, the new cube at `high`. The records of the source's parts
    stand before the new cube. `sort_labels` was called before.
    """
    run, last, numbers = 1, len(low) - 1, room.numbers
    while last > a and low[last] == high[last]:
        run *= int(lattice.radix[last, low[last]])
        last -= 1
    if run < _LONG and last > a:
        run, last = 1, len(low) - 1
    old, new = _fill_targets(a + 1, last, low, high, lattice, room.targets)
    step, above, length = int(lattice.radix[a, low[a]]), lattice.radix[a, high[a]], new * run
    kept, small = 0, 0
    for row in range(0, parts, step):
        for label in range(above):
            if _records_of(room, begin - parts + row, label) < k:
                continue
            at = begin + kept * length
            for i in range(np.uint64(at), np.uint64(at + length)):
                numbers[i] = 0
            for i in range(room.first_label[label], room.first_label[label + 1]):
                part = source + (row + room.sorted_labels[i]) * old * run
                _add_up(numbers, part, old, at, run, room.targets)
            below = _small_records(numbers, at, at + length, np.int32(k))
            small += below
            kept += int(below > 0)
    return kept, small


@part_of_kernel
def _touch_cells(room: Room, begin: int, end: int, touched: int) -> int:
    """Add cells up in `records`; gives how many places of it have any."""
    for i in range(begin, end):
        place = np.uint64(room.targets[np.uint64(room.keys[i])])
        room.touched[touched] = place
        touched += int(room.records[place] == 0)
        room.records[place] += room.sizes[i]
    return touched


@part_of_kernel
def _put_cells(room: Room, touched: int, begin: int, parts: int, length: int) -> None:
    """List places that were touched as cells of a row of parts of so many places."""
    first, wide = room.begin[begin], np.uint32(length)
    for part in range(begin + 1, begin + parts + 1):
        room.begin[part] = 0
    for i in range(touched):
        room.begin[begin + 1 + np.uint32(room.touched[i]) // wide] += 1
    room.begin[begin] = first
    for part in range(begin, begin + parts):
        room.begin[part + 1] += room.begin[part]
    end = room.begin[begin + parts]
    for i in range(touched):
        place = np.uint32(room.touched[i])
        row = place // wide
        room.begin[begin + 1 + row] -= 1  # moves down to where the part begins
        at = room.begin[begin + 1 + row]
        room.keys[at], room.sizes[at] = place - row * wide, room.records[place]
    for part in range(begin, begin + parts):
        room.begin[part] = room.begin[part + 1]
    room.begin[begin + parts] = end


@inner_kernel
def fix_cells(
    room: Room,
    source: int,
    begin: int,
    parts: int,
    a: int,
    low: Int64s,
    high: Int64s,
    lattice: Lattice,
    k: int,
    dense: bool,
) -> tuple[int, int]:
    """As `fix_cube`, of a source of cells; they become cells unless a cube is wanted (`dense`).

    `begin` is where the records of the source's parts end, and the cube begins.
    """
    numbers, records = room.numbers, room.records
    _, length = _fill_targets(a + 1, len(low) - 1, low, high, lattice, room.targets)
    next_parts = int(lattice.radix[a + 1, high[a + 1]])
    step, above = int(lattice.radix[a, low[a]]), lattice.radix[a, high[a]]
    end = source + parts + 1
    room.begin[end] = room.begin[end - 1]
    kept, small = 0, 0
    for row in range(0, parts, step):
        for label in range(above):
            if _records_of(room, begin - parts + row, label) < k:
                continue
            touched, below = 0, 0
            for i in range(room.first_label[label], room.first_label[label + 1]):
                part = source + row + room.sorted_labels[i]
                touched = _touch_cells(room, room.begin[part], room.begin[part + 1], touched)
            for i in range(touched):
                size = records[np.uint64(room.touched[i])]
                below += size if size < k else 0
            if dense and below > 0:
                at = begin + kept * length
                for i in range(length):
                    numbers[np.uint64(at + i)] = records[np.uint64(i)]
            elif below > 0:
                at = end + kept * next_parts
                _put_cells(room, touched, at, next_parts, length // next_parts)
            for i in range(touched):
                records[np.uint64(room.touched[i])] = 0
            small += below
            kept += int(below > 0)
    return kept, small
