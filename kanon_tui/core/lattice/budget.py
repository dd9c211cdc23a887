"""A budget of tests, and of time, that a search keeps to."""

import time


class Budget:
    """What is left of a number of tests and, unless None, of seconds on the clock."""

    def __init__(self, tests: int, seconds: float | None = None) -> None:
        self.left, self.used = tests, 0
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def spend(self, count: int) -> None:
        """Count tests that were made."""
        self.left -= count
        self.used += count

    @property
    def spent(self) -> bool:
        """Whether no test or no time is left."""
        late = self._deadline is not None and time.monotonic() > self._deadline
        return late or self.left <= 0
