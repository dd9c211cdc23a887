"""Which strings pass, from tests along the border between those that do and those that do not.

A minimal passing string cannot be known without a test, nor one that fails though everything above
it passes: these two kinds are the *border*, and no search that looks at whole strings alone tests
fewer. To test little else, the strings are sorted by how many classes they can have, which nearly
tells those that pass from the others, and the one in the middle of what is unknown is tested: above
it everything passes, or below it everything fails.

Where tests had to merge far more classes than a string has, those of a more specific string are
remembered, with half of the attributes at their lowest: all strings that differ in these alone roll
them up. No record is followed through the strings, as `global` does: the counters that a report
prints then do not depend on the order of the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from math import log2

import numpy as np

from kanon_tui.core.full_domain.search import Search
from kanon_tui.core.full_domain.strings import StringList, StringSpace
from kanon_tui.core.numeric import Flags, Words
from kanon_tui.core.task.steps import Step

__all__ = ["Border"]

_FAR_MORE = 4  # times the classes of a string


class Border:
    """The strings of a search, sorted by how many classes they can have."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.engine = search.frequency.necessary
        self._bits = tuple(
            np.log2([len(labels) for labels in attribute.hierarchy.labels])
            for attribute in search.task.quasi
        )
        self.space = StringSpace(search.space.lowest, search.space.heights, self._bits)
        self._lowered = self._cheapest_half()
        self._asked: Counter[tuple[int, ...]] = Counter()

    @property
    def megabytes(self) -> float:
        """Memory that the list of strings takes."""
        return self.space.count * self.space.bytes_per_string / 1e6

    @property
    def progress(self) -> float:
        """The share of the strings that are known."""
        return min((self.search.tested + self.search.pruned) / self.space.count, 1.0)

    def _cheapest_half(self) -> frozenset[int]:
        """Half of the attributes, whose levels make the most strings of the fewest classes."""
        sizes, lowest = self.space.sizes, self.space.lowest
        free = [a for a, size in enumerate(sizes) if size > 1]
        free.sort(key=lambda a: self._bits[a][lowest[a]] / log2(sizes[a]))
        return frozenset(free[: len(free) // 2])

    def walk(self) -> Generator[Step, None, Flags]:
        """Test until every string is known; gives which pass, as a grid over their levels."""
        search, space = self.search, self.space
        strings = StringList(space, *space.strings())
        test = search.test if search.frequency.monotone else search.test_necessary
        passing: list[Words] = []
        search.generated += len(strings)
        while len(strings):
            before, work = len(strings), self.engine.work
            code = strings.midpoint()
            levels = space.levels(code)
            outcome = test(levels)
            if outcome.passes:
                passing.append(strings.take_general(code))
            else:
                strings.drop_specific(code)
            search.pruned += before - len(strings) - 1
            if self.engine.work - work > _FAR_MORE * outcome.classes:
                self._remember_below(levels)
            yield from search.tell_test(levels, outcome)
        return self._grid(passing)

    def _remember_below(self, levels: Sequence[int]) -> None:
        """At the second test around a more specific string count its classes, to be rolled up."""
        lowest = self.space.lowest
        lower = tuple(lowest[a] if a in self._lowered else x for a, x in enumerate(levels))
        self._asked[lower] += 1
        if self._asked[lower] == 2:
            self.engine.roll_up(lower)

    def _grid(self, codes: list[Words]) -> Flags:
        """Codes as a grid over the levels of every attribute with a choice."""
        space = self.space
        levels, places = space.grid()
        marked = np.zeros(space.count, dtype=bool)
        for some in codes:
            fields = ((some[:, space.word] >> space.shift) & space.mask).astype(np.int64)
            marked[fields @ places] = True
        return marked.reshape([size for size in levels.tolist() if size > 1])
