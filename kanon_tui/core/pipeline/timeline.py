"""Every step of a watched run, to go back and forth in.

Steps are facts and never change. What a picture shows (which strings are open, which records are
together) is a `RunState`: made by taking in the steps one by one, so that a step looks the same
from whichever side one comes to it. States of some steps are kept on the way, so that going back
does not begin at the beginning.

Memory is bounded: of very long runs the oldest steps are let go, after their state was taken in.
`first` says where the timeline begins.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from kanon_tui.core.task.steps import Step

__all__ = ["Nothing", "RunState", "Timeline"]

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
