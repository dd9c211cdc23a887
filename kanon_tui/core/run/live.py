"""A run under remote control: start, pause, step, change speed, cancel, and look at any time.

One thread pulls the steps (`LiveRun.drive`), others give orders and read `snapshot`, an
immutable picture of the run that is replaced as a whole after every step. Nothing is pushed at
the reader, so a fast algorithm cannot flood a slow terminal.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kanon_tui.core.run.run import Run, State
from kanon_tui.core.task.steps import FULL_SPEED, Step

__all__ = ["SPEEDS", "LiveRun", "Snapshot"]

SPEEDS: tuple[float, ...] = (0.5, 1, 2, 5, 20, 100, float("inf"))
"""Decisions per second; the last is as fast as the machine can."""
LOG_LENGTH = 500
CURVES = ("best_rv", "rv", "ncp", "il")
"""Counters that are drawn as a curve; the first that an algorithm has."""
CURVE_LENGTH = 240
_SLICE = 0.05
"""Seconds between two looks at the orders while waiting: a cancel must answer at once."""


@dataclass(frozen=True)
class Snapshot:
    """What can be seen of a run at one moment."""

    state: State = State.READY
    paused: bool = False
    steps: int = 0
    seconds: float = 0.0
    step: Step | None = None
    counters: Mapping[str, float] = field(default_factory=dict)
    progress: float | None = None
    log: tuple[tuple[int, Step], ...] = ()
    """The last steps with their numbers, oldest first."""
    curve: tuple[float, ...] = ()
    """How the figure `curve_name` (research value, NCP …) went, thinned out."""
    curve_name: str = ""

    @property
    def remaining(self) -> float | None:
        """Seconds still to go, guessed from the share that is done."""
        if not self.progress or self.state is not State.RUNNING:
            return None
        return self.seconds * (1 - self.progress) / self.progress


class LiveRun:
    """Orders for a run, and the picture of it."""

    def __init__(self, run: Run, *, paused: bool = False) -> None:
        self.run = run
        self.snapshot = Snapshot(paused=paused)
        self._speed = len(SPEEDS) - 1
        self._paused = paused
        self._steps_asked = threading.Semaphore(0)
        """Steps that were asked for and not yet taken; several threads ask, one takes."""
        self._cancelled = False
        self._wake = threading.Event()
        self._log: deque[tuple[int, Step]] = deque(maxlen=LOG_LENGTH)
        self._curve: list[float] = []
        self._drawn = ""
        self._stride = 1

    # -- orders, from any thread

    @property
    def paused(self) -> bool:
        """Whether it waits for somebody."""
        return self._paused

    @property
    def speed(self) -> float:
        """Decisions per second."""
        return SPEEDS[self._speed]

    def pause(self) -> None:
        """Wait before the next step."""
        self._paused = True
        self._wake.set()

    def resume(self) -> None:
        """Go on."""
        self._paused = False
        self._wake.set()

    def step(self) -> None:
        """One decision, then wait again."""
        self._paused = True
        self._steps_asked.release()
        self._wake.set()

    def faster(self) -> None:
        """The next higher speed."""
        self._speed = min(self._speed + 1, len(SPEEDS) - 1)
        self._wake.set()

    def slower(self) -> None:
        """The next lower speed."""
        self._speed = max(self._speed - 1, 0)
        self._wake.set()

    def cancel(self) -> None:
        """Stop after the step that is under way, and keep the best so far."""
        self._cancelled = True
        self._wake.set()

    # -- the one thread that runs it

    def drive(self, abandoned: Callable[[], bool] = lambda: False) -> None:
        """Pull steps as ordered until the run ends; `abandoned` says nobody waits any more."""
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
            self.run.context.decisions_per_step = FULL_SPEED if full else 1
            step = next(self.run, None)
            if step is None:
                break
            if not full:
                due = max(due, time.monotonic() - 1) + 1 / self.speed
            self._remember(step)
            self._show()
        self._show()

    def _sleep(self, seconds: float) -> None:
        self._wake.wait(seconds)
        self._wake.clear()

    def _remember(self, step: Step) -> None:
        self._log.append((self.run.steps, step))
        self._drawn = self._drawn or next((c for c in CURVES if c in step.counters), "")
        if self._drawn in step.counters and self.run.steps % self._stride == 0:
            self._curve.append(float(step.counters[self._drawn]))
            if len(self._curve) == CURVE_LENGTH:  # thin out: every second point, half as often
                self._curve = self._curve[::2]
                self._stride *= 2

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
            log=tuple(self._log),
            curve=tuple(self._curve),
            curve_name=self._drawn,
        )
