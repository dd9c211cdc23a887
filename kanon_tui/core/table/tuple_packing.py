"""Rows of codes as a few whole numbers that compare like the rows.

A row takes one word of 64 bits where that is enough, and words of 32 bits after it where not. The
first column counts most: sorting the words sorts the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s, Int64s, Words
from kanon_tui.core.table.cell_codes import CodedCells
from kanon_tui.core.table.value_counts import CHANGED
from kanon_tui.core.table.word_table import WordTable

__all__ = ["Packing", "TupleIndex"]

_FIRST, _OTHERS = 64, 32


@dataclass(frozen=True)
class Packing:
    """Where the codes of every column lie."""

    word: tuple[int, ...]
    shift: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Packing:
        """For columns with so many codes each."""
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
        """How many words a row takes."""
        return max(self.word, default=0) + 1

    def pack(self, columns: Sequence[Int32s]) -> list[Words]:
        """The words of rows, given column by column."""
        rows = len(columns[0]) if columns else 0
        packed = [np.zeros(rows, dtype=np.uint64) for _ in range(self.words)]
        for codes, word, shift in zip(columns, self.word, self.shift, strict=True):
            packed[word] |= codes.astype(np.uint64) << np.uint64(shift)
        return packed

    def pack_cells(self, rows: int, columns: Sequence[CodedCells | None]) -> list[Words]:
        """The words of rows, given by codes of texts and places of cells; 0 for a column of None.

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
        """The codes of a column."""
        field = words[self.word[column]] >> np.uint64(self.shift[column])
        return (field & np.uint64((1 << self.bits[column]) - 1)).astype(np.int32)


class TupleIndex:
    """Finds the place of a tuple among the distinct ones, in the order of their first appearance.

    A table knows the first words; each further one knows pairs of a place and the next word.
    """

    def __init__(self, words: int) -> None:
        self._chain = [WordTable() for _ in range(words)]

    def __len__(self) -> int:
        return len(self._chain[-1])

    @classmethod
    def of(cls, words: Sequence[Words]) -> tuple[TupleIndex, Int64s]:
        """Of tuples that may repeat; also the first of every place."""
        index = cls(len(words))
        places = index.add(words)
        first = np.empty(len(index), dtype=np.int64)
        first[places[::-1]] = np.arange(len(places) - 1, -1, -1)
        return index, first

    def add(self, words: Sequence[Words]) -> Int32s:
        """The places of tuples; those that are not known are put at the end."""
        places = self._chain[0].add(words[0])
        for table, word in zip(self._chain[1:], words[1:], strict=True):
            places = table.add(_pairs(places, word))
        return places

    def find(self, words: Sequence[Words]) -> Int32s:
        """The places of tuples, all of which must be known."""
        places = self._chain[0].find(words[0])
        for table, word in zip(self._chain[1:], words[1:], strict=True):
            places = table.find(_pairs(places, word))
        if len(places) and places.min() < 0:
            raise InputError(CHANGED)
        return places

    def words(self) -> list[Words]:
        """The distinct tuples in the order of their places."""
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
