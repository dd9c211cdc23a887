"""Fixing one attribute after the other of a cube: the rows that come of it, and their records.

A *source* has rows, one for every combination of labels of the attributes that are fixed, and in a
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

from __future__ import annotations

from typing import NamedTuple

from kanon_tui.core.kernels import called_by_kernels, part_of_kernel
from kanon_tui.core.numeric import Int32s, Int64s

__all__ = ["Lattice", "Room", "fill_targets", "row_length", "sort_labels"]


class Lattice(NamedTuple):
    """The levels of the attributes, in the order of the walk and counted from the lowest."""

    sizes: Int64s
    """How many levels an attribute has."""
    places: Int64s
    """Its place value in the grid."""
    radix: Int64s
    """Attributes × levels: how many labels."""
    start: Int64s
    """Attributes × levels: where a level begins in `parents`."""
    parents: Int32s
    """Of every label of a level the label of the next level."""


class Room(NamedTuple):
    """Where sources stand, one behind the other, and what is needed to make one of another."""

    numbers: Int32s
    """Cubes; and the records of the parts of every source."""
    begin: Int64s
    """Per part of a source of cells where these begin; at its end one more."""
    keys: Int32s
    """Per cell its place in a part."""
    sizes: Int32s
    """Per cell its records."""
    targets: Int32s
    """Where the places of a part go."""
    records: Int32s
    """Zeros, for the places of a part."""
    touched: Int32s
    """Room for a list of places."""
    columns: Int32s
    """Room for the columns that come of one label."""
    totals: Int32s
    """Room for a number per row."""
    small: Int32s
    """The same."""
    chosen: Int32s
    """Room for a list of rows."""
    sorted_labels: Int64s
    """The labels of the attribute that is fixed, sorted by what they become."""
    first_label: Int64s
    """Per label that they become where these begin; at the end one more."""


@part_of_kernel
def row_length(lattice: Lattice, levels: Int64s, depth: int) -> int:
    """The places in a row at these levels, with the first attributes fixed."""
    length = 1
    for a in range(depth, len(levels)):
        length *= int(lattice.radix[a, levels[a]])
    return length


@part_of_kernel
def _label_above(lattice: Lattice, a: int, label: int, low: int, high: int) -> int:
    """What a label becomes on a higher level."""
    for level in range(low, high):
        label = int(lattice.parents[lattice.start[a, level] + label])
    return label


@called_by_kernels
def sort_labels(lattice: Lattice, a: int, low: int, high: int, room: Room) -> None:
    """Sort the labels of an attribute by what they become on a higher level."""
    first, old, new = room.first_label, lattice.radix[a, low], lattice.radix[a, high]
    for above in range(new + 1):
        first[above] = 0
    for label in range(old):
        first[_label_above(lattice, a, label, low, high) + 1] += 1
    for above in range(new):
        first[above + 1] += first[above]
    for label in range(old - 1, -1, -1):
        above = _label_above(lattice, a, label, low, high)
        first[above + 1] -= 1  # moves down to where those of this label begin
        room.sorted_labels[first[above + 1]] = label
    for above in range(new):
        first[above] = first[above + 1]
    first[new] = old


@called_by_kernels
def fill_targets(
    first: int, last: int, low: Int64s, high: Int64s, lattice: Lattice, targets: Int32s
) -> tuple[int, int]:
    """Where the places of a part go when its attributes are raised; lengths before and after."""
    old, new = 1, 1
    targets[0] = 0
    for a in range(last, first - 1, -1):
        for label in range(lattice.radix[a, low[a]] - 1, -1, -1):  # the others copy what 0 has
            above = _label_above(lattice, a, label, low[a], high[a])
            for i in range(old):
                targets[label * old + i] = targets[i] + above * new
        old *= int(lattice.radix[a, low[a]])
        new *= int(lattice.radix[a, high[a]])
    return old, new
