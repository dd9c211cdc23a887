"""Every passing string of a list, and how one failing test says more.

A test that fails rules out the more specific strings. Two ways to learn more from it: look at a
record of its smallest class in all strings, or raise the string as far as it still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.lattice.frequency import Frequency, Outcome
from kanon_tui.core.lattice.node_list import StringList, StringSpace
from kanon_tui.core.numeric import Flags, Int32s, Words

__all__ = ["SmallClassPruning", "StringTest", "find_passing", "prunes_little", "widen"]

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
        self, frequency: Frequency, space: StringSpace, attributes: Sequence[int] | None = None
    ) -> None:
        self._frequency = frequency
        self._levels, self._places = space.grid(attributes)
        pairs = zip(space.lowest, space.heights, strict=True)
        self._lowest = np.array(
            [low if n > 1 else top for (low, top), n in zip(pairs, self._levels, strict=True)]
        )
        count = float(self._levels.astype(np.float64).prod())
        self.useful = frequency.allowed == 0 and count <= _MOST_LOOKED_AT

    def drop(self, strings: StringList, member: int) -> int:
        """Drop the strings in which the records of a tuple are in too small a class."""
        if not self.useful or not len(strings):
            return 0
        return strings.drop_small_class(self._sizes(member), self._places, self._frequency.k)

    def fails(self, member: int) -> Flags:
        """At every string of the grid whether the records of a tuple are in too small a class."""
        return np.asarray(self._sizes(member) < self._frequency.k)

    def _sizes(self, member: int) -> Int32s:
        return self._frequency.class_everywhere(member, self._lowest, self._levels)


def prunes_little(dropped: int, strings: StringList) -> bool:
    """Whether a failing test left a long list nearly as long, so that widening it is worthwhile."""
    return len(strings) > _LONG_LIST and dropped < _LITTLE * len(strings)


def widen(
    frequency: Frequency, strings: StringList, levels: Levels, known: Container[Levels] = ()
) -> tuple[Levels, list[tuple[Levels, Outcome]]]:
    """Raise a failing string as far as everything more specific still fails.

    What stays low are the few attributes to blame: whatever is as specific in those fails. To hit
    many of the strings left, attributes that few of them have so low are raised first. The tests it
    takes (given too) roll up the classes of the failing string, so that they are cheap; what is
    `known` is not tested again: had it failed, this string would be dropped.
    """
    tests = []
    shares = strings.shares_below(levels)
    for a in np.argsort(shares, kind="stable").tolist():
        for level in range(strings.space.heights[a], levels[a], -1):
            raised = (*levels[:a], level, *levels[a + 1 :])
            if raised in known:
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
    strings: StringList,
    attributes: Sequence[int],
    keep: Callable[[Words], None],
) -> Iterator[StringTest]:
    """Test a list of strings over some attributes; those that pass are handed to `keep`.

    Above a passing string everything passes, below a failing one everything fails (the engine
    must be monotone); test the midpoint of what is still unknown.
    """
    space = strings.space
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
        small_classes.drop(strings, outcome.member)
        dropped = before - len(strings)
        yield StringTest(levels, outcome, dropped - 1)
        if prunes_little(dropped, strings):
            wider, tests = widen(frequency, strings, levels)
            others = strings.drop_specific(space.code(wider))
            for raised, outcome in tests:
                yield StringTest(raised, outcome, others, in_list=False)
                others = 0
