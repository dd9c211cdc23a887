"""What classes lose: their NCP while an algorithm is still at work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Int32s
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["class_loss"]


def class_loss(quasi: Sequence[QuasiIdentifier], classes: Int32s) -> float:
    """NCP of some classes of the same size (classes × records), summed over their records."""
    total = np.zeros(len(classes))
    for attribute in quasi:
        codes = np.sort(attribute.column.codes[classes], axis=1)
        if attribute.column.numbers is not None:
            low, high = attribute.column.numbers[codes[:, [0, -1]]].T
            width = (high - low) / (attribute.domain_width or 1.0)
            share = np.where(np.isnan(width), codes[:, 0] != codes[:, -1], width)
        else:
            covered = _covered(attribute, codes)
            share = np.where(covered > 1, covered / len(attribute.column.values), 0.0)
        total += attribute.weight * share
    return float(total.sum() * classes.shape[1])


def _covered(attribute: QuasiIdentifier, codes: Int32s) -> npt.NDArray[np.int64]:
    """How many values the published category of each class covers; codes are sorted per class."""
    if not attribute.hierarchy_given:
        return np.asarray(1 + (np.diff(codes, axis=1) > 0).sum(axis=1), dtype=np.int64)
    covered = np.zeros(len(codes), dtype=np.int64)
    for level in range(attribute.hierarchy.height, -1, -1):  # the lowest common ancestor is last
        labels = attribute.hierarchy.maps[level][codes]
        agree = (labels == labels[:, :1]).all(axis=1)
        covered[agree] = attribute.hierarchy.covered(level)[labels[agree, 0]]
    return covered
