"""The centre of a cluster: what distances are measured from, and the counts that say how far.

A contingency table counts the values of every category, and the values within every context that
may condition them. Only combinations that occur are counted, so it is linear in the records, and a
record that leaves changes one cell per context. Measuring from a row costs one pass over all
values.

A centre has a place per number and a distance per value. To tell how near a whole box of rows can
be (`box_tree`), a search needs the smallest distance of a set of values. The tree keeps such sets
as 64 bits, label modulo 64. Values that are about equally frequent are about equally far from any
other, so labels are chosen such that these share a bit (`labels_by_frequency`). Of an attribute
with more than 64 values every node gets a wider set besides, of up to 4 *words* of 64 bits, from
the rows it had at first; a value may still be there when both sets have it.

Starting a centre costs one pass over all values, adding to it one over the attributes. The twin in
`algorithms/twins/similarity.py` counts the records again each time, and keeps the places
and values of a centre's records.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_arrays import WORD_BITS
from kanon_tui.core.kernels.box_tree import BoxTree
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s, Words

_MOST_WORDS = 4


@dataclass(frozen=True, eq=False)
class Contingency(Struct):
    """Counts of the records left, per *cell*: a value of an attribute within a group of records.

    Categories stand in order of rising cardinality. A *context* divides the records into groups,
    by other attributes' values; every attribute has a context that is just one group, all records.
    Cells of these whole contexts come first, one per value, so that they also number the values.
    """

    offsets: Annotated[Int64s, reads("attributes+1")]
    """Where the values of each attribute begin."""
    missing: Annotated[Int64s, reads("attributes")]
    """Per attribute the cell of its missing value, -1 without one."""
    present: Annotated[Int64s, writes("attributes")]
    """Per attribute how many different values, missing left aside, are left."""
    columns: Annotated[Int64s, reads("attributes+1")]
    """Where the contexts of each attribute begin; the last one is the whole."""
    cell: Annotated[Int32s, reads("rows", "contexts")]
    """Its cell per context; -1 where the group never had k records."""
    group: Annotated[Int32s, reads("cells")]
    """The group of the cell; group y is all records of attribute y."""
    value: Annotated[Int32s, reads("cells")]
    counts: Annotated[Int32s, writes("cells")]
    starts: Annotated[Int64s, reads("groups+1")]
    """Per group where its cells begin, in order of value; one more entry marks the end."""
    size: Annotated[Int64s, writes("groups")]
    """Per group how many records are left."""
    chosen: Annotated[Int64s, writes("attributes")]
    """Per attribute the group that conditioned it last, -1 when nothing had to be counted."""
    within: Annotated[Int32s, writes("widest")]
    """Scratch memory, as long as the attribute with most values; so are the next two."""
    keys: Annotated[Int64s, writes("widest")]
    order: Annotated[Int64s, writes("widest")]


def new_contingency(
    codes: Sequence[Int32s], missing: Sequence[int | None], records: Int32s, k: int, spatial: bool
) -> Contingency:
    """Return the table over rows of codes, an array per category; rows stand for `records` each.

    Contexts of a category: the value of the category before it or, with `spatial`, the values of
    all categories before it, and of all but the last, and so on.
    """
    no_context = np.zeros(len(records), dtype=np.int64)
    contexts: list[list[Int64s]] = []
    prefixes: list[Int64s] = []
    for y in range(len(codes)):
        contexts.append(prefixes[::-1] if spatial else prefixes[-1:])
        before = prefixes[-1] if prefixes and spatial else no_context
        keys = before * (int(codes[y].max()) + 1) + codes[y]
        prefixes.append(np.unique(keys, return_inverse=True)[1].astype(np.int64))

    cell = np.full((len(records), sum(map(len, contexts)) + len(codes)), -1, dtype=np.int32)
    columns = np.cumsum([0, *(len(contexts_of_category) + 1 for contexts_of_category in contexts)])
    jobs = [(y, int(columns[y + 1]) - 1, no_context) for y in range(len(codes))]
    jobs += [
        (y, int(columns[y]) + c, context)
        for y, contexts_of_category in enumerate(contexts)
        for c, context in enumerate(contexts_of_category)
    ]
    groups = []
    values = []
    counts = []
    cells = group = 0
    for y, column, context in jobs:
        large = np.bincount(context, weights=records)[context] >= k
        width = int(codes[y].max()) + 1
        keys = context[large] * width + codes[y][large]
        pairs, number = np.unique(keys, return_inverse=True)
        cell[large, column] = cells + number
        in_group, group_of = np.unique(pairs // width, return_inverse=True)
        groups.append(group + group_of)
        values.append(pairs % width)
        counts.append(np.bincount(number, weights=records[large], minlength=len(pairs)))
        cells += len(pairs)
        group += len(in_group)
    widths = [int(code_of.max()) + 1 for code_of in codes]
    offsets = np.cumsum([0, *widths])
    all_groups = np.concatenate([*groups, np.zeros(0, dtype=np.int64)]).astype(np.int32)
    all_counts = np.concatenate([*counts, np.zeros(0)]).astype(np.int32)
    absent = [-1 if code is None else offsets[y] + code for y, code in enumerate(missing)]
    return Contingency.allocate(
        offsets=offsets,
        missing=np.array(absent, dtype=np.int64),
        present=np.diff(offsets) - (np.array(absent, dtype=np.int64) >= 0),
        columns=columns,
        cell=cell,
        group=all_groups,
        value=np.concatenate([*values, np.zeros(0, dtype=np.int64)]).astype(np.int32),
        counts=all_counts,
        starts=np.searchsorted(all_groups, np.arange(group + 1)).astype(np.int64),
        size=np.bincount(all_groups, weights=all_counts, minlength=group).astype(np.int64),
        chosen=np.full(len(codes), -1, dtype=np.int64),
        widest=max(widths, default=0),
    )


@dataclass(frozen=True, eq=False)
class Centre(Struct):
    """A centre, and the value sets of a tree's nodes."""

    place: Annotated[Floats, writes("numbers")]
    """Per number the mean of some places; nan without any."""
    total: Annotated[Floats, writes("numbers")]
    terms: Annotated[Int64s, writes("numbers")]
    """Sum and number of these places."""
    blank: Annotated[Flags, writes("numbers")]
    """Per number whether a missing one is at distance 0; else it is at 1."""
    distance: Annotated[Floats, writes("labels")]
    """Per label, those of all categories one after the other."""
    offsets: Annotated[Int64s, reads("categories+1")]
    """Where the labels of each category begin."""
    label: Annotated[Int64s, reads("values")]
    """Per value its label, counted through all categories."""
    slot: Annotated[Int64s, reads("labels")]
    """Per label its bit, counted through all words."""
    columns: Annotated[Int64s, reads("categories+1")]
    """Where the words of each category begin."""
    words: Annotated[Words, writes("nodes", "words")]
    """The values of the rows of each node."""
    least: Annotated[Floats, writes("slots")]
    """Per slot the smallest distance of its values."""
    zero: Annotated[Words, writes("words")]
    """Per word the bits at distance 0."""


