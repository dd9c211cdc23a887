"""Events of clusterings that divide a table: cuts, splits around two records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.events import GroupDivided, GroupEvent, LossFigure
from kanon_tui.core.clustering.features import Distinct
from kanon_tui.core.numeric import Floats, Int32s
from kanon_tui.core.task.events import AttributeNumber, RecordNumber, ValueCode

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
    box: tuple[tuple[ValueCode, ValueCode], ...]
    """Per attribute the codes of its smallest and its largest value."""


@dataclass(frozen=True, slots=True, eq=False)
class CutMade(GroupDivided):
    """A part of the table is cut in two."""

    word: ClassVar[str] = "cut"
    part: TablePart
    attribute: AttributeNumber
    passed_over: tuple[AttributeNumber, ...]
    """Wider attributes, along which no cut leaves k records on either side."""
    below: ValueCode
    """The code of the largest value of the lower side."""
    above: ValueCode
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
    tried: tuple[AttributeNumber, ...]
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
    seeds: tuple[RecordNumber, RecordNumber]
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
