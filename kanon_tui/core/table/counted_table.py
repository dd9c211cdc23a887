"""A table of which only the values are known, each with its number of records, counted by piece.

That is enough to guess roles, to build hierarchies and to bind rules: a project is prepared with it
by the same code as with a table in memory. Columns have no codes; `coded_blocks` reads them again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import Job, Workers
from kanon_tui.core.table.cell_codes import records_in
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Counts, Encoder, Table
from kanon_tui.core.table.value_formats import Format

_MERGED_AT_A_TIME = 8
_FEW_ROWS = 100_000
_BYTES_PER_ROW = 100
"""Memory of a counted distinct row: its codes, its place and its number of records."""


def read_first_rows(shared: tuple[Source, Sequence[str], int], piece: int) -> pl.DataFrame:
    """Return some columns of the first records of a piece of a source, at most so many."""
    source, names, most = shared
    frames = [pl.DataFrame(schema=dict.fromkeys(names, pl.String))]
    rows = 0
    for frame in source.read(source.pieces[piece], names):
        frames.append(frame.head(most - rows))
        rows += frames[-1].height
        if rows >= most:
            break
    return pl.concat(frames)


def count_values(counted: tuple[Source, Sequence[str]], piece: int) -> tuple[int, Counts]:
    """Return the number of records of one piece of a source, and the values of its columns."""
    source, names = counted
    records = 0
    counts: Counts = {}
    for columns in source.columns_of(source.pieces[piece], names):
        records += records_in(columns)
        found = {
            name: pl.DataFrame({"value": columns[name].texts, "records": columns[name].records})
            for name in names
        }
        counts = merge_counts([counts, found]) if counts else found
    return records, counts


def count_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return distinct rows with their `records`, in the order of their first appearance."""
    return rows.group_by(rows.columns, maintain_order=True).agg(records=pl.len().cast(pl.Int64))


