"""Pruning a list of strings: one pass over packed codes, in place.

A code holds the level of every attribute in a bit field with a guard bit of 0 above it. With the
guards of s set, s − x keeps the guard of a field exactly where x's level is not above s's: one
subtraction compares all the attributes of a word. A pass costs O(strings · words).

`tests/core/lattice/test_strings.py` compares levels one by one.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.numeric import Floats, Int32s, Int64s, Words


@dataclass(frozen=True, eq=False)
class CodeFields(Struct):
    """The bit fields of the attributes' levels in a code."""

    word: Annotated[Int64s, reads("attributes")]
    """Per attribute the word of a code that holds its level."""
    shift: Annotated[Words, reads("attributes")]
    """Per attribute how many bits its field lies from the right of the word."""
    mask: Annotated[Words, reads("attributes")]
    """Per attribute the mask of its field, before it is shifted."""
    root: Annotated[Words, reads("attributes")]
    """Per attribute its highest level."""
    guards: Annotated[Words, reads("words")]
    """The bits above the fields."""


@dataclass(frozen=True, eq=False)
class SortedStrings(Struct):
    """Strings by rising value."""

    codes: Annotated[Words, writes("strings", "words")]
    values: Annotated[Floats, writes("strings")]
    """What each is worth at most."""


class TakenStrings(NamedTuple):
    """The result of a call of `take_general`."""

    end: int
    """Where the list ends now."""
    moved: int


@c_function
def drop_specific(
    fields: CodeFields,
    strings: SortedStrings,
    start: int,
    end: int,
    code: Annotated[Words, reads("words")],
) -> int:
    """Drop the strings that nowhere have a higher level than `code`; return the new end."""


@c_function
def take_general(
    fields: CodeFields,
    strings: SortedStrings,
    start: int,
    end: int,
    code: Annotated[Words, reads("words")],
    taken: Annotated[Words, writes("_", "words")],
) -> TakenStrings:
    """Move the strings that nowhere have a lower level than `code` to `taken`."""


@c_function
def drop_dominated(
    fields: CodeFields,
    strings: SortedStrings,
    start: int,
    tied: int,
    end: int,
    best: Annotated[Words, reads("best", "words")],
    best_values: Annotated[Floats, reads("best")],
    best_roots: Annotated[Int64s, reads("best")],
) -> int:
    """Drop the strings before `tied` that lose to one of the best; return the new end.

    A string loses to one that has no lower research value and either fewer attributes at the root
    or as many and no greater code (which is the order of level vectors).
    """


@c_function
def drop_lonely(
    fields: CodeFields,
    strings: SortedStrings,
    start: int,
    end: int,
    places: Annotated[Int64s, reads("attributes")],
    sizes: Annotated[Int32s, reads("_")],
    k: int,
) -> int:
    """Drop the strings whose point of a grid with these place values holds less than k.

    Return the new end.
    """
