"""Watching over a query to a database file, which anybody may have made.

A view can be endless: it gives no row, ever, or row upon row, or fills the memory before the first
one. SQLite asks its watch every few steps whether to go on, and thereby lets Python handle signals;
DuckDB handles them by itself and is interrupted by a clock.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.processes.memory_limit import held_memory
from kanon_tui.core.table.data_files import Limit, byte_limit, too_large

PATIENCE = 600.0
"""Seconds that a query may take until its next rows."""
STEPS = 200
"""Steps of SQLite between two questions, each of which can make a long text."""
EXPANSION = 4
"""The memory of an answer while it is read, in multiples of the size of its text."""
_LOOK = 0.02
"""Seconds between two looks at the memory."""


class QueryWatch:
    """Tells SQLite, which calls it, whether to stop a query, and says why it had to."""

    def __init__(self, file: Path, limit: Limit) -> None:
        self.refusal: InputError | None = None
        """Why the query was stopped; None while it may go on."""
        self._file = file
        self._limit = limit
        self._memory_before = held_memory()
        self._next_look = 0.0
        self.restart()

    def restart(self) -> None:
        """Begin to wait for the next rows."""
        self._deadline = time.monotonic() + PATIENCE

    def __call__(self) -> bool:
        """Return whether the query has to stop."""
        time_now = time.monotonic()
        if time_now < self._next_look:
            return False
        self._next_look = time_now + _LOOK
        if held_memory() - self._memory_before > EXPANSION * byte_limit(self._limit):
            self.refusal = too_large(self._file, self._limit)
        elif time_now > self._deadline:
            self.refusal = too_slow(self._file)
        return self.refusal is not None


@contextmanager
def interrupted_late(connection: Any) -> Iterator[None]:
    """Interrupt what a DuckDB connection does in the block, where it takes too long.

    DuckDB turns the exception of a signal into one of its own, which is turned back.
    """
    clock = threading.Timer(PATIENCE, connection.interrupt)
    clock.daemon = True
    clock.start()
    try:
        yield
    except RuntimeError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            connection.interrupt()  # otherwise its threads go on, and closing waits for them
            raise error.__cause__ from None
        raise
    finally:
        clock.cancel()


def too_slow(file: Path) -> InputError:
    """Return the refusal of a table or query that may never end."""
    return InputError(
        f"{file.name}: no record came within {PATIENCE:,.0f} seconds; a view of the file may be "
        "endless: name a table as data.sheet, or write a query of fewer steps"
    )
