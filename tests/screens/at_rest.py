"""When an application has come to rest: what tests of screens wait for.

Textual's pilot sends a message to every widget and then sleeps until the processor seems idle,
for every key and every pause. What it waits for can be asked instead: whether the event loop has
anything to go on with, and whether a message is being handled anywhere.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from textual._context import active_app
from textual.app import App
from textual.message_pump import MessagePump
from textual.pilot import Pilot

PATIENCE = 0.5
"""Seconds of this thread's work after which a pilot waits as Textual does: something never comes to
rest. On a busy machine they are longer than seconds of the clock."""
LONGEST = 5.0
"""Seconds of the clock after which it does so in any case."""
SOON = 0.003
"""Seconds; what is to happen so soon is waited for: keys follow one another by timers."""

_wait_for_screen = Pilot._wait_for_screen


async def come_to_rest(app: App[Any]) -> bool:
    """Let all go on that can, until nothing can and the screen is laid out; whether it came so."""
    loop, quiet = asyncio.get_running_loop(), 0
    worked, end = time.thread_time() + PATIENCE, time.monotonic() + LONGEST
    while quiet < 2:
        await asyncio.sleep(0)
        if app._exception is not None or time.thread_time() > worked or time.monotonic() > end:
            return False
        if loop._ready:  # type: ignore[attr-defined]
            quiet = 0
        elif (due := _next_timer(loop)) < SOON or _is_handling(app):
            quiet = 0
            await asyncio.sleep(min(max(due, 0.0), 0.001))
        elif _waits_for_a_frame(app):
            quiet = 0
            app.screen._on_timer_update()
        else:
            quiet += 1
    return True


def _next_timer(loop: asyncio.AbstractEventLoop) -> float:
    """Seconds until the next of the timers acts."""
    waiting = (each for each in loop._scheduled if not each._cancelled)  # type: ignore[attr-defined]
    return min((each._when for each in waiting), default=float("inf")) - loop.time()


def _is_handling(app: App[Any]) -> bool:
    """Whether a message waits or is being handled, by the application or on its front screen.

    A new size of the terminal is such a message, which waits a moment for the next.
    """
    if not app.screen_stack:
        return False
    if app._resize_timer is not None:
        return True
    return any(map(_is_busy, (app, *app.screen.walk_children(with_self=True))))


def _is_busy(node: MessagePump) -> bool:
    queue = node._message_queue
    if queue.values or node._pending_message is not None or node._next_callbacks:
        return True
    waits = bool(queue.ready_event._waiters)  # type: ignore[attr-defined]
    return not waits and node.is_running and not (node._closing or node._closed)


def _waits_for_a_frame(app: App[Any]) -> bool:
    """Whether the front screen is to be laid out or drawn with the next frame."""
    if not app.screen_stack or not app.screen.is_running:
        return False
    return app.screen._update_timer._active.is_set()


async def wait_for_screen(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """As a pilot does, without a message to every widget where there is none to wait for."""
    if await come_to_rest(pilot.app):
        return True
    return await _wait_for_screen(pilot, timeout)


async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """As Textual does, without looking at the clock of the processor."""
    await come_to_rest(active_app.get())
