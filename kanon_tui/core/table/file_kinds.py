"""Kinds of data files: their endings, what a reader finds in one, and the libraries they need.

Importing it is cheap: the command line needs the endings for its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl

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


def extra_module(module: str, extra: str, who: str, what: str) -> Any:
    """Import a library of an extra, or refuse with how to install it.

    `who` is the file at fault, `what` what is done with it: `reading an Excel file`.
    """
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"{who}: {what} needs the library {module.partition('.')[0]}, which is not installed; "
            f"pip install 'kanon-tui[{extra}]'"
        ) from None
