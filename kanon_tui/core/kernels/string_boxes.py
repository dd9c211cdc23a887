"""Bounding boxes of strings by strings that were tested before.

A box is all strings between a lowest and a highest level per attribute. Of a tested string it is
known which share of the records it suppresses at least; so does every string nowhere above it.
Where the share makes the best such string of a box worth no more than the `mark`, or where the
tested string fails, it *bars* the box: only strings that are above it in some attribute are left.

- No attribute of the box can be above it: nothing is left of the box.
- One can: this attribute must be, and the lowest level of the box rises.
- Several can: each of the ways costs some worth. The least of these costs is certain; what it takes
  off the costs of all ways is gone for the next barring string, which may need the same way (dual
  ascent for hitting sets), and the sum of what is certain bounds the box.

A call costs O(known · attributes / 8), and O(levels) for every string that bars the box.
`tests/core/lattice/test_string_boxes.py` compares bounds with all strings of a box.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.numeric import Bytes, Floats, Int32s

LEVELS_PER_WORD = 8  # bytes: strings are compared a word at a time, and padded with zeros


@dataclass(frozen=True, eq=False)
class LevelWorths(Struct):
    """The highest worth of every level of an attribute, and scratch arrays of losses."""

    values: Annotated[Floats, reads("attributes", "levels")]
    """What a level is worth at most where nothing is suppressed."""
    costs: Annotated[Floats, reads("attributes", "levels")]
    """What suppressing all records costs at this level; a share of them, that share."""
    losses: Annotated[Floats, writes("attributes", "levels")]
    """What the box loses when an attribute is at this level or above it."""
    left: Annotated[Floats, writes("attributes", "levels")]
    """What of that is not yet certain."""


@dataclass(frozen=True, eq=False)
class KnownStrings(Struct):
    """Strings that were tested, as rows of levels."""

    levels: Annotated[Bytes, writes("room", "bytes")]
    shares: Annotated[Floats, writes("room")]
    """The share of the records that each suppresses at least; above 1 where it fails."""
    barring: Annotated[Int32s, writes("room")]
    """Room for the numbers of those that bar a box."""


class BoxBound(NamedTuple):
    """The result of `bound_box`."""

    worth: float
    """An upper bound on the value of every string of the box that may exceed the mark."""
    most: float
    """The highest values of the box's levels, added up."""
    share: float
    """The share of the records that every string of the box suppresses at least."""
    barring: int
    """The string to divide the box by: the number of one that bars it, -1 if none does."""


@c_function
def bound_box(
    worths: LevelWorths,
    strings: KnownStrings,
    count: int,
    low: Annotated[Bytes, writes("bytes")],
    high: Annotated[Bytes, reads("bytes")],
    share: float,
    mark: float,
) -> BoxBound:
    """Raise the lowest levels of a box as far as the first `count` strings demand, and bound it.

    A worth of minus infinity says that no string of the box exceeds the mark.
    """
