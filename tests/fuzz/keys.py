"""Random keys at random moments over every screen and dialog, with slow threads and resizes.

Nothing may end the application, what is left can be saved and read again, and an end without
saving loses no edit.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from textual.pilot import Pilot

from kanon_tui.app import KanonApp
from kanon_tui.core.analysis.registry import ANALYSES
from kanon_tui.core.editing.session import open_session
from kanon_tui.core.editing.state_folder import RecoveryStore
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.project.samples import find_sample
from kanon_tui.screens.analyses.generic import panel_of
from kanon_tui.screens.panel import AnalysisScreen
from kanon_tui.screens.run.screen import RunScreen
from kanon_tui.screens.what_if.screen import WhatIfScreen
from tests.screens.conftest import has_failed, is_quiet, session_of, settle, wait_until
from tests.screens.slow_threads import send_keys, slow_down

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
        if has_failed(app):
            return  # leaving `run_test` raises what ended the application
        send_keys(app, *some_keys(app, random))
        chance = random.random()
        if chance < 0.05:
            await pilot.resize_terminal(*random.choice(SIZES))
        elif chance < 0.1 and app.host.session is not None:
            app.push_screen(panel_of(random.choice(list(ANALYSES))))
        await asyncio.sleep(random.choice((0, 0, 0.005, 0.02, 0.06)))


async def come_to_rest(pilot: Pilot[None]) -> None:
    """Stop what goes on by itself, also what only begins now."""

    def at_rest() -> bool:
        assert isinstance(pilot.app, KanonApp)
        for stack in pilot.app.host.background.stacks().values():
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


def try_once(random: Random, folder: Path) -> str:
    return asyncio.run(_try(random, folder))


async def _try(random: Random, folder: Path) -> str:
    name = random.choice(("datafly", "locations", "patients"))
    shutil.copytree(find_sample(name).project.parent, folder / name)
    path = folder / name / "project.yaml"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        app = KanonApp(path, state_folder=folder / "state", theme="kanon-dark")
        async with app.run_test(size=random.choice(SIZES[:2])) as pilot:
            await settle(pilot)
            session = session_of(pilot)
            if random.random() < 0.7:
                run = start(session.project, task=session.task())
                session.results.append(replace(conclude(run, session.project), seconds=0.2))
            slow_down(random.randrange(2**32))
            await torment(pilot, random)
            await come_to_rest(pilot)
            assert has_failed(app) or app.is_running
            session = session_of(pilot)
    kept = RecoveryStore(folder / "state").unsaved_work(session.project.path or session.data_path)
    assert (kept is not None) == session.dirty
    assert kept is None or kept.project.completed(session.table) == session.project
    saved = session.save(folder / "after.yaml")
    assert open_session(saved).project == session.project
    return "unsaved edits kept" if kept else "nothing unsaved"
