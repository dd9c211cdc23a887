"""Records and classes in an order that does not depend on the order of the input.

Records of one *type* are alike in all that matters: quasi-identifiers, hidden cells, and the
attributes that something is required of. Types are sorted by their values, classes by the types of
their records, and records by type and class. Whatever goes by these orders gives the same classes
for the same table in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.task.steps import Grouping
from kanon_tui.core.task.task import Task

__all__ = ["RecordTypes"]


@dataclass(frozen=True, eq=False)
class RecordTypes:
    """The published records of a clustering, sorted."""

    records: Int64s
    """Sorted place → record of the table."""
    type_of: Int32s
    """Per place its type, rising."""
    class_of: Int32s
    """Per place its class."""
    first: Int64s
    """Per type a record of the table."""
    row: Int64s
    """Per type its combination of quasi-identifiers, rising."""

    @classmethod
    def of(cls, task: Task, grouping: Grouping) -> RecordTypes:
        """Sort the records that are published."""
        kept = np.flatnonzero(grouping.labels >= 0)
        quasi = [attribute.column.codes[kept] for attribute in task.quasi]
        also = [requirement.column.codes[kept] for requirement in task.requirements]
        if grouping.suppressed_cells is not None:
            also += list(grouping.suppressed_cells[kept].T.astype(np.int32))
        columns = [*quasi, *also]
        distinct = collapse(columns)
        first = distinct.first
        order = np.lexsort(np.array([column[first] for column in reversed(columns)]))
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        types, first = rank[distinct.number], first[order]
        new_row = np.zeros(len(first), dtype=np.int64)
        for column in quasi:
            new_row[1:] |= column[first][1:] != column[first][:-1]
        classes = _sorted_classes(grouping.labels[kept], types)
        by_type = np.lexsort((classes, types))
        return cls(kept[by_type], types[by_type], classes[by_type], kept[first], np.cumsum(new_row))


def _sorted_classes(labels: Int32s, types: Int32s) -> Int32s:
    """Classes numbered by the types of their records."""
    number = np.unique(labels, return_inverse=True)[1]
    by_class = np.lexsort((types, number))
    starts = np.searchsorted(number[by_class], np.arange(int(number.max(initial=-1)) + 2))
    sorted_types = types[by_class].astype(">i4")  # bytes in this order compare like the numbers
    bounds = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    keys = [sorted_types[begin:end].tobytes() for begin, end in bounds]
    rank = np.empty(len(keys), dtype=np.int32)
    rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys), dtype=np.int32)
    return rank[number]
