"""What groups of records show of what is required beyond k, and how far a bound must give way.

`GroupFigures` has a requirement's figure of every group. Where a group misses the bound, its figure
is the nearest bound that it keeps: the smallest change is found among the figures, not by trying
bounds. A bound that gives way is rounded to the loose side. Where it becomes one that every class
keeps, the requirement is as good as left out, and the sentences say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.reasons import Change
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.column_requirement import ColumnRequirement
from kanon_tui.core.table.group_values import GroupValues

__all__ = [
    "GroupFigures",
    "figures_of_groups",
    "lacks_clause",
    "missed_requirements",
    "requirement_change",
]


@dataclass(frozen=True, eq=False)
class GroupFigures:
    """The figures of groups of records for one requirement."""

    requirement: ColumnRequirement
    figures: Floats
    missed: Flags
    """Per group whether the figure misses the bound."""

    @classmethod
    def of(cls, requirement: ColumnRequirement, groups: GroupValues) -> GroupFigures:
        """By the values that the groups hold; none may be empty."""
        figures = requirement.figures(groups)
        return cls(requirement, figures, requirement.model.gaps(figures) > 0)

    def change(self, gain: str) -> Change:
        """What would let a group that misses the bound keep it, where there is only one group."""
        to = float(self.requirement.model.kept_by(self.figures[0]))
        return requirement_change(self.requirement, to, gain)


def figures_of_groups(
    requirements: Sequence[ColumnRequirement], groups: npt.NDArray[np.integer], count: int
) -> tuple[GroupFigures, ...]:
    """What groups show of every requirement; `groups` gives the group of every record, -1: none."""
    return tuple(
        GroupFigures.of(each, GroupValues.of(groups, each.column.codes, count))
        for each in requirements
    )


def missed_requirements(
    requirements: Sequence[ColumnRequirement], records: Int64s
) -> tuple[GroupFigures, ...]:
    """Which requirements some records miss as one class."""
    together = np.zeros(len(records), dtype=np.int64)
    figures = (
        GroupFigures.of(each, GroupValues.of(together, each.column.codes[records], 1))
        for each in requirements
    )
    return tuple(one for one in figures if one.missed[0])


def requirement_change(requirement: ColumnRequirement, bound: float, gain: str) -> Change:
    """`distinct l-diversity of diagnosis 2 instead of 3: …`, or without it."""
    sentence = f"{requirement.model.loosened(bound)}: {gain}"
    return Change("requirement", bound, requirement.column.name, sentence)


def lacks_clause(requirements: Iterable[ColumnRequirement], between: str = " or with ") -> str:
    """What classes lack, as a clause that goes after 'with'."""
    return between.join(requirement.model.lack for requirement in requirements)
