"""Anytime search: answers, bounds and proofs against all strings, budgets, threads, cancelling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.high_dimension import generated
from kanon_tui.core.algorithms.anytime import AnytimeSearch
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.twins.full_domain import Levels
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.lattice import within_budget
from kanon_tui.core.lattice.pre_pruning import lowest_levels
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.within_budget import MOST_TESTS, TESTS, Budget, Proof
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.task.task import Grouping, RunContext, Task
from tests.core.algorithms.test_objective import measured
from tests.tries import tries

OBJECTIVES = ("rv", "ncp", "il", "classes", "loss")


def figures(seed: int, required: bool, objective: str) -> tuple[Task, dict[Levels, float]]:
    """Return every passing string with its figure, less being better."""
    task, strings = measured(seed, required)
    if objective != "rv":
        scale = task.n * len(task.quasi) if objective == "il" else 1
        return task, {levels: scale * one[objective] for levels, one in strings.items()}
    values = [level_research_values(attribute) for attribute in task.quasi]
    return task, {
        levels: -float(sum(own[level] for own, level in zip(values, levels, strict=True)))
        for levels in strings
    }


def solve(task: Task, **parameters: object) -> Grouping:
    grouping = Run(task, AnytimeSearch(**parameters)).finish()  # type: ignore[arg-type]
    assert grouping is not None
    return grouping


@pytest.mark.slow
@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize("seed", range(tries(12)))
def test_proofs_and_bounds_hold_against_all_strings(seed: int, required: bool) -> None:
    for objective in OBJECTIVES:
        task, strings = figures(seed, required, objective)
        if not strings:
            with pytest.raises(NotReachedError):
                Run(task, AnytimeSearch(objective=objective)).finish()
            continue
        optimum = min(strings.values())
        sign = -1 if objective in ("rv", "classes") else 1
        for tests in (1, 7, 40, 20_000):
            try:
                grouping = solve(task, objective=objective, tests=tests)
            except NotReachedError:
                assert required  # nothing that was tested passes
                assert tests < 20_000
                continue
            assert grouping.levels is not None
            search = grouping.search
            close = 1e-7 * max(1, abs(optimum))
            assert strings[grouping.levels] == pytest.approx(sign * search["best_value"], abs=close)
            assert sign * search["bound"] <= optimum + close, (objective, tests)
            if search["gap"] == 0:
                assert strings[grouping.levels] <= optimum + close, (objective, tests)
                assert "proven optimal" in grouping.notes[0]
            else:
                assert "not proven" in grouping.notes[0]
            assert tests < 20_000 or search["gap"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(tries(2)))
def test_a_proof_without_descents_finds_the_optimum_of_larger_lattices(
    seed: int, share: float
) -> None:
    """Six attributes of three or four levels: boxes are barred, divided, put back and tested."""
    task = replace(generated(400, (9, 9, 8, 6, 6, 4), seed=seed), privacy=Privacy(5, share))
    for objective in OBJECTIVES:
        exact = Run(task, GlobalSearch(objective=objective)).finish()
        assert exact is not None
        search = Search(task, RunContext(), lowest_levels(task)[0], objective=objective)
        sign = -1 if objective in ("rv", "classes") else 1
        proof = Proof(search, Budget(20_000))
        optimum = exact.search["best_value"]
        before = np.inf
        for _ in proof.run():
            assert proof.bound <= before  # it only closes
            before = proof.bound
            limit = search.objective.figure(max(proof.bound, search.best_value))
            assert sign * limit <= sign * optimum + 1e-9, objective
        assert proof.bound == -np.inf
        assert search.objective.figure(search.best_value) == pytest.approx(optimum), objective


def test_the_budget_is_kept_and_gives_the_same_answer_every_time() -> None:
    task, _ = measured(3, required=False)
    for tests in (5, 25, 20_000):
        answers = [solve(task, objective="loss", tests=tests) for _ in range(2)]
        assert len({(each.levels, repr(each.search)) for each in answers}) == 1
        assert answers[0].search["tested"] <= tests + 4 * len(task.quasi) ** 2


def test_the_bound_on_classes_is_never_more_than_the_records_allow() -> None:
    task = generated(600, [8, 9, 8, 9, 8, 9])
    grouping = solve(task, objective="classes", tests=20)
    assert 0 < grouping.search["bound"] <= task.n // task.k + 1e-6
    assert grouping.search["gap"] < 1


def test_a_time_limit_ends_the_search_with_an_answer() -> None:
    task, strings = measured(5, required=False)
    grouping = solve(task, objective="loss", tests=10**9, seconds=1e-9)
    assert grouping.levels in strings


def test_cancel_keeps_the_best_string_and_its_gap() -> None:
    task, strings = measured(3, required=False)
    run = Run(task, AnytimeSearch(objective="loss"), RunContext(1))
    best = 1.0
    while (step := next(run, None)) is not None:
        if step.keep is None:
            continue
        kept = step.keep()
        assert kept.levels is not None
        loss = strings[kept.levels]["loss"]
        assert loss == pytest.approx(min(loss, best))
        assert loss == pytest.approx(step.event.standing.best_value)
        assert step.event.standing.bound <= min(one["loss"] for one in strings.values()) + 1e-9
        assert kept.search["gap"] == step.event.standing.gap
        best = loss


def test_an_automatic_budget_follows_the_pace_of_the_gap() -> None:
    def stops_after(gap_after: Callable[[int], float], budget: Budget) -> int:
        while not budget.spent:
            budget.spend(1000)
            if budget.is_due:
                budget.look(gap_after(budget.used))
        return budget.used

    closing = Budget(None)
    assert stops_after(lambda used: 0.5 ** (used / 40_000), closing) == MOST_TESTS
    assert "stopped after 300,000 tests" in closing.notes()[0]
    slow = Budget(None)
    assert stops_after(lambda used: 0.7 - used / 10**6, slow) == TESTS
    assert "stopped after 100,000 tests" in slow.notes()[0]
    assert slow.planned == TESTS
    stuck = Budget(None)
    assert stops_after(lambda used: max(0.5 ** (used / 40_000), 0.1), stuck) == 175_000
    for gap in (0.0, 1.0):  # a number that was asked for is kept
        asked = Budget(150_000)
        assert stops_after(lambda _: gap, asked) == 150_000  # noqa: B023
        assert asked.notes() == ()


@pytest.mark.parametrize(("stretch", "last"), [(20, "go on."), (2, "stop.")])
def test_a_search_says_that_it_went_on_and_why_it_stopped(
    monkeypatch: pytest.MonkeyPatch, stretch: int, last: str
) -> None:
    for name, tests in (("TESTS", 4 * stretch), ("MOST_TESTS", 100_000), ("_STRETCH", stretch)):
        monkeypatch.setattr(within_budget, name, tests)
    task = replace(generated(400, (9, 9, 8, 6, 6, 4)), privacy=Privacy(5, 0.05))
    run = Run(task, AnytimeSearch(objective="loss"))
    steps = list(run)
    assert run.grouping is not None
    looks = [step for step in steps if "by its pace" in step.sentence]
    assert looks[-1].sentence.endswith(last)
    gap = run.grouping.search["gap"]
    notes = run.grouping.notes
    if last == "go on.":
        assert gap == 0
        assert "went on after 80 tests" in notes[1]
        assert all(step.progress is not None and step.progress < 0.01 for step in looks)
    else:
        assert looks[-1].event.gap == pytest.approx(gap)
        assert "stopped after" in notes[1]
        assert f"the gap would be {looks[-1].event.expected:.1%}" in notes[1]
