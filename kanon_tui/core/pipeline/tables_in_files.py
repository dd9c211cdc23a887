"""The input table and the release of a result, for analyses: in memory, or read from files again.

Analyses ask a table for the codes of some columns, some records at a time (`Table.coded_blocks`).
In memory that is all of them; of files it is one pass. Where all records are needed at once, a
sample is drawn.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.pipeline.pages import ReleasePages
from kanon_tui.core.pipeline.tuple_counts import counted_table, value_encoder
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.release.formulas import escape_formulas
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.cell_codes import Cells
from kanon_tui.core.table.column import CHANGED, CodedValues, Column, code_values
from kanon_tui.core.table.counted_table import CountedTable, Encoder
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.table.value_formats import Format
from kanon_tui.core.task.task import Task

MOST_DRAWN = 100_000
"""The largest sample of records, where all of them would be needed in memory."""
_FEW_ROWS = 100_000
_BYTES_PER_ROW = 100
"""Memory of a counted distinct row: its codes, its place and its number of records."""

Stop = Callable[[], bool]


def read_tables(result: FinishedRun, stop: Stop = lambda: False) -> tuple[Task, Table]:
    """Return the task of a result and its release: in memory, or reading their files again.

    `stop` ends a pass over files early.
    """
    if not result.in_files:
        return result.task, as_table(result.release.frame, result.task.table.missing_tokens)
    records = RecordsInFiles.from_result(result, stop)
    return replace(result.task, table=records), RowsInFiles.from_result(result, stop)


def draw_tables(result: FinishedRun, stop: Stop = lambda: False) -> tuple[Task, Table]:
    """Return task and release with records in memory: of files, `MOST_DRAWN` drawn by the seed."""
    task, rows = read_tables(result, stop)
    records = task.table
    if not (isinstance(records, RecordsInFiles) and isinstance(rows, RowsInFiles)):
        return task, rows
    release = Table(rows.drawn(MOST_DRAWN, task.seed), None, records.missing_tokens)
    return replace(task, table=records.drawn(MOST_DRAWN, task.seed)), release


def _chosen(height: int, most: int, seed: int) -> Int64s:
    """Return the numbers of the drawn records, rising."""
    if height <= most:
        return np.arange(height)
    chance = np.random.default_rng(seed)
    return np.sort(chance.choice(height, most, replace=False, shuffle=False))


def _of_frames(frames: Iterator[pl.DataFrame], chosen: Int64s) -> pl.DataFrame:
    """Return the chosen rows of consecutive frames."""
    parts, before = [], 0
    for frame in frames:
        begin, end = np.searchsorted(chosen, [before, before + frame.height])
        parts.append(frame[chosen[begin:end] - before])
        before += frame.height
    return pl.concat(parts)


def _check_rows(memory: MemoryLimit, distinct: int) -> None:
    if distinct > _FEW_ROWS:
        memory.check_fits(distinct * _BYTES_PER_ROW, f"looking at {distinct:,} distinct rows")


@dataclass(frozen=True, eq=False, repr=False)
class RecordsInFiles(CountedTable):
    """A counted table whose records are read again from its files."""

    stop: Stop = lambda: False
    sample: pl.DataFrame | None = None
    """The texts of a sample; columns then have its codes."""

    @classmethod
    def from_result(cls, result: FinishedRun, stop: Stop) -> Self:
        """Return the input records of a run; refuse files that have changed."""
        table = counted_table(result.task)
        if not table.source.unchanged:
            raise InputError("the data is not what was read any more; run again")
        known = {each.name: getattr(table, each.name) for each in fields(table) if each.init}
        return cls(
            **{**known, "workers": LocalWorkers(), "_values": dict(table._values), "stop": stop}
        )

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """Return an attribute with the values of all records and the codes of the sample."""
        column = super().column(name, kind, format)
        if self.sample is None:
            return column
        codes, places = self._encoder(column).coded(
            {name: Cells.from_series(self.sample[name], name)}
        )
        return replace(column, codes=codes[places])

    def coded_blocks(self, columns: Sequence[Column]) -> Iterator[tuple[Int32s, ...]]:
        """Yield the codes of columns, some records at a time."""
        if self.sample is not None:
            yield from super().coded_blocks(columns)
            return
        encoders, reader = list(map(self._encoder, columns)), self.reader
        names = [encoder.name for encoder in encoders]

        def code_piece(_: None, piece: int) -> list[tuple[Int32s, ...]]:
            return [
                tuple(codes[places] for codes, places in (each.coded(kept) for each in encoders))
                for kept, _ in reader.blocks(piece, names)
            ]

        pieces = [(piece,) for piece in range(len(self.source.pieces))]
        for blocks in LocalWorkers().each(code_piece, None, pieces):
            if self.stop():
                raise InputError("stopped")
            yield from blocks

    def rows_at(self, records: Int64s, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the records with these numbers."""
        return _of_frames(self._frames(), records).select(names)

    def check_rows(self, distinct: int) -> None:
        """Refuse a number of distinct rows that does not fit into memory."""
        _check_rows(self._memory_left, distinct)

    @cached_property
    def _memory_left(self) -> MemoryLimit:
        return replace(self.memory, held=0).with_held_memory()

    def drawn(self, most: int, seed: int) -> Self:
        """Return a sample of at most `most` records."""
        return replace(self, sample=_of_frames(self._frames(), _chosen(self.height, most, seed)))

    def _frames(self) -> Iterator[pl.DataFrame]:
        tokens = list(self.missing_tokens)
        names = [name for name in self.names if name in self.counts or name in self.complete]
        for piece in self.source.pieces:
            if self.stop():
                raise InputError("stopped")
            for frame in self.source.read(piece, names):
                missing = [frame[name].is_in(tokens) for name in self.complete]
                yield frame.filter(~pl.any_horizontal(missing)) if missing else frame

    def _encoder(self, column: Column) -> Encoder:
        """Return the encoder from texts to the codes of a column."""
        if column.coding is not None:
            return value_encoder(self, column)
        texts = self.occurrences(column.name)["value"]
        known = pl.DataFrame(
            {"text": column.values, "code": np.arange(len(column.values), dtype=np.int32)},
            schema={"text": pl.String, "code": pl.Int32},
        )
        codes = texts.alias("text").to_frame().join(known, on="text", how="left")["code"]
        if column.missing is not None:
            codes = codes.fill_null(column.missing)
        return Encoder(column.name, texts, codes.to_numpy().astype(np.int32), len(column.values))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RowsInFiles(Table):
    """The rows of a written release as a table, under the task's names of the columns."""

    result: FinishedRun
    stop: Stop = lambda: False

    @classmethod
    def from_result(cls, result: FinishedRun, stop: Stop) -> Self:
        """Return the rows of a written release."""
        task = result.task
        schema = dict.fromkeys(result.columns, pl.String)
        return cls(
            frame=pl.DataFrame(schema=schema),
            missing_tokens=task.table.missing_tokens,
            result=result,
            stop=stop,
        )

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.result.rows

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """Return a column with its possible texts and no codes, which `coded_blocks` reads."""
        return self._values(name).column(np.empty(0, dtype=np.int32))

    def coded_blocks(self, columns: Sequence[Column]) -> Iterator[tuple[Int32s, ...]]:
        """Yield the codes of columns, some rows at a time."""
        encoders = [self._encoder(column.name) for column in columns]
        for rows in self.frames():
            cells = {each.name: Cells.from_series(rows[each.name], each.name) for each in encoders}
            coded = (encoder.coded(cells) for encoder in encoders)
            yield tuple(codes[places] for codes, places in coded)

    def check_rows(self, distinct: int) -> None:
        """Refuse a number of distinct rows that does not fit into memory."""
        _check_rows(self._memory_left, distinct)

    @cached_property
    def _memory_left(self) -> MemoryLimit:
        memory = counted_table(self.result.task).memory
        return replace(memory, held=0).with_held_memory()

    def drawn(self, most: int, seed: int) -> pl.DataFrame:
        """Return a sample of at most `most` rows, formulas not escaped."""
        return self.rows_at(_chosen(self.height, most, seed), self.names)

    def rows_at(self, records: Int64s, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the rows with these numbers."""
        own = _of_frames(self.frames(), records).select(names)
        if self.result.task.output.formulas != "escape":
            return own
        return own.select(
            own[name].replace_strict(self._written(name), self._texts(name)).alias(name)
            for name in own.columns
        )

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the rows as they are written, some at a time."""
        for rows in ReleasePages(self.result).stretches():
            if self.stop():
                raise InputError("stopped")
            rows.columns = list(self.names)
            yield rows

    def _texts(self, name: str) -> pl.Series:
        """Return all texts that a column may have."""
        task = self.result.task
        for attribute, cells in zip(task.quasi, self.result.release.cells, strict=True):
            if attribute.name == name:
                hidden = () if HIDDEN in cells.texts else (HIDDEN,)
                return pl.Series(name, [*cells.texts, *hidden], dtype=pl.String)
        return task.table.occurrences(name)["value"].alias(name)

    def _written(self, name: str) -> pl.Series:
        """Return all texts that a column may have, as files have them."""
        texts = self._texts(name)
        if self.result.task.output.formulas != "escape":
            return texts
        return escape_formulas(texts.to_frame()).to_series()

    def _values(self, name: str) -> CodedValues:
        self._check_names([name])

        def refuse(unreadable: pl.Series, format: Format) -> InputError:
            return InputError(CHANGED)

        return code_values(
            self._texts(name), Kind.CATEGORICAL, self.missing_tokens, None, self.formats, refuse
        )

    def _encoder(self, name: str) -> Encoder:
        """Return the encoder from written texts to the codes of a column."""
        values = self._values(name)
        codes = values.codes_of(self._texts(name))
        return Encoder(name, self._written(name), codes, len(values.template.values))
