from __future__ import annotations

import random

import pytest

from kanon_tui.core.algorithms.bottom_up import BottomUp
from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.pipeline.run import Run
from tests.core.algorithms.merging_checks import (
    check_shape,
    clusters_of,
    grouping_of,
    released,
    sorted_clusters,
    steps_of,
)
from tests.core.algorithms.ruled_tables import ruled_task
from tests.helpers import make_task
from tests.tries import tries


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(tries(70)):
        task = ruled_task(seed)
        expected = sorted_clusters(twins.bottom_up(task))
        assert clusters_of(grouping_of(task, BottomUp())) == expected, seed


def test_equals_its_twin_where_the_tree_is_deep_and_grown_anew() -> None:
    splits = 0
    for seed in range(10):
        task = ruled_task(2000 + seed, most=110)
        grouping = grouping_of(task, BottomUp())
        assert clusters_of(grouping) == sorted_clusters(twins.bottom_up(task)), seed
        splits += int(grouping.search["splits"])
    assert splits > 5


def test_sets_of_more_than_64_values_survive_a_split() -> None:
    rng = random.Random(1)
    present = [f"v{i:02}" for i in range(70)]
    values = [*present, *rng.choices(present[:9], k=40)]
    rng.shuffle(values)
    columns = {"value": values, "number": rng.choices(range(100), k=len(values))}
    task = make_task(columns, k=3)
    grouping = grouping_of(task, BottomUp())
    assert int(grouping.search["splits"]) > 0
    assert int(grouping.search["rounds"]) > 1
    assert clusters_of(grouping) == sorted_clusters(twins.bottom_up(task))


@pytest.mark.slow
def test_release_verifies_at_any_pace() -> None:
    for seed in range(60):
        check_shape(ruled_task(seed), BottomUp())


@pytest.mark.slow
def test_running_ncp_is_that_of_the_release() -> None:
    compared = 0
    for seed in range(120):
        task = ruled_task(seed)
        run = Run(task, BottomUp())
        grouping = run.finish()
        assert grouping is not None
        if run.last:
            cells = cells_of(released(task, grouping))
            ncp = sum(own.attribute.weight * attribute_ncp(own) for own in cells)
            assert run.last.counters["ncp"] == pytest.approx(ncp, abs=1e-9)
            compared += 1
    assert compared > 60


def test_round_by_round_by_hand() -> None:
    task = make_task({"age": [0, 1, 10, 12, 30, 34]}, k=3)
    *merges, split = steps_of(task, BottomUp())
    assert [(step.event.small.number + 1, step.event.other.number + 1) for step in merges] == [
        *[(1, 2), (3, 4), (5, 6)],  # a union waits for the next round, though still under k
        *[(2, 4), (6, 4)],  # 0 and 1 join 10 and 12, and those four are nearest to 30 and 34
    ]
    assert [step.counters["rounds"] for step in merges] == [1, 1, 1, 2, 2]
    # Six records are 2k. Seeds 0 and 34; 30 alone goes to 34, which then takes the nearest, 12.
    assert split.sentence == (
        "Split 6 records (age 0–34) around two that are far apart: 3 records (age 0–10) and "
        "3 records (age 12–34). NCP falls to 0.4706."
    )
    assert clusters_of(grouping_of(task, BottomUp())) == [[0, 1, 2], [3, 4, 5]]


def test_equal_records_are_never_split() -> None:
    task = make_task({"age": [5] * 20 + [6]}, k=2)
    grouping = grouping_of(task, BottomUp())
    assert clusters_of(grouping) == [list(range(21))]
    assert grouping.search["splits"] == 0
