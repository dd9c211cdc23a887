"""Search within a budget of tests and time: descend to good strings, then bound the optimum.

*Steepest descent* over strings, with moves that are tabu for a while.

From a string to the best of its neighbours, better or not: a neighbour has one attribute at another
level; after a move that found nothing better, also one attribute raised and another lowered. The
level that an attribute leaves is tabu for some moves, so that the search leaves a local optimum
instead of returning to it; a move to a better string than any so far is always allowed.

Neighbours are looked at from the highest bound on their value downwards, until no bound exceeds the
best value among them. What is nowhere more general than a string that failed needs no test.

Reference: Glover, tabu search (1989).

*Branch and bound*: how far the best string found can be from the optimum.

A *box* is all strings between a lowest and a highest level per attribute. Two things bound it:

- per attribute the highest value of the levels in the box;
- strings that were tested before. What a string suppresses, every more specific string suppresses
  as well: where it fails they fail, and where a share of the records is suppressed they lose at
  least that share of what is left of those records (`Objective.suppression_costs`). So a tested
  string *bars* boxes: their better strings are above it in some attribute, which costs value
  (see `kernels.string_boxes`).

The box of the highest bound is looked at next. If tested strings bar it, it is divided into the
ways around one of them. Else its best string is raised to a general one by which the box is barred:
first all attributes together, as far as each of them loses little; then one after the other to its
top level, those first that bar most boxes already. The more general it is, the more boxes it bars;
but raising further than the string before is tried only now and then, as it rarely succeeds.
Where the tops of a box are low already, its most general string is tried before, and that with one
attribute at its lowest level, which then has to rise. What the most general string suppresses, all
strings of the box do: where that makes another box the better one, this one is put back.
If even the box's best string does not bar it, that string is tested as an answer.

When no box is left, the best string known is the optimum; else the highest bound of the open boxes
is the bound on the optimum. Where more than k is required, boxes are bounded by the sizes of
classes alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from kanon_tui.core.kernels.string_boxes import (
    LEVELS_PER_WORD,
    KnownStrings,
    LevelWorths,
    bound_box,
)
from kanon_tui.core.lattice.events import (
    BEST_OF_BOX,
    DESCENT,
    NEIGHBOUR,
    BoxDivided,
    Levels,
    PaceMeasured,
    Picked,
)
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.numeric import TIE, Bytes, Flags, Floats, Int64s
from kanon_tui.core.task.task import Step
from kanon_tui.core.text import Note, note

TESTS, MOST_TESTS = 100_000, 300_000  # unless a number is given
CLOSE = 0.02  # a gap that is worth more tests
_STRETCH, _WINDOW = 25_000, 2  # tests between two looks; stretches that the pace is measured in


class Budget:
    """A number of tests that a search may make, and optionally seconds that it may take.

    Without a number these are TESTS, and up to MOST_TESTS as long as the gap closes at a pace that
    promises to be CLOSE by then. That is counted in tests alone, so it is the same everywhere.
    """

    def __init__(self, tests: int | None, seconds: float | None = None) -> None:
        self.left = tests or TESTS
        self.used = 0
        self.planned = tests or MOST_TESTS
        """The tests after which it ends, as far as is known; it only ever falls."""
        self.expected = 1.0
        """The gap after MOST_TESTS at the present pace."""
        self._automatic = tests is None
        self._gaps = [1.0]
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

    @property
    def is_due(self) -> bool:
        """Whether it is time to look at the gap."""
        return self._automatic and self.used >= _STRETCH * len(self._gaps)

    def look(self, gap: float) -> None:
        """Plan as many tests as the pace of the gap is worth."""
        self._gaps += [gap] * (self.used // _STRETCH + 1 - len(self._gaps))
        before = self._gaps[max(len(self._gaps) - 1 - _WINDOW, 0)]
        windows = (MOST_TESTS - self.used) / (_STRETCH * _WINDOW)
        self.expected = gap * min(gap / before, 1.0) ** windows
        end = MOST_TESTS if self.expected <= CLOSE else max(TESTS, self.used)
        self.left, self.planned = end - self.used, min(self.planned, end)

    def notes(self) -> tuple[Note, ...]:
        """Return why the search ended where it did, unless that was asked for."""
        if not self._automatic or self.used < TESTS:
            return ()
        if self.left > 0:
            went_on = note(
                "went on after {tests:,} tests, as the gap was closing, and ended after {used:,}",
                tests=TESTS, used=self.used,
            )  # fmt: skip
            return (went_on,)
        stopped = note(
            "stopped after {used:,} tests: the gap would be {gap:.1%} after {most:,}",
            used=self.used, gap=self.expected, most=MOST_TESTS,
        )  # fmt: skip
        return (stopped,)


_BATCH = 8  # neighbours that are tested before the best of them is looked for
_FAILING_KEPT = 1000  # failing strings that rule out others
_TABU = (4, 13)  # moves, drawn at random


class Descent:
    """Walks over the strings of a search."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self.search = search
        self.budget = budget
        self.random = np.random.default_rng(search.task.seed)
        self._values: dict[Levels, float] = dict.fromkeys(search.known, -np.inf)
        self._values |= {string.levels: string.value for string in search.passing}
        self._failing = np.zeros((0, len(search.lattice.sizes)), dtype=np.int64)
        moves = zip(search.lattice.lowest, search.lattice.heights, strict=True)
        self._moves = [(a, x) for a, (low, top) in enumerate(moves) for x in range(low, top + 1)]

    def run(self, start: Sequence[int], patience: int) -> Generator[Step, None, None]:
        """Move from a string until `patience` moves in a row found nothing better."""
        current = tuple(int(level) for level in start)
        yield from self._evaluate([current], Picked(DESCENT, current))
        tabu_until = np.full((len(current), max(self.search.lattice.heights) + 1), -1)
        turn = waited = 0
        while waited <= patience and not self.budget.spent:
            before = self.search.best_value
            neighbour = yield from self._best_neighbour(current, tabu_until >= turn, waited > 0)
            if neighbour is None:
                return
            for a in np.flatnonzero(np.array(neighbour) != current).tolist():
                tabu_until[a, current[a]] = turn + self.random.integers(*_TABU)
            current = neighbour
            turn = turn + 1
            waited = 0 if self.search.best_value > before + TIE else waited + 1

    def _best_neighbour(
        self, current: Levels, tabu: Flags, paired: bool
    ) -> Generator[Step, None, Levels | None]:
        """Return the neighbour of highest value that is not tabu, or better than all before."""
        strings = self._neighbours(current, paired)
        bounds = self.search.objective.sums(strings)
        changed = strings != np.array(current)
        forbidden = (tabu[np.arange(len(current)), strings] & changed).any(axis=1)
        best = self.search.best_value
        value = -np.inf
        best_neighbour = None
        queue = np.argsort(-bounds, kind="stable")
        queue = queue[~forbidden[queue] | (bounds[queue] > best + TIE)]
        for begin in range(0, len(queue), _BATCH):
            batch = [row for row in queue[begin : begin + _BATCH] if bounds[row] > value + TIE]
            if not batch or self.budget.spent:
                break
            levels = {row: tuple(strings[row].tolist()) for row in batch}
            yield from self._evaluate(list(levels.values()), Picked(NEIGHBOUR, current))
            for row, string in levels.items():
                string_value = self._values.get(string, -np.inf)
                if string_value > value + TIE and (not forbidden[row] or string_value > best + TIE):
                    value = string_value
                    best_neighbour = string
        return best_neighbour

    def _neighbours(self, current: Levels, paired: bool) -> Int64s:
        """Return the strings with one attribute at another level, or also two moved oppositely."""
        raised = [(a, x) for a, x in self._moves if x > current[a]]
        lowered = [(a, x) for a, x in self._moves if x < current[a]]
        chosen = [(move, move) for move in (*raised, *lowered)]
        if paired:
            chosen += [(up, down) for up in raised for down in lowered if up[0] != down[0]]
        moves = np.array(chosen, dtype=np.int64).reshape(-1, 2, 2)
        strings = np.tile(np.array(current), (len(moves), 1))
        for place in (0, 1):
            strings[np.arange(len(moves)), moves[:, place, 0]] = moves[:, place, 1]
        return strings

    def _evaluate(self, strings: Sequence[Levels], picked: Picked) -> Generator[Step, None, None]:
        """Test the strings that are unknown, as far as the budget goes."""
        search = self.search
        unknown = [
            string for string in strings if string not in self._values and not self._fails(string)
        ]
        unknown = unknown[: self.budget.left]
        self.budget.spend(len(unknown))
        for levels in unknown:
            search.generated += 1
            outcome = search.test_only(levels)
            value = search.objective.value(levels, outcome) if outcome.passes else -np.inf
            self._values[levels] = value
            if outcome.passes:
                search.record_passing(levels, outcome, value)
            elif outcome.fails_below:
                self._failing = np.concatenate([[levels], self._failing[: _FAILING_KEPT - 1]])
            yield from search.report_test(levels, outcome, picked=picked)

    def _fails(self, levels: Levels) -> bool:
        """Return whether a string is nowhere more general than one that failed."""
        return bool((self._failing >= np.array(levels)).all(axis=1).any())


