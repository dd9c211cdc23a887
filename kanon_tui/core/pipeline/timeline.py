"""The steps of a watched run, and the position of a viewer in them.

Steps never change. A `RunState` is what a picture shows after a step (which strings are open, which
records are together). It is built by applying the steps one by one, so that a step looks the same
from both directions. The states of some steps are cached, so that going back is fast.

Memory is bounded: a very long run drops its oldest steps after applying them to the first state.
`Timeline.first` is the number of the oldest step that is kept.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import Self

from kanon_tui.core.task.steps import Step

__all__ = ["Nothing", "Playhead", "RunState", "Timeline", "landmark"]

MOST_KEPT = 20_000
"""Steps; a quarter of them goes when there are more."""
_APART = 256
"""Steps between two states that are kept."""
_MOST_STATES = 32


class RunState(ABC):
    """What is known after some steps."""

    @abstractmethod
    def take(self, number: int, step: Step) -> None:
        """Take in the next step."""

    @abstractmethod
    def copy(self) -> Self:
        """The same, to go on from without changing this one."""


class Nothing(RunState):
    """The state of a run of which no picture is drawn."""

    def take(self, number: int, step: Step) -> None:
        """Nothing to know."""

    def copy(self) -> Self:
        """There is nothing to share."""
        return self


class Timeline:
    """The steps of one run by number, from 1; one thread adds, others look."""

    def __init__(self, make: Callable[[], RunState] = Nothing, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: tuple[int, list[Step]] = 1, []
        """The number of the oldest step that is kept, and the steps; replaced as one."""
        self._lock = threading.Lock()
        self._states: dict[int, RunState] = {0: make()}
        """By the number of the last step taken in; the first belongs to the oldest step kept."""
        self._apart = _APART
        self._number, self._state = 0, self._states[0].copy()

    @property
    def first(self) -> int:
        """The oldest step that is still kept."""
        return self._kept[0]

    @property
    def last(self) -> int:
        """The newest step; 0 before there is any."""
        first, steps = self._kept
        return first + len(steps) - 1

    def add(self, step: Step) -> int:
        """Keep the next step; gives its number."""
        first, steps = self._kept
        steps.append(step)
        if len(steps) > self._most:
            gone = len(steps) // 4
            with self._lock:
                state = self._at(first + gone - 1).copy()
                later = {n: known for n, known in self._states.items() if n >= first + gone}
                self._states = {first + gone - 1: state, **later}
                self._kept = first + gone, steps[gone:]
        return self.last

    def step(self, number: int) -> Step:
        """The step of a number, or the nearest that is kept."""
        first, steps = self._kept
        return steps[min(max(number - first, 0), len(steps) - 1)]

    def steps(self, begin: int, end: int) -> list[tuple[int, Step]]:
        """The kept steps from one number to another, both included."""
        first, steps = self._kept
        begin, end = max(begin, first), min(end, first + len(steps) - 1)
        return [(number, steps[number - first]) for number in range(begin, end + 1)]

    def find(self, fits: Callable[[Step], bool], number: int, forward: bool = True) -> int | None:
        """The nearest step before or after a number that fits."""
        if forward:
            beyond = self.steps(number + 1, self.last)
        else:
            beyond = self.steps(self.first, number - 1)[::-1]
        return next((n for n, step in beyond if fits(step)), None)

    def state(self, number: int) -> RunState:
        """What is known after a step. To be read before the next is asked for."""
        with self._lock:
            return self._at(number)

    def _at(self, number: int) -> RunState:
        first, steps = self._kept
        number = min(max(number, first - 1), first + len(steps) - 1)
        near = max(n for n in self._states if n <= number)
        if not near <= self._number <= number:
            self._number, self._state = near, self._states[near].copy()
        while self._number < number:
            self._number += 1
            self._state.take(self._number, steps[self._number - first])
            if self._number % self._apart == 0 and self._number not in self._states:
                self._remember()
        return self._state

    def _remember(self) -> None:
        self._states[self._number] = self._state.copy()
        if len(self._states) > _MOST_STATES:  # half as many, twice as far apart
            self._apart *= 2
            base = min(self._states)
            self._states = {
                n: known for n, known in self._states.items() if n == base or n % self._apart == 0
            }


Fits = Callable[[Step], bool]


def landmark(step: Step) -> str:
    """The kind of decision that one jumps to: a test is what it found."""
    if step.kind == "test":
        return "passes" if step.facts.get("passes") else "fails"
    return step.kind


class Playhead:
    """The step that is shown: the newest, as long as nobody goes elsewhere."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._shown: int | None = None
        self.bookmarks: set[int] = set()
        self.sought = ""
        """What `again` looks for, in words."""
        self._fits: Fits | None = None

    @property
    def number(self) -> int:
        """The step that is shown; 0 before there is any."""
        if self._shown is None:
            return self.timeline.last
        return min(max(self._shown, self.timeline.first), self.timeline.last)

    @property
    def at_end(self) -> bool:
        """Whether the newest step is shown."""
        return self.number >= self.timeline.last

    def go(self, number: int) -> bool:
        """Show a step, or the nearest there is; whether that is another than before."""
        before = self.number
        self._shown = min(max(number, self.timeline.first), self.timeline.last)
        if self._shown == self.timeline.last:
            self._shown = None  # and follow what comes
        return self.number != before

    def hold(self) -> None:
        """Stay at this step, whatever comes."""
        self._shown = self.number

    def move(self, steps: int) -> bool:
        """Some steps on, or back."""
        return self.go(self.number + steps)

    def kinds(self) -> list[tuple[str, int]]:
        """The kinds of decisions there are, and how many of each, the rarest first."""
        steps = self.timeline.steps(self.timeline.first, self.timeline.last)
        counts = Counter(landmark(step) for _, step in steps)
        return sorted(counts.items(), key=lambda pair: (pair[1], pair[0]))

    def seek_kind(self, kind: str) -> bool:
        """Look for decisions of a kind, from here on."""
        return self._seek(f"the next {kind}", lambda step: landmark(step) == kind)

    def seek_text(self, text: str) -> bool:
        """Look for sentences with a text in them, whatever its capitals."""
        wanted = text.casefold()
        return self._seek(f"'{text}'", lambda step: wanted in step.sentence.casefold())

    def _seek(self, sought: str, fits: Fits) -> bool:
        self.sought, self._fits = sought, fits
        return self.again()

    def again(self, forward: bool = True) -> bool:
        """The next (or the one before) of what was last looked for; from the end, the first."""
        if self._fits is None:
            return False
        found = self.timeline.find(self._fits, self.number, forward)
        if found is None:
            beyond = self.timeline.first - 1 if forward else self.timeline.last + 1
            found = self.timeline.find(self._fits, beyond, forward)
        if found is not None:
            self.go(found)
        return found is not None

    def toggle_bookmark(self) -> bool:
        """Mark the step that is shown, or take its mark away; whether it has one now."""
        self.bookmarks ^= {self.number}
        return self.number in self.bookmarks

    def next_bookmark(self) -> bool:
        """The next step with a mark, from the end the first."""
        kept = sorted(n for n in self.bookmarks if n >= self.timeline.first)
        if not kept:
            return False
        self.go(next((n for n in kept if n > self.number), kept[0]))
        return True
