"""A data file or a frame becomes a `Table`: every cell a text, exactly as it stood in the file."""

from __future__ import annotations

import io
import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.table.column import MISSING_TOKENS, Column, code_column
from kanon_tui.core.table.csv_format import CsvFormat, Quoting, line_end_of, quoting_of
from kanon_tui.core.table.csv_text import parse_csv
from kanon_tui.core.table.data_files import (
    Compression,
    Limit,
    check_limit,
    is_compressed,
    load,
    part_files,
)
from kanon_tui.core.table.databases import read_database_file
from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.excel import read_workbook
from kanon_tui.core.table.file_kinds import (
    DATABASE_ENDINGS,
    EXCEL_ENDINGS,
    JSON_LINES_ENDINGS,
    STATISTICS_ENDINGS,
    Contents,
    FileFormat,
)
from kanon_tui.core.table.json_lines import read_json_lines
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.sniffing import (
    Dialect,
    Header,
    detect_dialect,
    find_header,
    first_records,
)
from kanon_tui.core.table.statistics_files import read_statistics_file
from kanon_tui.core.table.text_columns import FEW, CodedTexts, code_texts, coded_series
from kanon_tui.core.table.typed_columns import (
    all_texts,
    check_size,
    check_width,
    column_names,
    from_pandas,
)
from kanon_tui.core.table.value_formats import Format, ValueFormats

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FileFacts", "Table", "as_table", "describe_text", "in_order_of", "is_parquet",
    "like_first_part", "other_reader", "packed", "preview_table", "read_table",
    "table_of_contents", "table_of_text",
]  # fmt: skip

_SAMPLE = 100  # rows that tell whether the first one holds names
_BYTES_PER_CELL = 16  # of a text in a Polars column, without its letters


@dataclass(frozen=True)
class FileFacts:
    """Facts about a data file; those of a text are None for other formats."""

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
    parts: tuple[str, ...] = ()  # all sheets or tables of the file

    @property
    def csv(self) -> CsvFormat | None:
        """The format of the text, where the file is one."""
        if self.delimiter is None or self.encoding is None:
            return None
        quote = self.quote if self.quote in ('"', "'") else '"'
        line_end, quoting = self.line_end or "\n", self.quoting or "necessary"
        return CsvFormat(self.delimiter, self.encoding, line_end, quote, quoting)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Records of texts; no cell is null, and a missing one holds one of the missing tokens."""

    frame: pl.DataFrame
    facts: FileFacts | None = None
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    formats: ValueFormats = field(default_factory=ValueFormats)  # how numbers, dates are written
    kept: NDArray[np.int64] | None = None  # after `drop_missing`: where each record stood before
    # Coding a column of a large table takes a while, and screens ask for the same one repeatedly.
    _coded: dict[tuple[str, Kind, Format | None], Column] = field(
        init=False, repr=False, default_factory=dict
    )

    def __repr__(self) -> str:
        """Describe the table without a value: tracebacks, logs and notebooks show it."""
        return (
            f"<{type(self).__name__} of {self.height:,} records and {self.frame.width:,} columns>"
        )

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns in file order, kept since a frame makes the list each time."""
        return self.frame.columns

    @cached_property
    def known(self) -> frozenset[str]:
        """The set of the names of the columns."""
        return frozenset(self.names)

    @property
    def height(self) -> int:
        """The number of records."""
        return self.frame.height

    def row_of(self, record: int) -> int:
        """Return the row of the file, as a spreadsheet numbers it, in which a record stands."""
        before = record if self.kept is None else int(self.kept[record])
        return before + (2 if self.facts and self.facts.header else 1)

    def texts(self, name: str) -> pl.Series:
        """Return the cells of a column as texts, also of a packed table (`packed`)."""
        return self.frame[name].cast(pl.String)

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """Return one attribute as codes; the format of a category is ignored."""
        self._check_names([name])
        key = (name, kind, format if kind.ordered else None)
        if key not in self._coded:
            self._coded[key] = code_column(
                self.texts(name), kind, self.missing_tokens, key[2], self.formats, self.row_of
            )
        return self._coded[key]

    def coded_texts(self, name: str) -> CodedTexts:
        """Return the cells of a column coded as they stood; an attribute's codes are used again."""
        for (known, _, _), column in self._coded.items():
            if known == name and column.tells_all(self.frame[name]):
                return CodedTexts(column.codes, pl.Series(column.values, dtype=pl.String))
        return code_texts(self.texts(name))

    def coded_blocks(self, columns: Sequence[Column]) -> Iterator[tuple[Int32s, ...]]:
        """Yield the codes of these columns block by block; a table in memory is one block."""
        yield tuple(column.codes for column in columns)

    def rows_at(self, records: NDArray[np.int64], names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the records with these numbers, which rise."""
        return self.frame[records].select(names)

    def check_rows(self, distinct: int) -> None:
        """Refuse to count `distinct` distinct rows; a table in memory refuses none."""

    @property
    def uncounted_columns(self) -> frozenset[str]:
        """Columns whose values are not counted, since there could be too many."""
        return frozenset()

    def present_values(self, name: str) -> tuple[pl.Series, int]:
        """Return the distinct values of a column that are not missing, and the number of cells."""
        texts, tokens = self.texts(name), list(self.missing_tokens)
        if texts.len() > FEW:
            distinct = texts.unique()
            present = texts.len() - int(texts.is_in(tokens).sum())
            return distinct.filter(~distinct.is_in(tokens)), present
        cells = [text for text in texts.to_list() if text not in tokens]
        return pl.Series(name, list(dict.fromkeys(cells)), dtype=pl.String), len(cells)

    def occurrences(self, name: str) -> pl.DataFrame:
        """Return every `value` of a column with the number of `records` that have it."""
        return self.texts(name).alias("value").value_counts(name="records")

    def missing_cells(self) -> dict[str, int]:
        """Return the number of missing cells of each column."""
        counts = self.frame.cast(pl.String).select(pl.all().is_in(list(self.missing_tokens)).sum())
        return {name: int(count) for name, count in zip(self.names, counts.row(0), strict=True)}

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """Return the table without records in which one of these is missing, and their number."""
        columns = list(columns)
        self._check_names(columns)
        if not columns:
            return self, 0
        tokens = list(self.missing_tokens)
        # Not pl.col, which takes some names for patterns.
        cells = pl.DataFrame([self.texts(name) for name in columns])
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
    """Read a file with a table; its ending names the kind of file. Text may be compressed.

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
            frame, FileFacts("parquet", compression, size), options.missing_tokens, options.formats
        )

    text, encoding = to_utf8(data, options.encoding, path.name)
    del data
    return table_of_text(
        text, options, path, FileFacts("csv", compression, size, encoding=encoding)
    )


