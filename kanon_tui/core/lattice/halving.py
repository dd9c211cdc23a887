"""The search that `global`, `hybrid` and `distributed` end with: halve a list sorted by value.

Test the string in the middle of what is left. When it passes, everything of lower research value
can go; when it fails, everything more specific fails too. Repeat until nothing is left.

Why the answer is the optimum. Write *window* for the passing strings within 1e-9 of the highest
value M of any passing string; the answer is the string of the window with the fewest
attributes at the root, and of these the smallest level vector. A string leaves the list only when

1. it was tested;
2. a more general string failed: then it fails, because classes only get smaller (where more than k
   is required together with suppression, only what `Frequency` says `fails_below` counts);
3. its value is below that of a known passing string by more than 1e-9: then it is outside the
   window, since M is at least that string's value;
4. a known passing string has no lower value and wins the tie against it: wherever the one is in
   the window the other is too, and wins.

A search may look for other than research value (`objective`). Where a string's value is not the sum
of its levels', the list is sorted by what strings are worth at most: 3 and 4 hold all the more, and
the value of a string is known once it was tested. Then a fifth reason is

5. a more general string of a tested one has no more classes, nor wins a tie.

So the answer is never lost to 2-5 without something as good being known, and at the end the answer
is found among the known passing strings alone. Nothing here assumes that values fall from level to
level. Where they rise (by hand, or by rules), a more general string of a passing one passes too and
may be worth more: the best of them is known without a test, because each attribute chooses its best
level alone, and is accepted at once.

Reference: Morton, global optimisation (figure 4). The thesis drops every more general string of a
passing one; that would lose the optimum where values rise, so that here they go by their value.
"""

from collections.abc import Callable, Container, Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.lattice.events import (
    BELOW,
    LOSES_TIE,
    MIDDLE,
    NO_BETTER,
    NO_MORE_GENERAL,
    RAISED,
    SMALL_CLASS,
    WORTH_LESS,
    ListedString,
    Picked,
    Pruned,
    Reason,
    StringAccepted,
)
from kanon_tui.core.lattice.frequency import Frequency, Outcome
from kanon_tui.core.lattice.objective import Worth
from kanon_tui.core.lattice.search import Search, Watcher
from kanon_tui.core.lattice.strings import Lattice, NodeList, PassingString
from kanon_tui.core.numeric import TIE, Flags, Int32s, Int64s, Words
from kanon_tui.core.task.task import Step
from kanon_tui.core.text import count_of, count_text

_SHOWN = 5  # strings around the one that is tested


class ListFollower:
    """Says which strings left a list since it was last asked."""

    def __init__(self, watcher: Watcher, strings: NodeList) -> None:
        self._watcher = watcher
        self._strings = strings
        self._left = self._nodes()

    def _nodes(self) -> Int64s:
        if not self._watcher.follows:
            return np.empty(0, dtype=np.int64)
        return self._watcher.lattice.nodes(self._strings.lattice, self._strings.codes)

    def dropped(self) -> Int64s:
        """Return the nodes that are no longer in the list."""
        if not self._watcher.follows:
            return self._left
        before = self._left
        self._left = self._nodes()
        return np.setdiff1d(before, self._left, assume_unique=True)


