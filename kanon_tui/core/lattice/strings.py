"""The lattice of generalisation strings, packed into numbers.

A string picks a level for every attribute. It is packed into a code: a bit field per attribute, the
first attribute in the most significant place, so that comparing codes compares level vectors. Most
spaces need one 64-bit word per string, larger ones two or three; with its value a string
takes 16 bytes and up, and no Python object.

`Lattice` has the bit fields, `NodeList` is the sorted list that searches halve and prune.
`LatticeGrid` is the space as a grid that pictures are drawn from: every string has a number, its
*node*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from kanon_tui.core.kernels import strings as kernels
from kanon_tui.core.kernels.strings import CodeFields, SortedStrings
from kanon_tui.core.lattice.objective import Objective
from kanon_tui.core.numeric import TIE, Floats, Int32s, Int64s, Words

_WORD_BITS = 64
_SAMPLE = 1000  # strings


class Lattice:
    """All strings with a level from `lowest` to `heights` for every attribute."""

    def __init__(
        self,
        lowest: Sequence[int],
        heights: Sequence[int],
        values: Sequence[Floats],
        roots: Sequence[int] = (),
    ) -> None:
        self.lowest = tuple(lowest)
        self.heights = tuple(heights)
        self.roots = tuple(roots) or self.heights
        """The roots of the attributes, above `heights` where a limit forbids them."""
        self.limited = self.roots != self.heights
        self.values = tuple(values)
        """Per attribute an upper bound on the value of every level, also below `lowest`."""
        self.sizes = tuple(top - low + 1 for low, top in zip(lowest, heights, strict=True))
        self._lay_out()

    def _lay_out(self) -> None:
        widths = [(size - 1).bit_length() + 1 if size > 1 else 0 for size in self.sizes]
        words = []
        bits_left = []
        word = 0
        bits = _WORD_BITS
        for width in widths:
            if width > bits:
                word = word + 1
                bits = _WORD_BITS
            bits -= width
            words.append(word)
            bits_left.append(bits % _WORD_BITS)
        self.words = word + 1
        self.word: Int64s = np.array(words, dtype=np.int64)
        self.shift: Words = np.array(bits_left, dtype=np.uint64)
        self.mask: Words = np.array([(1 << max(w - 1, 0)) - 1 for w in widths], dtype=np.uint64)
        self._top: Words = np.array([size - 1 for size in self.sizes], dtype=np.uint64)
        self.root: Words = np.subtract(self.roots, self.lowest).astype(np.uint64)
        self.guards: Words = np.zeros(self.words, dtype=np.uint64)
        for w, bits, width in zip(words, bits_left, widths, strict=True):
            if width:
                self.guards[w] |= np.uint64(1 << (bits + width - 1))
        self.code_fields = CodeFields(self.word, self.shift, self.mask, self.root, self.guards)

    @property
    def count(self) -> int:
        """Number of strings."""
        return prod(self.sizes)

    @property
    def bytes_per_string(self) -> int:
        """Memory that a list needs per string while it is made and sorted."""
        return 8 * (2 * self.words + 4)

    @property
    def megabytes(self) -> int:
        """Memory that a list of all strings needs while it is made and sorted."""
        return self.count * self.bytes_per_string // 1_000_000

    @cached_property
    def _field_values(self) -> list[Floats]:
        """Values by field: those of the levels from `lowest` to `heights`."""
        limits = zip(self.values, self.lowest, self.heights, strict=True)
        return [
            np.asarray(level_values[low : top + 1], dtype=np.float64)
            for level_values, low, top in limits
        ]

    def code(self, levels: Sequence[int]) -> Words:
        """Return the code of a string."""
        words = [0] * self.words
        for a, level in enumerate(levels):
            words[self.word[a]] |= (int(level) - self.lowest[a]) << int(self.shift[a])
        return np.array(words, dtype=np.uint64)

    def levels(self, code: Words) -> tuple[int, ...]:
        """Return the levels of a code."""
        return tuple((self.steps_up(code) + self.lowest).tolist())

    def steps_up(self, codes: Words) -> Int64s:
        """Return per attribute how far the strings of codes are above the lowest levels."""
        return ((codes[..., self.word] >> self.shift) & self.mask).astype(np.int64)

    def worth(self, codes: Words, attributes: Sequence[int] | None = None) -> Floats:
        """Return upper bounds on the values of codes, by all or some attributes."""
        total = np.zeros(len(codes))
        for a in range(len(self.sizes)) if attributes is None else attributes:
            fields = (codes[:, self.word[a]] >> self.shift[a]) & self.mask[a]
            total += self._field_values[a][fields]
        return total

    def strings(self, attributes: Sequence[int] | None = None) -> tuple[Words, Floats]:
        """Return every string of some attributes, the others at the root, and bounds on its value.

        Without `attributes`: the whole space. The greatest level vector comes first. Values are
        those of the chosen attributes alone.
        """
        chosen = range(len(self.sizes)) if attributes is None else attributes
        columns = [np.zeros(1, dtype=np.uint64) for _ in range(self.words)]
        worths = np.zeros(1)
        for a, size in enumerate(self.sizes):
            fields = self._top[a : a + 1] << self.shift[a]
            if a in chosen:
                fields = np.arange(size, dtype=np.uint64)[::-1] << self.shift[a]
                worths = np.add.outer(worths, self._field_values[a][::-1]).ravel()
            for w in range(self.words):
                if w == self.word[a]:
                    columns[w] = np.bitwise_or.outer(columns[w], fields).ravel()
                else:
                    columns[w] = np.repeat(columns[w], len(fields))
        return np.column_stack(columns), worths

    def fields(self, attributes: Sequence[int]) -> Words:
        """Return the bits of some attributes' fields."""
        bits = np.zeros(self.words, dtype=np.uint64)
        for a in attributes:
            bits[self.word[a]] |= self.mask[a] << self.shift[a]
        return bits

    def grid(self, attributes: Sequence[int] | None = None) -> tuple[Int64s, Int64s]:
        """Return the sizes and the place values of the grid of all strings of some attributes.

        The first attribute is slowest; attributes that are not in it have one level, the root, and
        place value 0.
        """
        chosen = range(len(self.sizes)) if attributes is None else attributes
        levels = np.array([n if a in chosen else 1 for a, n in enumerate(self.sizes)])
        places = np.append(np.cumprod(levels[::-1])[-2::-1], 1)
        return levels, np.where(levels > 1, places, 0)

    def best_above(self, levels: Sequence[int]) -> tuple[int, ...]:
        """Return the string of highest value that is nowhere more specific than the given one.

        A string's value is the sum of its levels', so that each attribute chooses alone; the lowest
        of equally good levels has the fewest roots.
        """
        triples = zip(self.values, levels, self.heights, strict=True)
        return tuple(int(x) + int(values[x : top + 1].argmax()) for values, x, top in triples)


