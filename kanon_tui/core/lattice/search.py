"""The state of a full-domain search: book-keeping, steps and the answer.

A full-domain search looks for a *string*, a level for every quasi-identifier, whose classes are
large enough. `Search` holds what all of them need: the frequency engine, the research values, the
counters and the passing strings found. `report` turns events into steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.lattice.events import (
    ALONE,
    NEXT,
    NOTHING_FOUND,
    Attributes,
    LevelDropped,
    Picked,
    PointerState,
    Reason,
    SearchEnded,
    SearchEvent,
    Settled,
    Standing,
    StringChanges,
    StringTested,
    Tested,
)
from kanon_tui.core.lattice.frequency import Frequency, Outcome, RequirementTest, shared_counts
from kanon_tui.core.lattice.objective import ResearchValue, make_objective
from kanon_tui.core.lattice.pre_pruning import LevelAlone, hidden_note, highest_levels, no_string
from kanon_tui.core.lattice.strings import (
    Lattice,
    LatticeGrid,
    PassingString,
    Rank,
    best_of,
    by_value,
    finalists,
)
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.task.task import Grouping, RunContext, Step, Task
from kanon_tui.core.text import Note, Quotable, note

MOST_LISTED = 1000
"""So many passing strings are listed in the report, the best; all of them are counted."""
NOT_PROVEN = note("not proven optimal: the search was stopped before its end")

_WORK_PER_STEP = 1_000_000  # tuples: some tens of milliseconds, so that a cancel is heard


@dataclass(frozen=True)
class StringText:
    """A string in words, ⟨birth 1, gender 1, zip 0⟩, put together when it is read."""

    names: tuple[str, ...]
    levels: tuple[int, ...]

    def __str__(self) -> str:
        pairs = zip(self.names, self.levels, strict=True)
        return "⟨" + ", ".join(f"{name} {level}" for name, level in pairs) + "⟩"


class Watcher:
    """The strings tested and settled since the last event, for pictures; no search acts on them."""

    def __init__(self, lattice: LatticeGrid, watched: bool) -> None:
        self.lattice = lattice
        self.watched = watched
        self.follows = watched and lattice.followed
        """Whether every single string is followed."""
        self.part: Attributes | None = None
        """The attributes that are looked at; None for all."""
        self.pointers: PointerState | None = None
        self._tests: list[Tested] = []
        self._settled: list[Settled] = []

    def add_test(self, test: Tested) -> None:
        """Add a test to the next event."""
        if self.watched:
            self._tests.append(test)

    def add_settled(self, reason: Reason, nodes: Int64s) -> None:
        """Add strings that need no test to the next event."""
        if self.follows and len(nodes):
            self._settled.append(Settled(reason, nodes))

    def take(self) -> StringChanges | None:
        """Return what was gathered for the next event, and forget it."""
        if not self.watched:
            return None
        tests = tuple(self._tests)
        settled = tuple(self._settled)
        self._tests = []
        self._settled = []
        return StringChanges(self.lattice, tests, settled, self.part, self.pointers)


class Search:
    """The state of one search: what was tested, what passes, what is the best so far.

    An algorithm tests strings and reports its decisions; the rest follows:

    - `test` counts the classes of a string, and records it where it passes;
    - `test_only` does not record it, where an algorithm decides that itself (`record_passing`);
    - `test_necessary` tests what prunes by itself, which is not enough to pass;
    - `add_test` counts a test that was made elsewhere; `report_tests` records many at once.

    Every string that is looked at counts as `generated`; `pruned` ones are those that need no test.
    `report_test` yields the step of a test, `report` that of any other event, as often as whoever
    drives the run wants to see steps. `watcher.add_settled` says for pictures which strings need no
    test, and why. At the end `last_step` reports what is left, and `answer` returns the classes of
    the best string.

    The best string is the one of highest `rank`, by default the highest value by the `objective`.
    `bound` and the searches that prune by values (`Halving`, `Proof`) go by the objective alone:
    they find the answer of that rank and of no other.
    """

    def __init__(
        self,
        task: Task,
        context: RunContext,
        lowest: Sequence[int],
        allowed: int | None = None,
        objective: str = "rv",
        limits: str = "levels",
        rank: Rank = by_value,
    ) -> None:
        self.task = task
        self.context = context
        self.rank = rank
        self.names = tuple(attribute.name for attribute in task.quasi)
        coded, self.tuple_of, roll_ups = shared_counts(task, context).at(lowest)
        people = task.allowed_people if allowed is None else allowed
        allowed = task.records_of(people)
        requirement_test = None
        if task.beyond_k:
            requirement_test = RequirementTest(task, people, self.tuple_of, len(coded.counts))
        self.frequency = Frequency(coded, task.k, allowed, roll_ups, requirement_test)
        self.objective = make_objective(objective, task, self.frequency, self.tuple_of)
        roots = [attribute.hierarchy.height for attribute in task.quasi]
        heights = highest_levels(task, limits)
        self.lattice = Lattice(lowest, heights, self.objective.bounds, roots)
        self._research_value = ResearchValue(task)
        self.generated = self.pruned = self.tested = 0
        self.passing: list[PassingString] = []
        """The passing strings, in the order they were found; only ever added to."""
        self.candidates: list[PassingString] = []
        """The passing strings that can be the answer: all are within a tie, and none rules out
        another."""
        self.best_value = -np.inf
        """The highest value of them."""
        self.known: dict[tuple[int, ...], bool] = {}
        """Whether the strings that were tested pass."""
        self.progress: Callable[[], float] | None = None
        """The share of the work that is done, where that is known; it only ever rises."""
        self.bound: Callable[[], float] | None = None
        """An upper bound on the value of every string that is not settled, where it is known."""
        ends = self.lattice.lowest, self.lattice.heights
        lattice = LatticeGrid(self.names, *ends, self._research_value, self.objective)
        self.watcher = Watcher(lattice, context.watched)
        self._decisions_since_step = 0
        self._work_at_step = 0

    @property
    def _step_by_step(self) -> bool:
        return self.context.decisions_per_step == 1

    @property
    def remaining(self) -> int:
        """Strings that are neither tested nor pruned."""
        return self.generated - self.pruned - self.tested

    @property
    def counters(self) -> dict[str, float]:
        """The counters that every step carries: generated = pruned + tested + remaining."""
        return {
            "generated": self.generated,
            "pruned": self.pruned,
            "tested": self.tested,
            "passed": len(self.passing),
            "remaining": self.remaining,
        }

    def rv(self, levels: Sequence[int]) -> float:
        """Return the research value of a string, summed in the order of the attributes."""
        return self._research_value.sum(levels)

    def passing_string(
        self, levels: Sequence[int], outcome: Outcome | None = None, value: float | None = None
    ) -> PassingString:
        """Return a passing string with the figures that its rank depends on."""
        string = tuple(int(level) for level in levels)
        roots = sum(level == top for level, top in zip(string, self.lattice.roots, strict=True))
        if value is None:
            value = self.objective.value(string, outcome)
        return PassingString(roots, string, value, self.rv(string))

    def record_passing(
        self, levels: Sequence[int], outcome: Outcome | None = None, value: float | None = None
    ) -> PassingString:
        """Note a passing string, and whether it can be the answer."""
        new = self.passing_string(levels, outcome, value)
        self.passing.append(new)
        self._consider(new)
        return new

    def _consider(self, new: PassingString) -> None:
        """Remember a passing string if it can be the answer."""
        if not any(self._rules_out(candidate, new) for candidate in self.candidates):
            rivals = [new, *(x for x in self.candidates if not self._rules_out(new, x))]
            self.candidates = finalists(rivals, self.rank)
            self.best_value = max(string.value for string in self.candidates)

    def _rules_out(self, string: PassingString, rival: PassingString) -> bool:
        """Return whether a string is the answer wherever its rival could be."""
        return self.rank(string) >= self.rank(rival) and string <= rival

    def by_rv(self, strings: Int64s) -> list[PassingString]:
        """Return passing strings, given as rows of levels, whose value is their research value."""
        roots = (strings == np.array(self.lattice.roots)).sum(axis=1).tolist()
        values = self._research_value.sums(strings).tolist()
        rows = map(tuple, strings.tolist())
        triples = zip(roots, rows, values, strict=True)
        return [PassingString(most, row, value, value) for most, row, value in triples]

    def report_tests(self, strings: Int64s, passes: Flags, outcome: Outcome) -> Iterator[Step]:
        """Count tests that were made together, record what passes, and yield the step of the last.

        `strings` has shape (tests, attributes), `passes` a flag for each, and
        `outcome` is that of the last.
        """
        self.tested += len(strings)
        new = self.by_rv(strings[passes])
        self.passing += new
        for string in finalists(new, self.rank):
            self._consider(string)
        self._decisions_since_step += len(strings) - 1
        return self.report_test(strings[-1].tolist(), outcome)

    def continue_from(self, earlier: Search) -> None:
        """Take over the counters of a search over the same strings, and the best it found."""
        self.generated = earlier.generated
        self.pruned = earlier.pruned
        self.tested = earlier.tested
        self.watcher.part = earlier.watcher.part
        if earlier.passing:
            self.record_passing(best_of(earlier.passing, self.rank).levels)

    def test(self, levels: Sequence[int]) -> Outcome:
        """Test a string, and record it where it passes; step by step, find its smallest class."""
        outcome = self.test_only(levels)
        if outcome.passes:
            self.record_passing(levels, outcome)
        return outcome

    def test_only(self, levels: Sequence[int]) -> Outcome:
        """Test a string without recording that it passes."""
        outcome = self.frequency.test(levels, to_the_end=self._step_by_step)
        self.add_test(levels, outcome)
        return outcome

    def add_test(self, levels: Sequence[int], outcome: Outcome) -> None:
        """Count a test that was made elsewhere."""
        self.tested += 1
        self.known[tuple(int(level) for level in levels)] = outcome.passes

    def test_necessary(self, levels: Sequence[int]) -> Outcome:
        """Test a string by what can be pruned by alone, which is not enough to pass."""
        outcome = self.frequency.necessary.test(levels, to_the_end=self._step_by_step)
        self.tested += 1
        return outcome

    def text(self, levels: Sequence[int]) -> StringText:
        """Return a string in words."""
        return StringText(self.names, tuple(map(int, levels)))

    def report(self, event: SearchEvent) -> Iterator[Step]:
        """Yield the step of a decision, unless later decisions share its step."""
        self._decisions_since_step += 1
        decisions = self._decisions_since_step
        if not self._due(decisions):
            return
        self._decisions_since_step, self._work_at_step = 0, self.frequency.work
        yield self.step(event, decisions)

    def last_step(self) -> Iterator[Step]:
        """Yield the step of the decisions that no step has reported, at the end of a search."""
        decisions = self._decisions_since_step
        if decisions:
            self._decisions_since_step = 0
            yield self.step(SearchEnded(), decisions)

    def _due(self, decisions: int) -> bool:
        """Return whether this many decisions since the last step make a step."""
        worked = self.frequency.work - self._work_at_step
        return decisions >= self.context.decisions_per_step or worked >= _WORK_PER_STEP

    def step(self, event: SearchEvent, decisions: int = 1) -> Step:
        """Return a step with the current counters, which keeps the best string so far."""
        progress = self.progress() if self.progress is not None else None
        bound = None if self.bound is None else self.bound()
        keep = None
        if self.passing:
            keep = partial(self._best_of_first, len(self.passing), self.counters, bound)
        complete = replace(
            event,
            decisions=decisions,
            standing=self._standing(bound),
            changes=self.watcher.take(),
        )
        return Step(complete, self.counters, progress, keep)

    def _standing(self, bound: float | None) -> Standing:
        if not self.candidates:
            return NOTHING_FOUND
        best = min(self.candidates)
        return Standing(best, **self.proof(best.value, bound))

    def report_dropped(self, dropped: Sequence[LevelAlone]) -> Iterator[Step]:
        """Yield the steps of pre-pruning."""
        for alone in dropped:
            if self.watcher.follows:
                self.watcher.add_settled(ALONE, self._strings_at(alone))
            attribute = self.names.index(alone.attribute)
            yield from self.report(LevelDropped(attribute, alone.level, alone.small))

    def _strings_at(self, alone: LevelAlone) -> Int64s:
        """Return the strings with a level that fails alone, unless an earlier one counts."""
        grid = self.watcher.lattice.grid
        at = self.names.index(alone.attribute)
        earlier = (grid[:, :at] < np.array(self.lattice.lowest[:at])).any(axis=1)
        return np.flatnonzero((grid[:, at] == alone.level) & ~earlier)

    def report_test(
        self,
        levels: Sequence[int],
        outcome: Outcome,
        part: Attributes | None = None,
        picked: Picked = NEXT,
    ) -> Iterator[Step]:
        """Yield the step of a test; with `part`, of the string of these attributes alone."""
        if not self.watcher.watched and not self._due(self._decisions_since_step + 1):
            self._decisions_since_step += 1  # not shown: there may be many thousand tests
            return iter(())
        string = tuple(int(level) for level in levels)
        self.watcher.add_test(Tested(string, part, outcome.passes))
        worth = None
        if part is None and outcome.passes and self.objective.name != "rv" and self.passing:
            worth = self.objective.worth(self.passing[-1].value)
        allowed = self.frequency.allowed
        rv = self.rv(string)
        return self.report(StringTested(string, part, outcome, allowed, rv, worth, picked))

    def grouping(
        self,
        answer: Sequence[int],
        notes: Sequence[Note] = (),
        counters: dict[str, float] | None = None,
        passing: Sequence[PassingString] | None = None,
        proof: Mapping[str, float] | None = None,
    ) -> Grouping:
        """Return the classes of a string, with the figures that the report gives of the search."""
        counters = self.counters if counters is None else counters
        strings = self.passing if passing is None else passing
        listed = [
            {"levels": self._by_name(string.levels), "rv": string.rv, "roots": string.roots}
            for string in self._best_first(strings)[:MOST_LISTED]
        ]
        pairs = zip(self.names, self.lattice.lowest, strict=True)
        dropped = {name: low for name, low in pairs if low}
        levels = tuple(int(level) for level in answer)
        return Grouping(
            self.frequency.labels(levels, self.tuple_of),
            levels=levels,
            search={
                "strings": counters["generated"],
                **{key: counters[key] for key in ("pruned", "tested", "passed", "remaining")},
                "objective": self.objective.name,
                **(proof or {}),
                "levels_dropped": dropped,
                "answer": self._by_name(levels),
                "passing": listed,
                "rv_range": self._ranges(strings),
            },
            notes=tuple(notes),
        )

    def _best_first(self, strings: Sequence[PassingString]) -> list[PassingString]:
        ranked = [(tuple(-figure for figure in self.rank(string)), string) for string in strings]
        return [string for _, string in sorted(ranked)]

    def _ranges(self, strings: Sequence[PassingString]) -> dict[str, Any]:
        """Return the lowest and highest RV of the passing strings met (Morton's tables 5 and 6)."""
        if not strings:
            return {}
        values = self._research_value.bounds
        levels = np.array([string.levels for string in strings])
        ranges: dict[str, Any] = {
            name: [float(level_values[levels[:, x]].min()), float(level_values[levels[:, x]].max())]
            for x, (name, level_values) in enumerate(zip(self.names, values, strict=True))
        }
        totals = [string.rv for string in strings]
        return {"total": [min(totals), max(totals)], "attributes": ranges}

    def _by_name(self, levels: Sequence[int]) -> dict[str, int]:
        return dict(zip(self.names, levels, strict=True))

    def answer(self, bound: float | None = None, why: Sequence[Note] | None = None) -> Grouping:
        """Return the best of the passing strings found.

        `bound` is an upper bound on the values of the strings that are not settled. Of a search
        that may end before a proof, `why` it ended; notes begin with how far the optimum can be.
        """
        if not self.passing:
            raise NotReachedError(no_string(self.task))
        best = best_of(self.passing, self.rank)
        proof = self.proof(best.value, bound)
        notes = () if why is None else (gap_note(proof["gap"]), *why)
        return self.grouping(best.levels, (*notes, *self.notes(best.levels)), proof=proof)

    def proof(self, best: float, bound: float | None) -> dict[str, float]:
        """Return the best figure, the bound on the optimum, and the gap as a share of either."""
        if bound is None:
            return {}
        highest = max(best, min(bound, self.objective.highest))
        value = self.objective.figure(best)
        limit = self.objective.figure(highest)
        gap = abs(value - limit) / max(abs(value), abs(limit)) if value != limit else 0.0
        return {"best_value": value, "bound": limit, "gap": gap}

    def notes(self, answer: Sequence[int]) -> tuple[Note, ...]:
        """Return notes on attributes that an answer hides because no other level passes alone."""
        if tuple(answer) == self.lattice.roots:
            return (hidden_note(self.task),)
        limits = zip(self.names, self.lattice.lowest, self.lattice.roots, strict=True)
        return tuple(
            note(
                "{name}: no level below its root passes alone, so it is published as one label",
                name=Quotable(name),
            )
            for name, low, top in limits
            if 0 < low == top
        )

    def _best_of_first(
        self, count: int, counters: dict[str, float], bound: float | None
    ) -> Grouping:
        """Return the best of the first `count` passing strings, which a cancelled search keeps."""
        strings = self.passing[:count]
        best = best_of(strings, self.rank)
        proof = self.proof(best.value, bound)
        notes = (NOT_PROVEN if bound is None else gap_note(proof["gap"]), *self.notes(best.levels))
        return self.grouping(best.levels, notes, counters, strings, proof)


def gap_note(gap: float) -> Note:
    """Return how far a string can be from the optimum, in words."""
    if gap == 0:
        return note("proven optimal: no other string that passes is better")
    return note(
        "not proven optimal: at most {percent:g} % from the optimum", percent=ceil(gap * 1e4) / 100
    )