def table_of_contents(contents: Contents, options: ReadOptions, who: str) -> Table:
    """Return the table in a file's contents; the first row of a sheet may hold the names."""
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
    """Return the columns and rows of a sheet that are not blank, and where each row stood."""
    columns = [column for column in columns if (column != "").any()]
    filled = np.zeros(len(columns[0]) if columns else 0, dtype=bool)
    for column in columns:
        filled |= (column != "").to_numpy()
    return [column.filter(pl.Series(filled)) for column in columns], np.flatnonzero(filled)


def _read_parts(paths: Sequence[Path], options: ReadOptions) -> Table:
    check_limit(sum(map(_size, paths)), paths[0].parent, options.limit)
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
    """Return options that read other parts of a table with the dialect and names of the first."""
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
    """Return a part with its columns in the order of the first part's; refuse other columns."""
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
        return 0  # reading it raises the error


def is_parquet(data: bytes, path: Path) -> bool:
    """Return whether the content of a file is Parquet, or should be by its name."""
    return data.startswith(b"PAR1") or path.suffix.lower() == ".parquet"


def table_of_text(text: bytes, options: ReadOptions, path: Path, facts: FileFacts) -> Table:
    """Return the table in a text; `facts` are those of the file so far."""
    dialect = detect_dialect(
        text, options.delimiter, options.quote, options.space_after_delimiter, path.name
    )
    header, facts = describe_text(text, dialect, options, facts, path.name)
    cells = parse_csv(text, dialect, len(header.names), path.name, header.one_short)
    del text
    frame = cells.slice(1) if header.first_record else cells
    frame.columns = header.names
    check_size(frame, path.name, " below its header; if the first row is data, set header: false")
    formats = replace(options.formats, points_may_group=dialect.delimiter == ";")
    return Table(frame, facts, options.missing_tokens, formats)


def describe_text(
    text: bytes, dialect: Dialect, options: ReadOptions, facts: FileFacts, file: str
) -> tuple[Header, FileFacts]:
    """Return the header of a text and the facts about it, added to those known so far."""
    sample = first_records(text, dialect)
    if not sample:
        raise InputError(f"{file} holds only blank lines; it needs at least one record")
    check_width(len(sample[0]), file)
    header = find_header(sample, options.header, options.missing_tokens, file)
    return header, replace(
        facts,
        format="tsv" if dialect.delimiter == "\t" else "csv",
        delimiter=dialect.delimiter,
        header=header.first_record,
        quote=dialect.quote or "none",
        space_after_delimiter=dialect.spaces,
        line_end=line_end_of(text),
        quoting=quoting_of(text, dialect),
    )


