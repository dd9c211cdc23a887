"""Counting the classes of a generalisation string.

A tuple is a row of bit fields: attribute a lies in word `word[a]`, `shift[a]` bits from the right.
`start[a, level]` is where the attribute's labels of a level begin in the flat array `labels`, and
`radix[a, level]` is how many labels the level has. The attributes at a level of one label say
nothing and are passed over, so general strings cost less than specific ones.

The labels of a tuple become one mixed-radix number, its key. Where the keys are few they are
addresses in a table; else they are hashed into one. Where the product of the radices passes 63 bits
the key wraps around, so that different tuples may share it: then the labels are compared too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels import Ints, Longs, kernel

__all__ = ["class_everywhere", "collect_classes", "count_classes"]

Words = npt.NDArray[np.uint64]
Chunks = tuple[Longs, Words, Words, Longs, Longs, Longs]

_LARGEST_KEY = np.int64(2**62)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2**64 / golden ratio: spreads keys over slots
_MOST_BITS = 12  # a table of 32 kB stays in the fastest cache
_ONE = np.uint64(1)
_BLOCK = 1024  # groups whose keys stay in the fastest cache


@kernel
def count_classes(
    tuples: Words,
    members: Ints,
    sizes: Ints,
    levels: Longs,
    word: Longs,
    shift: Words,
    mask: Words,
    start: Longs,
    radix: Longs,
    labels: Ints,
    k: int,
    most: int,
    stop: bool,
    slot_of: Ints,
    slot_sizes: Ints,
    slot_keys: Longs,
    slot_members: Ints,
) -> tuple[int, int, int, int]:
    """Merge groups of records into the classes of a string.

    Group g has `sizes[g]` records and looks like tuple `members[g]`. Its class gets a slot,
    `slot_of[g]`, where `slot_sizes` adds up the records; `collect_classes` lists them. With `stop`,
    more than `most` classes are not counted to the end. Slots number a power of two, at least twice
    the groups; `slot_keys` and `slot_members` are room to work in.

    First the keys of a block of groups, then their slots: the processor can run ahead in loops that
    do one thing, and there is no branch on whether a class is new, which it could not foresee.

    Gives the number of classes (`most` + 1 if it stopped there), the number of records in classes
    smaller than k, the size of the smallest class, and its first member (or, of more than `most`
    classes, that of the first class too many).
    """
    groups = len(members)
    first, stride, product, wide = _place_values(levels, start, radix)
    chunks = _chunks(first, stride, word, shift, mask, radix, labels, groups)
    places = np.int64(16)
    down = np.uint64(60)  # the upper bits of a spread key are its slot
    while places < 2 * groups:
        places *= 2
        down -= _ONE
    direct = not wide and product <= min(4 * groups + 64, len(slot_sizes))
    if direct:
        places = product
    slot_sizes[:places] = 0
    if not direct:
        slot_keys[:places] = -1

    classes, one_too_many = 0, -1
    keys = np.empty(min(groups, _BLOCK), dtype=np.int64)
    for begin in range(0, groups, _BLOCK):
        block = members[begin : begin + _BLOCK]
        records = sizes[begin : begin + _BLOCK]
        slots = slot_of[begin : begin + _BLOCK]
        _find_keys(tuples, block, *chunks, labels, keys)
        if direct:
            found, too_many = _place_directly(
                keys, block, records, most - classes, slots, slot_sizes
            )
        elif wide:
            found, too_many = _place_wide(
                keys,
                block,
                records,
                most - classes,
                slots,
                slot_sizes,
                down,
                slot_keys,
                slot_members,
                tuples,
                first,
                word,
                shift,
                mask,
                labels,
            )
        else:
            found, too_many = _place_hashed(
                keys, block, records, most - classes, slots, slot_sizes, down, slot_keys
            )
        classes += found
        if one_too_many < 0 <= too_many:
            one_too_many = too_many
            if stop:
                return most + 1, 0, 0, one_too_many

    small, smallest = np.int64(0), _LARGEST_KEY
    for place in range(places):
        size = np.int64(slot_sizes[place])
        small += size * (size < k)
        smallest = min(smallest, size + _LARGEST_KEY * (size == 0))  # of a free slot: no number
    if one_too_many >= 0:
        return classes, int(small), int(smallest), one_too_many
    least = 0
    while slot_sizes[slot_of[least]] != smallest:
        least += 1
    return classes, int(small), int(smallest), int(members[least])


@kernel
def _place_directly(
    keys: Longs, members: Ints, sizes: Ints, most: int, slot_of: Ints, slot_sizes: Ints
) -> tuple[int, int]:
    """Keys are slots. Gives how many classes are new, and a member of the first one too many."""
    classes, one_too_many = 0, -1
    for g in range(len(members)):
        slot = np.uint64(keys[g])
        before = slot_sizes[slot]
        slot_sizes[slot] = before + sizes[g]
        slot_of[g] = np.int32(slot)
        classes += before == 0
        if classes > most and one_too_many < 0:
            one_too_many = int(members[g])
    return classes, one_too_many


@kernel
def _place_hashed(
    keys: Longs,
    members: Ints,
    sizes: Ints,
    most: int,
    slot_of: Ints,
    slot_sizes: Ints,
    down: np.uint64,
    slot_keys: Longs,
) -> tuple[int, int]:
    """As `_place_directly`, with keys hashed; those of free slots are -1."""
    classes, one_too_many = 0, -1
    last = (_ONE << (np.uint64(64) - down)) - _ONE
    for g in range(len(members)):
        key = keys[g]
        slot = (np.uint64(key) * _SPREAD) >> down
        while slot_keys[slot] != key and slot_keys[slot] >= 0:
            slot = (slot + _ONE) & last
        classes += slot_keys[slot] < 0
        slot_keys[slot] = key
        slot_sizes[slot] += sizes[g]
        slot_of[g] = np.int32(slot)
        if classes > most and one_too_many < 0:
            one_too_many = int(members[g])
    return classes, one_too_many


@kernel
def _place_wide(
    keys: Longs,
    members: Ints,
    sizes: Ints,
    most: int,
    slot_of: Ints,
    slot_sizes: Ints,
    down: np.uint64,
    slot_keys: Longs,
    slot_members: Ints,
    tuples: Words,
    first: Longs,
    word: Longs,
    shift: Words,
    mask: Words,
    labels: Ints,
) -> tuple[int, int]:
    """As `_place_hashed`, where keys wrap around, so that different tuples may share one."""
    classes, one_too_many = 0, -1
    last = (_ONE << (np.uint64(64) - down)) - _ONE
    for g in range(len(members)):
        key, t = keys[g], members[g]
        slot = (np.uint64(key) * _SPREAD) >> down
        while slot_sizes[slot] != 0:
            if slot_keys[slot] == key and _same(
                tuples, t, slot_members[slot], first, word, shift, mask, labels
            ):
                break
            slot = (slot + _ONE) & last
        classes += slot_sizes[slot] == 0
        slot_keys[slot] = key
        slot_members[slot] = t
        slot_sizes[slot] += sizes[g]
        slot_of[g] = np.int32(slot)
        if classes > most and one_too_many < 0:
            one_too_many = int(t)
    return classes, one_too_many


@kernel
def collect_classes(
    members: Ints,
    slot_of: Ints,
    slot_sizes: Ints,
    out_members: Ints,
    out_sizes: Ints,
    out_numbers: Ints,
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
    counts: Ints,
    member: int,
    lowest: Longs,
    sizes: Longs,
    word: Longs,
    shift: Words,
    mask: Words,
    start: Longs,
    radix: Longs,
    labels: Ints,
    grid: Ints,
) -> None:
    """The size of one tuple's class at every string, into `grid` (the first attribute slowest).

    Another tuple is in its class from the levels on at which their labels agree. Those levels are a
    point of the grid: count the records of every point, then add up along every attribute, so that
    a point holds all records that agree there or below.
    """
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
    chunk_word, chunk_shift, chunk_mask, chunk_first, chunk_stride, partial = _chunks(
        first, stride, word, shift, mask, radix, agree, len(counts)
    )
    grid[:] = 0
    for t in range(len(counts)):
        point = np.int64(0)
        for i in range(len(chunk_word)):
            field = np.int64((tuples[t, chunk_word[i]] >> chunk_shift[i]) & chunk_mask[i])
            if chunk_stride[i] == 0:
                point += partial[chunk_first[i] + field]
            else:
                point += agree[chunk_first[i] + field] * chunk_stride[i]
        grid[point] += counts[t]
    for a in range(attributes):
        if stride[a] > 0:
            whole = stride[a] * sizes[a]
            for begin in range(0, len(grid), whole):
                for i in range(begin + stride[a], begin + whole):
                    grid[i] += grid[i - stride[a]]


@kernel
def _find_keys(
    tuples: Words,
    members: Ints,
    chunk_word: Longs,
    chunk_shift: Words,
    chunk_mask: Words,
    chunk_first: Longs,
    chunk_stride: Longs,
    partial: Longs,
    labels: Ints,
    keys: Longs,
) -> None:
    """The key of every group. Unsigned indices spare the compiler counting from the end."""
    for g in range(len(members)):
        t = np.uint64(members[g])
        key = np.int64(0)
        for i in range(len(chunk_word)):
            field = (tuples[t, chunk_word[i]] >> chunk_shift[i]) & chunk_mask[i]
            place = np.uint64(chunk_first[i]) + field
            if chunk_stride[i] == 0:
                key += partial[place]
            else:
                key += labels[place] * chunk_stride[i]
        keys[g] = key


@kernel
def _place_values(levels: Longs, start: Longs, radix: Longs) -> tuple[Longs, Longs, np.int64, bool]:
    """Per attribute where its labels begin and its place value; the product of the radices.

    The place value of an attribute with one label is 0. Past 63 bits (then the last item is true)
    place values are large odd numbers that wrap around.
    """
    first = np.empty(len(levels), dtype=np.int64)
    stride = np.zeros(len(levels), dtype=np.int64)
    product = np.int64(1)
    wide = False
    for a in range(len(levels)):
        first[a] = start[a, levels[a]]
        count = radix[a, levels[a]]
        if count > 1:
            stride[a] = product
            if wide or product > _LARGEST_KEY // count:
                wide = True
                product = np.int64(np.uint64(product | 1) * _SPREAD)
            else:
                product *= count
    return first, stride, product, wide


@kernel
def _chunks(
    first: Longs,
    stride: Longs,
    word: Longs,
    shift: Words,
    mask: Words,
    radix: Longs,
    labels: Ints,
    groups: int,
) -> Chunks:
    """Neighbouring attributes that are looked up together: their part of the key, in one table.

    The more groups there are to look up, the more bits a table may span. An attribute that is too
    wide for a table keeps its place value and is looked up by its labels; the others have 0 there.
    """
    attributes = len(first)
    most_bits = 1
    while most_bits < _MOST_BITS and (16 << most_bits) < groups:
        most_bits += 1
    chunk_word = np.zeros(attributes, dtype=np.int64)
    chunk_shift = np.zeros(attributes, dtype=np.uint64)
    chunk_mask = np.zeros(attributes, dtype=np.uint64)
    chunk_first = np.zeros(attributes, dtype=np.int64)
    chunk_stride = np.zeros(attributes, dtype=np.int64)
    chunk_of = np.full(attributes, -1, dtype=np.int64)
    chunks, length = 0, np.int64(0)
    for a in range(attributes):
        if stride[a] == 0:
            continue
        last = chunks - 1
        if last >= 0 and chunk_stride[last] == 0 and chunk_word[last] == word[a]:
            wider = (mask[a] << (shift[a] - chunk_shift[last])) | chunk_mask[last]
            if wider >> np.uint64(most_bits) == 0:
                length += np.int64(wider - chunk_mask[last])
                chunk_mask[last] = wider
                chunk_of[a] = last
                continue
        chunk_word[chunks], chunk_shift[chunks] = word[a], shift[a]
        chunk_mask[chunks] = mask[a]
        if mask[a] >> np.uint64(most_bits) == 0:
            chunk_of[a] = chunks
            chunk_first[chunks] = length
            length += np.int64(mask[a]) + 1
        else:
            chunk_first[chunks], chunk_stride[chunks] = first[a], stride[a]
        chunks += 1

    partial = np.zeros(length, dtype=np.int64)
    for a in range(attributes):
        c = chunk_of[a]
        if c < 0:
            continue
        begin = chunk_first[c]
        size = np.int64(1) << np.int64(shift[a] - chunk_shift[c])
        below = np.int64(chunk_mask[c]) & (size - 1)  # the fields of the chunk that are filled in
        for value in range(radix[a].max() - 1, -1, -1):  # 0 last, for the others copy its entries
            part = labels[first[a] + value] * stride[a]
            for i in range(below + 1):
                partial[begin + value * size + i] = partial[begin + i] + part
    return (
        chunk_word[:chunks],
        chunk_shift[:chunks],
        chunk_mask[:chunks],
        chunk_first[:chunks],
        chunk_stride[:chunks],
        partial,
    )


@kernel
def _same(
    tuples: Words,
    t: int,
    u: int,
    first: Longs,
    word: Longs,
    shift: Words,
    mask: Words,
    labels: Ints,
) -> bool:
    """Whether two tuples have the same labels."""
    for a in range(len(first)):
        x = np.int64((tuples[t, word[a]] >> shift[a]) & mask[a])
        y = np.int64((tuples[u, word[a]] >> shift[a]) & mask[a])
        if labels[first[a] + x] != labels[first[a] + y]:
            return False
    return True
