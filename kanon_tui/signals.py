"""Ctrl-C, a request to end and a closed terminal end the program at once, wherever it is.

An exception at a random place can be swallowed (in a finaliser), turned into another one (inside a
library) or leave an import half done. So nothing is raised: unfinished files are removed, one
sentence is printed and the process ends with 128 and the number of the signal. Steps that belong
together delay signals (`core.processes.interruption.uninterrupted`).

The application is asked to end by itself; it is ended if it has not done so after some seconds, or
at the next signal. A terminal may also vanish without a signal that arrives: nohup ignores it, and
only some processes are sent it.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kanon_tui.core.processes.interruption import ENDING_SIGNALS, clean_up, written
from kanon_tui.core.text import joined, visible

PATIENCE = 5.0
"""Seconds the application has to end by itself."""

LOOK = 0.5
"""Seconds between two checks whether the terminal is still there."""

_HANG_UP = 1
"""The number of SIGHUP, also on a system that does not have this signal."""

LeaveHandler = tuple[Callable[[int], bool], Callable[[], None]]
_handlers: list[LeaveHandler] = []
_SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"


def code_of(number: int) -> int:
    """Return the exit code of a program that a signal has ended: 130 for Ctrl-C."""
    return 128 + number


def end_at_signals() -> None:
    """Let signals end this process from now on; ignored ones, as by nohup, stay ignored."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


@contextmanager
def leaving_at_signals(ask: Callable[[int], bool], restore: Callable[[], None]) -> Iterator[None]:
    """Ask the application to leave when a signal comes; `ask` returns False if it cannot.

    `restore` gives the terminal back when it has to be ended. A terminal that vanishes is taken
    for a signal that it does.
    """
    handler = ask, restore
    _handlers.append(handler)
    if os.isatty(0):
        threading.Thread(target=_end_without_terminal, args=(handler,), daemon=True).start()
    try:
        yield
    finally:
        _handlers.clear()


def interrupted() -> str:
    """Return the sentence about an interruption and what had been written."""
    names = joined([path.name for path in dict.fromkeys(written)])
    return f"interrupted; {names} had been written" if names else "interrupted; nothing was written"


def _end_without_terminal(handler: LeaveHandler) -> None:
    """End as if hung up when the terminal is gone and no signal has come by the second look."""
    gone = False
    while handler in _handlers:
        if gone:
            _end(_HANG_UP, None)
            return
        gone = not os.isatty(0)
        time.sleep(LOOK)


def _end(number: int, frame: Any) -> None:
    if _handlers:
        ask, restore = _handlers.pop()
        if ask(number):
            late = threading.Timer(PATIENCE, _end_now, (number, restore))
            late.daemon = True
            late.start()
            _handlers.append((lambda _: False, restore))
            return
        _end_now(number, restore)
    _end_now(number)


def _end_now(number: int, restore: Callable[[], None] = lambda: None) -> None:
    try:
        clean_up()
        restore()
        start = _SHOW_CURSOR if os.isatty(2) else ""
        os.write(2, f"{start}kanon-tui: {visible(interrupted())}\n".encode(errors="replace"))
    finally:
        with suppress(BaseException):
            os._exit(code_of(number))


_AS_IT_WAS = b"".join(
    b"\x1b[" + code
    for code in (
        b"<u", b"?1000l", b"?1002l", b"?1003l", b"?1006l", b"?1015l", b"?1004l", b"?2004l",
        b"?1049l", b"?25h", b"0m",
    )
)  # fmt: skip
"""No reports of keys, mouse, focus and pasting; the former screen, a cursor, plain letters."""


def terminal_restorer() -> Callable[[], None]:
    """Return a function that restores the present settings of the terminal at any moment."""
    try:
        import termios

        before = termios.tcgetattr(sys.stdin.fileno())
    except (ImportError, OSError, ValueError, AttributeError):
        return lambda: None
    except termios.error:  # standard input is no terminal
        return lambda: None

    def restore() -> None:
        with suppress(OSError):
            os.write(sys.__stdout__.fileno() if sys.__stdout__ else 1, _AS_IT_WAS)
        with suppress(termios.error):
            termios.tcsetattr(0, termios.TCSANOW, before)

    return restore
