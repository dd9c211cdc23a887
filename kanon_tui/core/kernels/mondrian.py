"""Mondrian's inner loop: measure a part of the table, find its cut, divide it, repeat.

The table of ranks is reordered in place, so that every part is a run of consecutive rows and all
passes read memory in order. A pass over a part costs O(rows × attributes); with even cuts that is
O(n · attributes · log(n / k)) for the whole run. Open parts wait on a stack, the lower side of a
cut on top. The twin in `algorithms/twins/mondrian.py` works on lists of records.
"""

from dataclasses import dataclass
from typing import Annotated

from kanon_tui.core.kernels.boundary import Struct, c_function, reads, writes
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

MOST_REFUSED = 8
"""Cuts of an attribute that are tried where requirements beyond k refuse them."""

# Columns of `Parts.proposals`. CUT_ATTRIBUTE: -1 for no cut. CUT_RECORDS: of the lower side.
# CUT_RANK: the highest rank of the lower side. CUT_MIDDLE: the row that begins the upper side.
# LAST_OFF: how far the lower side is from half of the records, twice. GIVEN_UP: attributes, in
# order of width, of which no cut is left. REFUSED: cuts of the next one that were refused.
CUT_ATTRIBUTE, CUT_RECORDS, CUT_RANK, CUT_MIDDLE, LAST_OFF, GIVEN_UP, REFUSED = range(7)
PROPOSAL_COLUMNS = 7
ALLOWABLE, MEDIAN, RELAXED = 0, 1, 2  # where a part is cut
COUNTED_RANKS_PER_ROW = 4  # ranks are counted, not sorted, while there are fewer per row
COUNTED_RANKS = 64


@dataclass(frozen=True, eq=False)
class Axes(Struct):
    """The attributes: values as ranks, those of all attributes one after the other."""

    offsets: Annotated[Int64s, reads("attributes+1")]
    """Where the ranks of each attribute begin in the arrays below."""
    ordered: Annotated[Flags, reads("attributes")]
    """Per attribute: a number or a date."""
    places: Annotated[Floats, reads("ranks")]
    """Numbers and dates: where the rank lies in the domain; nan for all else."""
    weights: Annotated[Floats, reads("attributes")]
    levels: Annotated[Int32s, reads("ranks", "levels")]
    """Given hierarchies: the label of a rank at each level below the root; else -1."""
    covers: Annotated[Floats, reads("ranks", "levels")]
    """The share of the attribute's values that this label covers."""


@dataclass(frozen=True, eq=False)
class Parts(Struct):
    """The table, reordered part by part."""

    table: Annotated[Int32s, writes("rows", "attributes")]
    """Ranks."""
    rows: Annotated[Int32s, writes("rows")]
    """Per row of the table its record, or its distinct tuple."""
    copies: Annotated[Int64s, writes("rows")]
    """Per row of the table how many records it stands for."""
    begins: Annotated[Flags, writes("rows")]
    """Per row of the table: a closed part begins there."""
    stack: Annotated[Int64s, writes("open", "numbers")]
    """Open parts: start, end; then per attribute lowest rank, highest rank, distinct values; at
    last the records."""
    losses: Annotated[Floats, writes("open")]
    """Open parts: what publishing the part as one class costs, its NCP times its records."""
    widths: Annotated[Floats, writes("open", "attributes")]
    """Open parts: the normalised width along every attribute, 0 to 1."""
    proposals: Annotated[Int64s, writes("open", 7)]
    """Open parts: the cut that was proposed last, CUT_ATTRIBUTE to REFUSED."""
    seen: Annotated[Int32s, writes("ranks")]
    """Per rank the part it was last seen in; the last one is the number of parts measured."""
    tried: Annotated[Int64s, writes("attributes")]
    """The attributes that the last proposal looked at, in order, ended by -1."""


@dataclass(frozen=True, eq=False)
class PartScratch(Struct):
    """Memory to work in; nothing in it outlives a call."""

    table: Annotated[Int32s, writes("rows", "attributes")]
    rows: Annotated[Int32s, writes("rows")]
    copies: Annotated[Int64s, writes("rows")]
    column: Annotated[Int32s, writes("rows")]
    keys: Annotated[Int64s, writes("rows")]
    counts: Annotated[Int64s, writes("ranks")]
    widths: Annotated[Floats, writes("attributes")]


@c_function
def measure(axes: Axes, parts: Parts, levels: Annotated[Int64s, reads("_")]) -> None:
    """Measure the parts at some levels of the stack, of which start and end are known."""


@c_function
def propose(parts: Parts, scratch: PartScratch, first: int, depth: int, k: int, where: int) -> None:
    """Propose the next cut of every part from level `first` to `depth` of the stack.

    `where` is ALLOWABLE, MEDIAN or RELAXED. The rows of a part are divided by its cut; whoever
    accepts the cut puts both sides on the stack.
    """
