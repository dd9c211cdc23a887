"""Incognito: every minimal passing string, from small sets of attributes to large ones.

Its page, with naive code, a picture and a run: algorithms/incognito.html of the manual, which
`kanon-tui explain incognito` prints.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.border import passing_strings
from kanon_tui.core.lattice.events import (
    ABOVE,
    PART,
    ChoiceBegun,
    MinimalChosen,
    PartsJoined,
    Pruned,
)
from kanon_tui.core.lattice.full_domain import PRE_PRUNE, FullDomainSearch
from kanon_tui.core.lattice.halving import Halving
from kanon_tui.core.lattice.objective import declared_objective
from kanon_tui.core.lattice.pre_pruning import no_string
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import NodeList, best_of, by_height
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.task.task import Line, RunContext, Step, Steps, Task
from kanon_tui.core.text import count_text

Part = tuple[int, ...]


@dataclass(frozen=True)
class Incognito(FullDomainSearch):
    """Breadth-first search over the lattices of all sets of attributes.

    Idea: a string of three attributes can pass only if each of its parts of two passes. So find the
    passing strings of single attributes, then of pairs, then of triples, and test only strings all
    of whose parts passed (a-priori pruning). Within a lattice go from specific to general: above a
    passing string everything passes and needs no test, and classes of a failing one are rolled up
    for those above it.

    Phases: single attributes (pre-pruning); then for every set of two attributes, of three and so
    on: join the passing strings of its parts, test what is left layer by layer. What passes in the
    lattice of all attributes without a passing string below it is minimal. The answer is the
    minimal string of least height (sum of levels); ties go to the highest research value. With
    another `objective` the best of all passing strings is looked for among those that are left.

    Cost: 2 to the power of the attributes lattices, so that it is for a dozen attributes and not
    for many. A lattice is a grid of one byte per string, and only two sizes of sets are held. So it
    goes step by step and in watched runs. At full speed the smaller sets are not shown: the
    strings of all attributes are tested along the border between passing and failing ones (see
    `lattice.border`), with the same minimal strings; the counters are of these tests.

    Beyond k: where requirements and suppression together let a more general string of a passing one
    fail, the lattices go by what can be pruned by (see `frequency`), and the strings of all
    attributes that are left are tested once more, specific to general.

    Departures: attributes of which only the root passes alone divide no class and stay at the root.
    Passing strings of fewer attributes, with the others at the root, are what a cancel keeps.

    Reference: LeFevre, DeWitt and Ramakrishnan, Incognito: efficient full-domain k-anonymity
    (2005), as walked through by SBC, section 2.5 (table 2-10).
    """

    name: ClassVar[str] = "incognito"
    title: ClassVar[str] = "Incognito"
    paper: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2005; SBC section 2.5"
    summary: ClassVar[str] = (
        "Finds every minimal passing string, set of attributes by set of attributes; answers with "
        "the one of least height, for up to a dozen attributes"
    )
    sample: ClassVar[str] = "incognito"
    terms: ClassVar[tuple[str, ...]] = ("minimal",)
    twin: ClassVar[str] = ".twins.full_domain:incognito"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        PRE_PRUNE,
        Line("for sets of one attribute, of two, of three, …:"),
        Line("for every set of that many attributes:", 1),
        Line("join: keep the strings all of whose parts passed", 2, ("join",)),
        Line("from specific to general, test what is unknown", 2, ("test",)),
        Line("passes: everything more general passes too", 2, ("prune",)),
        Line("minimal: passing strings with none below them that passes"),
        Line("publish the minimal string of least height", 0, ("answer", "choose")),
    )
    pre_prunes: ClassVar[bool] = True
    time_exponent: ClassVar[float] = 0.9

    objective: str = declared_objective(
        "The measure of the answer: least height; or, of all passing strings, highest research "
        "value, least NCP, most classes, least information loss, or least loss by values covered",
        "height",
    )
    memory: int = declared(1000, "Memory limit of the lattices, in megabytes", low=1)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Grow the sets of attributes by one until all are in."""
        search = yield from self.pre_pruned(task, context, "rv")
        free = tuple(a for a, size in enumerate(search.lattice.sizes) if size > 1)
        self._refuse_if_too_large([search.lattice.sizes[a] for a in free])
        step_by_step = context.watched or context.decisions_per_step == 1
        if step_by_step or search.lattice.megabytes > self.memory:
            grid = yield from _walk_lattices(search, free)
        else:
            grid = yield from passing_strings(search)
        if not grid.any():
            raise NotReachedError(no_string(task))
        if self.objective != "height":
            return (yield from self._choose(search, free, grid))
        if search.frequency.monotone:
            points = _minimal(grid)
        else:
            points = yield from _sieve(search, free, grid)
        if not len(points):
            raise NotReachedError(no_string(task))
        minimal = search.by_rv(_strings(search, free, points))
        if not search.passing:  # nothing had to be tested after pre-pruning
            search.record_passing(minimal[0].levels)
        heights = [sum(string.levels) for string in minimal]
        least = min(heights)
        ties = heights.count(least)
        answer = best_of(minimal, by_height).levels
        yield from search.report(
            MinimalChosen(answer, search.rv(answer), len(minimal), ties, least)
        )
        yield from search.last_step()
        return search.grouping(answer, search.notes(answer), passing=minimal)

    def _choose(self, lattices: Search, free: Part, grid: Flags) -> Steps:
        """Find the best of the strings that the lattices leave, as `global` does."""
        same = lattices.task, lattices.context, lattices.lattice.lowest
        search = Search(*same, objective=self.objective, limits=self.limits)
        search.continue_from(lattices)
        levels = _strings(search, free, np.argwhere(grid)).tolist()
        codes = np.array([search.lattice.code(string) for string in levels])
        strings = NodeList(search.lattice, codes, search.lattice.worth(codes))
        search.generated += len(strings)
        yield from search.report(ChoiceBegun(len(strings)))
        yield from Halving(search, strings).run()
        yield from search.last_step()
        return search.answer()

    def _refuse_if_too_large(self, sizes: list[int]) -> None:
        needed = prod(size + 1 for size in sizes) // 1_000_000
        if needed > self.memory:
            raise InputError(
                f"{self.name}: the lattices of {len(sizes):,} attributes may need "
                f"{count_text(needed)} MB, memory is {self.memory:,} MB; leave out "
                f"attributes, or choose global, distributed or anytime, which look at the strings "
                f"of all attributes only"
            )


