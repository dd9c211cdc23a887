"""Interruption: steps that signals must not separate, and cleaning up when a program ends.

`uninterrupted` delays signals during steps that belong together. `unfinished` and `helpers` are
removed by a program that ends at once; `written` lists the files it has written by then.
"""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError

ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Ctrl-C, a request to end, a closed terminal."""

unfinished: set[Path] = set()
"""Files that have not taken their final name yet, and folders of such files."""
helpers: set[subprocess.Popen[bytes]] = set()
"""Helper processes of this program."""
written: list[Path] = []
"""Files that have taken their final name, the latest last."""

Stop = Callable[[], bool]
"""Returns True once nobody waits for a piece of work any more."""


def never() -> bool:
    """Return False: the work goes on to its end."""
    return False


def check_stopped(stop: Stop) -> None:
    """Refuse to go on once nobody waits any more."""
    if stop():
        raise InputError("stopped")


def runs(process: int) -> bool:
    """Return whether a process with this number runs; True where it cannot be asked."""
    if os.name == "nt":  # a signal 0 is Ctrl-C there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # a process of another user
        return True
    return True


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay signals that arrive inside the block until it is over.

    Only the main thread handles signals; in any other the block cannot be interrupted anyway.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    handled = {n: h for n, h in handlers.items() if h not in (None, signal.SIG_IGN)}
    received: list[int] = []

    def remember(number: int, frame: Any) -> None:
        received.append(number)

    try:
        for number in handled:
            signal.signal(number, remember)
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


def clean_up() -> None:
    """Remove unfinished files and end helper processes, for a program that ends at once."""
    for path in tuple(unfinished):
        with suppress(OSError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    for helper in tuple(helpers):
        with suppress(OSError):
            helper.kill()
