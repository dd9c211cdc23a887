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
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.paths import ROOT

LONGEST_WAIT = 120.0
"""Seconds that nothing takes, however slow the machine."""
QUIET = 0.4
"""Seconds without a byte after which a picture counts as painted."""
STILL = 3.0
"""Seconds without a byte after which figures that are filled in count as filled in."""
COLOURS = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


class Terminal:
    """The screen's side of a pseudo-terminal: keys go in, bytes come out."""

    def __init__(self, process: int, descriptor: int) -> None:
        self.process = process
        self._descriptor = descriptor
        self.code: int | None = None
        """What the application ended with, once it is known."""

    def press(self, keys: bytes) -> bytes:
        """Send keys and give what the application painted because of them."""
        self.send(keys)
        return self.painted()

    def send(self, keys: bytes) -> None:
        """Send keys and do not wait."""
        os.write(self._descriptor, keys)

    def pieces(self) -> Iterator[bytes]:
        """What is painted, as it comes, until nothing more does."""
        while self._readable(STILL):
            yield os.read(self._descriptor, 1 << 16)

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

    def vanish(self) -> int:
        """Take the terminal away, and give what the application ends with."""
        os.close(self._descriptor)
        deadline = time.monotonic() + LONGEST_WAIT
        while not (ended := os.waitpid(self.process, os.WNOHANG))[0]:
            assert time.monotonic() < deadline, "it goes on without a terminal"
            time.sleep(0.02)
        self.code = os.waitstatus_to_exitcode(ended[1])
        return self.code

    def end(self) -> None:
        """End the application if it has not ended, and wait for it."""
        if self.code is None:
            os.kill(self.process, signal.SIGKILL)
            with suppress(OSError):  # it has vanished already
                os.close(self._descriptor)
            os.waitpid(self.process, 0)

    def _readable(self, seconds: float) -> bool:
        return bool(select.select([self._descriptor], [], [], seconds)[0])


@contextmanager
def application(
    file: Path,
    state: Path,
    columns: int = 120,
    lines: int = 40,
    ignored: Collection[signal.Signals] = (),
    environment: Mapping[str, str] = COLOURS,
    command: Sequence[str] = (sys.executable, "-m", "kanon_tui"),
    folder: Path = Path(),
) -> Iterator[Terminal]:
    """The application on a file, in a terminal of this size; ended however the test ends."""
    process, descriptor = pty.fork()
    if process == 0:
        for name in ("TERM", "COLORTERM", "NO_COLOR"):
            os.environ.pop(name, None)
        os.environ |= {
            **environment,
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(state),
            "XDG_CONFIG_HOME": str(state),
        }
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        os.chdir(folder)
        os.execv(command[0], [*command, str(file)])
    terminal = Terminal(process, descriptor)
    try:
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        yield terminal
    finally:
        terminal.end()
