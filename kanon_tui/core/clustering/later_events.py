"""Events of what follows a clustering: refining, repair, no overlap; and of blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kanon_tui.core.clustering.events import GroupEvent
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.task.events import AttributeNumber, Word


@dataclass(frozen=True, slots=True, eq=False)
class RefiningBegun(GroupEvent):
    """Classes are refined from here on."""

    word: ClassVar[str] = "refine"
    classes: int
    by: Word
    """The figure that is improved: ncp, rv or sse."""
    now: float


@dataclass(frozen=True, slots=True, eq=False)
class ClassesChanged(GroupEvent):
    """Two classes exchange records, or one is split or dissolved."""

    first: int
    second: int
    """The other class; NO_GROUP where one is dissolved into several."""
    split: bool
    given: int
    """Records of the first class that go to the other."""
    taken: int
    size: int
    """The records of both."""
    joined: int
    """The classes that records go to."""
    by: Word
    before: float
    after: float

    @property
    def kind(self) -> str:
        """The name of the event for programs: divide or exchange."""
        return "divide" if self.split else "exchange"


@dataclass(frozen=True, slots=True, eq=False)
class ChangesMade(GroupEvent):
    """Several classes are changed."""

    word: ClassVar[str] = "exchange"
    exchanges: int
    splits: int
    dissolved: int
    by: Word
    now: float


@dataclass(frozen=True, slots=True, eq=False)
class ClassRepaired(GroupEvent):
    """A class that misses what is required beyond k is merged with the nearest that helps."""

    word: ClassVar[str] = "merge"
    small: int
    other: int
    size: int
    other_size: int
    required: PrivacyModel = field(repr=False)
    """What the class misses most."""
    has: float
    """Its figure."""
    jointly: float
    """The figure of the union."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassesRepaired(GroupEvent):
    """The last classes that missed something are merged with others."""

    word: ClassVar[str] = "merge"


@dataclass(frozen=True, slots=True, eq=False)
class RiskLowered(GroupEvent):
    """The smallest class joins the nearest, to lower the risk of the release."""

    word: ClassVar[str] = "merge"
    small: int
    other: int
    figure: float
    """The risk before."""


@dataclass(frozen=True, slots=True, eq=False)
class MagvalGroupsSuppressed(GroupEvent):
    """Classes are suppressed whose groups of MAGVals miss what is required even as a whole."""

    word: ClassVar[str] = "suppress"
    suppressed: int
    classes: int


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredOnStretches(GroupEvent):
    """The records are clustered again, on stretches that do not overlap."""

    word: ClassVar[str] = "divide"


@dataclass(frozen=True, slots=True, eq=False)
class StretchesTried(GroupEvent):
    """A clustering on stretches has ended."""

    word: ClassVar[str] = "divide"
    stretches: tuple[tuple[AttributeNumber, int], ...]
    """Attributes with the number of their stretches."""
    ncp: float
    least: float
    """The NCP of the best so far."""


@dataclass(frozen=True, slots=True, eq=False)
class TableCut(GroupEvent):
    """A large table is cut into blocks."""

    word: ClassVar[str] = "block"
    blocks: int
    """The blocks so far."""


@dataclass(frozen=True, slots=True, eq=False)
class BlocksBegun(GroupEvent):
    """Every block is clustered on its own from here on."""

    word: ClassVar[str] = "block"
    blocks: int
    least: int
    """The records of the smallest."""
    most: int


@dataclass(frozen=True, slots=True, eq=False)
class BlocksGoOn(GroupEvent):
    """Blocks are being clustered, or a sample on which their cost is measured."""

    word: ClassVar[str] = "block"
    done: int
    blocks: int
    on_sample: bool


@dataclass(frozen=True, slots=True, eq=False)
class BlockDone(GroupEvent):
    """A block is clustered."""

    word: ClassVar[str] = "block"
    block: int
    size: int
    classes: int
    done: int
    blocks: int


@dataclass(frozen=True, slots=True, eq=False)
class LeftOversPooled(GroupEvent):
    """The records that blocks have left over are clustered together."""

    word: ClassVar[str] = "block"
    left: int
