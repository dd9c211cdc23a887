"""The beginning of a data file, read as the whole would be, fast enough to follow typing."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

from kanon_tui.core.data.content import load
from kanon_tui.core.data.encoding import to_utf8
from kanon_tui.core.data.other_readers import other_reader
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.data.table import FileFacts, Table, is_parquet, read_table, table_of_text

__all__ = ["preview_table"]

ENOUGH = 60_000
"""Bytes of text that are read for a preview."""


def preview_table(path: Path, options: ReadOptions) -> Table:
    """The first records of a file under these options; errors are those of `read_table`."""
    if other_reader(path) is not None:
        return read_table(path, options)
    data, compression, size = load(path, options.limit)
    if len(data) <= ENOUGH or is_parquet(data, path):
        return read_table(path, options)
    end = max(data.rfind(b"\n", 0, ENOUGH), data.rfind(b"\r", 0, ENOUGH)) + 1 or ENOUGH
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) or "16" in options.encoding:
        end += end % 2  # two bytes a sign
    text, encoding = to_utf8(data[:end], options.encoding, path.name)
    return table_of_text(
        text, options, path, FileFacts("csv", compression, size, encoding=encoding)
    )
