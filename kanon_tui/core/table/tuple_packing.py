"""Rows of codes as a few whole numbers that compare like the rows.

A row takes one word of 64 bits where that is enough, and words of 32 bits after it where not. The
first column counts most: sorting the words sorts the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Int32s, Words

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

    def pack(self, rows: int, columns: Sequence[Int32s | None]) -> list[Words]:
        """Return the words of rows, given column by column; 0 for a column of None."""
        packed = [np.zeros(rows, dtype=np.uint64) for _ in range(self.words)]
        for codes, word, shift in zip(columns, self.word, self.shift, strict=True):
            if codes is not None:
                packed[word] |= codes.astype(np.uint64) << np.uint64(shift)
        return packed

    def pack_frame(self, columns: Sequence[Int32s]) -> pl.DataFrame:
        """Return a frame with the words of rows, called 0, 1, …"""
        words = self.pack(len(columns[0]), columns)
        return pl.DataFrame({str(place): word for place, word in enumerate(words)})

    def unpack(self, words: Sequence[Words], column: int) -> Int32s:
        """Return the codes of a column."""
        field = words[self.word[column]] >> np.uint64(self.shift[column])
        return (field & np.uint64((1 << self.bits[column]) - 1)).astype(np.int32)
