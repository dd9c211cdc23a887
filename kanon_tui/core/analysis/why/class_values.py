"""The values of a record's class in one attribute, as the reasons of a clustering tell them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import short_list, shortened

__all__ = ["ClassValues"]


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The values of a class in one attribute, seen from one of its records."""

    attribute: QuasiIdentifier
    own: int
    """The record's own value."""
    codes: Int64s
    """The distinct values, rising."""
    counts: Int64s
    """Records per value."""
    size: int
    """Records of the class, those with a suppressed cell included."""

    @property
    def mixed(self) -> bool:
        """Whether there is more than one value."""
        return len(self.codes) > 1

    @property
    def hidden(self) -> int:
        """Records whose own cell was suppressed."""
        return self.size - int(self.counts.sum())

    def texts(self, codes: Int64s) -> list[str]:
        """Values as they are written in the data."""
        return [self.attribute.column.values[code] for code in codes.tolist()]

    def near(self) -> Flags:
        """Categories: which values have the record's label just below the common one."""
        hierarchy = self.attribute.hierarchy
        labels = hierarchy.maps[max(hierarchy.lca_level(self.codes.tolist()) - 1, 0)]
        return np.asarray(labels[self.codes] == labels[self.own], dtype=bool)

    def labels(self, which: Flags) -> list[str]:
        """Categories: labels of some values just below the common one, most records first."""
        hierarchy = self.attribute.hierarchy
        level = max(hierarchy.lca_level(self.codes.tolist()) - 1, 0)
        numbers = hierarchy.maps[level][self.codes[which]]
        records = np.bincount(numbers, weights=self.counts[which])
        order = np.argsort(-records, kind="stable")
        return [hierarchy.labels[level][i] for i in order.tolist() if records[i]]

    def cut_text(self, place: int) -> str:
        """A cut in words: after the value at this place, or around the record's own label."""
        if not self.attribute.ordered:
            near = self.near()
            return f"{short_list(self.labels(near))} | {short_list(self.labels(~near))}"
        below, above = self.texts(self.codes[place : place + 2])
        return f"{shortened(below)} | {shortened(above)}"
