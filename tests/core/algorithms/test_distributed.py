"""Distributed search: the answer of exhaustive search from parts, here and in processes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from kanon_tui.core.algorithms import distributed
from kanon_tui.core.algorithms.distributed import DistributedSearch
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.twins.full_domain import best, passing
from kanon_tui.core.lattice.parts import Pair, Part, split
from kanon_tui.core.lattice.strings import Lattice
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.processes.workers import Processes
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task
from tests.tries import tries


def solve(task: Task, decisions: int = FULL_SPEED, **parameters: int) -> Grouping:
    grouping = Run(task, DistributedSearch(**parameters), RunContext(decisions)).finish()
    assert grouping is not None
    return grouping


def many_attributes(attributes: int, n: int = 400, share: float = 0.0, seed: int = 0) -> Task:
    """Trees of three levels over up to eight values, with values of their own."""
    rng = np.random.default_rng(seed)
    columns = {}
    specs = {}
    for x in range(attributes):
        values = int(rng.integers(2, 9))
        chances = 1 / np.arange(1, values + 1) ** 1.5
        drawn = rng.choice(values, n, p=chances / chances.sum())
        drawn[: 6 * values] = np.repeat(np.arange(values), 6)
        columns[f"a{x:02}"] = [f"v{i}" for i in rng.permutation(drawn)]
        tree = {f"v{i}": [f"h{i // 3}"] for i in range(values)}
        value = float(rng.integers(10, 1000)) / 1000
        specs[f"a{x:02}"] = AttributeSpec(
            hierarchy={"levels": tree}, rv=(value, value / 2, 0.0) if values > 3 else None
        )
    return make_task(columns, 3, specs, max_suppression=share)


@pytest.mark.slow
@pytest.mark.parametrize("part", [2, 5, 4096])
@pytest.mark.parametrize("seed", range(tries(30)))
def test_answer_is_the_optimum_of_exhaustive_search(seed: int, part: int) -> None:
    task = searchable_task(seed)
    grouping = solve(task, part=part)
    assert grouping.levels == best(task, passing(task))
    search = grouping.search
    assert search["strings"] == search["pruned"] + search["tested"]
    assert search["remaining"] == 0


@pytest.mark.parametrize("few", [10, 1_000_000])
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_parts_that_are_combined_two_by_two(
    few: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "_FEW_COMBINATIONS", few)
    for seed in range(4):
        task = many_attributes(8, share=share, seed=seed)
        expected = Run(task, GlobalSearch()).finish()
        assert expected is not None
        assert solve(task, part=10).levels == expected.levels
        assert solve(task, part=10, memory=1).levels == expected.levels


def test_step_by_step_shows_what_each_part_does() -> None:
    task = many_attributes(5, seed=1)
    run = Run(task, DistributedSearch(part=9), RunContext(1))
    steps = list(run)
    told = [step.sentence for step in steps if step.kind == "part"]
    assert [sentence.split(":")[0] for sentence in told] == [
        "Part a00, a01",
        "Part a02, a03",
        "Part a04",
    ]
    for step in steps:
        c = step.counters
        assert c["generated"] == c["pruned"] + c["tested"] + c["remaining"]
    assert run.grouping is not None
    assert run.grouping.levels == solve(task, part=9).levels


def test_split_keeps_the_order_and_the_limit() -> None:
    assert split([7, 5, 1, 5, 2, 2], 40) == [(0, 1), (3, 4, 5)]
    assert split([3, 3, 3, 3, 3], 9) == [(0, 1), (2, 3), (4,)]
    assert split([6, 2, 2], 4) == [(0,), (1, 2)]
    assert split([1, 1], 10) == []
    assert split([4, 1, 2], 100) == [(0, 2)]


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_pairs_are_the_combinations_worth_enough(most: int) -> None:
    rng = np.random.default_rng(most)
    space = Lattice((0, 0, 0), (2, 3, 2), [rng.integers(0, 9, n) / 10 for n in (3, 4, 3)])
    one = Part.from_codes(space, (0, 2), space.strings((0, 2))[0])
    other = Part.from_codes(space, (1,), space.strings((1,))[0])
    for least in (-1.0, 0.95, 1.35, 9.0):
        pair = Pair(one, other, least, most)
        lists = list(pair.lists(space))
        codes = [space.levels(code) for part, _ in lists for code in part]
        everything = [space.levels(code) for code in space.strings()[0]]
        worth = [s for s in everything if space.worth(np.array([space.code(s)]))[0] >= least]
        assert sorted(codes) == sorted(worth)
        assert pair.count(space) == len(worth)
        assert all(len(part) <= max(most, len(other.codes)) for part, _ in lists)


def test_a_space_far_beyond_memory() -> None:
    """10^13 strings; the twin looks only at the two attributes that can be shown at all."""
    rng = np.random.default_rng(3)
    n = 600
    columns = {f"a{x:02}": [f"v{i}" for i in rng.permutation(n) // 2] for x in range(24)}
    tree = {f"v{i}": [f"w{i // 2}", f"x{i // 4}"] for i in range(n // 2)}
    specs = {
        name: AttributeSpec(hierarchy={"levels": tree}, rv=(x / 100, x / 200, x / 300, 0.0))
        for x, name in enumerate(columns, start=1)
    }
    task = make_task(columns, 2, specs)
    grouping = solve(task, memory=20)
    assert grouping.levels == (*(3,) * 23, 0)
    assert grouping.search["tested"] < 20_000


@pytest.mark.slow
def test_processes_give_the_same_answer_and_show_their_parts() -> None:
    task = many_attributes(7, seed=5)
    run = Run(task, DistributedSearch(part=9, workers=2))
    kinds = {step.kind for step in run}
    assert run.grouping is not None
    alone = solve(task, part=9, workers=1)
    assert run.grouping.levels == alone.levels
    assert run.grouping.search["strings"] == alone.search["strings"]
    assert run.grouping.search["tested"] == alone.search["tested"]
    assert "wait" in kinds


def test_cancel_ends_the_processes_at_once_also_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[Processes] = []
    begin = Processes.__init__

    def remember(self: Processes, *arguments: object) -> None:
        begin(self, *arguments)  # type: ignore[arg-type]
        started.append(self)

    monkeypatch.setattr(Processes, "__init__", remember)
    kept: list[Grouping | None] = []

    def cancelled() -> None:
        run = Run(many_attributes(7, seed=5), DistributedSearch(part=9, workers=2))
        while not started:
            next(run)
        kept.append(run.cancel())

    thread = threading.Thread(target=cancelled)
    thread.start()
    thread.join()
    assert kept[0] is not None
    assert "not proven optimal" in kept[0].notes[0]
    assert all(helper.poll() is not None for helper in started[0]._helpers)


def test_more_passing_strings_than_memory_leave_the_best_known_with_its_gap() -> None:
    rng = np.random.default_rng(0)
    columns = {f"a{x:02}": [f"v{i}" for i in rng.integers(0, 2, 64) * 0] for x in range(3)}
    columns |= {f"b{x:02}": [f"v{i}" for i in (0, 1)] * 32 for x in range(16)}
    task = make_task(columns, 2)
    grouping = solve(task, part=65536, memory=1)
    assert grouping.levels == (0,) * 19
    assert grouping.search["gap"] == 0
    assert any("raise memory" in note for note in grouping.notes)
