"""Anytime search: answers, bounds and proofs against all strings, budgets, threads, cancelling."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms.anytime import AnytimeSearch
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import Grouping, RunContext, Task
from tests.core.algorithms.test_objective import measured
from tests.core.algorithms.twins.full_domain import Levels
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
        optimum, sign = min(strings.values()), -1 if objective in ("rv", "classes") else 1
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


def test_the_budget_is_kept_and_gives_the_same_answer_every_time() -> None:
    task, _ = measured(3, required=False)
    for tests in (5, 25, 20_000):
        answers = [solve(task, objective="loss", tests=tests) for _ in range(2)]
        assert len({(each.levels, repr(each.search)) for each in answers}) == 1
        assert answers[0].search["tested"] <= tests + 4 * len(task.quasi) ** 2


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
        assert loss == pytest.approx(step.facts["best_value"])
        assert step.facts["bound"] <= min(one["loss"] for one in strings.values()) + 1e-9
        assert kept.search["gap"] == step.facts["gap"]
        best = loss
