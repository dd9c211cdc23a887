"""The timeline: every step kept, states that do not depend on the way, bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Self

from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.pipeline.timeline import Playhead, RunState, Timeline
from kanon_tui.core.task.events import Event
from tests.helpers import make_task

TASK = make_task({"a": [1, 2]})


@dataclass(frozen=True)
class Numbered(Event):
    """An event of some kind with a number."""

    of_kind: str
    n: int

    @property
    def kind(self) -> str:
        return self.of_kind


def numbered(kind: str, n: int) -> RunStep:
    return RunStep(Numbered(kind, n), task=TASK)


class Total(RunState):
    """Adds up the numbers of the steps."""

    taken: ClassVar[list[int]] = [0, 0]
    """The steps that were applied, and whether a step can be taken back."""

    def __init__(self, total: int = 0) -> None:
        self.total = total

    def begin(self, first: Event, rows: int) -> None:
        """Begin with nothing."""

    def take(self, number: int, step: RunStep) -> Callable[[], None] | None:
        assert step.event.n == number
        self.total += number
        self.taken[0] += 1
        return partial(self.take_back, number) if self.taken[1] else None

    def take_back(self, number: int) -> None:
        self.total -= number

    def copy(self) -> Self:
        return type(self)(self.total)


def timeline(steps: int, most: int = 20_000) -> Timeline:
    made = Timeline(Total, most)
    for number in range(1, steps + 1):
        kind = "cut" if number % 5 == 0 else "close"
        made.add(numbered(kind, number))
    return made


def total(made: Timeline, number: int) -> int:
    state = made.state(number)
    assert isinstance(state, Total)
    return state.total


def test_a_state_is_that_of_its_step_from_whichever_side_one_comes() -> None:
    made = timeline(20_000)
    for number in (20_000, 1, 19_999, 256, 255, 257, 10_000, 0):
        assert total(made, number) == number * (number + 1) // 2


def test_going_back_a_thousand_steps_applies_no_more_than_going_on() -> None:
    Total.taken[1] = 1
    try:
        made = timeline(20_000)
        assert total(made, 20_000) == 200_010_000
        Total.taken[0] = 0
        for number in range(19_999, 18_999, -1):
            assert total(made, number) == number * (number + 1) // 2
        assert Total.taken[0] <= 1_300
        for number in (19_500, 1, 300, 299, 19_999, 19_998, 0, 5):
            assert total(made, number) == number * (number + 1) // 2
    finally:
        Total.taken[1] = 0


def test_of_very_long_runs_the_oldest_steps_go_and_states_stay_right() -> None:
    made = timeline(1_000, most=100)
    assert made.last == 1_000
    assert 900 <= made.first <= 930
    assert len(made.steps(1, 2_000)) <= 100
    for number in (made.first, made.last, made.first + 1):
        assert total(made, number) == number * (number + 1) // 2
    assert made.step(1).event.n == made.first


def test_a_playhead_follows_until_somebody_goes_back() -> None:
    made = timeline(10)
    playhead = Playhead(made)
    assert (playhead.number, playhead.at_end) == (10, True)
    assert playhead.move(-3)
    made.add(numbered("close", 11))
    assert playhead.number == 7
    assert playhead.move(100)
    made.add(numbered("close", 12))
    assert playhead.number == 12
    assert not playhead.move(1)


def test_kinds_texts_and_bookmarks_are_found_again_and_again() -> None:
    playhead = Playhead(timeline(23))
    playhead.go(1)
    assert playhead.kinds() == [("cut", 4), ("close", 19)]
    assert playhead.seek_kind("cut")
    assert playhead.number == 5
    assert playhead.again()
    assert playhead.number == 10
    assert playhead.again(forward=False)
    assert playhead.number == 5
    assert playhead.seek_text("N 2")
    assert playhead.number == 20
    assert not playhead.seek_text("merge")
    assert playhead.toggle_bookmark()
    playhead.go(3)
    assert playhead.toggle_bookmark()
    playhead.go(15)
    assert playhead.next_bookmark()
    assert playhead.number == 20
    assert playhead.next_bookmark()
    assert playhead.number == 3
    assert not playhead.toggle_bookmark()
