"""The published cells of one attribute, group by group: the input of all metrics.

A *group* is the set of published records that an attribute shows alike:

- full-domain: the records that share the attribute's published label (`of_level`);
- clustering, and wherever one value stands for a whole class (mean, median, mode): an equivalence
  class of the release (`of_classes`). A mean says nothing of how far its members lie apart, so such
  a cell is measured by the values that the class holds, as if it printed their range or set.

Per group a `CellGroups` knows how many records it has, how wide the range or label is that it
prints, how many values of the data that covers, and which rules the records break. Every metric is
then a few lines over groups, weighted by records with `total`, where cells that say nothing count
as the worst:

- a **suppressed** cell: all cells of a suppressed record, and single ones (`udc-suppress`);
- a **hidden** cell: the group prints `*` for a number or date, because missing meets present values
  or because the level's label is `*`.

Cost, per attribute: one sort of (group, value) pairs in a clustering, O(values) for a level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN, BoundHierarchy
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.release.class_texts import rounded_codes
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import GroupValues, counted
from kanon_tui.core.task.task import QuasiIdentifier


@dataclass(frozen=True, eq=False)
class CellGroups:
    """The groups of one attribute; arrays are per group."""

    attribute: QuasiIdentifier
    level: int | None
    """Full-domain: the level; groups are then numbered like its labels."""
    size: Int64s
    """Published records, those with a suppressed cell included."""
    values: GroupValues
    """The values that the records hold, suppressed cells left out."""
    stretches: Int32s | None = None
    """Clusterings without overlap: the stretch of every value code (`Grouping.stretches`)."""

    @classmethod
    def of_level(cls, attribute: QuasiIdentifier, level: int, counts: Int64s) -> CellGroups:
        """Return the groups of a level's labels; `counts` has the records of each value."""
        values = _values_of_labels(attribute.hierarchy, level, counts)
        return cls(attribute, level, counted(values.group, values.records, values.count), values)

    @classmethod
    def of_classes(
        cls,
        attribute: QuasiIdentifier,
        classes: npt.NDArray[np.int32],
        size: Int64s,
        stretches: Int32s | None = None,
    ) -> CellGroups:
        """Return the groups of classes.

        `classes` has the class of every record, -1 where it or its cell is suppressed; `size` the
        records of every class.
        """
        column = attribute.column
        values = GroupValues.from_records(classes, column.codes, len(size), column.copies)
        return cls(attribute, None, size, values, stretches)

    def groups_of(self, classes: Int32s) -> npt.NDArray[np.integer]:
        """Return the group of every record by its class, which is -1 where there is none."""
        if self.level is None:
            return classes
        labels = self.attribute.hierarchy.maps[self.level]
        return np.where(classes >= 0, labels[self.attribute.column.codes], -1)

    def total(self, per_group: npt.ArrayLike, worst: float) -> float:
        """Return the sum over all records; suppressed and hidden cells count `worst`."""
        amount = np.where(self.hidden, worst, per_group)
        lost = self.attribute.column.records - int(self.shown.sum())
        return float((self.shown * amount).sum()) + lost * worst

    @cached_property
    def shown(self) -> Int64s:
        """Records whose cell is not suppressed."""
        return counted(self.values.group, self.values.records, self.values.count)

    @cached_property
    def hidden(self) -> Flags:
        """Whether the group prints `*` for a number or date."""
        column = self.attribute.column
        if not self.attribute.ordered:
            return np.zeros(self.values.count, dtype=bool)
        low, high = self._ends
        mixed: Flags = (high == column.missing) & (low != column.missing)
        if column.coding is not None and self.level is None:
            mixed |= (low != high) & self._open_at_both_ends
        if self.stretches is not None:
            mixed |= self.values.stretch_ends(self.stretches)[2]
        if self.level:
            labels = self.attribute.hierarchy.labels[self.level]
            mixed |= np.array([label == HIDDEN for label in labels], dtype=bool)
        return mixed

    @cached_property
    def width(self) -> Floats:
        """Numbers and dates: largest minus smallest value held; 0 for the missing value alone.

        A coded end holds all from its bound to the end of the original.
        """
        column = self.attribute.column
        if column.numbers is None:
            return np.zeros(self.values.count)
        low, high = self._ends
        width = column.highest[high] - column.lowest[low]
        return np.asarray(np.nan_to_num(width), dtype=np.float64)

    @cached_property
    def span(self) -> Floats:
        """Numbers and dates: units from smallest to largest value; categories: values covered."""
        if self.attribute.ordered:
            low, high = self._ends
            lowest, highest = self.attribute.unit_ends
            return np.asarray(np.nan_to_num(highest[high] - lowest[low]) + 1, dtype=np.float64)
        return self.covered.astype(np.float64)

    @cached_property
    def covered(self) -> Int64s:
        """The number of distinct values of the data that the published cell may stand for."""
        if self.level is not None:
            return self.attribute.hierarchy.covered(self.level)
        if self.attribute.ordered:
            return self._in_range
        if self.attribute.publishes_ancestor:
            return self._ancestors[1]
        originals = self.attribute.column.covered[self.values.code]
        return counted(self.values.group, originals, self.values.count)

    @cached_property
    def height(self) -> Int64s:
        """Categories: the level of the lowest common ancestor of the values.

        For a level's label these are the values of the data that it covers. Values behind a coded
        end have their common ancestor above them.
        """
        column = self.attribute.column
        levels = self._ancestors[0]
        if column.coding is None:
            return levels
        several = column.covered[self.values.code] > 1
        behind = np.zeros(self.values.count, dtype=bool)
        behind[self.values.group[several]] = True
        least = min(1, self.attribute.hierarchy.height)
        return np.where(behind, np.maximum(levels, least), levels)

    @cached_property
    def broken(self) -> Flags:
        """`broken[r, g]`: records of group g hold values of both sides of rule r."""
        return self.attribute.rules.broken(self.values.code, self.values.group, self.values.count)

    @cached_property
    def rules_kept(self) -> Floats:
        """DR of every group."""
        return self.attribute.rules.ratio(self.broken)

    @cached_property
    def _ends(self) -> tuple[Int64s, Int64s]:
        """Codes of the smallest and the largest value printed; codes rise with the values."""
        if self.stretches is not None:
            return self.values.stretch_ends(self.stretches)[:2]
        ends = self.values.ends(self.values.code)
        if self.attribute.publish == "rounded" and self.level is None:
            return rounded_codes(self.attribute.column, *ends)
        return ends

    @cached_property
    def _in_range(self) -> Int64s:
        numbers = self.attribute.column.value_numbers
        low, high = self._ends
        from_low = np.searchsorted(numbers, numbers[low], side="left")
        to_high = np.searchsorted(numbers, numbers[high], side="right")
        covered = self.attribute.column.covered
        before = np.concatenate([[0], np.cumsum(covered)])
        return np.where(low == high, covered[low], before[to_high] - before[from_low])

    @property
    def _open_at_both_ends(self) -> Flags:
        """Classes that hold both coded ends, which print `*`."""
        column = self.attribute.column
        low, high = self._ends
        assert column.coding is not None
        ends = (column.coding.bottom_text, column.coding.top_text)
        bottom, top = (column.code_of.get(text or "", -1) for text in ends)
        both: Flags = (low == bottom) & (high == top) & (bottom >= 0) & (top >= 0)
        return both

    @cached_property
    def _ancestors(self) -> tuple[Int64s, Int64s]:
        """Level of every group's lowest common ancestor and how many values that covers."""
        hierarchy = self.attribute.hierarchy
        values = self.values
        if self.level is not None:
            every = np.ones(len(self.attribute.column.values), dtype=np.int64)
            values = _values_of_labels(hierarchy, self.level, every)
        levels, labels = hierarchy.common_ancestors(values)
        covered = np.zeros(values.count, dtype=np.int64)
        for level in range(hierarchy.height + 1):
            at_level = (levels == level) & (labels >= 0)
            covered[at_level] = hierarchy.covered(level)[labels[at_level]]
        return levels, covered


def cells_of(release: Release) -> tuple[CellGroups, ...]:
    """Return the groups of every quasi-identifier of a release."""
    levels = release.grouping.levels
    stretches = release.grouping.stretches
    groups = []
    for x, attribute in enumerate(release.task.quasi):
        if levels is None:
            stretches_of_attribute = None if stretches is None else stretches[x]
            classes = release.shown_classes(x)
            groups.append(
                CellGroups.of_classes(
                    attribute, classes, release.class_sizes, stretches_of_attribute
                )
            )
        elif attribute.publishes_one_value:
            groups.append(CellGroups.of_classes(attribute, release.classes, release.class_sizes))
        else:
            groups.append(CellGroups.of_level(attribute, levels[x], release.published_counts(x)))
    return tuple(groups)


def _values_of_labels(hierarchy: BoundHierarchy, level: int, counts: Int64s) -> GroupValues:
    """Return the values below every label of a level, those without records left out."""
    labels = hierarchy.maps[level]
    order = np.argsort(labels, kind="stable")
    order = order[counts[order] > 0]
    return GroupValues(
        len(hierarchy.labels[level]), labels[order].astype(np.int64), order, counts[order]
    )
