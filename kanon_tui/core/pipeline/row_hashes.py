"""Published rows beyond memory, compared by several columns together.

Every published row has a key per question, such as "all columns" or "all but zip": its packed cells
of these columns, scrambled. Equal rows have equal keys; where a row fits into one word, scrambling
is one to one, and else two different rows have the same key once in 10^19 pairs. Scrambled keys are
spread evenly, so that keys between two numbers are about as many in every piece, and belong to all
rows of the groups between them: a slice of all pieces is counted in memory.

A question may be answered from a share of the keys. Those below a number are a random sample of the
groups, each with all its rows, so that counts of groups are scaled up without bias.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from kanon_tui.core.numeric import Words
from kanon_tui.core.pipeline.tuple_counts import Packing
from kanon_tui.core.release.all_columns import AtRisk, at_risk

_ALL_KEYS = 2**64
_ROWS_AT_A_TIME = 2_000_000
SAMPLED_ROWS = 1_000_000
"""About so many rows are looked at for a question whose answer need not be exact."""


@dataclass(frozen=True, eq=False)
class Question:
    """The columns by which rows are compared, and the share of the keys that is looked at."""

    name: str
    """Part of the names of its files."""
    masks: tuple[int, ...]
    """Per word of a packed row, the bits of these columns."""
    share: float = 1.0

    @classmethod
    def of_columns(
        cls, name: str, layout: Packing, places: Sequence[int], share: float = 1.0
    ) -> Self:
        """Return the question that compares the columns at these places of a layout."""
        masks = [0] * layout.words
        for place in places:
            word, shift, bits = layout.places[place]
            masks[word] |= ((1 << bits) - 1) << shift
        return cls(name, tuple(masks), share)

    def path(self, folder: Path, piece: int) -> Path:
        """Return the file with the keys of a piece."""
        return folder / f"keys-{self.name}-{piece:06}.npy"

    def keys(self, words: Sequence[Words]) -> Words:
        """Return the keys of packed rows that are looked at, sorted."""
        keys = np.zeros(len(words[0]), dtype=np.uint64)
        for word, mask in zip(words, self.masks, strict=True):
            keys = _scrambled(keys ^ (word & np.uint64(mask)))
        if self.share < 1:
            keys = keys[keys < np.uint64(int(self.share * _ALL_KEYS))]
        keys.sort()
        return keys

    def answer(self, folder: Path, pieces: Sequence[int], k: int) -> AtRisk:
        """Return the records at risk; estimates where a share was looked at."""
        unique = below_k = 0
        for keys in self._slices([np.load(self.path(folder, x), mmap_mode="r") for x in pieces]):
            counted = at_risk(keys.view(np.int64), k)
            unique += counted.unique
            below_k += counted.below_k
        return AtRisk(round(unique / self.share), round(below_k / self.share))

    def _slices(self, pieces: Sequence[Words]) -> Iterator[Words]:
        """Yield the keys of all pieces, a range of keys at a time."""
        slices = max(1, -(-sum(map(len, pieces)) // _ROWS_AT_A_TIME))
        top = int(self.share * _ALL_KEYS)
        cuts = [np.uint64(top * number // slices) for number in range(1, slices)]
        bounds = [[0, *np.searchsorted(keys, cuts).tolist(), len(keys)] for keys in pieces]
        for number in range(slices):
            parts = [
                np.array(keys[bound[number] : bound[number + 1]])
                for keys, bound in zip(pieces, bounds, strict=True)
            ]
            yield np.concatenate(parts) if parts else np.empty(0, dtype=np.uint64)


def _scrambled(words: Words) -> Words:
    """Return words spread evenly over 64 bits, different ones for different words (SplitMix64)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
