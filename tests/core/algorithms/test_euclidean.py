from __future__ import annotations

import random

import pytest

from kanon_tui.core.algorithms.euclidean import Euclidean
from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from tests.core.algorithms.merging_checks import (
    check_shape,
    clusters_of,
    grouping_of,
    sorted_clusters,
    steps_of,
)
from tests.core.algorithms.ruled_tables import ruled_task
from tests.helpers import make_task, says


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(200):
        task = ruled_task(seed)
        expected = sorted_clusters(twins.euclidean(task))
        assert clusters_of(grouping_of(task, Euclidean())) == expected, seed


@pytest.mark.slow
def test_the_closest_two_equal_their_twin_on_random_tables() -> None:
    for seed in range(80):
        task = ruled_task(seed)
        expected = sorted_clusters(twins.closest(task))
        assert clusters_of(grouping_of(task, Euclidean(order="closest"))) == expected, seed
    for seed in range(20):
        check_shape(ruled_task(seed), Euclidean(order="closest"))


def test_morton_merges_the_closest_two_clusters_of_all() -> None:
    task = make_task({"age": [20, 29, 31, 60, 61]}, k=2)
    assert clusters_of(grouping_of(task, Euclidean())) == [[0, 1, 2], [3, 4]]
    first = steps_of(task, Euclidean(order="closest"))[0].sentence
    assert first.startswith("Cluster 4 (1 record, age 60) joins cluster 5 (1 record, age 61)")


def test_equals_its_twin_where_the_tree_is_deep_and_grown_anew() -> None:
    for seed in range(12):
        task = ruled_task(1000 + seed, most=150)
        expected = sorted_clusters(twins.euclidean(task))
        assert clusters_of(grouping_of(task, Euclidean())) == expected, seed


def test_ranges_that_differ_by_less_than_a_tie_but_not_nothing() -> None:
    for seed in range(80):
        rng = random.Random(seed)
        values = [f"{rng.randrange(3)}.{rng.randrange(12) * 3:010}" for _ in range(40)]
        columns = {"x": values, "y": [rng.randrange(2) for _ in values]}
        task = make_task(columns, k=3, specs={"x": AttributeSpec(kind=Kind.NUMERIC)})
        expected = sorted_clusters(twins.euclidean(task))
        assert clusters_of(grouping_of(task, Euclidean())) == expected, seed


@pytest.mark.slow
def test_release_verifies_at_any_pace() -> None:
    for seed in range(60):
        check_shape(ruled_task(seed), Euclidean())


def test_attribute_in_thousands_outweighs_all_others() -> None:
    columns = {"income": [1000, 1010, 1090, 1100], "age": [20, 90, 20, 90]}
    assert clusters_of(grouping_of(make_task(columns, k=2), Euclidean())) == [[0, 1], [2, 3]]


def test_weights_do_not_matter() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        columns = {"a": [rng.randrange(9) for _ in range(20)], "b": rng.choices("xyz", k=20)}
        equal = make_task(columns, k=3)
        heavy = make_task(columns, k=3, specs={"a": AttributeSpec(weight=0.9)})
        labels = [grouping_of(task, Euclidean()).labels.tolist() for task in (equal, heavy)]
        assert labels[0] == labels[1]


@pytest.mark.parametrize(
    ("columns", "specs", "expected"),
    [
        ({"age": [3, 9]}, {}, 6.0),
        ({"born": ["2001-02-03", "2001-02-10"]}, {"born": AttributeSpec(kind=Kind.DATE)}, 7.0),
        ({"sex": ["F", "M"]}, {}, 1.0),
        (
            {"town": ["Rome", "Oslo", "Lima"]},
            {
                "town": AttributeSpec(
                    hierarchy={"levels": {"Rome": ["EU"], "Oslo": ["EU"], "Lima": ["SA"]}}
                )
            },
            (1 + 1 + 0) / 3,
        ),
        ({"age": [3, 9, "?", "?"]}, {"age": AttributeSpec(kind=Kind.NUMERIC)}, 3.0),
    ],
)
def test_raw_ranges_of_every_kind(
    columns: dict[str, list[object]], specs: dict[str, AttributeSpec], expected: float
) -> None:
    # After the first merge, the mean over all records of the range that their cluster has.
    run = Run(make_task(columns, k=2, specs=specs), Euclidean())
    run.context.decisions_per_step = 1
    assert next(run).counters["ranges"] == pytest.approx(expected)


def test_numbers_that_meet_a_missing_one_range_over_the_whole_domain() -> None:
    columns = {"age": [0, "?", 100], "sex": ["F", "F", "M"]}
    task = make_task(columns, k=3, specs={"age": AttributeSpec(kind=Kind.NUMERIC)})
    first, _ = steps_of(task, Euclidean())
    # 0 and 100 have range 100 too, and differ in sex as well.
    says(first, "Cluster 1 (1 record, age 0) joins cluster 2 (1 record, age ?)", "ranges 100")
    says(first, "cluster 3 with 101", "2 records")
