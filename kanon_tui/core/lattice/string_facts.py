"""The facts about strings that pictures of full-domain searches are drawn from.

`LatticeGrid` is the space as a grid: every string has a number, its *node*. `SearchFacts` gathers
the strings tested, and settled without a test, since the last step. No search acts on these facts,
and nothing is gathered unless a run is watched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from kanon_tui.core.lattice.node_list import Lattice, NodeList
from kanon_tui.core.lattice.objective import Objective
from kanon_tui.core.numeric import Floats, Int64s, Words

MOST_DRAWN = 100_000
"""Strings of the largest space of which every single one is followed."""


class Reason(StrEnum):
    """Why a string needs no test."""

    ALONE = "one of its levels fails alone"
    BELOW = "it is more specific than one that fails"
    SMALL_CLASS = "a record that failed elsewhere is in a class below k here too"
    PART = "a part of its attributes fails"
    ABOVE = "it is more general than one that passes"
    WORTH_LESS = "it is worth less than the best so far"
    LOSES_TIE = "it is worth no more than one that passes"
    NO_BETTER = "it is more general than one that passes, and worth no more"

    @property
    def verdict(self) -> str:
        """Whether the string passes, fails, or is not needed."""
        if self in (Reason.WORTH_LESS, Reason.LOSES_TIE, Reason.NO_BETTER):
            return "beaten"
        return "passes" if self is Reason.ABOVE else "fails"


@dataclass(frozen=True, eq=False)
class LatticeGrid:
    """All strings of some attributes, also of levels that pre-pruning drops."""

    names: tuple[str, ...]
    lowest: tuple[int, ...]
    """The lowest level that passes alone."""
    heights: tuple[int, ...]
    research_value: Objective
    objective: Objective
    """What the strings are sorted by: the highest it allows them to be worth."""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Levels per attribute."""
        return tuple(top + 1 for top in self.heights)

    @property
    def count(self) -> int:
        """Number of strings."""
        return prod(self.sizes)

    @property
    def followed(self) -> bool:
        """Whether every single string is."""
        return self.count <= MOST_DRAWN

    @cached_property
    def places(self) -> Int64s:
        """Place value of every attribute; the first is slowest."""
        return np.append(np.cumprod(self.sizes[:0:-1])[::-1], 1).astype(np.int64)

    def node(self, levels: Sequence[int]) -> int:
        """Return the number of a string."""
        return int(np.ravel_multi_index(tuple(levels), self.sizes))

    def levels(self, node: int) -> tuple[int, ...]:
        """Return the levels of a number."""
        return tuple(int(level) for level in np.unravel_index(node, self.sizes))

    def nodes(self, space: Lattice, codes: Words) -> Int64s:
        """Return the numbers of strings given by their codes."""
        fields = ((codes[:, space.word] >> space.shift) & space.mask).astype(np.int64)
        found: Int64s = (fields + np.array(space.lowest)) @ self.places
        return found

    @cached_property
    def grid(self) -> Int64s:
        """Strings × attributes: the levels of every string; only where all are followed."""
        return np.indices(self.sizes).reshape(len(self.sizes), -1).T

    @cached_property
    def rvs(self) -> Floats:
        """The research value of every string; only where all are followed."""
        return self.research_value.sums(self.grid)

    @cached_property
    def worths(self) -> Floats:
        """Upper bounds on the value of every string; only where all are followed."""
        return self.objective.sums(self.grid)


@dataclass(frozen=True)
class Tested:
    """A test of a string and what it found."""

    levels: tuple[int, ...]
    part: tuple[int, ...] | None
    """The attributes whose string it is, the others being at the root; None for all."""
    passes: bool
    small: int | None
    """Records in classes that must go; None where counting stopped early."""
    smallest: int | None
    classes: int
    rv: float


@dataclass(frozen=True, eq=False)
class Settled:
    """Strings that need no test, and why."""

    reason: Reason
    nodes: Int64s


class SearchFacts:
    """The strings tested and settled since the last step."""

    def __init__(self, lattice: LatticeGrid, watched: bool) -> None:
        self.lattice = lattice
        self.watched = watched
        self.follows = watched and lattice.followed
        self._tests: list[Tested] = []
        self._settled: list[Settled] = []
        self._more: dict[str, Any] = {}

    def add_test(self, test: Tested) -> None:
        """Add a test to the facts of the next step."""
        if self.watched:
            self._tests.append(test)

    def add_settled(self, reason: Reason, nodes: Int64s) -> None:
        """Add strings that need no test to the facts of the next step."""
        if self.follows and len(nodes):
            self._settled.append(Settled(reason, nodes))

    def add(self, **facts: Any) -> None:
        """Add other facts that pictures need to the next step."""
        if self.watched:
            self._more |= facts

    def take(self) -> dict[str, Any]:
        """Return the facts gathered for the next step, and forget them."""
        if not self.watched:
            return {}
        facts = {"lattice": self.lattice, "tests": tuple(self._tests)}
        facts |= {"settled": tuple(self._settled), **self._more}
        self._tests, self._settled, self._more = [], [], {}
        return facts


class ListFollower:
    """Says which strings left a list since it was last asked."""

    def __init__(self, facts: SearchFacts, strings: NodeList) -> None:
        self._facts, self._strings = facts, strings
        self._left = self._nodes()

    def _nodes(self) -> Int64s:
        if not self._facts.follows:
            return np.empty(0, dtype=np.int64)
        return self._facts.lattice.nodes(self._strings.lattice, self._strings.codes)

    def dropped(self) -> Int64s:
        """Return the nodes that are no longer in the list."""
        if not self._facts.follows:
            return self._left
        before, self._left = self._left, self._nodes()
        return np.setdiff1d(before, self._left, assume_unique=True)
