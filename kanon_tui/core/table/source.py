"""A data file, a folder or a pattern as pieces that are read one at a time.

Pieces depend on the files alone. Their texts equal those of `read_table`: CSV is sniffed and parsed
by the same code. Files that cannot be read in pieces (compressed text, encodings other than UTF-8)
are refused with a remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import time
from pathlib import Path

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.cell_codes import Cells, Columns
from kanon_tui.core.table.csv_survey import survey_csv
from kanon_tui.core.table.csv_text import Layout, parse_carefully, parse_regular
from kanon_tui.core.table.data_files import part_files, reading_errors
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import Dialect
from kanon_tui.core.table.table import FileFacts, Table, in_order_of, like_first_part, other_reader
from kanon_tui.core.table.typed_columns import all_texts, check_width, column_names

__all__ = ["PIECE_BYTES", "PIECE_ROWS", "Piece", "Source", "is_parquet_source", "open_source"]

PIECE_BYTES = 24_000_000
"""Bytes of a CSV piece, or a little more."""
PIECE_ROWS = 250_000
"""The most records of a Parquet piece …"""
PIECE_CELLS = 2_500_000
"""… and the most cells."""


@dataclass(frozen=True)
class Piece:
    """A part of a file: bytes of a text, or records of a Parquet file."""

    path: Path
    begin: int
    end: int
    records: int
    """The number of records, a header included; 0 (unknown) for an irregular text."""
    quote: str | None = None
    line_end: str | None = None
    """None for a text that must be read carefully, from its first byte to its last."""
    header: bool = False
    """Whether its first record is the header …"""
    one_short: bool = False
    """… which lacks the name of the first column."""


@dataclass(frozen=True)
class Source:
    """A table that is read piece by piece."""

    names: tuple[str, ...]
    pieces: tuple[Piece, ...]
    facts: FileFacts
    options: ReadOptions
    dialect: Dialect | None = None
    days: tuple[tuple[str, ...] | None, ...] = ()
    """Parquet: for each file the columns that are printed as days; None: judged piece by piece."""
    files: tuple[Path, ...] = ()
    columns: tuple[tuple[str, ...], ...] = ()
    """CSV: for each file the names of its columns in its own order."""

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return self.facts.bytes

    @property
    def unchanged(self) -> bool:
        """Whether its files still have the size that they had."""
        try:
            return sum(file.stat().st_size for file in self.files) == self.bytes
        except OSError:
            return False

    @property
    def records(self) -> int:
        """The number of records of its pieces; 0 where that is unknown before reading them."""
        if any(not piece.records for piece in self.pieces):
            return 0
        return sum(piece.records - piece.header for piece in self.pieces)

    def read(self, piece: Piece, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield the cells of a piece as texts, some records at a time; `names` picks columns."""
        with reading_errors(piece.path):
            if self.dialect is None:
                frame = self._parquet(piece, self.names if names is None else names)
                yield all_texts(frame, piece.path.name, self._days_of(piece))
                return
            for frame in self._csv(piece):
                yield frame if names is None else frame.select(frame[name] for name in names)

    def columns_of(self, piece: Piece, names: Sequence[str]) -> Iterator[Columns]:
        """Yield the cells of a piece column by column, each with its distinct texts."""
        with reading_errors(piece.path):
            one = self.dialect is None
            frames = iter([self._parquet(piece, names)]) if one else self._csv(piece)
            days = self._days_of(piece) if one else None
            for frame in frames:
                yield {
                    name: Cells.from_series(frame[name], piece.path.name, days) for name in names
                }

    def layout(self, piece: Piece) -> Layout:
        """Return the layout of a regular piece of a CSV file."""
        assert self.dialect is not None
        assert piece.line_end is not None
        return Layout(self.dialect, piece.quote, piece.line_end, len(self.names), piece.one_short)

    def _csv(self, piece: Piece) -> Iterator[pl.DataFrame]:
        assert self.dialect is not None
        with open(piece.path, "rb") as file:
            file.seek(piece.begin)
            if piece.line_end is None:
                name, short = piece.path.name, piece.one_short
                parts = parse_carefully(file, self.dialect, name, piece.end, short)
            else:
                text = file.read(piece.end - piece.begin)
                parts = iter([parse_regular(text, self.layout(piece), piece.records)])
            for number, cells in enumerate(parts):
                yield self._named(cells, piece, piece.header and not number)

    def _named(self, cells: pl.DataFrame, piece: Piece, header: bool) -> pl.DataFrame:
        frame = cells.slice(1) if header else cells
        frame.columns = list(self.columns[self.files.index(piece.path)])
        return in_order_of(self.names, frame, piece.path, self.files[0])

    def _parquet(self, piece: Piece, names: Sequence[str]) -> pl.DataFrame:
        try:
            lazy = pl.scan_parquet(piece.path, glob=False)
            columns = [pl.col(f"^{_plain(name)}$") for name in names]
            return lazy.select(columns).slice(piece.begin, piece.end - piece.begin).collect()
        except FileNotFoundError:
            raise
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
            if "No such file" in str(error):
                raise FileNotFoundError from None
            raise _not_parquet(piece.path) from None

    def _days_of(self, piece: Piece) -> tuple[str, ...] | None:
        """Return the columns of a piece's Parquet file that are printed as days."""
        return self.days[self.files.index(piece.path)]


