"""The application in a terminal of its own, to see what really reaches one."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.paths import ROOT

LONGEST_WAIT = 120.0
"""Seconds that nothing takes, however slow the machine."""
QUIET = 0.4
"""Seconds without a byte after which a picture counts as painted."""


class Terminal:
    """The screen's side of a pseudo-terminal: keys go in, bytes come out."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def press(self, keys: bytes) -> bytes:
        """Send keys and give what the application painted because of them."""
        os.write(self._descriptor, keys)
        return self.painted()

    def painted(self) -> bytes:
        """Wait for bytes, and then until no more come."""
        return self.wait_for(b"")

    def wait_for(self, text: bytes) -> bytes:
        """Everything up to a text and until no more comes."""
        received = b""
        deadline = time.monotonic() + LONGEST_WAIT
        while not (received and text in received and not self._readable(QUIET)):
            if self._readable(QUIET):
                received += os.read(self._descriptor, 1 << 16)
            assert time.monotonic() < deadline, received[-500:]
        return received

    def _readable(self, seconds: float) -> bool:
        return bool(select.select([self._descriptor], [], [], seconds)[0])


@contextmanager
def application(file: Path, state: Path, columns: int = 120, lines: int = 40) -> Iterator[Terminal]:
    """The application on a file, in a terminal of this size; ended however the test ends."""
    process, descriptor = pty.fork()
    if process == 0:
        os.environ |= {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(state),
            "XDG_CONFIG_HOME": str(state),
        }
        os.execv(sys.executable, [sys.executable, "-m", "kanon_tui", str(file)])
    try:
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        yield Terminal(descriptor)
    finally:
        os.kill(process, signal.SIGKILL)
        os.close(descriptor)
        os.waitpid(process, 0)
