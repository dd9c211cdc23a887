"""A short run of every target: some seeds that are always the same, and one that never was."""

from __future__ import annotations

import secrets

import pytest

from tests.fuzz.targets import TARGETS, try_seed

TRIES = {
    "keys": 3,
    "signals": 1,
    "readers": 40,
    "projects": 25,
    "command line": 25,
    "algorithms": 25,
}
"""Few enough for a few seconds each."""


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_the_same_tries_every_time(target: str) -> None:
    for seed in range(TRIES[target]):
        try_seed(target, seed)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_tries_that_nobody_made_before(target: str) -> None:
    """A failure says which seed repeats it."""
    first = secrets.randbelow(2**32)
    for seed in range(first, first + max(1, TRIES[target] // 4)):
        try_seed(target, seed)
