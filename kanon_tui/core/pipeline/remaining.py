"""How long a run still takes, from its own progress.

Two readings: the whole run so far, and its latest part. Where they are far apart, progress says
nothing about time, and nothing is said. Otherwise the answer moves smoothly from one reading to the
next while the clock runs down.
"""

from __future__ import annotations

from collections import deque
from math import exp, sqrt

__all__ = ["RemainingTime"]

LEAST_PROGRESS = 0.01
LEAST_SECONDS = 0.5
LATEST = 0.3
"""The part of the time so far that counts as the latest."""
INERTIA = 0.1
"""The part of the time so far that it takes to come round to another reading."""
APART = 4.0
"""Readings that differ by more than this factor contradict each other."""
MEMORY = 200


class RemainingTime:
    """Seconds to go of one run."""

    def __init__(self) -> None:
        self.seconds: float | None = None
        """The answer; None where it is not known."""
        self._seen: deque[tuple[float, float]] = deque(maxlen=MEMORY)
        self._asked = 0.0

    def look(self, progress: float | None, seconds: float) -> float | None:
        """Take note of how far the run is after so many seconds; gives what is left."""
        if progress is None:
            self.seconds = None
            return None
        if not self._seen or seconds - self._seen[-1][0] > seconds / MEMORY:
            self._seen.append((seconds, progress))
        if progress < LEAST_PROGRESS or seconds < LEAST_SECONDS:
            return self.seconds
        reading = self._reading(progress, seconds)
        passed, self._asked = seconds - self._asked, seconds
        if reading is None or self.seconds is None:
            self.seconds = reading
        else:
            expected = max(self.seconds - passed, 0.0)
            weight = 1 - exp(-passed / max(1.0, INERTIA * seconds))
            self.seconds = expected + weight * (reading - expected)
        return self.seconds

    def _reading(self, progress: float, seconds: float) -> float | None:
        overall = seconds * (1 - progress) / progress
        begin = (1 - LATEST) * seconds
        then, was = next(((t, p) for t, p in reversed(self._seen) if t <= begin), self._seen[0])
        if then == seconds:  # the first look: there is no latest part yet
            return overall
        if progress <= was:
            return None
        latest = (1 - progress) * (seconds - then) / (progress - was)
        low, high = sorted((overall, latest))
        if high > APART * low and high > 1:
            return None
        return sqrt(overall * latest)
