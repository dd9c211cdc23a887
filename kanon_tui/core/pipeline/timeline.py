"""The steps of a watched run, and the position of a viewer in them.

Steps never change. A `RunState` is what a picture shows after a step (which strings are open, which
records are together). It is built by applying the steps one by one, so that a step looks the same
from both directions. A step that was applied can be taken back; for longer ways the states of some
steps are cached.

Memory is bounded: a very long run drops its oldest steps after applying them to the first state.
`Timeline.first` is the number of the oldest step that is kept.
"""

import threading
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from copy import copy
from typing import ClassVar, Self

from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.task.events import Event

MOST_KEPT = 20_000
"""The most steps that are kept; beyond that a quarter of them is dropped."""
_APART = MOST_KEPT // 32
"""Steps between two cached states, of which about 32 are kept."""


Fits = Callable[[RunStep], bool]
Undo = Callable[[], None]
"""Brings a state back to what it was before a step."""


class RunState(ABC):
    """The state of a picture after some steps."""

    changed_in_place: ClassVar[tuple[str, ...]] = ()
    """Attributes whose values `take` changes; of the others it sets new ones."""

    @abstractmethod
    def take(self, number: int, step: RunStep) -> Undo | None:
        """Apply the next step; return what takes it back, None where only a replay does."""

    @abstractmethod
    def begin(self, first: Event, rows: int) -> None:
        """Show a table of so many rows as it is before the first event of a run."""

    def copy(self) -> Self:
        """Return a copy that can be changed without changing this state."""
        made = copy(self)
        for name in self.changed_in_place:
            setattr(made, name, copy(getattr(self, name)))
        return made


class Nothing(RunState):
    """The state of a run without pictures."""

    def take(self, number: int, step: RunStep) -> Undo:
        """Ignore the step."""
        return _nothing

    def begin(self, first: Event, rows: int) -> None:
        """Show nothing."""


def _nothing() -> None:
    """Take nothing back."""


