"""Values of long sets that few rows have.

A tree over clusters cannot tell where one of thousands of values is: almost every branch has some
that look like it. Of a rare value the rows that have it are listed instead. A search looks at their
clusters one by one, and in the tree it may then take for granted that nobody has the value. The
frequent values are few enough to have a bit each, or nearly.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.clustering.features import Distinct
from kanon_tui.core.kernels.box_arrays import CHAIN, KIND, SET
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.task.task import Task

__all__ = ["frequency_ranks", "rows_of_rare_values"]

MOST_ROWS = 64
"""A value that more distinct rows have is frequent."""


def frequency_ranks(codes: Int32s) -> tuple[Int64s, int]:
    """The rank of every value, the most frequent first, and how many values are frequent."""
    counts = np.bincount(codes)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank, int((counts > MOST_ROWS).sum())


def rows_of_rare_values(task: Task, facts: Int64s, distinct: Distinct) -> tuple[Int32s, Int32s]:
    """Per value of all sets where its distinct rows begin, and these rows.

    A frequent value has none, and so have all values of a set that is not long.
    """
    counts, rows = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for x, attribute in enumerate(task.quasi):
        if facts[x, KIND] != SET:
            continue
        codes = attribute.column.codes[distinct.first]
        held = np.bincount(codes, minlength=len(attribute.column.values))
        rare = (held <= MOST_ROWS) & (facts[x, CHAIN] >= 0)
        counts.append(np.where(rare, held, 0))
        order = np.argsort(codes, kind="stable")
        rows.append(order[rare[codes[order]]])
    return np.cumsum(np.concatenate(counts)).astype(np.int32), np.concatenate(rows).astype(np.int32)
