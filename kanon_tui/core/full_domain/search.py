"""What the full-domain searches share: book-keeping, steps and the answer.

A full-domain search looks for a *string*, a level for every quasi-identifier, whose classes are
large enough. `Search` holds what all of them need: the frequency engine, the research values, the
counters and the passing strings met. `tell` turns decisions into steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.full_domain.frequency import Frequency, Outcome
from kanon_tui.core.full_domain.pre_pruning import LevelAlone, hidden_note, no_string
from kanon_tui.core.full_domain.requirement_test import RequirementTest
from kanon_tui.core.full_domain.shared_counts import shared_counts
from kanon_tui.core.full_domain.strings import StringSpace
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.steps import Grouping, RunContext, Step
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import plural

__all__ = ["MOST_LISTED", "Met", "Search", "StringText", "better"]

MOST_LISTED = 1000
"""So many passing strings are listed in the report, the best; all of them are counted."""
NOT_PROVEN = "not proven optimal: the search was stopped before it was through"

_WORK_PER_STEP = 1_000_000  # tuples: some tens of milliseconds, so that a cancel is heard


@dataclass(frozen=True)
class StringText:
    """A string in words, ⟨birth 1, gender 1, zip 0⟩, put together when somebody reads it."""

    names: tuple[str, ...]
    levels: tuple[int, ...]

    def __str__(self) -> str:
        pairs = zip(self.names, self.levels, strict=True)
        return "⟨" + ", ".join(f"{name} {level}" for name, level in pairs) + "⟩"


@dataclass(frozen=True, order=True)
class Met:
    """A passing string; the order is that of preference among equal research values."""

    roots: int
    levels: tuple[int, ...]
    rv: float

    def beats(self, other: Met) -> bool:
        """Whether the other cannot be the answer because of this one."""
        return self.rv >= other.rv and self <= other


def better(strings: Sequence[Met]) -> Met:
    """The answer among passing strings: highest research value, ties by `Met`'s order."""
    highest = max(met.rv for met in strings)
    return min(met for met in strings if met.rv >= highest - TIE)


