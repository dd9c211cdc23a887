"""The run: an algorithm as a sequence of steps that somebody pulls.

An algorithm is a generator of `Step`s that returns a `Grouping`. It knows nothing of who runs
it: draining a `Run` is full speed, iterating it is live progress, one `next` is the
step-by-step demo, not calling `next` is pause, and `cancel` keeps the best found so far where
the algorithm has one.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from kanon_tui.core.task import Task

__all__ = ["Algorithm", "Family", "Grouping", "Pace", "Run", "State", "Step", "Steps"]


class Family(StrEnum):
    """The two ways to generalise a table."""

    FULL_DOMAIN = "full-domain"  # one level per attribute, for all records
    CLUSTERING = "clustering"  # local recoding: every class finds its own ranges and labels


@dataclass(frozen=True, eq=False)
class Grouping:
    """What an algorithm decides: which records belong together, and nothing about how it prints."""

    labels: npt.NDArray[np.int32]
    """Per record the number of its group; -1 for a suppressed record."""
    levels: tuple[int, ...] | None = None
    """Full-domain: the level of every quasi-identifier."""
    suppressed_cells: npt.NDArray[np.bool_] | None = None
    """Records × quasi-identifiers: cells hidden one by one (only `udc-suppress`)."""
    search: Mapping[str, Any] = field(default_factory=dict)
    """What the report says about the search."""
    notes: tuple[str, ...] = ()
    """Sentences a reader of the result should see, such as 'not proven optimal'."""


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of an algorithm, or at full speed a bounded batch of them.

    The sentence is put together only when somebody reads it.
    """

    kind: str
    """A word for the decision: cut, raise, test, prune, merge, grow, suppress …"""
    template: str
    """The sentence, with `{names}` of facts in it."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)
    """Running totals such as generated, pruned, tested, clusters, merges."""
    progress: float | None = None
    """Share of the work that is done, 0 to 1, where it is known."""
    keep: Callable[[], Grouping] | None = None
    """Gives the best grouping so far, which a cancel keeps."""

    @property
    def sentence(self) -> str:
        """The decision in words."""
        return self.template.format_map(self.facts)


Steps = Generator[Step, None, Grouping]


class Pace:
    """How many decisions one step may stand for; whoever runs the algorithm sets it."""

    __slots__ = ("decisions",)

    FULL_SPEED: ClassVar[int] = 10_000

    def __init__(self, decisions: int = FULL_SPEED) -> None:
        self.decisions = decisions


class Algorithm(ABC):
    """A way to k-anonymise a table. Subclasses are frozen dataclasses: fields are parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    family: ClassVar[Family]
    paper: ClassVar[str]
    summary: ClassVar[str]
    """One line: how it works and when to choose it."""
    keeps_magvals: ClassVar[bool] = False
    """Whether no value is ever generalised beyond its MAGVal, at the price of suppression."""

    @abstractmethod
    def steps(self, task: Task) -> Steps:
        """Yield a step per decision and return the grouping."""


class State(StrEnum):
    """Where a run is."""

    READY = "ready"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Run(Iterator[Step]):
    """One algorithm at work on one task."""

    def __init__(self, task: Task, algorithm: Algorithm) -> None:
        self.task = task
        self.algorithm = algorithm
        self.state = State.READY
        self.seconds = 0.0
        """Time spent inside the algorithm; pauses between steps do not count."""
        self.steps = 0
        self.last: Step | None = None
        self.grouping: Grouping | None = None
        self._generator = _steps(algorithm, task)

    def __next__(self) -> Step:
        if self.state not in (State.READY, State.RUNNING):
            raise StopIteration
        self.state = State.RUNNING
        started = time.perf_counter()
        try:
            self.last = next(self._generator)
        except StopIteration as stop:
            self.state, self.grouping = State.FINISHED, stop.value
            raise StopIteration from None
        except BaseException:
            self.state = State.FAILED
            raise
        finally:
            self.seconds += time.perf_counter() - started
        self.steps += 1
        return self.last

    def finish(self) -> Grouping | None:
        """Run to the end at full speed; None if it was cancelled with nothing to keep."""
        for _ in self:
            pass
        return self.grouping

    def cancel(self) -> Grouping | None:
        """Stop here and keep the best grouping so far, if there is one."""
        if self.state in (State.READY, State.RUNNING):
            self._generator.close()
            self.state = State.CANCELLED
            if self.last is not None and self.last.keep is not None:
                self.grouping = self.last.keep()
        return self.grouping


def _steps(algorithm: Algorithm, task: Task) -> Steps:
    if not task.privacy.requirements:
        return algorithm.steps(task)
    from kanon_tui.core.merging_on import steps_beyond_k

    return steps_beyond_k(algorithm, task)
