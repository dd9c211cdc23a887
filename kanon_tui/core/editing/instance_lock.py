"""Whether the program that left a file is still there.

Every running program holds a lock on a small file of its own. The system takes the lock away when
the program ends, however it ends, so nothing is left behind that looks alive.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import IO

from kanon_tui.core.editing.state_folder import write_state

__all__ = ["InstanceLock", "is_alive"]

_ENDING = ".lock"


class InstanceLock:
    """Says that this program is there, until it is let go or the program ends."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._place = folder / (self.name + _ENDING)
        self._file: IO[bytes] | None = None

    def hold(self) -> None:
        """Take the lock; a folder that cannot be written to has nothing to guard either."""
        if self._file is not None:
            return
        write_state(self._place, "")
        with suppress(OSError):
            self._file = self._place.open("rb")
            _try_to_lock(self._file)

    def let_go(self) -> None:
        """This program has nothing here any more."""
        if self._file is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)
            self._file.close()
            self._file = None


def is_alive(folder: Path, name: str) -> bool:
    """Whether the program of this name still holds its lock; what a dead one left is removed."""
    place = folder / (name + _ENDING)
    try:
        with place.open("rb") as file:
            if not _try_to_lock(file):
                return True
            place.unlink(missing_ok=True)
            return False
    except OSError:
        return False


def _try_to_lock(file: IO[bytes]) -> bool:
    """Whether the lock was free. On a system without locks everybody seems to be gone."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: the next best sign
        return not _runs(int(Path(file.name).name.partition("-")[0]))
    return True


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
