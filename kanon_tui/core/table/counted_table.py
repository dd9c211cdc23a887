"""A table of which only the values are known, each with its number of records, counted by piece.

That is enough to guess roles, to build hierarchies and to bind rules: a project is prepared with it
by the same code as with a table in memory. Columns have no codes yet.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import Workers
from kanon_tui.core.table.cell_codes import CodedCells, Columns, complete_records, records_in
from kanon_tui.core.table.column import CHANGED, CodedValues, Column, code_values, first_unreadable
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Counts, Table
from kanon_tui.core.table.value_formats import Format


@dataclass(frozen=True, eq=False)
class PieceReader:
    """Reads the records of the pieces of a source."""

    source: Source
    complete: tuple[str, ...] = ()
    """Columns that must not be missing; records in which one is are left out."""
    missing_tokens: tuple[str, ...] = ()

    def blocks(self, piece: int, names: Iterable[str]) -> Iterator[tuple[Columns, int]]:
        """Yield columns of the records of a piece, and how many records were left out."""
        wanted = tuple(dict.fromkeys((*names, *self.complete)))
        for columns in self.source.columns_of(self.source.pieces[piece], wanted):
            kept = complete_records(columns, self.complete, self.missing_tokens)
            yield kept, records_in(columns) - records_in(kept)


@dataclass(frozen=True, eq=False)
class Counting:
    """The columns of a source to count."""

    reader: PieceReader
    names: tuple[str, ...]


def count_values(counting: Counting, piece: int) -> tuple[int, int, Counts]:
    """Return the number of records of one piece, of records left out, and the value counts."""
    records = dropped = 0
    counts: Counts = {}
    for kept, left_out in counting.reader.blocks(piece, counting.names):
        records += records_in(kept)
        dropped += left_out
        found = {
            name: pl.DataFrame({"value": kept[name].texts, "records": kept[name].records})
            for name in counting.names
        }
        counts = merge_counts([counts, found]) if counts else found
    return records, dropped, counts


def merge_counts(several: Iterable[Counts]) -> Counts:
    """Return the sum of the counts of several pieces."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for counts in several:
        for name, frame in counts.items():
            frames.setdefault(name, []).append(frame.cast({"records": pl.Int64}))
    return {
        name: parts[0]
        if len(parts) == 1
        else pl.concat(parts).group_by("value").agg(pl.col("records").sum())
        for name, parts in frames.items()
    }


@dataclass(frozen=True, eq=False, repr=False)
class Encoder:
    """A mapping from the texts of a column to codes."""

    name: str
    texts: pl.Series
    codes: Int32s
    """The code of every text."""
    size: int
    """The number of codes."""
    _kind: list[pl.Enum] = field(default_factory=list, repr=False)

    def __getstate__(self) -> dict[str, object]:
        """Return the state without the Polars type, which is quickly made again."""
        return {**self.__dict__, "_kind": []}

    def coded(self, columns: Columns) -> CodedCells:
        """Return the codes of the texts that occur in some records, and each record's place."""
        cells = columns[self.name]
        if not self._kind:
            self._kind.append(pl.Enum(self.texts))
        try:
            places = cells.texts.cast(self._kind[0]).to_physical().to_numpy()
        except pl.exceptions.PolarsError:
            raise InputError(CHANGED) from None
        return self.codes[places], cells.places


