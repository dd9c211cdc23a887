"""The files of a table: their kinds, which ones a path names, their bytes, and the limit on them.

`parts/*.parquet` and a folder of parts name one table: its parts in the order of their names.
A file whose own name holds `*`, `?` or `[` is that file.
"""

from __future__ import annotations

import glob
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kanon_tui.core.errors import InputError
from kanon_tui.core.optional import require
from kanon_tui.core.reading import bounded_bytes, read_bytes, size_text, usual_limit
from kanon_tui.core.reading import reading_errors as reading_errors

if TYPE_CHECKING:
    import polars as pl

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet")
_PACKED_ENDINGS = (".gz", ".zst", ".zstd")


def is_pattern(path: Path) -> bool:
    """Return whether a path is a pattern of names and not a file or folder itself."""
    return glob.has_magic(str(path)) and not os.path.lexists(path)


def part_files(path: Path) -> tuple[Path, ...]:
    """Return the files that a path names, sorted by name; the path itself where it is no folder.

    Of a folder these are its CSV, TSV and Parquet files and those of its partitions (`year=2020`),
    hidden ones (`.part`, `_SUCCESS`) left out; a pattern names whatever it matches.
    """
    with reading_errors(path):
        if is_pattern(path):
            found = [Path(name) for name in glob.glob(str(path), recursive=True)]
            parts = [part for part in found if part.is_file()]
            if not parts:
                raise InputError(f"{path}: no file matches this pattern; check the path")
        elif path.is_dir():
            parts = list(_parts_in(path))
            if not parts:
                raise InputError(
                    f"{path} is a directory without CSV, TSV or Parquet files; name a data file, "
                    "or a folder of parts"
                )
        else:
            return (path,)
    return tuple(sorted(parts, key=str))


def _parts_in(folder: Path) -> Iterator[Path]:
    """Yield the parts in a folder and in its partitions, folders like `year=2020`."""
    for part in folder.iterdir():
        if _is_part(part):
            yield part
        elif part.is_dir() and "=" in part.name.strip("="):
            yield from _parts_in(part)


def name_beside(path: Path, ending: str) -> Path:
    """Return a name beside the data: `census.yaml` for `census.csv`, `parts/` or `parts/*`."""
    if is_pattern(path):
        path = next(each for each in path.parents if not glob.has_magic(str(each)))
        path = path / path.resolve().name if path == Path() else path
    return path.with_suffix("").with_suffix(ending)


def _is_part(path: Path) -> bool:
    if path.name.startswith((".", "_")) or not path.is_file():
        return False
    name = Path(path.name.lower())
    return (Path(name.stem) if name.suffix in _PACKED_ENDINGS else name).suffix in _ENDINGS


Compression = Literal["gzip", "zstd"]
Limit = int | Literal["auto"]

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
COMPRESSED = (_GZIP, _ZSTD)
"""The first bytes of compressed files."""
_CHUNK = 1 << 22
_ZSTD_PIECE = 1 << 11
"""Compressed bytes that are unpacked at a time: they can become 50,000 times as many."""


def load(path: Path, limit: Limit = "auto") -> tuple[bytes, Compression | None, int]:
    """Return a file's content, decompressed; its compression; and its size on disk.

    More than `limit` bytes are refused, before they are all in memory.
    """
    allowed, refusal = byte_limit(limit), too_large(path, limit)
    with reading_errors(path):
        data = read_bytes(path, allowed, refusal)
    size = len(data)
    if not size:
        raise InputError(f"{path.name} is empty; it needs at least one record")
    if data.startswith(_GZIP):
        return bounded_bytes(_gunzip(data, path), allowed, refusal), "gzip", size
    if data.startswith(_ZSTD):
        return bounded_bytes(_unzstd(data, path), allowed, refusal), "zstd", size
    return data, None, size


def checked_file(path: Path) -> int:
    """Return the size of an ordinary, readable file, for libraries that open it themselves."""
    with reading_errors(path):
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{path} is not an ordinary file; name one")
        if not found.st_size:
            raise InputError(f"{path.name} is empty; it needs at least one record")
    return found.st_size


def check_limit(size: int, path: Path, limit: Limit) -> None:
    """Refuse a file whose content takes more bytes than allowed."""
    if size > byte_limit(limit):
        raise too_large(path, limit)


def byte_limit(limit: Limit) -> int:
    """Return a limit in bytes; `auto` is what this machine can take."""
    return usual_limit() if limit == "auto" else limit


def too_large(path: Path, limit: Limit) -> InputError:
    """Return the refusal of a file with more bytes than allowed."""
    usual = limit == "auto"
    why = "about what this machine's memory can take" if usual else "what data.limit allows"
    return InputError(
        f"{path.name} holds more than {size_text(byte_limit(limit))}, {why}; read a part of it, or "
        "set a larger limit, like data: {limit: 16GB}, where there is memory for four times as much"
    )


def _gunzip(data: bytes, path: Path) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            yield from iter(partial(file.read, _CHUNK), b"")
    except (OSError, EOFError, zlib.error):
        raise _damaged(path, "gzip") from None


def _unzstd(data: bytes, path: Path) -> Iterator[bytes]:
    zstandard = require("zstandard", "reading a .zst file", path.name)
    frame, rest = zstandard.ZstdDecompressor().decompressobj(), memoryview(data)
    while rest:
        if frame.eof:  # a file may hold several frames, one after the other
            frame = zstandard.ZstdDecompressor().decompressobj()
        piece, rest = rest[:_ZSTD_PIECE], rest[_ZSTD_PIECE:]
        try:
            yield frame.decompress(piece)
        except zstandard.ZstdError:
            raise _damaged(path, "zstd") from None
        if frame.eof:
            rest = memoryview(data)[len(data) - len(rest) - len(frame.unused_data) :]
    if not frame.eof:
        raise _damaged(path, "zstd")


def _damaged(path: Path, compression: Compression) -> InputError:
    return InputError(
        f"{path.name} is damaged or cut short: its {compression} data cannot be decompressed; "
        "get a whole copy of the file"
    )


EXCEL_ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
STATISTICS_ENDINGS = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3", ".duckdb")
JSON_LINES_ENDINGS = (".jsonl", ".ndjson")

DATA_ENDINGS = (
    ".csv", ".tsv", ".txt", ".parquet", ".gz", ".zst",
    *JSON_LINES_ENDINGS, *EXCEL_ENDINGS, *STATISTICS_ENDINGS, *DATABASE_ENDINGS,
)  # fmt: skip
"""The endings of files that are read as tables; text in a file of any other name is, too."""

TABLE_ENDINGS = (
    ".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".jsonl", ".xlsx", ".dta", ".sav",
    ".sqlite", ".duckdb",
)  # fmt: skip
"""The endings that name a kind of table file that is written."""


FileFormat = Literal[
    "csv", "tsv", "parquet", "json lines", "excel", "spss", "stata", "sas", "sqlite", "duckdb",
    "database",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Contents:
    """The columns of a file, before they have become a `Table`."""

    format: FileFormat
    columns: list[pl.Series]
    names: list[str] | None
    """None where the first row may hold the names, as in a sheet."""
    bytes: int
    part: str | None = None
    """The sheet or table that was read."""
    parts: tuple[str, ...] = ()
    """All sheets or tables of the file."""
