"""Reading a data file, a folder or a pattern: as a table in memory, or piece by piece.

Pieces depend on the files alone. Their texts equal those of `read_table`: CSV is sniffed and parsed
by the same code, Parquet is read as pieces in both cases. Files that cannot be read in pieces
(compressed text, encodings other than UTF-8) are refused with a remedy.
"""

import atexit
import io
import shutil
import tempfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from kanon_tui.core.addresses import address_file, address_name, is_address
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.processes.interruption import unfinished
from kanon_tui.core.processes.workers import call_bounded
from kanon_tui.core.table import csv_survey, data_files, typed_columns
from kanon_tui.core.table.atomic_files import writing_errors
from kanon_tui.core.table.cell_codes import Cells, Columns
from kanon_tui.core.table.csv_survey import Piece, in_order_of, like_first_part
from kanon_tui.core.table.csv_text import TextPart, parse_carefully, parse_regular
from kanon_tui.core.table.data_files import part_files, reading_errors
from kanon_tui.core.table.formats import (
    PARQUET,
    TEXT,
    Contents,
    FileFormat,
    first_bytes,
    format_of,
    look_at,
    packing_of,
)
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import find_header, to_utf8
from kanon_tui.core.table.table import FileFacts, Table
from kanon_tui.core.table.typed_columns import all_texts, column_names

PIECE_BYTES = 24_000_000
"""Bytes of a CSV piece, or a little more."""
PIECE_ROWS = 250_000
"""The most records of a Parquet piece."""
PIECE_CELLS = 2_500_000
"""The most cells of a Parquet piece."""
_SAMPLE = 100  # rows that tell whether the first one holds names
_BYTES_PER_CELL = 16  # of a text in a Polars column, without its letters
_EXPANSION = 4  # the memory of a table while it is read, in multiples of the size of its text
_MARK = 16  # bytes that tell a Parquet file
_SMALL = 32_000_000  # bytes of files that may be far larger than they look
_measured: dict[tuple[object, ...], int] = {}
"""Bytes of the texts of Parquet files, by limit, path, size and time of their last change."""


