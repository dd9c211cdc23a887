from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from kanon_tui.core.algorithms.bottom_up import BottomUp
from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.research_value import attribute_research_value, rules_kept
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.task import Algorithm, Task
from tests.core.algorithms.merging_checks import (
    check_shape,
    clusters_of,
    grouping_of,
    released,
    sorted_clusters,
    steps_of,
)
from tests.core.algorithms.ruled_tables import ruled_task
from tests.helpers import make_task, says
from tests.tries import tries


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["release", "cluster"])
def test_equals_its_twin_on_random_tables(objective: str) -> None:
    for seed in range(tries(50)):
        task = ruled_task(seed, most=24)
        expected = sorted_clusters(twins.udc(task, objective))
        assert clusters_of(grouping_of(task, Udc(objective=objective))) == expected, seed


def test_equals_its_twin_where_the_tree_is_deep_and_grown_anew() -> None:
    for seed in range(4):
        task = ruled_task(1000 + seed, most=90)
        expected = sorted_clusters(twins.udc(task, "release"))
        assert clusters_of(grouping_of(task, Udc())) == expected, seed


def test_sets_of_more_than_64_values() -> None:
    rng = random.Random(5)
    present = [f"v{i:02}" for i in range(66)]
    values = [*present, *rng.choices(present[:9], k=30)]
    rng.shuffle(values)
    columns = {"value": values, "x": rng.choices(range(8), k=96), "y": rng.choices(range(8), k=96)}
    task = make_task(columns, k=3)
    expected = sorted_clusters(twins.udc(task, "release"))
    assert clusters_of(grouping_of(task, Udc())) == expected


def test_more_than_64_rules() -> None:
    rng = random.Random(5)
    numbers = [rng.randrange(100) for _ in range(50)]
    boundaries = tuple(Boundary(str(low), str(low + 1), 1 + low % 3) for low in range(99))
    values = rng.choices([f"v{i:02}" for i in range(25)], k=50)
    aparts = tuple(Apart((a,), (b,), 1.0) for a, b in pairwise(sorted(set(values))))
    specs = {
        "number": AttributeSpec(rules=RuleTable(0.0, boundaries)),
        "value": AttributeSpec(rules=RuleTable(2.0, aparts)),
    }
    task = make_task({"number": numbers, "value": values}, k=4, specs=specs)
    expected = sorted_clusters(twins.udc(task, "release"))
    assert clusters_of(grouping_of(task, Udc())) == expected


@pytest.mark.slow
def test_release_verifies_at_any_pace() -> None:
    for seed in range(tries(25)):
        check_shape(ruled_task(seed), Udc())


@pytest.mark.slow
def test_running_research_value_is_that_of_the_release() -> None:
    compared = 0
    for seed in range(120):
        task = ruled_task(seed)
        run = Run(task, Udc())
        grouping = run.finish()
        assert grouping is not None
        release = released(task, grouping)
        if run.last and len(release.class_sizes) == grouping.search["clusters"]:
            value = sum(attribute_research_value(cells) for cells in cells_of(release))
            assert run.last.counters["rv"] == pytest.approx(value, abs=1e-9)
            compared += 1
    assert compared > 40


def test_takes_the_first_small_cluster_and_the_first_of_equals() -> None:
    # 0 is as far from 1 as 3 is from 2; the union of 3 records of 1 and 0 then has k.
    task = make_task({"age": [1, 0, 2, 3, 9, 9]}, k=2)
    first, second, *rest = steps_of(task, Udc())
    assert first.event.small.number + 1 == 1
    assert first.event.other.number + 1 == 2
    assert second.event.small.number + 1 == 3
    assert second.event.other.number + 1 == 4
    assert rest == []


def kept_share(task: Task, algorithm: Algorithm) -> float:
    """Mean share of records whose class keeps a rule."""
    release = released(task, grouping_of(task, algorithm))
    shares = [share for cells in cells_of(release) for share in rules_kept(cells)]
    return float(np.mean(shares))


