"""Enter and escape, twice and four times in one packet, in every dialog that a key opens.

Keys are tried on every screen and pane; whatever opens a dialog is opened again for each packet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import SystemCommand
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList

from kanon_tui.app import KanonApp
from kanon_tui.core.editing.session import open_session
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.screens.analyses.generic import panel_of
from kanon_tui.screens.base import STEPS
from kanon_tui.screens.help_dialog import Palette
from kanon_tui.widgets.dialogs import Modal
from tests.screens.conftest import has_failed, session_of, settle, wait_until
from tests.screens.slow_threads import send_keys

PACKETS = (["enter"] * 2, ["enter"] * 4, ["escape"] * 4, ["enter", "escape", "enter"])
LEAVE_ALONE = {
    "ctrl+q", "q", "ctrl+c", "tab", "shift+tab", "up", "down", "left", "right", "home", "end",
    "pageup", "pagedown", "ctrl+home", "ctrl+end", "ctrl+pageup", "ctrl+pagedown", "escape",
    *(key for key, _, _ in STEPS), *(f"alt+{key}" for key, _, _ in STEPS),
}  # fmt: skip
"""Keys that quit, move or change screens: they open no dialog, or have a test of their own."""
DIALOGS = {
    "start": {"AskPath"},
    "data": {"AskText", "ReadingDialog", "Palette", "Help", "AskPath"},
    "attributes": {"AskText", "AssociationDialog"},
    "hierarchies": {"BuilderDialog", "AskPath", "AskText"},
    "rules": {"RuleDialog", "RuleSettings", "ResearchValues"},
    "results": {"WhyDialog", "CompareScreen", "Choose"},
    "what-if": {"ChooseAlgorithms", "AskText"},
    "attack": {"AskPath"},
    "trees": {"Choose"},
}
"""Some that must be met on each screen, so that a key that moved away does not empty the test."""


@pytest.fixture
async def pilot(sample: Callable[[str], Path], make_app, monkeypatch, tmp_path: Path):
    """A project with two results."""
    monkeypatch.chdir(tmp_path)
    async with make_app(sample("locations")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        for _ in range(2):
            run = start(session.project, task=session.task())
            session.results.append(replace(conclude(run, session.project), seconds=0.2))
        yield pilot


def screens_above(app: KanonApp) -> list[Screen[Any]]:
    """Screens that lie over another, of every mode."""
    return [screen for stack in app.host.background.stacks().values() for screen in stack[:0:-1]]


async def back_to(pilot: Pilot[None], name: str) -> Screen[Any]:
    """The screen as it was at the beginning, with nothing over it."""
    app = pilot.app
    assert isinstance(app, KanonApp)
    while above := screens_above(app):
        above[0].dismiss(None)
        await wait_until(pilot, lambda: above[0] not in screens_above(app))
    session = session_of(pilot)
    undone = False
    while session.undo() is not None:
        undone = True
    if not undone and app.current_mode == name and len(app.screen_stack) == 1:
        return app.screen  # it is there already
    if name in app.MODES:
        app.switch_mode(name)
    else:
        app.switch_mode("results")
        app.push_screen(panel_of(name))
    await settle(pilot)
    return app.screen


def panes(screen: Screen[Any]) -> Iterator[int]:
    yield from range(max(len(screen.focus_chain), 1))


async def focus_pane(pilot: Pilot[None], screen: Screen[Any], pane: int) -> None:
    if pane < len(screen.focus_chain) and not screen.focus_chain[pane].has_focus:
        screen.focus_chain[pane].focus()
        await settle(pilot)


async def open_dialog(pilot: Pilot[None], name: str, pane: int, key: str) -> Screen[Any] | None:
    """Press a key in a pane; gives the dialog that it opened."""
    screen = await back_to(pilot, name)
    await focus_pane(pilot, screen, pane)
    await pilot.press(key)
    await settle(pilot)
    assert not has_failed(pilot.app), key
    return pilot.app.screen if pilot.app.screen is not screen and _is_over(pilot) else None


async def keys_of_pane(pilot: Pilot[None], name: str, pane: int) -> list[tuple[str, object]]:
    """Keys of ours that work there, with what they belong to; those of every screen on one."""
    screen = await back_to(pilot, name)
    await focus_pane(pilot, screen, pane)
    everywhere = {"ctrl+p", "ctrl+o", "ctrl+s", "f1", "question_mark", "ctrl+z", "ctrl+y"}
    common = everywhere if name != "data" else set()
    return [
        (key, type(active.node))
        for key, active in sorted(screen.active_bindings.items())
        if key not in LEAVE_ALONE | common and _is_ours(active.node)
    ]


def _is_ours(node: object) -> bool:
    return type(node).__module__.startswith("kanon_tui")


def _is_over(pilot: Pilot[None]) -> bool:
    return isinstance(pilot.app.screen, Modal | CommandPalette)


@pytest.mark.parametrize("name", DIALOGS)
async def test_every_dialog_takes_doubled_keys(name: str, pilot: Pilot[None]) -> None:
    met: set[str] = set()
    tried: set[tuple[str, object]] = set()
    screen = await back_to(pilot, name)
    if _is_over(pilot):  # a panel that asks at once
        met.add(type(screen).__name__)
        for packet in PACKETS:
            await back_to(pilot, name)
            send_keys(pilot.app, *packet)
            await settle(pilot)
            assert not has_failed(pilot.app), packet
            assert pilot.app.is_running, packet
    for pane in panes(screen) if not met else ():
        for key, owner in await keys_of_pane(pilot, name, pane):
            if (key, owner) in tried:
                continue
            tried.add((key, owner))
            if await open_dialog(pilot, name, pane, key) is None:
                continue
            dialog = type(pilot.app.screen).__name__
            # Dialogs of one kind share their way of closing: one packet each, all for the first.
            packets = PACKETS if dialog not in met else PACKETS[len(tried) % len(PACKETS) :][:1]
            met.add(dialog)
            for number, packet in enumerate(packets):
                if number:  # the first finds the dialog open
                    await open_dialog(pilot, name, pane, key)
                send_keys(pilot.app, *packet)
                await settle(pilot)
                assert not has_failed(pilot.app), (key, dialog, packet)
                assert pilot.app.is_running, (key, dialog, packet)
    assert met >= DIALOGS[name], met


@pytest.mark.parametrize("packet", PACKETS)
async def test_the_question_before_leaving_takes_doubled_keys(
    packet: list[str], pilot: Pilot[None], sample
) -> None:
    app = pilot.app
    session = session_of(pilot)
    session.edit(replace(session.project, seed=9), "seed")
    send_keys(app, "ctrl+q", "ctrl+q")
    await settle(pilot)
    send_keys(app, *packet)
    await settle(pilot)
    assert not has_failed(app)
    if app.is_running:
        assert session.dirty
    else:
        assert app.return_code == 0


@pytest.mark.parametrize("packet", PACKETS)
async def test_offers_and_errors_take_doubled_keys(
    packet: list[str], sample, make_app, tmp_path: Path
) -> None:
    """The offer of unsaved work, the question about a changed file, and a message."""
    path = sample("datafly")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        send_keys(pilot.app, *packet)
        await settle(pilot)
        if pilot.app.host.session is not None:
            await pilot.press("2", "down", "s")
            await settle(pilot)
            other = open_session(path)
            other.edit(replace(other.project, seed=8), "seed")
            other.save()
            send_keys(pilot.app, "ctrl+s")
            await settle(pilot)
            send_keys(pilot.app, *packet)
            await settle(pilot)
        pilot.app.host.show_error("A mistake", ValueError())
        await settle(pilot)
        send_keys(pilot.app, *packet)
        await settle(pilot)
        assert not has_failed(pilot.app)
        assert pilot.app.is_running


async def test_a_packet_that_opens_and_answers(pilot: Pilot[None]) -> None:
    """The keys that ended the application when they came together."""
    enter = "enter"
    escape = "escape"
    for keys in (
        ["ctrl+p", *[enter] * 2],
        ["ctrl+p", *[escape] * 3],
        ["1", "number_sign", *[enter] * 2],
        ["ctrl+o", *[enter] * 3],
        ["2", "w", *[enter] * 2],
        ["ctrl+s", *[enter] * 4],
        [*["ctrl+o"] * 3, *[escape] * 4],
        [*["ctrl+p"] * 2, *[enter] * 2],
        ["6", "w", *[enter] * 2],
        ["6", "w", *[escape] * 4],
    ):
        send_keys(pilot.app, *keys)
        await settle(pilot)
        assert not has_failed(pilot.app), keys
        assert pilot.app.is_running, keys
        await back_to(pilot, "data")


async def test_the_palette_closes_once_and_runs_its_command_once(
    pilot: Pilot[None], monkeypatch
) -> None:
    app = pilot.app
    ran = []
    command = SystemCommand("Once more", "counted here", lambda: ran.append("again"))
    monkeypatch.setattr(KanonApp, "get_system_commands", lambda *_: [command])
    app.host.show_error("A mistake", ValueError())
    await settle(pilot)
    app.action_command_palette()
    await settle(pilot)
    assert isinstance(app.screen, Palette)
    await pilot.press(*"once")
    await wait_until(pilot, lambda: app.screen.query_one(OptionList).highlighted == 0)
    send_keys(app, "enter", "enter", "enter")
    await wait_until(pilot, lambda: not isinstance(app.screen, Palette))
    await settle(pilot)
    assert ran == ["again"]
