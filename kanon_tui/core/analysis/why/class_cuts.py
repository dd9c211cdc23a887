"""Cuts of classes in two on one attribute, and what either side would have.

Numbers and dates are cut between two neighbouring values, categories around one of the labels just
below the common one. So every class has one cut for each of its *parts* (values or labels): what
lies up to the value, or has the label, is inside. Records whose own cell is suppressed are on
neither side.

What is required beyond k is counted on distinct (part, sensitive value) pairs: a cut looks at those
of its class, which makes parts × pairs for every class. Cuts are taken some at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.requirements import GroupFigures
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.column_requirement import ColumnRequirement
from kanon_tui.core.table.group_values import GroupValues

__all__ = ["ClassCuts", "JudgedCuts"]


_PAIRS_AT_A_TIME = 2_000_000


@dataclass(frozen=True, eq=False)
class ClassCuts:
    """Every cut of some classes; cut number i belongs to part number i."""

    parts: GroupValues
    """Per class its values, or the labels just below the common one."""
    ordered: bool
    part_of: Int64s
    """Per record the number of its part, -1 where it has none."""

    @classmethod
    def of(cls, cells: CellGroups, classes: npt.NDArray[np.integer]) -> ClassCuts:
        """The cuts of published classes; `classes` is -1 where the record's cell is suppressed."""
        attribute, parts = cells.attribute, cells.values
        shown = np.flatnonzero(classes >= 0)
        group = classes[shown].astype(np.int64)
        part = attribute.column.codes[shown].astype(np.int64)
        if not attribute.ordered:
            below = np.maximum(cells.height - 1, 0)
            part = np.stack(attribute.hierarchy.maps)[below[group], part].astype(np.int64)
            parts = GroupValues.of(group, part, cells.values.count)
        width = np.int64(part.max(initial=0)) + 1
        part_of = np.full(len(classes), -1, dtype=np.int64)
        part_of[shown] = np.searchsorted(parts.group * width + parts.code, group * width + part)
        return cls(parts, attribute.ordered, part_of)

    @cached_property
    def inside(self) -> Int64s:
        """Records inside every cut."""
        if not self.ordered:
            return self.parts.records
        so_far = np.cumsum(self.parts.records)
        before = (so_far - self.parts.records)[self.parts.starts[self.parts.group]]
        return np.asarray(so_far - before, dtype=np.int64)

    @cached_property
    def outside(self) -> Int64s:
        """Records of the class on the other side of every cut."""
        records = np.bincount(
            self.parts.group, weights=self.parts.records, minlength=self.parts.count
        )
        return records.astype(np.int64)[self.parts.group] - self.inside

    @cached_property
    def smaller(self) -> Int64s:
        """Records on the smaller side; 0 behind the last value of a class."""
        return np.minimum(self.inside, self.outside)

    def best(self, possible: Flags | None = None) -> Int64s:
        """Per class the records on the smaller side of its best cut; 0 where none is possible."""
        smaller = self.smaller if possible is None else np.where(possible, self.smaller, 0)
        return np.maximum(self.parts.ends(smaller)[1], 0)

    def judged(self, requirements: Sequence[ColumnRequirement], least: int = 1) -> JudgedCuts:
        """The figures of the sides of cuts; both sides must have so many records."""
        cuts = np.flatnonzero(self.smaller >= max(least, 1))
        return JudgedCuts(self, cuts, tuple(self._sides(each, cuts) for each in requirements))

    def _sides(self, requirement: ColumnRequirement, cuts: Int64s) -> GroupFigures:
        """The figures of the sides, cuts × 2."""
        pairs = GroupValues.of(self.part_of, requirement.column.codes, len(self.parts.group))
        starts = np.searchsorted(pairs.group, self.parts.starts)
        group = self.parts.group[cuts]
        first, length = starts[group], (starts[1:] - starts[:-1])[group]
        parts = [
            GroupFigures.of(requirement, self._values(pairs, cuts[some], first[some], length[some]))
            for some in _some_at_a_time(length)
        ]
        figures = np.concatenate([np.empty(0), *(one.figures for one in parts)])
        missed = np.concatenate([np.empty(0, dtype=bool), *(one.missed for one in parts)])
        return GroupFigures(requirement, figures.reshape(-1, 2), missed.reshape(-1, 2))

    def _values(
        self, pairs: GroupValues, cuts: Int64s, first: Int64s, length: Int64s
    ) -> GroupValues:
        """The values on both sides of every cut, the inside first."""
        number = np.repeat(np.arange(len(cuts)), length)
        ends = np.cumsum(length)
        pair = np.arange(len(number)) + (first - (ends - length))[number]
        part, cut = pairs.group[pair], cuts[number]
        outside = part > cut if self.ordered else part != cut
        sides = 2 * number + outside
        return GroupValues.of(sides, pairs.code[pair], 2 * len(cuts), pairs.records[pair])


