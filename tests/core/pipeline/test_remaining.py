"""Seconds to go: from the run's own progress, smooth, and nothing where progress says nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kanon_tui.core.pipeline.live import RemainingTime


def test_a_steady_run_counts_down() -> None:
    left = RemainingTime()
    for tenth in range(1, 1000):
        told = left.look(tenth / 1000, tenth / 10)
        if tenth > 20:
            assert told == pytest.approx(100 - tenth / 10, rel=0.05, abs=0.2)


def test_a_run_that_slows_down_is_believed_by_and_by() -> None:
    left = RemainingTime()
    told = []
    for tenth in range(1, 2000):
        seconds = tenth / 10
        progress = (seconds / 200) ** 0.7
        answer = left.look(progress, seconds)
        if seconds > 50:
            assert answer is not None
            told.append(answer)
            assert 0.5 * (200 - seconds) - 3 <= answer <= 2 * (200 - seconds) + 2
    jumps = [abs(b - a) for a, b in pairwise(told)]
    assert max(jumps) < 3  # seconds, from one tenth of a second to the next


def test_one_slow_step_at_the_start_does_not_frighten() -> None:
    """A first step that loads and compiles takes as long as a hundred others."""
    left = RemainingTime()
    told = [left.look(step / 1000, 20 + step / 10) for step in range(1, 1000)]
    assert all(answer is None or answer < 500 for answer in told)


def test_progress_that_says_nothing_about_time_is_not_read() -> None:
    left = RemainingTime()
    assert left.look(None, 10) is None
    for second in range(1, 10):
        left.look(0.02 * second, second)
    assert left.seconds == pytest.approx(41, rel=0.05)
    left.look(0.19, 30)  # one step took as long as all the others together, twice
    assert left.seconds is None
    stuck = RemainingTime()
    for second in range(1, 60):
        stuck.look(0.5, second)
    assert stuck.seconds is None