class Halving:
    """A list of strings on its way to the best passing one."""

    def __init__(self, search: Search, strings: NodeList) -> None:
        self.search = search
        self.strings = strings
        self._small_classes = SmallClassPruning(search.frequency, strings.lattice)
        self._start = len(strings)
        self._whole = self._start == strings.lattice.count
        self._follower = ListFollower(search.watcher, strings)

    @property
    def progress(self) -> float:
        """The share of the list that is settled."""
        return 1 - len(self.strings) / self._start

    @property
    def bound(self) -> float:
        """An upper bound on the values of the strings left."""
        return float(self.strings.worths[-1]) if len(self.strings) else -np.inf

    def run(self) -> Iterator[Step]:
        """Test the midpoint of what is left until nothing is left."""
        while len(self.strings):
            levels = self.strings.lattice.levels(self.strings.midpoint())
            yield from self.test(levels, MIDDLE)

    def test(self, levels: Sequence[int], how: str) -> Generator[Step, None, bool]:
        """Test a string of the list, prune by its outcome, and return whether it passes."""
        search = self.search
        outcome = search.test(levels)
        yield from search.report_test(levels, outcome, picked=self._picked(levels, how))
        if outcome.passes:
            tested = search.passing[-1]
            if search.objective.exact:
                if search.frequency.monotone:
                    yield from self._accept_above(levels)
                yield from self.drop_worse(tested)
            else:
                self.strings.drop_one(self.strings.lattice.code(levels))
                yield from self._drop_above(tested)
                yield from self.drop_worse()
        elif not outcome.fails_below:  # more specific ones may pass: it alone is done with
            self.strings.drop_one(self.strings.lattice.code(levels))
        else:
            specific = self.strings.drop_specific(self.strings.lattice.code(levels)) - 1
            yield from self._pruned(specific, BELOW)
            small_class = self._small_classes.drop(self.strings, outcome.member)
            yield from self._pruned(small_class, SMALL_CLASS)
            if prunes_little(specific + small_class, self.strings):
                yield from self._widen(levels)
        return outcome.passes

    def _widen(self, levels: Sequence[int]) -> Iterator[Step]:
        """Raise a failing string as far as it fails, to drop more of a long list."""
        search = self.search
        strings = self.strings
        wider, tests = widen(search.frequency, strings, tuple(levels), search.known)
        failed = 0
        passed = []
        for raised, outcome in tests:
            code = strings.lattice.code(raised)
            listed = code in strings
            if not listed and self._whole:
                search.pruned -= 1  # it was dropped untested, and is tested after all
            search.generated += not (listed or self._whole)
            search.add_test(raised, outcome)
            if outcome.passes:
                passing_string = search.record_passing(raised, outcome)
                passed += [passing_string] * (listed and search.objective.exact)
            failed += listed and outcome.fails_below
            if listed and not (outcome.fails_below or (outcome.passes and search.objective.exact)):
                strings.drop_one(code)
            yield from search.report_test(raised, outcome, picked=Picked(RAISED, tuple(levels)))
        dropped = strings.drop_specific(strings.lattice.code(wider)) - failed
        yield from self._pruned(dropped, BELOW)
        if any(outcome.passes for _, outcome in tests):
            yield from self.drop_worse(*passed)

    def drop_known(self) -> Iterator[Step]:
        """Drop what is known to fail from tests that were made before there was this list."""
        dropped = 0
        for levels, passes in self.search.known.items():
            if not passes and self.search.frequency.monotone:
                dropped += self.strings.drop_specific(self.strings.lattice.code(levels))
        yield from self._pruned(dropped, NO_MORE_GENERAL)

    def _picked(self, levels: Sequence[int], how: str) -> Picked:
        """Return how a string of the list was picked, and those around it for viewers."""
        search = self.search
        strings = self.strings
        strings_left = len(strings)
        by = search.objective.name
        if not search.watcher.watched:
            return Picked(how, left=strings_left, by=by)
        places, _ = strings.around(strings.lattice.code(levels), _SHOWN)
        around = [
            ListedString(
                strings.lattice.levels(strings.codes[place]),
                search.objective.figure(float(strings.worths[place])),
                strings_left - place,
            )
            for place in places.tolist()
        ]
        return Picked(how, left=strings_left, by=by, around=tuple(around[::-1]))

    def _accept_above(self, levels: Sequence[int]) -> Iterator[Step]:
        """Accept the best more general string without a test, where values rise with the level."""
        search = self.search
        above = self.strings.lattice.best_above(levels)
        if search.objective.sum(above) <= search.best_value:
            return
        accepted = search.record_passing(above)
        worth = search.objective.worth(accepted.value)
        yield from search.report(StringAccepted(accepted.levels, worth))

    def _drop_above(self, tested: PassingString) -> Iterator[Step]:
        """Drop what is more general than a passing string, where none of it can be worth more."""
        search = self.search
        strings = self.strings
        most = search.objective.most_above(tested.levels)
        if most is None or not (most <= tested.value or most < search.best_value - TIE):
            return
        dropped = len(strings.take_general(strings.lattice.code(tested.levels)))
        yield from self._pruned(dropped, NO_BETTER)

    def drop_worse(self, *tested: PassingString) -> Iterator[Step]:
        """Drop what cannot be the answer any more, the strings just tested included."""
        search = self.search
        strings = self.strings
        best = search.candidates
        if not best:
            return
        worths = np.array([string.value for string in best])
        codes = np.array([strings.lattice.code(string.levels) for string in best])
        roots = np.array([string.roots for string in best], dtype=np.int64)
        floor = float(worths.max()) - TIE
        lower = strings.drop_below(floor)
        losing = strings.drop_dominated(codes, worths, roots)
        worth_less = sum(string.value < floor for string in tested)
        lower = lower - worth_less
        losing = losing - (len(tested) - worth_less)
        dropped = self._follower.dropped()
        beaten = search.watcher.lattice.worths[dropped] < floor if len(dropped) else dropped < 0
        search.watcher.add_settled(WORTH_LESS, dropped[beaten])
        mark = search.objective.worth(float(worths.max()))
        yield from self._pruned(lower, WORTH_LESS, mark)
        search.watcher.add_settled(LOSES_TIE, dropped[~beaten])
        yield from self._pruned(losing, LOSES_TIE)

    def _pruned(self, dropped: int, reason: Reason, mark: Worth | None = None) -> Iterator[Step]:
        self.search.pruned += dropped
        self.search.watcher.add_settled(reason, self._follower.dropped())
        if dropped > 0:
            yield from self.search.report(Pruned(dropped, reason, mark))


