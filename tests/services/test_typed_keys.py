"""Keys that arrive at once are passed on one at a time, and held back while work is under way."""

from __future__ import annotations

import asyncio
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Input

from kanon_tui.services.typed_keys import TypedKeys
from kanon_tui.widgets.dialogs import Confirm
from kanon_tui.widgets.status_line import NO_MESSAGE
from tests.screens.slow_threads import send_keys


class TwoFields(App[None]):
    status_message = NO_MESSAGE

    def __init__(self) -> None:
        super().__init__()
        self.held: Screen[Any] | None = None
        """The screen whose keys wait."""
        self.typed_keys = TypedKeys(self, super().on_event, self.is_held)

    def compose(self) -> ComposeResult:
        yield Input(id="first", select_on_focus=False)
        yield Input(id="second", select_on_focus=False)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            await self.typed_keys.receive(event)
        else:
            await super().on_event(event)

    def is_held(self) -> bool:
        return self.screen is self.held

    def texts(self) -> list[str]:
        return [field.value for field in self.query(Input)]


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_key_goes_to_what_the_key_before_it_focused() -> None:
    async with TwoFields().run_test() as pilot:
        send_keys(pilot.app, "a", "tab", "b", "shift+tab", "end", "c")
        await until(lambda: pilot.app.texts() == ["ac", "b"])


async def test_keys_wait_for_the_end_of_work_or_are_dropped() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        app.held = app.screen
        send_keys(app, "a", "b")
        await until(lambda: app.typed_keys.waiting == 2)
        assert app.texts() == ["", ""]
        app.held = None
        await until(lambda: app.texts() == ["ab", ""])
        app.held = app.screen
        send_keys(app, "c")
        await until(lambda: app.typed_keys.waiting == 1)
        app.typed_keys.drop()
        app.held = None
        send_keys(app, "d")
        await until(lambda: app.texts() == ["abd", ""])


async def test_a_key_finds_what_the_end_of_work_brings() -> None:
    async with TwoFields().run_test() as pilot:
        app, (first, second) = pilot.app, pilot.app.query(Input)

        async def bring() -> None:
            await asyncio.sleep(0.02)
            second.focus()

        for number in range(1, 9):
            first.focus()
            app.held = app.screen
            send_keys(app, "a")
            await until(lambda: app.typed_keys.waiting == 1)
            app.call_later(bring)
            app.held = None
            await until(lambda n=number: sum(map(len, app.texts())) == n)
        assert app.texts() == ["", "a" * 8]


async def test_escape_is_passed_on_while_the_screen_waits_for_work() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        pressed = list[str]()
        app.typed_keys = TypedKeys(app, lambda key: _note(pressed, key), lambda: True)
        send_keys(app, "escape", "a", "escape")
        await until(lambda: pressed == ["escape"] and app.typed_keys.waiting == 2)


async def test_keys_of_a_dialog_do_not_wait_for_work_of_the_screen_below() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        app.held = app.screen
        dialog = Confirm("A question", "?")
        await app.push_screen(dialog)
        send_keys(app, "y")
        await until(lambda: app.screen is not dialog)


async def test_nothing_is_asked_of_an_application_that_has_ended() -> None:
    """Keys wait for work when it ends, and it has no screen any more."""
    before = asyncio.all_tasks()
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        asked = list[bool]()
        app.typed_keys = TypedKeys(app, app.on_event, lambda: asked.append(app.is_running) is None)
        send_keys(app, "a")
        await until(lambda: len(asked) > 1)
    await until(lambda: asyncio.all_tasks() <= before)
    assert all(asked)


async def _note(pressed: list[str], key: events.Key) -> None:
    pressed.append(key.key)
