"""Testing many strings at once on a cube: the records of every combination of labels.

Near the border between strings that pass and strings that fail classes are few, and so are the
combinations of labels. Records by combination are added up along an attribute in a fraction of the
time that it takes to look classes up one by one.

The attributes are in an order; a *box* fixes the levels of the first ones and leaves the others
free. What has one more attribute fixed is made of what has one less, its *source*.

A source has rows, one for every combination of labels of the attributes that are fixed, and in a
row the records of every combination of labels of the others, at some level each. The labels of the
first of these divide a row into *parts*. Fixing it at a level makes a row of all parts whose labels
become one there; the others may be raised at the same time.

A source is either a *cube*, which has a place for every combination, or *cells*, which are those
that have records, row by row and part by part. Sources begin sparse; cubes are for what comes
later, when they are hardly larger than cells. A cube has a *column* for every place, in which rows
are side by side: columns can be added up many numbers at a time.

Rows are left out of which nothing can change when the other attributes are raised: those of fewer
than k records, which have to go, and those without a class smaller than k.
"""

from dataclasses import dataclass
from math import prod
from typing import Annotated, NamedTuple

import numpy as np

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.frequency import TupleLayout
from kanon_tui.core.numeric import Bytes, Int32s, Int64s, Words

UNKNOWN = 0
FAILS = 1
PASSES = 2
PLACES_PER_CELL = 8
"""Up to so many times the cells of its source a cube may be large."""
NOT_BEGUN = -2


@dataclass(frozen=True, eq=False)
class LevelLattice(Struct):
    """The levels of the attributes, in the order of the walk and counted from the lowest."""

    sizes: Annotated[Int64s, reads("attributes")]
    """How many levels an attribute has."""
    places: Annotated[Int64s, reads("attributes")]
    """Its place value in the grid."""
    radix: Annotated[Int64s, reads("attributes", "levels")]
    """How many labels a level has."""
    start: Annotated[Int64s, reads("attributes", "levels")]
    """Where a level begins in `parents`."""
    parents: Annotated[Int32s, reads("_")]
    """Of every label of a level the label of the next level."""


@dataclass(frozen=True, eq=False)
class CubeRoom(Struct):
    """The stack of sources, and scratch memory to make one from another."""

    numbers: Annotated[Int32s, writes("numbers")]
    """Cubes; and the records of the parts of every source."""
    begin: Annotated[Int64s, writes("parts")]
    """Per part of a source of cells where these begin; at its end one more."""
    keys: Annotated[Int32s, writes("cells")]
    """Per cell its place in a part."""
    sizes: Annotated[Int32s, writes("cells")]
    """Per cell its records."""
    targets: Annotated[Int32s, writes("places")]
    """Where the places of a part go."""
    records: Annotated[Int32s, writes("places")]
    """Zeros, for the places of a part."""
    touched: Annotated[Int32s, writes("places+1")]
    """Room for a list of places."""
    columns: Annotated[Int32s, writes("columns")]
    """Room for the columns that come of one label."""
    totals: Annotated[Int32s, writes("rows")]
    """Room for a number per row."""
    small: Annotated[Int32s, writes("rows")]
    """Room for another number per row."""
    chosen: Annotated[Int32s, writes("rows")]
    """Room for a list of rows."""
    sorted_labels: Annotated[Int64s, writes("labels")]
    """The labels of the attribute that is fixed, sorted by what they become."""
    first_label: Annotated[Int64s, writes("labels")]
    """Per label that they become where these begin; at the end one more."""


