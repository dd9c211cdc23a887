"""Values that few rows have: searches find who shares them from lists, not in the tree."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kanon_tui.core.algorithms.bottom_up import BottomUp
from kanon_tui.core.algorithms.euclidean import Euclidean
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.algorithms.twins.k_member import k_member
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.algorithms.udc_suppress import UdcSuppress
from kanon_tui.core.clustering import features
from kanon_tui.core.clustering.boxes import Measure, MergeObjective
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.kernels import partner_tree
from kanon_tui.core.kernels.box_arrays import CLUSTERS_LEFT, SIZE
from kanon_tui.core.kernels.merging import RELEASE, cheapest_partner
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import RunContext, Task
from tests.core.algorithms.merging_checks import clusters_of, grouping_of, sorted_clusters
from tests.helpers import make_task


def long_tails(rows: int, k: int, seed: int = 7) -> Task:
    """Two codes with a few frequent values and many rare ones, and what else may decide."""
    rng = random.Random(seed)

    def code(sign: str) -> str:
        return f"{sign}{min(int(rng.paretovariate(0.5)), 900)}"

    return make_task(
        {
            "code": [f"v{i}" if i < 66 else code("v") for i in range(rows)],
            "place": [f"p{i}" if i < 66 else code("p") for i in range(rows)],
            "sex": rng.choices("FM?", k=rows),
            "age": rng.choices([*range(30), "?"], k=rows),
        },
        k=k,
        specs={"age": AttributeSpec(kind=Kind.NUMERIC)},
    )


@pytest.mark.parametrize("most_rows", [0, 2, 5])
def test_twins_agree_where_values_are_rare_and_where_they_are_not(
    most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(features, "MOST_ROWS", most_rows)
    task = long_tails(80, k=3, seed=most_rows)
    found = clusters_of(grouping_of(task, Udc()))
    assert found == sorted_clusters(twins.udc(task, "release"))
    found = clusters_of(grouping_of(task, Euclidean()))
    assert found == sorted_clusters(twins.euclidean(task))
    found = clusters_of(grouping_of(task, KMember()))
    expected = k_member(task)
    assert found == sorted_clusters(expected)


@pytest.mark.parametrize("algorithm", [Udc(), Udc("cluster"), UdcSuppress(), BottomUp(), KMember()])
def test_the_answer_does_not_depend_on_what_counts_as_rare(
    algorithm: Udc | UdcSuppress | BottomUp | KMember, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = long_tails(700, k=6)
    expected = grouping_of(task, algorithm)
    for most_rows, most_sharers in ((0, 4096), (4, 4096), (4, 7), (10**6, 4096)):
        monkeypatch.setattr(features, "MOST_ROWS", most_rows)
        monkeypatch.setattr(partner_tree, "MOST_SHARERS", most_sharers)
        found = grouping_of(task, algorithm)
        assert np.array_equal(found.labels, expected.labels), (most_rows, most_sharers)
        assert found.search == expected.search


def test_a_search_tries_few_clusters_where_hundreds_of_values_are_frequent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(features, "MOST_ROWS", 5)
    rng = random.Random(3)
    columns = {
        "town": [f"t{rng.randrange(200)}" for _ in range(6000)],
        "sex": rng.choices("FM", k=6000),
        "income": [rng.randrange(100_000) for _ in range(6000)],
    }
    task = make_task(columns, k=10, specs={"income": AttributeSpec(kind=Kind.NUMERIC)})
    merging = Merging(task, RunContext(), MergeObjective(RELEASE, Measure.SPAN))
    merging.load[2] = 6000 * 50_000.0  # wide ranges: from now on the towns decide
    while merging.list.tally[CLUSTERS_LEFT] > 1700:
        merging.advance(0, most=int(merging.list.tally[CLUSTERS_LEFT]) - 1700)
        merging.grow_tree()
    small = np.flatnonzero(merging.clusters.info[:, SIZE] < task.k)[::10].tolist()
    tried = [cheapest_partner(merging.state, merging.tree, c).tried for c in small]
    assert sum(tried) / len(tried) < 60  # about 100 where towns share 64 bits


def test_a_search_tries_few_clusters_where_most_values_are_rare() -> None:
    rng = random.Random(3)
    columns = {name: [f"{name}{rng.randrange(500)}" for _ in range(3000)] for name in "abc"}
    task = make_task(columns, k=5)
    merging = Merging(task, RunContext(), MergeObjective(RELEASE, Measure.SPAN))
    merging.advance(0, most=1000)
    merging.grow_tree()
    clusters = merging.clusters
    tried = [
        cheapest_partner(merging.state, merging.tree, c).tried
        for c in range(0, len(clusters.info), 40)
        if clusters.info[c, SIZE] < task.k
    ]
    assert np.mean(tried) < len(clusters.info) / 20
