"""Distinct words and the order in which they were first met: an open hash table.

A slot is two words, a key and its place counted from one (0: the slot is free), side by side so
that a look-up touches memory once. Slots number a power of two. A word costs O(1), wherever it is;
sorting and searching, which this replaces, takes five times as long with millions of them.
"""

from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import c_function, reads, writes
from kanon_tui.core.numeric import Int32s, Words


class AddedWords(NamedTuple):
    """The result of a call of `add_words`."""

    done: int
    """Words that have a place now, from the first on."""
    known: int
    """Distinct words in the table."""


@c_function
def add_words(
    words: Annotated[Words, reads("words")],
    begin: int,
    slots: Annotated[Words, writes("_")],
    keys: Annotated[Words, writes("_")],
    count: int,
    places: Annotated[Int32s, writes("words")],
) -> AddedWords:
    """Write the place of every word from `begin` on; add new ones to `keys` while it has room."""


@c_function
def fill_slots(keys: Annotated[Words, reads("_")], slots: Annotated[Words, writes("_")]) -> None:
    """Put distinct keys into empty slots, each with its place."""


@c_function
def find_words(
    words: Annotated[Words, reads("words")],
    slots: Annotated[Words, reads("_")],
    places: Annotated[Int32s, writes("words")],
) -> None:
    """Write the place of every word, -1 for one that is not known."""
