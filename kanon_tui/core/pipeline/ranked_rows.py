"""The rows of files in another order: by a rank that each of them has, such as its class.

How many rows have each rank is known before, so that one pass puts every row in its place: four
bytes for each, and nothing is sorted as a whole. Rows of one rank stay in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.table.value_counts import CHANGED

__all__ = ["BYTES_PER_ROW", "RankedRows", "ranked_rows"]

BYTES_PER_ROW = 4
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Numbers of rows, those of one rank after the other."""

    numbers: npt.NDArray[np.uint32]
    """By rank; rising within each."""
    sizes: Int64s
    """How many rows have each rank."""
    turns: Int64s
    """The ranks in the order in which they are shown."""

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self.turns) else 0

    def __getitem__(self, place: int) -> int:
        turn = int(np.searchsorted(self._ends, place, "right"))
        rank = int(self.turns[turn])
        before = int(self._ends[turn] - self.sizes[rank])
        return int(self.numbers[self._begins[rank] + place - before])

    def place_of(self, row: int) -> int:
        """Where a row stands."""
        found = int(np.flatnonzero(self.numbers == row)[0])
        rank = int(np.searchsorted(self._begins + self.sizes, found, "right"))
        turn = int(np.flatnonzero(self.turns == rank)[0])
        return int(self._ends[turn] - self.sizes[rank] + found - self._begins[rank])

    def in_turn(self, turns: Int64s) -> RankedRows:
        """The same rows with their ranks in another order, or some of these alone."""
        return replace(self, turns=turns)

    @cached_property
    def _begins(self) -> Int64s:
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def _ends(self) -> Int64s:
        return np.cumsum(self.sizes[self.turns])


def ranked_rows(
    stretches: Iterable[T],
    rank_of: Callable[[T], Int32s],
    sizes: Int64s,
    memory: MemoryLimit,
) -> RankedRows:
    """Put all rows in their places, some at a time; `sizes` says how many have each rank."""
    memory.check_room(int(sizes.sum()) * BYTES_PER_ROW, "another order of its rows")
    numbers = np.empty(int(sizes.sum()), dtype=np.uint32)
    free = np.cumsum(sizes) - sizes
    row = 0
    for stretch in stretches:
        ranks = rank_of(stretch)
        order = np.argsort(ranks, kind="stable")
        here, first, count = np.unique(ranks[order], return_index=True, return_counts=True)
        if (free[here] + count > len(numbers)).any():
            raise InputError(CHANGED)
        within = np.arange(len(ranks)) - np.repeat(first, count)
        numbers[np.repeat(free[here], count) + within] = order + row
        free[here] += count
        row += len(ranks)
    if row != len(numbers) or (free != np.cumsum(sizes)).any():
        raise InputError(CHANGED)
    return RankedRows(numbers, sizes, np.arange(len(sizes)))
