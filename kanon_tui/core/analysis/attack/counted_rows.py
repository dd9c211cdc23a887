"""The distinct rows of a table by some of its columns, counted some records at a time.

    counted = counted_rows(table, columns, beside)
    counted.rows.sizes             # records of every distinct row
    counted.ends["disease"]        # per row the smallest and the largest code of a column beside

What is kept grows with the distinct rows, not with the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.attack.matching import DistinctRows
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.distinct_values import CountedColumn
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex

__all__ = ["CountedRows", "counted_rows"]


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Distinct rows, and what columns beside them have there."""

    rows: DistinctRows
    ends: Mapping[str, tuple[Int64s, Int64s]]
    """By column beside: per row the smallest and the largest of its codes."""


def counted_rows(
    table: Table, columns: Sequence[Column], beside: Sequence[Column] = ()
) -> CountedRows:
    """Count the distinct rows of these columns; one `beside` may be counted in values."""
    packing = Packing.of([len(column.values) for column in columns])
    index = TupleIndex(packing.words)
    sizes = np.zeros(0, dtype=np.int64)
    most = {column.name: len(column.values) for column in beside}
    ends = {name: (np.zeros(0, np.int64), np.zeros(0, np.int64)) for name in most}
    row_of: list[Int32s] = []
    spelt = [_spelt(column) for column in beside]
    for block in table.coded_blocks([*columns, *spelt]):
        own = block[: len(columns)]
        places = index.add(packing.pack(own))
        table.check_rows(len(index))
        sizes = _grown(sizes, len(index), 0)
        sizes += np.bincount(places, minlength=len(index))
        for column, codes in zip(beside, block[len(columns) :], strict=True):
            if isinstance(column, CountedColumn):
                codes = np.array(column.counted, dtype=np.int32)[codes]
            low, high = ends[column.name]
            low, high = _grown(low, len(index), most[column.name]), _grown(high, len(index), -1)
            np.minimum.at(low, places, codes)
            np.maximum.at(high, places, codes)
            ends[column.name] = low, high
        if len(row_of) < 2:
            row_of.append(places)
    words = index.words()
    distinct = [packing.unpack(words, x) for x in range(len(columns))]
    rows = DistinctRows(
        np.column_stack(distinct).astype(np.int32),
        row_of[0] if len(row_of) == 1 else None,
        sizes,
    )
    return CountedRows(rows, ends)


def _spelt(column: Column) -> Column:
    """The column as it is spelt in the table."""
    if isinstance(column, CountedColumn) and column.spelt is not None:
        return column.spelt
    return column


def _grown(counts: Int64s, size: int, filled: int) -> Int64s:
    more = np.full(size - len(counts), filled, dtype=np.int64)
    return np.concatenate([counts, more])
