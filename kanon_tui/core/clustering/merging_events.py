"""Events of clusterings that merge clusters which are too small."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kanon_tui.core.clustering.boxes import MergeObjective
from kanon_tui.core.clustering.events import GroupEvent, LossFigure
from kanon_tui.core.numeric import Flags, Floats, Int32s


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSeen:
    """A cluster before a decision."""

    number: int
    size: int
    shown: tuple[Int32s, ...]
    """Per attribute the codes of the values that it shows; cells that are hidden show none."""


@dataclass(frozen=True, slots=True, eq=False)
class MergeTerms:
    """The terms of the score of a merge, attribute by attribute."""

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
    clusters: int
    under_k: int
    """Clusters that are still too small."""
    figure: LossFigure
