"""Which strings pass, from tests along the border between those that do and those that do not.

A minimal passing string cannot be known without a test, nor one that fails though everything above
it passes: these two kinds are the *border*, and a search that looks at whole strings alone tests no
fewer. To test little else, the strings are sorted by how many classes they can have, which nearly
tells those that pass from the others, and the one in the middle of what is unknown is tested: above
it everything passes, or below it everything fails. Where k alone is required, `border_cubes` tests
somewhat more of them in a fraction of the time; what follows is for requirements beyond k.

Where tests had to merge far more classes than a string has, those of a more specific string are
remembered, with half of the attributes at their lowest: all strings that differ in these alone roll
them up.

Where nothing may be suppressed, one record in too small a class is enough to fail. `global` follows
a record of every failing string; which one that is depends on the order of the records, and so does
the number of tests. Here the records of the rarest labels are followed before the first test, so
that the counters of a report tell nothing of the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from math import log2

import numpy as np

from kanon_tui.core.lattice.border_cubes import BorderByCubes
from kanon_tui.core.lattice.node_list import StringList, StringSpace
from kanon_tui.core.lattice.passing import SmallClassPruning
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.numeric import Flags, Int64s, Words
from kanon_tui.core.task.steps import Step

__all__ = ["Border"]

_FAR_MORE = 4  # times the classes of a string
_RARE = 32  # tuples that are followed through all strings


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
        if self.engine.requirement_test is None and space.count > 1:
            return (yield from self._walk_by_cubes())
        strings = StringList(space, *space.strings())
        test = search.test if search.frequency.monotone else search.test_necessary
        passing: list[Words] = []
        search.generated += len(strings)
        search.pruned += self._drop_rare(strings)
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

    def _walk_by_cubes(self) -> Generator[Step, None, Flags]:
        """As `walk`, where nothing but the size of classes matters."""
        by_cubes, small_classes = (
            BorderByCubes(self.search),
            SmallClassPruning(self.engine, self.space),
        )
        self.search.generated += self.space.count
        if small_classes.useful:
            for member in self._rarest().tolist():
                self.search.pruned += by_cubes.rule_out(small_classes.fails(member))
        return (yield from by_cubes.walk())

    def _drop_rare(self, strings: StringList) -> int:
        """Where nothing may be suppressed, drop what fails for the records of rarest labels."""
        small_classes = SmallClassPruning(self.engine, self.space)
        if not small_classes.useful:
            return 0
        return sum(small_classes.drop(strings, member) for member in self._rarest().tolist())

    def _rarest(self) -> Int64s:
        """Some tuples whose labels few records have, whatever the order of the records."""
        coded = self.engine.coded
        rarity, ranks = np.zeros(len(coded.counts)), []
        lowest = zip(self.search.task.quasi, self.space.lowest, strict=True)
        for a, (attribute, low) in enumerate(lowest):
            fields = (coded.tuples[:, coded.word[a]] >> coded.shift[a]) & coded.mask[a]
            labels = fields.astype(np.int64)
            rarity += np.log2(np.bincount(labels, weights=coded.counts)[labels])
            ranks.append(np.argsort(np.argsort(attribute.hierarchy.labels[low]))[labels])
        last = min(_RARE, len(rarity)) - 1
        rare = np.flatnonzero(rarity <= np.partition(rarity, last)[last])
        order = np.lexsort([*(rank[rare] for rank in ranks), rarity[rare]])
        return rare[order[:_RARE]]

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