class NodeList:
    """Strings sorted by what they are worth at most, of which searches drop what needs no test."""

    def __init__(self, lattice: Lattice, codes: Words, worths: Floats) -> None:
        self.lattice = lattice
        order = np.argsort(worths, kind="stable")
        self._strings = SortedStrings(codes[order], worths[order])
        self._start = 0
        self._end = len(order)

    def __len__(self) -> int:
        return self._end - self._start

    @property
    def codes(self) -> Words:
        """The strings that are left, by rising value."""
        return self._strings.codes[self._start : self._end]

    @property
    def worths(self) -> Floats:
        """Upper bounds on the values of the strings that are left, rising."""
        return self._strings.values[self._start : self._end]

    def midpoint(self) -> Words:
        """Return the string in the middle of what is left."""
        return np.array(self.codes[len(self) // 2])

    def around(self, code: Words, most: int) -> tuple[Int64s, int]:
        """Return the places of strings around one, and its own, from the least value on."""
        place = int(np.flatnonzero((self.codes == code).all(axis=1))[0])
        begin = max(min(place - most // 2, len(self) - most), 0)
        return np.arange(begin, min(begin + most, len(self))), place

    def __contains__(self, code: Words) -> bool:
        return bool((self.codes == code).all(axis=1).any())

    def shares_below(self, levels: Sequence[int]) -> Floats:
        """Return per attribute the share of the strings left (of a sample) with no higher level."""
        sample = self.lattice.steps_up(self.codes[:: 1 + len(self) // _SAMPLE])
        limits = np.subtract(levels, self.lattice.lowest)
        return np.asarray((sample <= limits).mean(axis=0), dtype=np.float64)

    def drop_below(self, worth: float) -> int:
        """Drop the strings that are worth less; return their number."""
        dropped = int(np.searchsorted(self.worths, worth, side="left"))
        self._start += dropped
        return dropped

    @property
    def _left(self) -> tuple[CodeFields, SortedStrings, int, int]:
        """The strings that are left, as kernels take them."""
        return self.lattice.code_fields, self._strings, self._start, self._end

    def _end_at(self, end: int) -> int:
        """Shorten the list; return the number of strings that were dropped."""
        dropped = self._end - end
        self._end = end
        return dropped

    def drop_specific(self, code: Words) -> int:
        """Drop a string and all more specific ones; return their number."""
        return self._end_at(kernels.drop_specific(*self._left, code))

    def drop_one(self, code: Words) -> None:
        """Drop one string and no other."""
        is_kept = (self.codes != code).any(axis=1)
        self._strings = SortedStrings(self.codes[is_kept], self.worths[is_kept])
        self._start, self._end = 0, len(self._strings.codes)

    def drop_small_class(self, sizes: Int32s, places: Int64s, k: int) -> int:
        """Drop the strings where a record is in a class smaller than k; return their number.

        `sizes` holds the size of its class at every point of a grid with these place values.
        """
        return self._end_at(kernels.drop_lonely(*self._left, places, sizes, k))

    def take_general(self, code: Words) -> Words:
        """Take out a string and all that are more general."""
        taken = np.empty((len(self), self.lattice.words), dtype=np.uint64)
        self._end, moved = kernels.take_general(*self._left, code, taken)
        return taken[:moved].copy()

    def drop_dominated(self, best: Words, worths: Floats, roots: Int64s) -> int:
        """Drop strings that are worth no more than one of `best`, to which they lose a tie.

        `best` are packed codes, one row per string; `worths` and `roots`, of shape (strings,), are
        their values and how many of their attributes with a choice of levels are at the root.
        """
        tied = self._start + int(np.searchsorted(self.worths, worths.max(), side="right"))
        fields, strings, start, end = self._left
        return self._end_at(
            kernels.drop_dominated(fields, strings, start, tied, end, best, worths, roots)
        )


@dataclass(frozen=True, order=True)
class PassingString:
    """A passing string; the order is that of preference among equal values."""

    roots: int
    levels: tuple[int, ...]
    value: float
    """What it is worth to the search: by its objective, more is better."""
    rv: float


Rank = Callable[[PassingString], tuple[float, ...]]
"""What a passing string is preferred by, more is better: the first figure, then the second …"""


def by_value(string: PassingString) -> tuple[float, ...]:
    """Return the rank of searches that look for the best by their objective."""
    return (string.value,)


def by_height(string: PassingString) -> tuple[float, ...]:
    """Return the rank of searches that look for least height, and of equals for most value."""
    return (-float(sum(string.levels)), string.value)


def finalists(strings: Sequence[PassingString], rank: Rank) -> list[PassingString]:
    """Return the strings of highest rank, those within a tie included.

    >>> low, high = PassingString(0, (0, 1), 0.5, 0.5), PassingString(0, (1, 1), 0.7, 0.7)
    >>> [string.levels for string in finalists([low, high], by_value)]
    [(1, 1)]
    >>> [string.levels for string in finalists([low, high], by_height)]
    [(0, 1)]
    """
    ranked = [(rank(string), string) for string in strings]
    for place in range(len(ranked[0][0]) if ranked else 0):
        highest = max(figures[place] for figures, _ in ranked)
        ranked = [pair for pair in ranked if pair[0][place] >= highest - TIE]
    return [string for _, string in ranked]


def best_of(strings: Sequence[PassingString], rank: Rank = by_value) -> PassingString:
    """Return the answer among passing strings: the highest rank, ties by their own order."""
    return min(finalists(strings, rank))


MOST_DRAWN = 100_000
"""Strings of the largest space of which every single one is followed."""


@dataclass(frozen=True, eq=False)
class LatticeGrid:
    """All strings of some attributes, also of levels that pre-pruning drops."""

    names: tuple[str, ...]
    lowest: tuple[int, ...]
    """The lowest level that passes alone."""
    heights: tuple[int, ...]
    research_value: Objective
    objective: Objective
    """What the strings are sorted by: the highest it allows them to be worth."""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Levels per attribute."""
        return tuple(top + 1 for top in self.heights)

    @property
    def count(self) -> int:
        """Number of strings."""
        return prod(self.sizes)

    @property
    def followed(self) -> bool:
        """Whether every single string is drawn."""
        return self.count <= MOST_DRAWN

    @cached_property
    def places(self) -> Int64s:
        """Place value of every attribute; the first is slowest."""
        return np.append(np.cumprod(self.sizes[:0:-1])[::-1], 1).astype(np.int64)

    def node(self, levels: Sequence[int]) -> int:
        """Return the number of a string."""
        return int(np.ravel_multi_index(tuple(levels), self.sizes))

    def levels(self, node: int) -> tuple[int, ...]:
        """Return the levels of a number."""
        return tuple(int(level) for level in np.unravel_index(node, self.sizes))

    def nodes(self, space: Lattice, codes: Words) -> Int64s:
        """Return the numbers of strings given by their codes."""
        node_numbers: Int64s = (space.steps_up(codes) + space.lowest) @ self.places
        return node_numbers

    @cached_property
    def grid(self) -> Int64s:
        """Strings × attributes: the levels of every string; only where all are followed."""
        return np.indices(self.sizes).reshape(len(self.sizes), -1).T

    @cached_property
    def rvs(self) -> Floats:
        """The research value of every string; only where all are followed."""
        return self.research_value.sums(self.grid)

    @cached_property
    def worths(self) -> Floats:
        """Upper bounds on the value of every string; only where all are followed."""
        return self.objective.sums(self.grid)