_MERGED_AT_A_TIME = 8


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedTable(Table):
    """A table with value counts instead of cells."""

    source: Source
    workers: Workers
    memory: MemoryLimit
    records: int = 0
    complete: tuple[str, ...] = ()
    _values: dict[str, CodedValues] = field(default_factory=dict, repr=False)

    @property
    def height(self) -> int:
        """The number of records."""
        return self.records

    @property
    def reader(self) -> PieceReader:
        """The reader of the records of its pieces."""
        return PieceReader(self.source, self.complete, self.missing_tokens)

    @property
    def uncounted_columns(self) -> frozenset[str]:
        """Columns whose values were not counted, such as identifiers: nearly one per person."""
        return frozenset(name for name in self.names if name not in self.counts)

    def count(self, names: Iterable[str]) -> None:
        """Count the values of those of these columns that are not counted yet."""
        wanted = tuple(name for name in names if name not in self.counts)
        if wanted:
            _, _, found = _count(self.reader, self.workers, self.memory, wanted)
            self.counts.update(found)

    def occurrences(self, name: str) -> pl.DataFrame:
        """Return every `value` of a column with the number of `records` that have it."""
        self._check_names([name])
        self.count([name])
        return self.counts[name]

    def present_values(self, name: str) -> tuple[pl.Series, int]:
        """Return the distinct values of a column that are not missing, and the number of cells."""
        self.occurrences(name)
        return super().present_values(name)

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
        kept = replace(self, complete=complete)
        records, dropped, counts = _count(kept.reader, self.workers, self.memory, complete)
        return replace(kept, records=records, counts=counts), dropped

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """Return one attribute with counted values and without codes."""
        counts = self.occurrences(name)

        def refuse(unreadable: pl.Series, format: Format) -> InputError:
            pieces = self.source.pieces
            frames = (frame for piece in pieces for frame in self.source.read(piece, [name]))
            cells = (frame[name] for frame in frames)
            return first_unreadable(cells, unreadable, format, self.row_of)

        coded = code_values(
            counts["value"].alias(name),
            kind,
            self.missing_tokens,
            format if kind.ordered else None,
            self.formats,
            refuse,
        )
        self._values[name] = coded
        return coded.column(np.empty(0, dtype=np.int32), counts)

    def encoder(self, name: str, codes: Sequence[int] | Int32s | None = None) -> Encoder:
        """Return the encoder of a column that was asked for; `codes` maps its codes to others."""
        coded = self._values[name]
        own = coded.codes if codes is None else np.asarray(codes, dtype=np.int32)[coded.codes]
        return Encoder(name, coded.texts, own, int(own.max(initial=-1)) + 1)

    def text_encoder(self, name: str) -> Encoder:
        """Return an encoder from the texts of a column to their ranks in the order of texts."""
        texts = self.occurrences(name)["value"].sort()
        return Encoder(name, texts, np.arange(len(texts), dtype=np.int32), len(texts))


def count_table(
    source: Source, workers: Workers, memory: MemoryLimit, names: Sequence[str]
) -> CountedTable:
    """Return the table of a source with the values of these columns counted."""
    records, _, counts = _count(PieceReader(source), workers, memory, tuple(names))
    return CountedTable.from_file(
        pl.DataFrame(schema=dict.fromkeys(source.names, pl.String)),
        source.facts,
        source.options,
        source=source,
        workers=workers,
        memory=memory,
        records=records,
        counts=counts,
    )


def _count(
    reader: PieceReader, workers: Workers, memory: MemoryLimit, names: tuple[str, ...]
) -> tuple[int, int, Counts]:
    """Return the number of records, of records left out, and the counts of these columns."""
    pieces = [(piece,) for piece in range(len(reader.source.pieces))]
    counted = workers.each(count_values, Counting(reader, names), pieces)
    return sum_counts(counted, memory.check_values)


def sum_counts(
    pieces: Iterable[tuple[int, int, Counts]], check: Callable[[Counts], object]
) -> tuple[int, int, Counts]:
    """Return the sum of what `count_values` found in pieces; `check` gets the counts so far."""
    records = dropped = 0
    whole: Counts = {}
    waiting: list[Counts] = []
    for more, fewer, found in pieces:
        records += more
        dropped += fewer
        waiting.append(found)
        if len(waiting) >= _MERGED_AT_A_TIME:
            whole, waiting = merge_counts([whole, *waiting]), []
            check(whole)
    whole = merge_counts([whole, *waiting])
    check(whole)
    return records, dropped, whole
