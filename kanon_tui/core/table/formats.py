"""The formats of table files: the one place that says which file is what.

A format is one entry here and one module with `read`, `put` and `reads_back`, which is imported
when a file of this format is met. Text and Parquet, which are read in pieces, have none: `source`,
`csv_format` and `writing` know them. A packing, such as gzip, is around any format that is read
from bytes.

A file is known by its first bytes, whatever it is called; where they say nothing, by the ending of
its name; a text whose name says nothing either is JSON where it begins so, otherwise CSV.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, cast

from kanon_tui.core.optional import zstd_module

if TYPE_CHECKING:
    import polars as pl

    from kanon_tui.core.table.read_options import ReadOptions

FormatName = Literal[
    "csv", "tsv", "parquet", "arrow", "json lines", "json", "excel", "spss", "stata", "sas",
    "sqlite", "duckdb", "database",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Contents:
    """The columns of a file, before they have become a `Table`."""

    format: FormatName
    columns: list["pl.Series"]
    names: list[str] | None
    """None where the first row may hold the names, as in a sheet."""
    bytes: int
    part: str | None = None
    """The sheet or table that was read."""
    parts: tuple[str, ...] = ()
    """All sheets or tables of the file."""


class FormatModule(Protocol):
    """The functions that the module of a format defines."""

    def read(self, path: Path, options: "ReadOptions") -> Contents:
        """Return the columns of a file as texts."""

    def put(self, table: "pl.DataFrame", file: IO[bytes], path: Path) -> None:
        """Write a table of texts into an open file, as the ending of `path` says."""

    def reads_back(self, written: Path, table: "pl.DataFrame", path: Path) -> bool:
        """Return whether a file has the rows and columns of the table it was written from."""


@dataclass(frozen=True)
class FileFormat:
    """A format of files: how it is known, and where it is read and written."""

    name: FormatName
    endings: tuple[str, ...]
    """The endings of files that are read so."""
    written: tuple[str, ...] = ()
    """The endings of files that are written so."""
    marks: tuple[tuple[int, bytes], ...] = ()
    """First bytes, each with their place; one of them makes a file of this format."""
    begins: re.Pattern[bytes] | None = None
    """How a text of this format begins, where neither name nor mark says anything."""
    module: str = ""
    """The module that reads and writes it; none for text and Parquet."""
    in_pieces: bool = False
    """Whether it is read and written in pieces."""
    apart: bool = False
    """Whether it is read in a child process, whose memory is bounded."""

    def load(self) -> FormatModule:
        """Return the module that reads and writes this format."""
        return cast("FormatModule", import_module(f"kanon_tui.core.table.{self.module}"))

    def has_mark(self, head: bytes) -> bool:
        """Return whether the first bytes of a file are those of this format."""
        return any(head.startswith(mark, place) for place, mark in self.marks)


TEXT = FileFormat("csv", (".csv", ".tsv", ".txt"), (".csv", ".tsv"), in_pieces=True)
PARQUET = FileFormat(
    "parquet", (".parquet",), (".parquet",), marks=((0, b"PAR1"),), in_pieces=True
)  # fmt: skip
EXCEL = FileFormat(
    "excel", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), (".xlsx",), module="workbooks", apart=True
)
SQLITE = FileFormat(
    "sqlite", (".sqlite", ".sqlite3", ".db"), (".sqlite",),
    marks=((0, b"SQLite format 3\0"),), module="databases",
)  # fmt: skip
DUCKDB = FileFormat("duckdb", (".duckdb",), (".duckdb",), marks=((8, b"DUCK"),), module="databases")
FORMATS = (
    TEXT,
    PARQUET,
    FileFormat(
        "arrow", (".feather", ".arrow", ".ipc"), (".feather", ".arrow"),
        marks=((0, b"ARROW1\0\0"), (0, b"FEA1"), (0, b"\xff\xff\xff\xff")),
        module="arrow_files", apart=True,
    ),
    FileFormat(
        "json lines", (".jsonl", ".ndjson"), (".jsonl",),
        begins=re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"'), module="json_files",
    ),
    FileFormat(
        "json", (".json",), (".json",),
        begins=re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{"), module="json_files", apart=True,
    ),
    EXCEL,
    FileFormat("spss", (".sav", ".zsav", ".por"), (".sav",), module="statistics_files", apart=True),
    FileFormat("stata", (".dta",), (".dta",), module="statistics_files", apart=True),
    FileFormat("sas", (".sas7bdat", ".xpt"), module="statistics_files", apart=True),
    SQLITE,
    DUCKDB,
)  # fmt: skip


@dataclass(frozen=True)
class Compression:
    """A compression around a file of some format."""

    name: str
    endings: tuple[str, ...]
    mark: bytes
    unpacked: Callable[[IO[bytes]], IO[bytes]]
    """Returns the decompressed bytes of an open file."""
    packed: Callable[[IO[bytes]], IO[bytes]]
    """Returns a file whose bytes are compressed into an open one; equal bytes become equal ones."""
    mark_place: int = 0


def _read_zstd(file: IO[bytes]) -> IO[bytes]:
    zstd = zstd_module("reading a .zst file")
    return cast("IO[bytes]", zstd.ZstdFile(file))


def _write_zstd(file: IO[bytes]) -> IO[bytes]:
    zstd = zstd_module("writing a .zst file")
    return cast("IO[bytes]", zstd.ZstdFile(file, "w"))


def _read_zip(file: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(file)
    return archive.open(members_of(archive)[0])


def members_of(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of an archive, without folders and what macOS adds."""
    return [
        member
        for member in archive.infolist()
        if not (member.is_dir() or member.filename.startswith("__MACOSX/"))
    ]


