"""All passing strings of a search, found by tests along the border between passing and failing.

A minimal passing string cannot be known without a test, nor one that fails though everything above
it passes: these two kinds are the *border*, and a search that looks at whole strings alone tests no
fewer. Where k alone is required, `BorderByCubes` tests somewhat more strings than that in a
fraction of the time. Otherwise the strings are sorted by how many classes they can have, which
nearly tells those that pass from the others, and the one in the middle of what is unknown is
tested (`halving.find_passing`).

Where nothing may be suppressed, one record in too small a class is enough to fail. `global` follows
a record of every failing string; which one that is depends on the order of the records, and so does
the number of tests. Here the records of the rarest labels are followed before the first test, so
that the counters of a report tell nothing of the order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from kanon_tui.core.kernels import level_cubes
from kanon_tui.core.kernels.level_cubes import FAILS, PASSES, UNKNOWN, LevelLattice
from kanon_tui.core.lattice.frequency import Classes, Outcome
from kanon_tui.core.lattice.halving import SmallClassPruning, find_passing
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import Lattice, NodeList
from kanon_tui.core.numeric import Flags, Int32s, Int64s, Words
from kanon_tui.core.task.task import Step

_RARE = 32  # tuples that are followed through all strings


def passing_strings(search: Search) -> Generator[Step, None, Flags]:
    """Test until every string is known; return which pass, as a grid over the free attributes."""
    engine = search.frequency.necessary
    lattice = search.lattice
    search.generated += lattice.count
    search.progress = lambda: min((search.tested + search.pruned) / lattice.count, 1.0)
    small_classes = SmallClassPruning(engine, lattice)
    rare = _rarest(search).tolist() if small_classes.useful else []
    if engine.requirement_test is None and lattice.count > 1 and not lattice.limited:
        by_cubes = BorderByCubes(search)
        for member in rare:
            search.pruned += by_cubes.rule_out(small_classes.fails(member))
        return (yield from by_cubes.walk())
    labels = [
        [len(level_labels) for level_labels in attribute.hierarchy.labels]
        for attribute in search.task.quasi
    ]
    by_classes = Lattice(lattice.lowest, lattice.heights, [np.log2(counts) for counts in labels])
    strings = NodeList(by_classes, *by_classes.strings())
    search.pruned += sum(small_classes.drop(strings, member) for member in rare)
    passing: list[Words] = []
    everything = range(len(lattice.sizes))
    for test in find_passing(engine, strings, everything, passing.append, follow_records=False):
        search.generated += not test.in_list
        search.tested += 1
        search.pruned += test.others
        if test.outcome.passes and search.frequency.monotone:
            search.record_passing(test.levels, test.outcome)
        yield from search.report_test(test.levels, test.outcome)
    return _grid(by_classes, passing)


def _rarest(search: Search) -> Int64s:
    """Return tuples whose labels few records have, the same for any order of the records."""
    coded = search.frequency.coded
    rarity = np.zeros(len(coded.counts))
    ranks = []
    lowest = zip(search.task.quasi, search.lattice.lowest, strict=True)
    for a, (attribute, low) in enumerate(lowest):
        fields = (coded.tuples[:, coded.word[a]] >> coded.shift[a]) & coded.mask[a]
        labels = fields.astype(np.int64)
        rarity += np.log2(np.bincount(labels, weights=coded.counts)[labels])
        ranks.append(np.argsort(np.argsort(attribute.hierarchy.labels[low]))[labels])
    last = min(_RARE, len(rarity)) - 1
    rare = np.flatnonzero(rarity <= np.partition(rarity, last)[last])
    order = np.lexsort([*(rank[rare] for rank in ranks), rarity[rare]])
    return rare[order[:_RARE]]


def _grid(lattice: Lattice, codes: list[Words]) -> Flags:
    """Return codes as a grid over the levels of every attribute that has more than one."""
    levels, places = lattice.grid()
    marked = np.zeros(lattice.count, dtype=bool)
    for code in codes:
        marked[lattice.steps_up(code) @ places] = True
    return marked.reshape([size for size in levels.tolist() if size > 1])


_PLACES_PER_CLASS = 24  # what looking a class up takes, in places of a table
_PLACES_PER_TEST = 600_000  # and what a test costs beside
_PLACES_PER_WORK = 8  # numbers that are added up, as tuples looked at
_PATIENCE = 20_000_000  # places: some tens of milliseconds


class BorderByCubes:
    """A walk over the strings of a search, from general to specific, where only k is required.

    The attributes are put in an order, most labels first: fix the level of the first attribute,
    then of the second, and so on. With every level that is fixed two strings are tested: the most
    general one with it, and the most specific one that is still unknown; classes are merged as far
    as the latter allows. So tests roll up classes of strings which are hardly more specific.
    Records that agree in the attributes that are fixed are a row. A row of fewer than k has to go
    whatever the levels of the others, and is only counted from then on.

    As soon as the combinations of the labels that are left fit into a table, the walk goes on with
    sums of records by combination (`kernels.level_cubes.walk_box`). Which strings are tested
    depends only on which strings pass, not on the order of the records.
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        self.engine = search.frequency
        space = search.lattice
        radix = self.engine.coded.radix
        self._lowest = np.array(space.lowest)
        free = [a for a, size in enumerate(space.sizes) if size > 1]
        self._order = sorted(free, key=lambda a: (-int(radix[a, space.lowest[a]]), a))
        sizes = [space.sizes[a] for a in self._order]
        self._lattice = self._laid_out(np.array(sizes, dtype=np.int64))
        self._known = np.zeros(space.count, dtype=np.uint8)

    def _laid_out(self, sizes: Int64s) -> LevelLattice:
        """Return the levels of the attributes, in the order of the walk, for the kernels."""
        coded = self.engine.coded
        deepest = int(sizes.max(initial=1))
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
        return LevelLattice(sizes, places, radix, start, joined)

    def rule_out(self, fails: Flags) -> int:
        """Mark failing strings, given as a grid over all; return how many were unknown before."""
        axes = sorted(range(len(self._lowest)), key=lambda a: a not in self._order)  # others: 1
        axes[: len(self._order)] = self._order
        in_order = fails.reshape(self.search.lattice.sizes).transpose(axes).ravel()
        new = in_order & (self._known == UNKNOWN)
        self._known[new] = FAILS
        return int(np.count_nonzero(new))

    def walk(self) -> Generator[Step, None, Flags]:
        """Test until every string is known; return which pass, as a grid over their levels."""
        string = np.zeros(len(self._order), dtype=np.int64)
        base = self.engine.base
        rows = _Rows(np.zeros(len(base.members), dtype=np.int32), 1, 0)
        if self._fits(0, string, base, rows):
            yield from self._test_box(0, string, base, rows)
        else:
            yield from self._descend(0, string, base, 0)
        passes: Flags = self._known == PASSES
        return passes.reshape(self._lattice.sizes).transpose(np.argsort(self._order))

    def _descend(
        self, depth: int, string: Int64s, classes: Classes, lost: int
    ) -> Generator[Step, None, None]:
        """Test what is unknown with the first levels of a string, whose classes these are.

        Classes are left out that no level of the other attributes makes large enough; so many
        records are `lost`.
        """
        lattice = self._lattice
        step = int(lattice.places[depth])
        parts, part_of = self.engine.classes(self._levels(string, depth + 1), classes)
        for level in range(int(lattice.sizes[depth]) - 1, -1, -1):
            lower = string.copy()
            lower[depth] = level
            begin = int(lower[: depth + 1] @ lattice.places[: depth + 1])
            unknown = np.flatnonzero(self._known[begin : begin + step] == UNKNOWN)
            if not len(unknown):
                continue
            rows = self._rows(depth + 1, lower, parts, lost)
            if unknown[-1] == step - 1:
                general = lattice.sizes - 1
                general[: depth + 1] = lower[: depth + 1]
                yield from self._settle(general, depth, rows.lost)
                if rows.lost > self.engine.allowed:
                    break  # so do the levels below
                unknown = unknown[:-1]
            if not len(unknown):
                continue
            sizes = lattice.sizes[depth + 1 :]
            lower[depth + 1 :] = [x.min() for x in np.unravel_index(unknown, sizes)]
            yield from self._test_below(depth + 1, lower, classes, rows.of_groups(part_of))

    def _test_below(
        self, depth: int, string: Int64s, classes: Classes, rows: _Rows
    ) -> Generator[Step, None, None]:
        """Test what is unknown with more levels fixed, from the classes of a more specific one."""
        if self._fits(depth, string, classes, rows):
            yield from self._test_box(depth, string, classes, rows)
            return
        is_kept = rows.numbers >= 0
        if not is_kept.all():
            classes = classes.chosen(is_kept)
        merged, _ = self.engine.classes(self._levels(string), classes)
        self.engine.work += len(classes.members)
        if self._known[int(string @ self._lattice.places)] == UNKNOWN:
            small = rows.lost + int(merged.sizes[merged.sizes < self.engine.k].sum())
            yield from self._settle(string, depth - 1, small)
            if small <= self.engine.allowed:
                return
        yield from self._descend(depth, string, merged, rows.lost)

    def _rows(self, depth: int, string: Int64s, parts: Classes, lost: int) -> _Rows:
        """Return the rows of a cube with the first levels of a string, merged from finer rows."""
        merged, numbers = self.engine.classes(self._levels(string, depth), parts)
        is_kept = merged.sizes >= self.engine.k
        renumbered = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)
        lost += int(merged.sizes[~is_kept].sum())
        return _Rows(renumbered[numbers], int(np.count_nonzero(is_kept)), lost)

    def _radix(self, depth: int, string: Int64s) -> list[int]:
        """Return the numbers of labels of the attributes that are not fixed."""
        return [int(self._lattice.radix[x, string[x]]) for x in range(depth, len(string))]

    def _most_rows(self, classes: Classes) -> int:
        """Return an upper bound on the rows of k records that classes can have."""
        return min(self.engine.n // self.engine.k, len(classes.members))

    def _fits(self, depth: int, string: Int64s, classes: Classes, rows: _Rows) -> bool:
        """Return whether tables of the box of a string are small enough."""
        first, *other_sizes = self._radix(depth, string)
        later = self._most_rows(classes) * max(other_sizes, default=0)
        most = _PLACES_PER_CLASS * len(classes.members) + _PLACES_PER_TEST
        return max(rows.count * first, later, prod(other_sizes)) <= most

    def _settle(self, string: Int64s, depth: int, small: int) -> Iterator[Step]:
        """Mark the strings that the test of a string settles, and yield its step."""
        passes = small <= self.engine.allowed
        begin = np.zeros_like(string)
        end = string
        mark = FAILS
        if passes:  # what is more general with other first levels was looked at before
            begin = string
            end = string.copy()
            mark = PASSES
            end[depth + 1 :] = self._lattice.sizes[depth + 1 :] - 1
        ranges = (slice(low, high + 1) for low, high in zip(begin, end, strict=True))
        box = self._known.reshape(self._lattice.sizes)[tuple(ranges)]
        unknown = box == UNKNOWN
        box[unknown] = mark
        self.search.pruned += int(np.count_nonzero(unknown)) - 1
        return self._report(np.array([string @ self._lattice.places]), small)

    def _test_box(
        self, depth: int, string: Int64s, classes: Classes, rows: _Rows
    ) -> Generator[Step, None, None]:
        """Test the unknown strings of a box by sums of records instead of classes."""
        engine = self.engine
        lattice = self._lattice
        radix = self._radix(depth, string)
        parts = rows.count * radix[0]
        groups = len(classes.members)
        room = level_cubes.new_room(radix, groups, parts, self._most_rows(classes))
        free = np.array(self._order[depth:], dtype=np.int64)
        small = rows.lost + level_cubes.fill_cells(
            classes.tuples, classes.sizes, rows.numbers, free,
            self._levels(string), engine.layout, parts, engine.k, room,
            *np.empty((2, groups), dtype=np.int32),
        )  # fmt: skip
        engine.work += groups
        if self._known[int(string @ lattice.places)] == UNKNOWN:
            yield from self._settle(string, depth - 1, small)
        begin = int(string[:depth] @ lattice.places[:depth])
        strings = int(lattice.places[depth - 1]) if depth else len(self._known)
        box = self._known[begin : begin + strings]
        tested = np.empty(strings, dtype=np.int64)
        walk = level_cubes.begin_walk(string, depth, parts, rows.lost)
        while not box.all():
            tests, pruned_strings, work, small = level_cubes.walk_box(
                self._known, lattice, walk, room, engine.k, engine.allowed,
                max(_PATIENCE, 4 * strings), tested,
            )  # fmt: skip
            self.search.pruned += pruned_strings
            engine.work += work // _PLACES_PER_WORK
            yield from self._report(tested[:tests], small)

    def _levels(self, string: Int64s, fixed: int | None = None) -> Int64s:
        """Return a string of the walk as levels; attributes not fixed are at the root."""
        levels = self._lowest.copy()
        levels[self._order] += string
        if fixed is not None:
            roots = self._order[fixed:]
            levels[roots] = np.array(self.search.lattice.heights)[roots]
        return levels

    def _report(self, tested: Int64s, small: int) -> Iterator[Step]:
        """Yield the step of tests, given by places in the grid; `small` belongs to the last one."""
        strings = np.tile(self._lowest, (len(tested), 1))
        if self._order:
            strings[:, self._order] += np.column_stack(
                np.unravel_index(tested, self._lattice.sizes)
            )
        passes = self._known[tested] == PASSES
        last = bool(passes[-1])
        outcome = Outcome(last, 0, None, small, -1, fails_below=not last)
        return self.search.report_tests(strings, passes, outcome)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a cube that groups of records are in."""

    numbers: Int32s
    """Per group its row; -1 where the row has fewer than k records."""
    count: int
    lost: int
    """The records of the rows that are left out, here and before."""

    def of_groups(self, group_of: Int32s) -> _Rows:
        """Return the rows of smaller groups, given the group that each is part of."""
        return _Rows(self.numbers[group_of], self.count, self.lost)
