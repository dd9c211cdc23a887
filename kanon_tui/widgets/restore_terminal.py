"""The terminal as it was, when the application cannot give it back itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

__all__ = ["terminal_restorer"]

_AS_IT_WAS = b"".join(
    b"\x1b[" + code
    for code in (
        b"<u", b"?1000l", b"?1002l", b"?1003l", b"?1006l", b"?1015l", b"?1004l", b"?2004l",
        b"?1049l", b"?25h", b"0m",
    )
)  # fmt: skip
"""No reports of keys, mouse, focus and pasting; the former screen, a cursor, plain letters."""


def terminal_restorer() -> Callable[[], None]:
    """Remembers the settings of the terminal; gives what brings them back at any moment."""
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
