"""A data file or a frame becomes a `Table`: every cell a text, exactly as it stood."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.reading import usual_limit
from kanon_tui.core.table.coded_texts import CodedTexts, code_texts
from kanon_tui.core.table.column import MISSING_TOKENS, Column, code_column
from kanon_tui.core.table.csv_format import CsvFormat, Quoting, line_end_of, quoting_of
from kanon_tui.core.table.csv_text import parse_csv
from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.file_bytes import Compression, load, too_large
from kanon_tui.core.table.frames import (
    all_texts,
    check_size,
    check_width,
    column_names,
    from_pandas,
)
from kanon_tui.core.table.header import find_header
from kanon_tui.core.table.part_files import part_files
from kanon_tui.core.table.raw_columns import Contents, FileFormat
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.reader_registry import other_reader
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.sniffing import detect_dialect, first_records
from kanon_tui.core.table.text_series import FEW
from kanon_tui.core.table.value_formats import Format, ValueFormats

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FileFacts", "Table", "as_table", "in_order_of", "is_parquet", "like_first_part", "read_table",
    "table_of_contents", "table_of_text",
]  # fmt: skip

_SAMPLE = 100  # rows that tell whether the first one holds names
_BYTES_PER_CELL = 16  # of a text in a Polars column, besides its letters


@dataclass(frozen=True)
class FileFacts:
    """What a data file turned out to be; what is said of text is None for other formats."""

    format: FileFormat
    compression: Compression | None
    bytes: int
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    quote: str | None = None
    space_after_delimiter: bool | None = None
    line_end: str | None = None
    quoting: Quoting | None = None
    part: str | None = None  # the sheet or table that was read
    parts: tuple[str, ...] = ()  # all of the file

    @property
    def csv(self) -> CsvFormat | None:
        """How the file is written, where it is a text."""
        if self.delimiter is None or self.encoding is None:
            return None
        quote = self.quote if self.quote in ('"', "'") else '"'
        return CsvFormat(
            self.delimiter,
            self.encoding,
            self.line_end or "\n",
            quote,
            self.quoting or "necessary",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Records of texts; nothing is null, and a missing cell holds one of the missing tokens."""

    frame: pl.DataFrame
    facts: FileFacts | None = None
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    formats: ValueFormats = field(default_factory=ValueFormats)  # how numbers, dates are written
    kept: NDArray[np.int64] | None = None  # after `drop_missing`: where each record stood before
    # Coding a column takes a while on a large table, and screens ask for the same one again.
    _coded: dict[tuple[str, Kind, Format | None], Column] = field(
        init=False, repr=False, default_factory=dict
    )

    def __repr__(self) -> str:
        """Without a value: tracebacks, logs and notebooks show it."""
        return (
            f"<{type(self).__name__} of {self.height:,} records and {self.frame.width:,} columns>"
        )

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns, in file order; a frame makes them anew whenever it is asked."""
        return self.frame.columns

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of the columns, to look one up."""
        return frozenset(self.names)

    @property
    def height(self) -> int:
        """The number of records."""
        return self.frame.height

    def row_of(self, record: int) -> int:
        """The row of the file, as a spreadsheet numbers it, in which a record stands."""
        before = record if self.kept is None else int(self.kept[record])
        return before + (2 if self.facts and self.facts.header else 1)

    def texts(self, name: str) -> pl.Series:
        """The cells of a column; a packed table (`packed_table`) knows them by number."""
        return self.frame[name].cast(pl.String)

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """One attribute as codes; a category has no use for a format."""
        self._check_names([name])
        key = (name, kind, format if kind.ordered else None)
        if key not in self._coded:
            self._coded[key] = code_column(
                self.texts(name), kind, self.missing_tokens, key[2], self.formats, self.row_of
            )
        return self._coded[key]

    def coded_texts(self, name: str) -> CodedTexts:
        """The cells of a column as they stood; one that is an attribute is not looked at again."""
        for (known, _, _), column in self._coded.items():
            if known == name and column.tells_all(self.frame[name]):
                return CodedTexts(column.codes, pl.Series(column.values, dtype=pl.String))
        return code_texts(self.texts(name))

    def coded_blocks(self, columns: Sequence[Column]) -> Iterator[tuple[Int32s, ...]]:
        """The codes of some of its columns, some records at a time; in memory all at once."""
        yield tuple(column.codes for column in columns)

    def rows_at(self, records: NDArray[np.int64], names: Sequence[str]) -> pl.DataFrame:
        """Some columns of the records with these numbers, which rise."""
        return self.frame[records].select(names)

    def check_rows(self, distinct: int) -> None:
        """Refuse to count so many distinct rows; what is in memory has room for them."""

    @property
    def not_looked_at(self) -> frozenset[str]:
        """Columns whose values nobody may ask for without need: there could be too many."""
        return frozenset()

    def present_values(self, name: str) -> tuple[pl.Series, int]:
        """The distinct values of a column that are not missing, and how many cells have one."""
        texts, tokens = self.texts(name), list(self.missing_tokens)
        if texts.len() > FEW:
            distinct = texts.unique()
            present = texts.len() - int(texts.is_in(tokens).sum())
            return distinct.filter(~distinct.is_in(tokens)), present
        cells = [text for text in texts.to_list() if text not in tokens]
        return pl.Series(name, list(dict.fromkeys(cells)), dtype=pl.String), len(cells)

    def occurrences(self, name: str) -> pl.DataFrame:
        """Every `value` of a column with the number of `records` that have it."""
        return self.texts(name).alias("value").value_counts(name="records")

    def missing_cells(self) -> dict[str, int]:
        """How many cells of each column are missing."""
        counts = self.frame.cast(pl.String).select(pl.all().is_in(list(self.missing_tokens)).sum())
        return {name: int(count) for name, count in zip(self.names, counts.row(0), strict=True)}

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """The records in which none of these columns is missing, and how many were dropped."""
        columns = list(columns)
        self._check_names(columns)
        if not columns:
            return self, 0
        tokens = list(self.missing_tokens)
        cells = pl.DataFrame([self.texts(name) for name in columns])  # a name is no pattern
        complete = cells.select(~pl.any_horizontal(pl.all().is_in(tokens))).to_series()
        dropped = self.height - int(complete.sum())
        if not dropped:
            return self, 0
        places = np.arange(self.height) if self.kept is None else self.kept
        kept = places[complete.to_numpy()]
        return replace(self, frame=self.frame.filter(complete), kept=kept), dropped

    def _check_names(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.known:
                raise InputError(f"no column is called '{name}'; {suggestion(name, self.names)}")


# -------------------------------------------------------------------------------------- files
def read_table(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008
    """Read a file with a table; what kind it is its ending says. Text may be compressed.

    A folder or a pattern like `parts/*.parquet` is one table, its parts in the order of their
    names. All CSV parts are cut and named as the first one is.
    """
    first, *others = part_files(Path(path))
    if not others:
        return _read_file(first, options)
    return _read_parts((first, *others), options)


def _read_file(path: Path, options: ReadOptions) -> Table:
    reader = other_reader(path)
    if reader is not None:
        return table_of_contents(reader(path, options), options, path.name)
    data, compression, size = load(path, options.limit)
    if is_parquet(data, path):
        frame = all_texts(_parquet(data, path, options.limit), path.name)
        check_size(frame, path.name, "")
        return Table(
            frame,
            FileFacts("parquet", compression, size),
            options.missing_tokens,
            options.formats,
        )

    text, encoding = to_utf8(data, options.encoding, path.name)
    del data
    return table_of_text(
        text, options, path, FileFacts("csv", compression, size, encoding=encoding)
    )


def table_of_contents(contents: Contents, options: ReadOptions, who: str) -> Table:
    """The table in what a reader found; in a sheet the first row may hold the names."""
    check_width(len(contents.columns), who)
    header, names, columns = None, contents.names, contents.columns
    kept = None
    if names is None:
        columns, kept = _without_blanks(columns)
        if not columns:
            raise InputError(f"{who} has no records")
        sample = [list(row) for row in zip(*(c.head(_SAMPLE) for c in columns), strict=True)]
        found = find_header(sample, options.header, options.missing_tokens, who)
        header, names = found.first_record, found.names
        if header:
            columns, kept = [column.slice(1) for column in columns], kept[1:] - 1
    names = column_names(names, len(columns), who)
    frame = pl.DataFrame([c.alias(name) for c, name in zip(columns, names, strict=True)])
    check_size(frame, who, "")
    facts = FileFacts(contents.format, None, contents.bytes, header=header)
    facts = replace(facts, part=contents.part, parts=contents.parts)
    return Table(frame, facts, options.missing_tokens, options.formats, kept)


def _without_blanks(columns: list[pl.Series]) -> tuple[list[pl.Series], NDArray[np.int64]]:
    """Columns and rows of a sheet that hold something, and where each row stood."""
    columns = [column for column in columns if (column != "").any()]
    filled = np.zeros(len(columns[0]) if columns else 0, dtype=bool)
    for column in columns:
        filled |= (column != "").to_numpy()
    return [column.filter(pl.Series(filled)) for column in columns], np.flatnonzero(filled)


def _read_parts(paths: Sequence[Path], options: ReadOptions) -> Table:
    allowed = usual_limit() if options.limit == "auto" else options.limit
    if sum(_size(path) for path in paths) > allowed:
        raise too_large(paths[0].parent, allowed, options.limit == "auto")
    if any(path.suffix.lower() == ".parquet" for path in paths):
        return _read_parquet_parts(paths, options)
    first = _read_file(paths[0], options)
    like_first = like_first_part(options, first)
    tables = [first, *(_read_file(path, like_first) for path in paths[1:])]
    frames = [
        in_order_of(first.names, table.frame, path, paths[0])
        for table, path in zip(tables, paths, strict=True)
    ]
    assert first.facts is not None
    size = sum(table.facts.bytes for table in tables if table.facts is not None)
    return replace(first, frame=pl.concat(frames), facts=replace(first.facts, bytes=size))


def _read_parquet_parts(paths: Sequence[Path], options: ReadOptions) -> Table:
    frames: list[pl.DataFrame] = []
    for path in paths:
        data, _, _ = load(path, options.limit)
        frame = _parquet(data, path, options.limit)
        frames.append(in_order_of(frames[0].columns if frames else None, frame, path, paths[0]))
    who = paths[0].parent.name
    if all(frame.schema == frames[0].schema for frame in frames):
        frame = all_texts(pl.concat(frames), who)
    else:
        frame = pl.concat([all_texts(f, p.name) for f, p in zip(frames, paths, strict=True)])
    check_size(frame, who, "")
    facts = FileFacts("parquet", None, sum(map(_size, paths)))
    return Table(frame, facts, options.missing_tokens, options.formats)


def like_first_part(options: ReadOptions, first: Table) -> ReadOptions:
    """How the other parts of a table are read: cut and named as the first one is."""
    facts = first.facts
    assert facts is not None
    return replace(
        options,
        delimiter=facts.delimiter or "auto",
        quote=facts.quote or "auto",
        space_after_delimiter=bool(facts.space_after_delimiter),
        header=True if facts.header else tuple(first.names),
    )


def in_order_of(
    names: Sequence[str] | None, part: pl.DataFrame, path: Path, first: Path
) -> pl.DataFrame:
    """A part with its columns in the order of the first one's, which are the same."""
    if names is None or part.columns == list(names):
        return part
    if set(part.columns) != set(names):
        more = [name for name in part.columns if name not in set(names)]
        less = [name for name in names if name not in set(part.columns)]
        differs = f"has a column '{more[0]}' that" if more else f"has no column '{less[0]}', which"
        has = "does not have" if more else "has"
        raise InputError(
            f"{path.name} {differs} {first.name} {has}; all parts of a table have the same columns"
        )
    return pl.DataFrame([part[name] for name in names])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it will say what is amiss


def is_parquet(data: bytes, path: Path) -> bool:
    """Whether the content of a file is Parquet, or should be by its name."""
    return data.startswith(b"PAR1") or path.suffix.lower() == ".parquet"


def table_of_text(text: bytes, options: ReadOptions, path: Path, facts: FileFacts) -> Table:
    """The table in a text; `facts` are what is known of the file so far."""
    dialect = detect_dialect(
        text, options.delimiter, options.quote, options.space_after_delimiter, path.name
    )
    sample = first_records(text, dialect)
    if not sample:
        raise InputError(f"{path.name} holds only blank lines; it needs at least one record")
    check_width(len(sample[0]), path.name)
    header = find_header(sample, options.header, options.missing_tokens, path.name)
    line_end, quoting = line_end_of(text), quoting_of(text, dialect)
    cells = parse_csv(text, dialect, len(header.names), path.name, header.one_short)
    del text
    frame = cells.slice(1) if header.first_record else cells
    frame.columns = header.names
    check_size(frame, path.name, " below its header; if the first row is data, set header: false")
    facts = replace(
        facts,
        format="tsv" if dialect.delimiter == "\t" else "csv",
        delimiter=dialect.delimiter,
        header=header.first_record,
        quote=dialect.quote or "none",
        space_after_delimiter=dialect.spaces,
        line_end=line_end,
        quoting=quoting,
    )
    formats = replace(options.formats, points_may_group=dialect.delimiter == ";")
    return Table(frame, facts, options.missing_tokens, formats)


def _parquet(data: bytes, path: Path, limit: int | Literal["auto"]) -> pl.DataFrame:
    """All columns; a few bytes can stand for billions of cells, so these are counted first."""
    allowed = usual_limit() if limit == "auto" else limit
    try:
        file = pl.scan_parquet(io.BytesIO(data))
        width = len(file.collect_schema())
        check_width(width, path.name)
        cells = width * int(file.select(pl.len()).collect().item())
        if cells * _BYTES_PER_CELL > allowed:
            raise too_large(path, allowed, limit == "auto")
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise InputError(
            f"{path.name} is not a readable Parquet file; get a whole copy, or rename it if it is "
            "CSV"
        ) from None


# ------------------------------------------------------------------------------------- frames
def as_table(
    data: pl.DataFrame | pd.DataFrame | Table, missing_tokens: Sequence[str] | None = None
) -> Table:
    """A table from a Polars or pandas frame; null and NaN become the empty text."""
    if isinstance(data, Table):
        tokens = data.missing_tokens if missing_tokens is None else tuple(missing_tokens)
        return replace(data, missing_tokens=tokens)
    if not isinstance(data, pl.DataFrame):
        data = from_pandas(data)
    frame = all_texts(data, "the frame")
    check_size(frame, "the frame", "")
    return Table(frame, None, MISSING_TOKENS if missing_tokens is None else tuple(missing_tokens))
