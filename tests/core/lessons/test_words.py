"""Figures in the sentences of a run."""

from __future__ import annotations

import pytest

from kanon_tui.core.lessons.words import change


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (1.0, 11 / 12, "1 → 0.9167"),
        (0.0, 0.00686, "0 → 0.0069"),
        (0.93125, 0.93124, "0.93125 → 0.93124"),
        (0.5, 0.5 - 1e-9, "0.5 → 0.5"),
        (0.25, 0.25, "0.25 → 0.25"),
        (0.0, 1200.0, "0 → 1200"),
    ],
)
def test_a_change_shows_with_no_more_digits_than_it_takes(
    before: float, after: float, told: str
) -> None:
    assert change(before, after) == told
