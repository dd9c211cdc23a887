"""Hostile names, values, labels and files on every screen: the bytes for the terminal are harmless.

The application draws as on a real terminal; what its driver would write is looked at.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
import yaml
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from kanon_tui.core.analysis.registry import ANALYSES
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.screens.analyses.generic import panel_of
from kanon_tui.screens.base import STEPS
from kanon_tui.widgets.dialogs import Modal
from tests.fuzz.keys import come_to_rest
from tests.hostile import HOSTILE, IN_A_CELL, assert_harmless
from tests.screens.conftest import session_of, settle, wait_until

AGE = f"age{HOSTILE}"
CITY = f"city{IN_A_CELL}"
FLU = f"flu{HOSTILE}"
EVERYWHERE = {"ctrl+p", "ctrl+o", "ctrl+s", "f1", "question_mark", "ctrl+z", "ctrl+y"}
"""Pressed on one screen only."""
MOTIONS = {"ctrl+q", "q", "ctrl+c", "tab", "shift+tab", "escape", "left", "up", "home", "end"}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that goes to the terminal, as the application writes it."""
    written: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "is_headless", property(lambda driver: False))
    monkeypatch.setattr(HeadlessDriver, "write", lambda driver, data: written.append(data))
    return written


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / f"folder{HOSTILE}".replace("/", "|")
    folder.mkdir()
    monkeypatch.chdir(folder)
    cities = [f"{name}{IN_A_CELL}" for name in ("Rome", "Oslo", "Bern")]
    table = folder / f"people{HOSTILE}.csv".replace("/", "|")
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([AGE, CITY, FLU])
        writer.writerows([20 + n, cities[n % 3], f"{'yn'[n % 2]}{HOSTILE}"] for n in range(12))
    label = {city: [f"{city[0]}{HOSTILE}"] for city in cities}
    path = folder / f"p{HOSTILE}.yaml".replace("/", "|")
    document = {
        "data": {"path": table.name, "header": True},
        "attributes": {
            AGE: {"role": "quasi", "kind": "numeric"},
            CITY: {
                "role": "quasi",
                "kind": "categorical",
                "hierarchy": {"levels": label},
                "rules": {"keep": [{"apart": cities[:2], "importance": 3}]},
            },
            FLU: {"role": "sensitive"},
        },
        "privacy": {"k": 2},
        "algorithm": {"name": "mondrian"},
    }
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def add_result(session: Session) -> None:
    run = start(session.project, task=session.task())
    session.results.append(conclude(run, session.project))


async def press_everything(pilot: Pilot[None], step: str) -> None:
    """Every key of ours in every pane, and what it opens once more with its own first keys."""
    app = pilot.app
    common = EVERYWHERE if step != "data" else set()
    tried: set[tuple[str, Any]] = set()
    for pane in range(max(len(app.screen.focus_chain), 1)):
        if pane < len(app.screen.focus_chain):
            app.screen.focus_chain[pane].focus()
        await settle(pilot)
        for key, active in sorted(app.screen.active_bindings.items()):
            known = (key, type(active.node))
            ours = type(active.node).__module__.startswith("kanon_tui")
            if (
                key in MOTIONS | common
                or known in tried
                or not ours
                or key.isdigit()
                or key[:4] == "alt+"
            ):
                continue
            tried.add(known)
            here = app.screen
            await pilot.press(key)
            await pilot.pause()
            await come_to_rest(pilot)  # a run that was started is stopped
            if app.screen is not here:
                await pilot.press("down", "tab", "enter")
                await come_to_rest(pilot)
            for _ in range(8):
                if app.screen is here or not isinstance(app.screen, Modal):
                    break
                app.screen.dismiss(None)
                await settle(pilot)
            if app.current_mode != step and not isinstance(here, Modal):
                app.switch_mode(step)
                await settle(pilot)


@pytest.mark.parametrize("step", [step for _, step, _ in STEPS])
async def test_nothing_hostile_reaches_the_terminal(
    step: str, project: Path, make_app, drawn: list[str]
) -> None:
    async with make_app(project).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        add_result(session)
        pilot.app.switch_mode(step)
        await settle(pilot)
        await press_everything(pilot, step)
        pilot.app.host.notify(f"said {IN_A_CELL}")
        pilot.app.notify(IN_A_CELL, title=IN_A_CELL)
        pilot.app.host.show_error(IN_A_CELL, ValueError(IN_A_CELL))
        pilot.app.copy_to_clipboard(IN_A_CELL)
        pilot.app.title = pilot.app.sub_title = IN_A_CELL
        await settle(pilot)
    everything = "".join(drawn)
    assert "OWNED" in everything  # the texts are shown, spelt out
    assert_harmless(everything.encode("utf-8"), sequences=True)


async def test_nothing_hostile_reaches_the_terminal_from_a_panel(
    project: Path, make_app, drawn: list[str]
) -> None:
    async with make_app(project).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        add_result(session)
        for name in ANALYSES:
            while session.undo() is not None:
                pass
            pilot.app.switch_mode("data")
            panel = panel_of(name)
            pilot.app.push_screen(panel)
            await settle(pilot)
            await press_everything(pilot, "data")
            shown = "".join(drawn)
            assert "OWNED" in shown, name
            assert_harmless(shown.encode("utf-8"), sequences=True)
            drawn.clear()
            while len(pilot.app.screen_stack) > 1:
                above = pilot.app.screen
                above.dismiss(None)
                await wait_until(pilot, lambda above=above: above not in pilot.app.screen_stack)


async def test_nothing_hostile_reaches_the_terminal_from_the_start_screen(
    project: Path, make_app, drawn: list[str]
) -> None:
    for _ in range(2):  # the second time with unsaved work of the first
        async with make_app(project).run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            await pilot.press("enter")
            await settle(pilot)
            await pilot.press("2", "o")
            await settle(pilot)
    async with make_app().run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        await settle(pilot)
        await pilot.press(*"fol", "tab", "down", "escape", "ctrl+p")
        await settle(pilot)
    everything = "".join(drawn)
    assert "OWNED" in everything
    assert_harmless(everything.encode("utf-8"), sequences=True)
