"""Split a group of records in two around a far-apart pair, and each part again.

Groups are runs of consecutive distinct rows in `order`, rising inside each run. Open groups wait on
a stack, the first side of a split on top. A split looks at every row of its group or, where the
group has trees (`splitting_tree`), at few of them. The rows of a group with trees are those of its
trees: its run is written only when it loses them, or when somebody asks, because a split that takes
a few rows away must not move all others.

The twin in `algorithms/twins/merging.py` splits lists of records.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.kernels.splitting_tree import GroupTrees, PricedRows
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s, Words

CLOSED = 0
SPLIT = 1
SPLIT_ROWS_PER_CALL = 1_000_000  # a call that has passed over so many rows returns
SIDE_BOXES = 4  # the two sides, and the first once more for either way to list a side


@dataclass(frozen=True, eq=False)
class OpenGroups(Struct):
    """The groups so far, closed ones and open ones."""

    order: Annotated[Int32s, writes("places")]
    """Distinct rows, group by group."""
    begins: Annotated[Flags, writes("places")]
    """Per place in the order: a closed group begins there."""
    stack: Annotated[Int64s, writes("open", 3)]
    """Open groups: begin, end and records."""
    extents: Annotated[Floats, writes("open")]
    """Open groups: their extents."""
    event: Annotated[Int64s, writes(6)]
    """The last decision: CLOSED or SPLIT, begin, begin of the second side, end; of a split also
    the distinct rows that were its seeds."""


@dataclass(frozen=True, eq=False)
class SplitSettings(Struct):
    """The settings of splits."""

    k: int
    rounds: int
    """Of the walk to a far-apart pair."""
    per_record: bool
    """Whether the box of a side counts once for every record in it."""
    large: int
    """A group of so many rows or more is split with its trees."""
    close: bool
    """Whether some numbers are closer than a tie."""


@dataclass(frozen=True, eq=False)
class SplitScratch(Struct):
    """Memory to work in: the boxes of the sides, and lists of rows."""

    low: Annotated[Int32s, writes(4, "attributes")]
    high: Annotated[Int32s, writes(4, "attributes")]
    close_low: Annotated[Int32s, writes("attributes")]
    """What the first box would cover if it hardly grew."""
    close_high: Annotated[Int32s, writes("attributes")]
    words: Annotated[Words, writes(4, "words")]
    present: Annotated[Flags, writes(4, "values")]
    """Boxes × values of all sets; all false between calls."""
    side_of: Annotated[Int32s, writes("rows")]
    """All 0 between calls."""
    scores: Annotated[Floats, writes("rows")]
    members: Annotated[Int32s, writes("rows")]
    others: Annotated[Int32s, writes("rows")]
    widened_first: Annotated[Int32s, writes("rows")]
    """Rows that widened the first box."""
    taken: Annotated[Int32s, writes("taken")]
    """Rows that widened any box; a row may do so twice."""
    on_second: Annotated[Int32s, writes("rows")]
    """Rows of the second side."""
    passed: Annotated[Int32s, writes("rows")]
    """Nodes passed over because the second box covers them."""
    ahead: Annotated[Int32s, writes("rows")]
    """Per node passed over how many rows had widened the first box by then."""


class Splits(NamedTuple):
    """The result of a call of `split_groups`."""

    depth: int
    """Open groups on the stack."""
    decided: int
    splits: int
    used: int
    """Draws used."""
    passed: int
    """Rows passed over, or what a split with trees counts for."""
    saved: float
    """By how much records · extent fell."""
    level: int
    """Level of the trees on the stack, -1 for none."""
    looked_at: int
    """Rows and nodes that splits with trees looked at to find far pairs and sides."""


@c_function
def measure_groups(
    table: PricedRows, groups: OpenGroups, scratch: SplitScratch, depth: int
) -> None:
    """Set the records and the extents of the first groups on the stack from their rows."""


@c_function
def split_groups(
    table: PricedRows,
    groups: OpenGroups,
    settings: SplitSettings,
    scratch: SplitScratch,
    trees: GroupTrees,
    level: int,
    draws: Annotated[Floats, reads("_")],
    depth: int,
    decisions: int,
) -> Splits:
    """Make up to `decisions` decisions: split the group on top of the stack, or close it.

    `draws` pick the row from which the far-apart pair is looked for; the stack must have room for
    the groups of all splits. `trees` are those of the group at `level` of the stack, -1 for none.
    Where other trees are needed the call returns.
    """
