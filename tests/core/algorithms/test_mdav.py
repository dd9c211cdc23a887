"""MDAV: a slow twin on random tables, the squares that refining lowers, and what steps tell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kanon_tui.core.algorithms.mdav import Mdav
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Step, Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task
from tests.tries import tries


def grouping(task: Task, algorithm: Clustering, decisions: int = FULL_SPEED) -> Grouping:
    found = Run(task, algorithm, RunContext(decisions)).finish()
    assert found is not None
    return found


def scores(task: Task) -> np.ndarray:
    """Standard scores of all records and numbers, by NumPy on the numbers themselves."""
    columns = []
    for attribute in task.quasi:
        if attribute.ordered:
            assert attribute.column.numbers is not None
            numbers = attribute.column.numbers[attribute.column.codes]
            present = numbers[~np.isnan(numbers)]
            if not len(present):
                columns.append(np.zeros(task.n))
                continue
            column = (numbers - present.mean()) / (present.std() or 1.0)
            far = 2 * np.nanmax(column) - np.nanmin(column)
            columns.append(np.where(np.isnan(column), far, column))
    return np.array(columns).reshape(-1, task.n).T


def twin(task: Task) -> list[list[int]]:
    """The classes, record by record."""
    numbers = scores(task)
    others = [a.column.codes.tolist() for a in task.quasi if not a.ordered]

    def away(i: int, middle: np.ndarray, labels: list[int]) -> float:
        differs = sum(own[i] != label for own, label in zip(others, labels, strict=True))
        return round(float(((numbers[i] - middle) ** 2).sum()) + 2.0 * differs, 9)

    def from_record(j: int) -> list[float]:
        return [away(i, numbers[j], [own[j] for own in others]) for i in range(task.n)]

    def nearest(left: list[int], distances: list[float]) -> list[int]:
        return sorted(sorted(left, key=lambda i: (distances[i], i))[: task.k])

    left, found = list(range(task.n)), []
    while len(left) >= 2 * task.k:
        counts = [Counter(own[i] for i in left) for own in others]
        common = [min(c, key=lambda label: (-c[label], label)) for c in counts]
        middle = numbers[left].mean(axis=0)
        r = max(left, key=lambda i: (away(i, middle, common), -i))
        from_r = from_record(r)
        s = max(left, key=lambda i: (from_r[i], -i))
        pairs = [(r, from_r), (s, from_record(s))] if len(left) >= 3 * task.k else [(r, from_r)]
        for _, distances in pairs:
            found.append(nearest(left, distances))
            left = [i for i in left if i not in found[-1]]
    return found + ([left] if left else [])


def squares(task: Task, labels: np.ndarray) -> float:
    """100 · SSE / SST, class by class."""
    points = scores(task)
    parts = [points[labels == c] for c in np.unique(labels)]
    return float(100 * sum(((p - p.mean(axis=0)) ** 2).sum() for p in parts) / points.size)


def numeric(seed: int, records: int = 60, k: int = 3) -> Task:
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": np.round(rng.lognormal(3, 1, records), 1).tolist() for i in range(3)}
    return make_task(columns, k=k)


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(tries(40)):
        task = random_task(seed)
        labels = grouping(task, Mdav()).labels
        assert [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)] == twin(task)
        assert np.array_equal(grouping(task, Mdav(), 1 + seed % 3).labels, labels)


@pytest.mark.parametrize("algorithm", [Mdav, Mondrian])
def test_refining_lowers_the_squares_to_the_figure_it_tells(algorithm: type[Clustering]) -> None:
    for seed in range(6):
        task = numeric(seed)
        before = squares(task, grouping(task, algorithm()).labels)
        run = Run(task, algorithm(refine=True, refine_by="sse"))
        after = run.finish()
        assert after is not None
        assert run.last is not None
        assert np.bincount(after.labels).min() >= task.k
        assert after.search["refine_start"] == pytest.approx(before)
        assert run.last.counters["sse"] == pytest.approx(squares(task, after.labels))
        assert run.last.counters["sse"] < before


def test_squares_are_about_numbers() -> None:
    task = make_task({"city": list("aabbcc")})
    with pytest.raises(InputError, match="refine_by is sse"):
        grouping(task, Mdav(refine=True, refine_by="sse"))


def test_missing_numbers_go_together() -> None:
    task = make_task({"age": ["20", "21", "22", "", "", "90"], "sex": list("mmmfff")}, k=2)
    labels = grouping(task, Mdav()).labels
    assert labels[3] == labels[4]
    assert labels[0] != labels[3]


def test_steps_name_the_records_that_classes_are_around() -> None:
    task = make_task({"x": [1, 2, 50, 51, 100, 101]}, k=2)
    steps: list[Step] = list(Run(task, Mdav(), RunContext(1)))
    assert [step.kind for step in steps] == ["close", "close", "rest"]
    assert "Record 6" in steps[0].sentence
    assert "Record 1" in steps[1].sentence
    assert "furthest from record 6" in steps[1].sentence
    assert steps[-1].counters["clusters"] == 3
    assert steps[-1].progress == 1.0
