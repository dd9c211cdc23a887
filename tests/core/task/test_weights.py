"""Attribute weights and the associations they come from."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import code_column
from kanon_tui.core.task.weights import association_matrix, attribute_weights, redundant


def numbers(*values: object, name: str = "number") -> Column:
    return code_column(pl.Series(name, [str(value) for value in values]), Kind.NUMERIC)


def words(*values: str, name: str = "word") -> Column:
    return code_column(pl.Series(name, list(values)), Kind.CATEGORICAL)


def between(first: Column, second: Column) -> float:
    matrix = association_matrix([first, second])
    assert matrix[0, 1] == matrix[1, 0]
    assert association_matrix([second, first])[0, 1] == pytest.approx(matrix[0, 1])
    assert matrix.diagonal().tolist() == [1.0, 1.0]
    return float(matrix[0, 1])


# ------------------------------------------------------------------------------- association
def test_pearson_worked() -> None:
    """Deviations (−1, 0, 1) and (−1, 1, 0): r = 1 / (√2·√2) = 1/2; the sign is dropped."""
    assert between(numbers(1, 2, 3), numbers(1, 3, 2)) == pytest.approx(0.5)
    assert between(numbers(1, 2, 3), numbers(-1, -3, -2)) == pytest.approx(0.5)


def test_pearson_leaves_out_pairs_with_missing() -> None:
    assert between(numbers(1, 2, 3, "?", 9), numbers(1, 3, 2, 100, "?")) == pytest.approx(0.5)
    assert between(numbers(1, "?"), numbers("?", 2)) == 0.0


def test_dates_are_numbers() -> None:
    days = code_column(pl.Series("d", ["2020-01-01", "2020-01-02", "2020-01-03"]), Kind.DATE)
    assert between(days, numbers(1, 3, 2)) == pytest.approx(0.5)


def test_cramers_v_worked() -> None:
    """2 × 2 table 3, 1 / 1, 3: χ² = 8·(9 + 1 + 1 + 9)/16 − 8 = 2, V = √(2/8) = 1/2."""
    first = words(*"aaaabbbb")
    second = words(*"xxxyyyyx")
    assert between(first, second) == pytest.approx(0.5)


def test_missing_is_a_category() -> None:
    assert between(words("a", "?", "a", "?"), words("x", "y", "x", "y")) == pytest.approx(1.0)


def test_correlation_ratio_worked() -> None:
    """Groups {1, 3} and {5, 7}: between 4·2² = 16, whole 9 + 1 + 1 + 9 = 20, η = √0.8."""
    assert between(numbers(1, 3, 5, 7), words("a", "a", "b", "b")) == pytest.approx(np.sqrt(0.8))
    with_missing = between(numbers(1, 3, 5, 7, "?"), words("a", "a", "b", "b", "c"))
    assert with_missing == pytest.approx(np.sqrt(0.8))


@pytest.mark.parametrize("other", [numbers(1, 2, 3), words("a", "b", "c"), numbers(0.1, 0.1, 0.1)])
def test_what_does_not_vary_tells_nothing(other: Column) -> None:
    assert between(numbers(0.1, 0.1, 0.1), other) == 0.0
    assert between(words("a", "a", "a"), other) == 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_categories_agree_with_the_textbook(rows: list[tuple[int, int]]) -> None:
    a = [str(x) for x, _ in rows]
    b = [f"v{y}" for _, y in rows]
    chi_squared = 0.0
    n = len(rows)
    for x in set(a):
        for y in set(b):
            expected = a.count(x) * b.count(y) / n
            seen = sum(p == x and q == y for p, q in zip(a, b, strict=True))
            chi_squared += (seen - expected) ** 2 / expected
    smaller = min(len(set(a)), len(set(b))) - 1
    wanted = np.sqrt(chi_squared / n / smaller) if smaller else 0.0
    assert between(words(*a), words(*b)) == pytest.approx(wanted, abs=1e-7)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 2)), min_size=2))
@settings(max_examples=100, deadline=None)
def test_numbers_agree_with_numpy(rows: list[tuple[int, int, int]]) -> None:
    x, y, groups = (np.array(values) for values in zip(*rows, strict=True))
    r = 0.0
    if x.std() and y.std():
        r = abs(np.corrcoef(x, y)[0, 1])
    assert between(numbers(*x), numbers(*y)) == pytest.approx(r, abs=1e-7)
    means = np.array([x[groups == group].mean() for group in groups])
    eta = np.sqrt(((means - x.mean()) ** 2).sum() / ((x - x.mean()) ** 2).sum()) if x.std() else 0
    assert between(numbers(*x), words(*(f"g{g}" for g in groups))) == pytest.approx(eta, abs=1e-7)


def test_two_attributes_with_very_many_values() -> None:
    """100,000 × 100,000 combinations are never laid out as a table."""
    many = [f"v{i}" for i in range(100_000)]
    assert between(words(*many), words(*reversed(many))) == pytest.approx(1.0)


def test_redundant_pairs_strongest_first() -> None:
    matrix = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.95], [0.2, 0.95, 1.0]])
    assert redundant(["a", "b", "c"], matrix) == [("b", "c", 0.95), ("a", "b", 0.9)]
    assert redundant(["a", "b", "c"], matrix, threshold=0.96) == []


# ----------------------------------------------------------------------------------- weights
THREE = [numbers(1, 2, 3, 4, name="a"), numbers(2, 4, 6, 8, name="b"), words(*"xyyx", name="c")]


def test_equal() -> None:
    assert attribute_weights(THREE, [None] * 3, "equal").tolist() == pytest.approx([1 / 3] * 3)


def test_typed_stands_and_the_rest_share() -> None:
    weights = attribute_weights(THREE, [None, 0.5, None], "equal")
    assert weights.tolist() == pytest.approx([0.25, 0.5, 0.25])
    assert attribute_weights(THREE, [0.0, None, None], "equal").tolist() == [0.0, 0.5, 0.5]


def test_all_typed_are_scaled() -> None:
    assert attribute_weights(THREE, [1, 2, 5], "auto").tolist() == [0.125, 0.25, 0.625]


def test_auto_gives_the_independent_attribute_more() -> None:
    """a and b determine each other (mean ½), c has nothing to do with either (mean 0)."""
    weights = attribute_weights(THREE, [None] * 3, "auto")
    assert weights.tolist() == pytest.approx([0.25, 0.25, 0.5])


def test_auto_shares_what_typed_weights_leave() -> None:
    """Shares ½ (b) and 1 (c) of the 0.4 that is left."""
    weights = attribute_weights(THREE, [0.6, None, None], "auto")
    assert weights.tolist() == pytest.approx([0.6, 0.4 / 3, 0.8 / 3])


def test_auto_is_equal_when_all_tell_the_same() -> None:
    assert attribute_weights(THREE[:2], [None, None], "auto").tolist() == [0.5, 0.5]


def test_an_only_attribute_weighs_1() -> None:
    for mode in ("equal", "auto"):
        assert attribute_weights(THREE[:1], [None], mode).tolist() == [1.0]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ([0.5, 0.5, None], "leaves nothing for 'c'"),
        ([0.7, 0.7, None], "sum to 1.4"),
        ([-0.1, None, None], "a: its weight is -0.1"),
        ([None, float("nan"), None], "b: its weight is nan"),
        ([None, float("inf"), None], "b: its weight is inf"),
        ([0, 0, 0], "every attribute has weight 0"),
    ],
)
def test_refused(typed: list[float | None], says: str) -> None:
    with pytest.raises(InputError, match=says):
        attribute_weights(THREE, typed, "equal")


# ----------------------------------------------------------------------------------- ranking
ILL = words(*"yyyynnnn" * 25, name="ill")
TELLS_ALL = words(*"aabbccdd" * 25, name="tells")
TELLS_NOTHING = words(*"pqpqpqpq" * 25, name="says nothing")


def test_ranking_weighs_by_importance_for_the_sensitive_attribute() -> None:
    """Two values of four go with each answer: one cut of the ordered values is enough."""
    weights = attribute_weights([TELLS_ALL, TELLS_NOTHING], [None, None], "ranking", [ILL])
    assert weights.tolist() == [1.0, 0.0]
    weights = attribute_weights([TELLS_ALL, TELLS_NOTHING], [None, 0.2], "ranking", [ILL])
    assert weights.tolist() == [0.8, 0.2]


def test_ranking_is_the_mean_over_sensitive_attributes_of_both_kinds() -> None:
    """Pay follows says-nothing alone; records without pay are left out."""
    pay = numbers(*[10, 20, 10, 20, 10, 20, "?", "?"] * 25, name="pay")
    columns = [TELLS_ALL, TELLS_NOTHING]
    assert attribute_weights(columns, [None, None], "ranking", [ILL, pay]).tolist() == [0.5, 0.5]


def test_ranking_splits_numbers_with_missing_values() -> None:
    age = numbers(*[20, 21, "?", 22, 60, 61, 62, 63] * 25, name="age")
    weights = attribute_weights([age, TELLS_NOTHING], [None, None], "ranking", [ILL])
    assert weights[0] > 0.9


def test_ranking_is_equal_where_nothing_is_told_and_needs_something_sensitive() -> None:
    constant = words(*"x" * 200, name="constant")
    both = [TELLS_ALL, TELLS_NOTHING]
    assert attribute_weights(both, [None, None], "ranking", [constant]).tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match="role sensitive"):
        attribute_weights(both, [None, None], "ranking")
