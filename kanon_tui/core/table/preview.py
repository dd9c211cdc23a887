"""The beginning of a data file, read as the whole would be, fast enough to follow typing.

Only the beginning is read, unless it is compressed, so that a file may have any size.
"""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

import polars as pl

from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.file_bytes import is_compressed, load
from kanon_tui.core.table.frames import all_texts
from kanon_tui.core.table.part_files import part_files
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.reader_registry import other_reader
from kanon_tui.core.table.table import FileFacts, Table, is_parquet, read_table, table_of_text

__all__ = ["preview_table"]

ENOUGH = 60_000
"""Bytes of text that are read for a preview."""
_ROWS = 200
"""Records of a Parquet file."""


def preview_table(path: Path, options: ReadOptions) -> Table:
    """The first records of a file, or of its first part; errors are those of `read_table`."""
    path = part_files(path)[0]
    if other_reader(path) is not None:
        return read_table(path, options)
    data, size = _beginning(path)
    if is_parquet(data, path):
        return _first_rows(path, size, options)
    if size <= ENOUGH:
        return read_table(path, options)
    compression = None
    if is_compressed(data):
        data, compression, size = load(path, options.limit)
    end = max(data.rfind(b"\n", 0, ENOUGH), data.rfind(b"\r", 0, ENOUGH)) + 1 or ENOUGH
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) or "16" in options.encoding:
        end += end % 2  # two bytes a sign
    text, encoding = to_utf8(data[:end], options.encoding, path.name)
    return table_of_text(
        text, options, path, FileFacts("csv", compression, size, encoding=encoding)
    )


def _beginning(path: Path) -> tuple[bytes, int]:
    """The first bytes of an ordinary file, and how many it has; nothing of any other."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return b"", 0
        with open(path, "rb") as file:
            return file.read(ENOUGH + 2), found.st_size
    except OSError:
        return b"", 0  # reading it will say what is amiss


def _first_rows(path: Path, size: int, options: ReadOptions) -> Table:
    try:
        frame = pl.scan_parquet(path, glob=False).head(_ROWS).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return read_table(path, options)  # which says what is amiss
    facts = FileFacts("parquet", None, size)
    return Table(all_texts(frame, path.name), facts, options.missing_tokens, options.formats)
