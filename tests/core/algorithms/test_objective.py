"""Every objective of the searches, against all strings measured one by one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.algorithms.twins.full_domain import (
    Levels,
    all_strings,
    class_members,
    loss,
    roots,
)
from kanon_tui.core.lattice.objective import LevelLosses
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import attribute_il, attribute_ncp
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.release.recode import recode
from kanon_tui.core.task.task import Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import must_go, with_requirements
from tests.helpers import make_task
from tests.tries import tries

EXACT = {
    "global": {},
    "hybrid": {},
    "distributed": {"part": 5},
    "incognito": {},
}


@cache
def measured(seed: int, required: bool) -> tuple[Task, dict[Levels, dict[str, float]]]:
    """Every passing string with its losses and classes, from the published cells."""
    task = searchable_task(seed)
    if required:
        task = with_requirements(task, seed)
    allowed = min(task.allowed_suppressed, task.n - 1)
    found = {}
    for levels in all_strings(task):
        gone = must_go(task, levels)
        if len(gone) > allowed:
            continue
        labels = np.empty(task.n, dtype=np.int32)
        for number, members in enumerate(class_members(task, levels)):
            labels[members] = number
        labels[list(gone)] = -1
        release = recode(task, Grouping(labels, levels=levels))
        cells = cells_of(release)
        found[levels] = {
            "ncp": sum(c.attribute.weight * attribute_ncp(c) for c in cells),
            "il": sum(attribute_il(c) for c in cells) / task.n / len(cells),
            "classes": -float(len(release.class_sizes)),
            "loss": loss(task, levels, gone),
        }
    return task, found


def least(task: Task, figures: dict[Levels, float]) -> Levels:
    lowest = min(figures.values())
    tied = [levels for levels, figure in figures.items() if figure <= lowest + 1e-9]
    return min(tied, key=lambda levels: (roots(task, levels), levels))


@pytest.mark.slow
@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize("seed", range(tries(10)))
def test_answers_are_the_optimum_of_exhaustive_search(seed: int, required: bool) -> None:
    task, strings = measured(seed, required)
    if not strings:
        return
    for objective in ("ncp", "classes", "il", "loss"):
        optimum = least(task, {levels: one[objective] for levels, one in strings.items()})
        for name, parameters in EXACT.items():
            algorithm = ALGORITHMS[name](objective=objective, **parameters)
            grouping = Run(task, algorithm).finish()
            assert grouping is not None
            assert grouping.levels == optimum, (name, objective)
            search = grouping.search
            assert search["strings"] == search["pruned"] + search["tested"], (name, objective)


@pytest.mark.parametrize("objective", ["ncp", "classes", "loss"])
def test_candidates_show_bounds_in_the_unit_of_the_objective(objective: str) -> None:
    compared = 0
    for seed in range(tries(10)):
        task, strings = measured(seed, required=False)
        steps = Run(task, ALGORITHMS["global"](objective=objective), RunContext(1, watched=True))
        for step in steps:
            if step.lesson.choice is None:
                continue
            chosen = next(each for each in step.lesson.choice.candidates if each.chosen)
            figures = strings.get(chosen.what.levels)
            if figures is not None:
                figure = -figures["classes"] if objective == "classes" else figures[objective]
                outside = figure - chosen.score if objective == "classes" else chosen.score - figure
                assert chosen.score >= 0
                assert outside < 1e-9
                compared += 1
    assert compared > 0


@pytest.mark.parametrize("objective", ["ncp", "classes", "il", "loss"])
def test_local_answers_with_the_best_string_it_met(objective: str) -> None:
    for seed in range(tries(10)):
        task, strings = measured(seed, required=False)
        made = ALGORITHMS["local"](objective=objective, accept_root=True)
        grouping = Run(task, made).finish()
        assert grouping is not None
        met = [tuple(one["levels"].values()) for one in grouping.search["passing"]]
        assert grouping.levels == least(task, {s: strings[s][objective] for s in met})


def test_datafly_raises_what_costs_least_of_the_objective() -> None:
    """Both have four values; a is worth more, so that b is raised first."""
    columns = {"a": ["p", "q", "r", "s"], "b": ["x", "y", "z", "w"]}
    task = make_task(columns, 2, weights="equal")
    for objective, first in (("values", "a"), ("ncp", "a")):
        steps = list(Run(task, Datafly(objective=objective), RunContext(1)))
        raised = next(step for step in steps if step.kind == "raise")
        assert task.quasi[raised.event.attribute].name == first
    wide = {"a": ["p", "q", "r", "s", "p", "q"], "b": ["x", "x", "y", "y", "z", "z"]}
    steps = list(Run(make_task(wide, 2), Datafly(objective="il"), RunContext(1)))
    raised = next(step for step in steps if step.kind == "raise")
    assert raised.sentence == "Raise a, which costs least by il, to level 1: 4 become 1."


def test_steps_say_what_a_string_is_worth_by_the_objective() -> None:
    task = make_task({"a": ["x", "x", "y", "y", "z"]}, 2, max_suppression=0.2)
    for objective, said in (("ncp", "NCP 0.2"), ("classes", "2 classes"), ("il", "IL 1")):
        made = ALGORITHMS["global"](objective=objective)
        sentences = [step.sentence for step in Run(task, made, RunContext(1))]
        assert any(sentence.endswith(f"RV 1, {said}.") for sentence in sentences), sentences


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ncp", "il"])
def test_no_suppression_loses_less_than_the_bound(metric: str) -> None:
    for seed in range(tries(30)):
        task = random_task(seed)
        rng = np.random.default_rng(seed)
        allowed = int(rng.integers(1, task.n + 1))
        for attribute in task.quasi:
            losses = LevelLosses(attribute, metric)
            bounds = losses.least(allowed)
            for _ in range(8):
                size = int(rng.integers(0, allowed + 1))
                suppressed = rng.choice(task.n, size, replace=False)
                for level in range(attribute.hierarchy.height + 1):
                    exact = losses.exactly(level, suppressed)
                    assert exact >= bounds[level] - 1e-12
                    if size == 0:
                        assert exact == pytest.approx(losses.without_suppression[level])
