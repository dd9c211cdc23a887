"""What groups of records show of what is required beyond k, and how far a bound must give way.

`Shown` has a requirement's figure of every group. Where a group misses the bound, its figure is the
nearest bound that it keeps: the smallest change is found among the figures, not by trying bounds.

A bound that gives way is written with a few digits (two for entropy l, three for shares and
distances), rounded to the loose side. Every class keeps a bound of 1, whatever the model: then the
requirement is as good as left out, and the sentences say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.reasons import Change
from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.requirements import Bound, Model
from kanon_tui.core.text import quoted_list

__all__ = [
    "KEPT_BY_ALL",
    "Shown",
    "lacks_text",
    "loosened",
    "missed_by",
    "requirement_change",
    "shown_by",
]


KEPT_BY_ALL = 1.0
"""The bound that every class keeps: one value, a distance or share of 1."""
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class Shown:
    """What groups of records show of the attribute of one requirement."""

    bound: Bound
    figures: Floats
    missed: Flags
    """Per group whether the figure misses the bound."""

    @classmethod
    def of(cls, bound: Bound, held: GroupValues) -> Shown:
        """By the values that the groups hold; none may be empty."""
        return cls(bound, bound.figures(held), bound.gaps(held) > 0)

    def change(self, gain: str) -> Change:
        """What would let a group that misses the bound keep it, where there is only one group."""
        return requirement_change(self.bound, float(loosened(self.bound, self.figures[0])), gain)


def shown_by(
    requirements: Sequence[Bound], groups: npt.NDArray[np.integer], count: int
) -> tuple[Shown, ...]:
    """What groups show of every requirement; `groups` gives the group of every record, -1: none."""
    return tuple(
        Shown.of(bound, GroupValues.of(groups, bound.column.codes, count)) for bound in requirements
    )


def missed_by(requirements: Sequence[Bound], records: Int64s) -> tuple[Shown, ...]:
    """Which requirements some records miss as one class."""
    found = []
    for bound in requirements:
        together = np.zeros(len(records), dtype=np.int64)
        shown = Shown.of(bound, GroupValues.of(together, bound.column.codes[records], 1))
        if shown.missed[0]:
            found.append(shown)
    return tuple(found)


def loosened(bound: Bound, figures: npt.ArrayLike) -> Floats:
    """The nearest bounds, with few digits, that groups of these figures keep."""
    figures = np.asarray(figures, dtype=np.float64)
    if bound.model.counts_values:
        return figures
    if bound.model is Model.L_ENTROPY:
        return np.asarray(np.floor(figures * 100 + _ROUNDING) / 100, dtype=np.float64)
    return np.asarray(np.ceil(figures * 1000 - _ROUNDING) / 1000, dtype=np.float64)


def requirement_change(bound: Bound, value: float, gain: str) -> Change:
    """`distinct l-diversity of diagnosis 2 instead of 3: …`, or without it."""
    what = f"{bound.model.title} of {bound.column.name}"
    if bound.among is not None:
        values = [bound.column.values[code] for code in np.flatnonzero(bound.among).tolist()]
        what += f" ({quoted_list(values, most=3)})"
    if value == KEPT_BY_ALL:
        return Change("requirement", KEPT_BY_ALL, bound.column.name, f"without {what}: {gain}")
    told = f"{what} {value:g} instead of {bound.bound:g}: {gain}"
    return Change("requirement", value, bound.column.name, told)


def lacks_text(bounds: Iterable[Bound], between: str = " or with ") -> str:
    """What classes lack, after 'with'."""
    return between.join(bound.lack for bound in bounds)
