"""Searches on the distinct rows of a table that is larger than memory.

A search of values treats equal records alike. So it works on the distinct combinations of codes,
each with its number of records, which are counted slice by slice. What it finds is then told of the
records: every one has the number of its row.

Rows stand in the order of their first records, so that a search meets them as it would meet the
records. At a level below which no search looks (pre-pruning), values are counted as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Int32s
from kanon_tui.core.pipeline.tuple_counts import (
    Packing,
    coarsest_codes,
    count_rows,
    find_rows,
    levels_to_count,
    sum_counts,
)
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers, Progress
from kanon_tui.core.project.sections import AlgorithmChoice
from kanon_tui.core.table.cell_codes import NumberArray, slices_of
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.parts import with_counted_rows
from kanon_tui.core.task.task import Grouping, Task

_ROWS = "rows"
_BYTES_PER_ROW = 200
"""Memory of a row besides its codes: words, copies, labels, and room to sort and search them."""


@dataclass(frozen=True, eq=False, repr=False)
class DistinctSearch:
    """A task over distinct rows, and the row of every record."""

    task: Task
    row_of: Int32s

    def of_records(self, grouping: Grouping) -> Grouping:
        """Return the grouping of the records, given that of the rows."""
        return replace(grouping, labels=grouping.labels[self.row_of])


@dataclass(frozen=True, eq=False, repr=False)
class CodedRows:
    """Columns of codes whose rows are packed into words, a slice at a time."""

    columns: Sequence[Column]
    merged: Sequence[Int32s | None]
    """Per column, the code that each code counts as; None: as itself."""
    packing: Packing

    def words(self, records: slice) -> pl.DataFrame:
        """Return the words of some records."""
        codes = []
        for column, merged in zip(self.columns, self.merged, strict=True):
            own_codes = column.codes[records]
            codes.append(own_codes if merged is None else merged[own_codes])
        return self.packing.pack_frame(codes)


def count_slice(rows: CodedRows, records: slice) -> dict[str, pl.DataFrame]:
    """Return the distinct rows of some records, packed, with their numbers of records."""
    return {_ROWS: count_rows(rows.words(records))}


def distinct_search(
    task: Task, choice: AlgorithmChoice, memory: MemoryLimit, progress: Progress | None = None
) -> DistinctSearch:
    """Return the task over the distinct rows of a task; refuse more rows than fit into memory."""
    task = replace(task, counted_levels=levels_to_count(task, choice))
    columns = [attribute.column for attribute in task.quasi]
    merged: list[Int32s | None] = [
        coarsest_codes(attribute, level) if level else None
        for attribute, level in zip(task.quasi, task.counted_levels, strict=True)
    ]
    required = {requirement.column.name: requirement.column for requirement in task.requirements}
    columns += required.values()
    merged += [None] * len(required)
    packing = Packing.for_sizes([len(column.values) for column in columns])
    rows = CodedRows(columns, merged, packing)
    values = {attribute.name: len(attribute.column.values) for attribute in task.quasi}
    bytes_each = _BYTES_PER_ROW + 24 * packing.words + 18 * len(columns)

    def check_room(counts: dict[str, pl.DataFrame]) -> None:
        memory.check_tuples(sum(map(len, counts.values())), bytes_each, values)

    workers = LocalWorkers()
    workers.begin("count tuples", progress)
    slices = [(records,) for records in slices_of(task.n)]
    distinct = sum_counts(workers.map(count_slice, rows, slices), check_room)[_ROWS]
    *words, copies = (column.to_numpy(writable=True) for column in distinct.iter_columns())
    codes = {column.name: packing.unpack(words, x) for x, column in enumerate(columns)}
    return DistinctSearch(with_counted_rows(task, codes, copies), _rows_of(rows, distinct, task))


def _rows_of(rows: CodedRows, distinct: pl.DataFrame, task: Task) -> Int32s:
    """Return the number of every record's row."""
    index = distinct.drop("records").with_row_index("row")
    numbers = NumberArray(task.table.spill, np.int32)
    for records in slices_of(task.n):
        numbers.append(find_rows(rows.words(records), index))
    return numbers.array().astype(np.int32, copy=False)
