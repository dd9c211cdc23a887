"""Which records may share a class without a value generalised beyond its MAGVal.

Two records can exactly when their MAGVals agree on every quasi-identifier (CKA, section 3).
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.clustering.features import Distinct, collapse
from kanon_tui.core.task.task import Task

__all__ = ["group_by_magvals", "magvals_of"]


def magvals_of(task: Task, record: int) -> str:
    """The MAGVals of a record where there are marks: `location California, age 20-39`."""
    texts = []
    for attribute in task.quasi:
        if attribute.hierarchy.marks:
            code = attribute.column.codes[record]
            label = attribute.hierarchy.paths[code][attribute.hierarchy.mark_levels[code]]
            texts.append(f"{attribute.name} {label}")
    return ", ".join(texts) or "anything"


def group_by_magvals(task: Task) -> Distinct:
    """The records collapsed by the vector of their MAGVals."""
    columns = [np.zeros(task.n, dtype=np.int32)]
    for attribute in task.quasi:
        hierarchy = attribute.hierarchy
        codes = np.arange(len(attribute.column.values))
        node = np.array(hierarchy.maps)[hierarchy.mark_levels, codes]
        magval = hierarchy.mark_levels * len(codes) + node
        _, number = np.unique(magval, return_inverse=True)
        columns.append(number[attribute.column.codes])
    return collapse(columns)
