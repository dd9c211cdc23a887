"""Words for events: every family has them, and events that nobody describes have plain ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from kanon_tui.core.algorithms import ALGORITHMS
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
from tests.paths import ROOT


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


def subclasses(event_class: type[Event]) -> set[type[Event]]:
    below = event_class.__subclasses__()
    return set(below).union(*map(subclasses, below))


def test_every_event_of_the_built_in_algorithms_has_words_of_its_own() -> None:
    for algorithm in ALGORITHMS:
        assert ALGORITHMS[algorithm].name  # imports it, and with it its events
    lesson_of(Event(), make_task({"a": [1, 1]}))
    own = {each for each in subclasses(Event) if each.__module__.startswith("kanon_tui.")}
    bases = {base.__name__ for each in own for base in each.__bases__}
    names = {each.__name__ for each in own} - bases  # slots make a class a second time
    assert len(names) > 40
    assert names <= {each.__name__ for each in lesson.narrators()}


PAGE = (ROOT / "docs" / "add-an-algorithm.md").read_text(encoding="utf-8")
ALGORITHM, NARRATOR = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[:2]


def test_the_example_of_the_guide_is_told_as_the_guide_says(tmp_path: Path) -> None:
    """In a process of its own: a narrator stays registered as long as one lives."""
    (tmp_path / "toy.py").write_text(ALGORITHM, encoding="utf-8")
    (tmp_path / "words.py").write_text(f"from toy import *\n\n{NARRATOR}", encoding="utf-8")
    program = """
from tests.helpers import make_task
from tests.paths import ROOT
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import RunContext
from toy import RunsOfK

task = make_task({"a": [5, 1, 2, 3, 9, 8, 7]}, 3)
print(next(Run(task, RunsOfK(), RunContext(1))).sentence)
import words
for step in Run(task, RunsOfK(), RunContext(1)):
    print(step.sentence)
"""
    finished = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.stdout.splitlines() == [
        "Run cut: number 1 and size 3.",
        "The next 3 records in order become class 1.",
        "The next 4 records in order become class 2.",
    ], finished.stderr
    assert finished.stdout.splitlines()[0] in PAGE