class Search:
    """The state of one search that every consumer may see."""

    def __init__(
        self,
        task: Task,
        context: RunContext,
        lowest: Sequence[int],
        allowed: int | None = None,
    ) -> None:
        self.task, self.context = task, context
        self.names = tuple(attribute.name for attribute in task.quasi)
        self.space = StringSpace(
            lowest,
            [attribute.hierarchy.height for attribute in task.quasi],
            [level_research_values(attribute) for attribute in task.quasi],
        )
        coded, self.tuple_of, roll_ups = shared_counts(task, context).at(lowest)
        if allowed is None:
            allowed = task.allowed_suppressed
        requirement_test = None
        if task.requirements:
            requirement_test = RequirementTest(task.requirements, self.tuple_of, len(coded.counts))
        self.frequency = Frequency(coded, task.k, allowed, roll_ups, requirement_test)
        self.generated = 0
        self.pruned = 0
        self.tested = 0
        self.met: list[Met] = []
        """The passing strings, in the order they were met; only ever added to."""
        self.best: list[Met] = []
        """Those that could be the answer: none is beaten by another, all are within a tie."""
        self.open_levels: Callable[[], tuple[tuple[bool, ...], ...] | None] | None = None
        """Per attribute which levels are still open, for those who draw the space."""
        self._untold = 0
        self._told_work = 0

    @property
    def _every_decision_told(self) -> bool:
        return self.context.decisions_per_step == 1

    @property
    def remaining(self) -> int:
        """Strings that are neither tested nor pruned."""
        return self.generated - self.pruned - self.tested

    @property
    def counters(self) -> dict[str, float]:
        """What every step carries: generated = pruned + tested + remaining."""
        return {
            "generated": self.generated,
            "pruned": self.pruned,
            "tested": self.tested,
            "passed": len(self.met),
            "remaining": self.remaining,
        }

    def rv(self, levels: Sequence[int]) -> float:
        """Research value of a string, summed in the order of the attributes."""
        total = 0.0
        for values, level in zip(self.space.research_values, levels, strict=True):
            total += float(values[level])
        return total

    def as_met(self, levels: Sequence[int]) -> Met:
        """A passing string with what its rank depends on."""
        string = tuple(int(level) for level in levels)
        roots = sum(level == top for level, top in zip(string, self.space.heights, strict=True))
        return Met(roots, string, self.rv(string))

    def meet(self, levels: Sequence[int]) -> Met:
        """Note a passing string."""
        met = self.as_met(levels)
        self.met.append(met)
        if not any(other.beats(met) for other in self.best):
            rivals = [met, *(other for other in self.best if not met.beats(other))]
            highest = max(other.rv for other in rivals)
            self.best = [other for other in rivals if other.rv >= highest - TIE]
        return met

    def test(self, levels: Sequence[int]) -> Outcome:
        """Test a string and count it; when every decision is told, the smallest class is too."""
        outcome = self.frequency.test(levels, to_the_end=self._every_decision_told)
        self.tested += 1
        if outcome.passes:
            self.meet(levels)
        return outcome

    def test_necessary(self, levels: Sequence[int]) -> Outcome:
        """Test a string by what can be pruned by alone, which is not enough to pass."""
        outcome = self.frequency.necessary.test(levels, to_the_end=self._every_decision_told)
        self.tested += 1
        return outcome

    def text(self, levels: Sequence[int], part: Sequence[int] | None = None) -> StringText:
        """A string, or a part of its attributes, in words."""
        chosen = range(len(self.names)) if part is None else part
        return StringText(
            tuple(self.names[a] for a in chosen), tuple(int(levels[a]) for a in chosen)
        )

    def tell(self, kind: str, template: str, **facts: Any) -> Iterator[Step]:
        """A decision was taken: a step, now or together with those that follow."""
        self._untold += 1
        work = self.frequency.work - self._told_work
        if self._untold < self.context.decisions_per_step and work < _WORK_PER_STEP:
            return
        if self._untold > 1:
            template = "{decisions:,} decisions; the last: " + template
            facts["decisions"] = self._untold
        self._untold, self._told_work = 0, self.frequency.work
        yield self.step(kind, template, facts)

    def step(self, kind: str, template: str, facts: dict[str, Any]) -> Step:
        """A step with the counters as they are, and the best string so far to keep."""
        progress = 1 - self.remaining / self.generated if self.generated else None
        if self.best:
            best = min(self.best)
            facts = facts | {"best": self.text(best.levels), "best_rv": best.rv}
        levels = self.open_levels() if self.open_levels is not None else None
        if levels is not None:
            facts = facts | {"levels": levels}
        keep = partial(self._kept, len(self.met), self.counters) if self.met else None
        return Step(kind, template, facts, self.counters, progress, keep)

    def tell_dropped(self, dropped: Sequence[LevelAlone]) -> Iterator[Step]:
        """The steps of pre-pruning."""
        for alone in dropped:
            yield from self.tell(
                "pre-prune",
                "Drop level {level} of {attribute}: alone it leaves {small:,} "
                + plural(alone.small, "record")
                + " in groups below {k}.",
                level=alone.level,
                attribute=alone.attribute,
                small=alone.small,
                k=alone.k,
            )

    def tell_test(
        self, levels: Sequence[int], outcome: Outcome, part: Sequence[int] | None = None
    ) -> Iterator[Step]:
        """The step of a test; with `part`, of the string of these attributes alone."""
        facts: dict[str, Any] = {"string": self.text(levels, part), "k": self.task.k}
        facts |= {"classes": outcome.classes, "smallest": outcome.smallest, "small": outcome.small}
        facts |= {"passes": outcome.passes, "rv": self.rv(levels), "lack": outcome.lack}
        if outcome.lack is not None:
            facts["lacking"] = outcome.lack.records
            told = _lack_told(outcome)
        elif outcome.smallest is None:
            told = "{string} fails: its {classes:,} or more classes are too many for k = {k}"
        elif outcome.passes and outcome.small:
            records = plural(outcome.small, "record")
            told = (
                f"{{string}} passes: {{small:,}} {records} in classes below {{k}} may be suppressed"
            )
        elif outcome.passes:
            records = plural(outcome.smallest, "record")
            told = f"{{string}} passes: its smallest class has {{smallest:,}} {records}"
        elif self.frequency.allowed:
            records = plural(outcome.small or 0, "record is in a class", "records are in classes")
            told = f"{{string}} fails: {{small:,}} {records} below {{k}}, too many to suppress"
        else:
            records = plural(outcome.smallest, "record")
            told = f"{{string}} fails: its smallest class has {{smallest:,}} {records}, k is {{k}}"
        return self.tell("test", told + ("; RV {rv:.4g}." if part is None else "."), **facts)

    def grouping(
        self,
        answer: Sequence[int],
        notes: Sequence[str] = (),
        counters: dict[str, float] | None = None,
        met: Sequence[Met] | None = None,
    ) -> Grouping:
        """The classes of a string, and what the report says about the search."""
        counters = self.counters if counters is None else counters
        listed = sorted(self.met if met is None else met, key=lambda one: (-one.rv, one))
        passing = [
            {"levels": self._by_name(one.levels), "rv": one.rv, "roots": one.roots}
            for one in listed[:MOST_LISTED]
        ]
        pairs = zip(self.names, self.space.lowest, strict=True)
        dropped = {name: low for name, low in pairs if low}
        levels = tuple(int(level) for level in answer)
        return Grouping(
            self.frequency.labels(levels, self.tuple_of),
            levels=levels,
            search={
                "strings": counters["generated"],
                **{key: counters[key] for key in ("pruned", "tested", "passed", "remaining")},
                "levels_dropped": dropped,
                "answer": self._by_name(levels),
                "passing": passing,
            },
            notes=tuple(notes),
        )

    def _by_name(self, levels: Sequence[int]) -> dict[str, int]:
        return dict(zip(self.names, levels, strict=True))

    def answer(self) -> Grouping:
        """The best of the passing strings met."""
        if not self.met:
            raise NotReachedError(no_string(self.task))
        answer = better(self.met).levels
        return self.grouping(answer, self.notes(answer))

    def notes(self, answer: Sequence[int]) -> tuple[str, ...]:
        """What a reader should know of an answer: which attributes it hides for want of levels."""
        if tuple(answer) == self.space.heights:
            return (hidden_note(self.task),)
        limits = zip(self.names, self.space.lowest, self.space.heights, strict=True)
        return tuple(
            f"{name}: no level below its root passes alone, so it is published as one label"
            for name, low, top in limits
            if 0 < low == top
        )

    def _kept(self, met: int, counters: dict[str, float]) -> Grouping:
        """What a cancel keeps: the best of the first so many passing strings."""
        strings = self.met[:met]
        answer = better(strings).levels
        return self.grouping(answer, (NOT_PROVEN, *self.notes(answer)), counters, strings)


def _lack_told(outcome: Outcome) -> str:
    """The verdict on a string that is large enough but misses something beyond k."""
    if not outcome.passes:
        lacking = outcome.lack.records if outcome.lack is not None else 0
        records = plural(lacking, "record is in a class", "records are in classes")
        return f"{{string}} fails: {{lacking:,}} {records} with {{lack}}"
    records = plural(outcome.small or 0, "record")
    return (
        f"{{string}} passes: {{small:,}} {records} in classes below {{k}} or with {{lack}} may be "
        f"suppressed"
    )
