"""Which classes of a generalisation string keep what is required beyond k.

The records collapse once to distinct (tuple, sensitive value) pairs with counts. A string puts
tuples together: its classes are judged on these pairs, not on records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Flags, Int32s
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.group_values import GroupValues

__all__ = ["MissedRequirement", "RequirementTest"]


@dataclass(frozen=True)
class MissedRequirement:
    """The requirement that most records of a string miss."""

    requirement: ColumnRequirement
    records: int

    def __str__(self) -> str:
        return self.requirement.model.fault


class RequirementTest:
    """Tests classes of tuples for some requirements."""

    def __init__(
        self, requirements: Sequence[ColumnRequirement], tuple_of: Int32s, tuples: int
    ) -> None:
        self.requirements = tuple(requirements)
        columns = {id(each.column.codes): each.column for each in requirements}
        self._pairs = [
            GroupValues.from_records(tuple_of, own.codes, tuples, own.copies)
            for own in columns.values()
        ]
        self._place = [list(columns).index(id(each.column.codes)) for each in requirements]
        self._people: GroupValues | None = None
        self._most_people = 0
        self.risk: RiskBound | None = None
        """A bound for the risk of the release as a whole, in a table of `_of` people."""
        self._of = 0

    def limit_people(self, most: int, person: Column, tuple_of: Int32s, tuples: int) -> None:
        """Let at most so many people lose a record."""
        self._people, self._most_people = (
            GroupValues.from_records(tuple_of, person.codes, tuples),
            most,
        )

    def limit_risk(self, risk: RiskBound, people: int) -> None:
        """Bound the risk of the release as a whole."""
        self.risk, self._of = risk, people

    def at_risk(self, number: Int32s, sizes: Int32s, kept: Flags) -> bool:
        """Whether the classes that are kept are at too much risk together."""
        if self.risk is None:
            return False
        counted = sizes.astype(np.int64)
        if self._people is not None:
            pairs = self._people
            counted = GroupValues.from_records(number[pairs.group], pairs.code, len(sizes)).distinct
        return not self.risk.holds(counted[kept], self._of)

    def too_many_gone(self, number: Int32s, kept: Flags) -> bool:
        """Whether too many people have a record in classes that are not kept."""
        if self._people is None:
            return False
        lost = ~kept[number[self._people.group]]
        return len(np.unique(self._people.code[lost])) > self._most_people

    def least_removed(self, number: Int32s, sizes: Int32s) -> npt.NDArray[np.int64]:
        """Per class how many records must go at least for the rest to hold."""
        values = self._values(number, len(sizes))
        if not self.requirements:
            return np.zeros(len(sizes), dtype=np.int64)
        pairs = zip(self.requirements, values, strict=True)
        removed = [requirement.least_removed(held) for requirement, held in pairs]
        return np.asarray(np.max(removed, axis=0), dtype=np.int64)

    def _values(self, number: Int32s, classes: int) -> list[GroupValues]:
        """What every class has of each requirement's column, by the class of every tuple."""
        held = [
            GroupValues.from_records(number[pairs.group], pairs.code, classes, pairs.records)
            for pairs in self._pairs
        ]
        return [held[place] for place in self._place]

    def judge(self, number: Int32s, sizes: Int32s) -> tuple[Flags, MissedRequirement | None]:
        """Per class whether something is missed, and what most records miss.

        `number` gives the class of every tuple, `sizes` the records of every class.
        """
        classes = len(sizes)
        values = self._values(number, classes)
        missed = np.zeros(classes, dtype=bool)
        worst: MissedRequirement | None = None
        for requirement, held in zip(self.requirements, values, strict=True):
            here = requirement.gaps(held) > 0
            records = int(sizes[here].sum())
            if records > (worst.records if worst is not None else 0):
                worst = MissedRequirement(requirement, records)
            missed |= here
        return missed, worst
