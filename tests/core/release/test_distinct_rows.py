"""Rows as numbers: the ranks of structs and first appearances, on random tables."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_tui.core.release.distinct_rows import dense_ranks, number_rows, order_of_rows, row_keys

WIDTHS = [(1,), (5,), (3, 4), (2, 1, 7, 3), (90, 7, 16, 41, 9), (2**31 - 1,) * 4]


def slow_ranks(columns: list[np.ndarray]) -> np.ndarray:
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    place = {row: number for number, row in enumerate(sorted(set(rows)))}
    return np.array([place[row] for row in rows])


def slow_numbers(columns: list[np.ndarray]) -> np.ndarray:
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    place = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    return np.array([place[row] for row in rows])


@pytest.mark.parametrize("widths", WIDTHS, ids=str)
@pytest.mark.parametrize("records", [1, 7, 3000])
@pytest.mark.parametrize("lowest", [-1, 0, 12])
def test_numbers_are_those_of_the_rows(widths, records, lowest) -> None:
    """The widest do not fit into one number: they are ranked on the way."""
    chance = np.random.default_rng(len(widths) * records)
    several = chance.integers(0, records, records) // 2  # so that rows come more than once
    columns = [
        (chance.integers(0, width, records)[several] + lowest).astype(np.int64) for width in widths
    ]
    assert (dense_ranks(columns) == slow_ranks(columns)).all()
    assert (number_rows(columns) == slow_numbers(columns)).all()
    assert dense_ranks(columns).dtype == number_rows(columns).dtype == np.int32
    keys = row_keys(columns)
    ranks = slow_ranks(columns)
    assert (np.sign(np.diff(keys)) == np.sign(np.diff(ranks))).all()
    assert (order_of_rows(columns) == np.argsort(ranks, kind="stable")).all()


def test_no_rows_have_no_numbers() -> None:
    nothing = np.empty(0, dtype=np.int32)
    assert len(number_rows([nothing, nothing])) == len(dense_ranks([nothing, nothing])) == 0
    assert len(order_of_rows([nothing, nothing])) == 0
