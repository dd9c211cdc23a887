"""Sorting inside kernels gives what NumPy's does, compiled and as Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanon_tui.core.kernels import interpreted, kernel
from kanon_tui.core.kernels.sorting import sort


@kernel
def _sort(values: Any) -> None:
    sort(values)


@pytest.mark.parametrize("as_python", [False, True])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_values_are_sorted_in_place(kind: type, as_python: bool) -> None:
    random = np.random.default_rng(1)
    few, many = 5, 10**9
    tables = [random.integers(-most, most, n) for n in (0, 1, 2, 17, 400) for most in (few, many)]
    tables += [np.arange(300), np.arange(300)[::-1], np.zeros(300), np.arange(300) % 7]
    for table in tables:
        values = np.ascontiguousarray(table, dtype=kind)
        expected = np.sort(values)
        with interpreted(as_python):
            _sort(values)
        assert np.array_equal(values, expected)
