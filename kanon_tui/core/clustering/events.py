"""What happens in clusterings: records go to groups, groups are divided, merged and closed.

`GroupEvent` says what a decision did to the groups. Pictures, the list of records and stepping back
follow from it alone, so that an algorithm whose events derive from it has all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.task.events import Event, Word

UNPLACED, SUPPRESSED = -1, -2
"""Groups of a record that has none yet, and of one that is not published."""

NO_RECORDS: Int64s = np.empty(0, dtype=np.int64)
NO_GROUP = -3


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Records that have new groups."""

    records: npt.NDArray[np.integer]
    groups: npt.NDArray[np.integer]
    """Of each record its new group, or UNPLACED or SUPPRESSED."""


@dataclass(frozen=True, slots=True, eq=False)
class HiddenCells:
    """Cells that are hidden one by one."""

    records: npt.NDArray[np.integer]
    cells: Flags
    """Records × attributes."""


NO_MOVES = Moves(NO_RECORDS, NO_RECORDS)


def moved_to(group: int, records: npt.NDArray[np.integer]) -> Moves:
    """Return that records have one new group."""
    return Moves(records, np.full(len(records), group, dtype=np.int32))


def _no_records() -> Int64s:
    return NO_RECORDS


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GroupEvent(Event):
    """A decision that changes the groups of records; watched runs fill in which records.

    Groups are numbered as the algorithm likes, from 0.
    """

    start: Int32s | None = field(default=None, repr=False)
    """Per record its group before the decision, where a run begins or numbers its groups anew."""
    moves: Moves = field(default=NO_MOVES, repr=False)
    records: npt.NDArray[np.integer] = field(default_factory=_no_records, repr=False)
    """The records that the decision is about; none where it stands for many."""
    closed: int = field(default=NO_GROUP, repr=False)
    """The group that nothing more happens to."""
    hidden: HiddenCells | None = field(default=None, repr=False)
    """Cells that are hidden one by one from now on."""
    class_sizes: tuple[int, ...] = field(default=(), repr=False)
    """How many groups have 1, 2, … 2k records, larger ones counted as 2k; empty where that follows
    from the groups of the records."""
    followed: bool = field(default=True, repr=False)
    """Whether the groups of records are followed, which a table may be too large for."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupDivided(GroupEvent):
    """A group is divided in two: the first side keeps its number."""

    group: int
    """NO_GROUP where a tree of divisions would not tell how groups came about."""
    upper: int
    """The number of the second side."""
    left: int
    """Records of the first side."""
    right: int
    """Records of the second side."""

    @property
    def along(self) -> int:
        """The attribute along which the two sides are apart."""
        return 0

    @property
    def widths(self) -> Sequence[float]:
        """Per attribute how wide the group was; empty where nobody measured."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class LossFigure:
    """The figure of all groups together around a decision."""

    name: Word
    """NCP, RV or ranges."""
    before: float | None
    """None where only what it has become is told."""
    after: float


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """The best few alternatives of a decision, the chosen one first."""

    numbers: Int32s
    """Records or clusters, from 0."""
    scores: Floats
    parts: Floats
    """Alternatives × attributes: what each attribute contributes to a score."""
    among: int
    """The number of all alternatives."""
