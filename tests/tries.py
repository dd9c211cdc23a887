"""How many random tries a test makes: `make test TRIES=5` makes five times as many of the slow."""

from __future__ import annotations

import os

_TIMES = max(1, int(os.environ.get("TRIES") or 1))


def tries(count: int) -> int:
    """So many, or so many times more as is asked for."""
    return count * _TIMES
