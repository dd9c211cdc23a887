"""Tests of many strings within a budget, by several threads.

Kernels release the interpreter's lock, so that threads count classes at the same time. Strings are
handed out in batches of a fixed size: which strings are tested, and so the answer of a search, does
not depend on the number of threads.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self, TypeVar

from kanon_tui.core.lattice.frequency import Frequency
from kanon_tui.core.lattice.objective import Objective, make_objective
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.processes.helper_processes import cores

Item = TypeVar("Item")
Result = TypeVar("Result")


class StringTests:
    """The engines that test strings for a search, one per thread, and what is left of its budget.

    Parameters
    ----------
    search : the search whose strings are tested.
    most : the number of tests.
    seconds : the time on the clock; None for no limit.
    workers : the number of threads; 0 for as many as there are cores.
    """

    def __init__(self, search: Search, most: int, seconds: float | None, workers: int) -> None:
        self.left, self.used = most, 0
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._engines = [(search.frequency, search.objective)]
        for _ in range((workers or cores()) - 1):
            frequency = search.frequency.copy()
            arguments = search.task, frequency, search.tuple_of
            self._engines.append((frequency, make_objective(search.objective.name, *arguments)))
        self._pool = ThreadPoolExecutor(len(self._engines))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def spend(self, count: int) -> None:
        """Count tests that were made."""
        self.left -= count
        self.used += count

    @property
    def spent(self) -> bool:
        """Whether no test or no time is left."""
        late = self._deadline is not None and time.monotonic() > self._deadline
        return late or self.left <= 0

    def map(
        self, work: Callable[[Frequency, Objective, Item], Result], items: Sequence[Item]
    ) -> list[Result]:
        """Return the results of a function of an engine and an item, in the order of the items."""
        step = len(self._engines)

        def some(first: int) -> list[Result]:
            return [work(*self._engines[first], item) for item in items[first::step]]

        parts = list(self._pool.map(some, range(min(step, len(items)))))
        return [parts[x % step][x // step] for x in range(len(items))]
