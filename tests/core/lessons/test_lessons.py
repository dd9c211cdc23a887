"""Words for events: every family has them, and events that nobody describes have plain ones."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.clustering.events import UNPLACED, GroupEvent, moved_to
from kanon_tui.core.lessons import lesson
from kanon_tui.core.lessons.telling import lesson_of
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import Grouping, RunContext, Step, Steps, Task
from kanon_tui.core.teaching.clusters import RecordMap
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline
from tests.helpers import make_task


@dataclass(frozen=True, eq=False)
class PairTaken(GroupEvent):
    """The next two records become a class."""

    pair: int
    first_value: str


@dataclass(frozen=True)
class Pairs(Clustering):
    """A toy: two records after the other are a class."""

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Pairs"
    paper: ClassVar[str] = "none"
    summary: ClassVar[str] = "Takes two records after the other"

    def steps(self, task: Task, context: RunContext) -> Steps:
        labels = np.full(task.n, UNPLACED, dtype=np.int32)
        for pair in range(task.n // 2):
            records = np.array([2 * pair, 2 * pair + 1])
            start = labels.copy() if pair == 0 else None
            labels[records] = pair
            column = task.quasi[0].column
            value = column.values[column.codes[records[0]]]
            moves = moved_to(pair, records)
            yield Step(PairTaken(pair + 1, value, start=start, moves=moves, records=records))
        return Grouping(labels)


def test_an_algorithm_with_events_of_its_own_is_told_drawn_and_stepped_back() -> None:
    task = make_task({"a": [1, 2, 5, 6, 8, 9], "b": [1, 1, 2, 3, 3, 3]})
    run = Run(task, Pairs(), RunContext(1, watched=True))
    timeline = new_timeline(run.algorithm)
    for step in run:
        timeline.add(step)
    assert [step.sentence for _, step in timeline.steps(1, 3)] == [
        "Pair taken: pair 1 and first value 1.",
        "Pair taken: pair 2 and first value 5.",
        "Pair taken: pair 3 and first value 8.",
    ]
    pictures = [
        RecordMap().draw(Scene(task, run.algorithm, timeline, number), 60, 20).plain()
        for number in (3, 2, 1, 0, 1, 2, 3)
    ]
    assert pictures == [*pictures[:4], *pictures[2::-1]]
    assert len(set(pictures)) == 4
    assert "6 not placed" in pictures[3]
    assert "2 not placed" in pictures[1]


def test_narrators_are_registered_for_the_events_that_they_take() -> None:
    lesson_of(Event(), make_task({"a": [1, 1]}))  # registers all
    registered: dict[object, set[type[Event]]] = {}
    for event_class, narrator in lesson.narrators().items():
        if narrator.__module__.startswith("kanon_tui."):
            registered.setdefault(narrator, set()).add(event_class)
    for narrator, classes in registered.items():
        taken = typing.get_type_hints(narrator)["event"]
        assert classes == set(typing.get_args(taken) or (taken,)), narrator
