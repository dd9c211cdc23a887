"""Stepwise: a slow twin on random tables, drawn strings, and what steps tell."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_tui.core.algorithms import stepwise
from kanon_tui.core.algorithms.stepwise import Stepwise
from kanon_tui.core.algorithms.twins import stepwise as twin
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import PLACES, random_task
from tests.helpers import make_task
from tests.tries import tries


def grouping(task: Task, decisions: int = FULL_SPEED, tests: int = 20_000) -> Grouping:
    found = Run(task, Stepwise(tests=tests), RunContext(decisions)).finish()
    assert found is not None
    return found


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(tries(60)):
        task = random_task(seed)
        if task.n < task.k:
            continue
        labels = grouping(task).labels
        found = [set(np.flatnonzero(labels == c).tolist()) for c in range(labels.max() + 1)]
        assert sorted(map(sorted, found)) == sorted(map(sorted, twin.stepwise(task)))
        assert np.array_equal(grouping(task, decisions=1 + seed % 3).labels, labels)


def places(k: int = 2) -> Task:
    cities = ["Rome", "Rome", "Milan", "Paris", "Tokyo", "Osaka", "Delhi"]
    spec = AttributeSpec(hierarchy={"levels": PLACES})
    return make_task({"city": cities}, k, {"city": spec})


def test_each_record_is_generalised_as_little_as_its_class_needs() -> None:
    # Milan and Paris meet in Europe; Delhi is left over and joins the nearest, in Asia.
    labels = grouping(places()).labels.tolist()
    assert labels == [0, 0, 2, 2, 1, 1, 1]


def test_steps_tell_string_by_string_what_is_left() -> None:
    run = Run(places(), Stepwise(), RunContext(1, watched=True))
    steps = list(run)
    assert [step.kind for step in steps] == ["close", "close", "close", "join"]
    assert [step.counters["placed"] for step in steps] == [2, 4, 6, 7]
    assert "5 records are left" in steps[0].sentence
    assert [len(set(step.event.moves.groups.tolist())) for step in steps[:3]] == [1, 1, 1]
    assert [step.event.records.tolist() for step in steps] == [[0, 1], [4, 5], [2, 3], [6]]
    choices = [step.lesson.choice for step in steps[:3]]
    assert [str(choice.candidates[0].what) for choice in choices] == [
        f"⟨city {level}⟩" for level in range(3)
    ]
    assert "1 record is left" in steps[2].sentence


def test_cheaper_strings_that_made_no_class_are_its_candidates() -> None:
    columns = {"x": list("aabb"), "y": list("cdef")}
    step = next(Run(make_task(columns, 2), Stepwise(), RunContext(1, watched=True)))
    chosen, *others = step.lesson.choice.candidates
    assert (chosen.chosen, chosen.note) == (True, "largest 2")
    assert [(each.chosen, each.note) for each in others] == [(False, "largest 1")] * len(others)
    assert others
    assert all(each.score <= chosen.score for each in others)


def test_drawn_strings_make_classes_too_and_end_with_the_roots() -> None:
    rng = np.random.default_rng(3)
    columns = {f"x{i}": rng.integers(0, 6, 200).astype(str).tolist() for i in range(8)}
    task = make_task(columns, 3)
    few, many = (grouping(task, tests=tests) for tests in (4, 40))
    assert np.bincount(few.labels).min() >= 3
    assert few.search["tested"] <= 5
    assert len(np.unique(many.labels)) > len(np.unique(few.labels))
    assert np.array_equal(grouping(task, tests=40).labels, many.labels)


def test_a_long_way_without_a_class_still_has_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepwise, "_WORK", 10)
    columns = {"x": [f"a{i}" for i in range(9)], "y": [f"b{i}" for i in range(9)]}
    steps = list(Run(make_task(columns, 3), Stepwise()))
    assert any("makes a class" in step.sentence for step in steps)
    assert steps[0].counters["placed"] == 0
    assert steps[-1].counters["placed"] == 9
