"""The whole table with one attribute a level finer: which records would have to go, and why.

At these levels a class must go when it is below k or misses what is required beyond k. With the
sizes and the figures of all classes at hand, the smallest change of k or of one bound that lets the
levels pass is read off: sort the classes by what would have to give way for them, worst first, and
let go as many as may be suppressed; the first that must stay says how far to give way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.requirements import GroupFigures, figures_of_groups
from kanon_tui.core.lattice.frequency import CodedTuples, Frequency
from kanon_tui.core.lattice.requirement_test import RequirementTest
from kanon_tui.core.numeric import Flags
from kanon_tui.core.privacy.column_requirement import ColumnRequirement
from kanon_tui.core.task.task import Task

__all__ = ["FinerLevels"]


@dataclass(frozen=True, eq=False)
class FinerLevels:
    """The classes at levels of which one is finer than in the release."""

    levels: tuple[int, ...]
    frequency: Frequency
    class_of: npt.NDArray[np.int32]
    """Per record its class at these levels."""
    figures: tuple[GroupFigures, ...]
    """Of the classes, per requirement."""

    @classmethod
    def of(cls, task: Task, levels: tuple[int, ...], allowed: int) -> FinerLevels:
        """Count the classes; `allowed` says how many records may be suppressed."""
        coded, class_of = CodedTuples.of(task.quasi, levels)
        classes, requirement_test = len(coded.counts), None
        if task.requirements:
            requirement_test = RequirementTest(task.requirements, class_of, classes)
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
    def lacking(self) -> int:
        """Records in classes of k or more that miss what is required."""
        return self._records(self.missing & ~self.below_k)

    @property
    def going(self) -> int:
        """Records that would have to go."""
        return self.small + self.lacking

    @property
    def passes(self) -> bool:
        """Whether so many may go."""
        return self.going <= self.frequency.allowed

    @cached_property
    def lacks(self) -> tuple[ColumnRequirement, ...]:
        """What classes of k or more miss."""
        return tuple(one.requirement for one in self.figures if (one.missed & ~self.below_k).any())

    def lacks_of(self, number: int) -> tuple[ColumnRequirement, ...]:
        """What one class misses."""
        return tuple(one.requirement for one in self.figures if one.missed[number])

    def passes_with(self, y: int, level: int) -> bool:
        """Whether it passes with another attribute raised to a level."""
        return self.frequency.test(self._string(y, level)).passes

    def fails_up_to(self, y: int, level: int) -> bool:
        """Whether it fails with another attribute at a level and at all that are lower."""
        return not self.frequency.necessary.test(self._string(y, level)).passes

    # -- what would have to give way

    def largest_k(self) -> int:
        """The largest k for which these levels pass; 0 where k is not all that is in the way."""
        free = ~self.missing
        order = np.argsort(self.sizes[free], kind="stable")
        first = self._first_to_stay(self.sizes[free][order])
        return 0 if first is None else int(self.sizes[free][order][first])

    def loosened(self) -> Iterator[tuple[ColumnRequirement, float]]:
        """The nearest bounds that let these levels pass, each with all else as it is."""
        for one in self.figures:
            others = [other for other in self.figures if other is not one]
            free = ~(self.below_k | self._missed(others))
            figures = one.figures[free]
            model = one.requirement.model
            order = np.argsort(figures if model.at_least else -figures, kind="stable")
            first = self._first_to_stay(self.sizes[free][order])
            if first is not None:
                yield one.requirement, float(model.kept_by(figures[order][first]))

    def _first_to_stay(self, worst_first: npt.NDArray[np.int32]) -> int | None:
        """Which of some classes is the first that must stay; None where all others are too many."""
        so_far = np.cumsum(worst_first, dtype=np.int64)
        others = self.frequency.n - (int(so_far[-1]) if len(so_far) else 0)
        if others > self.frequency.allowed:
            return None
        return int(np.argmax(so_far > self.frequency.allowed - others))

    # -- helpers

    def _missed(self, figures: Sequence[GroupFigures]) -> Flags:
        missed = np.zeros(len(self.sizes), dtype=bool)
        for one in figures:
            missed |= one.missed
        return missed

    def _records(self, which: Flags) -> int:
        return int(self.sizes[which].sum(dtype=np.int64))

    def _string(self, y: int, level: int) -> list[int]:
        return [level if z == y else other for z, other in enumerate(self.levels)]
