"""Threads that take their time, and keys that do not wait: what a busy machine does to a screen."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from textual import events
from textual.app import App


def slow_down(monkeypatch: pytest.MonkeyPatch, seed: int, longest: float = 0.04) -> None:
    """Every thread sleeps a moment before and after its work."""
    random, start = Random(seed), asyncio.BaseEventLoop.run_in_executor

    def run_in_executor(
        loop: asyncio.BaseEventLoop, executor: Any, work: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        before, after = random.uniform(0, longest), random.uniform(0, longest)

        def slowly() -> Any:
            time.sleep(before)
            try:
                return work(*args)
            finally:
                time.sleep(after)

        return start(loop, executor, slowly)

    monkeypatch.setattr(asyncio.BaseEventLoop, "run_in_executor", run_in_executor)


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