@c_function
def fill_words(tree: BoxTree, centre: Centre) -> None:
    """Set the words of all nodes, which are 0, from the rows of the tree."""


def labels_by_frequency(counts: Int64s) -> Int32s:
    """Return the label of every value of a category, given how many records have it.

    Of more than 64 values those that are about equally frequent have the same label modulo 64.
    """
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    most = max(len(counts), WORD_BITS)
    bit = rank * WORD_BITS // most
    first = -(-bit * most // WORD_BITS)
    return (WORD_BITS * (rank - first) + bit).astype(np.int32)


def new_centre(tree: BoxTree, labels: Sequence[Int32s]) -> Centre:
    """Return room for a centre of rows of this tree, given the labels of the values.

    The nodes of the tree get their value sets.
    """
    sizes = np.array([labels_of.max(initial=0) + 1 for labels_of in labels], dtype=np.int64)
    words = np.minimum(-(-sizes // WORD_BITS), _MOST_WORDS)
    columns = np.concatenate([[0], np.cumsum(words)]).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    slots = [np.zeros(0, dtype=np.int64)]
    for y, size in enumerate(sizes.tolist()):
        block, bit = np.divmod(np.arange(size), WORD_BITS)
        word = columns[y] + block * words[y] // (block[-1] + 1)
        slots.append(WORD_BITS * word + bit)
    centre = Centre.allocate(
        place=np.full(tree.places.shape[1], np.nan),
        offsets=offsets,
        label=np.concatenate(
            [slots[0], *(labels_of + offsets[y] for y, labels_of in enumerate(labels))]
        ),
        slot=np.concatenate(slots),
        columns=columns,
        nodes=len(tree.start),
        words=columns[-1],
        slots=WORD_BITS * columns[-1],
    )
    fill_words(tree, centre)
    return centre
