"""How long each part of a run took, from the data file to the release."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["PHASES", "Seconds", "timed"]

PHASES = ("read", "prepare", "search", "recode", "verify", "measure", "write")

Seconds = dict[str, float]
"""By the name of a phase; one that did not take place is not there."""


@contextmanager
def timed(seconds: Seconds, phase: str) -> Iterator[None]:
    """Count the time of the block for a phase, beside what it has taken before."""
    began = time.perf_counter()
    try:
        yield
    finally:
        seconds[phase] = seconds.get(phase, 0.0) + time.perf_counter() - began
