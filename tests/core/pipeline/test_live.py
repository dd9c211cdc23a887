"""A run under remote control: pause, step, speed, cancel, and snapshots that never change."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.run import Run, State
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import Algorithm, Family, Grouping, RunContext, Step, Steps, Task
from tests.helpers import make_task
from tests.waiting import PATIENCE, wait_until


@dataclass(frozen=True)
class CountedTo(Event):
    """So many decisions are taken."""

    done: int


@dataclass(frozen=True)
class Counting(Algorithm):
    """Takes `decisions` decisions, in batches as large as the pace allows."""

    name: ClassVar[str] = "counting"
    title: ClassVar[str] = "Counting"
    family: ClassVar[Family] = Family.CLUSTERING
    paper: ClassVar[str] = "none"
    summary: ClassVar[str] = "counts"
    decisions: int = 1000

    def steps(self, task: Task, context: RunContext) -> Steps:
        done = 0
        whole = Grouping(np.zeros(task.n, dtype=np.int32))
        while done < self.decisions:
            done = min(done + context.decisions_per_step, self.decisions)
            share = done / self.decisions
            yield Step(CountedTo(done), {"ncp": share}, share, lambda: whole)
        return whole


def live(decisions: int = 1000, *, paused: bool = False) -> LiveRun:
    return LiveRun(Run(make_task({"a": [1, 2, 3]}, 2), Counting(decisions)), paused=paused)


@pytest.fixture
def drive():
    """Drives a run in a thread; the thread is gone when the test ends."""
    threads: list[tuple[LiveRun, threading.Thread]] = []

    def begin(made: LiveRun, abandoned: Callable[[], bool] = lambda: False) -> threading.Thread:
        thread = threading.Thread(target=made.drive, args=(abandoned,))
        thread.start()
        threads.append((made, thread))
        return thread

    yield begin
    for made, thread in threads:
        made.cancel()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_full_speed_takes_batches_and_ends(drive) -> None:
    made = live(25_000)
    drive(made).join(PATIENCE)
    assert made.snapshot.state is State.FINISHED
    assert made.snapshot.steps == 3
    assert made.snapshot.step.sentence == "Counted to: done 25,000."
    assert made.snapshot.progress == 1


def test_a_step_is_one_decision_and_then_it_waits(drive) -> None:
    made = live(paused=True)
    drive(made)
    for number in (1, 2, 3):
        made.step()
        wait_until(lambda number=number: made.snapshot.steps == number)
        assert made.snapshot.step.event.done == number
        assert made.snapshot.paused
    made.resume()
    wait_until(lambda: made.snapshot.state is State.FINISHED)


def test_no_step_is_lost_or_taken_twice_when_many_threads_ask(drive) -> None:
    made = live(10_000, paused=True)
    driving = drive(made)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads change places in the middle of `x += 1`
    try:
        asking = [
            threading.Thread(target=lambda: [made.step() for _ in range(500)]) for _ in range(8)
        ]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        wait_until(lambda: made.snapshot.steps >= 4000)
    finally:
        sys.setswitchinterval(before)
    made.cancel()
    driving.join(PATIENCE)
    assert made.snapshot.steps == 4000
    assert made.snapshot.step.event.done == 4000


def test_pause_stops_and_resume_goes_on(drive) -> None:
    made = live(100_000)
    made.change_speed(-1)  # 100 decisions a second: long enough to be paused
    rounds = 0

    def never() -> bool:
        """Asked once in every round of the driving thread."""
        nonlocal rounds
        rounds += 1
        return False

    drive(made, abandoned=never)
    wait_until(lambda: made.snapshot.steps > 2)
    made.pause()
    wait_until(lambda: made.snapshot.paused)
    steps = made.snapshot.steps
    later = rounds + 5
    wait_until(lambda: rounds > later)
    assert made.snapshot.steps == steps
    made.change_speed(1)
    made.resume()
    wait_until(lambda: made.snapshot.state is State.FINISHED)


def test_cancel_answers_while_paused_and_keeps_the_best(drive) -> None:
    made = live(paused=True)
    thread = drive(made)
    made.step()
    wait_until(lambda: made.snapshot.steps == 1)
    made.cancel()
    thread.join(PATIENCE)
    assert made.snapshot.state is State.CANCELLED
    assert made.run.grouping is not None


def test_nobody_waits_any_more() -> None:
    made = live(paused=True)
    made.drive(abandoned=lambda: True)
    assert made.run.state is State.CANCELLED


def test_snapshots_do_not_change_and_every_step_is_kept(drive) -> None:
    made = live(2000)
    for _ in range(6):
        made.change_speed(-1)
    for _ in range(2000):  # the speed is 100 a second at most: ask for every decision instead
        made.step()
    first = None
    thread = drive(made)
    wait_until(lambda: made.snapshot.steps > 10)
    first = made.snapshot
    kept = (first.steps, first.step, first.counters)
    wait_until(lambda: made.snapshot.steps == 2000)
    made.resume()
    thread.join(PATIENCE)
    assert (first.steps, first.step, first.counters) == kept
    assert made.timeline.last == 2000
    assert made.timeline.step(7).event.done == 7
