"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 240.0
"""Seconds that nothing takes, however slow the machine."""


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)