class _ZipMember(io.BufferedIOBase):
    """The only member of a new archive, which is finished when the member is closed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        member = zipfile.ZipInfo("release.csv")  # of 1980: equal tables, equal files
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = 0o644 << 16
        self._member = self._archive.open(member, "w", force_zip64=True)

    def write(self, data: Any) -> int:
        return self._member.write(data)

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            self._member.close()
            self._archive.close()
        super().close()


GZIP = Compression(
    "gzip", (".gz",), b"\x1f\x8b",
    lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file)),
    lambda file: cast("IO[bytes]", gzip.GzipFile("", "wb", fileobj=file, mtime=0)),
)  # fmt: skip
ZSTD = Compression("zstd", (".zst", ".zstd"), b"\x28\xb5\x2f\xfd", _read_zstd, _write_zstd)
ZIP = Compression(
    "zip", (".zip",), b"PK\x03\x04", _read_zip, lambda file: cast("IO[bytes]", _ZipMember(file))
)
PACKINGS = (
    GZIP,
    ZSTD,
    Compression(
        "bzip2", (".bz2",), b"1AY&SY",
        lambda file: cast("IO[bytes]", bz2.open(file)),  # noqa: SIM115
        lambda file: cast("IO[bytes]", bz2.open(file, "wb")),  # noqa: SIM115
        mark_place=4,
    ),
    Compression(
        "xz", (".xz",), b"\xfd7zXZ\0",
        lambda file: cast("IO[bytes]", lzma.open(file)),  # noqa: SIM115
        lambda file: cast("IO[bytes]", lzma.open(file, "wb")),  # noqa: SIM115
    ),
    ZIP,
)  # fmt: skip

PACKED_ENDINGS = tuple(ending for packing in PACKINGS for ending in packing.endings)
DATA_ENDINGS = (*(ending for each in FORMATS for ending in each.endings), *PACKED_ENDINGS)
"""The endings of files that are read as tables; text in a file of any other name is, too."""
TABLE_ENDINGS = (
    *TEXT.written,
    *(f".csv{packing.endings[0]}" for packing in PACKINGS),
    *(ending for each in FORMATS[1:] for ending in each.written),
)
"""The endings that name a kind of table file that is written."""
PART_ENDINGS = tuple(ending for each in FORMATS if each.in_pieces for ending in each.endings)
"""The endings of files that are parts of a folder."""
FORMAT_CHOICES = tuple(each.endings[0].removeprefix(".") for each in FORMATS)
"""The words that name a format on the command line."""

_BY_ENDING = {ending: each for each in FORMATS for ending in each.endings}
_HEAD = 4096


def inner_name(path: Path) -> Path:
    """Return a name without the ending of a packing: `people.jsonl` for `people.jsonl.gz`."""
    return path.with_suffix("") if path.suffix.lower() in PACKED_ENDINGS else path


def packing_of(head: bytes, name: Path) -> Compression | None:
    """Return the packing of a file with these first bytes; a workbook is an archive, and none."""
    for packing in PACKINGS:
        if head.startswith(packing.mark, packing.mark_place):
            if packing is ZIP and _names_workbook(head, name):
                return None
            if packing.mark_place and not head.startswith(b"BZh"):
                return None
            return packing
    return None


def _names_workbook(head: bytes, name: Path) -> bool:
    """Return whether an archive is a workbook, by its name or by the name of its first member."""
    if name.suffix.lower() == ".zip":
        return False
    first_member = head[30:]
    of_workbooks = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/", b"mimetype")
    return name.suffix.lower() in EXCEL.endings or first_member.startswith(of_workbooks)


def first_bytes(path: Path, length: int) -> tuple[bytes, int]:
    """Return the first bytes and the size of an ordinary file; nothing of any other."""
    try:
        about = os.stat(path)
        if stat.S_ISREG(about.st_mode):
            with open(path, "rb") as file:
                return file.read(length), about.st_size
    except OSError:
        pass  # reading it raises the error
    return b"", 0


def look_at(path: Path) -> tuple[FileFormat, Compression | None]:
    """Return the format and the packing of a file; one that cannot be read is what it is called."""
    head, _ = first_bytes(path, _HEAD)
    packing = packing_of(head, path)
    if packing is not None:
        head = _unpacked_head(path, packing)
    return _format_by(head, path), packing


def format_of(path: Path) -> FileFormat:
    """Return the format of a file; inside of its packing, where it has one."""
    return look_at(path)[0]


def _format_by(head: bytes, path: Path) -> FileFormat:
    for file_format in FORMATS:
        if file_format.has_mark(head):
            return file_format
    if head.startswith(ZIP.mark):
        return EXCEL
    named = _BY_ENDING.get(inner_name(path).suffix.lower())
    if named is not None:
        return named
    for file_format in FORMATS:
        if file_format.begins is not None and file_format.begins.match(head):
            return file_format
    return TEXT


def _unpacked_head(path: Path, packing: Compression) -> bytes:
    """Return the first bytes inside of a packing; nothing where reading will raise the error."""
    try:
        with open(path, "rb") as file, packing.unpacked(file) as unpacked:
            return unpacked.read(_HEAD)
    except Exception:  # every library has errors of its own for a file that is damaged
        return b""


def format_written(path: Path) -> FileFormat:
    """Return the format in which a table is written to a file of this name; text by default."""
    ending = inner_name(path).suffix.lower()
    return next((file_format for file_format in FORMATS if ending in file_format.written), TEXT)


def packing_written(path: Path) -> Compression | None:
    """Return the packing that the name of a file to write asks for."""
    ending = path.suffix.lower()
    return next((packing for packing in PACKINGS if ending in packing.endings), None)


@contextmanager
def packed_into(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """Yield a file whose bytes go into an open one, packed as the name `path` says."""
    packing = packing_written(path)
    if packing is None:
        yield file
        return
    with packing.packed(file) as packed:
        yield packed
