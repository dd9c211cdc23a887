"""Every algorithm goes through one list of checks, on every kind of table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.lessons.telling import lesson_of
from kanon_tui.core.pipeline.run import Run, RunStep, State, conclude
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.task import FULL_SPEED, Family, Grouping, RunContext, Task
from tests.helpers import make_task

NAMES = list(ALGORITHMS)


def mixed(n: int = 60, k: int = 3, seed: int = 1) -> Task:
    """Numbers, a date, categories with and without hierarchy, missing values, duplicates, rules."""
    rng = np.random.default_rng(seed)
    age = [str(a) if rng.random() > 0.05 else "?" for a in rng.integers(18, 70, n)]
    born = [f"19{50 + y}-0{1 + y % 9}-1{y % 9}" for y in rng.integers(0, 40, n)]
    colour = rng.choice(["red", "green", "blue", "[/]"], n).tolist()
    city = rng.choice(["Wichita", "Topeka", "Lincoln", "Omaha"], n).tolist()
    one = ["same"] * n
    illness = rng.choice(["flu", "cold", "none"], n).tolist()
    states = {"Wichita": "Kansas", "Topeka": "Kansas", "Lincoln": "Nebraska", "Omaha": "Nebraska"}
    specs = {
        "age": AttributeSpec(kind=Kind.NUMERIC, rules=RuleTable(1.0, (Boundary("40", "41", 5.0),))),
        "born": AttributeSpec(kind=Kind.DATE),
        "colour": AttributeSpec(rules=RuleTable(0.0, (Apart(("red",), ("green", "blue"), 2.0),))),
        "city": AttributeSpec(
            hierarchy={"levels": {city: [state] for city, state in states.items()}},
            magvals=("Kansas",),
        ),
        "illness": AttributeSpec(role=Role.SENSITIVE),
    }
    columns = {
        "age": age, "born": born, "colour": colour, "city": city, "one": one, "illness": illness,
    }  # fmt: skip
    return make_task(columns, k, specs, seed=seed)


def duplicates(n: int = 40, k: int = 4) -> Task:
    rng = np.random.default_rng(3)
    return make_task(
        {"a": rng.integers(0, 3, n).tolist(), "b": rng.choice(["x", "y"], n).tolist()}, k
    )


TABLES: dict[str, Callable[[], Task]] = {
    "mixed": mixed,
    "duplicates": duplicates,
    "k = 1": lambda: mixed(20, 1),
    "n = k": lambda: mixed(25, 25),
    "one attribute": lambda: make_task({"a": list(range(11))}, 3),
    "all alike": lambda: make_task({"a": [5] * 9, "b": ["x"] * 9}, 2),
    "all missing": lambda: make_task(
        {"a": ["?"] * 6, "b": [1, 2, 3, 4, 5, 6]}, 2, {"a": AttributeSpec(kind=Kind.NUMERIC)}
    ),
}


def run(name: str, task: Task, decisions: int = FULL_SPEED) -> Run:
    return Run(task, ALGORITHMS[name](), RunContext(decisions))


def same(first: Grouping, second: Grouping) -> bool:
    cells = (first.suppressed_cells, second.suppressed_cells)
    return (
        bool((first.labels == second.labels).all())
        and first.levels == second.levels
        and ((cells[0] is None) == (cells[1] is None))
        and (cells[0] is None or bool((cells[0] == cells[1]).all()))
    )


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", NAMES)
def test_release_verifies_on_every_kind_of_table(name: str, table: str) -> None:
    task = TABLES[table]()
    made = run(name, task)
    if name == "gcka" and table == "n = k":  # every MAGVal group is smaller than k: it says so
        with pytest.raises(NotReachedError, match="suppress"):
            conclude(made)
        return
    result = conclude(made)
    quasi = [attribute.name for attribute in task.quasi]
    assert smallest_class(result.table, quasi) >= task.k
    assert result.table.height == task.n - result.measures.suppressed_records


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_answer_at_any_pace_and_input_untouched(name: str) -> None:
    task = mixed()
    before = task.codes.copy()
    whole = run(name, task).finish()
    stepped = run(name, task, decisions=1).finish()
    batches = run(name, task, decisions=7).finish()
    assert whole is not None
    assert stepped is not None
    assert batches is not None
    assert same(whole, stepped)
    assert same(whole, batches)
    assert (task.codes == before).all()


@pytest.mark.parametrize("name", NAMES)
def test_steps_are_sentences_and_counters_add_up(name: str) -> None:
    made = run(name, mixed(), decisions=1)
    for step in made:
        assert step.sentence
        assert step.sentence[0].isupper() or not step.sentence[0].isalpha()
        assert step.sentence.endswith((".", "!"))
        assert step.progress is None or 0 <= step.progress <= 1
        if made.algorithm.family is Family.FULL_DOMAIN:
            c = step.counters
            assert c["generated"] == c["pruned"] + c["tested"] + c["remaining"]
    assert made.steps


def what_is_said(step: RunStep) -> tuple[str, str, dict[str, float]]:
    return lesson_of(step.event, step.task).sentence, repr(step.event), dict(step.counters)


@pytest.mark.slow
@pytest.mark.parametrize("decisions", [1, 7])
@pytest.mark.parametrize("required", [(), (DistinctLDiversity(3, "illness"),)])
@pytest.mark.parametrize("name", NAMES)
def test_what_was_yielded_never_changes(
    name: str, required: tuple[PrivacyModel, ...], decisions: int
) -> None:
    task = mixed()
    task = replace(task, privacy=replace(task.privacy, requirements=required))
    steps = []
    said = []
    kept = {}
    with suppress(NotReachedError):  # local may find nothing but the roots
        for number, step in enumerate(run(name, task, decisions)):
            steps.append(step)
            said.append(what_is_said(step))
            if step.keep is not None and number % 3 == 0:  # the others are asked at the end alone
                kept[number] = step.keep()
    assert [what_is_said(step) for step in steps] == said
    for number, before in kept.items():
        keep = steps[number].keep
        assert keep is not None
        assert same(keep(), before)
        assert (keep().search, keep().notes) == (before.search, before.notes)
    for step in steps:
        if step.keep is not None and "clusters" in step.counters:
            assert step.keep().labels.max() + 1 == step.counters["clusters"]


@pytest.mark.parametrize("name", NAMES)
def test_cancel_at_any_step_keeps_only_what_verifies(name: str) -> None:
    task = mixed()
    total = sum(1 for _ in run(name, task, decisions=1))
    for stop in sorted({0, 1, total // 2, total - 1}):
        made = run(name, task, decisions=1)
        for _ in range(stop):
            next(made)
        kept = made.cancel()
        assert made.state is State.CANCELLED
        assert next(made, None) is None
        if kept is not None:
            quasi = [attribute.name for attribute in task.quasi]
            assert smallest_class(recode(task, kept).frame, quasi) >= task.k
            assert kept.notes, "a reader must see that the run was stopped early"


@pytest.mark.parametrize("name", NAMES)
def test_it_describes_itself(name: str) -> None:
    algorithm = ALGORITHMS[name]
    assert algorithm.name == name
    assert algorithm.title
    assert algorithm.paper
    assert len(algorithm.summary) > 30
    for parameter in fields_of(algorithm):
        assert parameter.help
        assert parameter.parse(parameter.text(parameter.default), name) == parameter.default
