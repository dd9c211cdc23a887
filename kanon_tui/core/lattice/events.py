"""What happens in searches for a string: strings are tested, settled without a test, and published.

`SearchEvent` says what a decision did to the strings. Pictures and stepping back follow from it
alone. A search fills these fields in (`Search.report`), so that an algorithm declares its own
figures and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from kanon_tui.core.lattice.frequency import MissedRequirement, Outcome
from kanon_tui.core.lattice.objective import Worth
from kanon_tui.core.lattice.strings import LatticeGrid, PassingString
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.task.events import AttributeNumber, Event, Word

Levels = tuple[int, ...]
Attributes = tuple[AttributeNumber, ...]


class Inferred(StrEnum):
    """A verdict on a string that needs no test."""

    PASSES = "passes"
    FAILS = "fails"
    BEATEN = "beaten"


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why strings need no test; searches may have reasons of their own, told by name."""

    name: Word
    inferred: Inferred


ALONE = Reason("fails alone", Inferred.FAILS)
"""One of its levels fails alone."""
BELOW = Reason("below", Inferred.FAILS)
"""It is more specific than one that fails."""
NO_MORE_GENERAL = Reason("no more general", Inferred.FAILS)
"""It is no more general than one that failed before there was a list."""
SMALL_CLASS = Reason("small class", Inferred.FAILS)
"""A record of a failing string would be in a class below k here too."""
PART = Reason("part", Inferred.FAILS)
"""A part of its attributes fails."""
ABOVE = Reason("above", Inferred.PASSES)
"""It is more general than one that passes."""
WORTH_LESS = Reason("worth less", Inferred.BEATEN)
"""It is worth less than the best so far."""
LOSES_TIE = Reason("loses tie", Inferred.BEATEN)
"""It is worth no more than one that passes."""
NO_BETTER = Reason("no better", Inferred.BEATEN)
"""It is more general than one that passes, and worth no more."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A test of a string, and whether it passes."""

    levels: Levels
    part: Attributes | None
    """The attributes whose string it is, the others being at the root; None for all."""
    passes: bool


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Strings that need no test, and why."""

    reason: Reason
    nodes: Int64s


@dataclass(frozen=True, slots=True)
class PointerState:
    """Per attribute between which levels its pointer still moves, and where it stands."""

    specific: Levels
    """The most specific level that is left."""
    middle: Levels
    general: Levels
    """The most general level that is left."""


@dataclass(frozen=True, slots=True, eq=False)
class StringChanges:
    """The strings tested and settled since the last event, for pictures."""

    lattice: LatticeGrid
    tests: tuple[Tested, ...]
    settled: tuple[Settled, ...]
    part: Attributes | None
    """The attributes that are looked at; None for all."""
    pointers: PointerState | None


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """The progress of a search: its best string, bound and gap."""

    best: PassingString | None = None
    """The best passing string so far."""
    best_value: float | None = None
    """Its objective, as reports show it; None where no bound on the optimum is known."""
    bound: float | None = None
    gap: float | None = None
    """How far the best can be from the optimum, as a share of either."""

    @property
    def figures(self) -> dict[str, float]:
        """The figures that are known, by name."""
        figures = {"best_value": self.best_value, "bound": self.bound, "gap": self.gap}
        if self.best is not None:
            figures["best_rv"] = self.best.rv
        return {name: value for name, value in figures.items() if value is not None}


NOTHING_FOUND = Standing()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SearchEvent(Event):
    """A decision of a search, or the last of several that share a step."""

    decisions: int = field(default=1, repr=False)
    """The number of decisions that it stands for, of which it is the last."""
    standing: Standing = field(default=NOTHING_FOUND, repr=False)
    changes: StringChanges | None = field(default=None, repr=False)
    """Filled in where somebody watches."""

    @property
    def reached(self) -> Levels | None:
        """The string that a search has come to by raising one attribute after another."""
        return None

    @property
    def current(self) -> Levels | None:
        """The string that it is about, besides those that are tested."""
        return self.reached

    @property
    def figures(self) -> Mapping[str, float]:
        """The best so far, the bound on the optimum, and the gap between them."""
        return self.standing.figures


# -- what all searches do


@dataclass(frozen=True, slots=True, eq=False)
class LevelDropped(SearchEvent):
    """A level is dropped with all its strings, because it fails alone."""

    word: ClassVar[str] = "pre-prune"
    attribute: AttributeNumber
    level: int
    small: int
    """Records in groups below k, where the level is the only one published."""


@dataclass(frozen=True, slots=True)
class ListedString:
    """A string in a sorted list."""

    levels: Levels
    figure: float
    """What it is worth at most, as reports show it."""
    rank: int
    """Its place, the best first."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A reason why this string is tested and no other.

    A search may have ways of its own, named as they are told.
    """

    how: Word = ""
    """One of the names below; empty for the next one that is open."""
    origin: Levels | None = None
    """The string that it comes from."""
    left: int = 0
    """The strings of the list that it is picked from."""
    by: Word = ""
    """The objective that the list is sorted by."""
    around: tuple[ListedString, ...] = field(default=(), repr=False)
    """The strings around it in the list, the best first; measured where somebody watches."""


MIDDLE = "middle"
HALF_WAY = "half-way"
RAISED = "raised"
IN_PART = "in part"
DESCENT = "descent"
NEIGHBOUR = "neighbour"
BEST_OF_BOX = "best of box"
NEXT = Picked()


@dataclass(frozen=True, slots=True, eq=False)
class StringTested(SearchEvent):
    """The classes of a string are counted."""

    word: ClassVar[str] = "test"
    levels: Levels
    part: Attributes | None
    """The attributes whose string it is, the others being at the root; None for all."""
    outcome: Outcome
    allowed: int
    """Records that may be suppressed."""
    rv: float
    worth: Worth | None = None
    """Where it passes and another objective than research value is looked for."""
    picked: Picked = NEXT

    @property
    def landmark(self) -> str:
        """Its outcome."""
        return "passes" if self.outcome.passes else "fails"

    @property
    def cause(self) -> str:
        """The name of the reason why it was picked."""
        return self.picked.how

    @property
    def figures(self) -> Mapping[str, float]:
        """Its research value, besides those of every search."""
        return {**self.standing.figures, "rv": self.rv}


@dataclass(frozen=True, slots=True, eq=False)
class Pruned(SearchEvent):
    """Strings need no test any more."""

    word: ClassVar[str] = "prune"
    strings: int
    reason: Reason
    mark: Worth | None = None
    """The best so far, where they are worth less."""

    @property
    def cause(self) -> str:
        """The name of the reason."""
        return self.reason.name


@dataclass(frozen=True, slots=True, eq=False)
class StringAccepted(SearchEvent):
    """A string passes without a test, because a more specific one does, and is worth more."""

    word: ClassVar[str] = "accept"
    levels: Levels
    worth: Worth

    @property
    def current(self) -> Levels | None:
        """The string."""
        return self.levels


@dataclass(frozen=True, slots=True, eq=False)
class AnswerFound(SearchEvent):
    """A string is chosen to be published."""

    word: ClassVar[str] = "answer"
    levels: Levels
    rv: float

    @property
    def current(self) -> Levels | None:
        """The string."""
        return self.levels


@dataclass(frozen=True, slots=True, eq=False)
class SearchEnded(SearchEvent):
    """A search is over; it stands for the decisions that no step has reported."""

    word: ClassVar[str] = "end"

    @property
    def current(self) -> Levels | None:
        """The best string."""
        return None if self.standing.best is None else self.standing.best.levels


# -- local


@dataclass(frozen=True, slots=True, eq=False)
class PointersMoved(SearchEvent):
    """Every attribute moves half-way in the levels that are left of it."""

    word: ClassVar[str] = "move"
    levels: Levels
    to_specific: bool


# -- datafly


@dataclass(frozen=True, slots=True, eq=False)
class AttributeRaised(SearchEvent):
    """An attribute is published one level higher."""

    word: ClassVar[str] = "raise"
    attribute: AttributeNumber
    levels: Levels
    """The string after it."""
    before: int
    """Distinct labels of the attribute."""
    after: int
    by: Word
    """The objective that the attribute costs least of, or `values`: it has most labels."""
    scores: Mapping[int, float] = field(repr=False)
    """Of every attribute that could be raised what it is chosen by."""

    @property
    def reached(self) -> Levels | None:
        """The string after it."""
        return self.levels


@dataclass(frozen=True, slots=True, eq=False)
class WentOn(SearchEvent):
    """A string passes, and a more general one is looked at nevertheless."""

    word: ClassVar[str] = "go on"
    may_lose_less: bool
    """Whether a higher level may lose less; else too few records would be suppressed."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordsSuppressed(SearchEvent):
    """The records that are left over are suppressed."""

    word: ClassVar[str] = "suppress"
    levels: Levels
    small: int
    """Records in classes below k or that miss what is required."""
    joining: int
    """Records of a larger class that are suppressed besides, so that they are k."""
    missed: MissedRequirement | None

    @property
    def reached(self) -> Levels | None:
        """The string that is published."""
        return self.levels


