"""Which strings pass by k, from cubes along the border (see `border` and `kernels.level_cubes`).

The attributes are put in an order, most labels first. The strings are gone through from general to
specific: fix the level of the first attribute, then of the second, and so on. With every level that
is fixed the classes are merged as far as all strings allow that are still unknown with it; so that
tests roll up classes of strings which are hardly more specific. As soon as a table of all
combinations of labels is worth its empty places, it goes on with that (`walk_box`).

What is tested depends on which strings pass alone, not on the order of the records.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from kanon_tui.core.full_domain.frequency import Classes, Outcome
from kanon_tui.core.full_domain.search import Search
from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.task.steps import Step

if TYPE_CHECKING:
    from kanon_tui.core.kernels.level_cubes import Lattice

__all__ = ["BorderByCubes"]

_PLACES_PER_CLASS = 24  # what looking a class up takes, in places of a cube
_PLACES_PER_TEST = 600_000  # and what a test costs beside
_PLACES_PER_WORK = 16  # of a cube, as tuples looked at
_PATIENCE = 20_000_000  # places: some tens of milliseconds


class BorderByCubes:
    """A walk over the strings of a search, from general to specific."""

    def __init__(self, search: Search) -> None:
        from kanon_tui.core.kernels import level_cubes

        self._kernels = level_cubes
        self.search, self.engine = search, search.frequency
        space, radix = search.space, self.engine.coded.radix
        self._lowest = np.array(space.lowest)
        free = [a for a, size in enumerate(space.sizes) if size > 1]
        self._order = sorted(free, key=lambda a: (-int(radix[a, space.lowest[a]]), a))
        sizes = [space.sizes[a] for a in self._order]
        self._lattice = self._laid_out(np.array(sizes, dtype=np.int64))
        self._known = np.zeros(space.count, dtype=np.uint8)
        self._room: Int32s = np.empty(0, dtype=np.int32)

    def _laid_out(self, sizes: Int64s) -> Lattice:
        """The levels of the attributes, in the order of the walk, for the kernels."""
        coded, deepest = self.engine.coded, int(sizes.max(initial=1))
        radix, start = np.ones((2, len(sizes), deepest), dtype=np.int64)
        parents: list[Int32s] = []
        length = 0
        for x, (a, size) in enumerate(zip(self._order, sizes.tolist(), strict=True)):
            low = int(self._lowest[a])
            values = int(coded.radix[a, low])
            tables = [coded.labels[begin : begin + values] for begin in coded.start[a, low:]]
            for level in range(size):
                radix[x, level], start[x, level] = coded.radix[a, low + level], length
                if level < size - 1:
                    above = np.zeros(radix[x, level], dtype=np.int32)
                    above[tables[level]] = tables[level + 1]
                    parents.append(above)
                    length += len(above)
        places = np.append(np.cumprod(sizes[::-1])[-2::-1], 1) if len(sizes) else sizes
        joined = np.concatenate(parents) if parents else np.empty(0, dtype=np.int32)
        return self._kernels.Lattice(sizes, places, radix, start, joined)

    def rule_out(self, fails: Flags) -> int:
        """Mark strings that fail, as a grid of all of them; gives how many of these are new."""
        axes = sorted(range(len(self._lowest)), key=lambda a: a not in self._order)  # others: 1
        axes[: len(self._order)] = self._order
        in_order = fails.reshape(self.search.space.sizes).transpose(axes).ravel()
        new = in_order & (self._known == self._kernels.UNKNOWN)
        self._known[new] = self._kernels.FAILS
        return int(np.count_nonzero(new))

    def walk(self) -> Generator[Step, None, Flags]:
        """Test until every string is known; gives which pass, as a grid over their levels."""
        string = np.zeros(len(self._order), dtype=np.int64)
        yield from self._descend(0, string, self.engine.base)
        passes: Flags = self._known == self._kernels.PASSES
        return passes.reshape(self._lattice.sizes).transpose(np.argsort(self._order))

    def _descend(self, depth: int, string: Int64s, classes: Classes) -> Generator[Step, None, None]:
        """Test what is unknown with the first levels of a string, whose classes these are."""
        lattice = self._lattice
        radix = [int(lattice.radix[x, level]) for x, level in enumerate(string)]
        found = len(classes.members)
        places = min(found, prod(radix[:depth])) * prod(radix[depth:])
        if places <= _PLACES_PER_CLASS * found + _PLACES_PER_TEST:
            yield from self._test_cube(depth, string, classes, prod(radix[depth:]))
            return
        sizes = lattice.sizes[depth + 1 :]
        step = int(lattice.places[depth])
        for level in range(int(lattice.sizes[depth]) - 1, -1, -1):
            begin = int(string[:depth] @ lattice.places[:depth]) + level * step
            unknown = np.flatnonzero(self._known[begin : begin + step] == self._kernels.UNKNOWN)
            if not len(unknown):
                continue
            lower = string.copy()
            lower[depth] = level
            if len(sizes):
                lower[depth + 1 :] = [x.min() for x in np.unravel_index(unknown, sizes)]
            merged, outcome = self.engine.merged(classes, self._levels(lower))
            place = int(lower @ lattice.places)
            if self._known[place] == self._kernels.UNKNOWN:
                self._mark(lower, depth, outcome.passes)
                yield from self._tell(np.array([place]), outcome)
                if outcome.passes or len(unknown) == 1:
                    continue
            yield from self._descend(depth + 1, lower, merged)

    def _mark(self, string: Int64s, depth: int, passes: bool) -> None:
        """Mark what is known by the test of a string whose first levels are fixed."""
        begin, end, mark = np.zeros_like(string), string, self._kernels.FAILS
        if passes:  # what is more general with other first levels was looked at before
            begin, end, mark = string, string.copy(), self._kernels.PASSES
            end[depth + 1 :] = self._lattice.sizes[depth + 1 :] - 1
        ranges = (slice(low, high + 1) for low, high in zip(begin, end, strict=True))
        box = self._known.reshape(self._lattice.sizes)[tuple(ranges)]
        unknown = box == self._kernels.UNKNOWN
        box[unknown] = mark
        self.search.pruned += int(np.count_nonzero(unknown)) - 1

    def _test_cube(
        self, depth: int, string: Int64s, classes: Classes, row: int
    ) -> Generator[Step, None, None]:
        """As `_descend`, on a table of all combinations of labels, with rows of so many places."""
        engine, levels = self.engine, self._levels(string)
        fixed = np.array(self.search.space.heights)
        fixed[self._order[:depth]] = levels[self._order[:depth]]
        found, numbers = engine.classes(fixed, classes)
        rows = len(found.members)
        places = rows * row
        if len(self._room) < (length := (len(string) - depth + 1) * places):
            self._room = np.empty(length, dtype=np.int32)
        free = np.array(self._order[depth:], dtype=np.int64)
        self._kernels.fill_cube(
            engine.coded.tuples, classes.members, classes.sizes, numbers, free, levels,
            engine.layout, self._room[:places],
        )  # fmt: skip
        strings = int(self._lattice.places[depth - 1]) if depth else len(self._known)
        tested = np.empty(strings, dtype=np.int64)
        begin = int(string[:depth] @ self._lattice.places[:depth])
        box = self._known[begin : begin + strings]
        while not box.all():
            tests, others, work, count, small, smallest = self._kernels.walk_box(
                self._known, self._lattice, string, depth, rows, self._room,
                engine.k, engine.allowed, max(_PATIENCE, 4 * strings), tested,
            )  # fmt: skip
            self.search.pruned += others
            engine.work += work // _PLACES_PER_WORK
            passes = small <= engine.allowed
            outcome = Outcome(passes, count, smallest, small, -1, fails_below=not passes)
            yield from self._tell(tested[:tests], outcome)

    def _levels(self, string: Int64s) -> Int64s:
        """A string of the walk as one of the search."""
        levels = self._lowest.copy()
        levels[self._order] += string
        return levels

    def _tell(self, tested: Int64s, outcome: Outcome) -> Iterator[Step]:
        """The step of tests, by their places in the grid; the outcome is that of the last."""
        strings = np.tile(self._lowest, (len(tested), 1))
        if self._order:
            strings[:, self._order] += np.column_stack(
                np.unravel_index(tested, self._lattice.sizes)
            )
        return self.search.tell_tests(strings, self._known[tested] == self._kernels.PASSES, outcome)
