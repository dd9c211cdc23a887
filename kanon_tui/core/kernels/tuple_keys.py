"""The key of a tuple at a generalisation string: one number that equal labels share.

A tuple is a row of bit fields, which `TupleLayout` describes. The attributes at a level of one
label say nothing and are passed over, so general strings cost less than specific ones.

The labels of a tuple become one mixed-radix number. Where the product of the radices passes 63 bits
it wraps around, so that different tuples may share it: then `same_labels` compares their labels.

A key costs one look-up per chunk of attributes. `tests/core/full_domain/test_frequency.py` compares
classes with those of the labels themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel
from kanon_tui.core.numeric import Int32s, Int64s, Words

__all__ = [
    "LARGEST_KEY",
    "SPREAD",
    "TupleLayout",
    "chunks_of",
    "find_keys",
    "place_values",
    "same_labels",
]

Chunks = tuple[Int64s, Words, Words, Int64s, Int64s, Int64s]

LARGEST_KEY = np.int64(2**62)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2**64 / golden ratio: spreads keys over slots
_MOST_BITS = 12  # a table of 32 kB stays in the fastest cache


class TupleLayout(NamedTuple):
    """Where the attributes of a tuple lie, and the labels of their values."""

    word: Int64s
    """Per attribute the word it lies in …"""
    shift: Words
    """… how many bits from the right …"""
    mask: Words
    """… and the bits it takes."""
    start: Int64s
    """Attributes × levels: where the labels of a level begin in `labels`."""
    radix: Int64s
    """Attributes × levels: how many labels the level has."""
    labels: Int32s


@inner_kernel
def place_values(levels: Int64s, layout: TupleLayout) -> tuple[Int64s, Int64s, np.int64, bool]:
    """Per attribute where its labels begin and its place value; the product of the radices.

    The place value of an attribute with one label is 0. Past 63 bits (then the last item is true)
    place values are large odd numbers that wrap around.
    """
    start, radix = layout.start, layout.radix
    first = np.empty(len(levels), dtype=np.int64)
    stride = np.zeros(len(levels), dtype=np.int64)
    product = np.int64(1)
    wide = False
    for a in range(len(levels)):
        first[a] = start[a, levels[a]]
        count = radix[a, levels[a]]
        if count > 1:
            stride[a] = product
            if wide or product > LARGEST_KEY // count:
                wide = True
                product = np.int64(np.uint64(product | 1) * SPREAD)
            else:
                product *= count
    return first, stride, product, wide


@inner_kernel
def _fill_chunk(
    partial: Int64s, labels: Int32s, stride: int, size: np.int64, below: np.int64
) -> None:
    """Add an attribute to the table of a chunk, whose entries up to `below` are filled in."""
    for value in range(len(labels) - 1, -1, -1):  # 0 last, for the others copy its entries
        part = labels[value] * stride
        for i in range(below + 1):
            partial[value * size + i] = partial[i] + part


@inner_kernel
def chunks_of(
    first: Int64s, stride: Int64s, layout: TupleLayout, labels: Int32s, groups: int
) -> Chunks:
    """Neighbouring attributes that are looked up together: their part of the key, in one table.

    The more groups there are to look up, the more bits a table may span. An attribute that is too
    wide for a table keeps its place value and is looked up by its labels; the others have 0 there.
    """
    word, shift, mask = layout.word, layout.shift, layout.mask
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
        if c >= 0:
            size = np.int64(1) << np.int64(shift[a] - chunk_shift[c])
            below = np.int64(chunk_mask[c]) & (size - 1)  # the fields of the chunk filled in so far
            values = 0
            for radix in layout.radix[a]:
                values = max(values, radix)
            own = labels[first[a] : first[a] + values]
            _fill_chunk(partial[chunk_first[c] :], own, stride[a], size, below)
    return (
        chunk_word[:chunks],
        chunk_shift[:chunks],
        chunk_mask[:chunks],
        chunk_first[:chunks],
        chunk_stride[:chunks],
        partial,
    )


@inner_kernel
def same_labels(tuples: Words, t: int, u: int, first: Int64s, layout: TupleLayout) -> bool:
    """Whether two tuples have the same labels."""
    word, shift, mask, _, _, labels = layout
    for a in range(len(first)):
        x = np.int64((tuples[t, word[a]] >> shift[a]) & mask[a])
        y = np.int64((tuples[u, word[a]] >> shift[a]) & mask[a])
        if labels[first[a] + x] != labels[first[a] + y]:
            return False
    return True


@inner_kernel
def find_keys(
    tuples: Words,
    chunk_word: Int64s,
    chunk_shift: Words,
    chunk_mask: Words,
    chunk_first: Int64s,
    chunk_stride: Int64s,
    partial: Int64s,
    labels: Int32s,
    keys: Int64s,
) -> None:
    """The key of every tuple.

    Chunk by chunk: loops without a choice are what a processor does several steps of at once.
    Unsigned indices spare the compiler counting from the end.
    """
    keys[: len(tuples)] = 0
    for i in range(len(chunk_word)):
        word, shift, mask = np.uint64(chunk_word[i]), chunk_shift[i], chunk_mask[i]
        stride = chunk_stride[i]
        if stride == 0:
            parts = partial[chunk_first[i] :]
            for t in range(np.uint64(len(tuples))):
                keys[t] += parts[(tuples[t, word] >> shift) & mask]
        else:
            own = labels[chunk_first[i] :]
            for t in range(np.uint64(len(tuples))):
                keys[t] += own[(tuples[t, word] >> shift) & mask] * stride
