"""Nothing holds the event loop for long: keys are answered while tables are read, run and drawn."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from tests.screens.conftest import settle
from tests.screens.slowest_callbacks import holding_the_loop

LONGEST = 0.05
"""Seconds of processor time that one callback may take."""
WALKS = 3
"""What is slow is slow every time; a busy machine is not."""


async def walk(pilot: Pilot[None]) -> None:
    """Through all screens, with a run that is watched."""
    for keys in (["2", "down", "down"], ["3", "down"], ["4", "down"], ["5"]):
        await pilot.press(*keys)
        await settle(pilot)
    await pilot.press("r")
    await settle(pilot)
    for keys in (["6", "down", "pagedown", "end"], ["1", "pagedown", "end", "right"]):
        await pilot.press(*keys)
        await settle(pilot)


async def test_a_walk_through_all_screens(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await walk(pilot)  # what is imported and compiled on first use
        for _ in range(WALKS):
            with holding_the_loop() as held:
                await walk(pilot)
            if held[0][0] < LONGEST:
                return
    pytest.fail(f"the event loop was held for long in every walk: {held[:3]}")