def list_all(search: Search, memory: int, who: str) -> NodeList:
    """Return the sorted list of all strings, if it fits into `memory` megabytes."""
    space = search.lattice
    if space.megabytes > memory:
        raise InputError(
            f"{who}: {count_of(space.count, 'string')} would need "
            f"{count_text(space.megabytes)} MB, memory is {memory:,} MB; raise memory, or "
            f"choose anytime, which keeps to a budget and says how far its answer is from the "
            f"optimum, or distributed, which needs less memory and more time"
        )
    strings = NodeList(space, *space.strings())
    search.generated += len(strings)
    return strings


Levels = tuple[int, ...]

_MOST_LOOKED_AT = 1_000_000  # strings: the class of a record is counted in all of them
_LONG_LIST = 2_000  # strings
_LITTLE = 0.01  # of a long list


class SmallClassPruning:
    """Drops all strings in which one record of a failing class is in too small a class.

    When nothing may be suppressed, one record in too small a class is enough for a string to fail.
    The size of one record's class at *every* string costs little more than the classes of all
    records at one, so that each failing test also drops the strings where the same record fails.
    """

    def __init__(
        self, frequency: Frequency, space: Lattice, attributes: Sequence[int] | None = None
    ) -> None:
        self._frequency = frequency
        self._levels, self._places = space.grid(attributes)
        self._lowest = np.where(self._levels > 1, space.lowest, space.heights)
        is_small_space = float(self._levels.astype(np.float64).prod()) <= _MOST_LOOKED_AT
        self.useful = frequency.allowed == 0 and is_small_space and not space.limited

    def drop(self, strings: NodeList, member: int) -> int:
        """Drop the strings in which the records of a tuple are in too small a class."""
        if not self.useful or not len(strings):
            return 0
        return strings.drop_small_class(self._sizes(member), self._places, self._frequency.k)

    def fails(self, member: int) -> Flags:
        """Return at every string of the grid whether a tuple is in a class below k."""
        return np.asarray(self._sizes(member) < self._frequency.k)

    def _sizes(self, member: int) -> Int32s:
        return self._frequency.class_everywhere(member, self._lowest, self._levels)


def prunes_little(dropped: int, strings: NodeList) -> bool:
    """Return whether a failing test pruned so little of a long list that widening it pays."""
    return len(strings) > _LONG_LIST and dropped < _LITTLE * len(strings)


def widen(
    frequency: Frequency, strings: NodeList, levels: Levels, known_strings: Container[Levels] = ()
) -> tuple[Levels, list[tuple[Levels, Outcome]]]:
    """Raise a failing string as far as everything more specific still fails.

    What stays low are the few attributes to blame: whatever is as specific in those fails. To hit
    many of the strings left, attributes that few of them have so low are raised first. The tests it
    takes (given too) roll up the classes of the failing string, so that they are cheap; what is
    one of `known_strings` is not tested again: had it failed, this string would be dropped.
    """
    tests = []
    for a in np.argsort(strings.shares_below(levels), kind="stable").tolist():
        for level in range(strings.lattice.heights[a], levels[a], -1):
            raised = (*levels[:a], level, *levels[a + 1 :])
            if raised in known_strings:
                continue
            outcome = frequency.test(raised)
            tests.append((raised, outcome))
            if outcome.fails_below:
                levels = raised
                break
    return levels, tests


@dataclass(frozen=True)
class StringTest:
    """A test of a string, and how many others of the list need none because of it."""

    levels: Levels
    outcome: Outcome
    others: int
    in_list: bool = True
    """False for the tests of widening, which are strings of their own."""


def find_passing(
    frequency: Frequency,
    strings: NodeList,
    attributes: Sequence[int],
    keep: Callable[[Words], None],
    follow_records: bool = True,
) -> Iterator[StringTest]:
    """Test a list of strings over some attributes; those that pass are handed to `keep`.

    Above a passing string everything passes, below a failing one everything fails (the engine
    must be monotone); test the midpoint of what is still unknown. With `follow_records` a record of
    every failing string is followed through all others (see `SmallClassPruning`).
    """
    space = strings.lattice
    small_classes = SmallClassPruning(frequency, space, attributes)
    limits = enumerate(zip(space.lowest, space.heights, strict=True))
    frequency.roll_up([low if a in attributes else top for a, (low, top) in limits])
    while len(strings):
        before = len(strings)
        code = strings.midpoint()
        levels = space.levels(code)
        outcome = frequency.test(levels)
        if outcome.passes:
            keep(strings.take_general(code))
            yield StringTest(levels, outcome, before - len(strings) - 1)
            continue
        strings.drop_specific(code)
        if follow_records:
            small_classes.drop(strings, outcome.member)
        dropped = before - len(strings)
        yield StringTest(levels, outcome, dropped - 1)
        if prunes_little(dropped, strings):
            wider, tests = widen(frequency, strings, levels)
            pruned_others = strings.drop_specific(space.code(wider))
            for raised, outcome in tests:
                yield StringTest(raised, outcome, pruned_others, in_list=False)
                pruned_others = 0
