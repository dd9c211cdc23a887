"""Writing tables and texts to files, in the format of their ending, whole or not at all.

Every file goes through `atomic_files`. `check_target` refuses one that cannot be written, or that
is read by the same command, before any work is done for it.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.atomic_files import check_place, written_aside
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat
from kanon_tui.core.table.data_files import TABLE_ENDINGS
from kanon_tui.core.table.databases import put_database
from kanon_tui.core.table.excel import put_workbook
from kanon_tui.core.table.json_lines import put_json_lines
from kanon_tui.core.table.statistics_files import put_statistics_file
from kanon_tui.core.text import joined

if TYPE_CHECKING:
    import polars as pl


def check_target(
    path: Path,
    endings: tuple[str, ...] | None = None,
    force: bool = False,
    inputs: Iterable[Path] = (),
) -> None:
    """Refuse a file that could not or must not be written, before any work is done for it.

    `inputs` are the files that are read: not even `force` replaces one of them.
    """
    if endings is not None and not path.name.lower().endswith(endings):
        raise InputError(f"{path}: files of this kind end in {joined(endings, 'or')}")
    check_not_read(path, inputs)
    check_place(path, force)


def check_not_read(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a file that is one of the inputs, by whatever name or link, or lies among them."""
    target, folder = _identities(path), _identities(path.parent)
    for read in inputs:
        if target & _identities(read):
            raise InputError(f"{path} is read by this run and cannot be replaced; name another")
        if read.is_dir() and folder & _identities(read):
            raise InputError(f"{path} would lie among the parts that are read; name another folder")


def _identities(path: Path) -> set[object]:
    """Return keys that two names of one file share: the path without links, and the inode."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return {os.path.realpath(path)}
    return {os.path.realpath(path), (found.st_dev, found.st_ino)}


def write_text(path: Path, text: str, force: bool = False, private: bool = False) -> None:
    """Write a text file in UTF-8; a private one is readable by its owner alone."""
    write_bytes(path, text.encode("utf-8"), force, private)


def write_bytes(path: Path, data: bytes, force: bool = False, private: bool = False) -> None:
    """Write a file whole or not at all; a private one is readable by its owner alone."""
    with written_aside(path, force, private) as file:
        file.write(data)


def write_table(
    path: Path, table: pl.DataFrame, force: bool = False, csv: CsvFormat | None = None
) -> None:
    """Write a table as the kind of file that the ending of its name says."""
    check_target(path, TABLE_ENDINGS, force)
    with written_aside(path, force) as file:
        put_table(table, file, path, csv)


def put_table(
    table: pl.DataFrame, file: IO[bytes], path: Path, csv: CsvFormat | None = None
) -> None:
    """Write a table into an open file, in the format that `path` ends in; texts as `csv` says.

    Columns that know their texts by number (`pl.Enum`) are written as texts.
    """
    match path.suffix.lower():
        case ".parquet":
            _as_texts(table).write_parquet(file, row_group_size=ROW_GROUP)
        case ".jsonl":
            put_json_lines(_as_texts(table), file)
        case ".xlsx":
            put_workbook(_as_texts(table), file, path)
        case ".dta" | ".sav":
            put_statistics_file(_as_texts(table), file, path)
        case ".sqlite" | ".duckdb":
            put_database(_as_texts(table), file, path)
        case ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                put_table(table, cast("IO[bytes]", packed), path.with_suffix(""), csv)
        case ".zst":
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as packed:
                put_table(table, packed, path.with_suffix(""), csv)
        case _:
            (csv or CsvChoice().resolved(None, path)).put(table, file, path.name)


def _as_texts(table: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return table.with_columns(pl.selectors.enum().cast(pl.String))


ROW_GROUP = 1 << 18
"""Rows of a Parquet row group, fixed so that they do not depend on how a table is written."""
