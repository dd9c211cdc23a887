"""What happens in clusterings: records go to groups, groups are divided, merged and closed.

`GroupEvent` says what a decision did to the groups. Pictures, the list of records and stepping back
follow from it alone, so that an algorithm whose events derive from it has all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.boxes import MergeObjective
from kanon_tui.core.clustering.features import Distinct
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.task.events import Event

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
    """What a decision did to the groups of records; filled in while somebody watches.

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

    name: str
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


# -- cutting a table (Mondrian)


@dataclass(frozen=True, slots=True, eq=False)
class TablePart:
    """A part of the table before a decision about it."""

    begin: int
    """Its first row in the order of the parts, which numbers it."""
    rows: int
    size: int
    """Its records; more than rows where a row stands for several."""
    widths: tuple[float, ...]
    """Per attribute how wide it is, 0 to 1."""
    box: tuple[tuple[int, int], ...]
    """Per attribute the codes of its smallest and its largest value."""


@dataclass(frozen=True, slots=True, eq=False)
class CutMade(GroupDivided):
    """A part of the table is cut in two."""

    word: ClassVar[str] = "cut"
    part: TablePart
    attribute: int
    passed_over: tuple[int, ...]
    """Wider attributes, along which no cut leaves k records on either side."""
    below: int
    """The code of the largest value of the lower side."""
    above: int
    """The code of the smallest value of the upper side."""

    @property
    def along(self) -> int:
        """The attribute that is cut."""
        return self.attribute

    @property
    def widths(self) -> Sequence[float]:
        """Per attribute how wide the part was."""
        return self.part.widths


@dataclass(frozen=True, slots=True, eq=False)
class PartClosed(GroupEvent):
    """A part of the table is a class, because no cut of it is allowed."""

    word: ClassVar[str] = "close"
    part: TablePart
    tried: tuple[int, ...]
    """The attributes along which a cut was looked for."""
    at_median: bool
    """Whether cuts may lie at the median alone."""


@dataclass(frozen=True, slots=True, eq=False)
class PartsDecided(GroupEvent):
    """Several parts of the table are cut or closed."""

    cuts: int
    closed_parts: int
    placed: int
    """Records in closed parts, in all."""

    @property
    def kind(self) -> str:
        """A word for most that happened."""
        return "cut" if self.cuts else "close"

    @property
    def decisions(self) -> int:
        """The number of decisions that it stands for."""
        return self.cuts + self.closed_parts


# -- splitting around two records that are far apart (top-down, bottom-up)


@dataclass(frozen=True, slots=True, eq=False)
class SplitLosses:
    """Per attribute the weighted NCP · records of a group, and of its two sides together."""

    whole: Floats
    apart: Floats


