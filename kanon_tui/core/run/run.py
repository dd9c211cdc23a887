"""The run: an algorithm as a sequence of steps that somebody pulls.

An algorithm is a generator of `Step`s that returns a `Grouping`. It knows nothing of who runs
it: draining a `Run` is full speed, iterating it is live progress, one `next` is the
step-by-step demo, not calling `next` is pause, and `cancel` keeps the best found so far where
the algorithm has one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from enum import StrEnum

from kanon_tui.core.report.phases import Seconds
from kanon_tui.core.task.steps import Algorithm, Family, Grouping, RunContext, Step, Steps
from kanon_tui.core.task.task import Task

__all__ = ["Run", "State"]


class State(StrEnum):
    """Where a run is."""

    READY = "ready"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Run(Iterator[Step]):
    """One algorithm at work on one task."""

    def __init__(self, task: Task, algorithm: Algorithm, context: RunContext | None = None) -> None:
        self.task = task
        self.algorithm = algorithm
        self.context = RunContext() if context is None else context
        self.state = State.READY
        self.seconds = 0.0
        """Time spent inside the algorithm; pauses between steps do not count."""
        self.phases: Seconds = {}
        """Time spent before it, on reading and preparing."""
        self.steps = 0
        self.last: Step | None = None
        self.grouping: Grouping | None = None
        self._generator = _steps(algorithm, task, self.context)

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


def _steps(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    """Those of the algorithm, and what follows it on every task."""
    if algorithm.family is Family.CLUSTERING:
        from kanon_tui.core.run.clustering_steps import clustering_steps

        return clustering_steps(algorithm, task, context)
    if task.privacy.suppress == "cells":
        from kanon_tui.core.full_domain.cell_suppression import hidden_cell_steps

        return hidden_cell_steps(algorithm.steps(task, context), task)
    return algorithm.steps(task, context)
