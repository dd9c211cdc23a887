"""Which records may share a class without a value generalised beyond its MAGVal.

Two records can exactly when their MAGVals agree on every quasi-identifier (CKA, section 3). For a
largest width (`max_width`) the line of values is divided into stretches of that width, from the
smallest value on, and the stretch of a number takes the place of its MAGVal: the hierarchy is built
from the data, as the paper leaves for later.
"""

import numpy as np

from kanon_tui.core.clustering.features import Distinct, collapse
from kanon_tui.core.numeric import TIE, Int32s
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import Note, note


def group_by_magvals(task: Task) -> Distinct:
    """Return the records collapsed by the vector of their MAGVals."""
    columns = [np.zeros(task.n, dtype=np.int32)]
    for attribute in task.quasi:
        limits = limits_of(attribute)
        if limits is not None:
            columns.append(limits[attribute.column.codes])
    return collapse(columns)


def small_groups_note(task: Task, suppressed: int) -> tuple[Note, ...]:
    """Return the note on the records in groups with fewer than k."""
    if not suppressed:
        return ()
    suppressed_note = note(
        "records suppressed because fewer than {k:,} records share their MAGVals: {suppressed:,}",
        k=task.k,
        suppressed=suppressed,
    )
    return (suppressed_note,)


def limits_of(attribute: QuasiIdentifier) -> Int32s | None:
    """Return per value a number for its MAGVal and width limit; None where there is none."""
    columns = []
    if attribute.hierarchy.marks:
        columns.append(_magval_of(attribute))
    if attribute.max_width is not None:
        columns.append(_stretches(attribute, attribute.max_width))
    return collapse(columns).number if columns else None


def _magval_of(attribute: QuasiIdentifier) -> Int32s:
    """Return per value the number of its MAGVal."""
    hierarchy = attribute.hierarchy
    codes = np.arange(len(attribute.column.values))
    node = np.array(hierarchy.maps)[hierarchy.mark_levels, codes]
    magval = hierarchy.mark_levels * len(codes) + node
    return np.asarray(np.unique(magval, return_inverse=True)[1], dtype=np.int32)


def _stretches(attribute: QuasiIdentifier, width: float) -> Int32s:
    """Return per value the stretch of the line it lies in: each begins at the first value left."""
    numbers = attribute.column.value_numbers
    stretch = np.zeros(len(numbers), dtype=np.int32)
    begin = -np.inf
    number = -1
    for code in np.argsort(numbers, kind="stable").tolist():  # missing comes last
        if np.isnan(numbers[code]) or numbers[code] > begin + width + TIE:
            begin = float(numbers[code])
            number = number + 1
        stretch[code] = number
    return stretch
