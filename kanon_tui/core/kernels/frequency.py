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

__all__ = ["class_everywhere", "count_classes"]

Words = npt.NDArray[np.uint64]
Chunks = tuple[Longs, Words, Words, Longs, Longs, Longs]

_LARGEST_KEY = np.int64(2**62)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2**64 / golden ratio: spreads keys over slots
_MOST_BITS = 12  # a table of 32 kB stays in the fastest cache


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
    slots: Ints,
    keys: Longs,
    out_members: Ints,
    out_sizes: Ints,
    out_numbers: Ints,
) -> tuple[int, int, int, int]:
    """Merge groups of records into the classes of a string.

    Group g has `sizes[g]` records and looks like tuple `members[g]`. Class c, numbered in order of
    first appearance, gets its first member and its size in `out_members[c]` and `out_sizes[c]`, and
    `out_numbers[g]` (unless it is empty) the class of group g. With `stop`, more than `most`
    classes are not counted to the end. `slots` needs a power of two of places, at least twice the
    groups.

    Gives the number of classes (`most` + 1 if it stopped there), the number of records in classes
    smaller than k, the size of the smallest class, and its first member (or, of more than `most`
    classes, that of the first class too many).
    """
    groups = len(members)
    first, stride, product, wide = _place_values(levels, start, radix)
    chunk_word, chunk_shift, chunk_mask, chunk_first, chunk_stride, partial = _chunks(
        first, stride, word, shift, mask, radix, labels, groups
    )
    direct = not wide and product <= min(16 * groups + 64, len(slots))
    places = product if direct else np.int64(16)
    while not direct and places < 2 * groups:
        places *= 2
    slots[:places] = -1
    down = np.uint64(64)  # the upper bits of a spread key are its slot
    size = places
    while size > 1:
        size //= 2
        down -= np.uint64(1)

    classes = 0
    one_too_many = -1
    for g in range(groups):
        t = members[g]
        key = np.int64(0)
        for i in range(len(chunk_word)):
            field = np.int64((tuples[t, chunk_word[i]] >> chunk_shift[i]) & chunk_mask[i])
            if chunk_stride[i] == 0:
                key += partial[chunk_first[i] + field]
            else:
                key += labels[chunk_first[i] + field] * chunk_stride[i]
        slot = key if direct else np.int64((np.uint64(key) * _SPREAD) >> down)
        c = np.int64(slots[slot])
        while c >= 0 and not direct:
            if keys[c] == key and (
                not wide or _same(tuples, t, out_members[c], first, word, shift, mask, labels)
            ):
                break
            slot = (slot + 1) & (places - 1)
            c = np.int64(slots[slot])
        if c < 0:
            if classes == most:
                one_too_many = int(t)
                if stop:
                    return classes + 1, 0, 0, one_too_many
            c = np.int64(classes)
            classes += 1
            slots[slot] = c
            keys[c] = key
            out_members[c] = t
            out_sizes[c] = 0
        out_sizes[c] += sizes[g]
        if len(out_numbers):
            out_numbers[g] = c

    small, least = 0, 0
    for i in range(classes):
        if out_sizes[i] < out_sizes[least]:
            least = i
        if out_sizes[i] < k:
            small += int(out_sizes[i])
    member = int(out_members[least]) if one_too_many < 0 else one_too_many
    return classes, small, int(out_sizes[least]), member


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
