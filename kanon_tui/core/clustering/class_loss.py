"""What classes lose: their NCP while an algorithm is still at work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.ncp import penalties
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["class_loss"]


def class_loss(quasi: Sequence[QuasiIdentifier], classes: Int32s) -> float:
    """NCP of some classes of the same size (classes × records), summed over their records."""
    count, size = classes.shape
    class_of = np.repeat(np.arange(count), size)
    total = 0.0
    for attribute in quasi:
        values = GroupValues.from_records(class_of, attribute.column.codes[classes.ravel()], count)
        cells = CellGroups(attribute, None, np.full(count, size), values)
        total += attribute.weight * float(np.where(cells.hidden, 1.0, penalties(cells)).sum())
    return float(total * size)