_BOXES_PER_TEST = 20  # boxes that are divided in the time of a test
_REMEMBERED = 300_000  # strings
_TOLERANCES = 100  # losses that raising all attributes together may take
_PROBES = 4  # strings near the most general one of a box that are tried first
_LONGEST_PAUSE = 8  # bars that are not raised further after raising failed
_FAILS = 2.0  # as a share: more than all records


@dataclass(frozen=True, eq=False)
class _Box:
    low: Bytes
    high: Bytes
    share: float
    """The share of the records that all of its strings suppress."""
    most: float
    """The highest values of its levels, added up, less what the share costs."""
    worth: float
    """An upper bound on the values of its strings."""


class Proof:
    """The open boxes of a search, of which the one with the highest bound is looked at next."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self.search = search
        self.budget = budget
        lattice = search.lattice
        objective = search.objective
        shape = len(lattice.heights), max(lattice.heights) + 1
        values, costs = np.zeros((2, *shape))
        pairs = zip(objective.bounds, objective.suppression_costs(), strict=True)
        for a, (level_values, cost) in enumerate(pairs):
            values[a, : len(level_values)], costs[a, : len(level_values)] = (
                level_values[: shape[1]],
                cost[: shape[1]],
            )
        self._worths = LevelWorths(values, costs, *np.zeros((2, *shape)))
        self._rows, self._numbers = map(np.arange, shape)
        self._bytes = -(-shape[0] // LEVELS_PER_WORD) * LEVELS_PER_WORD
        self._known = KnownStrings.allocate(room=1024, bytes=self._bytes)
        self._count = 0
        self._below = np.zeros(shape[0], dtype=np.int64)
        """Per attribute how many known strings are below its top level."""
        self._small: dict[Levels, tuple[int, int]] = {}
        """The records that strings suppress at least and at most."""
        levels = [
            level_values[: top + 1]
            for level_values, top in zip(values, lattice.heights, strict=True)
        ]
        losses = np.concatenate(
            [np.subtract.outer(level_values, level_values).ravel() for level_values in levels]
        )
        losses = np.unique(np.round(losses[losses > TIE], 9))
        losses = np.append(0.0, losses[:: 1 + len(losses) // _TOLERANCES])
        self._highest = [
            [_highest(level_values, x, losses) for x in range(len(level_values))]
            for level_values in levels
        ]
        """Per attribute and level the highest level that loses at most each of the losses."""
        self._tolerated, self._kept = 0, shape[0] // 2  # as the last string was raised
        self._pause = self._waited = 1  # bars between attempts to raise one further
        self._open: list[tuple[float, bytes, bytes, float]] = []
        """Per box the bound with its sign turned, lowest and highest levels, share suppressed."""
        spans = zip(values, lattice.lowest, lattice.heights, strict=True)
        worth = float(sum(level_values[low : top + 1].max() for level_values, low, top in spans))
        self._push(self._row(lattice.lowest), self._row(lattice.heights), worth, 0.0)

    @property
    def bound(self) -> float:
        """An upper bound on the values that are not settled; minus infinity if there are none."""
        worth = -self._open[0][0] if self._open else -np.inf
        return worth if worth > self.search.best_value + TIE else -np.inf

    def _row(self, levels: Sequence[int]) -> Bytes:
        row = np.zeros(self._bytes, dtype=np.uint8)
        row[: len(levels)] = levels
        return row

    def _push(self, low: Bytes, high: Bytes, worth: float, share: float) -> None:
        if worth > self.search.best_value + TIE:
            heappush(self._open, (-worth, low.tobytes(), high.tobytes(), share))

    def run(self) -> Iterator[Step]:
        """Look at boxes until none is left or the budget is spent."""
        looked = 0
        while self.bound > -np.inf and not self.budget.spent:
            looked += 1
            self.budget.spend(looked % _BOXES_PER_TEST == 0)
            turned, *ends, share = heappop(self._open)
            low, high = (np.frombuffer(end, dtype=np.uint8).copy() for end in ends)
            mark = self.search.best_value + TIE
            box_bound = bound_box(self._worths, self._known, self._count, low, high, share, mark)
            box = _Box(low, high, box_bound.share, box_bound.most, min(-turned, box_bound.worth))
            if box_bound.barring >= 0:
                self._divide(box, self._known.levels[box_bound.barring])
            elif box.worth > mark:
                yield from self._bar(box, mark)
            if self.budget.is_due and self.bound > -np.inf:
                yield from self._look(self.search, self.budget)

    def _look(self, search: Search, budget: Budget) -> Iterator[Step]:
        """Look at the pace of the gap, and say whether the search goes on."""
        gap = search.proof(search.best_value, self.bound)["gap"] if search.candidates else 1.0
        budget.look(gap)
        if budget.used >= TESTS:
            expected = budget.expected
            event = PaceMeasured(budget.used, MOST_TESTS, gap, expected, not budget.spent)
            yield search.step(event)

    def _divide(self, box: _Box, string: Bytes) -> None:
        """Open the parts of a box that are above a string, the way around it that costs most first.

        The cheapest way is left with the lowest tops, and so with the fewest strings.
        """
        ways = np.flatnonzero(string < box.high)
        costs = self._worths.losses[ways, string[ways] + 1]
        top = box.high.copy()
        for way in np.argsort(-costs, kind="stable").tolist():
            low = box.low.copy()
            a = ways[way]
            low[a] = string[a] + 1
            self._push(low, top, min(box.worth, box.most - float(costs[way])), box.share)
            top[a] = string[a]

    def _bar(self, box: _Box, mark: float) -> Iterator[Step]:
        """Divide a box by a string that bars it, found by raising its best one; or test that."""
        tops = self.search.lattice.heights
        levels = self._numbers
        low = box.low[: len(tops), None]
        high = box.high[: len(tops), None]
        values = np.where((levels >= low) & (levels <= high), self._worths.values, -np.inf)
        best = tuple(values.argmax(axis=1).tolist())
        enough = self._enough(values, box.share, mark)

        def bars(string: Levels) -> bool:
            return self._suppresses(string, enough)

        base: Levels | None = None
        general = tuple(box.high[: len(tops)].tolist())
        if sum(high < top for high, top in zip(general, tops, strict=True)) >= self._kept:
            free = [a for a, level in enumerate(best) if level < general[a]]
            free.sort(key=lambda a: -self._worths.losses[a, best[a] + 1])
            probes = [general, *((*general[:a], best[a], *general[a + 1 :]) for a in free)]
            base = next(filter(bars, probes[:_PROBES]), None)
            least, _ = self._small.get(general, (0, 0))
            share = max(box.share, least / self.search.frequency.n)
            most = (values - share * self._worths.costs).max(axis=1).sum()
            worth = min(box.worth, float(most))
            if base is None and self._open and worth < -self._open[0][0] - TIE:
                self._push(box.low, box.high, worth, share)  # others are to be looked at before
                return iter(())
        if base is None:
            highest = [
                highest_levels[x] for highest_levels, x in zip(self._highest, best, strict=True)
            ]
            strings = list(zip(*highest, strict=True))
            number = _last_true(lambda at: bars(strings[at]), self._tolerated, len(strings) - 1)
            if number < 0:
                return self._test(box, best)
            self._tolerated = number
            base = strings[number]
        string = self._raised(base, best, bars)
        frequency = self.search.frequency
        self._learn(string, _FAILS if enough > frequency.allowed else enough / frequency.n)
        self._divide(box, self._row(string))
        limit = self.search.objective.worth(self.bound) if self._open else None
        return self.search.report(BoxDivided(string, len(self._open), limit))

    def _raised(self, base: Levels, best: Levels, bars: Callable[[Levels], bool]) -> Levels:
        """Raise attributes of a string to their tops as far as it bars a box."""
        tops = self.search.lattice.heights
        values = self._worths.values
        free = np.flatnonzero(np.less(base, tops))
        lost = values[free, np.take(best, free)] - values[free, np.take(base, free) + 1]
        below = free[np.lexsort((-self._below[free], np.round(lost, 9)))].tolist()

        def raised(count: int) -> Levels:
            string = list(base)
            for a in below[:count]:
                string[a] = tops[a]
            return tuple(string)

        guess = max(len(below) - self._kept, 0)
        self._waited = self._waited + 1
        last = len(below) if self._waited > self._pause else guess
        count = _last_true(lambda count: bars(raised(count)), guess, last)
        if last > guess:
            self._waited = 0
            self._pause = 1 if count > guess else min(2 * self._pause, _LONGEST_PAUSE)
        self._kept = len(below) - count
        return raised(count)

    def _enough(self, values: Floats, share: float, mark: float) -> int:
        """Return how many records a string has to suppress to bar a box; more if it need not.

        `values`, of shape (attributes, levels), are those in the box, and `share` is suppressed.
        """
        costs = self._worths.costs
        frequency = self.search.frequency
        over = 1.0
        while over > 0 and share * frequency.n <= frequency.allowed:
            best = (values - share * costs).argmax(axis=1)  # convex in the share: never too far
            cost = float(costs[self._rows, best].sum())
            over = float(values[self._rows, best].sum()) - share * cost - mark
            share = share + over / cost + TIE if cost > 0 and over > 0 else share + (over > 0)
        return int(min(share * frequency.n, frequency.allowed)) + 1

    def _suppresses(self, string: Levels, enough: int) -> bool:
        """Return whether a string suppresses that many records, or fails."""
        least, most = self._small.get(string, (0, self.search.frequency.n))
        if least < enough <= most:
            search = self.search
            small = search.frequency.small_records(string, enough - 1)
            self.budget.spend(1)
            search.generated += 1
            search.tested += 1
            if len(self._small) >= _REMEMBERED:
                self._small.clear()
            least, most = (enough, most) if small is None else (small, small)
            self._small[string] = least, most
        return least >= enough

    def _learn(self, string: Levels, share: float) -> None:
        """Add a string to the known strings that exclude boxes."""
        if self._count == len(self._known.shares):
            larger = KnownStrings.allocate(room=2 * self._count, bytes=self._bytes)
            larger.levels[: self._count] = self._known.levels
            larger.shares[: self._count] = self._known.shares
            self._known = larger
        self._known.levels[self._count] = self._row(string)
        self._known.shares[self._count] = share
        self._below += np.array(string) < self.search.lattice.heights
        self._count += 1

    def _test(self, box: _Box, best: Levels) -> Iterator[Step]:
        """Test the best string of a box as an answer, and open the box without it."""
        search = self.search
        row = self._row(best)
        self.budget.spend(1)
        search.generated += 1
        outcome = search.test(best)
        alone = bool((row == box.low).all())
        above = search.objective.most_above(best) if alone and outcome.passes else None
        if above is None or above > search.best_value + TIE:
            self._divide(box, row)
        if outcome.fails_below:
            self._learn(best, _FAILS)
        elif not alone:
            a = int(np.flatnonzero(box.low < row)[0])
            low = box.low.copy()
            high = row.copy()
            low[a], high[a] = row[a], row[a] - 1
            self._push(low, row, box.worth, box.share)
            self._push(box.low, high, box.worth, box.share)
        return search.report_test(best, outcome, picked=Picked(BEST_OF_BOX))


def _highest(values: Floats, level: int, losses: Floats) -> list[int]:
    """Return per entry of `losses` the highest level that loses at most as much against a level.

    `values`, of shape (levels,), are the values of the levels.
    """
    least = np.minimum.accumulate((values[level] - values[level:])[::-1])[::-1]  # here or higher
    return [level - 1 + int(at) for at in np.searchsorted(least, losses + TIE, side="right")]


def _last_true(holds: Callable[[int], bool], guess: int, last: int) -> int:
    """Return the last number up to `last` for which `holds` is true; it changes only once.

    Numbers are tried from the guess on; -1 if it does not hold at 0.
    """
    number = min(max(guess, 0), last)
    if holds(number):
        while number < last and holds(number + 1):
            number += 1
        return number
    while number > 0 and not holds(number - 1):
        number -= 1
    return number - 1
