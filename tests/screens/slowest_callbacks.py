"""How long the event loop is held: the processor time of every callback, the longest first.

Processor time of the loop's own thread, not time on the clock: other threads and a busy machine do
not count.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Held", "holding_the_loop"]

Held = list[tuple[float, str]]
"""Seconds and what was called."""


@contextmanager
def holding_the_loop() -> Iterator[Held]:
    """Note what every callback takes while this is open; collecting garbage is put off."""
    held: Held = []
    original = asyncio.events.Handle._run

    def measured(handle: asyncio.events.Handle) -> None:
        what = repr(handle)
        started = time.thread_time()
        original(handle)
        held.append((time.thread_time() - started, what))

    gc.disable()
    asyncio.events.Handle._run = measured  # type: ignore[method-assign]
    try:
        yield held
    finally:
        asyncio.events.Handle._run = original  # type: ignore[method-assign]
        gc.enable()
        held.sort(reverse=True)
