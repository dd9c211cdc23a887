"""The memory a run may take, the memory this process holds, and the refusal of what does not fit.

Freed memory stays with the process: the C library keeps it for what comes next, piece by piece, and
a limit is about what the process holds. Polars has an allocator of its own, which gives back what
was freed within about a second, in the background. On systems that do not tell, nothing is held.
"""

import ctypes
import gc
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import memory as machine_memory
from kanon_tui.core.reading import size_text

_LOOK_AGAIN = 0.4
"""Seconds between two checks whether more memory is given back, which begins slowly …"""
_PATIENCE = 6
"""… and the most such checks."""
_STILL = 0.99


def held_memory() -> int:
    """Return the bytes of memory that this process holds; 0 where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024
    return 0


def give_memory_back() -> None:
    """Free what nothing refers to and return freed memory to the system. Takes a moment."""
    gc.collect()
    with suppress(OSError, AttributeError):  # other C libraries have no malloc_trim
        ctypes.CDLL(None).malloc_trim(0)


def held_memory_at_rest() -> int:
    """Return the bytes held once all unused memory is given back; takes a second or two."""
    give_memory_back()
    now = held_memory()
    for _ in range(_PATIENCE):
        time.sleep(_LOOK_AGAIN)
        before = now
        now = held_memory()
        if now >= before * _STILL:
            break
    return now


AT_LEAST = 600_000_000
"""Bytes that any streaming run takes: Python with its libraries and one piece at work."""
_OF_EVERY_PROCESS = 250_000_000
"""The part of these bytes that any process holds after its first run: the libraries."""
_WITHOUT_PIECES = 300_000_000
"""The part of them that a run holds which has read its data."""
_TEXT_COPIES = 4
"""The number of copies of a list of values while it is used."""


@dataclass(frozen=True)
class MemoryLimit:
    """A limit on the bytes a run may take; 0 for most of what the machine has."""

    bytes: int = 0
    held: int = 0
    """Bytes the process holds beside the run: tables, screens, results of earlier runs."""

    def with_held_memory(self) -> Self:
        """Return the limit of a run that begins now in a process that holds memory already."""
        holds = held_memory()
        if self._is_large(holds):  # memory that was just freed does not count
            holds = held_memory_at_rest()
        return replace(self, held=max(holds - _OF_EVERY_PROCESS, 0))

    def tidy(self) -> None:
        """Give back memory that the last pass has freed, where it is worth the time."""
        if self._is_large(held_memory()):
            give_memory_back()

    def _is_large(self, holds: int) -> bool:
        return holds > self.allowed // 4

    @property
    def allowed(self) -> int:
        """The limit in bytes."""
        return self.bytes or int(machine_memory() * 0.8)

    @property
    def for_data(self) -> int:
        """The bytes left for values and tuples."""
        return max(self.allowed - AT_LEAST - self.held, 0)

    @property
    def for_arrays(self) -> int:
        """The bytes left for a run once the data has been read: no piece is at work any more."""
        return max(self.allowed - _WITHOUT_PIECES - self.held, 0)

    @property
    def _besides(self) -> str:
        """A clause on the memory that the process holds already, for the end of a message."""
        return f" beside the {size_text(self.held)} that this program holds" if self.held else ""

    def check_start(self) -> None:
        """Refuse a limit in which nothing can run."""
        if self.allowed < AT_LEAST + self.held:
            raise self._refusal(
                f"memory: {size_text(self.allowed)} is not enough for any run on a table in a "
                f"file, which takes {size_text(AT_LEAST)}{self._besides}"
            )

    def check_texts(self, text_bytes: Mapping[str, int]) -> None:
        """Refuse distinct texts that do not fit; `text_bytes` has their size by column."""
        if sum(text_bytes.values()) * _TEXT_COPIES <= self.for_data:
            return
        largest = max(text_bytes, key=lambda name: text_bytes[name])
        raise self._refusal(
            f"the distinct values of '{largest}' take {size_text(text_bytes[largest])} and do not "
            f"fit into {size_text(self.allowed)}{self._besides}",
            "leave the column out of the data",
        )

    def check_tuples(self, tuples: int, bytes_each: int, attributes: Mapping[str, int]) -> None:
        """Refuse distinct tuples that do not fit; `attributes` maps names to numbers of values."""
        if tuples * bytes_each <= self.for_data:
            return
        finest = max(attributes, key=lambda name: attributes[name])
        needed = AT_LEAST + tuples * bytes_each
        raise self._refusal(
            f"the data has more than {tuples:,} distinct combinations of its quasi-identifiers, "
            f"which need {size_text(needed)}{self._besides}, and {size_text(self.allowed)} are "
            "allowed",
            f"make the values of {finest} ({attributes[finest]:,} of them) coarser before, leave "
            "out a quasi-identifier",
        )

    def _refusal(self, problem: str, remedy: str = "") -> InputError:
        """Return an error with a remedy; allowing more memory is always one."""
        before = f"{remedy}, or " if remedy else ""
        allow_more = "allow more in the file of the project (run: {memory: 4GB})"
        if self.held:
            allow_more += ", or save it and run it as a command, which holds nothing else"
        return InputError(
            f"{problem}; {before}allow more with --memory",
            on_screen=f"{problem}; {before}{allow_more}",
        )
