"""How far published cells have moved from the input: Byun's IL, ILoss, precision, changed cells.

Reference: Byun et al., efficient k-anonymization using clustering techniques (definitions of IL);
Xiao and Tao, personalized privacy preservation (ILoss); Sweeney, achieving k-anonymity by
generalization and suppression (precision, minimal distortion).

Normalised certainty penalty: how much of an attribute's range a published cell leaves open.

A number or date counts (max − min of its group) / (max − min of the attribute), a category 0 when
its cell covers one value and else values covered / distinct values; a suppressed or hidden cell
counts 1. Per attribute that is averaged over all records of the table; the total weighs attributes.

The missing value alone says all there is to say and counts 0. A domain given wider than the data
is the denominator; where it has no width every range counts 0.

`class_ncp` is the literal reading of the thesis: a class counts the values that its records hold,
whatever the label covers and however many classes print it. In a full-domain release it is lower.

Reference: Xu et al., utility-based anonymization (2006); SBC equations 2-3 and 2-4, table 2-13.

Metrics of the sizes of classes and of the records that share one.

Reference: Bayardo and Agrawal, data privacy through optimal k-anonymization (discernibility);
Iyengar, transforming data to satisfy privacy constraints, as used by Byun (classification metric);
LeFevre et al., Mondrian (average class size).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import Floats, Int64s, sum_in_order
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.task import QuasiIdentifier


def attribute_il(cells: CellGroups) -> float:
    """Return the information loss of one attribute, summed over records.

    A number or date loses (max − min) / domain width, a category height(lca) / height(hierarchy);
    for a level's label that is the lowest common ancestor of the data's values under it. A hidden
    or suppressed cell loses 1, so that a suppressed record adds the number of quasi-identifiers.
    """
    return cells.total(il_penalties(cells), worst=1.0)


def il_penalties(cells: CellGroups) -> Floats:
    """Return the loss of every group's cells that are neither suppressed nor hidden."""
    attribute = cells.attribute
    if attribute.ordered:
        return cells.width / (attribute.domain_width or 1.0)
    return np.asarray(cells.height / (attribute.hierarchy.height or 1), dtype=np.float64)


def cover_losses(cells: CellGroups) -> Floats:
    """Return (values covered − 1) / (distinct values − 1) of every group's label."""
    return (cells.covered - 1) / max(cells.attribute.column.distinct - 1, 1)


def iloss(cells: Sequence[CellGroups]) -> float:
    """Return the mean over all cells of (values covered − 1) / distinct values."""
    lost = 0.0
    for attribute_cells in cells:
        column = attribute_cells.attribute.column
        distinct = column.distinct
        share = attribute_cells.total(
            (attribute_cells.covered - 1) / distinct, worst=(distinct - 1) / distinct
        )
        lost += share / column.records
    return lost / len(cells)


def precision(release: Release) -> float | None:
    """Return 1 − mean over attributes of level / height; None unless full-domain."""
    levels = release.grouping.levels
    if levels is None:
        return None
    climbed = [
        level / (attribute.hierarchy.height or 1)
        for attribute, level in zip(release.task.quasi, levels, strict=True)
    ]
    return 1.0 - sum_in_order(climbed) / len(climbed)


def changed_cells(release: Release, cells: Sequence[CellGroups]) -> int:
    """Return the minimal distortion: the number of quasi-identifier cells that have changed.

    All cells of a suppressed record have changed.
    """
    if release.grouping.suppressed_cells is not None:
        return sum(release.task.records_in(changed(release, x)) for x in range(len(cells)))
    return sum(release.task.n - _unchanged(release, x, groups) for x, groups in enumerate(cells))


def _unchanged(release: Release, x: int, groups: CellGroups) -> int:
    """Return how many records print their own value."""
    if groups.level is None:
        printed = _values_printed(groups.attribute.column, release.cells[x].texts)
        printed = printed[release.class_cells(x)]
    else:
        labels = groups.attribute.hierarchy.labels[groups.level]
        printed = _values_printed(groups.attribute.column, labels)
    values = groups.values
    return int(values.records[printed[values.group] == values.code].sum())


def changed(release: Release, x: int) -> npt.NDArray[np.bool_]:
    """Return per record whether its cell of quasi-identifier number x has changed."""
    column = release.task.quasi[x].column
    cells = release.cells[x]
    printed = np.append(_values_printed(column, cells.texts), -1)
    return np.asarray(printed[cells.codes] != column.codes, dtype=bool)


def _values_printed(column: Column, texts: Sequence[str]) -> Int64s:
    """Return per text the code of its value; -1 where it stands for several."""
    code_of = {text: code for text, code in column.code_of.items() if text not in column.coded_ends}
    return np.array([code_of.get(text, -1) for text in texts], dtype=np.int64)


def attribute_ncp(cells: CellGroups) -> float:
    """Return the mean penalty of an attribute's cells, 0 (unchanged) to 1 (nothing left)."""
    return cells.total(penalties(cells), worst=1.0) / cells.attribute.column.records


def class_ncp(release: Release) -> float | None:
    """Return the NCP of the values that every class holds; None where these were not counted."""
    task = release.task
    if any(task.counted_levels):
        return None
    total = 0.0
    for x, attribute in enumerate(task.quasi):
        cells = CellGroups.of_classes(attribute, release.shown_classes(x), release.class_sizes)
        values = cells.values.distinct
        penalty = (
            range_penalty(attribute, cells.width)
            if attribute.ordered
            else cover_penalty(attribute, values)
        )
        total += attribute.weight * cells.total(penalty, worst=1.0) / attribute.column.records
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


def discernibility(release: Release) -> int:
    """Return Σ|E|² + n · suppressed records."""
    sizes = release.class_sizes.astype(np.int64)
    return int(sizes @ sizes) + release.task.n * release.suppressed_records


def classification_metric(release: Release, labels: Column) -> float:
    """Return the share of records that are suppressed or not of their class's majority label."""
    in_majority = 0
    for values in release.value_blocks(labels, published=False):
        _, majority = values.ends(values.records)
        in_majority += int(majority.sum())
    return 1.0 - in_majority / release.task.n


def average_class_size(release: Release) -> float:
    """Return (n / classes) / k: 1 when every class has k records; 0 without any class."""
    classes = len(release.class_sizes)
    return release.task.n / classes / release.task.k if classes else 0.0


def distinct_published(release: Release) -> int:
    """Return the number of distinct quasi-identifier rows of the published table.

    That is the number of classes, and one more where suppressed records are published as `*` and
    no class prints the same.
    """
    classes = len(release.class_sizes)
    if release.task.output.suppressed != "star" or not release.suppressed.any():
        return classes
    every_hidden = np.ones(release.task.rows, dtype=bool)
    for cells in release.cells:
        stars = np.array([*(text == HIDDEN for text in cells.texts), False])
        every_hidden &= stars[cells.codes]
    return classes + (not every_hidden.any())
