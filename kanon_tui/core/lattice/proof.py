"""Branch and bound: how far the best string found can be from the optimum.

A *box* is all strings between a lowest and a highest level per attribute. Two things bound it:

- its most general string: where that fails, all of the box fail; the records that it suppresses are
  suppressed by every string of the box, and lose at least as much there (`Objective.penalty`);
- per attribute the highest value of the levels in the box.

No string of the box is worth more than the sum of those values less that penalty. Levels at which
an attribute cannot be, because the bound would not exceed the best string known, are cut off the
box at both ends, again and again: a lower top is more specific and fails sooner, which cuts off
more. The box of the highest bound is divided in two until none is left (the best string is the
optimum) or the budget is spent; the highest bound of the open boxes is the bound on the optimum.

Where more than k is required, boxes are bounded by the sizes of classes alone, and a box of one
string is tested.
"""

from collections.abc import Callable, Generator
from functools import partial
from heapq import heappop, heappush

import numpy as np

from kanon_tui.core.lattice.frequency import Frequency
from kanon_tui.core.lattice.objective import Objective
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.string_tests import StringTests
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.task import Step
from kanon_tui.core.text import count_of

Levels = tuple[int, ...]
Box = tuple[float, Levels, Levels]
"""The bound with its sign turned, the lowest and the highest levels."""

_BATCH = 8  # boxes that threads divide together
_REMEMBERED = 300_000  # penalties of strings


class Proof:
    """The open boxes of a search, of which the one with the highest bound is divided next."""

    def __init__(self, search: Search, tests: StringTests) -> None:
        self.search, self.tests = search, tests
        lattice = search.lattice
        self._values = [np.asarray(own).tolist() for own in search.objective.bounds]
        ends = zip(self._values, lattice.lowest, lattice.heights, strict=True)
        total = sum(max(own[low : top + 1]) for own, low, top in ends)
        self._open: list[Box] = [(-total, lattice.lowest, lattice.heights)]
        self._penalties: dict[Levels, float] = {}
        self.bound: float = total
        """An upper bound on the values of all strings in open boxes."""

    def run(self) -> Generator[Step, None, None]:
        """Divide boxes until none is left or the budget is spent."""
        search = self.search
        while self.bound > search.best_value + TIE and not self.tests.spent:
            boxes = [heappop(self._open) for _ in range(min(_BATCH, len(self._open)))]
            for _, string, _ in (box for box in boxes if box[1] == box[2]):
                self.tests.spend(1)
                search.generated += 1
                yield from search.tell_test(string, search.test(string), why="a box by itself")
            mark = search.best_value + TIE
            boxes = [box for box in boxes if box[1] != box[2] and -box[0] > mark]
            divided = self.tests.map(partial(self._divide, mark), boxes)
            for parts, penalties in divided:
                self.tests.spend(len(penalties))
                search.generated += len(penalties)
                search.tested += len(penalties)
                self._penalties |= penalties
                for part in parts:
                    heappush(self._open, part)
            if len(self._penalties) > _REMEMBERED:
                self._penalties.clear()
            self.bound = -self._open[0][0] if self._open else -np.inf
            yield from search.tell(
                "bound",
                "Divide {boxes} of strings; {open:,} are open, and none has a string "
                "better than {limit}.",
                boxes=count_of(len(boxes), "box", "boxes"),
                open=len(self._open),
                limit=search.objective.text(self.bound) if self._open else "the best found",
            )
        if self.bound <= search.best_value + TIE:
            self.bound = -np.inf

    def _divide(
        self, mark: float, frequency: Frequency, objective: Objective, box: Box
    ) -> tuple[list[Box], dict[Levels, float]]:
        """Return the halves of a box, narrowed, and the penalties that were counted for it."""
        counted: dict[Levels, float] = {}

        def penalty(string: Levels) -> float:
            known = self._penalties.get(string, counted.get(string))
            if known is None:
                gone = frequency.small_classes(string)
                known = np.inf if gone is None else objective.penalty(string, gone)
                counted[string] = known
            return known

        _, low, high = box
        a = self._attribute_to_divide(frequency, low, high)
        lowered = (*high[:a], high[a] - 1, *high[a + 1 :])
        raised = (*low[:a], high[a], *low[a + 1 :])
        halves = (low, lowered), (raised, high)
        parts = [self._narrow(penalty, list(low), list(high), mark) for low, high in halves]
        return [part for part in parts if part is not None], counted

    def _attribute_to_divide(self, frequency: Frequency, low: Levels, high: Levels) -> int:
        """Return the attribute whose top level costs most value and joins most labels."""
        radix = frequency.coded.radix
        scores = [
            (max(own[x : y + 1]) - own[y] + TIE) * int(radix[a, y - 1]) if x < y else -1.0
            for a, (own, x, y) in enumerate(zip(self._values, low, high, strict=True))
        ]
        return int(np.argmax(scores))

    def _narrow(
        self, penalty: Callable[[Levels], float], low: list[int], high: list[int], mark: float
    ) -> Box | None:
        """Cut off levels that no better string has; None if none is left."""
        while True:
            gone = penalty(tuple(high))
            tops = [max(v[x : y + 1]) for v, x, y in zip(self._values, low, high, strict=True)]
            total = sum(tops)
            if total - gone <= mark:
                return None
            narrower = False
            for a, own in enumerate(self._values):
                while low[a] < high[a] and total - tops[a] + own[high[a]] - gone <= mark:
                    high[a] -= 1
                    narrower = True
            if narrower:
                continue
            for a, own in enumerate(self._values):
                while low[a] < high[a]:
                    lowered = (*high[:a], low[a], *high[a + 1 :])
                    if total - tops[a] + own[low[a]] - penalty(lowered) > mark:
                        break
                    low[a] += 1
                    narrower = True
            if not narrower:
                return gone - total, tuple(low), tuple(high)
