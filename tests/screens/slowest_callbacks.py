"""How long the event loop is held: the processor time between two looks at it, the longest first.

Processor time of the loop's own thread, not time on the clock: other threads and a busy machine do
not count.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

EVERY = 0.001
"""Seconds between two looks while nothing holds the loop."""

Held = list[float]
"""Seconds of processor time; what came between two looks had to be waited for by a key."""


@contextmanager
def holding_the_loop() -> Iterator[Held]:
    """Note how long the loop is held while this is open; collecting garbage is put off."""
    loop = asyncio.get_running_loop()
    held = []
    before = time.thread_time()

    def look() -> None:
        nonlocal before, timer
        now = time.thread_time()
        held.append(now - before)
        before = now
        timer = loop.call_later(EVERY, look)

    gc.disable()
    timer = loop.call_later(EVERY, look)
    try:
        yield held
    finally:
        timer.cancel()
        gc.enable()
        held.sort(reverse=True)
