"""What a viewer is told about an event, found when somebody asks.

A narrator is a function that `describes` some classes of events. An event without one has a
sentence made of its name and its figures, so that a new algorithm can be watched at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import Task

Tone = Literal["good", "bad", "warn", "main"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the alternatives of a decision."""

    what: object
    """The alternative; its text is made when it is read."""
    score: float
    note: str = ""
    """A remark, such as its place in a list."""
    chosen: bool = False
    parts: tuple[float, ...] = ()
    """What every quasi-identifier contributes to the score, where it is such a sum."""
    record: int | None = None
    """The record, from 0, where it is one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The alternatives of a decision."""

    question: str
    """The question, such as `which attribute is raised`."""
    score: str
    """The name of the score: RV, distance, distinct values …"""
    candidates: tuple[Candidate, ...]
    """The best few, best first, or those around the chosen one where a place decides."""
    among: int
    """The number of all candidates."""
    rule: str
    """The rule of the decision: `the highest wins, the first of equals`."""
    formula: tuple[str, ...] = ()
    """The computation of the chosen score, with its numbers."""
    best_first: bool = True
    """Whether the score decides, so that the runner-up has a margin."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A question about the next decision, with its options."""

    question: str
    options: tuple[str, ...] = ()
    right: int = -1
    """The right option; -1 if there are no options."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The words, choice and records that tell a viewer about an event."""

    sentence: str
    choice: Choice | None = None
    """The alternatives, where something was chosen."""
    vote: Vote | None = None
    """What a class is asked before the event, where that is not what was chosen."""
    outcome: str = ""
    """The event in a word or two for large letters; empty for its kind."""
    tone: Tone = "main"
    short: str = ""
    """The event in one line; empty for the sentence."""
    sides: tuple[str, str] = ("", "")
    """What the two sides of a division are called."""


Narrator = Callable[[Any, Task], Lesson]
_NARRATORS: dict[type[Event], Narrator] = {}


def describes(*classes: type[Event]) -> Callable[[Narrator], Narrator]:
    """Return a decorator for the function that tells about some classes of events.

    Classes that derive from one of them are told about by the same function, unless they have one
    of their own.
    """

    def register(narrator: Narrator) -> Narrator:
        _NARRATORS.update(dict.fromkeys(classes, narrator))
        return narrator

    return register


def narrators() -> dict[type[Event], Narrator]:
    """Return the narrators that are registered, by the class of events that they tell about."""
    return dict(_NARRATORS)


def narrator_of(event: Event) -> Narrator | None:
    """Return the function that tells about an event; None where nobody describes its class."""
    narrators = (_NARRATORS[base] for base in type(event).__mro__ if base in _NARRATORS)
    return next(narrators, None)