@dataclass(frozen=True, eq=False)
class JudgedCuts:
    """Cuts with the figures of their sides."""

    all_cuts: ClassCuts
    cuts: Int64s
    """Which of them were judged."""
    figures: tuple[GroupFigures, ...]
    """Per requirement, cuts × 2: the side inside, the side outside."""

    @property
    def smaller(self) -> Int64s:
        """Records on the smaller side."""
        return self.all_cuts.smaller[self.cuts]

    @cached_property
    def group(self) -> Int64s:
        """The class of every cut."""
        return self.all_cuts.parts.group[self.cuts]

    @cached_property
    def missed(self) -> Flags:
        """Requirements × cuts: whether one of the sides misses it."""
        missed = [one.missed.any(axis=1) for one in self.figures]
        return np.array(missed, dtype=bool).reshape(len(self.figures), len(self.cuts))

    @cached_property
    def lacking(self) -> Int64s:
        """Records on sides that miss something."""
        sides = np.zeros((len(self.cuts), 2), dtype=bool)
        for one in self.figures:
            sides |= one.missed
        records = np.column_stack([self.all_cuts.inside, self.all_cuts.outside])[self.cuts]
        return np.asarray((sides * records).sum(axis=1), dtype=np.int64)

    def lacks(self, i: int) -> tuple[tuple[ColumnRequirement, ...], int]:
        """What the sides of one of the cuts miss, and how many records are on sides that do."""
        missed = zip(self.figures, self.missed[:, i].tolist(), strict=True)
        return tuple(one.requirement for one, bad in missed if bad), int(self.lacking[i])

    @cached_property
    def holds(self) -> Flags:
        """Whether both sides keep all that is required."""
        return np.asarray(~self.missed.any(axis=0), dtype=bool)

    def best(self) -> Int64s:
        """Per class the records on the smaller side of its best cut that holds; 0 where none."""
        possible = np.zeros(len(self.all_cuts.smaller), dtype=bool)
        possible[self.cuts[self.holds]] = True
        return self.all_cuts.best(possible)

    def only(self, r: int) -> Flags:
        """Which cuts miss requirement number r and no other."""
        return np.asarray(self.missed[r] & (self.missed.sum(axis=0) == 1), dtype=bool)

    def worse(self, r: int) -> Floats:
        """Of both sides' figures of requirement number r the worse one."""
        one = self.figures[r]
        return np.asarray(one.requirement.model.worst(one.figures, axis=1), dtype=np.float64)


def _some_at_a_time(lengths: Int64s) -> Iterator[slice]:
    """Stretches of cuts with not too many pairs, each of one cut at least."""
    so_far = np.cumsum(lengths)
    begin = 0
    while begin < len(lengths):
        before = int(so_far[begin] - lengths[begin])
        end = int(np.searchsorted(so_far, before + _PAIRS_AT_A_TIME, side="right"))
        end = max(end, begin + 1)
        yield slice(begin, end)
        begin = end
