"""Which classes of a generalisation string keep what is required beyond k.

The records collapse once to distinct (tuple, sensitive value) pairs with counts. A string puts
tuples together: its classes are judged on these pairs, not on records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.numeric import Flags, Int32s
from kanon_tui.core.privacy.column_requirement import ColumnRequirement

__all__ = ["MissedRequirement", "RequirementTest"]


@dataclass(frozen=True)
class MissedRequirement:
    """The requirement that most records of a string miss."""

    requirement: ColumnRequirement
    records: int

    def __str__(self) -> str:
        return self.requirement.model.lack


class RequirementTest:
    """Tests classes of tuples for some requirements."""

    def __init__(
        self, requirements: Sequence[ColumnRequirement], tuple_of: Int32s, tuples: int
    ) -> None:
        self.requirements = tuple(requirements)
        self._pairs = {
            each.column.name: GroupValues.of(
                tuple_of, each.column.codes, tuples, each.column.copies
            )
            for each in requirements
        }

    def least_removed(self, number: Int32s, sizes: Int32s) -> npt.NDArray[np.int64]:
        """Per class how many records must go at least for the rest to hold."""
        values = self._values(number, len(sizes))
        removed = [each.least_removed(values[each.column.name]) for each in self.requirements]
        return np.asarray(np.max(removed, axis=0), dtype=np.int64)

    def _values(self, number: Int32s, classes: int) -> dict[str, GroupValues]:
        """The values of each sensitive attribute in every class, by the class of every tuple."""
        return {
            name: GroupValues.of(number[pairs.group], pairs.code, classes, pairs.records)
            for name, pairs in self._pairs.items()
        }

    def judge(self, number: Int32s, sizes: Int32s) -> tuple[Flags, MissedRequirement | None]:
        """Per class whether something is missed, and what most records miss.

        `number` gives the class of every tuple, `sizes` the records of every class.
        """
        classes = len(sizes)
        values = self._values(number, classes)
        missed = np.zeros(classes, dtype=bool)
        worst: MissedRequirement | None = None
        for requirement in self.requirements:
            here = requirement.gaps(values[requirement.column.name]) > 0
            records = int(sizes[here].sum())
            if records > (worst.records if worst is not None else 0):
                worst = MissedRequirement(requirement, records)
            missed |= here
        return missed, worst