def _walk_lattices(search: Search, free: Part) -> Generator[Step, None, Flags]:
    """Return which strings of all attributes pass, going from small sets of attributes to large."""
    alone_is_enough = not search.task.beyond_k and not search.lattice.limited
    first = 2 if alone_is_enough else 1  # levels that pass alone by size may miss more
    sizes = [search.lattice.sizes[a] for a in free]
    total = prod(size + 1 for size in sizes) - 1 - (sum(sizes) if first == 2 else 0)
    search.progress = lambda: min((search.pruned + search.tested) / max(total, 1), 1.0)
    passing: dict[Part, Flags] = {(a,): np.ones(search.lattice.sizes[a], dtype=bool) for a in free}
    if first == 1:
        passing = {(): np.ones((), dtype=bool)}
    for size in range(first, len(free) + 1):
        passing_parts = passing
        passing = {}
        for part in combinations(free, size):
            lattice = _Lattice(search, part, passing_parts)
            passing[part] = yield from lattice.walk()
    return passing[free] if free else np.ones((), dtype=bool)


class _Lattice:
    """The strings of some attributes, as a grid over their levels."""

    def __init__(self, search: Search, part: Part, passing_parts: dict[Part, Flags]) -> None:
        self.search = search
        self.part = part
        shape = tuple(search.lattice.sizes[a] for a in part)
        self.unknown = np.ones(shape, dtype=bool)
        for axis in range(len(part)):
            smaller = passing_parts[part[:axis] + part[axis + 1 :]]
            self.unknown &= np.expand_dims(smaller, axis)
        self.passing = np.zeros(shape, dtype=bool)
        search.generated += self.unknown.size

    def _layers(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the unknown strings of every layer, specific to general."""
        heights = sum(np.ogrid[tuple(slice(size) for size in self.unknown.shape)])
        for height in range(int(np.max(heights)) + 1):
            yield np.argwhere(self.unknown & (heights == height))

    def walk(self) -> Generator[Step, None, Flags]:
        """Test the strings that a-priori pruning left, and return which pass."""
        search = self.search
        dropped = int(self.unknown.size - self.unknown.sum())
        search.pruned += dropped
        search.watcher.part = self.part
        search.watcher.add_settled(PART, self._nodes(~self.unknown))
        strings = self.unknown.size
        yield from search.report(PartsJoined(self.part, strings, strings - dropped))
        test = search.test if search.frequency.monotone else search.test_necessary
        for layer in self._layers():
            for point, levels in zip(layer, _strings(search, self.part, layer), strict=True):
                outcome = test(levels)
                yield from search.report_test(levels, outcome, self.part)
                if outcome.passes:
                    yield from self._pass_above(point)
                else:
                    self.unknown[tuple(point)] = False
        return self.passing

    def _nodes(self, marked: Flags) -> Int64s:
        """Return the numbers of marked strings in the lattice of all attributes."""
        search = self.search
        if not search.watcher.follows:
            return np.empty(0, dtype=np.int64)
        return _strings(search, self.part, np.argwhere(marked)) @ search.watcher.lattice.places

    def _pass_above(self, point: npt.NDArray[np.int64]) -> Iterator[Step]:
        above = tuple(slice(int(level), None) for level in point)
        inferred_count = int(np.count_nonzero(self.unknown[above])) - 1
        if self.search.watcher.follows:
            inferred = np.zeros_like(self.unknown)
            inferred[above] = self.unknown[above]
            self.search.watcher.add_settled(ABOVE, self._nodes(inferred))
        self.unknown[above] = False
        self.passing[above] = True
        self.search.pruned += inferred_count
        if inferred_count:
            yield from self.search.report(Pruned(inferred_count, ABOVE))


def _strings(search: Search, part: Part, points: Int64s) -> Int64s:
    """Return the strings at points of a part's grid, with the other attributes at the root.

    Points have shape (strings, attributes of the part), strings (strings, attributes).
    """
    levels = np.tile(np.array(search.lattice.heights), (len(points), 1))
    levels[:, list(part)] = points + np.array(search.lattice.lowest)[list(part)]
    return levels


def _minimal(grid: Flags) -> Int64s:
    """Return the passing strings of all attributes with no passing string below them."""
    least = grid.copy()
    for axis in range(grid.ndim):
        along = np.moveaxis(least, axis, 0)
        lower = np.moveaxis(grid, axis, 0)
        along[1:] &= ~lower[:-1]
    return np.argwhere(least)


def _sieve(search: Search, free: Part, grid: Flags) -> Generator[Step, None, Int64s]:
    """Return the minimal passing strings where the lattices pruned by a weaker test."""
    points = np.argwhere(grid)
    points = points[np.argsort(points.sum(axis=1), kind="stable")]
    search.generated += len(points)
    minimal: list[npt.NDArray[np.int64]] = []
    for point, levels in zip(points, _strings(search, free, points), strict=True):
        if any((below <= point).all() for below in minimal):
            search.pruned += 1
            continue
        outcome = search.test(levels)
        yield from search.report_test(levels, outcome)
        if outcome.passes:
            minimal.append(point)
    return np.array(minimal)
