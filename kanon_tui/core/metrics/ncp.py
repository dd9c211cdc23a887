"""Normalised certainty penalty: how much of an attribute's range a published cell leaves open.

A number or date counts (max − min of its group) / (max − min of the attribute), a category 0 when
its cell covers one value and else values covered / distinct values; a suppressed or hidden cell
counts 1. Per attribute that is averaged over all records of the table; the total weighs attributes.

The missing value alone says all there is to say and counts 0. A domain given wider than the data
is the denominator; where it has no width every range counts 0.

`class_ncp` is the literal reading of the thesis: a class counts the values that its records hold,
whatever the label covers and however many classes print it. In a full-domain release it is lower.

Reference: Xu et al., utility-based anonymization (2006); SBC equations 2-3 and 2-4, table 2-13.
"""

import numpy as np
import numpy.typing as npt

from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import Floats
from kanon_tui.core.release.recode import Release
from kanon_tui.core.task.task import QuasiIdentifier


def attribute_ncp(cells: CellGroups) -> float:
    """Return the mean penalty of an attribute's cells, 0 (unchanged) to 1 (nothing left)."""
    return cells.total(penalties(cells), worst=1.0) / cells.attribute.column.records


def class_ncp(release: Release) -> float | None:
    """Return the NCP of the values that every class holds; None where these were not counted."""
    task = release.task
    if any(task.counted_levels):
        return None
    total = 0.0
    for x, each in enumerate(task.quasi):
        cells = CellGroups.of_classes(each, release.shown_classes(x), release.class_sizes)
        held = cells.values.distinct
        penalty = range_penalty(each, cells.width) if each.ordered else cover_penalty(each, held)
        total += each.weight * cells.total(penalty, worst=1.0) / each.column.records
    return total


def penalties(cells: CellGroups) -> Floats:
    """Return the penalty of every group's cells that are neither suppressed nor hidden."""
    if cells.attribute.ordered:
        return range_penalty(cells.attribute, cells.width)
    return cover_penalty(cells.attribute, cells.covered)


def range_penalty(attribute: QuasiIdentifier, width: Floats) -> Floats:
    """Return the penalty of ranges of numbers or dates, from largest minus smallest value."""
    return width / (attribute.domain_width or 1.0)


def cover_penalty(attribute: QuasiIdentifier, covered: npt.NDArray[np.integer]) -> Floats:
    """Return the penalty of labels and sets, from the number of values that they cover."""
    return np.where(covered > 1, covered / attribute.column.distinct, 0.0)
