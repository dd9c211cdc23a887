"""A run: an algorithm as a sequence of steps that a caller pulls.

An algorithm is a generator of `Step`s that returns a `Grouping`. It knows nothing of who runs
it: draining a `Run` is full speed, iterating it is live progress, one `next` is the
step-by-step demo, not calling `next` is pause, and `cancel` keeps the best found so far where
the algorithm has one.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.report.finished_run import Seconds
from kanon_tui.core.task.task import Algorithm, Family, Grouping, RunContext, Step, Steps, Task


class State(StrEnum):
    """The state of a run."""

    READY = "ready"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Run(Iterator[Step]):
    """One run of an algorithm on a task."""

    def __init__(self, task: Task, algorithm: Algorithm, context: RunContext | None = None) -> None:
        self.task = task
        self.algorithm = algorithm
        self.context = RunContext() if context is None else context
        self.state = State.READY
        self.seconds = 0.0
        """Time spent inside the algorithm; pauses between steps do not count."""
        self.phases: Seconds = {}
        """Seconds of the phases before the search: reading and preparing."""
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
        """Run to the end at full speed; return None if a cancelled run has nothing to keep."""
        for _ in self:
            pass
        return self.grouping

    def required_grouping(self) -> Grouping:
        """Run to the end and return the grouping; raise if a cancelled run has none to keep."""
        grouping = self.finish()
        if grouping is None:
            raise NotReachedError(
                f"{self.algorithm.name}: stopped before it had found a release; nothing was written"
            )
        return grouping

    def cancel(self) -> Grouping | None:
        """Stop, and return the best grouping so far, if there is one."""
        if self.state in (State.READY, State.RUNNING):
            self._generator.close()
            self.state = State.CANCELLED
            if self.last is not None and self.last.keep is not None:
                self.grouping = self.last.keep()
        return self.grouping


def _steps(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    """Return the steps of the algorithm and of what follows it on this task."""
    if algorithm.family is Family.CLUSTERING:
        from kanon_tui.core.pipeline.blocks import clustering_steps

        if task.subsets is not None:  # classes of so many keep it, and no cell need be looked at
            k = max(task.k, task.subsets.k)
            task = replace(task, privacy=replace(task.privacy, k=k, subset_k=None))
        return clustering_steps(algorithm, task, context)
    if task.privacy.suppress == "cells":
        from kanon_tui.core.lattice.cell_suppression import hidden_cell_steps

        return hidden_cell_steps(algorithm.steps(task, context), task)
    return algorithm.steps(task, context)
