"""Steepest descent over strings, with moves that are tabu for a while.

From a string to the best of its neighbours, better or not: a neighbour has one attribute at another
level; after a move that found nothing better, also one attribute raised and another lowered. The
level that an attribute leaves is tabu for some moves, so that the search leaves a local optimum
instead of returning to it; a move to a better string than any so far is always allowed.

Neighbours are looked at from the highest bound on their value downwards, until no bound exceeds the
best value among them. What is nowhere more general than a string that failed needs no test.

Reference: Glover, tabu search (1989).
"""

from collections.abc import Generator, Sequence

import numpy as np

from kanon_tui.core.lattice.budget import Budget
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.numeric import TIE, Flags, Int64s
from kanon_tui.core.task.task import Step

Levels = tuple[int, ...]
_BATCH = 8  # neighbours that are tested before the best of them is looked for
_REMEMBERED = 1000  # failing strings that rule out others
_TABU = (4, 13)  # moves, drawn at random


class Descent:
    """Walks over the strings of a search."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self.search, self.budget = search, budget
        self.random = np.random.default_rng(search.task.seed)
        self._values: dict[Levels, float] = dict.fromkeys(search.known, -np.inf)
        self._values |= {string.levels: string.value for string in search.passing}
        self._failing = np.zeros((0, len(search.lattice.sizes)), dtype=np.int64)
        moves = zip(search.lattice.lowest, search.lattice.heights, strict=True)
        self._moves = [(a, x) for a, (low, top) in enumerate(moves) for x in range(low, top + 1)]

    def run(self, start: Sequence[int], patience: int) -> Generator[Step, None, None]:
        """Move from a string until so many moves in a row found nothing better."""
        current = tuple(int(level) for level in start)
        yield from self._evaluate([current], "where a descent starts")
        tabu_until = np.full((len(current), max(self.search.lattice.heights) + 1), -1)
        turn = waited = 0
        while waited <= patience and not self.budget.spent:
            before = self.search.best_value
            found = yield from self._best_neighbour(current, tabu_until >= turn, waited > 0)
            if found is None:
                return
            for a in np.flatnonzero(np.array(found) != current).tolist():
                tabu_until[a, current[a]] = turn + self.random.integers(*_TABU)
            current, turn = found, turn + 1
            waited = 0 if self.search.best_value > before + TIE else waited + 1

    def _best_neighbour(
        self, current: Levels, tabu: Flags, paired: bool
    ) -> Generator[Step, None, Levels | None]:
        """Return the neighbour of highest value that is not tabu, or better than all before."""
        strings = self._neighbours(current, paired)
        bounds = self.search.objective.sums(strings)
        changed = strings != np.array(current)
        forbidden = (tabu[np.arange(len(current)), strings] & changed).any(axis=1)
        best, value, found = self.search.best_value, -np.inf, None
        queue = np.argsort(-bounds, kind="stable")
        queue = queue[~forbidden[queue] | (bounds[queue] > best + TIE)]
        for begin in range(0, len(queue), _BATCH):
            batch = [row for row in queue[begin : begin + _BATCH] if bounds[row] > value + TIE]
            if not batch or self.budget.spent:
                break
            levels = {row: tuple(strings[row].tolist()) for row in batch}
            why = "a neighbour of {current}"
            yield from self._evaluate(list(levels.values()), why, current)
            for row, string in levels.items():
                own = self._values.get(string, -np.inf)
                if own > value + TIE and (not forbidden[row] or own > best + TIE):
                    value, found = own, string
        return found

    def _neighbours(self, current: Levels, paired: bool) -> Int64s:
        """Return the strings with one attribute at another level, or also two moved oppositely."""
        raised = [(a, x) for a, x in self._moves if x > current[a]]
        lowered = [(a, x) for a, x in self._moves if x < current[a]]
        chosen = [(move, move) for move in (*raised, *lowered)]
        if paired:
            chosen += [(up, down) for up in raised for down in lowered if up[0] != down[0]]
        moves = np.array(chosen, dtype=np.int64).reshape(-1, 2, 2)
        strings = np.tile(np.array(current), (len(moves), 1))
        for one in (0, 1):
            strings[np.arange(len(moves)), moves[:, one, 0]] = moves[:, one, 1]
        return strings

    def _evaluate(
        self, strings: Sequence[Levels], why: str, current: Levels | None = None
    ) -> Generator[Step, None, None]:
        """Test the strings that are unknown, as far as the budget goes."""
        search = self.search
        unknown = [one for one in strings if one not in self._values and not self._fails(one)]
        unknown = unknown[: self.budget.left]
        self.budget.spend(len(unknown))
        for levels in unknown:
            search.generated += 1
            outcome = search.count(levels)
            value = search.objective.value(levels, outcome) if outcome.passes else -np.inf
            self._values[levels] = value
            if outcome.passes:
                search.record_passing(levels, outcome, value)
            elif outcome.fails_below:
                self._failing = np.concatenate([[levels], self._failing[: _REMEMBERED - 1]])
            origin = search.text(current or levels)
            yield from search.report_test(levels, outcome, why=why, current=origin, reason="seek")

    def _fails(self, levels: Levels) -> bool:
        """Return whether a string is nowhere more general than one that failed."""
        return bool((self._failing >= np.array(levels)).all(axis=1).any())
