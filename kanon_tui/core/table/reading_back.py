"""Reading back what was written, before a file takes its name.

A library can ignore that the disk was full and leave an empty file without an error: what counts
is what can be read of it. Every format tells the numbers of its rows and columns by reading to its
end.
"""

import io
from pathlib import Path
from typing import IO, cast

import polars as pl

from kanon_tui.core.errors import InfrastructureError, KanonError
from kanon_tui.core.table.atomic_files import disk_failure
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat
from kanon_tui.core.table.formats import (
    PARQUET,
    TEXT,
    format_written,
    inner_name,
    packing_written,
)

Shape = tuple[int, int]
"""The numbers of rows and columns."""

_BLOCK = 1 << 22


def check_written(
    written: Path, table: pl.DataFrame, path: Path, csv: CsvFormat | None = None
) -> None:
    """Refuse a file that does not hold the rows and columns of the table it was written from.

    `written` is the file under its present name; `path`, which it is to become, says the format,
    and `csv` how texts are written.
    """
    try:
        is_whole = _reads_back(written, table, path, csv)
    except (KanonError, MemoryError):
        raise
    except Exception:  # every library has errors of its own for a file that is cut short
        is_whole = False
    if not is_whole:
        raise unread(path, table)


def unread(path: Path | str, table: pl.DataFrame) -> InfrastructureError:
    """Return the error of a file or table that does not read back as it was written."""
    return disk_failure(
        path,
        f"it does not read back as {table.height:,} rows of {table.width:,} columns, as happens on "
        "a full disk",
    )


def _reads_back(written: Path, table: pl.DataFrame, path: Path, csv: CsvFormat | None) -> bool:
    format = format_written(path)
    if format is PARQUET:
        return _parquet_shape(written) == table.shape
    if format is not TEXT:
        return format.load().reads_back(written, table, path)
    packing = packing_written(path)
    text_format = csv or CsvChoice().resolved(None, inner_name(path))
    with written.open("rb") as file:
        if packing is None:
            return text_shape(file, text_format) == table.shape
        with packing.unpacked(file) as text:
            return text_shape(text, text_format) == table.shape


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
