"""Keys that arrive at once are passed on one at a time, and held back while work is under way."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input

from kanon_tui.services import typed_keys
from kanon_tui.services.typed_keys import TypedKeys
from kanon_tui.widgets.dialogs import Confirm
from tests.screens.slow_threads import send_keys


class TwoFields(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.typed_keys = TypedKeys(self, super().on_event)

    def compose(self) -> ComposeResult:
        yield Input(id="first")
        yield Input(id="second")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            await self.typed_keys.receive(event)
        else:
            await super().on_event(event)

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


async def test_keys_wait_for_the_end_of_work() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        with app.typed_keys.wait_for_work(app.screen):
            send_keys(app, "a", "b")
            await until(lambda: app.typed_keys.waiting == 2)
            assert app.texts() == ["", ""]
        await until(lambda: app.texts() == ["ab", ""])


async def fail_while_keys_wait(app: TwoFields) -> None:
    with app.typed_keys.wait_for_work(app.screen):
        send_keys(app, "a")
        await until(lambda: app.typed_keys.waiting == 1)
        raise ZeroDivisionError


async def test_keys_are_dropped_when_held_work_fails() -> None:
    async with TwoFields().run_test() as pilot:
        with pytest.raises(ZeroDivisionError):
            await fail_while_keys_wait(pilot.app)
        send_keys(pilot.app, "b")
        await until(lambda: pilot.app.texts() == ["b", ""])


async def test_keys_do_not_wait_for_ever(monkeypatch) -> None:
    monkeypatch.setattr(typed_keys, "LONGEST_WAIT", 0.02)
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        with app.typed_keys.wait_for_work(app.screen):
            send_keys(app, "a", "b")
            await until(lambda: app.texts() == ["ab", ""])


async def test_escape_is_passed_on_while_the_screen_waits_for_work() -> None:
    async with TwoFields().run_test() as pilot:
        app, pressed = pilot.app, list[str]()
        app.typed_keys = TypedKeys(app, lambda key: _note(pressed, key))
        with app.typed_keys.wait_for_work(app.screen):
            send_keys(app, "escape", "a", "escape")
            await until(lambda: pressed == ["escape"] and app.typed_keys.waiting == 2)


async def test_keys_of_a_dialog_do_not_wait_for_work_of_the_screen_below() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        with app.typed_keys.wait_for_work(app.screen):
            dialog = Confirm("A question", "?")
            await app.push_screen(dialog)
            send_keys(app, "y")
            await until(lambda: app.screen is not dialog)


async def _note(pressed: list[str], key: events.Key) -> None:
    pressed.append(key.key)
