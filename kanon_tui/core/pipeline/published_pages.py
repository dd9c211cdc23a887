"""What became of the records of a source, page by page: the rows that were written of them.

A row of a sorted release does not tell which record it was. The way back is not needed: a record
that is read is looked up among the combinations that the run has counted, and its row is made by
the same cells that were written and proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.pipeline.counted_prepare import tuple_encoder
from kanon_tui.core.pipeline.engine_choice import memory_limit
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.searched_pages import SearchedPages
from kanon_tui.core.pipeline.source_pages import FilePages
from kanon_tui.core.release.formulas import escape_formulas
from kanon_tui.core.table.cell_codes import Cells
from kanon_tui.core.table.counted_table import CountedTable
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex
from kanon_tui.core.table.value_counts import Encoder

__all__ = ["LEFT_OUT", "PublishedPages", "RowOfRecord"]

LEFT_OUT = "×"
"""In every cell of a record that is not in the release."""
_KEPT = 20
_BYTES_PER_TUPLE = 40


@dataclass(frozen=True, eq=False, repr=False)
class RowOfRecord:
    """Finds the counted row of every record."""

    result: StreamedResult
    encoders: tuple[Encoder, ...]
    packing: Packing
    index: TupleIndex
    first: Int64s
    """By place of a tuple one of its rows: where more is required of a release it has several."""

    @classmethod
    def of(cls, result: StreamedResult) -> RowOfRecord:
        """Counted rows to look up, where there is room for them."""
        task, table = result.task, result.task.table
        assert isinstance(table, CountedTable)
        assert result.project is not None
        memory = memory_limit(result.project).beside_what_is_held()
        memory.check_room(task.rows * _BYTES_PER_TUPLE, "looking records up")
        packing = Packing.of([len(attribute.column.values) for attribute in task.quasi])
        index, first = TupleIndex.of(packing.pack([each.column.codes for each in task.quasi]))
        encoders = tuple(tuple_encoder(table, task, x) for x in range(len(task.quasi)))
        return cls(result, encoders, packing, index, first)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that `find` looks at."""
        table = self.result.task.table
        assert isinstance(table, CountedTable)
        return tuple(dict.fromkeys((*(one.name for one in self.encoders), *table.complete)))

    def find(self, records: pl.DataFrame) -> tuple[Int64s, Flags]:
        """The row of every record; and which records have none, as something is missing."""
        table = self.result.task.table
        assert isinstance(table, CountedTable)
        tokens = list(table.missing_tokens)
        gone = np.zeros(records.height, dtype=bool)
        for name in table.complete:
            gone |= records[name].is_in(tokens).to_numpy()
        kept = records.filter(~gone)
        rows = np.zeros(records.height, dtype=np.int64)
        if kept.height:
            columns = {one.name: Cells.of(kept[one.name], one.name) for one in self.encoders}
            words = self.packing.pack_cells(
                kept.height, [encoder.coded(columns) for encoder in self.encoders]
            )
            rows[~gone] = self.first[self.index.find(words)]
        return rows, gone


class PublishedPages(SearchedPages):
    """The rows of records, in the order of these; those left out are marked in every cell."""

    def __init__(
        self,
        result: StreamedResult,
        before: FilePages,
        names: tuple[str, ...],
        rows: RowOfRecord | None = None,
    ) -> None:
        """`names` are those of the columns in the files; `rows` where they are known already."""
        super().__init__([before.height], before.size, _KEPT)
        self.names = names
        self._result, self._before = result, before
        self._rows = RowOfRecord.of(result) if rows is None else rows

    @cached_property
    def _texts(self) -> list[pl.Series]:
        """Per quasi-identifier what is printed, and at last what a suppressed record prints."""
        release = self._result.release
        return [pl.Series([*cells.texts, HIDDEN], dtype=pl.String) for cells in release.cells]

    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        if begin % self.size or end - begin > self.size:
            return self.of(self._before.read(begin, end))
        return self.of(self._before.page(self.page_of(begin)).head(end - begin))

    def of(self, records: pl.DataFrame) -> pl.DataFrame:
        """The rows of some records as they are written."""
        result, release = self._result, self._result.release
        rows, gone = self._rows.find(records)
        suppressed = release.suppressed[rows]
        place = {attribute.name: x for x, attribute in enumerate(result.task.quasi)}
        columns = []
        for name in result.columns:
            if name not in place:
                columns.append(records[name])
                continue
            cells = release.cells[place[name]]
            codes = np.where(suppressed, len(cells.texts), cells.of_group[cells.groups[rows]])
            columns.append(self._texts[place[name]].gather(codes).alias(name))
        frame = pl.DataFrame(columns)
        if result.task.output.formulas == "escape":
            frame = escape_formulas(frame)
        frame.columns = list(self.names)
        left_out = gone | suppressed if result.task.output.suppressed == "drop" else gone
        if left_out.any():
            mark = pl.Series(left_out)
            frame = frame.select(
                pl.when(mark).then(pl.lit(LEFT_OUT)).otherwise(pl.col(name)).alias(name)
                for name in frame.columns
            )
        return frame
