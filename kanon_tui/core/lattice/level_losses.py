"""What a generalisation string loses, records that it suppresses included.

The loss of a level is that of the metrics (NCP or Byun's IL), summed over records. Where nothing is
suppressed it is a number per level, and the loss of a string is their sum. A suppressed record
loses everything, but ranges of numbers may become narrower without it; so that then two things are
known of a level: what it loses at least, whoever is suppressed (`least`), and what it loses with
certain records suppressed (`exactly`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.information_loss import attribute_il, il_penalties
from kanon_tui.core.metrics.ncp import attribute_ncp, penalties
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import counted
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["LevelLosses"]

_MOST_PAIRS = 1_000  # values of a group for which every pair of ends is looked at


class LevelLosses:
    """The losses of one attribute's levels, as a mean over the records of the table."""

    def __init__(self, attribute: QuasiIdentifier, metric: str) -> None:
        self.attribute = attribute
        self._n = attribute.column.records
        self._of_groups: Callable[[CellGroups], Floats] = penalties
        self._mean: Callable[[CellGroups], float] = attribute_ncp
        if metric == "il":
            self._of_groups = il_penalties
            self._mean = self._mean_il

    def _mean_il(self, cells: CellGroups) -> float:
        return attribute_il(cells) / self._n

    @cached_property
    def whole(self) -> Floats:
        """The loss of every level where nothing is suppressed."""
        return np.array([self._mean(cells) for cells in self._levels])

    @cached_property
    def _levels(self) -> tuple[CellGroups, ...]:
        counts = self.attribute.column.counts
        levels = range(self.attribute.hierarchy.height + 1)
        return tuple(CellGroups.of_level(self.attribute, level, counts) for level in levels)

    @cached_property
    def _per_label(self) -> tuple[Floats, ...]:
        """Categories: what a record loses by its label, whoever else is published."""
        return tuple(self._of_groups(cells) for cells in self._levels)

    def exactly(self, level: int, suppressed: Int64s) -> float:
        """The loss of a level with these rows suppressed."""
        column = self.attribute.column
        copies = None if column.copies is None else column.copies[suppressed]
        gone = counted(column.codes[suppressed], copies, len(column.values))
        if self.attribute.ordered:
            return self._mean(CellGroups.of_level(self.attribute, level, column.counts - gone))
        losses = self._per_label[level][self.attribute.hierarchy.maps[level]]
        kept = float(((column.counts - gone) * losses).sum())
        return (kept + int(gone.sum())) / self._n

    def least(self, allowed: int) -> Floats:
        """What every level loses at least, if no more than so many records are suppressed.

        A category loses least with nobody suppressed. A range of numbers is cut at its ends as far
        as that pays.
        """
        if not allowed or not self.attribute.ordered:
            return self.whole
        return np.array([self._least_of_level(cells, allowed) for cells in self._levels])

    def _least_of_level(self, cells: CellGroups, allowed: int) -> float:
        total = 0.0
        starts, values = cells.values.starts, cells.values
        labels = self.attribute.hierarchy.labels[cells.level or 0]
        for group in np.flatnonzero(values.distinct > 1).tolist():
            own = slice(int(starts[group]), int(starts[group + 1]))
            records = values.records[own]
            if cells.level and labels[group] == HIDDEN:
                total += float(records.sum())
            else:
                total += self._least_of_group(values.code[own], records, allowed)
        if cells.level:
            alone = np.flatnonzero(values.distinct == 1)
            hidden = [g for g in alone.tolist() if labels[g] == HIDDEN]
            total += float(values.records[starts[hidden]].sum())
        return total / self._n

    def _least_of_group(self, codes: Int64s, records: Int64s, allowed: int) -> float:
        column = self.attribute.column
        assert column.numbers is not None
        missing = int(records[codes == column.missing].sum()) if column.missing is not None else 0
        present = codes != column.missing if missing else np.ones(len(codes), dtype=bool)
        numbers, counts = column.numbers[codes[present]], records[present]
        places = numbers / (self.attribute.domain_width or 1.0)
        if not missing:
            return _narrowest(places, counts, allowed)
        choices = [float(records.sum())]  # it prints `*`
        if missing <= allowed:
            choices.append(missing + _narrowest(places, counts, allowed - missing))
        if int(counts.sum()) <= allowed:
            choices.append(float(counts.sum()))
        return min(choices)


def _narrowest(places: Floats, counts: Int64s, allowed: int) -> float:
    """The least loss of a range: records × width for those kept, 1 for each cut off at its ends."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    whole = int(ends[-1])
    if len(places) > _MOST_PAIRS:  # nobody cut off counts anything: less than the least, but quick
        first = np.arange(len(places))
        last = np.searchsorted(ends[1:], ends[first] + whole - allowed, side="left")
        fits = last < len(places)
        width = places[last[fits]] - places[first[fits]]
        return float(whole * width.min()) if len(width) else 0.0
    width = places[None, :] - places[:, None]
    kept = ends[None, 1:] - ends[:-1, None]
    loss = kept * width + (whole - kept)
    loss[(width < 0) | (whole - kept > allowed)] = np.inf
    return float(loss.min())
