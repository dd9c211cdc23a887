"""Keys typed ahead: each key waits until the one before it has had its effect.

Textual sends a key to the widget that has the focus when the key arrives. Several keys in one
packet (a fast typist, a slow line, a paste into the terminal) would all go to the widget that had
the focus before the first of them. `TypedKeys` passes a key on once the application is at rest and
no job is under way that the screen in front waits for, such as the content of a dialog.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode

MOST_LOOKS = 2_000
"""Looks, a millisecond apart, for the effect of a key on a screen that never comes to rest. A busy
machine looks less often and so waits longer."""
LEAVING = ("q", "ctrl+q", "ctrl+c", "escape")
"""Keys that are passed on at once while a loading mark covers the screen, or while no other key
waits before them."""


class TypedKeys:
    """Queue of the keys that have arrived and were not yet passed on to Textual."""

    def __init__(
        self,
        app: App[Any],
        pass_on: Callable[[events.Key], Awaitable[None]],
        is_held: Callable[[], bool],
    ) -> None:
        """Take a function that passes a key on, and one that says whether keys must wait."""
        self._app = app
        self._pass_on = pass_on
        self._is_held = is_held
        self._waiting: deque[events.Key] = deque()
        self._task: asyncio.Task[None] | None = None
        self._passing = False
        self._was_held = False
        """Whether what the job has brought that keys waited for may still be under way."""

    async def receive(self, key: events.Key) -> None:
        """Pass a key on now, or queue it behind those that wait."""
        is_held = self._is_held()
        if is_held and key.key in LEAVING and (self._app.screen.loading or not self._waiting):
            await self._pass_on(key)
            return
        self._waiting.append(key)
        self._was_held |= is_held
        if self._task is None or self._task.done():
            if not is_held and self._app.screen.is_mounted:
                await self._pass_on(self._waiting.popleft())
            self._task = asyncio.create_task(self._pass_on_in_turn())

    @property
    def waiting(self) -> int:
        """Number of keys that wait."""
        return len(self._waiting)

    def drop(self) -> None:
        """Forget the keys that wait: what they were meant for did not open."""
        self._waiting.clear()

    async def _pass_on_in_turn(self) -> None:
        """Pass on one key after the other until none waits."""
        await self._wait_until_idle()
        while self._app.is_running:  # a stopped application has no screen to ask about
            if self._is_held():
                self._was_held = True
            elif self._was_held:  # an edit, say, that was worked out comes before the next key
                self._was_held = False
            else:
                if not self._waiting:
                    return
                self._passing = True
                self._app.call_later(self._pass_on_next)  # the application handles exceptions
            await self._wait_until_idle()

    async def _pass_on_next(self) -> None:
        try:
            if self._waiting:
                await self._pass_on(self._waiting.popleft())
        finally:
            self._passing = False

    async def _wait_until_idle(self) -> None:
        """Wait until every widget in front has handled its messages, and these caused no others."""
        nodes = list[DOMNode]()
        handled = list[bool]()
        for _ in range(MOST_LOOKS):
            await asyncio.sleep(0.001)
            if not self._app.is_running:
                return
            waits = len(handled) < len(nodes)
            if waits and all(node.is_running and node.is_attached for node in nodes[1:]):
                continue
            if not self._is_idle():
                nodes = []
            elif nodes and not waits:
                return
            else:  # A message that is being handled is in no queue: a callback runs after it.
                nodes = self._nodes()
                handled = []
                for node in nodes:
                    node.call_later(_count_handled, handled)

    def _nodes(self) -> list[DOMNode]:
        """Return the application and what is on the screen in front."""
        return [self._app, *self._app.screen.walk_children(with_self=True)]

    def _is_idle(self) -> bool:
        app = self._app
        if self._passing or not app.screen_stack or not app.screen.is_mounted:
            return False
        return not any(node.message_queue_size for node in self._nodes())


def _count_handled(handled: list[bool]) -> None:
    """Note one more widget; Textual inspects the signature of `list.append` 20 times as long."""
    handled.append(True)
