"""A run under remote control: start, pause, step, change speed, cancel, and look at any time.

One thread pulls the steps (`LiveRun.drive`); other threads give orders and read `snapshot`, an
immutable picture of the run that is replaced after every step. Nothing is pushed to the reader, so
a fast algorithm cannot flood a slow terminal. `RemainingTime` estimates the seconds to go.
"""

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, sqrt

from kanon_tui.core.pipeline.run import Run, RunStep, State
from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.processes.interruption import Stop, never
from kanon_tui.core.task.task import FULL_SPEED, Family

LEAST_PROGRESS = 0.01
LEAST_SECONDS = 0.5
LATEST = 0.3
"""The share of the elapsed time that counts as the latest part."""
INERTIA = 0.1
"""The share of the elapsed time in which the estimate follows a new reading."""
APART = 4.0
"""Two readings that differ by more than this factor give no estimate."""
MEMORY = 200


class RemainingTime:
    """An estimate of the remaining seconds of a run, from its own progress."""

    def __init__(self) -> None:
        self.seconds: float | None = None
        """The remaining seconds; None where they are not known."""
        self._seen: deque[tuple[float, float]] = deque(maxlen=MEMORY)
        self._asked = 0.0

    def look(self, progress: float | None, seconds: float) -> float | None:
        """Record the progress after `seconds` and return the estimate of the remaining seconds."""
        if progress is None:
            self.seconds = None
            return None
        if not self._seen or seconds - self._seen[-1][0] > seconds / MEMORY:
            self._seen.append((seconds, progress))
        if progress < LEAST_PROGRESS or seconds < LEAST_SECONDS:
            return self.seconds
        reading = self._reading(progress, seconds)
        passed = seconds - self._asked
        self._asked = seconds
        if reading is None or self.seconds is None:
            self.seconds = reading
        else:
            expected = max(self.seconds - passed, 0.0)
            weight = 1 - exp(-passed / max(1.0, INERTIA * seconds))
            self.seconds = expected + weight * (reading - expected)
        return self.seconds

    def _reading(self, progress: float, seconds: float) -> float | None:
        overall = seconds * (1 - progress) / progress
        begin = (1 - LATEST) * seconds
        then, was = next(((t, p) for t, p in reversed(self._seen) if t <= begin), self._seen[0])
        if then == seconds:  # the first reading has no latest part
            return overall
        if progress <= was:
            return None
        latest = (1 - progress) * (seconds - then) / (progress - was)
        low, high = sorted((overall, latest))
        if high > APART * low and high > 1:
            return None
        return sqrt(overall * latest)


SPEEDS: tuple[float, ...] = (0.5, 1, 2, 5, 20, 100, float("inf"))
"""Decisions per second; the last one is full speed."""
_SLICE = 0.05
"""Seconds between two checks for orders while waiting, so that a cancel acts at once."""


@dataclass(frozen=True)
class Snapshot:
    """The visible state of a run at one moment."""

    state: State = State.READY
    paused: bool = False
    steps: int = 0
    seconds: float = 0.0
    step: RunStep | None = None
    counters: Mapping[str, float] = field(default_factory=dict)
    progress: float | None = None
    remaining: float | None = None
    """The estimated remaining seconds; None where progress gives no estimate."""


class LiveRun:
    """A run that other threads control and watch."""

    def __init__(
        self,
        run: Run,
        *,
        paused: bool = False,
        timeline: Timeline | None = None,
        every_decision: bool = False,
    ) -> None:
        """Take a run; with `every_decision` a step is one decision at full speed, too."""
        self.run = run
        self.timeline = Timeline() if timeline is None else timeline
        self._every_decision = every_decision
        self.snapshot = Snapshot(paused=paused)
        self._speed = len(SPEEDS) - 1
        self._paused = paused
        self._steps_asked = threading.Semaphore(0)
        """Steps that were ordered and not yet taken; several threads order, one takes."""
        self._cancelled = False
        self._wake = threading.Event()
        self._remaining = RemainingTime()

    # -- orders, from any thread

    @property
    def paused(self) -> bool:
        """Whether the run is paused."""
        return self._paused

    @property
    def speed(self) -> float:
        """The speed in decisions per second."""
        return SPEEDS[self._speed]

    def pause(self) -> None:
        """Wait before the next step."""
        self._paused = True
        self._wake.set()

    def resume(self) -> None:
        """Resume a paused run."""
        self._paused = False
        self._wake.set()

    def step(self) -> None:
        """Take one decision, then pause."""
        self._paused = True
        self._steps_asked.release()
        self._wake.set()

    def set_speed(self, decisions: float) -> None:
        """Set the speed to one of `SPEEDS`."""
        self._speed = SPEEDS.index(decisions)
        self._wake.set()

    def change_speed(self, direction: int) -> None:
        """Go to the next higher of `SPEEDS`, or the next lower for a negative direction."""
        self._speed = min(max(self._speed + direction, 0), len(SPEEDS) - 1)
        self._wake.set()

    def cancel(self) -> None:
        """Stop after the current step, and keep the best grouping so far."""
        self._cancelled = True
        self._wake.set()

    # -- the one thread that runs it

    def drive(self, abandoned: Stop = never) -> None:
        """Pull steps as ordered until the run ends, or `abandoned` returns True."""
        due = time.monotonic()
        while True:
            if self._cancelled or abandoned():
                self.run.cancel()
                break
            if not self._steps_asked.acquire(blocking=False):
                if self._paused:
                    self._show()
                    self._sleep(_SLICE)
                    due = time.monotonic()
                    continue
                wait = due - time.monotonic()
                if wait > 0:
                    self._sleep(min(wait, _SLICE))
                    continue
            full = not self._paused and self.speed == float("inf")
            batches = full and not self._every_decision
            self.run.context.decisions_per_step = FULL_SPEED if batches else 1
            step = next(self.run, None)
            if step is None:
                break
            if not full:
                due = max(due, time.monotonic() - 1) + 1 / self.speed
            self.timeline.add(step, self.run.seconds)
            self._show()
        self._show()

    def _sleep(self, seconds: float) -> None:
        self._wake.wait(seconds)
        self._wake.clear()

    def _show(self) -> None:
        last = self.run.last
        self.snapshot = Snapshot(
            state=self.run.state,
            paused=self._paused,
            steps=self.run.steps,
            seconds=self.run.seconds,
            step=last,
            counters=last.counters if last else {},
            progress=last.progress if last else None,
            remaining=self._seconds_to_go(last.progress if last else None),
        )

    def _seconds_to_go(self, progress: float | None) -> float | None:
        searching = self.run.algorithm.family is Family.FULL_DOMAIN
        if searching or self.run.state is not State.RUNNING:
            return None  # a test of a search may rule out one string or half of them
        return self._remaining.look(progress, self.run.seconds)
