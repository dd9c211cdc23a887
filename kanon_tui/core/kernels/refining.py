"""Proposals to better a clustering: which classes exchange records, and which are split.

A batch goes on through the classes in order. A class of 2k or more may be split. Otherwise it is
tried with the classes that hold most of the nearest records of its own: their records are shared
out anew, once from the division they have and once from two far-apart seeds, and the pair that
saves most is proposed. Where none does, the class may be dissolved: each of its records joins the
class of a near record to which it adds least. A class takes part in one proposal of a batch.
Whoever runs this looks at the proposals, has those carried out that it accepts (`carry_out`) and
asks for the next batch.

Pairs that were tried are left alone until one of the two has changed.

What a class costs is, summed over the attributes, rate · records shown · extent, and for every rule
that it breaks rate · records. With extents of NCP and rates of 1 that is the NCP of its records.
With `squared`, numbers cost the squared differences from the mean of the class instead.
Records of one *type* are alike. `tests/core/algorithms/twins/refining.py` counts every class anew.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.box_arrays import Attributes
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

NEW_CLASS, NOBODY, DISSOLVED = -1, -2, -3
"""In place of the other class of a proposal: the class is split; there is no proposal; its records
join several classes."""
NO_RECORD = -1
HIDDEN_CELL = -1
"""In place of a value: the cell is hidden and no part of its class's box."""
LOWEST, SECOND_LOWEST, HIGHEST, SECOND_HIGHEST = range(4)  # last axis of `TwoSides.ends`


@dataclass(frozen=True, eq=False)
class RecordCosts(Struct):
    """The values of records by type, and the costs of classes."""

    attributes: Attributes
    values: Annotated[Int32s, reads("types", "attributes")]
    """Code, or rank in the order of the tree; or HIDDEN_CELL."""
    rule_sides: Annotated[Int32s, reads("types", "rules")]
    """1 on the first side, 2 on the second, 0 on none."""
    rates: Annotated[Floats, reads("attributes")]
    """What extent costs a record."""
    rule_rates: Annotated[Floats, reads("rules")]
    """What breaking a rule costs a record."""
    squared: bool
    """Whether numbers cost the squared differences from the mean of their class."""


@dataclass(frozen=True, eq=False)
class RefinedClasses(Struct):
    """The classes: lists of records, and when something happened to them."""

    of: Annotated[Int32s, writes("records")]
    """Per record its class."""
    following: Annotated[Int32s, writes("records")]
    """Per record the next of its class, NO_RECORD at the end."""
    type_of: Annotated[Int32s, reads("records")]
    near: Annotated[Int32s, reads("records", "_")]
    """Per record some near ones, nearest first, -1 where there are no more."""
    head: Annotated[Int32s, writes("classes")]
    """Per class its first record."""
    size: Annotated[Int32s, writes("classes")]
    """Per class its records; 0: it does not exist yet."""
    block: Annotated[Int32s, writes("classes")]
    """Only classes of one block exchange records."""
    changed: Annotated[Int64s, writes("classes")]
    """Per class the first batch since it last changed."""
    tried: Annotated[Int64s, writes("classes")]
    """Per class the batch from which on it has been tried with all near ones."""
    busy: Annotated[Int64s, writes("classes")]
    """Per class the batch in which it is part of a proposal."""
    refused: Annotated[Int32s, writes("classes", "_")]
    """Per class a few partners with whom a proposal was refused."""


@dataclass(frozen=True, eq=False)
class RefineLimits(Struct):
    """The limits of a batch."""

    k: int
    partners: int
    """Classes that a class is tried with."""
    records: int
    """Most records of two classes together."""
    work: int
    """A batch ends when it is done."""


@dataclass(frozen=True, eq=False)
class TwoSides(Struct):
    """Room for the records of two classes, and for what is known of either side.

    A side knows enough of its records to say at once what it would cost without one and with
    another: of numbers and trees the two lowest and the two highest values, of sets how often each
    value occurs, of rules how many records stand on either side.
    """

    record: Annotated[Int32s, writes("most")]
    type: Annotated[Int32s, writes("most")]
    side: Annotated[Int32s, writes("most")]
    """Per record 0 or 1, or 2 while it is undecided."""
    narrows: Annotated[Flags, writes("most")]
    """Per record whether its side may be narrower without it."""
    growth: Annotated[Floats, writes(2, "most")]
    """What a record would add to a side."""
    size: Annotated[Int32s, writes(2)]
    shown: Annotated[Int32s, writes(2, "attributes")]
    """Records whose cell is not hidden."""
    ends: Annotated[Int32s, writes(2, "attributes", 4)]
    """LOWEST to SECOND_HIGHEST."""
    counts: Annotated[Int32s, writes(2, "values")]
    """How often each value of all sets occurs."""
    distinct: Annotated[Int32s, writes(2, "attributes")]
    """How many values of a set occur."""
    on_rule: Annotated[Int32s, writes(2, "rules", 2)]
    moments: Annotated[Floats, writes(2, "attributes", 2)]
    """Of numbers the sum of the places and of their squares, where squares are counted."""


@dataclass(frozen=True, eq=False)
class Proposals(Struct):
    """Room for the proposals of a batch, one after the other."""

    classes: Annotated[Int32s, writes("proposals", 2)]
    """The second is NEW_CLASS or DISSOLVED where there is none."""
    ends: Annotated[Int32s, writes("proposals")]
    """Where the records of each end."""
    record: Annotated[Int32s, writes("room")]
    into: Annotated[Int32s, writes("room")]
    """Per record its class then, or NEW_CLASS."""
    extents: Annotated[Floats, writes("proposals", "attributes")]
    """Change of records shown · extent."""
    broken: Annotated[Floats, writes("proposals", "rules")]
    """Change of records in classes that break a rule."""
    partner: Annotated[Int32s, writes("near")]
    """Scratch to choose partners: the classes near one."""
    votes: Annotated[Floats, writes("near")]
    """Scratch: per near class how near it is."""
    slot: Annotated[Int32s, writes("classes")]
    """Per class its place among these."""
    kept: Annotated[Int32s, writes("most")]
    """Scratch: the sides, or classes, of the best change of a class."""
    tested: Annotated[Int32s, writes("most")]
    """Scratch: the sides of a change that is tried."""


class Proposed(NamedTuple):
    """The result of a batch."""

    proposals: int
    following: int
    """The class to go on from."""
    tried: int
    """Changes that were tried."""


@c_function
def propose(
    costs: RecordCosts,
    classes: RefinedClasses,
    sides: TwoSides,
    proposals: Proposals,
    limits: RefineLimits,
    begin: int,
    end: int,
    batch: int,
) -> Proposed:
    """Make the proposals of the next batch, from a class up to another."""


@c_function
def carry_out(
    classes: RefinedClasses, proposals: Proposals, p: int, partner: int, batch: int
) -> None:
    """Give the records of a proposal to their classes; `partner` is new, or negative if none is."""


@c_function
def look_along(
    attributes: Attributes,
    rates: Annotated[Floats, reads("attributes")],
    rows: Annotated[Int32s, reads("rows", "attributes")],
    order: Annotated[Int32s, reads("rows")],
    reach: int,
    near: Annotated[Int32s, writes("rows", "most")],
    away: Annotated[Floats, writes("rows", "most")],
) -> None:
    """Look at the rows within reach in an order, and keep the nearest, the first of equals first.

    `near` and `away` have as many of every row as there is room for, -1 and infinity where none is
    known; rows found along other orders stay where they are nearer.
    """
