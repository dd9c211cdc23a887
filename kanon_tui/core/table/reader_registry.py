"""Readers of files that are neither text nor Parquet, by the ending of their name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kanon_tui.core.table.database_files import read_database_file
from kanon_tui.core.table.excel import read_workbook
from kanon_tui.core.table.file_kinds import (
    DATABASE_ENDINGS,
    EXCEL_ENDINGS,
    JSON_LINES_ENDINGS,
    STATISTICS_ENDINGS,
)
from kanon_tui.core.table.json_lines import read_json_lines
from kanon_tui.core.table.raw_columns import Contents
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.statistics_files import read_statistics_file

__all__ = ["other_reader"]

Reader = Callable[[Path, ReadOptions], Contents]

_READERS: dict[str, Reader] = {
    **dict.fromkeys(EXCEL_ENDINGS, read_workbook),
    **dict.fromkeys(STATISTICS_ENDINGS, read_statistics_file),
    **dict.fromkeys(DATABASE_ENDINGS, read_database_file),
    **dict.fromkeys(JSON_LINES_ENDINGS, read_json_lines),
}


def other_reader(path: Path) -> Reader | None:
    """What reads a file of this name; None for text and Parquet.

    `people.jsonl.gz` is JSON lines: what is compressed is known by the ending before.
    """
    endings = [each.lower() for each in path.suffixes]
    if endings[-1:] in ([".gz"], [".zst"]):
        endings.pop()
    return _READERS.get(endings[-1]) if endings else None
