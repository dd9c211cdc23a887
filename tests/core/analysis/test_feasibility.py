"""k feasibility: Morton's table 12, and a twin that draws records one by one."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import sqrt

import numpy as np
import pytest

from kanon_tui.core.analysis.feasibility import (
    MOST_ATTRIBUTES,
    MOST_VALUES,
    feasibility,
    feasibility_curve,
    record_counts,
    shape_of,
)
from kanon_tui.core.errors import InputError
from tests.helpers import make_task


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attributes", "k", "records", "repeats", "rate"),
    [
        (3, 3, 50, 2000, 0.70),
        (3, 5, 75, 2000, 0.75),
        (7, 5, 1200, 500, 0.0),
        (7, 5, 7500, 500, 1.0),
        (12, 5, 30_000, 200, 0.0),
        (15, 5, 750_000, 200, 0.93),
        (18, 5, 2_000_000, 200, 0.0),
    ],
)
def test_worked_morton_table_12(
    attributes: int, k: int, records: int, repeats: int, rate: float
) -> None:
    found = feasibility(attributes, k, records, repeats=repeats, seed=1)
    # Printed rates come from 50 to 500 tables: some per cent off, or a true 0.5 % shown as 0 %.
    assert found.success_rate == pytest.approx(rate, abs=0.01 if rate in (0, 1) else 0.05)
    low, high = found.interval
    assert 0.0 <= low <= found.success_rate <= high <= 1.0


def twin(shape: list[list[float]], k: int, records: int, repeats: int) -> float:
    rng = np.random.default_rng(99)
    successes = 0
    for _ in range(repeats):
        columns = [rng.choice(len(f), records, p=f).tolist() for f in shape]
        successes += min(Counter(zip(*columns, strict=True)).values()) >= k
    return successes / repeats


@pytest.mark.parametrize(
    ("shape", "k", "records"),
    [
        ([[0.5, 0.5]], 2, 4),
        ([[0.7, 0.3], [0.2, 0.3, 0.5]], 2, 40),
        ([[0.25] * 4, [0.5, 0.5]], 3, 60),
        ([[0.98, 0.02], [0.5, 0.5], [1.0]], 2, 50),
        ([[0.9, 0.05, 0.05], [0.9, 0.1]], 1, 3),
    ],
)
def test_same_rate_as_drawing_records(shape: list[list[float]], k: int, records: int) -> None:
    repeats = 1500
    expected = twin(shape, k, records, repeats)
    (point,) = feasibility_curve([np.array(f) for f in shape], k, [records], repeats)
    error = sqrt(0.25 / repeats * 2)
    assert abs(point.success_rate - expected) < 3.5 * error


def test_combinations_that_do_not_occur_do_no_harm() -> None:
    # One binary attribute, four records, k = 2: 0, 2 or 4 ones of 4 is (1 + 6 + 1) / 16.
    assert feasibility(1, 2, 4, repeats=6000).success_rate == pytest.approx(0.5, abs=0.025)


def test_ends_of_the_range() -> None:
    assert feasibility(30, 1, 10**9).success_rate == 1.0
    assert feasibility(1, 5, 4).success_rate == 0.0
    assert feasibility(9, 5, 5, values=1).success_rate == 1.0
    assert feasibility(MOST_ATTRIBUTES, 2, 10**6, repeats=3).success_rate == 0.0
    assert feasibility(1, 2, 1000, values=MOST_VALUES, repeats=2).success_rate == 0.0


def test_the_seed_decides() -> None:
    assert feasibility(3, 3, 50, seed=7) == feasibility(3, 3, 50, seed=7)
    rates = {feasibility(3, 3, 50, seed=seed).success_rate for seed in range(5)}
    assert len(rates) > 1


def test_curve_of_a_table_is_lazy_and_rises() -> None:
    task = make_task({"sex": ["F", "M"] * 10, "age": [1, 1, 1, 1, 2] * 4, "one": [1] * 20})
    shape = shape_of(task)
    assert [f.tolist() for f in shape] == [[0.5, 0.5], [0.8, 0.2], [1.0]]
    endless = iter(range(20, 10**9, 80))
    rates = [p.success_rate for p in islice(feasibility_curve(shape, 5, endless), 4)]
    assert rates == sorted(rates)
    assert rates[0] < 0.1
    assert rates[-1] > 0.99
    assert next(endless) == 340  # no point was drawn that nobody asked for


def test_a_point_of_the_curve_is_the_simulation() -> None:
    points = list(feasibility_curve([np.array([0.5, 0.5])] * 3, 3, [30, 50], repeats=300, seed=4))
    rates = [feasibility(3, 3, n, repeats=300, seed=4).success_rate for n in (30, 50)]
    assert [p.success_rate for p in points] == rates
    assert [p.records for p in points] == [30, 50]


def test_zero_successes_do_not_prove_that_there_are_none() -> None:
    low, high = feasibility(7, 5, 1200, repeats=10).interval
    assert low == 0.0
    assert 0.2 < high < 0.4


@pytest.mark.parametrize(
    "wrong",
    [
        {"attributes": 0},
        {"attributes": MOST_ATTRIBUTES + 1},
        {"k": 0},
        {"records": 0},
        {"values": 0},
        {"values": MOST_VALUES + 1},
        {"repeats": 0},
    ],
)
def test_refused(wrong: dict[str, int]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=f"^{name} is "):
        feasibility(**{"attributes": 3, "k": 2, "records": 10, **wrong})


def test_the_numbers_of_records_cover_where_the_rate_rises() -> None:
    counts = record_counts(5, 2**7, 1000, None)
    assert counts == sorted(set(counts))
    assert 1000 in counts
    assert counts[0] < 5 * 2**7 < 7500 < counts[-1]
    assert record_counts(5, 2**7, 1000, 3) == [3]
    assert max(record_counts(5, 1000**100, 10, None)) == 10_000_000