class Timeline:
    """The steps of one run by number, from 1; one thread adds, others read."""

    def __init__(self, make: Callable[[], RunState] = Nothing, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: tuple[int, list[RunStep]] = 1, []
        """The number of the oldest kept step, and the steps; replaced together."""
        self._seconds: dict[int, float] = {}
        """By number of a kept step, the seconds that had passed; empty where nobody measured."""
        self._lock = threading.Lock()
        self._states: dict[int, RunState] = {0: make()}
        """Cached states by the number of the last applied step."""
        self._number, self._state = 0, self._states[0].copy()
        self._undos: deque[Undo] = deque(maxlen=2 * _APART)
        """What takes back the latest steps of the present state, the newest last."""

    @property
    def first(self) -> int:
        """The number of the oldest kept step."""
        return self._kept[0]

    @property
    def last(self) -> int:
        """The number of the newest step; 0 before there is any."""
        first, steps = self._kept
        return first + len(steps) - 1

    def add(self, step: RunStep, seconds: float = 0.0) -> int:
        """Add the next step, made `seconds` after the start of the run, and return its number."""
        first, steps = self._kept
        if seconds:
            self._seconds[first + len(steps)] = seconds
        steps.append(step)
        if len(steps) > self._most:
            dropped = len(steps) // 4
            with self._lock:
                state = self._at(first + dropped - 1).copy()
                later = {
                    n: known_state
                    for n, known_state in self._states.items()
                    if n >= first + dropped
                }
                self._states = {first + dropped - 1: state, **later}
                self._kept = first + dropped, steps[dropped:]
                self._seconds = {n: s for n, s in self._seconds.items() if n >= first + dropped}
        return self.last

    def step(self, number: int) -> RunStep:
        """Return the step of a number, or the nearest kept one."""
        first, steps = self._kept
        return steps[min(max(number - first, 0), len(steps) - 1)]

    def seconds(self, number: int) -> float:
        """Return the seconds that had passed at a step; 0 where they were not measured."""
        return self._seconds.get(number, 0.0)

    def steps(self, begin: int, end: int) -> list[tuple[int, RunStep]]:
        """Return the kept steps from one number to another, both included."""
        first, steps = self._kept
        begin = max(begin, first)
        end = min(end, first + len(steps) - 1)
        return [(number, steps[number - first]) for number in range(begin, end + 1)]

    def find(self, fits: Fits, number: int, forward: bool = True) -> int | None:
        """Return the number of the nearest step after (or before) a number that fits."""
        if forward:
            beyond = self.steps(number + 1, self.last)
        else:
            beyond = self.steps(self.first, number - 1)[::-1]
        return next((n for n, step in beyond if fits(step)), None)

    def state(self, number: int) -> RunState:
        """Return the state after a step; it is valid until the next call."""
        with self._lock:
            return self._at(number)

    def _at(self, number: int) -> RunState:
        first, steps = self._kept
        number = min(max(number, first - 1), first + len(steps) - 1)
        near = max(n for n in self._states if n <= number)
        if 0 < self._number - number <= len(self._undos):
            for _ in range(self._number - number):
                self._undos.pop()()
            self._number = number
        if not near <= self._number <= number:
            self._number, self._state = near, self._states[near].copy()
            self._undos.clear()
        while self._number < number:
            self._number += 1
            undo = self._state.take(self._number, steps[self._number - first])
            if undo is None:
                self._undos.clear()
            else:
                self._undos.append(undo)
            if self._number % _APART == 0 and self._number not in self._states:
                self._states[self._number] = self._state.copy()
        return self._state


class Playhead:
    """The step that is shown: the newest, until the viewer moves to another."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._shown: int | None = None
        self.bookmarks: set[int] = set()
        self._fits: Fits | None = None

    @property
    def number(self) -> int:
        """The number of the step that is shown; 0 before there is any."""
        if self._shown is None:
            return self.timeline.last
        return min(max(self._shown, self.timeline.first - 1), self.timeline.last)

    @property
    def at_end(self) -> bool:
        """Whether the newest step is shown."""
        return self.number >= self.timeline.last

    def go(self, number: int) -> bool:
        """Show a step, or the nearest one; return whether it is another than before."""
        before = self.number
        self._shown = min(max(number, self.timeline.first), self.timeline.last)
        if self._shown == self.timeline.last:
            self._shown = None  # follow new steps
        return self.number != before

    def before_first(self) -> None:
        """Show the run before its first decision."""
        self._shown = 0

    def hold(self) -> None:
        """Stay at this step when new ones come."""
        self._shown = self.number

    def move(self, steps: int) -> bool:
        """Move some steps on, or back; return whether the step changed."""
        return self.go(self.number + steps)

    def kinds(self) -> list[tuple[str, int]]:
        """Return the kinds of steps with their counts, the rarest first."""
        steps = self.timeline.steps(self.timeline.first, self.timeline.last)
        counts = Counter(step.event.landmark for _, step in steps)
        return sorted(counts.items(), key=lambda pair: (pair[1], pair[0]))

    def seek_kind(self, kind: str) -> bool:
        """Go to the next step of a kind; return whether there is one."""
        self._fits = lambda step: step.event.landmark == kind
        return self.again()

    def seek_text(self, text: str) -> bool:
        """Go to the next step with a text in its sentence; return whether there is one."""
        folded_text = text.casefold()
        self._fits = lambda step: folded_text in step.sentence.casefold()
        return self.again()

    def again(self, forward: bool = True) -> bool:
        """Repeat the last search, wrapping around; return whether it found a step."""
        if self._fits is None:
            return False
        step_number = self.timeline.find(self._fits, self.number, forward)
        if step_number is None:
            beyond = self.timeline.first - 1 if forward else self.timeline.last + 1
            step_number = self.timeline.find(self._fits, beyond, forward)
        if step_number is not None:
            self.go(step_number)
        return step_number is not None

    def toggle_bookmark(self) -> bool:
        """Set or remove a bookmark on the shown step; return whether it has one now."""
        self.bookmarks ^= {self.number}
        return self.number in self.bookmarks

    def next_bookmark(self) -> bool:
        """Go to the next bookmark, wrapping around; return whether there is one."""
        bookmarks = sorted(n for n in self.bookmarks if n >= self.timeline.first)
        if not bookmarks:
            return False
        self.go(next((n for n in bookmarks if n > self.number), bookmarks[0]))
        return True
