"""What the screens look like: 80×24 and 120×40 in the default theme, one in 16 colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kanon_tui.app import KanonApp
from kanon_tui.core.desk import Desk
from kanon_tui.core.result import conclude, start
from kanon_tui.core.samples import find_sample
from tests.screens.conftest import session_of, settle

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
SCREENS = {
    "data": ("1", "right", "right"),
    "attributes": ("2", "down", "down"),
    "hierarchies": ("3", "down", "down"),
    "rules": ("4", "down"),
    "run": ("5",),
    "results": ("6",),
}


def app(theme: str = "kanon-dark", file: Path | None = None) -> KanonApp:
    return KanonApp(file or find_sample("census").project, desk=Desk(None), theme=theme)


def show(keys: tuple[str, ...], *, result: bool = False) -> Callable[[Pilot[None]], object]:
    async def before(pilot: Pilot[None]) -> None:
        await settle(pilot)
        if result:
            session = session_of(pilot)
            made = conclude(start(session.project, task=session.fresh_task()), session.project)
            session.results.append(replace(made, seconds=0.2))  # a clock has no place in a picture
        await pilot.press(*keys)
        await settle(pilot)
        await pilot.pause(0.2)

    return before


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_screen(snap_compare, name: str, size: str) -> None:
    before = show(SCREENS[name], result=name == "results")
    assert snap_compare(app(), terminal_size=SIZES[size], run_before=before)


def test_sixteen_colours(snap_compare) -> None:
    before = show(SCREENS["attributes"])
    assert snap_compare(app("ansi-dark"), terminal_size=(80, 24), run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_start(snap_compare, size: str) -> None:
    made = KanonApp(None, desk=Desk(None), theme="kanon-dark")
    assert snap_compare(made, terminal_size=SIZES[size])


def test_help(snap_compare) -> None:
    before = show(("2", "f1"))
    assert snap_compare(app(), terminal_size=(80, 24), run_before=before)


def test_step_by_step(snap_compare) -> None:
    """Mondrian's first cut on the paper's table; elapsed time is taken out of the picture."""

    async def before(pilot: Pilot[None]) -> None:
        await show(("5",))(pilot)
        await pilot.press("full_stop")  # from here on the run waits: there is nothing to settle
        screen = pilot.app.screen
        for _ in range(200):
            if screen.live is not None and screen.live.snapshot.steps:
                break
            await pilot.pause(0.05)
        screen.live.run.seconds = 0.0
        screen.live.snapshot = replace(screen.live.snapshot, seconds=0.0)
        screen._look()
        await pilot.pause()

    made = app(file=find_sample("mondrian").project)
    assert snap_compare(made, terminal_size=(80, 24), run_before=before)
