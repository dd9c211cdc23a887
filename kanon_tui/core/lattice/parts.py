"""Parts of the attributes: their strings, their passing strings, and how these combine.

A string of all attributes can pass only if its part in every subset of them passes. So the passing
strings of two parts, put together in all ways, contain the passing strings of both. Codes of a part
have the other attributes at the root; combining two of them is taking each part's fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from kanon_tui.core.lattice.node_list import StringSpace
from kanon_tui.core.numeric import Floats, Words

__all__ = ["Pair", "Part", "Whole", "split"]


def split(sizes: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Divide attributes, in order, into parts of at most so many strings each.

    Attributes with one level are in no part. An attribute with more levels than that is a part of
    its own.

    >>> split([7, 5, 1, 5, 2, 2], 40)
    [(0, 1), (3, 4, 5)]
    """
    parts: list[tuple[int, ...]] = []
    strings = most + 1
    for attribute, size in enumerate(sizes):
        if size == 1:
            continue
        if strings * size > most:
            parts.append(())
            strings = 1
        parts[-1] += (attribute,)
        strings *= size
    return parts


@dataclass(frozen=True, eq=False)
class Part:
    """Strings of some attributes that may be part of the answer, by falling value."""

    attributes: tuple[int, ...]
    codes: Words
    worths: Floats
    """What they are worth at most, by these attributes alone."""

    @classmethod
    def of(cls, space: StringSpace, attributes: tuple[int, ...], codes: Words) -> Part:
        """Sort the codes of a part by their value."""
        worths = space.worth(codes, attributes)
        order = np.argsort(-worths, kind="stable")
        return cls(attributes, codes[order], worths[order])

    def at_least(self, worth: float) -> Part:
        """The strings with no lower value."""
        count = int(np.searchsorted(-self.worths, -worth, side="right"))
        return Part(self.attributes, self.codes[:count], self.worths[:count])


@dataclass(frozen=True)
class Whole:
    """A job: all strings of some attributes."""

    attributes: tuple[int, ...]

    def count(self, space: StringSpace) -> int:
        """How many strings there are."""
        return prod(space.sizes[a] for a in self.attributes)

    def lists(self, space: StringSpace) -> Iterator[tuple[Words, Floats]]:
        """The strings to settle, with their values."""
        yield space.strings(self.attributes)


@dataclass(frozen=True, eq=False)
class Pair:
    """A job: all combinations of two parts' strings that are worth enough."""

    one: Part
    other: Part
    least: float
    most: int
    """How many combinations to hold at a time."""

    @property
    def attributes(self) -> tuple[int, ...]:
        """The attributes of both."""
        return tuple(sorted(self.one.attributes + self.other.attributes))

    def count(self, space: StringSpace) -> int:
        """How many combinations there are."""
        return int(self._partners().sum())

    def lists(self, space: StringSpace) -> Iterator[tuple[Words, Floats]]:
        """The combinations, the most valuable strings of the first part first."""
        fields = space.fields(self.other.attributes)
        others = self.other.codes & fields
        partners = self._partners()
        ends = np.cumsum(partners)
        first = 0
        while first < len(partners) and partners[first]:
            before = ends[first] - partners[first]
            last = max(first + 1, int(np.searchsorted(ends, before + self.most, side="right")))
            count = partners[first:last]
            one = np.repeat(np.arange(first, last), count)
            other = np.arange(len(one)) - np.repeat(np.cumsum(count) - count, count)
            codes = (self.one.codes[one] & ~fields) | others[other]
            yield codes, self.one.worths[one] + self.other.worths[other]
            first = last

    def _partners(self) -> npt.NDArray[np.int64]:
        """For every string of the first part how many of the second are worth enough with it."""
        return np.searchsorted(-self.other.worths, self.one.worths - self.least, side="right")
