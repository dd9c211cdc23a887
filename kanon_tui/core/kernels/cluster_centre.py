"""The centre of a cluster: what distances are measured from.

It has a place per number and a distance per value. To tell how near a whole box of rows can be
(`box_tree`), a search needs the smallest distance of a set of values. The tree keeps such sets as
64 bits, value number modulo 64, which says little of an attribute with hundreds of values. So every
node gets a wider set besides, of up to 4 *words* of 64 bits, from the rows it had at first; a
value may still be there when both sets have it.

Starting a centre costs one pass over all values, adding to it one over the attributes. The twin in
`tests/core/algorithms/twins/similarity.py` keeps the places and values of its records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.box_tree_numba import BoxTreeTuple
from kanon_tui.core.kernels.contingency import Contingency
from kanon_tui.core.numeric import Flags, Floats, Int64s, Words

__all__ = ["Centre", "add_to_centre", "new_centre", "start_centre"]

_MOST_WORDS = 4
_ONE = np.uint64(1)


class Centre(NamedTuple):
    """A centre, and the value sets of a tree's nodes."""

    place: Floats
    """Per number the mean of some places; nan without any."""
    total: Floats
    terms: Int64s
    """Sum and number of these places."""
    blank: Flags
    """Per number whether a missing one is at distance 0; else it is at 1."""
    distance: Floats
    """Per value, those of all categories one after the other."""
    offsets: Int64s
    """Where the values of each category begin."""
    slot: Int64s
    """Per value its bit, counted through all words."""
    columns: Int64s
    """Where the words of each category begin."""
    words: Words
    """Nodes × words: the values of its rows."""
    least: Floats
    """Per slot the smallest distance of its values."""
    zero: Words
    """Per word the bits at distance 0."""


def new_centre(tree: BoxTreeTuple, offsets: Int64s) -> Centre:
    """Room for a centre of rows of this tree."""
    numbers = tree.places.shape[1]
    values = np.diff(offsets)
    words = np.minimum(-(-values // 64), _MOST_WORDS)
    columns = np.concatenate([[0], np.cumsum(words)]).astype(np.int64)
    slots = [64 * columns[y] + np.arange(values[y]) % (64 * words[y]) for y in range(len(values))]
    centre = Centre(
        place=np.full(numbers, np.nan),
        total=np.zeros(numbers),
        terms=np.zeros(numbers, dtype=np.int64),
        blank=np.zeros(numbers, dtype=np.bool_),
        distance=np.zeros(int(offsets[-1])),
        offsets=offsets,
        slot=np.concatenate([*slots, []]).astype(np.int64),
        columns=columns,
        words=np.zeros((len(tree.start), int(columns[-1])), dtype=np.uint64),
        least=np.zeros(64 * int(columns[-1])),
        zero=np.zeros(int(columns[-1]), dtype=np.uint64),
    )
    _fill_words(tree, centre)
    return centre


@kernel
def _fill_words(tree: BoxTreeTuple, centre: Centre) -> None:
    for node in range(len(tree.start) - 1, -1, -1):  # children come after their parent
        words = centre.words[node]
        if tree.left[node] >= 0:
            words |= centre.words[tree.left[node]] | centre.words[tree.right[node]]
            continue
        for i in range(tree.start[node], tree.end[node]):
            for y in range(tree.labels.shape[1]):
                slot = centre.slot[centre.offsets[y] + tree.labels[i, y]]
                words[slot >> 6] |= _ONE << np.uint64(slot & 63)


@inner_kernel
def start_centre(tree: BoxTreeTuple, position: int, table: Contingency, centre: Centre) -> None:
    """Put the centre on a row, from whose values `centre.distance` was measured."""
    for x in range(len(centre.place)):
        place = tree.places[position, x]
        missing = np.isnan(place)
        centre.blank[x] = missing
        centre.place[x] = place
        centre.total[x] = 0.0 if missing else place
        centre.terms[x] = 0 if missing else 1
    centre.least[:] = np.inf
    centre.zero[:] = 0
    for value in range(len(centre.distance)):
        if table.counts[value] > 0:
            slot, away = centre.slot[value], centre.distance[value]
            centre.least[slot] = min(centre.least[slot], away)
            if away == 0.0:
                centre.zero[slot >> 6] |= _ONE << np.uint64(slot & 63)


@inner_kernel
def add_to_centre(tree: BoxTreeTuple, position: int, centre: Centre) -> None:
    """Let a row take part in the centre: its numbers in the mean, its categories at distance 0."""
    for x in range(len(centre.place)):
        place = tree.places[position, x]
        if np.isnan(place):
            centre.blank[x] = True
        else:
            centre.total[x] += place
            centre.terms[x] += 1
            centre.place[x] = centre.total[x] / centre.terms[x]
    for y in range(len(centre.offsets) - 1):
        value = centre.offsets[y] + tree.labels[position, y]
        slot = centre.slot[value]
        centre.distance[value] = 0.0
        centre.least[slot] = 0.0
        centre.zero[slot >> 6] |= _ONE << np.uint64(slot & 63)
