"""What this process holds of the machine's memory, and giving back what nobody uses.

Freed memory stays with the process: the C library keeps it for what comes next, piece by piece, and
a limit is about what the process holds. On systems that do not tell, nothing is held.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from pathlib import Path

__all__ = ["give_back", "held"]


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
