"""Nothing holds the event loop for long: keys are answered while tables are read, run and drawn."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from kanon_tui.core.editing.state_folder import RunHistory
from kanon_tui.core.pipeline.live import SPEEDS
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.screens.run.screen import RunScreen
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.slowest_callbacks import Held, holding_the_loop

LONGEST = 0.1
"""Seconds of processor time after which a key must be looked at."""
WALKS = 5
"""What is slow is slow every time; a busy machine is not."""


async def quick_at_least_once(walk: Callable[[Held], Awaitable[None]]) -> None:
    """Fail if something holds the loop for long in every walk."""
    for _ in range(WALKS):
        held: Held = []
        await walk(held)
        held.sort(reverse=True)
        if held[0] < LONGEST:
            return
    pytest.fail(f"the event loop was held for long in every walk: {held[:3]}")


async def go_through(pilot: Pilot[None]) -> None:
    """Through all screens, with a run."""
    for keys in (["2", "down", "down"], ["3", "down"], ["4", "down"], ["5"]):
        await pilot.press(*keys)
        await settle(pilot)
    await pilot.press("r")
    await settle(pilot)
    for keys in (
        *(["6", "down", "pagedown", "end"], ["7", "down", "v", "v", "V"]),
        ["1", "pagedown", "end", "right"],
    ):
        await pilot.press(*keys)
        await settle(pilot)


async def test_a_walk_through_all_screens(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_through(pilot)  # what is imported and compiled on first use

        async def walk(noted: Held) -> None:
            with holding_the_loop() as held:
                await go_through(pilot)
            noted += held

        await quick_at_least_once(walk)


async def watch(pilot: Pilot[None], screen: RunScreen) -> None:
    """Two decisions by hand, the others at full speed, and a look back."""
    before = screen.live
    await pilot.press("full_stop")
    await wait_until(pilot, lambda: screen.live not in (None, before))
    await wait_until(pilot, lambda: screen.live.snapshot.steps >= 1)
    live = screen.live
    assert live is not None
    await pilot.press("full_stop")
    await wait_until(pilot, lambda: live.snapshot.steps >= 2)
    live.set_speed(SPEEDS[-1])
    await pilot.press("space")
    await wait_until(pilot, lambda: not screen._at_work)
    await settle(pilot)
    await pilot.press("home", "pagedown", "end")
    await settle(pilot)


@pytest.mark.parametrize("algorithm", ["global", "k-member"])
async def test_a_run_that_is_watched(sample, make_app, algorithm: str) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        project = session_of(pilot).project
        pilot.app.host.edit(replace(project, algorithm=AlgorithmChoice(algorithm)), algorithm)
        await pilot.press("5")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, RunScreen)

        async def walk(noted: Held) -> None:
            with holding_the_loop() as held:
                await watch(pilot, screen)
                await pilot.press("escape")  # to the form, which is painted as a whole
                await settle(pilot)
            noted += held

        await walk([])  # what is imported and compiled on first use
        await quick_at_least_once(walk)


async def test_the_history_of_runs_is_written_elsewhere(sample, make_app, monkeypatch) -> None:
    writers = []
    add = RunHistory.add

    def noted(*args: object) -> None:
        writers.append(threading.current_thread())
        add(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(RunHistory, "add", noted)
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("r")
        await wait_until(pilot, lambda: writers)
        assert writers[0] is not threading.current_thread()
