"""Distinct whole numbers, each with its place in the order of first appearance."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_tui.core.kernels.word_tables import add_words, fill_slots, find_words
from kanon_tui.core.numeric import Int32s, Words

__all__ = ["WordTable"]

_LEAST = 1024
_FULL = 0.7
"""The share of the slots that may be taken before there are twice as many."""


class WordTable:
    """Adds and finds words, 64 bits each, in constant time."""

    def __init__(self, expected: int = 0) -> None:
        self._keys: Words = np.empty(0, dtype=np.uint64)
        self._slots: Words = np.empty(0, dtype=np.uint64)
        self._count = 0
        self._grow(max(expected, _LEAST))

    @classmethod
    def of(cls, keys: Words) -> WordTable:
        """Of distinct words, each at its place."""
        table = cls(len(keys))
        table.add(keys)
        return table

    def __len__(self) -> int:
        return self._count

    def __getstate__(self) -> dict[str, Any]:
        """The words alone: where they lie is found again quickly."""
        return {"keys": self.keys}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(len(state["keys"]))  # type: ignore[misc]
        self.add(state["keys"])

    @property
    def keys(self) -> Words:
        """The words in the order of their places."""
        return self._keys[: self._count]

    def add(self, words: Words) -> Int32s:
        """The places of words; those that are not known are put at the end."""
        places = np.empty(len(words), dtype=np.int32)
        words, done = _in_order(words), 0
        while True:
            done, self._count = add_words(words, done, self._slots, self._keys, self._count, places)
            if done == len(words):
                return places
            self._grow(2 * len(self._keys))

    def find(self, words: Words) -> Int32s:
        """The places of words, -1 for one that is not known."""
        places = np.empty(len(words), dtype=np.int32)
        find_words(_in_order(words), self._slots, places)
        return places

    def _grow(self, room: int) -> None:
        slots = 1 << int(np.ceil(np.log2(room / _FULL)))
        keys = np.empty(int(slots * _FULL), dtype=np.uint64)
        keys[: self._count] = self.keys
        self._keys = keys
        self._slots = keys[:0]  # the old ones are let go before there are new ones
        self._slots = np.zeros(2 * slots, dtype=np.uint64)
        fill_slots(self.keys, self._slots)


def _in_order(words: Words) -> Words:
    """Return the words one after the other in memory, as kernels take them."""
    return np.require(words, dtype=np.uint64, requirements=["C", "A"])
