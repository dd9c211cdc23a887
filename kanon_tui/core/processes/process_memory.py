"""What this process holds of the machine's memory, and giving back what nobody uses.

Freed memory stays with the process: the C library keeps it for what comes next, piece by piece, and
a limit is about what the process holds. Polars has a library of its own for that, which gives back
what was freed within about a second, in the background. On systems that do not tell, nothing is
held.
"""

from __future__ import annotations

import ctypes
import gc
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["give_back", "held", "held_at_rest"]

_LOOK_AGAIN = 0.4
"""Seconds between two looks at whether more is given back: it begins slowly …"""
_PATIENCE = 6
"""… and how many looks there are at most."""
_STILL = 0.99


def held() -> int:
    """Bytes of memory that this process holds; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024
    return 0


def give_back() -> None:
    """Let go of what nobody refers to, and hand freed memory to the system. Takes a moment."""
    gc.collect()
    with suppress(OSError, AttributeError):  # other C libraries do it by themselves
        ctypes.CDLL(None).malloc_trim(0)


def held_at_rest() -> int:
    """Bytes that it holds when all is given back that nobody uses; takes a second or two."""
    give_back()
    now = held()
    for _ in range(_PATIENCE):
        time.sleep(_LOOK_AGAIN)
        before, now = now, held()
        if now >= before * _STILL:
            break
    return now
