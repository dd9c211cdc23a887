"""Figures and lists in the sentences of a run."""

from __future__ import annotations

import pytest

from kanon_tui.core.clustering.box_sentences import change, listed, number


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


def test_numbers_and_lists_read_well() -> None:
    assert [number(x) for x in (2.5, 2.0, 0.8484, 100.0)] == ["2.5", "2", "0.848", "100"]
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]
