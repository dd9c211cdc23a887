"""Random keys at random moments over every screen and dialog, with slow threads.

Nothing may end the application, and what is left can be saved and read again. `KANON_STRESS=200`
tries 200 seeds instead of a few; a seed that fails is repeated with `-k "[17]"`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from textual.pilot import Pilot

from kanon_tui.app import ANALYSES, KanonApp, screen_maker
from kanon_tui.core.editing.session import open_session
from kanon_tui.core.run.result import conclude, start
from kanon_tui.screens.analyses.base import AnalysisScreen
from kanon_tui.screens.run.screen import RunScreen
from kanon_tui.screens.what_if.screen import WhatIfScreen
from tests.screens.conftest import is_quiet, session_of, settle, wait_until
from tests.screens.slow_threads import send_keys, slow_down

SEEDS = range(int(os.environ.get("KANON_STRESS", "4")))
BURSTS = 25
MOVES = (
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab",
    "enter", "enter", "escape", "space", "backspace", "f1",
)  # fmt: skip
LEAVES = {"ctrl+q", "q", "ctrl+p", "ctrl+c"}
"""Keys that would end the test, open the palette (with its own way to quit) or do nothing."""
SIZES = ((80, 24), (120, 40), (40, 12), (10, 3))


def some_keys(app: KanonApp, random: Random) -> list[str]:
    """A few keys that do something here, the same one several times, or something typed."""
    here = sorted(set(app.screen.active_bindings) - LEAVES)
    kind = random.random()
    if kind < 0.15:
        return [random.choice([*MOVES, *here])] * random.randint(2, 12)
    if kind < 0.25:
        return list("".join(random.choices("0123456789,.;aez-", k=random.randint(1, 6))))
    if kind < 0.4:
        return [str(random.randint(1, 7))]
    return [random.choice(here if random.random() < 0.6 else MOVES) for _ in range(3)]


async def torment(pilot: Pilot[None], random: Random) -> None:
    app = pilot.app
    assert isinstance(app, KanonApp)
    for _ in range(BURSTS):
        if app._exception is not None:
            return
        send_keys(app, *some_keys(app, random))
        chance = random.random()
        if chance < 0.05:
            await pilot.resize_terminal(*random.choice(SIZES))
        elif chance < 0.1 and app.session is not None:
            _, _, module, name = random.choice(ANALYSES)
            app.push_screen(screen_maker(module, name)())
        await asyncio.sleep(random.choice((0, 0, 0.005, 0.02, 0.06)))


async def come_to_rest(pilot: Pilot[None]) -> None:
    """Stop what goes on by itself, also what only begins now."""

    def at_rest() -> bool:
        for stack in pilot.app._screen_stacks.values():
            for screen in stack:
                if isinstance(screen, RunScreen) and screen.live is not None:
                    screen.live.cancel()
                elif isinstance(screen, WhatIfScreen):
                    screen.action_cancel()
                elif isinstance(screen, AnalysisScreen):
                    pilot.app.workers.cancel_node(screen)
        return is_quiet(pilot)

    await wait_until(pilot, at_rest)
    await settle(pilot)


@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_that_is_pressed_ends_the_application(
    seed: int, sample: Callable[[str], Path], make_app, monkeypatch, tmp_path: Path
) -> None:
    random = Random(seed)
    monkeypatch.chdir(tmp_path)
    path = sample(random.choice(("datafly", "locations")))
    async with make_app(path).run_test(size=random.choice(SIZES[:2])) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        if random.random() < 0.7:
            run = start(session.project, task=session.task())
            session.results.append(replace(conclude(run, session.project), seconds=0.2))
        slow_down(monkeypatch, seed)
        await torment(pilot, random)
        await come_to_rest(pilot)
        assert pilot.app.is_running
        session = session_of(pilot)
        saved = session.save(tmp_path / "after.yaml")
        assert open_session(saved).project == session.project
