"""Keys come one after the other, however fast they arrive.

Textual sends a key to what has the focus when the key arrives, and looks for its binding later.
Several keys in one packet (a fast typist, a slow line, a paste into the terminal) then all go to
what had the focus before the first of them. Here a key waits until the one before it has had its
effect, and while a file is opened all wait for it: they are meant for what it shows.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from textual import events
from textual.app import App

__all__ = ["LONGEST_HOLD", "TypingAhead"]

LONGEST_WAIT = 4.0
"""Seconds for the effect of one key; a screen that is never at rest must not swallow the next."""
LOOKS = 2
"""How often in a row a screen must be found at rest: a message may be on its way."""
LONGEST_HOLD = 10.0
"""Seconds for a dialog that has to be worked out before it opens."""
LEAVING = ("q", "ctrl+q", "ctrl+c", "escape")
"""Keys that are for now while others wait, unless those wait for a moment only: then they leave
what those bring."""


class TypingAhead(App[None]):
    """An application that takes keys one at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting_keys: deque[events.Key] = deque()
        self._taking_keys: asyncio.Task[None] | None = None
        self._holds = 0
        """How many jobs keys wait for."""
        self._endless = 0
        """How many of them may take any time."""
        self._released = asyncio.Event()
        self._released.set()

    @contextmanager
    def hold_keys(self, longest: float = math.inf) -> Iterator[None]:
        """Keys that come meanwhile wait for the end of this; when it fails, they are dropped.

        Work that newer work replaces has not failed. They wait so many seconds at most: what takes
        longer must not keep anybody from going on.
        """
        self._holds += 1
        self._endless += longest == math.inf
        self._released.clear()
        waiting = ExitStack()
        waiting.callback(self._let_go)
        if longest < math.inf:
            timer = asyncio.get_running_loop().call_later(longest, waiting.close)
            waiting.callback(timer.cancel)
        try:
            yield
        except Exception:
            self.drop_keys()
            raise
        finally:
            self._endless -= longest == math.inf
            waiting.close()

    def _let_go(self) -> None:
        self._holds -= 1
        if not self._holds:
            self._released.set()

    def drop_keys(self) -> None:
        """Forget keys that wait: what they were meant for did not come about."""
        self._waiting_keys.clear()

    async def on_event(self, event: events.Event) -> None:
        """Let a key through when the one before it is done with."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        if self._holds and self._is_for_now(event.key):
            await super().on_event(event)
            return
        self._waiting_keys.append(event)
        if self._taking_keys is None or self._taking_keys.done():
            if not self._holds:
                await self._take_key()
            self._taking_keys = asyncio.create_task(self._take_keys())

    def _is_for_now(self, key: str) -> bool:
        return key in LEAVING and (self._endless > 0 or not self._waiting_keys)

    async def _take_key(self) -> None:
        if self.screen_stack and not self.screen.is_mounted:
            await self.screen._mounted_event.wait()
        await super().on_event(self._waiting_keys.popleft())

    async def _take_keys(self) -> None:
        """Wait for the effect of the last key, then take the next, until there is none."""
        while True:
            await self._released.wait()
            await self._effect_seen()
            if self._holds:
                continue
            if not self._waiting_keys or not self.is_running:
                return
            try:
                await self._take_key()
            except Exception as error:
                self._handle_exception(error)
                return

    async def _effect_seen(self) -> None:
        deadline = asyncio.get_running_loop().time() + LONGEST_WAIT
        quiet = 0
        while quiet < LOOKS and self.is_running:
            await asyncio.sleep(0.001)
            quiet = quiet + 1 if self._at_rest() else 0
            if asyncio.get_running_loop().time() > deadline:
                return

    def _at_rest(self) -> bool:
        """Whether no message waits, neither here nor on the screen in front."""
        if self.message_queue_size or not self.screen_stack or not self.screen.is_mounted:
            return False
        nodes = self.screen.walk_children(with_self=True)
        return not any(node.message_queue_size or node._next_callbacks for node in nodes)
