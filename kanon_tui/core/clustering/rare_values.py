"""Values that few rows have, of categories with more values than a word has bits.

A tree cannot tell where one of thousands of values is: almost every branch has some that look like
it. Of a rare value the rows that have it are listed instead. A search looks at them, or at their
clusters, one by one, and in the tree it may then take for granted that nobody has the value. The
frequent values are few enough to have a bit each, or nearly.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kanon_tui.core.kernels.box_arrays import WORD_BITS
from kanon_tui.core.numeric import Int32s, Int64s

__all__ = ["frequency_ranks", "rows_of_rare_labels", "rows_of_rare_values"]

MOST_ROWS = 64
"""A value that more rows have is frequent."""


def frequency_ranks(codes: Int32s) -> tuple[Int64s, int]:
    """The rank of every value, the most frequent first, and how many values are frequent."""
    counts = np.bincount(codes)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank, int((counts > MOST_ROWS).sum())


def rows_of_rare_values(columns: Iterable[tuple[Int32s, int]]) -> tuple[Int32s, Int32s]:
    """Per value of all columns where its rows begin, and these rows.

    A column is the value of every row and how many values there are. A frequent value has no rows,
    and so have all values of a column whose values have a bit each.
    """
    counts, rows = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for codes, values in columns:
        held = np.bincount(codes, minlength=values)
        rare = (held <= MOST_ROWS) & (values > WORD_BITS)
        counts.append(np.where(rare, held, 0))
        if rare.any():
            order = np.argsort(codes, kind="stable")
            rows.append(order[rare[codes[order]]])
    return np.cumsum(np.concatenate(counts)).astype(np.int32), np.concatenate(rows).astype(np.int32)


def rows_of_rare_labels(labels: Int32s) -> tuple[Int32s, Int32s, Int32s]:
    """The same of a table of labels, and before it where the labels of each column begin."""
    counts = [int(column.max()) + 1 for column in labels.T]
    begins = np.cumsum([0, *counts]).astype(np.int32)
    return begins, *rows_of_rare_values(zip(labels.T, counts, strict=True))
