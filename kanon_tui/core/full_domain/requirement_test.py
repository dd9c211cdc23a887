"""Which classes of a generalisation string keep what is required beyond k.

The records collapse once to distinct (tuple, sensitive value) pairs with counts. A string puts
tuples together, so that its classes are judged on these pairs, not on records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.numeric import Flags, Int32s
from kanon_tui.core.privacy.requirements import Bound

__all__ = ["Diverse", "Lack"]


@dataclass(frozen=True)
class Lack:
    """The requirement that most records of a string miss."""

    requirement: Bound
    records: int

    def __str__(self) -> str:
        return self.requirement.lack


class Diverse:
    """Judges classes of tuples by some requirements."""

    def __init__(self, requirements: Sequence[Bound], tuple_of: Int32s, tuples: int) -> None:
        self.requirements = tuple(requirements)
        self._pairs = {
            bound.column.name: GroupValues.of(tuple_of, bound.column.codes, tuples)
            for bound in requirements
        }

    def least_removed(self, number: Int32s, sizes: Int32s) -> npt.NDArray[np.int64]:
        """Per class how many records must go at least for the rest to hold."""
        held = self._held(number, len(sizes))
        each = [bound.least_removed(held[bound.column.name]) for bound in self.requirements]
        return np.asarray(np.max(each, axis=0), dtype=np.int64)

    def _held(self, number: Int32s, classes: int) -> dict[str, GroupValues]:
        """What classes hold of each sensitive attribute, by the class of every tuple."""
        return {
            name: GroupValues.of(number[pairs.group], pairs.code, classes, pairs.records)
            for name, pairs in self._pairs.items()
        }

    def judge(self, number: Int32s, sizes: Int32s) -> tuple[Flags, Lack | None]:
        """Per class whether something is missed, and what most records miss.

        `number` gives the class of every tuple, `sizes` the records of every class.
        """
        classes = len(sizes)
        held = self._held(number, classes)
        missed = np.zeros(classes, dtype=bool)
        worst: Lack | None = None
        for bound in self.requirements:
            here = bound.gaps(held[bound.column.name]) > 0
            records = int(sizes[here].sum())
            if records > (worst.records if worst is not None else 0):
                worst = Lack(bound, records)
            missed |= here
        return missed, worst
