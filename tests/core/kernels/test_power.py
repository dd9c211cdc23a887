"""Powers that kernels compute themselves: as Python does, and where exact, to the last bit."""

from __future__ import annotations

import random
from math import isclose, nextafter

import pytest

from kanon_tui.core.kernels.merging import power


def test_powers_are_those_of_python() -> None:
    rng = random.Random(1)
    for _ in range(20_000):
        x = rng.choice([rng.random(), 10.0 ** rng.uniform(-300, 3), 1.0 - rng.random() * 1e-9])
        y = rng.choice([rng.uniform(0.0, 2.0), rng.randrange(201) / 100])
        expected = x**y
        if expected > 1e-300:
            assert isclose(power(x, y), expected, rel_tol=1e-14), (x, y)


def test_exponents_without_rounding_are_exact() -> None:
    for x in (0.1, 1 / 3, 0.7, 1.0, 1.7, 1e-9):
        assert power(x, 0.0) == 1.0
        assert power(x, 1.0) == x
        assert power(x, 2.0) == x * x


@pytest.mark.parametrize("y", [0.0, 0.3, 1.0, 1.9, 2.0])
def test_nothing_and_one_have_the_powers_they_have_in_python(y: float) -> None:
    assert power(0.0, y) == 0.0**y
    assert power(1.0, y) == 1.0
    assert isclose(power(5e-324, y), 5e-324**y, rel_tol=1e-14)
    assert isclose(power(nextafter(0.5, 0), y), nextafter(0.5, 0) ** y, rel_tol=1e-14)