@pytest.mark.parametrize("k", [3, 5, 10])
def test_keeps_more_rules_than_bottom_up(k: int) -> None:
    rng = np.random.default_rng(k)
    n = 600
    age = np.clip(rng.normal(50, 18, n).astype(int), 17, 90)
    race = rng.choice(["White", "Black", "Hispanic", "Asian"], n, p=[0.6, 0.2, 0.15, 0.05])
    specs = {
        "age": AttributeSpec(
            rules=RuleTable(10.0, (Boundary("64", "65", 25.0), Boundary("17", "18", 20.0)))
        ),
        "race": AttributeSpec(
            rules=RuleTable(
                0.0, (Apart(("White",), ("Black",), 20.0), Apart(("Hispanic",), ("Black",), 10.0))
            )
        ),
    }
    columns = {
        "age": age.tolist(),
        "race": race.tolist(),
        "income": rng.integers(10, 90, n).tolist(),
        "sex": rng.choice(["F", "M"], n).tolist(),
    }
    task = make_task(columns, k=k, specs=specs)
    assert kept_share(task, Udc()) > kept_share(task, BottomUp())


def test_sentences_tell_who_joins_whom_and_what_becomes_of_rules() -> None:
    specs = {"age": AttributeSpec(rules=RuleTable(0.0, (Boundary("64", "65", 5.0),)))}
    columns = {"age": [63, 64, 64, 66, 70, 66], "sex": ["F", "F", "F", "M", "M", "M"]}
    steps = steps_of(make_task(columns, k=2, specs=specs), Udc())
    first, second = steps
    says(first, "Cluster 1 (1 record, age 63) joins cluster 2 (2 records, age 64)", "score 0.8333")
    says(first, "cluster 4 with 0.375", "3 records, age 63–64", "RV 1 → 0.8333")
    says(first, "rule age 64 | 65 is kept; cluster 4 would have broken it")
    says(second, "Cluster 4 (1 record, age 70) joins cluster 3 (2 records, age 66)", "score 0.6429")
    says(second, "cluster 2 with 0.3", "3 records, age 66–70", "RV 0.8333 → 0.6429")
    says(second, "rule age 64 | 65 is kept; cluster 2 would have broken it")
    specs = {"age": AttributeSpec(rules=RuleTable(1.0, (Boundary("64", "65", 5.0),)))}
    task = make_task({"age": [64, 65]}, k=2, specs=specs)
    assert steps_of(task, Udc())[0].sentence.endswith(" The rule age 64 | 65 is broken.")


def test_hand_worked_choice_between_a_far_record_and_a_broken_rule() -> None:
    # Merging 64 with 65 would cost one unit of range but break the rule, 60 is four units away.
    columns = {"age": [64, 65, 65, 60, 60]}
    rule = RuleTable(0.0, (Boundary("64", "65", 1.0),))
    ruled = make_task(columns, k=2, specs={"age": AttributeSpec(rules=rule)})
    assert clusters_of(grouping_of(ruled, Udc())) == [[1, 2], [0, 3, 4]]
    free = make_task(columns, k=2)
    assert clusters_of(grouping_of(free, Udc())) == [[0, 1, 2], [3, 4]]


def test_k_of_1_merges_nothing_and_k_of_n_merges_all() -> None:
    columns = {"age": [3, 1, 3, 2], "sex": ["F", "M", "F", "?"]}
    grouping = grouping_of(make_task(columns, k=1), Udc())
    assert grouping.labels.tolist() == [0, 1, 0, 2]
    assert grouping.search == {"start_clusters": 3, "merges": 0, "clusters": 3}
    grouping = grouping_of(make_task(columns, k=4), Udc())
    assert grouping.labels.tolist() == [0, 0, 0, 0]


def test_more_k_than_records_is_refused() -> None:
    task = make_task({"age": [1, 2, 3]}, k=3)
    task = Task(task.table, task.quasi, task.sensitive, task.roles, Privacy(k=4))
    with pytest.raises(InputError, match=r"k is 4 but the table has only 3 records; choose k of"):
        next(Run(task, Udc()))