def _plain(name: str) -> str:
    """Return a pattern that matches this name and nothing else."""
    return "".join(c if c.isalnum() else f"\\x{{{ord(c):x}}}" for c in name)


def _not_parquet(path: Path) -> InputError:
    return InputError(
        f"{path.name} is not a readable Parquet file; get a whole copy, or rename it if it is CSV"
    )


def open_source(
    path: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008
    piece_bytes: int | None = None,
    piece_rows: int | None = None,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Source:
    """Return the source of these files, cut into pieces; `on_bytes` gets the bytes looked at."""
    files = part_files(Path(path))
    for file in files:
        if other_reader(file) is not None:
            raise InputError(
                f"{file.name} cannot be read in pieces; save it as CSV or Parquet, or use --engine "
                "memory"
            )
    if is_parquet_source(files):
        return _open_parquet(files, options, piece_rows)
    return _open_csv(files, options, piece_bytes or PIECE_BYTES, on_bytes)


def is_parquet_source(files: Sequence[Path]) -> bool:
    """Return whether a table of these files is read as Parquet."""
    return any(f.suffix.lower() == ".parquet" or _begins_like_parquet(f) for f in files)


def _begins_like_parquet(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def _open_csv(
    files: Sequence[Path], options: ReadOptions, piece_bytes: int, on_bytes: Callable[[int], None]
) -> Source:
    first: Source | None = None
    pieces: list[Piece] = []
    columns: list[tuple[str, ...]] = []
    size = 0
    for file in files:
        one = survey_csv(file, options, piece_bytes, on_bytes)
        names = one.header.names
        size += one.facts.bytes
        columns.append(tuple(names))
        pieces += [Piece(file, *cut) for cut in one.cuts]
        if first is None:
            first = Source(tuple(names), (), one.facts, options, one.dialect)
            table = Table(pl.DataFrame({name: [] for name in names}), one.facts)
            options = like_first_part(options, table)
        elif set(names) != set(first.names):
            in_order_of(first.names, pl.DataFrame({name: [] for name in names}), file, files[0])
    assert first is not None
    return replace(
        first,
        pieces=tuple(pieces),
        facts=replace(first.facts, bytes=size),
        files=tuple(files),
        columns=tuple(columns),
    )


def _open_parquet(files: Sequence[Path], options: ReadOptions, piece_rows: int | None) -> Source:
    schemas: list[pl.Schema] = []
    pieces: list[Piece] = []
    size = 0
    for file in files:
        try:
            size += file.stat().st_size
            lazy = pl.scan_parquet(file, glob=False)
            schemas.append(lazy.collect_schema())
            rows = int(lazy.select(pl.len()).collect().item())
        except FileNotFoundError:
            raise InputError(f"{file} does not exist; check the path") from None
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
            raise _not_parquet(file) from None
        check_width(len(schemas[-1]), file.name)
        in_order_of(list(schemas[0]), schemas[-1].to_frame(), file, files[0])
        at_a_time = piece_rows or min(PIECE_ROWS, max(PIECE_CELLS // len(schemas[0]), 1000))
        for begin in range(0, rows, at_a_time):
            end = min(begin + at_a_time, rows)
            pieces.append(Piece(file, begin, end, end - begin))
    if not pieces:
        who = files[0].name if len(files) == 1 else files[0].parent.name
        raise InputError(f"{who} has no {'records' if schemas[0] else 'columns'}")
    names = column_names(list(schemas[0]), len(schemas[0]), files[0].name)
    all_texts(schemas[0].to_frame(), files[0].name)
    same = all(schema == schemas[0] for schema in schemas)
    groups = [files] if same else [[file] for file in files]
    found = {file: _days(group) for group in groups for file in group}
    days = tuple(found[file] for file in files)
    facts = FileFacts("parquet", None, size)
    return Source(tuple(names), tuple(pieces), facts, options, None, days, tuple(files))


def _days(files: Sequence[Path]) -> tuple[str, ...]:
    """Return the columns of moments that are all at midnight."""
    lazy = pl.scan_parquet(list(files), glob=False)
    schema = lazy.collect_schema()
    moments = [name for name, kind in schema.items() if kind == pl.Datetime]
    if not moments:
        return ()
    midnight = lazy.select(
        (pl.col(f"^{_plain(name)}$").dt.time().drop_nulls() == time(0)).all() for name in moments
    ).collect(engine="streaming")
    return tuple(name for name in moments if midnight[name].item())
