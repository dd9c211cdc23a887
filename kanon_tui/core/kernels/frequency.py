"""Counting the classes of a generalisation string.

A tuple is a row of bit fields, which `TupleLayout` describes. The attributes at a level of one
label say nothing and are passed over, so general strings cost less than specific ones.

The labels of a tuple become one mixed-radix number, its key. Where keys are few they are addresses
in a table; else they are hashed into one. Where the product of the radices passes 63 bits it wraps
around, so that different tuples may share a key: then labels are compared too.

Neighbouring attributes form a *chunk*, whose part of the key is looked up in one table. Counting
costs O(groups · chunks). `tests/core/lattice/test_frequency.py` counts the labels themselves.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.numeric import Int32s, Int64s, Words

KEYS_PER_CHUNK = 4096  # a table of 32 kB stays in the fastest cache
KEYS_PER_BLOCK = 1024  # groups whose keys stay in the fastest cache


@dataclass(frozen=True, eq=False)
class TupleLayout(Struct):
    """The bit fields of a tuple's attributes, and the labels of their values."""

    word: Annotated[Int64s, reads("attributes")]
    """Per attribute the word of the tuple that holds its value."""
    shift: Annotated[Words, reads("attributes")]
    """Per attribute how many bits its field lies from the right of the word."""
    mask: Annotated[Words, reads("attributes")]
    """Per attribute the mask of its field, before it is shifted."""
    start: Annotated[Int64s, reads("attributes", "levels")]
    """Where the labels of a level begin in `labels`."""
    radix: Annotated[Int64s, reads("attributes", "levels")]
    """How many labels the level has."""
    labels: Annotated[Int32s, reads("_")]


@dataclass(frozen=True, eq=False)
class RecordGroups(Struct):
    """Records that look the same, group by group."""

    members: Annotated[Int32s, reads("groups")]
    """Per group the number of one of its tuples."""
    tuples: Annotated[Words, reads("groups", "_")]
    """Per group that tuple, as words of bit fields."""
    sizes: Annotated[Int32s, reads("groups")]
    """Per group its number of records."""


@dataclass(frozen=True, eq=False)
class ClassSlots(Struct):
    """The hash table of classes; its slots are a power of two, at least twice the groups."""

    of: Annotated[Int32s, writes("groups")]
    """Per group its slot."""
    sizes: Annotated[Int32s, writes("slots")]
    """Per slot the records of its class."""
    keys: Annotated[Words, writes("slots")]
    """Per slot its key; room to work in."""
    groups: Annotated[Int32s, writes("slots")]
    """Per slot a group of its class, where keys are no proof."""


@dataclass(frozen=True, eq=False)
class KeyScratch(Struct):
    """Memory to make keys in; nothing in it outlives a call."""

    first: Annotated[Int64s, writes("attributes")]
    """Per attribute where the labels of its level begin."""
    stride: Annotated[Words, writes("attributes")]
    """Per attribute its place value in a key; 0 where it has one label."""
    chunk_of: Annotated[Int64s, writes("attributes")]
    """Per attribute its chunk; -1 where it has no table."""
    chunk_word: Annotated[Int64s, writes("attributes")]
    """Per chunk the word of the tuple that holds it."""
    chunk_shift: Annotated[Words, writes("attributes")]
    chunk_mask: Annotated[Words, writes("attributes")]
    chunk_first: Annotated[Int64s, writes("attributes")]
    """Per chunk where its table begins, or the labels of an attribute too wide for a table."""
    chunk_stride: Annotated[Words, writes("attributes")]
    """Per chunk the place value of such a wide attribute, else 0."""
    tables: Annotated[Words, writes("attributes", KEYS_PER_CHUNK)]
    """The tables of all chunks, one behind the other."""
    keys: Annotated[Words, writes(KEYS_PER_BLOCK)]


@dataclass(frozen=True, eq=False)
class ClassCounter(Struct):
    """The arrays that counting classes for one k needs besides groups of records and a string."""

    layout: TupleLayout
    slots: ClassSlots
    scratch: KeyScratch
    k: int


class CountedClasses(NamedTuple):
    """The result of `count_classes`."""

    classes: int
    """The number of classes, `most` + 1 if it stopped there."""
    small: int
    """Records in classes smaller than k."""
    smallest: int
    """Records in the smallest class."""
    group: int
    """Its first group; of more than `most` classes, that of the first class too many."""


def new_counter(layout: TupleLayout, groups: int, k: int) -> ClassCounter:
    """Return a counter for strings with at most as many classes as there are `groups`.

    Memory that no test touches is none: few need all the slots, and groups only wide tables.
    """
    slots = ClassSlots.allocate(groups=groups, slots=1 << max(4, (2 * groups - 1).bit_length()))
    return ClassCounter(layout, slots, KeyScratch.allocate(attributes=len(layout.word)), k)


@c_function
def count_classes(
    counter: ClassCounter,
    groups: RecordGroups,
    levels: Annotated[Int64s, reads("_")],
    most: int,
    stop: bool,
) -> CountedClasses:
    """Merge groups of records into the classes of a string, with a level per attribute.

    The class of a group gets a slot, where the records add up; `collect_classes` lists them. With
    `stop`, more than `most` classes are not counted to the end, and there are no more slots than
    so many need: the fewer, the faster.
    """


@c_function
def collect_classes(
    counter: ClassCounter,
    groups: RecordGroups,
    listed: Annotated[Int32s, writes(2, "classes")],
    numbers: Annotated[Int32s, writes("_")],
) -> None:
    """List the classes of `count_classes` in order of first appearance.

    A class gets its first member and its size; `numbers[g]`, unless it is empty, gets the class of
    group g. The slots then hold the numbers of the classes, as negative ones.
    """


@c_function
def class_everywhere(
    counter: ClassCounter,
    groups: RecordGroups,
    member: int,
    lowest: Annotated[Int64s, reads("attributes")],
    sizes: Annotated[Int64s, reads("attributes")],
    agree: Annotated[Int32s, writes("_")],
    grid: Annotated[Int32s, writes("_")],
) -> None:
    """Write the size of one group's class at every string to `grid` (the first attribute slowest).

    Another group is in its class from the levels on at which their labels agree. Those levels are a
    point of the grid: count the records of every point, then add up along every attribute, so that
    a point holds all records that agree there or below. `agree` is room for a number per label of
    the lowest levels.
    """
