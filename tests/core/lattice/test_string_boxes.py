"""Bounds of boxes of strings, compared with all strings of the box."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from kanon_tui.core.kernels.string_boxes import (
    BoxBound,
    Bytes,
    KnownStrings,
    LevelWorths,
    bound_box,
)
from tests.tries import tries

FAILS = 2.0


def row(*levels: int) -> Bytes:
    return np.array([*levels, *[0] * (8 - len(levels))], dtype=np.uint8)


def bound(
    values: list[list[float]], known: dict[tuple[int, ...], float], high: Bytes, mark: float
) -> tuple[BoxBound, list[int]]:
    """Bound the box from level 0 to `high`; also gives its lowest levels afterwards."""
    size = len(values), len(values[0])
    worths = LevelWorths(np.array(values), np.ones(size) / size[0], *np.zeros((2, *size)))
    strings = KnownStrings.allocate(room=max(1, len(known)), bytes=8)
    for i, (levels, share) in enumerate(known.items()):
        strings.levels[i], strings.shares[i] = row(*levels), share
    low = row()
    return bound_box(worths, strings, len(known), low, high, 0.0, mark), low.tolist()[: size[0]]


def test_worked_bounds_of_two_attributes() -> None:
    values = [[4.0, 3.0, 0.0], [5.0, 3.0, 0.0]]
    high = row(2, 2)
    assert bound(values, {}, high, 0.0)[0] == (9.0, 9.0, 0.0, -1)
    # One of the two must be above level 0: the first loses 1, the second 2.
    found, low = bound(values, {(0, 0): FAILS}, high, 0.0)
    assert (found.worth, found.most, found.barring, low) == (8.0, 9.0, 0, [0, 0])
    # The first at level 0 fails whatever the second: it rises, and the second need not.
    found, low = bound(values, {(0, 0): FAILS, (0, 2): FAILS}, high, 0.0)
    assert (found.worth, found.barring, low) == (8.0, -1, [1, 0])
    # Everything suppresses a tenth, which costs 0.1.
    found, _ = bound(values, {(2, 2): 0.1}, high, 0.0)
    assert found.worth == pytest.approx(8.9)
    assert found.share == 0.1
    # With half of the records suppressed it is worth 8.5, not more than the mark: it bars the box.
    assert bound(values, {(1, 2): 0.5}, high, 8.5)[0].worth == -np.inf
    assert bound(values, {(2, 2): FAILS}, high, 0.0)[0].worth == -np.inf


@pytest.mark.parametrize("seed", range(tries(200)))
def test_bounds_hold_for_all_strings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    attributes = int(rng.integers(1, 5))
    levels = int(rng.integers(2, 5))
    values = -np.round(rng.random((attributes, levels)), 2)
    if seed % 3:
        values = np.sort(values, axis=1)[:, ::-1]
    drawn = rng.integers(0, levels, (int(rng.integers(0, 12)), attributes)).tolist()
    shares = np.where(rng.random(len(drawn)) < 0.5, FAILS, np.round(rng.random(len(drawn)), 1))
    known = {tuple(each): float(share) for each, share in zip(drawn, shares, strict=True)}
    tops = rng.integers(0, levels, attributes).tolist()
    mark = float(values.sum(axis=0).mean() * rng.random())
    found, low = bound(values.tolist(), known, row(*tops), mark)
    best = -np.inf
    for string in product(*(range(top + 1) for top in tops)):
        over = [s for f, s in known.items() if all(x <= y for x, y in zip(string, f, strict=True))]
        share = max(over, default=0.0)
        worth = float(values[np.arange(attributes), string].sum()) - share
        if share <= 1 and worth > mark + 1e-9:
            best = max(best, worth)
            assert all(x >= y for x, y in zip(string, low, strict=True))
    assert found.worth >= best - 1e-9
    if found.barring >= 0:
        barring = list(known)[found.barring]
        assert all(x >= y for x, y in zip(barring, low, strict=True))
        assert sum(x < top for x, top in zip(barring, tops, strict=True)) > 1
