"""Rows of codes as a few whole numbers that compare like the rows, and an index of distinct rows.

A row takes one word of 64 bits where that is enough, and words of 32 bits after it where not. The
first column counts most: sorting the words sorts the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.kernels.word_tables import add_words, fill_slots, find_words
from kanon_tui.core.numeric import Int32s, Int64s, Words
from kanon_tui.core.table.cell_codes import CodedCells
from kanon_tui.core.table.column import CHANGED

_LEAST = 1024
_FULL = 0.7
"""The share of taken slots at which their number is doubled."""


class WordTable:
    """A hash table of distinct 64-bit words, numbered in the order of their first appearance."""

    def __init__(self, expected: int = 0) -> None:
        self._keys: Words = np.empty(0, dtype=np.uint64)
        self._slots: Words = np.empty(0, dtype=np.uint64)
        self._count = 0
        self._grow(max(expected, _LEAST))

    def __len__(self) -> int:
        return self._count

    def __getstate__(self) -> dict[str, Any]:
        """Return the words alone: their slots are quickly found again."""
        return {"keys": self.keys}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(len(state["keys"]))  # type: ignore[misc]
        self.add(state["keys"])

    @property
    def keys(self) -> Words:
        """The words in the order of their places."""
        return self._keys[: self._count]

    def add(self, words: Words) -> Int32s:
        """Return the places of words; unknown ones are added at the end."""
        places = np.empty(len(words), dtype=np.int32)
        words, done = _in_order(words), 0
        while True:
            done, self._count = add_words(words, done, self._slots, self._keys, self._count, places)
            if done == len(words):
                return places
            self._grow(2 * len(self._keys))

    def find(self, words: Words) -> Int32s:
        """Return the places of words, -1 for an unknown one."""
        places = np.empty(len(words), dtype=np.int32)
        find_words(_in_order(words), self._slots, places)
        return places

    def _grow(self, capacity: int) -> None:
        slots = 1 << int(np.ceil(np.log2(capacity / _FULL)))
        keys = np.empty(int(slots * _FULL), dtype=np.uint64)
        keys[: self._count] = self.keys
        self._keys = keys
        self._slots = keys[:0]  # frees the old slots before the new ones are made
        self._slots = np.zeros(2 * slots, dtype=np.uint64)
        fill_slots(self.keys, self._slots)


def _in_order(words: Words) -> Words:
    """Return the words one after the other in memory, as kernels take them."""
    return np.require(words, dtype=np.uint64, requirements=["C", "A"])


_FIRST, _OTHERS = 64, 32


@dataclass(frozen=True)
class Packing:
    """The layout of the codes of every column in the words of a row."""

    word: tuple[int, ...]
    shift: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def for_sizes(cls, sizes: Sequence[int]) -> Packing:
        """Return the layout for columns with this many codes each."""
        bits = tuple(max(size - 1, 0).bit_length() for size in sizes)
        word, left, places = 0, _FIRST, []
        for each in bits:
            if each > left:
                word, left = word + 1, _OTHERS
            left -= each
            places.append((word, left))
        return cls(tuple(w for w, _ in places), tuple(s for _, s in places), bits)

    @property
    def words(self) -> int:
        """The number of words of a row."""
        return max(self.word, default=0) + 1

    def pack(self, columns: Sequence[Int32s]) -> list[Words]:
        """Return the words of rows, given column by column."""
        rows = len(columns[0]) if columns else 0
        every = np.arange(rows)
        return self.pack_cells(rows, [(codes, every) for codes in columns])

    def pack_cells(self, rows: int, columns: Sequence[CodedCells | None]) -> list[Words]:
        """Return the words of rows, given by codes of texts and places; 0 for a column of None.

        A code is moved to its place in the word once for every text, not for every record.
        """
        packed: list[Words] = [np.zeros(0, dtype=np.uint64)] * self.words
        for column, word, shift in zip(columns, self.word, self.shift, strict=True):
            if column is not None:
                codes, places = column
                moved = (codes.astype(np.uint64) << np.uint64(shift))[places]
                packed[word] = moved if not len(packed[word]) else packed[word] | moved
        return [word if len(word) else np.zeros(rows, dtype=np.uint64) for word in packed]

    def unpack(self, words: Sequence[Words], column: int) -> Int32s:
        """Return the codes of a column."""
        field = words[self.word[column]] >> np.uint64(self.shift[column])
        return (field & np.uint64((1 << self.bits[column]) - 1)).astype(np.int32)


class TupleIndex:
    """An index of distinct tuples, numbered in the order of their first appearance.

    A table knows the first words; each further one knows pairs of a place and the next word.
    """

    def __init__(self, words: int) -> None:
        self._chain = [WordTable() for _ in range(words)]

    def __len__(self) -> int:
        return len(self._chain[-1])

    @classmethod
    def from_tuples(cls, words: Sequence[Words]) -> tuple[TupleIndex, Int64s]:
        """Return the index of tuples that may repeat, and the first row of every place."""
        index = cls(len(words))
        places = index.add(words)
        first = np.empty(len(index), dtype=np.int64)
        first[places[::-1]] = np.arange(len(places) - 1, -1, -1)
        return index, first

    def add(self, words: Sequence[Words]) -> Int32s:
        """Return the places of tuples; unknown ones are added at the end."""
        places = self._chain[0].add(words[0])
        for table, word in zip(self._chain[1:], words[1:], strict=True):
            places = table.add(_pairs(places, word))
        return places

    def find(self, words: Sequence[Words]) -> Int32s:
        """Return the places of tuples, all of which must be known."""
        places = self._chain[0].find(words[0])
        for table, word in zip(self._chain[1:], words[1:], strict=True):
            places = table.find(_pairs(places, word))
        if len(places) and places.min() < 0:
            raise InputError(CHANGED)
        return places

    def words(self) -> list[Words]:
        """Return the distinct tuples in the order of their places."""
        found: list[Words] = []
        places = None
        for table in reversed(self._chain[1:]):
            pairs = table.keys if places is None else table.keys[places]
            found.append(pairs & np.uint64((1 << _OTHERS) - 1))
            places = pairs >> np.uint64(_OTHERS)
        first = self._chain[0].keys
        return [first if places is None else first[places], *reversed(found)]


def _pairs(places: Int32s, words: Words) -> Words:
    return (places.astype(np.uint64) << np.uint64(_OTHERS)) | words
