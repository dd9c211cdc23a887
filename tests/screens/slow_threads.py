"""Threads that take their time, and keys that do not wait: what a busy machine does to a screen."""

from __future__ import annotations

import asyncio
import threading
import time
import unicodedata
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import Any

from textual import events
from textual.app import App


class SlowExecutor(ThreadPoolExecutor):
    """Threads that sleep a moment before and after their work."""

    def __init__(self, seed: int, longest: float) -> None:
        super().__init__()
        self._random = Random(seed)
        self._longest = longest

    def submit(self, work: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        before, after = (self._random.uniform(0, self._longest) for _ in range(2))

        def slowly() -> Any:
            time.sleep(before)
            try:
                return work(*args, **options)
            finally:
                time.sleep(after)

        return super().submit(slowly)


def slow_down(seed: int, longest: float = 0.04) -> None:
    """Make the threads of the running event loop slow."""
    asyncio.get_running_loop().set_default_executor(SlowExecutor(seed, longest))


def hold_threads() -> threading.Event:
    """Let work in the threads of the running event loop wait; give what lets it begin."""
    executor = ThreadPoolExecutor(max_workers=1)
    go_on = threading.Event()
    executor.submit(go_on.wait, 240)
    asyncio.get_running_loop().set_default_executor(executor)
    return go_on


def send_keys(app: App[Any], *keys: str) -> None:
    """Keys as they arrive in one packet: nothing is worked out between them."""
    for key in keys:
        character = key if len(key) == 1 else None
        if character is None:
            try:
                character = unicodedata.lookup(key.replace("_", " ").upper())
            except KeyError:
                character = None
        event = events.Key(key, character)
        event.set_sender(app)
        app.post_message(event)