@dataclass(frozen=True, eq=False)
class BoxWalk(Struct):
    """The state of a walk through a box: the source of every attribute that is looked at."""

    at: Annotated[Int64s, writes(2)]
    """The attribute that is looked at now, and the first that is not fixed."""
    levels: Annotated[Int64s, writes("attributes", "attributes")]
    """Per source the level of every attribute."""
    begins: Annotated[Int64s, writes("attributes")]
    """Per source where its cells or columns begin in the room."""
    sums: Annotated[Int64s, writes("attributes")]
    """Per source where the records of its parts begin in the room."""
    parts: Annotated[Int64s, writes("attributes")]
    """Per source its number of parts."""
    rows: Annotated[Int64s, writes("attributes")]
    """Per source its number of rows."""
    strides: Annotated[Int64s, writes("attributes")]
    """Per source the length of its columns; 0 where it has cells."""
    lost: Annotated[Int64s, writes("attributes")]
    """Per source the records of the rows that were left out."""
    turn: Annotated[Int64s, writes("attributes")]
    """Per source which level of its attribute comes next."""
    lowest: Annotated[Int64s, writes("attributes")]
    """Room for a string."""
    general: Annotated[Int64s, writes("attributes")]
    """Room for a second string."""
    corner: Annotated[Int64s, writes("attributes")]
    """Room for a third string."""
    marking: Annotated[Int64s, writes("attributes")]
    """Room for a fourth string."""


class WalkedBox(NamedTuple):
    """The result of a call of `walk_box`."""

    tests: int
    """Strings that were tested."""
    pruned: int
    """Strings that are known without a test."""
    work: int
    """Numbers looked at."""
    small: int
    """Of the last string that was tested the records in classes smaller than k."""


def new_room(radix: list[int], groups: int, parts: int, rows: int) -> CubeRoom:
    """Return room for a box: its source, and what is made of it, one attribute after the other.

    The source has so many parts and groups of records; what comes of it has so many rows at most.
    `radix` says how many labels the attributes have that are not fixed.
    """
    cells = len(radix) * groups
    sums = parts + rows * sum(radix[1:])
    return CubeRoom.allocate(
        numbers=sums + PLACES_PER_CELL * cells,
        parts=sums + len(radix),
        cells=cells,
        places=prod(radix[1:]),
        columns=PLACES_PER_CELL * groups,
        rows=rows + 1,
        labels=max(radix) + 1,
    )


def begin_walk(string: Int64s, depth: int, parts: int, lost: int) -> BoxWalk:
    """Return the walk through the box of a string whose first attributes are fixed."""
    walk = BoxWalk.allocate(
        at=np.array([depth, depth], dtype=np.int64),
        levels=np.tile(string, (len(string), 1)),
        turn=np.full(len(string), NOT_BEGUN, dtype=np.int64),
    )
    walk.parts[depth], walk.lost[depth] = parts, lost
    return walk


@c_function
def fill_cells(
    tuples: Annotated[Words, reads("groups", "_")],
    sizes: Annotated[Int32s, reads("groups")],
    rows: Annotated[Int32s, reads("groups")],
    attributes: Annotated[Int64s, reads("_")],
    levels: Annotated[Int64s, reads("_")],
    layout: TupleLayout,
    parts: int,
    k: int,
    room: CubeRoom,
    part_of: Annotated[Int32s, writes("groups")],
    keys: Annotated[Int32s, writes("groups")],
) -> int:
    """Put groups of records into cells of these attributes; a row below 0 leaves one out.

    `part_of` and `keys` are room to work in. Return the records of cells smaller than k.
    """


@c_function
def walk_box(
    grid: Annotated[Bytes, writes("_")],
    lattice: LevelLattice,
    walk: BoxWalk,
    room: CubeRoom,
    k: int,
    allowed: int,
    patience: int,
    tested: Annotated[Int64s, writes("_")],
) -> WalkedBox:
    """Test the unknown strings of a box, general ones first, until none is left or it took long.

    The walk begins with the levels of some first attributes fixed; the cells of a string, which is
    nowhere more general than what is unknown, are the first in the room. Rows of fewer than k
    records are left out and counted as lost: these have to go whatever the levels of the others.
    `tested` gets the places of the strings that were tested. What is more general than one that
    passes, with other levels fixed, was looked at before.

    `grid` has a byte for every string: UNKNOWN, FAILS or PASSES. The first attribute is slowest.

    When an attribute is fixed, two strings are tested: that with everything behind it at the root,
    by the records of the rows, and the most specific of those that are unknown. What the latter
    tells of the former counts as no test.
    """
