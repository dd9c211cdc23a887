"""A short run of every target with seeds that are always the same: `make fuzz` tries new ones."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import TARGETS, try_seed

TRIES = {
    "keys": 3,
    "signals": 1,
    "readers": 40,
    "projects": 25,
    "command line": 25,
    "algorithms": 25,
    "kernels": 60,
}
"""Few enough for a few seconds each."""


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_the_same_tries_every_time(target: str) -> None:
    for seed in range(TRIES[target]):
        try_seed(target, seed)
