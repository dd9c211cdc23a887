"""Distinct words and the order in which they were first met: an open hash table.

A slot is two words, a key and its place counted from one (0: the slot is free), side by side so
that a look-up touches memory once. Slots number a power of two. A word costs O(1), wherever it is;
sorting and searching, which this replaces, takes five times as long with millions of them.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel, part_of_kernel
from kanon_tui.core.numeric import Int32s, Words

__all__ = ["add_words", "fill_slots", "find_words"]

_ONE, _TWO, _HALF = np.uint64(1), np.uint64(2), np.uint64(32)
_MIX = np.uint64(0xD6E8FEB86659FD93)  # odd; two rounds spread every bit of a word over all others


@part_of_kernel
def _mixed(word: np.uint64) -> np.uint64:
    word ^= word >> _HALF
    word *= _MIX
    word ^= word >> _HALF
    word *= _MIX
    return word ^ (word >> _HALF)


@part_of_kernel
def _slot_of(word: np.uint64, slots: Words) -> np.uint64:
    """Where a word is, or would be put."""
    mask = np.uint64(len(slots) // 2 - 1)
    slot = _mixed(word) & mask
    while slots[_TWO * slot + _ONE] and slots[_TWO * slot] != word:
        slot = (slot + _ONE) & mask
    return slot


@kernel
def add_words(
    words: Words, begin: int, slots: Words, keys: Words, count: int, places: Int32s
) -> tuple[int, int]:
    """The place of every word from `begin` on; new ones are added to `keys` while it has room.

    Gives how many words were looked at and how many are known now.
    """
    for i in range(begin, len(words)):
        slot = _slot_of(words[i], slots)
        if slots[_TWO * slot + _ONE] == 0:
            if count == len(keys):
                return i, count
            keys[count] = words[i]
            count += 1
            slots[_TWO * slot] = words[i]
            slots[_TWO * slot + _ONE] = count
        places[i] = np.int64(slots[_TWO * slot + _ONE]) - 1
    return len(words), count


@kernel
def fill_slots(keys: Words, slots: Words) -> None:
    """Put distinct keys into empty slots, each with its place."""
    for place in range(len(keys)):
        slot = _slot_of(keys[place], slots)
        slots[_TWO * slot] = keys[place]
        slots[_TWO * slot + _ONE] = place + 1


@kernel
def find_words(words: Words, slots: Words, places: Int32s) -> int:
    """The place of every word, -1 for one that is not known; gives how many are not."""
    unknown = 0
    for i in range(len(words)):
        slot = _slot_of(words[i], slots)
        places[i] = np.int64(slots[_TWO * slot + _ONE]) - 1
        unknown += places[i] < 0
    return unknown