def merge_counts(several: Iterable[Counts]) -> Counts:
    """Return the sums of counted rows; these keep the order of their first appearance."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for counts in several:
        for name, frame in counts.items():
            frames.setdefault(name, []).append(frame.cast({"records": pl.Int64}))
    return {
        name: parts[0]
        if len(parts) == 1
        else pl.concat(parts)
        .group_by([key for key in parts[0].columns if key != "records"], maintain_order=True)
        .agg(pl.col("records").sum())
        for name, parts in frames.items()
    }


def sum_counts(
    pieces: Iterable[Counts], check: Callable[[Counts], object] = lambda _: None
) -> Counts:
    """Return the sum of what was counted in pieces; `check` gets the counts so far."""
    total: Counts = {}
    waiting: list[Counts] = []
    for found in pieces:
        waiting.append(found)
        if len(waiting) >= _MERGED_AT_A_TIME:
            total, waiting = merge_counts([total, *waiting]), []
            check(total)
    total = merge_counts([total, *waiting])
    check(total)
    return total


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedTable(Table):
    """A table with value counts instead of cells."""

    in_memory: ClassVar[bool] = False
    source: Source
    workers: Workers
    memory: MemoryLimit
    records: int = 0

    @property
    def height(self) -> int:
        """The number of records."""
        return self.records

    def each_piece(self, job: Job, shared: Any) -> Iterator[Any]:
        """Yield what a job of the workers returns for every piece."""
        return self.workers.map(job, shared, [(x,) for x in range(len(self.source.pieces))])

    def count(self, names: Iterable[str]) -> int:
        """Count the values of those of these columns that are not counted yet.

        Returns the number of records; 0 where all columns are counted.
        """
        wanted, records = tuple(name for name in names if name not in self.counts), 0

        def found() -> Iterator[Counts]:
            nonlocal records
            for more, counts in self.each_piece(count_values, (self.source, wanted)):
                records += more
                yield counts

        if wanted:
            self.counts.update(sum_counts(found(), self.memory.check_values))
        return records

    def counts_of(self, name: str) -> pl.DataFrame:
        """Return the values of a column with their records, counted where they are not yet."""
        self._check_names([name])
        self.count([name])
        return self.counts[name]

    def missing_cells(self) -> dict[str, int]:
        """Return the number of missing cells of each column."""
        self.count(self.names)
        return super().missing_cells()

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """Return the table without records in which one of these is missing, and their number."""
        complete = tuple(columns)
        self._check_names(complete)
        if not any(self.present_values(name)[1] < self.records for name in complete):
            return self, 0
        kept = replace(self, source=replace(self.source, complete=complete), counts={})
        kept = replace(kept, records=kept.count(complete))
        return kept, self.records - kept.records

    def _refuse(self, unreadable: pl.Series, format: Format) -> InputError:
        """Return the error for values that cannot be read, with the first row of one."""
        name = unreadable.name
        frames = chain.from_iterable(self.source.read(each, [name]) for each in self.source.pieces)
        return self._first_unreadable((frame[name] for frame in frames), unreadable, format)

    def encoder(self, column: Column) -> Encoder:
        """Return the encoder from texts to the codes of a column of this table."""
        size = len(column.values)
        if column.spellings is not None:
            return self.encoder(column.spellings.column).mapped(column.spellings.codes, size)
        if column.coding is not None:
            format = column.date_format or column.number_format
            original = self.column(column.name, column.kind, format)
            return self.encoder(original).mapped(column.coding.new_code, size)
        texts = self.occurrences(column.name)["value"]
        codes = texts.cast(pl.Enum(column.values), strict=False).to_physical().cast(pl.Int32)
        known = codes if column.missing is None else codes.fill_null(column.missing)
        return Encoder(column.name, texts, known.to_numpy(), size)

    def text_encoder(self, name: str) -> Encoder:
        """Return an encoder from the texts of a column to their ranks in the order of texts."""
        texts = self.occurrences(name)["value"].sort()
        return Encoder(name, texts, np.arange(len(texts), dtype=np.int32), len(texts))

    def coded_blocks(self, columns: Sequence[Column]) -> Iterator[tuple[Int32s, ...]]:
        """Yield the codes of columns, some records at a time."""
        encoders = list(map(self.encoder, columns))
        names = [encoder.name for encoder in encoders]

        def code_piece(source: Source, piece: int) -> list[tuple[Int32s, ...]]:
            blocks = source.columns_of(source.pieces[piece], names)
            return [tuple(encoder.encode(block) for encoder in encoders) for block in blocks]

        for blocks in self.each_piece(code_piece, self.source):
            yield from blocks

    def rows_at(self, records: Int64s, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the records with these numbers, which rise."""
        parts: list[pl.DataFrame] = []
        before = 0

        def read_piece(source: Source, piece: int) -> list[pl.DataFrame]:
            return list(source.read(source.pieces[piece], names))

        for frame in chain.from_iterable(self.each_piece(read_piece, self.source)):
            begin, end = np.searchsorted(records, [before, before + frame.height])
            parts.append(frame[records[begin:end] - before])
            before += frame.height
        return pl.concat(parts)

    def first_rows(self, most: int, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the first records, at most so many; later pieces are not read."""
        frames: list[pl.DataFrame] = []
        rows = 0
        for number in range(len(self.source.pieces)):
            shared = self.source, list(names), most - rows
            (frame,) = self.workers.map(read_first_rows, shared, [(number,)])
            frames.append(frame)
            rows += frame.height
            if rows >= most:
                break
        return pl.concat(frames)

    def check_rows(self, distinct: int) -> None:
        """Refuse a number of distinct rows that does not fit into memory."""
        if distinct > _FEW_ROWS:
            what = f"looking at {distinct:,} distinct rows"
            self._memory_left.check_fits(distinct * _BYTES_PER_ROW, what)

    @cached_property
    def _memory_left(self) -> MemoryLimit:
        return replace(self.memory, held=0).with_held_memory()

    @classmethod
    def from_source(
        cls, source: Source, workers: Workers, memory: MemoryLimit, **known: Any
    ) -> Self:
        """Return the table of a source, with the `records` and `counts` that are known."""
        frame = pl.DataFrame(schema=dict.fromkeys(source.names, pl.String))
        known |= {"source": source, "workers": workers, "memory": memory}
        return cls.from_file(frame, source.facts, source.options, **known)
