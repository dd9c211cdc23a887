"""Keys that arrive at once are passed on one at a time, and held back while work is under way."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input

from kanon_tui.services.typed_keys import TypedKeys
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


async def test_keys_wait_for_the_end_of_a_hold() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        with app.typed_keys.hold():
            send_keys(app, "a", "b")
            await until(lambda: app.typed_keys.waiting == 2)
            assert app.texts() == ["", ""]
        await until(lambda: app.texts() == ["ab", ""])


async def fail_while_keys_wait(app: TwoFields) -> None:
    with app.typed_keys.hold():
        send_keys(app, "a")
        await until(lambda: app.typed_keys.waiting == 1)
        raise ZeroDivisionError


async def test_keys_are_dropped_when_held_work_fails() -> None:
    async with TwoFields().run_test() as pilot:
        with pytest.raises(ZeroDivisionError):
            await fail_while_keys_wait(pilot.app)
        send_keys(pilot.app, "b")
        await until(lambda: pilot.app.texts() == ["b", ""])


async def test_a_hold_ends_after_its_time() -> None:
    async with TwoFields().run_test() as pilot:
        app = pilot.app
        with app.typed_keys.hold(0.02):
            send_keys(app, "a", "b")
            await until(lambda: app.texts() == ["ab", ""])
