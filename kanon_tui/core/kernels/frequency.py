"""Counting the classes of a generalisation string.

Every tuple has a key (`tuple_keys`). Where keys are few they are addresses in a table; else they
are hashed into one. Keys that wrap around are no proof: then labels are compared too.

Counting costs O(groups · chunks of attributes). `tests/core/full_domain/test_frequency.py` counts
the labels themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.tuple_keys import (
    LARGEST_KEY,
    SPREAD,
    TupleLayout,
    chunks_of,
    find_keys,
    place_values,
    same_labels,
)
from kanon_tui.core.numeric import Int32s, Int64s, Words

__all__ = ["Slots", "TupleLayout", "class_everywhere", "collect_classes", "count_classes"]


_ONE = np.uint64(1)
_BLOCK = 1024  # groups whose keys stay in the fastest cache


class Slots(NamedTuple):
    """Where classes are counted; slots number a power of two, at least twice the groups."""

    of: Int32s
    """Per group its slot."""
    sizes: Int32s
    """Per slot the records of its class."""
    keys: Int64s
    """Per slot its key; room to work in."""
    groups: Int32s
    """Per slot a group of its class, where keys are no proof."""


@kernel
def count_classes(
    tuples: Words,
    sizes: Int32s,
    levels: Int64s,
    layout: TupleLayout,
    k: int,
    most: int,
    stop: bool,
    slots: Slots,
) -> tuple[int, int, int, int]:
    """Merge groups of records into the classes of a string.

    Group g has `sizes[g]` records that look like `tuples[g]`. Its class gets a slot, where the
    records add up; `collect_classes` lists them. With `stop`, more than `most` classes are not
    counted to the end, and there are no more slots than so many need: the fewer, the faster.

    First the keys of a block of groups, then their slots: the processor can run ahead in loops that
    do one thing, and there is no branch on whether a class is new, which it could not foresee.

    Gives the number of classes (`most` + 1 if it stopped there), the number of records in classes
    smaller than k, the size of the smallest class, and its first group (or, of more than `most`
    classes, that of the first class too many).
    """
    groups = len(sizes)
    first, stride, product, wide = place_values(levels, layout)
    chunks = chunks_of(first, stride, layout, layout.labels, groups)
    direct = bool(not wide and product <= min(4 * groups + 64, len(slots.sizes)))
    room = min(groups, most + _BLOCK) if stop else groups
    places, down = _clear_slots(slots, room, product, direct)

    classes, one_too_many = 0, -1
    keys = np.empty(min(groups, _BLOCK), dtype=np.int64)
    for begin in range(0, groups, _BLOCK):
        block = tuples[begin : begin + _BLOCK]
        records = sizes[begin : begin + _BLOCK]
        slot_of = slots.of[begin : begin + _BLOCK]
        left = most - classes
        find_keys(block, *chunks, layout.labels, keys)
        if direct:
            found, too_many = _place_directly(keys, records, left, slot_of, slots.sizes)
        elif wide:
            found, too_many = _place_wide(
                keys, records, left, slot_of, slots, down, tuples, begin, first, layout
            )
        else:
            found, too_many = _place_hashed(
                keys, records, left, slot_of, slots.sizes, down, slots.keys
            )
        classes += found
        if one_too_many < 0 <= too_many:
            one_too_many = begin + too_many
            if stop:
                return most + 1, 0, 0, one_too_many

    small, smallest, least = _smallest(slots, places, groups, k)
    return classes, small, smallest, least if one_too_many < 0 else one_too_many


@inner_kernel
def _clear_slots(
    slots: Slots, room: int, product: np.int64, direct: bool
) -> tuple[np.int64, np.uint64]:
    """Clear the slots that so many classes need; how many, and how far keys are shifted down."""
    places = np.int64(16)
    down = np.uint64(60)  # the upper bits of a spread key are its slot
    while places < 2 * room:
        places *= 2
        down -= _ONE
    if direct:
        places = product
    slots.sizes[:places] = 0
    if not direct:
        slots.keys[:places] = -1
    return places, down


@inner_kernel
def _smallest(slots: Slots, places: np.int64, groups: int, k: int) -> tuple[int, int, int]:
    """Records in classes smaller than k, size of the smallest class, and its first group."""
    slot_of, slot_sizes = slots.of, slots.sizes
    small, smallest = np.int64(0), LARGEST_KEY
    for place in range(places):
        size = np.int64(slot_sizes[place])
        small += size * (size < k)
        smallest = min(smallest, size + LARGEST_KEY * (size == 0))  # of a free slot: no number
    least = 0
    while least < groups and slot_sizes[slot_of[least]] != smallest:
        least += 1
    return int(small), int(smallest), least


@inner_kernel
def _place_directly(
    keys: Int64s, sizes: Int32s, most: int, slot_of: Int32s, slot_sizes: Int32s
) -> tuple[int, int]:
    """Keys are slots. Gives how many classes are new, and the group of the first one too many."""
    classes, one_too_many = 0, -1
    for g in range(len(sizes)):
        slot = np.uint64(keys[g])
        before = slot_sizes[slot]
        slot_sizes[slot] = before + sizes[g]
        slot_of[g] = np.int32(slot)
        classes += before == 0
        if classes > most and one_too_many < 0:
            one_too_many = g
    return classes, one_too_many


@inner_kernel
def _place_hashed(
    keys: Int64s,
    sizes: Int32s,
    most: int,
    slot_of: Int32s,
    slot_sizes: Int32s,
    down: np.uint64,
    slot_keys: Int64s,
) -> tuple[int, int]:
    """As `_place_directly`, with keys hashed; those of free slots are -1."""
    classes, one_too_many = 0, -1
    last = (_ONE << (np.uint64(64) - down)) - _ONE
    for g in range(len(sizes)):
        key = keys[g]
        slot = (np.uint64(key) * SPREAD) >> down
        while slot_keys[slot] != key and slot_keys[slot] >= 0:
            slot = (slot + _ONE) & last
        classes += slot_keys[slot] < 0
        slot_keys[slot] = key
        slot_sizes[slot] += sizes[g]
        slot_of[g] = np.int32(slot)
        if classes > most and one_too_many < 0:
            one_too_many = g
    return classes, one_too_many


@inner_kernel
def _place_wide(
    keys: Int64s,
    sizes: Int32s,
    most: int,
    slot_of: Int32s,
    slots: Slots,
    down: np.uint64,
    tuples: Words,
    begin: int,
    first: Int64s,
    layout: TupleLayout,
) -> tuple[int, int]:
    """As `_place_hashed`, where keys wrap around, so that different tuples may share one."""
    _, slot_sizes, slot_keys, slot_groups = slots
    classes, one_too_many = 0, -1
    last = (_ONE << (np.uint64(64) - down)) - _ONE
    for g in range(len(sizes)):
        key, t = keys[g], begin + g
        slot = (np.uint64(key) * SPREAD) >> down
        while slot_sizes[slot] != 0:
            if slot_keys[slot] == key and same_labels(tuples, t, slot_groups[slot], first, layout):
                break
            slot = (slot + _ONE) & last
        classes += slot_sizes[slot] == 0
        slot_keys[slot] = key
        slot_groups[slot] = np.int32(t)
        slot_sizes[slot] += sizes[g]
        slot_of[g] = np.int32(slot)
        if classes > most and one_too_many < 0:
            one_too_many = g
    return classes, one_too_many


@kernel
def collect_classes(
    members: Int32s,
    slot_of: Int32s,
    slot_sizes: Int32s,
    out_members: Int32s,
    out_sizes: Int32s,
    out_numbers: Int32s,
) -> None:
    """List the classes of `count_classes` in order of first appearance.

    A class gets its first member and its size; `out_numbers[g]`, unless it is empty, gets the class
    of group g. The slots then hold the numbers of the classes, as negative ones.
    """
    classes = 0
    for g in range(len(members)):
        slot = np.uint64(slot_of[g])
        if slot_sizes[slot] > 0:
            out_members[classes] = members[g]
            out_sizes[classes] = slot_sizes[slot]
            slot_sizes[slot] = -1 - classes
            classes += 1
        if len(out_numbers):
            out_numbers[g] = -1 - slot_sizes[slot]


@kernel
def class_everywhere(
    tuples: Words,
    counts: Int32s,
    member: int,
    lowest: Int64s,
    sizes: Int64s,
    layout: TupleLayout,
    grid: Int32s,
) -> None:
    """The size of one tuple's class at every string, into `grid` (the first attribute slowest).

    Another tuple is in its class from the levels on at which their labels agree. Those levels are a
    point of the grid: count the records of every point, then add up along every attribute, so that
    a point holds all records that agree there or below.
    """
    word, shift, mask, start, radix, labels = layout
    attributes = len(sizes)
    stride = np.zeros(attributes, dtype=np.int64)
    first = np.zeros(attributes, dtype=np.int64)
    place, length = np.int64(1), np.int64(0)
    for a in range(attributes - 1, -1, -1):
        first[a] = length
        if sizes[a] > 1:
            stride[a] = place
            place *= sizes[a]
        length += radix[a, lowest[a]]
    agree = np.zeros(length, dtype=np.int32)
    for a in range(attributes):
        mine = np.int64((tuples[member, word[a]] >> shift[a]) & mask[a])
        for value in range(radix[a, lowest[a]]):
            begin = start[a, lowest[a]]
            while labels[begin + value] != labels[begin + mine]:
                agree[first[a] + value] += 1
                begin = start[a, lowest[a] + agree[first[a] + value]]
    chunks = chunks_of(first, stride, layout, agree, len(counts))
    points = np.empty(min(len(counts), _BLOCK), dtype=np.int64)
    grid[:] = 0
    for begin in range(0, len(counts), _BLOCK):
        records = counts[begin : begin + _BLOCK]
        find_keys(tuples[begin : begin + _BLOCK], *chunks, agree, points)
        for t in range(len(records)):
            grid[points[t]] += records[t]
    for a in range(attributes):
        if stride[a] > 0:
            whole = stride[a] * sizes[a]
            for begin in range(0, len(grid), whole):
                for i in range(begin + stride[a], begin + whole):
                    grid[i] += grid[i - stride[a]]
