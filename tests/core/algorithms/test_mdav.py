"""MDAV and other classes of few squares: slow twins, what refining lowers, and what steps tell."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_tui.core.algorithms.euclidean import Euclidean
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.mdav import Mdav
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.algorithms.top_down import TopDown
from kanon_tui.core.algorithms.twins.mdav import mdav, scores
from kanon_tui.core.clustering.clustering import Clustering, NumericClustering
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Run, RunStep
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task
from tests.tries import tries


def grouping(task: Task, algorithm: Clustering, decisions: int = FULL_SPEED) -> Grouping:
    found = Run(task, algorithm, RunContext(decisions)).finish()
    assert found is not None
    return found


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
        assert [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)] == mdav(task)
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


def k_member_twin(task: Task) -> list[list[int]]:
    """Clusters around means, by looking at every record."""
    points = scores(task)

    def best(costs: np.ndarray) -> int:
        return int(np.flatnonzero(costs < costs.min() + 1e-9)[0])

    def away(records: list[int], middle: np.ndarray) -> np.ndarray:
        return np.asarray(((points[records] - middle) ** 2).sum(axis=1))

    left = list(range(task.n))
    last = int(np.random.default_rng(task.seed).integers(task.n))
    found: list[list[int]] = []
    while len(left) >= task.k:
        last = left.pop(best(-away(left, points[last])))
        found.append([last])
        while len(found[-1]) < task.k:
            last = left.pop(best(away(left, points[found[-1]].mean(axis=0))))
            found[-1].append(last)
    for record in left:
        grown = [len(c) / (len(c) + 1) * away([record], points[c].mean(axis=0))[0] for c in found]
        found[best(np.array(grown))].append(record)
    return [sorted(c) for c in found]


@pytest.mark.slow
def test_k_member_by_squares_equals_its_twin() -> None:
    for seed in range(tries(40)):
        task = numeric(seed, records=30 + seed, k=2 + seed % 4)
        run = Run(task, KMember(objective="sse"))
        found = run.finish()
        assert found is not None
        labels = found.labels
        assert [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)] == (
            k_member_twin(task)
        ), seed
        assert run.last is not None
        assert run.last.counters["sse"] == pytest.approx(squares(task, labels))
        watched = grouping(task, KMember(objective="sse"), 1)
        assert np.array_equal(watched.labels, labels)


@pytest.mark.parametrize("algorithm", [KMember, TopDown, Euclidean])
def test_an_objective_of_squares_loses_less_and_is_what_refining_betters(
    algorithm: type[NumericClustering],
) -> None:
    lost = []
    for options in ({}, {"objective": "sse"}, {"objective": "sse", "refine": True}):
        found = [grouping(numeric(seed), algorithm(**options)) for seed in range(6)]
        lost.append(sum(squares(numeric(seed), each.labels) for seed, each in enumerate(found)))
        assert ("refine" in options) == (found[0].search.get("refine_by") == "sse")
    assert lost == sorted(lost, reverse=True)


@pytest.mark.parametrize("algorithm", [KMember, TopDown, Euclidean])
def test_an_objective_of_squares_refuses_categories(algorithm: type[NumericClustering]) -> None:
    task = make_task({"age": [1, 2, 3, 4], "city": list("aabb")})
    with pytest.raises(InputError, match=r"objective is sse.*city is a category"):
        grouping(task, algorithm(objective="sse"))


def test_squares_know_no_class_penalty() -> None:
    task = make_task({"age": [1, 2, 3, 4]})
    with pytest.raises(InputError, match="class_penalty"):
        grouping(task, KMember(objective="sse", class_attribute="age", class_penalty=1.0))


def test_steps_of_squares_tell_the_squares_added() -> None:
    task = make_task({"x": [0, 0, 4, 8]}, k=2)
    steps = list(Run(task, KMember(objective="sse"), RunContext(1)))
    # The standard deviation is √11, and two records at distance d have squares of d² / 2.
    assert [step.event.score for step in steps[1::2]] == pytest.approx([0.0, 16 / 2 / 11])
    assert "standard deviations" in " ".join(steps[1].lesson.choice.formula)


def test_ranges_in_standard_deviations_are_reckoned_as_told() -> None:
    task = make_task({"x": [0, 0, 4, 8]}, k=2)
    steps = list(Run(task, Euclidean(objective="sse"), RunContext(1)))
    formula = steps[0].lesson.choice.formula
    assert "standard deviation" in formula[0]
    assert "(4 − 0) / 3.317 = 1.206" in formula[1]


def test_missing_numbers_go_together() -> None:
    task = make_task({"age": ["20", "21", "22", "", "", "90"], "sex": list("mmmfff")}, k=2)
    labels = grouping(task, Mdav()).labels
    assert labels[3] == labels[4]
    assert labels[0] != labels[3]


def test_steps_name_the_records_that_classes_are_around() -> None:
    task = make_task({"x": [1, 2, 50, 51, 100, 101]}, k=2)
    steps: list[RunStep] = list(Run(task, Mdav(), RunContext(1)))
    assert [step.kind for step in steps] == ["close", "close", "rest"]
    assert "Record 6" in steps[0].sentence
    assert "Record 1" in steps[1].sentence
    assert "furthest from record 6" in steps[1].sentence
    assert steps[-1].counters["clusters"] == 3
    assert steps[-1].progress == 1.0
