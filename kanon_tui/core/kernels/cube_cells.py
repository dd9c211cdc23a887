"""Fixing one attribute after the other where most combinations have no records (see `cube_room`).

Cells that become one are found in a table of the places of a row, which is cleared cell by cell.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import called_by_kernels, kernel, part_of_kernel
from kanon_tui.core.kernels.cube_room import Lattice, Room, fill_targets
from kanon_tui.core.kernels.tuple_keys import TupleLayout
from kanon_tui.core.numeric import Int32s, Int64s, Words

__all__ = ["add_cells", "fill_cells", "fix_cells", "lost_by_cells"]


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
    for part in range(parts + 1):
        begin[part] = 0
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


@called_by_kernels
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
def _small_records(sizes: Int32s, begin: int, end: int, k: np.int32) -> int:
    """The records of classes smaller than k."""
    small = np.int32(0)
    for i in range(np.uint64(begin), np.uint64(end)):
        small += sizes[i] * np.int32(sizes[i] < k)
    return int(small)


@called_by_kernels
def add_cells(room: Room, source: int, sums: int, parts: int) -> None:
    """The records of every part of a source of cells."""
    for part in range(parts):
        records = np.int32(0)
        for i in range(room.begin[source + part], room.begin[source + part + 1]):
            records += room.sizes[i]
        room.numbers[np.uint64(sums + part)] = records


@part_of_kernel
def _records_of(room: Room, sums: int, label: int) -> int:
    """The records of a row with a label, from those of its parts."""
    records = np.int32(0)
    for i in range(room.first_label[label], room.first_label[label + 1]):
        records += room.numbers[np.uint64(sums + room.sorted_labels[i])]
    return int(records)


@called_by_kernels
def lost_by_cells(room: Room, sums: int, parts: int, old: int, new: int, k: int) -> tuple[int, int]:
    """The records of rows of fewer than k, when one more attribute is fixed; how many have more."""
    lost, rows = 0, 0
    for row in range(sums, sums + parts, old):
        for label in range(new):
            records = _records_of(room, row, label)
            lost += records if records < k else 0
            rows += int(records >= k)
    return lost, rows


@part_of_kernel
def _touch_cells(room: Room, begin: int, end: int, touched: int) -> int:
    """Add cells up in `records`; gives how many places of it have any."""
    for i in range(begin, end):
        place = np.uint64(room.targets[np.uint64(room.keys[i])])
        room.touched[touched] = place
        touched += int(room.records[place] == 0)
        room.records[place] += room.sizes[i]
    return touched


@called_by_kernels
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


@called_by_kernels
def fix_cells(
    room: Room,
    source: int,
    begin: int,
    parts: int,
    stride: int,
    a: int,
    low: Int64s,
    high: Int64s,
    lattice: Lattice,
    k: int,
) -> tuple[int, int]:
    """Fix one more attribute; gives the rows of what comes, and its records in small classes.

    As `cube_columns.fix_cube`, of a source of cells. They become cells, or where a stride is given
    a cube with columns of that length.

    `begin` is where the records of the source's parts end, and the cube begins.
    """
    numbers, records = room.numbers, room.records
    _, length = fill_targets(a + 1, len(low) - 1, low, high, lattice, room.targets)
    next_parts = int(lattice.radix[a + 1, high[a + 1]])
    step, above = int(lattice.radix[a, low[a]]), lattice.radix[a, high[a]]
    end = source + parts + 1
    room.begin[end] = room.begin[end - 1]
    for i in range(np.uint64(begin), np.uint64(begin + length * stride)):
        numbers[i] = 0
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
            if below > 0 and stride == 0:
                at = end + kept * next_parts
                _put_cells(room, touched, at, next_parts, length // next_parts)
            for i in range(touched):
                place = np.uint64(room.touched[i])
                if below > 0 and stride > 0:
                    numbers[np.uint64(begin + kept) + place * np.uint64(stride)] = records[place]
                records[place] = 0
            small += below
            kept += int(below > 0)
    return kept, small
