from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.algorithms.udc_suppress import UdcSuppress
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.research_value import attribute_research_value
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.rules import Boundary, RuleTable
from kanon_tui.core.task.task import Task
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


def check_equal(task: Task, seed: int, objective: str = "release") -> int:
    """Clusters and hidden cells are those of the twin; how many cells are hidden."""
    grouping = grouping_of(task, UdcSuppress(objective=objective))
    twin = twins.HidingClusters(task, objective).run()
    assert clusters_of(grouping) == sorted_clusters(twin.clusters), seed
    assert grouping.suppressed_cells is not None
    assert (grouping.suppressed_cells == twin.hidden).all(), seed
    return int(twin.hidden.sum())


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["release", "cluster"])
def test_equals_its_twin_on_random_tables(objective: str) -> None:
    tasks = {seed: ruled_task(seed, most=22) for seed in range(tries(60))}
    assert sum(check_equal(task, seed, objective) for seed, task in tasks.items()) > 100


def test_equals_its_twin_where_the_tree_is_deep_and_grown_anew() -> None:
    assert sum(check_equal(ruled_task(seed, most=70), seed) for seed in range(4000, 4005)) > 5


def test_hiding_attribute_by_attribute_is_the_best_of_all_subsets() -> None:
    for seed in range(60):
        twin = twins.HidingClusters(ruled_task(seed, most=10))
        for small, other in combinations(twin.clusters, 2):
            terms = twin.terms(small, other)
            every = range(len(terms))
            best = max(
                sum(terms[x][side if x in hidden else 0] for x in every)
                for side in (1, 2)
                for size in range(len(terms) + 1)
                for hidden in combinations(every, size)
            )
            assert twin.trial(small, other)[0] == pytest.approx(best, abs=1e-8)


@pytest.mark.slow
def test_release_verifies_at_any_pace() -> None:
    for seed in range(60):
        check_shape(ruled_task(seed), UdcSuppress(objective=("release", "cluster")[seed % 2]))


@pytest.mark.slow
def test_running_research_value_is_that_of_the_release() -> None:
    compared = 0
    for seed in range(150):
        task = ruled_task(seed)
        run = Run(task, UdcSuppress())
        grouping = run.finish()
        assert grouping is not None
        assert grouping.suppressed_cells is not None
        release = released(task, grouping)
        same = len(release.class_sizes) == grouping.search["clusters"]
        if run.last and same and grouping.suppressed_cells.any():
            value = sum(attribute_research_value(cells) for cells in cells_of(release))
            assert run.last.counters["rv"] == pytest.approx(value, abs=1e-9)
            compared += 1
    assert compared > 20


def test_outlier_is_hidden_instead_of_stretching_a_class() -> None:
    # By hand: the only range of 90 joins ten records of age 20. Widening all to 20..90 would add
    # 11·71 - 11 to D, hiding the one cell adds 71 - 1.
    columns = {"age": [20] * 10 + [90], "sex": ["F"] * 11}
    task = make_task(columns, k=2)
    grouping = grouping_of(task, UdcSuppress())
    assert grouping.suppressed_cells is not None
    assert np.argwhere(grouping.suppressed_cells).tolist() == [[10, 0]]
    assert grouping.search["hidden_cells"] == 1
    frame = released(task, grouping).frame
    assert frame["age"].unique().to_list() == ["20*"]
    assert frame["sex"].unique().to_list() == ["F"]


def test_hidden_cells_print_alike_for_the_whole_class() -> None:
    columns = {"age": [20, 22, 22, 21, 20, 35, 35, 35, 90, 20], "sex": ["F"] * 10}
    task = make_task(columns, k=10)
    frame = released(task, grouping_of(task, UdcSuppress())).frame
    assert frame["age"].n_unique() == 1
    assert frame["age"][0].endswith("*")


def test_rule_is_kept_by_hiding() -> None:
    rule = RuleTable(0.0, (Boundary("64", "65", 1.0),))
    columns = {"age": [60, 60, 60, 66], "sex": ["F"] * 4}
    task = make_task(columns, k=2, specs={"age": AttributeSpec(rules=rule)})
    grouping = grouping_of(task, UdcSuppress())
    assert grouping.suppressed_cells is not None
    assert np.argwhere(grouping.suppressed_cells).tolist() == [[3, 0]]
    (step,) = steps_of(task, UdcSuppress())
    assert step.sentence == (
        "Cluster 2 (1 record, age 66) joins cluster 1 (3 records, age 60) and hides its "
        "age, as that keeps RV highest. They make 4 records, age 60; RV 1 → 0.7."
    )
    assert not cells_of(released(task, grouping))[0].broken.any()
    (plain,) = steps_of(task, Udc())
    assert plain.sentence.endswith(" The rule age 64 | 65 is broken.")


def test_leaves_at_least_as_much_research_value_where_there_are_outliers() -> None:
    rng = np.random.default_rng(3)
    income = np.round(rng.pareto(1.2, 400) * 100).astype(int)
    task = make_task({"income": income.tolist(), "age": rng.integers(20, 60, 400).tolist()}, k=5)
    values = []
    for algorithm in (Udc(), UdcSuppress()):
        run = Run(task, algorithm)
        run.finish()
        assert run.last is not None
        values.append(run.last.counters["rv"])
    assert values[1] > values[0]