@dataclass(frozen=True)
class Source:
    """A table that is read piece by piece."""

    names: tuple[str, ...]
    pieces: tuple[Piece, ...]
    facts: FileFacts
    options: ReadOptions
    days: tuple[tuple[str, ...] | None, ...] = ()
    """Parquet: for each file the columns that are printed as days; None: judged piece by piece."""
    files: tuple[Path, ...] = ()
    contents: Mapping[Path, bytes] = field(default_factory=dict, repr=False)
    """Parquet: what compressed files hold."""

    @property
    def unchanged(self) -> bool:
        """Whether its files still have the size that they had."""
        try:
            return sum(file.stat().st_size for file in self.files) == self.facts.bytes
        except OSError:
            return False

    @property
    def records(self) -> int:
        """The number of records of its pieces; 0 where that is unknown before reading them."""
        if self.options.choosing or any(not piece.records for piece in self.pieces):
            return 0
        return sum(piece.records - piece.header for piece in self.pieces)

    def read(self, piece: Piece, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield the cells of a piece as texts, some records at a time; `names` picks columns."""
        for typed in self._frames(piece, self.names if names is None else names):
            yield self._texts(piece, typed)

    def columns_of(self, piece: Piece, names: Sequence[str]) -> Iterator[Columns]:
        """Yield the cells of a piece column by column, each with its distinct texts."""
        days = self._days_of(piece)
        for frame in self._frames(piece, tuple(dict.fromkeys(names))):
            cells = {
                column.name: Cells.from_series(column, piece.path.name, days) for column in frame
            }
            yield cells

    def _frames(self, piece: Piece, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield the records of a piece that are chosen; cells of Parquet files have their types."""
        choosing = self.options.choosing
        needed_names = tuple(dict.fromkeys((*names, *choosing)))
        with reading_errors(piece.path):
            parquet = piece.layout is None
            frames = iter([self._parquet(piece, needed_names)]) if parquet else self._csv(piece)
            for frame in frames:
                parts = iter([frame])
                if choosing:
                    rows = self.options.chosen_rows(frame, piece.path.name)
                    starts = range(0, len(rows), PIECE_ROWS)
                    parts = (frame[rows[start : start + PIECE_ROWS]] for start in starts)
                for part in parts:
                    yield part.select(part[name] for name in names)

    def _texts(self, piece: Piece, frame: pl.DataFrame) -> pl.DataFrame:
        """Return some cells of a piece as texts, which those of CSV files are."""
        if piece.layout is not None:
            return frame
        return all_texts(frame, piece.path.name, self._days_of(piece))

    def _csv(self, piece: Piece) -> Iterator[pl.DataFrame]:
        layout = piece.layout
        first = self.pieces[0].layout
        assert layout is not None
        assert first is not None
        with open(piece.path, "rb") as file:
            if layout.line_end is None:
                part = io.BufferedReader(TextPart(file, piece.begin, piece.end))
                parts = parse_carefully(part, layout, piece.path.name, piece.end)
            else:
                file.seek(piece.begin)
                text = file.read(piece.end - piece.begin)
                parts = iter([parse_regular(text, layout, piece.records)])
            for frame in parts:
                yield in_order_of(first.names, frame, piece.path, self.files[0])

    def _parquet(self, piece: Piece, names: Sequence[str]) -> pl.DataFrame:
        with _parquet_errors(piece.path):
            before = {new: old for old, new in self.options.rename.items()}
            columns = pl.selectors.by_name(*(before.get(name, name) for name in names))
            lazy = _scan(piece.path, self.contents).select(columns)
            frame = lazy.slice(piece.begin, piece.end - piece.begin).collect()
            frame.columns = list(names)
            return frame

    def _days_of(self, piece: Piece) -> tuple[str, ...] | None:
        """Return the columns of a piece's Parquet file that are printed as days; None of a text."""
        return None if piece.layout is not None else self.days[self.files.index(piece.path)]


@contextmanager
def _parquet_errors(path: Path) -> Iterator[None]:
    """Turn errors of reading a Parquet file into an `InputError` with one sentence."""
    try:
        with reading_errors(path):
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        if "No such file" in str(error):
            raise InputError(f"{path} does not exist; check the path") from None
        raise InputError(
            f"{path.name} is not a readable Parquet file; get a whole copy, or rename it if it is "
            "CSV"
        ) from None


def _scan(path: Path, contents: Mapping[Path, bytes]) -> pl.LazyFrame:
    if path in contents:
        return pl.scan_parquet(io.BytesIO(contents[path]))
    partitions = (folder.partition("=") for folder in path.parts[:-1])
    hive = {name: pl.String for name, sign, value in partitions if sign and name and value}
    return pl.scan_parquet(path, glob=False, hive_partitioning=bool(hive), hive_schema=hive or None)


def open_source(
    path: Path | str,
    options: ReadOptions = ReadOptions(),  # noqa: B008
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Source:
    """Return the source of files, or of a database at an address, cut into pieces.

    `on_bytes` gets the bytes looked at.
    """
    if isinstance(path, str) and is_address(path):
        return _open_address(path, options)
    files = part_files(Path(path))
    for file in files:
        format, packing = look_at(file)
        if not format.in_pieces or (format is PARQUET and packing is not None):
            raise _not_in_pieces(file.name)
    if is_parquet_source(files):
        return _open_parquet(files, options)
    return _open_csv(files, options, on_bytes)


def _open_address(address: str, options: ReadOptions) -> Source:
    """Return the source of a server's answer, asked once and kept until the program ends.

    The rows go through a cursor of the server into Parquet files for their owner alone, so that
    every pass sees the same ones and an answer larger than memory is no obstacle.
    """
    from kanon_tui.core.table.databases import answering

    if address_file(address) is not None:
        raise _not_in_pieces(address_name(address))
    top = Path(tempfile.mkdtemp(prefix="kanon-"))
    unfinished.add(top)
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    folder = top / address_name(address)
    folder.mkdir()
    files: list[Path] = []
    moments: set[str] = set()
    with (
        answering(address, options) as (answer_names, batches),
        writing_errors(folder, others=False),
    ):
        names = column_names(answer_names, len(answer_names), folder.name, options.rename)
        for rows in batches:
            cells = dict(zip(names, zip(*rows, strict=True), strict=True))
            moments |= {n for n, c in cells.items() if any(isinstance(x, datetime) for x in c)}
            texts = {
                name: typed_columns.printed_column(c, name, folder.name)
                for name, c in cells.items()
            }
            files.append(folder / f"{len(files):06}.parquet")
            pl.DataFrame(texts).write_parquet(files[-1])
    typed_columns.check_size(pl.DataFrame({"rows": files}), folder.name, "")
    for name in moments:
        days = typed_columns.without_clocks(pl.read_parquet(files, columns=[name]).to_series())
        for file in files:
            frame = pl.read_parquet(file)
            frame.with_columns(days.head(frame.height)).write_parquet(file)
            days = days.slice(frame.height)
    return _open_parquet(files, replace(options, rename={}), measured=False)


def _not_in_pieces(name: str) -> InputError:
    return csv_survey.NotInPiecesError(
        f"{name} cannot be read in pieces; save it as CSV or Parquet, or use --engine memory"
    )


def is_parquet_source(files: Sequence[Path]) -> bool:
    """Return whether a table of these files is read as Parquet."""
    return any(format_of(file) is PARQUET for file in files)


def _open_csv(
    files: Sequence[Path], options: ReadOptions, on_bytes: Callable[[int], None]
) -> Source:
    like_first = options
    size = 0
    pieces: list[Piece] = []
    for file in files:
        file_facts, file_pieces = csv_survey.survey_csv(file, like_first, PIECE_BYTES, on_bytes)
        assert file_pieces[0].layout is not None
        if not pieces:
            names = file_pieces[0].layout.names
            facts = file_facts
            like_first = like_first_part(options, facts, names)
        in_order_of(names, pl.DataFrame(schema=file_pieces[0].layout.names), file, files[0])
        pieces += file_pieces
        size += file_facts.bytes
    names_left = _names_left(names, options, files[0])
    return Source(
        names_left, tuple(pieces), replace(facts, bytes=size), options, files=tuple(files)
    )


def _names_left(names: Sequence[str], options: ReadOptions, file: Path) -> tuple[str, ...]:
    """Return the names of columns without that of counts; refuse a choice by unknown ones."""
    options.check_choosing(names, file.name)
    return tuple(name for name in names if name != options.counts)


def _open_parquet(
    files: Sequence[Path],
    options: ReadOptions,
    contents: Mapping[Path, bytes] | None = None,
    measured: bool = True,
) -> Source:
    """Return the source of Parquet files; with `contents` it is read whole, and limited.

    `measured` says whether the length of their texts is checked first, in a child process.
    """
    schemas: list[pl.Schema] = []
    pieces: list[Piece] = []
    size = 0
    for file in files:
        with _parquet_errors(file):
            size += file.stat().st_size
            lazy = _scan(file, contents or {})
            schemas.append(lazy.collect_schema())
            rows = int(lazy.select(pl.len()).collect().item())
        width = len(schemas[-1])
        typed_columns.check_width(width, file.name)
        if contents is not None:  # a few bytes can stand for billions of cells
            data_files.check_limit(max(size, rows * width * _BYTES_PER_CELL), file, options.limit)
        in_order_of(list(schemas[0]), schemas[-1].to_frame(), file, files[0])
        at_a_time = min(PIECE_ROWS, max(PIECE_CELLS // max(width, 1), 1000))
        for begin in range(options.skip_first, rows - options.skip_last, at_a_time):
            end = min(begin + at_a_time, rows - options.skip_last)
            pieces.append(Piece(file, begin, end, end - begin))
    if measured and size < _SMALL:
        limit = data_files.byte_limit(options.limit)
        stats = [file.stat() for file in files]
        key = (limit, *files, *((stat.st_size, stat.st_mtime_ns) for stat in stats))
        if key not in _measured:
            taken = call_bounded(_text_bytes, _EXPANSION * limit, files, contents or {})
            _measured[key] = limit + 1 if taken is None else taken
        data_files.check_limit(_measured[key], files[0], options.limit)
    who = files[0].name if len(files) == 1 else files[0].parent.name
    names = column_names(list(schemas[0]), len(schemas[0]), files[0].name, options.rename)
    texts = all_texts(schemas[0].to_frame(), files[0].name)
    if not pieces:
        typed_columns.check_size(texts, who, "")
    facts = FileFacts("parquet", None, size)
    names_left = _names_left(names, options, files[0])
    source = Source(names_left, tuple(pieces), facts, options, (), tuple(files), contents or {})
    same = all(schema == schemas[0] for schema in schemas)
    groups = [files] if same else [[file] for file in files]
    days = {file: _days(source, group) for group in groups for file in group}
    return replace(source, days=tuple(days[file] for file in files))


def _text_bytes(files: Sequence[Path], contents: Mapping[Path, bytes]) -> int:
    """Return the bytes of all texts of Parquet files; files that cannot be read have none."""
    taken = 0
    for file in files:
        with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException):
            letters = _scan(file, contents).select(pl.selectors.string().str.len_bytes().sum())
            taken += sum(sum(letters.collect(engine="streaming").rows(), ()))
    return taken


def _days(source: Source, files: Sequence[Path]) -> tuple[str, ...]:
    """Return the columns of moments that are all at midnight."""
    lazy = pl.concat([_scan(file, source.contents) for file in files])
    moments = pl.selectors.datetime()
    midnight = lazy.select((moments.dt.time().drop_nulls() == time(0)).all())
    if not midnight.collect_schema():
        return ()
    is_at_midnight = midnight.collect(engine="streaming").row(0, named=True)
    renamed = source.options.rename
    return tuple(renamed.get(name, name) for name, days in is_at_midnight.items() if days)


# ---------------------------------------------------------------------------- tables in memory
def read_table(path: Path | str, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008
    """Read a file with a table; its ending names the kind of file. Text may be compressed.

    A folder or a pattern like `parts/*.parquet` is one table, its parts in the order of their
    names. All CSV parts are cut and named as the first one is. The address of a database is read
    with the query of the options.
    """
    if isinstance(path, str) and is_address(path):
        who = address_name(path)
        from kanon_tui.core.table.databases import read_address

        answer = table_of_contents(read_address(path, options), options, who)
        return _chosen(answer, options, Path(who))
    files = part_files(Path(path))
    if len(files) > 1:
        total = sum(first_bytes(file, 0)[1] for file in files)
        data_files.check_limit(total, files[0].parent, options.limit)
    if is_parquet_source(files):
        packed = [file for file in files if not PARQUET.has_mark(first_bytes(file, _MARK)[0])]
        contents = {file: data_files.load(file, options.limit)[0] for file in packed}
        return _chosen(_parquet_table(files, options, contents), options, files[0])
    like_first = options
    size = 0
    frames: list[pl.DataFrame] = []
    for file in files:
        table = _read_file(file, like_first)
        assert table.facts is not None
        if not frames:
            first = table
            like_first = like_first_part(options, table.facts, table.names)
        frames.append(in_order_of(first.names, table.frame, file, files[0]))
        size += table.facts.bytes
    assert first.facts is not None
    if len(files) > 1:
        first = replace(first, frame=pl.concat(frames), facts=replace(first.facts, bytes=size))
    return _chosen(first, options, files[0])


def _chosen(table: Table, options: ReadOptions, file: Path) -> Table:
    """Return the table with the records that the options choose."""
    if not options.choosing:
        return table
    frame, rows = options.choose(table.frame, file.name)
    typed_columns.check_size(frame, file.name, " that data.where and data.counts leave")
    return replace(table, frame=frame, kept=rows if table.kept is None else table.kept[rows])


def _read_file(path: Path, options: ReadOptions) -> Table:
    if not format_of(path).in_pieces:
        return table_of_contents(read_contents(path, options), options, path.name)
    data, compression, size = data_files.load(path, options.limit)
    if PARQUET.has_mark(data):
        return _parquet_table([path], options, {path: data})
    text, encoding = to_utf8(data, options.encoding, path.name)
    del data
    facts = FileFacts("csv", compression, size)
    return csv_survey.parse_text(text, encoding, options, path.name, facts)


def _parquet_table(
    files: Sequence[Path], options: ReadOptions, contents: Mapping[Path, bytes]
) -> Table:
    plain = replace(options, where={}, counts="")
    source = _open_parquet(files, plain, contents)
    frame = pl.concat(frame for piece in source.pieces for frame in source.read(piece))
    return Table.from_file(frame, source.facts, options)


def table_of_contents(contents: Contents, options: ReadOptions, who: str) -> Table:
    """Return the table in a file's contents; the first row of a sheet may hold the names."""
    typed_columns.check_width(len(contents.columns), who)
    header = None
    names = contents.names
    columns = contents.columns
    kept_rows = None
    skipped = 0
    if names is None:
        columns, kept_rows = _without_blanks(columns, options)
        if not columns:
            raise InputError(f"{who} has no records")
        sample = [list(row) for row in zip(*(c.head(_SAMPLE) for c in columns), strict=True)]
        header_names, header, _ = find_header(sample, options, who)
        names = list(header_names)
        skipped = int(kept_rows[0])
        if header:
            columns = [column.slice(1) for column in columns]
            kept_rows = kept_rows[1:] - 1
        kept_rows = kept_rows - skipped
    else:
        names = column_names(names, len(columns), who, options.rename)
        rows = max(len(columns[0]) - options.skip_first - options.skip_last, 0) if columns else 0
        columns = [column.slice(options.skip_first, rows) for column in columns]
    frame = pl.DataFrame([c.alias(name) for c, name in zip(columns, names, strict=True)])
    typed_columns.check_size(frame, who, "")
    facts = FileFacts(contents.format, None, contents.bytes, header=header, skipped=skipped)
    facts = replace(facts, part=contents.part, parts=contents.parts)
    return Table.from_file(frame, facts, options, kept=kept_rows)


def _without_blanks(
    columns: list[pl.Series], options: ReadOptions
) -> tuple[list[pl.Series], Int64s]:
    """Return the columns and rows of a sheet that are not blank or skipped, and their places."""
    sheet = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    filled = sheet.select(pl.any_horizontal(pl.all() != "")).to_series().to_numpy()
    rows = np.flatnonzero(filled)
    rows = rows[rows >= options.skip_first]
    rows = rows[: max(len(rows) - options.skip_last, 0)]
    return [column for column in sheet[rows].iter_columns() if (column != "").any()], rows


def read_contents(path: Path, options: ReadOptions) -> Contents:
    """Read a file that is neither text nor Parquet; workbooks and the like in a child process."""
    format = format_of(path)
    if not format.apart:
        return format.load().read(path, options)
    data_files.checked_file(path)
    about = path.stat()
    version = about.st_dev, about.st_ino, about.st_mtime_ns, about.st_size
    read = _read_apart if about.st_size <= _KEPT_BYTES else _read_apart.__wrapped__
    return read(format, path, version, options.sheet, options.encoding, options.limit)


_KEPT_BYTES = 8_000_000
"""The largest workbook or statistics file whose contents stay in memory for the next reading."""


@lru_cache(maxsize=1)
def _read_apart(
    format: FileFormat,
    path: Path,
    version: tuple[int, ...],
    sheet: str,
    encoding: str,
    limit: int | Literal["auto"],
) -> Contents:
    """Read a file in a child process; kept for previews and for rows that are no records."""
    options = ReadOptions(sheet=sheet, encoding=encoding, limit=limit)
    memory = _EXPANSION * data_files.byte_limit(limit)
    contents = call_bounded(format.load().read, memory, path, options)
    if contents is None:
        raise data_files.too_large(path, limit)
    return contents


PREVIEW_BYTES = 60_000
"""The most bytes of a text that are read for a preview."""
_PREVIEW_ROWS = 200
"""The most records of a Parquet file that are read for a preview."""


def preview_table(path: Path | str, options: ReadOptions) -> Table:
    """Return the first records of a file or its first part; errors are those of `read_table`."""
    if isinstance(path, str) and is_address(path):
        return read_table(path, options)
    path = part_files(Path(path))[0]
    data, size = first_bytes(path, PREVIEW_BYTES + 2)
    if PARQUET.has_mark(data):
        with _parquet_errors(path):
            frame = all_texts(_scan(path, {}).head(_PREVIEW_ROWS).collect(), path.name)
        frame.columns = column_names(frame.columns, frame.width, path.name, options.rename)
        table = Table.from_file(frame, FileFacts("parquet", None, size), options)
        return _chosen(table, options, path)
    if format_of(path) is not TEXT or size <= PREVIEW_BYTES:
        return read_table(path, options)
    compression = None
    if packing_of(data, path) is not None:
        data, compression, size = data_files.load(path, options.limit)
    last_line_end = max(data.rfind(mark, 0, PREVIEW_BYTES) for mark in (b"\n", b"\r"))
    end = last_line_end + 1 or PREVIEW_BYTES
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) or "16" in options.encoding:
        end += end % 2  # two bytes per character
    text, encoding = to_utf8(data[:end], options.encoding, path.name)
    facts = FileFacts("csv", compression, size)
    options = replace(options, skip_last=0)
    return _chosen(csv_survey.parse_text(text, encoding, options, path.name, facts), options, path)
