"""Explain a full-domain release: what one level less would do.

For an attribute at level j the question is always the same: with this attribute at level j − 1 and
all else as it is, which records stand in classes below k, or in classes that miss what is required
beyond k? From those classes (`FinerLevels`) follow the largest k that would let the levels pass,
the share to suppress, the bound that would have to give way, and the other attribute that would
have to be raised or left out instead.

The smallest change of k or of one bound is read off: sort the classes by what would have to give
way for them, worst first, and let go as many as may be suppressed; the first that must stay says
how far to give way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.reasons import (
    Change,
    Explanation,
    GroupFigures,
    Reasons,
    fault_clause,
    figures_of_groups,
    requirement_change,
)
from kanon_tui.core.lattice.frequency import CodedTuples, Frequency, RequirementTest
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.numeric import TIE, Flags, Int64s, sum_in_order
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.task.rules import RuleTable
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, shortened


class LevelReasons(Reasons):
    """Answers by counting one level further down."""

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        assert result.grouping.levels is not None
        self.levels = result.grouping.levels
        # What this release was allowed: some algorithms (Datafly) have a limit of their own.
        self.allowed = max(self.task.allowed_suppressed, int(self.release.suppressed.sum()))
        self._finer: dict[int, FinerLevels] = {}

    def finer(self, x: int) -> FinerLevels:
        """Return the table with attribute x one level finer; x must not be at level 0."""
        if x not in self._finer:
            levels = tuple(level - (y == x) for y, level in enumerate(self.levels))
            self._finer[x] = FinerLevels.from_task(self.task, levels, self.allowed)
        return self._finer[x]

    @cached_property
    def values(self) -> tuple[npt.NDArray[np.float64], ...]:
        """Research value of every level of every attribute."""
        return tuple(level_research_values(attribute) for attribute in self.task.quasi)

    # -- a cell

    def because(self, record: int, x: int) -> str:
        """Return a clause on the effect of the next finer label on this record or on others."""
        if self.levels[x] == 0 or self.published(record, x) == self.original(record, x):
            return ""
        finer = self.finer(x)
        finer_class = int(finer.class_of[record])
        remaining = int(finer.sizes[finer_class])
        label = shortened(self._label(record, x, self.levels[x] - 1))
        if remaining < self.k:
            left_over = (
                f"leave {remaining:,} records" if remaining > 1 else "leave this record alone"
            )
            return f"{label} would {left_over} in this class"
        if missed := [
            figures.requirement for figures in finer.figures if figures.missed[finer_class]
        ]:
            records = count_of(remaining, "record")
            return f"{label} would leave {records} in this class, with {fault_clause(missed)}"
        if finer.passes:
            return self._unneeded_clause(x)
        return f"{label} would do here but {self._leaves(x)}"

    def _record_facts(self, record: int, x: int) -> tuple[str, ...]:
        attribute = self.task.quasi[x]
        level = self.levels[x]
        size = len(self.members(record))
        facts = [
            f"{attribute.name} is at level {level} of {attribute.hierarchy.height} for all "
            f"records; this class has {count_of(size, 'record')}."
        ]
        if level:
            path = [
                shortened(self._label(record, x, j)) for j in range(len(attribute.hierarchy.maps))
            ]
            facts.append(f"Its labels, finest first: {' → '.join(dict.fromkeys(path))}.")
        return (*facts, *self._table_facts(x))

    def _record_changes(self, record: int, x: int) -> tuple[Change, ...]:
        return self._changes(x)

    def _label(self, record: int, x: int, level: int) -> str:
        hierarchy = self.task.quasi[x].hierarchy
        code = self.task.quasi[x].column.codes[record]
        return hierarchy.labels[level][int(hierarchy.maps[level][code])]

    def _group_codes(self, record: int, x: int) -> npt.NDArray[np.integer]:
        labels = self.task.quasi[x].hierarchy.maps[self.levels[x]]
        return np.flatnonzero(labels == labels[self.task.quasi[x].column.codes[record]])

    # -- an attribute

    def of_attribute(self, x: int) -> Explanation:
        """Return the effect of one level less on the whole table."""
        attribute = self.task.quasi[x]
        level = self.levels[x]
        because = ""
        if level:
            finer = self.finer(x)
            clause = f"level {level - 1} would {self._leaves(x)}"
            because = self._unneeded_clause(x) if finer.passes else clause
        facts = (
            f"{attribute.name} is at level {level} of {attribute.hierarchy.height}.",
            *self._table_facts(x),
        )
        return Explanation(self._attribute_question(attribute), because, facts, self._changes(x))

    def _table_facts(self, x: int) -> tuple[str, ...]:
        if self.levels[x] == 0:
            return ("Nothing was generalised: its values are published as they are.",)
        return (
            f"At level {self.levels[x] - 1}, with all else as it is, {self._faulty(x)} would have "
            f"to go; {self.allowed:,} may be suppressed.",
        )

    def _unneeded_clause(self, x: int) -> str:
        return (
            f"{self.result.algorithm.name} raised it this far, though level {self.levels[x] - 1} "
            f"passes too"
        )

    def _leaves(self, x: int) -> str:
        allowed = f" ({self.allowed:,} may be suppressed)" if self.allowed else ""
        return f"leave {self._faulty(x)}{allowed}"

    def _faulty(self, x: int) -> str:
        """Return the records in classes that would have to go, one level finer, by their fault."""
        finer = self.finer(x)
        faults = {
            f"below k = {self.k:,}": finer.small,
            f"with {fault_clause(finer.missed)}": finer.missing_records,
        }
        of_all = f"of {count_of(self.task.n, 'record')} in classes"
        counted = [f"{count:,} {of_all} {fault}" for fault, count in faults.items() if count]
        return " and ".join(counted) or "no record"

    # -- changes

    def _changes(self, x: int) -> tuple[Change, ...]:
        """Return the changes that would let attribute x pass one level finer."""
        if self.levels[x] == 0:
            return ()
        finer = self.finer(x)
        name = self.task.quasi[x].name
        level = self.levels[x] - 1
        stays = f"{name} could stay at level {level}"
        if finer.passes:
            gain = float(self.values[x][level] - self.values[x][level + 1])
            sentence = f"nothing else need change: {stays} (research value {gain:+.4g})"
            return (Change("level", level, name, sentence),)
        changes = []
        largest = finer.largest_k()
        if largest > 1:
            sentence = f"k = {largest:,} instead of {self.k:,}: {stays} with all else as it is"
            changes.append(Change("k", largest, "", sentence))
        if finer.to_suppress < self.task.n:
            share = float(np.ceil(finer.to_suppress / self.task.n * 1e4) / 1e4)
            sentence = (
                f"max_suppression {share:g} instead of {self.task.privacy.max_suppression:g}: "
                f"{stays} and {count_of(finer.to_suppress, 'record')} would go"
            )
            changes.append(Change("suppression", share, "", sentence))
        changes += [
            requirement_change(requirement, to, stays) for requirement, to in finer.loosened()
        ]
        instead = sorted(self._instead(x), key=lambda exchange: -exchange[0])
        current_value = self._rv(self.levels)
        for rv, y, raised in instead:
            worth = f"research value {rv:.4g} instead of {current_value:.4g}"
            changes.append(self._raised(y, raised, f"then {stays}; {worth}"))
        return (*changes, *self._rule_changes(x, [(y, raised) for _, y, raised in instead]))

    def _instead(self, x: int) -> Iterator[tuple[float, int, int]]:
        """Yield every other attribute that can be raised far enough, alone.

        Research value of the string, attribute and level. Level by level: where classes may be
        suppressed, a higher level can be worse.
        """
        finer = self.finer(x)
        for y, attribute in enumerate(self.task.quasi):
            low = finer.levels[y]
            top = attribute.hierarchy.height
            if y == x or low == top or finer.fails(y, top, lower=True):
                continue
            for level in range(low + 1, top + 1):
                if not finer.fails(y, level):
                    yield self._rv(finer.string(y, level)), y, level
                    break

    def _rv(self, levels: Sequence[int]) -> float:
        """Return the research value of a string."""
        return sum_in_order(float(v[j]) for v, j in zip(self.values, levels, strict=True))

    def _rule_changes(self, x: int, instead: Sequence[tuple[int, int]]) -> Iterator[Change]:
        """Yield rules without which a string with the finer level would be worth more."""
        algorithm = self.result.algorithm
        by_research_value = getattr(algorithm, "objective", "") == "rv"
        if not algorithm.seeks_rv or not by_research_value:
            return
        gain_x = float(self.values[x][self.levels[x] - 1] - self.values[x][self.levels[x]])
        for y, raised in instead:
            attribute = self.task.quasi[y]
            current_level = self.levels[y]
            bound = attribute.rules
            maps = attribute.hierarchy.maps
            newly = bound.broken_by_level(maps[raised]) & ~bound.broken_by_level(
                maps[current_level]
            )
            for r in np.flatnonzero(newly).tolist():
                other_rules = bound.rules[:r] + bound.rules[r + 1 :]
                freed = RuleTable(bound.table.base, other_rules).bind(
                    attribute.column, attribute.hierarchy
                )
                values = level_research_values(replace(attribute, rules=freed))
                gain = gain_x + float(values[raised] - values[current_level])
                if gain > TIE:
                    rule = bound.rules[r]
                    sentence = (
                        f"without the rule {rule}: {attribute.name} at level {raised} and "
                        f"{self.task.quasi[x].name} at level {self.levels[x] - 1} would be worth "
                        f"{gain:.4g} more than the levels chosen"
                    )
                    yield Change("rule", rule.importance, attribute.name, sentence)

    # -- a suppressed record

    noun = "class"
    shared = "its labels at these levels"
    left_over = (
        "fewer than k = {k:,} records would have been suppressed, which would single them out, and "
        "records of this class joined them"
    )

    def _alike(self, record: int) -> Flags:
        return np.column_stack([self.like(record, x, j) for x, j in enumerate(self.levels)])

    def _with_others(self, record: int, x: int, other_records: Int64s) -> Iterator[Change]:
        """Yield the lowest level of an attribute that gives the record a class among others."""
        for level in range(self.levels[x] + 1, self.task.quasi[x].hierarchy.height + 1):
            company = other_records[self.like(record, x, level)[other_records]]
            if self.is_enough(company):
                requirement_clause = (
                    " in a class that keeps what is required" if self.task.requirements else ""
                )
                yield self._raised(
                    x, level, f"it would be one of {len(company):,}{requirement_clause}"
                )
                return


@dataclass(frozen=True, eq=False)
class FinerLevels:
    """The classes at levels of which one is finer than in the release."""

    levels: tuple[int, ...]
    frequency: Frequency
    class_of: npt.NDArray[np.int32]
    """Per record its class at these levels."""
    figures: tuple[GroupFigures, ...]
    """The figures of the classes, one entry per requirement."""

    @classmethod
    def from_task(cls, task: Task, levels: tuple[int, ...], allowed: int) -> FinerLevels:
        """Count the classes; `allowed` says how many records may be suppressed."""
        coded, class_of = CodedTuples.from_attributes(task.quasi, levels)
        classes = len(coded.counts)
        requirement_test = None
        if task.requirements:
            requirement_test = RequirementTest(task, task.allowed_people, class_of, classes)
        frequency = Frequency(coded, task.k, allowed, requirement_test=requirement_test)
        figures = figures_of_groups(task.requirements, class_of, classes)
        return cls(levels, frequency, class_of, figures)

    @property
    def sizes(self) -> npt.NDArray[np.int32]:
        """Records of every class."""
        return self.frequency.coded.counts

    @cached_property
    def below_k(self) -> Flags:
        """Per class whether it is below k."""
        return np.asarray(self.sizes < self.frequency.k, dtype=bool)

    @cached_property
    def missing(self) -> Flags:
        """Per class whether it misses what is required beyond k."""
        return self._missed(self.figures)

    @cached_property
    def small(self) -> int:
        """Records in classes below k."""
        return self._records(self.below_k)

    @cached_property
    def missing_records(self) -> int:
        """Records in classes of k or more that miss what is required."""
        return self._records(self.missing & ~self.below_k)

    @property
    def to_suppress(self) -> int:
        """The records that would have to be suppressed."""
        return self.small + self.missing_records

    @property
    def passes(self) -> bool:
        """Whether as many records as would have to go may be suppressed."""
        return self.to_suppress <= self.frequency.allowed

    @cached_property
    def missed(self) -> tuple[ColumnRequirement, ...]:
        """The requirements that classes of k or more miss."""
        return tuple(
            group_figures.requirement
            for group_figures in self.figures
            if (group_figures.missed & ~self.below_k).any()
        )

    def fails(self, y: int, level: int, lower: bool = False) -> bool:
        """Return whether it fails with another attribute at a level, with `lower` at all below."""
        test = self.frequency.necessary if lower else self.frequency
        return not test.test(self.string(y, level)).passes

    # -- what would have to give way

    def largest_k(self) -> int:
        """Return the largest k for which these levels pass.

        0 where k is not all that is in the way.
        """
        free = ~self.missing
        order = np.argsort(self.sizes[free], kind="stable")
        first = self._first_to_stay(self.sizes[free][order])
        return 0 if first is None else int(self.sizes[free][order][first])

    def loosened(self) -> Iterator[tuple[ColumnRequirement, float]]:
        """Yield the nearest bounds that let these levels pass, each with all else as it is."""
        for group_figures in self.figures:
            other_figures = [
                candidate for candidate in self.figures if candidate is not group_figures
            ]
            free = ~(self.below_k | self._missed(other_figures))
            figures = group_figures.figures[free]
            model = group_figures.requirement.model
            order = np.argsort(figures if model.at_least else -figures, kind="stable")
            first = self._first_to_stay(self.sizes[free][order])
            if first is not None:
                yield group_figures.requirement, float(model.kept_by(figures[order][first]))

    def _first_to_stay(self, worst_first: npt.NDArray[np.int32]) -> int | None:
        """Return the first of some classes that must stay; None where all others are too many."""
        so_far = np.cumsum(worst_first, dtype=np.int64)
        n_others = self.frequency.n - (int(so_far[-1]) if len(so_far) else 0)
        if n_others > self.frequency.allowed:
            return None
        return int(np.argmax(so_far > self.frequency.allowed - n_others))

    # -- helpers

    def _missed(self, figures: Sequence[GroupFigures]) -> Flags:
        missed = np.zeros(len(self.sizes), dtype=bool)
        for group_figures in figures:
            missed |= group_figures.missed
        return missed

    def _records(self, which: Flags) -> int:
        return int(self.sizes[which].sum(dtype=np.int64))

    def string(self, y: int, level: int) -> list[int]:
        """Return the levels with that of one attribute replaced."""
        return [level if z == y else present_level for z, present_level in enumerate(self.levels)]
