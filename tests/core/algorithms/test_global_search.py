"""Global search: the optimum of exhaustive search, whatever the research values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.twins.full_domain import best, passing, roots, rv
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Run, State
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task
from tests.tries import tries

CANCELLED = 11  # a task whose search meets several passing strings


def solve(task: Task, decisions: int = FULL_SPEED, **parameters: int) -> Grouping:
    grouping = Run(task, GlobalSearch(**parameters), RunContext(decisions)).finish()
    assert grouping is not None
    return grouping


def flat_task(weights: tuple[float, ...], rows: list[tuple[object, ...]], k: int = 2) -> Task:
    names = [f"a{x}" for x in range(len(weights))]
    specs = {
        name: AttributeSpec(rv=(weight, 0.0)) for name, weight in zip(names, weights, strict=True)
    }
    columns = {name: [f"v{row[x]}" for row in rows] for x, name in enumerate(names)}
    return make_task(columns, k, specs)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(tries(80)))
def test_answer_is_the_optimum_of_exhaustive_search(seed: int) -> None:
    task = searchable_task(seed)
    strings = passing(task)
    grouping = solve(task)
    assert grouping.levels == best(task, strings)
    search = grouping.search
    assert search["answer"] == dict(zip((a.name for a in task.quasi), grouping.levels, strict=True))
    assert search["strings"] == search["pruned"] + search["tested"]
    assert search["remaining"] == 0
    for met in search["passing"]:
        levels = tuple(met["levels"].values())
        assert levels in strings
        assert met["rv"] == pytest.approx(rv(task, levels), abs=1e-12)
        assert met["roots"] == roots(task, levels)
    assert any(tuple(met["levels"].values()) == grouping.levels for met in search["passing"])
    assert search["passed"] == len(search["passing"])
    quasi = [a.name for a in task.quasi]
    assert smallest_class(recode(task, grouping).frame, quasi) >= task.k
    assert (grouping.labels < 0).sum() <= task.allowed_suppressed


@pytest.mark.parametrize("seed", range(300, 330))
def test_every_pace_gives_the_same_answer(seed: int) -> None:
    task = searchable_task(seed)
    whole = solve(task)
    for decisions in (1, 3):
        stepped = solve(task, decisions)
        assert stepped.levels == whole.levels
        assert stepped.labels.tolist() == whole.labels.tolist()
        assert stepped.search == whole.search


def test_ties_go_to_fewest_roots_and_then_the_smallest_level_vector() -> None:
    """Every pair of columns is unique, so exactly one attribute can be shown; two tie."""
    rows = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0), (1, 1, 1)]
    task = flat_task((0.5, 0.5, 0.2), rows, k=3)
    assert solve(task).levels == (0, 1, 1)
    nearly = flat_task((0.5, 0.5 + 5e-10, 0.2), rows, k=3)
    assert solve(nearly).levels == (0, 1, 1)
    apart = flat_task((0.5, 0.5 + 5e-9, 0.2), rows, k=3)
    assert solve(apart).levels == (1, 0, 1)


def test_a_more_general_string_may_be_worth_more() -> None:
    """Typed values that rise: dropping what is above a passing string would lose the optimum."""
    tree = {"x": ["l"], "y": ["l"], "z": ["r"]}
    spec = AttributeSpec(hierarchy={"levels": tree}, rv=(0.1, 0.2, 0.9))
    task = make_task({"a": ["x", "x", "y", "y", "z", "z"]}, 2, {"a": spec})
    run = Run(task, GlobalSearch(), RunContext(1))
    sentences = [step.sentence for step in run]
    assert sentences[1] == (
        "⟨a 2⟩ is more general, so it passes without a test, and is worth more: RV 0.9."
    )
    assert run.grouping is not None
    assert run.grouping.levels == (2,)
    assert run.grouping.search["tested"] == 1


def test_too_many_strings_are_refused_with_the_algorithms_that_can() -> None:
    columns = {f"a{x}": [f"v{i}" for i in (0, 0, 1, 1)] for x in range(30)}
    task = make_task(columns, 2)
    with pytest.raises(InputError, match=r"1,073,741,824 strings .* anytime.* distributed"):
        solve(task)


def test_a_space_of_forty_attributes_that_fits() -> None:
    """Two words per string; all but eight attributes have only their root."""
    rng = np.random.default_rng(0)
    columns: dict[str, list[object]] = {}
    for x in range(40):
        if x % 5:
            columns[f"a{x}"] = [f"u{i}" for i in range(60)]
        else:
            columns[f"a{x}"] = [f"v{i}" for i in rng.integers(0, 3, 60)]
    specs = {f"a{x}": AttributeSpec(rv=(0.1 + x / 100, 0.0)) for x in range(0, 40, 5)}
    task = make_task(columns, 2, specs)
    shown = replace(task, quasi=tuple(task.quasi[x] for x in range(0, 40, 5)))
    answer = best(shown, passing(shown))
    grouping = solve(task)
    assert grouping.levels is not None
    assert grouping.levels[::5] == answer
    assert len(grouping.notes) == 32
    assert "no level below its root passes alone" in grouping.notes[0]


def test_steps_tell_levels_class_verdict_value_and_prunings() -> None:
    task = make_task(
        {"a": ["x", "x", "y", "z"], "b": ["p", "p", "q", "q"]},
        2,
        {"a": AttributeSpec(hierarchy={"levels": {"x": ["x"], "y": ["w"], "z": ["w"]}})},
    )
    run = Run(task, GlobalSearch(), RunContext(1))
    steps = list(run)
    assert steps[0].sentence == "Drop level 0 of a: alone it leaves 2 records in groups below 2."
    tests = [step for step in steps if step.kind == "test"]
    assert tests[0].event.outcome.smallest == 2
    assert tests[0].sentence == (
        "⟨a 2, b 0⟩, the middle of the 4 strings left when sorted by RV, passes: its smallest "
        "class has 2 records; RV 0.5."
    )
    for step in steps:
        c = step.counters
        assert c["generated"] == c["pruned"] + c["tested"] + c["remaining"]
    assert run.grouping is not None
    assert run.grouping.levels == (1, 0)
    assert run.grouping.search["levels_dropped"] == {"a": 1}


def test_full_speed_steps_stand_for_many_decisions() -> None:
    task = searchable_task(5)
    single = sum(1 for _ in Run(task, GlobalSearch(), RunContext(1)))
    few = list(Run(task, GlobalSearch(), RunContext(4)))
    assert len(few) == single // 4
    assert all(step.event.decisions == 4 for step in few)


def test_cancel_keeps_the_best_passing_string_and_says_so() -> None:
    task = searchable_task(CANCELLED)
    strings = passing(task)
    total = sum(1 for _ in Run(task, GlobalSearch(), RunContext(1)))
    kept_levels = set()
    for stop in range(total + 1):
        run = Run(task, GlobalSearch(), RunContext(1))
        for _ in range(stop):
            next(run)
        last = run.last
        kept = run.cancel()
        assert run.state is State.CANCELLED
        if kept is None:
            assert last is None or last.counters["passed"] == 0
            continue
        proven = kept.search["gap"] == 0
        assert ("not proven optimal: at most" in kept.notes[0]) is not proven
        assert kept.search["bound"] >= max(rv(task, levels) for levels in strings) - 1e-9
        assert kept.levels in strings
        assert last is not None
        assert kept.search["tested"] == last.counters["tested"]
        assert len(kept.search["passing"]) == last.counters["passed"]
        kept_levels.add(kept.levels)
    assert best(task, strings) in kept_levels
    assert len(kept_levels) > 2


def test_what_a_step_keeps_does_not_change_when_the_run_goes_on() -> None:
    task = searchable_task(CANCELLED)
    steps = list(Run(task, GlobalSearch(), RunContext(1)))
    for step in steps:
        if step.keep is not None:
            assert len(step.keep().search["passing"]) == step.counters["passed"]


def test_a_table_smaller_than_k_says_what_would_help() -> None:
    task = make_task({"age": [1, 2, 3], "sex": ["f", "m", "f"]}, 2)
    hopeless = replace(task, privacy=Privacy(k=5))
    with pytest.raises(NotReachedError) as caught:
        solve(hopeless)
    message = str(caught.value)
    assert "all 3 records" in message
    assert "age, sex fail alone" in message
    assert "choose k of at most 3" in message


def test_a_release_that_hides_everything_says_what_stands_in_the_way() -> None:
    task = make_task({"a": ["u", "v", "v", "w"], "b": ["p", "q", "r", "s"]}, 2)
    grouping = solve(task)
    assert grouping.levels == (1, 1)
    (note,) = grouping.notes
    assert "a, b fail alone below their root" in note
    assert "level 0 of a, where 2 records stand in the way" in note
    assert "max_suppression 0.5 or k = 1" in note
    assert solve(make_task({"a": ["u", "v", "v", "w"]}, 2, max_suppression=0.5)).levels == (0,)


def test_long_lists_stay_exact() -> None:
    """They are pruned by widened failures, which must not take the optimum with them."""
    rng = np.random.default_rng(8)
    sizes = [2 + x % 3 for x in range(13)]
    columns = {f"a{x}": [f"v{i}" for i in rng.integers(0, s, 300)] for x, s in enumerate(sizes)}
    values = rng.integers(1, 9, 13) / 10
    specs = {n: AttributeSpec(rv=(float(v), 0.0)) for n, v in zip(columns, values, strict=True)}
    for share in (0.0, 0.03):
        task = make_task(columns, 3, specs, max_suppression=share)
        codes = np.column_stack([a.column.codes for a in task.quasi]).astype(np.int64)
        places = np.cumprod([1, *sizes[:-1]])
        found = []
        for string in np.ndindex(*(2,) * 13):
            shown = np.array(string) == 0
            keys = codes @ np.where(shown, places, 0)
            counts = np.unique(keys, return_counts=True)[1]
            if counts[counts < 3].sum() <= share * 300:
                found.append((sum(values[shown].tolist(), 0.0), sum(string), string))
        highest = max(value for value, _, _ in found)
        expected = min((r, s) for value, r, s in found if value >= highest - 1e-9)[1]
        assert solve(task).levels == expected
