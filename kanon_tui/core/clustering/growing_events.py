"""Events of clusterings that make one class after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kanon_tui.core.clustering.events import Alternatives, GroupEvent
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.task.events import AttributeNumber, RecordNumber, Value

# -- growing clusters record by record


@dataclass(frozen=True, slots=True, eq=False)
class RecordPlaced(GroupEvent):
    """A record starts a cluster or joins the one that grows."""

    record: RecordNumber
    cluster: int
    size: int
    """The records of the cluster, with this one."""

    @property
    def kind(self) -> str:
        """The name of the event for programs: start or grow."""
        return "start" if self.size == 1 else "grow"


@dataclass(frozen=True, slots=True, eq=False)
class MemberTaken(RecordPlaced):
    """The furthest record starts a cluster, or the one that adds least loss joins it (k-member)."""

    full: bool
    """Whether the cluster has k records now."""
    last: RecordNumber
    """The record that was placed before."""
    last_was_drawn: bool
    score: float
    """The distance from the last record, or the loss that is added."""
    squared: bool
    """Whether squared distances count."""
    alternatives: Alternatives | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        """The name of the event for programs: close or start or grow."""
        if self.full:
            return "close"
        return "start" if self.size == 1 else "grow"


@dataclass(frozen=True, slots=True, eq=False)
class RecordsPlaced(GroupEvent):
    """Several records have got a cluster."""

    word: ClassVar[str] = "grow"
    clusters: int
    """The clusters that there are now."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverJoined(GroupEvent):
    """A record that is left over joins the cluster whose loss grows least (k-member)."""

    word: ClassVar[str] = "join"
    record: RecordNumber
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
    record: RecordNumber
    """One of them."""


# -- clusters of the nearest records (sbc, sd)


@dataclass(frozen=True, slots=True, eq=False)
class RecordsSorted(GroupEvent):
    """The records are sorted by the attribute with most values."""

    word: ClassVar[str] = "sort"
    attribute: AttributeNumber


@dataclass(frozen=True, slots=True, eq=False)
class OtherValue:
    """A value that is compared with that of a record."""

    value: Value
    distance: float
    count: int
    """How often it occurs where frequencies are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueComparison:
    """The distances of the other values of a category from that of a record."""

    attribute: AttributeNumber
    others: tuple[OtherValue, ...]
    """The nearest first."""
    count: int = 0
    """How often the record's own value occurs among those that are compared."""
    among: int = 0
    """The records whose frequencies are compared; 0 where frequency does not count."""
    conditions: tuple[AttributeNumber, ...] = ()
    """The attributes in which these agree with the record."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstTaken(RecordPlaced):
    """The first record left starts a cluster."""

    sorted_by: AttributeNumber
    comparisons: tuple[ValueComparison, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class NearestTaken(RecordPlaced):
    """The record nearest to the first of a cluster, or to its centre, joins it."""

    first: RecordNumber
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

    @property
    def kind(self) -> str:
        """The name of the event for programs: close or grow."""
        return "close" if self.new else "grow"


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
    record: RecordNumber
    cluster: int


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverToNearest(GroupEvent):
    """A record left over joins the nearest cluster."""

    word: ClassVar[str] = "join"
    record: RecordNumber
    cluster: int
    distance: float
    to_centre: bool
    alternatives: Alternatives | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class LeftOverSuppressed(GroupEvent):
    """A record left over is suppressed."""

    word: ClassVar[str] = "suppress"
    record: RecordNumber


@dataclass(frozen=True, slots=True, eq=False)
class LeftOversPlaced(GroupEvent):
    """Several records left over join clusters, or are suppressed."""

    suppressed: bool

    @property
    def kind(self) -> str:
        """The name of the event for programs: suppress or join."""
        return "suppress" if self.suppressed else "join"


# -- classes around the furthest records (mdav), and from strings (stepwise)


@dataclass(frozen=True, slots=True, eq=False)
class ClassTaken(GroupEvent):
    """A record far from the others and the nearest ones to it are a class."""

    cluster: int
    members: Int64s = field(repr=False)
    record: RecordNumber
    origin: RecordNumber | None
    """The record that it is furthest from; None for the mean of those left."""
    of_the_last: bool
    """Whether fewer than 3k records were left, of which the last classes are made."""
    alternatives: Alternatives | None = field(default=None, repr=False)
    """The furthest records."""

    @property
    def kind(self) -> str:
        """The name of the event for programs: rest or close."""
        return "rest" if self.of_the_last else "close"


@dataclass(frozen=True, slots=True, eq=False)
class ClassesTaken(GroupEvent):
    """Several classes are made around records far from the others."""

    new: int
    in_all: int
    of_the_last: bool

    @property
    def kind(self) -> str:
        """The name of the event for programs: rest or close."""
        return "rest" if self.of_the_last else "close"


@dataclass(frozen=True, slots=True, eq=False)
class StringTried:
    """A string at which records that are left may be alike."""

    levels: tuple[int, ...]
    cost: float
    largest: int
    """The most records that are alike there."""


@dataclass(frozen=True, slots=True, eq=False)
class StringsUsed(GroupEvent):
    """Records that are alike at some strings become classes."""

    word: ClassVar[str] = "close"
    strings: int
    """The strings that make classes; none where a step has only looked."""
    levels: tuple[int, ...]
    """The last of them."""
    new: int
    """The classes that are made."""
    left: int
    """Records without a class."""
    tried: tuple[StringTried, ...] = field(default=(), repr=False)
    """The string that makes classes, then the dearest of those that make none."""
    among: int = 0
    """The number of strings that were tried."""


@dataclass(frozen=True, slots=True, eq=False)
class LastJoined(GroupEvent):
    """The records that are left join the classes of the nearest ones."""

    word: ClassVar[str] = "join"