def _parquet(data: bytes, path: Path, limit: Limit) -> pl.DataFrame:
    """Return all columns; count the cells first, as a few bytes can stand for billions of them."""
    try:
        file = pl.scan_parquet(io.BytesIO(data))
        width = len(file.collect_schema())
        check_width(width, path.name)
        cells = width * int(file.select(pl.len()).collect().item())
        check_limit(cells * _BYTES_PER_CELL, path, limit)
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
    """Return a table from a Polars or pandas frame; null and NaN become the empty text."""
    if isinstance(data, Table):
        tokens = data.missing_tokens if missing_tokens is None else tuple(missing_tokens)
        return replace(data, missing_tokens=tokens)
    if not isinstance(data, pl.DataFrame):
        data = from_pandas(data)
    frame = all_texts(data, "the frame")
    check_size(frame, "the frame", "")
    return Table(frame, None, MISSING_TOKENS if missing_tokens is None else tuple(missing_tokens))


Reader = Callable[[Path, ReadOptions], Contents]

_READERS: dict[str, Reader] = {
    **dict.fromkeys(EXCEL_ENDINGS, read_workbook),
    **dict.fromkeys(STATISTICS_ENDINGS, read_statistics_file),
    **dict.fromkeys(DATABASE_ENDINGS, read_database_file),
    **dict.fromkeys(JSON_LINES_ENDINGS, read_json_lines),
}


def other_reader(path: Path) -> Reader | None:
    """Return the reader for files of this name; None for text and Parquet.

    `people.jsonl.gz` is JSON lines: what is compressed is known by the ending before.
    """
    endings = [each.lower() for each in path.suffixes]
    if endings[-1:] in ([".gz"], [".zst"]):
        endings.pop()
    return _READERS.get(endings[-1]) if endings else None


def packed(table: Table) -> Table:
    """Return the table with its coded attributes as `pl.Enum` columns, which need less memory."""
    columns = {column.name: column for column in table.frame.iter_columns()}
    for (name, _, _), column in table._coded.items():
        if columns[name].dtype == pl.String and column.tells_all(columns[name]):
            values = coded_series(name, pl.Series(column.values, dtype=pl.String))
            columns[name] = values.gather(column.codes.view(np.uint32))
    found = replace(table, frame=pl.DataFrame(list(columns.values())))
    found._coded.update(table._coded)
    return found


PREVIEW_BYTES = 60_000
"""The most bytes of a text that are read for a preview."""
_PREVIEW_ROWS = 200
"""The most records of a Parquet file that are read for a preview."""


def preview_table(path: Path, options: ReadOptions) -> Table:
    """Return the first records of a file or its first part; errors are those of `read_table`."""
    path = part_files(path)[0]
    if other_reader(path) is not None:
        return read_table(path, options)
    data, size = _beginning(path)
    if is_parquet(data, path):
        return _first_rows(path, size, options)
    if size <= PREVIEW_BYTES:
        return read_table(path, options)
    compression = None
    if is_compressed(data):
        data, compression, size = load(path, options.limit)
    last_line_end = max(data.rfind(mark, 0, PREVIEW_BYTES) for mark in (b"\n", b"\r"))
    end = last_line_end + 1 or PREVIEW_BYTES
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) or "16" in options.encoding:
        end += end % 2  # two bytes per character
    text, encoding = to_utf8(data[:end], options.encoding, path.name)
    return table_of_text(
        text, options, path, FileFacts("csv", compression, size, encoding=encoding)
    )


def _beginning(path: Path) -> tuple[bytes, int]:
    """Return the first bytes and the size of an ordinary file; nothing of any other."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return b"", 0
        with open(path, "rb") as file:
            return file.read(PREVIEW_BYTES + 2), found.st_size
    except OSError:
        return b"", 0  # reading it raises the error


def _first_rows(path: Path, size: int, options: ReadOptions) -> Table:
    try:
        frame = pl.scan_parquet(path, glob=False).head(_PREVIEW_ROWS).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return read_table(path, options)  # raises the error
    facts = FileFacts("parquet", None, size)
    return Table(all_texts(frame, path.name), facts, options.missing_tokens, options.formats)