# -- incognito


@dataclass(frozen=True, slots=True, eq=False)
class PartsJoined(SearchEvent):
    """The strings of a set of attributes are listed whose parts pass."""

    word: ClassVar[str] = "join"
    part: Attributes
    strings: int
    left: int
    """Strings all of whose parts pass."""


@dataclass(frozen=True, slots=True, eq=False)
class MinimalChosen(AnswerFound):
    """Of the minimal passing strings one of least height is published."""

    minimal: int
    ties: int
    """Minimal strings of the least height."""
    height: int
    """Levels in all."""


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceBegun(SearchEvent):
    """The best of the passing strings is looked for by another objective than height."""

    word: ClassVar[str] = "choose"
    strings: int


# -- distributed


@dataclass(frozen=True, slots=True, eq=False)
class GoodStringSought(SearchEvent):
    """A good string is looked for before the parts are searched."""

    word: ClassVar[str] = "seek"


@dataclass(frozen=True, slots=True, eq=False)
class SpaceSplit(SearchEvent):
    """The attributes are split into parts."""

    word: ClassVar[str] = "split"
    parts: tuple[Attributes, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PartsAwaited(SearchEvent):
    """Helpers are at work."""

    word: ClassVar[str] = "wait"
    done: int
    jobs: int


@dataclass(frozen=True, slots=True, eq=False)
class PartSearched(SearchEvent):
    """All passing strings of a part are known."""

    word: ClassVar[str] = "part"
    part: Attributes
    passing: int
    strings: int
    tested: int


@dataclass(frozen=True, slots=True, eq=False)
class ListMade(SearchEvent):
    """The strings that are left are put into one list."""

    word: ClassVar[str] = "combine"
    strings: int
    of_parts: bool
    """Whether they are combinations of passing parts."""


# -- anytime


@dataclass(frozen=True, slots=True, eq=False)
class DescentStarted(SearchEvent):
    """A descent starts from a string."""

    word: ClassVar[str] = "start"
    levels: Levels


@dataclass(frozen=True, slots=True, eq=False)
class BoxDivided(SearchEvent):
    """A box of strings is divided around one that suppresses too much."""

    word: ClassVar[str] = "bound"
    levels: Levels
    open_boxes: int
    limit: Worth | None
    """What strings in open boxes are worth at most; None where no box is open."""


@dataclass(frozen=True, slots=True, eq=False)
class PaceMeasured(SearchEvent):
    """A look at how fast the gap closes decides whether the search goes on."""

    word: ClassVar[str] = "bound"
    used: int
    """Tests so far."""
    most: int
    gap: float
    expected: float
    """The gap after the most tests, at the present pace."""
    goes_on: bool
