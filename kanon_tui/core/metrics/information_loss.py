"""How far published cells have moved from the input: Byun's IL, ILoss, precision, changed cells.

Reference: Byun et al., efficient k-anonymization using clustering techniques (definitions of IL);
Xiao and Tao, personalized privacy preservation (ILoss); Sweeney, achieving k-anonymity by
generalization and suppression (precision, minimal distortion).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Column


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
    return 1.0 - sum(climbed) / len(climbed)


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
    held = groups.values
    return int(held.records[printed[held.group] == held.code].sum())


def changed(release: Release, x: int) -> npt.NDArray[np.bool_]:
    """Return per record whether its cell of quasi-identifier number x has changed."""
    column, cells = release.task.quasi[x].column, release.cells[x]
    printed = np.append(_values_printed(column, cells.texts), -1)
    return np.asarray(printed[cells.codes] != column.codes, dtype=bool)


def _values_printed(column: Column, texts: Sequence[str]) -> Int64s:
    """Return per text the code of its value; -1 where it stands for several."""
    code_of = {text: code for text, code in column.code_of.items() if text not in column.coded_ends}
    return np.array([code_of.get(text, -1) for text in texts], dtype=np.int64)