@dataclass(frozen=True, slots=True, eq=False)
class GroupSplit(GroupDivided):
    """A group is split around two records that are far apart."""

    word: ClassVar[str] = "split"
    distinct: Distinct = field(repr=False)
    first: Int32s = field(repr=False)
    """The distinct rows of the first side."""
    second: Int32s = field(repr=False)
    seeds: tuple[int, int]
    """The two records."""
    figure: LossFigure
    losses: SplitLosses | None = field(default=None, repr=False)
    """Measured where one decision is one step, or somebody watches."""

    @property
    def along(self) -> int:
        """The attribute in which most is saved."""
        return 0 if self.losses is None else int(np.argmax(self.losses.whole - self.losses.apart))

    @property
    def widths(self) -> Sequence[float]:
        """Per attribute the NCP of the group."""
        size = self.left + self.right
        return () if self.losses is None else tuple((self.losses.whole / size).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class GroupKept(GroupEvent):
    """A group stays whole, because it cannot be split."""

    word: ClassVar[str] = "close"
    distinct: Distinct = field(repr=False)
    rows: Int32s = field(repr=False)
    """Its distinct rows."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupsDecided(GroupEvent):
    """Several groups are split, or stay whole."""

    splits: int
    kept: int
    figure: LossFigure

    @property
    def kind(self) -> str:
        """A word for most that happened."""
        return "split" if self.splits else "close"

    @property
    def decisions(self) -> int:
        """The number of decisions that it stands for."""
        return self.splits + self.kept


# -- merging clusters that are too small (udc, euclidean, bottom-up)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSeen:
    """A cluster before a decision."""

    number: int
    size: int
    shown: tuple[Int32s, ...]
    """Per attribute the codes of the values that it shows; cells that are hidden show none."""


@dataclass(frozen=True, slots=True, eq=False)
class MergeTerms:
    """What the score of a merge is computed from, attribute by attribute."""

    union: Floats
    """The extent of the union, where nothing is hidden."""
    load: Floats
    """Σ records · extent over all clusters before the merge."""
    shown: Int32s
    """Of both clusters the records that show the attribute."""
    extents: Floats
    """Of both clusters the extent."""
    hide: Floats
    """The extent that a hidden cell counts with."""


@dataclass(frozen=True, slots=True, eq=False)
class ClustersMerged(GroupEvent):
    """A cluster that is too small joins the one with which the union is best."""

    word: ClassVar[str] = "merge"
    objective: MergeObjective
    figure: LossFigure
    small: ClusterSeen
    partners: tuple[ClusterSeen, ...] = field(repr=False)
    """The one that it joins, then those that come next."""
    scores: Floats = field(repr=False)
    """Of every partner what the merge is chosen by."""
    among: int
    """The number of clusters that it could join."""
    hides: Flags = field(repr=False)
    """Per attribute whether one of the two hides its cells."""
    small_hides: bool
    """Whether it is the small cluster that hides cells."""
    differences: Floats = field(repr=False)
    """Per attribute what the extent of the union costs."""
    terms: MergeTerms = field(repr=False)
    first_of_all: bool

    @property
    def other(self) -> ClusterSeen:
        """The cluster that the small one joins; its number is that of the union."""
        return self.partners[0]


@dataclass(frozen=True, slots=True, eq=False)
class MergesMade(GroupEvent):
    """Several clusters that were too small have joined others."""

    word: ClassVar[str] = "merge"
    merges: int
    clusters: int
    under_k: int
    """Clusters that are still too small."""
    figure: LossFigure

    @property
    def decisions(self) -> int:
        """The number of merges."""
        return self.merges


# -- growing clusters record by record


@dataclass(frozen=True, slots=True, eq=False)
class RecordPlaced(GroupEvent):
    """A record starts a cluster or joins the one that grows."""

    record: int
    cluster: int
    size: int
    """The records of the cluster, with this one."""

    @property
    def kind(self) -> str:
        """Whether the record is the first of its cluster."""
        return "start" if self.size == 1 else "grow"


@dataclass(frozen=True, slots=True, eq=False)
class MemberTaken(RecordPlaced):
    """The furthest record starts a cluster, or the one that adds least loss joins it (k-member)."""

    full: bool
    """Whether the cluster has k records now."""
    last: int
    """The record that was placed before."""
    last_was_drawn: bool
    score: float
    """The distance from the last record, or the loss that is added."""
    squared: bool
    """Whether squared distances count."""
    alternatives: Alternatives | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        """Whether the record starts or closes its cluster."""
        if self.full:
            return "close"
        return "start" if self.size == 1 else "grow"


@dataclass(frozen=True, slots=True, eq=False)
class RecordsPlaced(GroupEvent):
    """Several records have got a cluster."""

    word: ClassVar[str] = "grow"
    placed: int
    clusters: int
    """The clusters that there are now."""

    @property
    def decisions(self) -> int:
        """The number of records."""
        return self.placed


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverJoined(GroupEvent):
    """A record that is left over joins the cluster whose loss grows least (k-member)."""

    word: ClassVar[str] = "join"
    record: int
    cluster: int
    growth: float
    squared: bool
    alternatives: Alternatives | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class MagvalsGrouped(GroupEvent):
    """The records are grouped by their MAGVals, and small groups suppressed (gcka)."""

    word: ClassVar[str] = "group"
    groups: int
    small: int
    suppressed: int
    group_of: Int64s | None = field(default=None, repr=False)
    """Per record its group, where somebody watches."""


@dataclass(frozen=True, slots=True, eq=False)
class MagvalGroupEntered(GroupEvent):
    """The records of the next group of MAGVals are clustered now (gcka)."""

    word: ClassVar[str] = "enter"
    group: int
    size: int
    record: int
    """One of them."""


# -- clusters of the nearest records (sbc, sd)


@dataclass(frozen=True, slots=True, eq=False)
class RecordsSorted(GroupEvent):
    """The records are sorted by the attribute with most values."""

    word: ClassVar[str] = "sort"
    attribute: int


@dataclass(frozen=True, slots=True, eq=False)
class OtherValue:
    """A value that is compared with that of a record."""

    value: str
    distance: float
    count: int
    """How often it occurs where frequencies are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueComparison:
    """How far the other values of a category are from that of a record."""

    attribute: int
    others: tuple[OtherValue, ...]
    """The nearest first."""
    count: int = 0
    """How often the record's own value occurs among those that are compared."""
    among: int = 0
    """The records whose frequencies are compared; 0 where frequency does not count."""
    conditions: tuple[int, ...] = ()
    """The attributes in which these agree with the record."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstTaken(RecordPlaced):
    """The first record left starts a cluster."""

    sorted_by: int
    comparisons: tuple[ValueComparison, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class NearestTaken(RecordPlaced):
    """The record nearest to the first of a cluster, or to its centre, joins it."""

    first: int
    """The first record of the cluster."""
    to_centre: bool
    distance: float
    alternatives: Alternatives | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterClosed(GroupEvent):
    """A cluster has k records."""

    word: ClassVar[str] = "close"
    cluster: int
    members: Int32s = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class ClustersClosed(GroupEvent):
    """Several records are placed, and clusters closed."""

    new: int
    """Clusters that are closed now."""
    in_all: int
    made: int
    """The decisions that were made."""

    @property
    def kind(self) -> str:
        """Whether a cluster is closed."""
        return "close" if self.new else "grow"

    @property
    def decisions(self) -> int:
        """The number of decisions that it stands for."""
        return self.made


@dataclass(frozen=True, slots=True, eq=False)
class LeftOversCompared(GroupEvent):
    """The records left over are compared with clusters."""

    word: ClassVar[str] = "compare"
    left: int
    compared: int
    clusters: int


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverToLast(GroupEvent):
    """A record left over joins the cluster that was made last."""

    word: ClassVar[str] = "join"
    record: int
    cluster: int


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverToNearest(GroupEvent):
    """A record left over joins the nearest cluster."""

    word: ClassVar[str] = "join"
    record: int
    cluster: int
    distance: float
    to_centre: bool
    alternatives: Alternatives | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverSuppressed(GroupEvent):
    """A record left over is suppressed."""

    word: ClassVar[str] = "suppress"
    record: int


@dataclass(frozen=True, slots=True, eq=False)
class LeftOversPlaced(GroupEvent):
    """Several records left over join clusters, or are suppressed."""

    count: int
    suppressed: bool

    @property
    def kind(self) -> str:
        """What happens to them."""
        return "suppress" if self.suppressed else "join"

    @property
    def decisions(self) -> int:
        """The number of records."""
        return self.count
