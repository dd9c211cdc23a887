"""The searches of k-member: the furthest row is the furthest, and few rows are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from kanon_tui.core.clustering.features import (
    Features,
    by_agreement,
    diagonals,
    shared_bits,
    with_other_bits,
)
from kanon_tui.core.clustering.k_member_clusters import new_member_clusters, new_member_search
from kanon_tui.core.kernels.box_tree import GONE, grow_tree, take
from kanon_tui.core.kernels.k_member import (
    MIXED_LABEL,
    MemberSearch,
    find_cheapest,
    find_furthest,
)
from kanon_tui.core.numeric import TIE, Floats, Int32s
from tests.helpers import make_task


def grown(
    places: Floats,
    labels: Int32s,
    weights: Floats,
    shared: Int32s,
    again: Int32s | None = None,
) -> MemberSearch:
    """Return a search in a tree of rows."""
    again = np.arange(len(weights), dtype=np.int32) if again is None else again
    sums, begins, stand_in = diagonals(places)
    records = np.arange(len(places), dtype=np.int32)
    division = by_agreement(labels, weights)
    tree = grow_tree(np.hstack([places, sums]), labels, division, records, places)
    return new_member_search(tree, weights, shared, again, begins, stand_in)


def furthest(places: Floats, labels: Int32s, weights: Floats, i: int, left: Int32s) -> int:
    """The first of the records furthest from one, of all that are left."""
    missing = np.isnan(places[left])
    here = np.isnan(places[i])
    apart = np.where(missing | here, missing != here, np.abs(places[left] - places[i]))
    away = apart.sum(axis=1) + (labels[left] != labels[i]) @ weights
    return int(left[np.flatnonzero(away > away.max() - TIE)[0]])


def test_the_furthest_row_is_found_with_missing_numbers_and_more_than_are_summed_together() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        numbers = int(rng.integers(0, 9))
        places = rng.integers(0, 1 + 10 ** int(rng.integers(1, 6)), (300, numbers)).astype(float)
        places /= max(1.0, places.max(initial=0.0))
        places[rng.random(places.shape) < rng.choice([0.0, 0.1, 0.7])] = np.nan
        labels = rng.integers(0, rng.choice([2, 5, 100]), (300, 3)).astype(np.int32)
        weights = rng.choice([1.0, 1 / 3, 0.25], 3)
        shared = np.full(3, 64 if labels.max() >= 64 else 0, dtype=np.int32)
        search = grown(places, labels, weights, shared)
        tree = search.tree
        position = np.argsort(search.tree.row)
        left = np.arange(300, dtype=np.int32)
        for i in rng.permutation(300)[:60].tolist():
            found = int(tree.record[find_furthest(search, position[i]).position])
            assert found == furthest(places, labels, weights, i, left), (seed, i)
            take(tree, int(position[found]), GONE)
            left = left[left != found]


def test_few_rows_are_looked_at_for_the_furthest() -> None:
    """Numbers are exact; categories with many labels neither scatter the others nor hide a label
    that nearly all rows have.
    """
    rng = np.random.default_rng(1)
    size = 20_000

    def column(labels: int, mostly: float = 0.0) -> list[str]:
        rare = rng.random(size) >= mostly
        return [f"{value:03}" for value in np.where(rare, rng.integers(0, labels, size), 70)]

    numbers = {f"n{x}": rng.permutation(size).tolist() for x in range(5)}
    people = {x: numbers[x] for x in ("n0", "n1")}
    people |= {f"c{count}": column(count) for count in (2, 300, 7, 5, 9, 20)}
    countries = {"n0": numbers["n0"], "country": column(200, 0.9), "sex": column(2)}
    for columns, most in ((numbers, 40), (people, 150), (countries, 60)):
        features = Features.from_task(make_task(columns))
        weights = features.label_weights
        shared = shared_bits(features.labels)
        search = grown(features.places, features.labels, weights, shared)
        visits = [find_furthest(search, i).visits for i in range(0, size, 500)]
        assert np.mean(visits) < most, list(columns)


def cheapest_visits(columns: Mapping[str, list[Any]], mixed: tuple[int, ...] = ()) -> float:
    """How many nodes and rows a cluster like one row looks at, on average, for the cheapest next.

    Categories that are mixed already cost nothing.
    """
    features = Features.from_task(make_task(columns))
    numbers, (labels, again) = features.places.shape[1], with_other_bits(features.labels)
    weights = np.zeros(len(again))
    weights[: len(features.label_weights)] = features.label_weights
    search = grown(features.places, labels, weights, shared_bits(labels), again)
    tree = search.tree
    clusters = new_member_clusters(1, numbers, len(weights))
    kept = [y for y in range(len(weights)) if y not in mixed]
    visits = []
    for i in range(0, len(tree.row), 97):
        clusters.low[0] = clusters.high[0] = tree.places[i, :numbers]
        clusters.labels[0] = MIXED_LABEL
        clusters.labels[0, kept] = tree.labels[i, kept]
        record, tree.record[i] = tree.record[i], GONE
        found, score, seen = find_cheapest(search, clusters, 0)
        tree.record[i] = record
        costs = (tree.labels[:, kept] != tree.labels[i, kept]) @ weights[kept]
        costs += np.abs(tree.places[:, :numbers] - tree.places[i, :numbers]).sum(axis=1)
        assert score == pytest.approx(np.delete(costs, i).min()) == pytest.approx(costs[found])
        visits.append(seen)
    return float(np.mean(visits))


def test_few_rows_are_looked_at_for_the_cheapest_where_most_labels_are_rare() -> None:
    rng = np.random.default_rng(2)
    size = 12_000
    only_rare = {f"c{x}": rng.integers(0, 2000, size).astype(str).tolist() for x in range(4)}
    assert cheapest_visits(only_rare) < 60
    tails = {
        "code": np.minimum(rng.zipf(1.3, size), 5000).astype(str).tolist(),
        "group": rng.integers(0, 40, size).astype(str).tolist(),
        "sex": rng.integers(0, 3, size).astype(str).tolist(),
        "days": rng.permutation(size).tolist(),
    }
    assert cheapest_visits(tails, mixed=(0,)) < 120


def test_few_rows_are_looked_at_for_the_cheapest_where_hundreds_of_labels_are_frequent() -> None:
    rng = np.random.default_rng(5)
    size = 30_000
    people = {
        "born": rng.integers(0, 30_000, size).tolist(),
        "income": rng.integers(0, 100_000, size).tolist(),
        "town": [f"t{town}" for town in rng.integers(0, 300, size)],
        "sex": rng.choice(["f", "m"], size).tolist(),
    }
    assert cheapest_visits(people) < 220
