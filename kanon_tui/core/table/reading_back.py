"""Reading back what was written, before a file takes its name.

A library can ignore that the disk was full and leave an empty file without an error: what counts
is what can be read of it. Every format tells the numbers of its rows and columns by reading to its
end.
"""

import gzip
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from kanon_tui.core.errors import InfrastructureError, KanonError
from kanon_tui.core.optional import require
from kanon_tui.core.table.atomic_files import disk_failure
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat

Shape = tuple[int, int]
"""The numbers of rows and columns."""

RELEASE_TABLE = "release"
"""The table of a database file that is a release."""
_BLOCK = 1 << 22


def check_written(
    written: Path, table: pl.DataFrame, path: Path, csv: CsvFormat | None = None
) -> None:
    """Refuse a file that does not hold the rows and columns of the table it was written from.

    `written` is the file under its present name; `path`, which it is to become, says the format,
    and `csv` how texts are written.
    """
    try:
        shape: Shape | None = _written_shape(written, path, csv)
    except (KanonError, MemoryError):
        raise
    except Exception:  # every library has errors of its own for a file that is cut short
        shape = None
    if shape != _expected_shape(table, path):
        raise unread(path, table)


def unread(path: Path | str, table: pl.DataFrame) -> InfrastructureError:
    """Return the error of a file or table that does not read back as it was written."""
    return disk_failure(
        path,
        f"it does not read back as {table.height:,} rows of {table.width:,} columns, as happens on "
        "a full disk",
    )


def _expected_shape(table: pl.DataFrame, path: Path) -> Shape:
    ending = path.suffix.lower()
    if ending == ".xlsx":  # a sheet ends at its last row with a cell in it
        filled = table.select(pl.any_horizontal(pl.all().cast(pl.String) != "")).to_series()
        rows_with_cells = filled.arg_true()
        last = int(rows_with_cells[-1]) + 1 if len(rows_with_cells) else 0
        return last, table.width
    if ending in (".jsonl", ".sqlite", ".duckdb") and not table.height:
        return 0, 0
    return table.shape


def _written_shape(written: Path, path: Path, csv: CsvFormat | None) -> Shape:
    ending = path.suffix.lower()
    reader = _SHAPES.get(ending)
    if reader is not None:
        return reader(written)
    if ending in (".gz", ".zst"):
        path = path.with_suffix("")
    text_format = csv or CsvChoice().resolved(None, path)
    with written.open("rb") as file, _unpacked(file, ending) as text:
        return text_shape(text, text_format)


def _unpacked(file: IO[bytes], ending: str) -> IO[bytes]:
    """Return the decompressed bytes of a file."""
    if ending == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if ending == ".zst":
        zstandard = require("zstandard", "reading a .zst file")
        return cast(
            "IO[bytes]", io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file))
        )
    return file


def text_shape(file: IO[bytes], csv: CsvFormat) -> Shape:
    """Return the shape of a text that was written as `csv` says: what is not in quotes is counted.

    >>> text_shape(io.BytesIO(b'a,b\\n"1,\\n2",3\\n'), CsvFormat())
    (1, 2)
    """
    end_of_record = csv.line_end[-1]
    records = 0
    delimiters = 0
    in_quotes = False
    text = io.TextIOWrapper(cast("io.BufferedReader", file), csv.encoding, newline="")
    while block := text.read(_BLOCK):
        stretches = block.split(csv.quote)
        for unquoted in stretches[int(in_quotes) :: 2]:
            if not records:
                delimiters += unquoted.partition(end_of_record)[0].count(csv.delimiter)
            records += unquoted.count(end_of_record)
        in_quotes ^= len(stretches) % 2 == 0
    text.detach()
    return records - 1, delimiters + 1


def _parquet_shape(written: Path) -> Shape:
    lazy = pl.scan_parquet(written, glob=False, hive_partitioning=False)
    return int(lazy.select(pl.len()).collect().item()), len(lazy.collect_schema())


def _json_lines_shape(written: Path) -> Shape:
    rows = 0
    columns = 0
    with written.open("rb") as file:
        for line in file:
            columns = columns or len(json.loads(line))
            rows += line.endswith(b"}\n")
    return rows, columns


def _workbook_shape(written: Path) -> Shape:
    fastexcel = require("fastexcel", "reading an Excel file", written.name)
    workbook = fastexcel.read_excel(written.read_bytes())
    sheet = workbook.load_sheet(0, header_row=None, dtypes="string")
    return sheet.total_height - 1, sheet.width


def _spss_shape(written: Path) -> Shape:
    library = require("pyreadstat", "reading an SPSS file", written.name)
    return _statistics_shape(written, library.read_sav)


def _stata_shape(written: Path) -> Shape:
    library = require("pyreadstat", "reading a Stata file", written.name)
    return _statistics_shape(written, library.read_dta)


def _statistics_shape(written: Path, read: Callable[..., Any]) -> Shape:
    """Return the shape of a file whose head may promise more rows than it has."""
    _, about = read(str(written), metadataonly=True)
    last_column = about.column_names[-1]
    cells, _ = read(str(written), usecols=[last_column], output_format="dict")
    return len(cells[last_column]), len(about.column_names)


def _sqlite_shape(written: Path) -> Shape:
    with closing(sqlite3.connect(written)) as connection:
        return database_shape(connection.execute, RELEASE_TABLE)


def _duckdb_shape(written: Path) -> Shape:
    duckdb = require("duckdb", "reading a DuckDB database", written.name)
    with closing(duckdb.connect(str(written), read_only=True)) as connection:
        return database_shape(connection.execute, RELEASE_TABLE)


def database_shape(execute: Callable[[str], Any], name: str) -> Shape:
    """Return the shape of a table of a database; `name` is as SQL has it, in quotes if need be."""
    rows = execute(f"SELECT count(*) FROM {name}").fetchone()[0]
    columns = execute(f"SELECT * FROM {name} LIMIT 1").fetchone()
    return int(rows), len(columns or ())


_SHAPES: dict[str, Callable[[Path], Shape]] = {
    ".parquet": _parquet_shape,
    ".jsonl": _json_lines_shape,
    ".xlsx": _workbook_shape,
    ".sav": _spss_shape,
    ".dta": _stata_shape,
    ".sqlite": _sqlite_shape,
    ".duckdb": _duckdb_shape,
}
