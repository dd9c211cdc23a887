"""Leaving while an accepted change is being worked out: it is never lost without a question."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kanon_tui.core.editing.session import Session
from kanon_tui.core.editing.state_folder import RecoveryStore
from kanon_tui.core.table.column import Kind
from kanon_tui.widgets.dialogs import Confirm
from tests.screens.conftest import session_of, settle, status_text, wait_until
from tests.screens.slow_threads import hold_threads

Holds = Callable[[Session], bool]
WALKS: dict[str, tuple[str, str, Holds]] = {
    "a builder": (
        "3 enter b",
        "ctrl+r",
        lambda session: "builder" in session.attribute("zip").hierarchy,
    ),
    "a kind": (
        "2 k down",
        "enter",
        lambda session: session.attribute("zip").kind is not Kind.CATEGORICAL,
    ),
    "another name": ("R p l z", "enter", lambda session: "plz" in session.table.names),
}
"""Keys that lead to a dialog, keys that accept it, and what holds once the change is made."""


@pytest.mark.parametrize("walk", WALKS)
async def test_leaving_asks_while_a_change_is_worked_out(sample, make_app, walk) -> None:
    to_dialog, accept, is_made = WALKS[walk]
    async with make_app(sample("patients")).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for key in to_dialog.split():
            await pilot.press(key)
            await settle(pilot)
        go_on = hold_threads()
        app = pilot.app
        await pilot.press(accept)
        await wait_until(pilot, lambda: app.host.background.holds_keys)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: isinstance(app.screen, Confirm))
        go_on.set()
        await pilot.press("n")
        await wait_until(pilot, lambda: is_made(session_of(pilot)))
        await settle(pilot)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await wait_until(pilot, lambda: not app.is_running)


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+o"])
async def test_a_question_that_is_in_front_is_not_asked_twice(sample, make_app, key) -> None:
    async with make_app(sample("patients")).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for each in ("2", "down", "s", key, key, key):
            await pilot.press(each)
            await settle(pilot)
        assert len(pilot.app.screen_stack) == 2


async def test_edits_that_cannot_be_kept_are_told_and_not_lost(
    sample, make_app, monkeypatch
) -> None:
    async with make_app(sample("patients")).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        with monkeypatch.context() as fault:
            fault.setattr(RecoveryStore, "keep", lambda self, session: [].pop())
            for key in ("2", "down", "s"):
                await pilot.press(key)
                await settle(pilot)
            await wait_until(pilot, lambda: "ctrl+s" in status_text(pilot))
        assert session_of(pilot).dirty
