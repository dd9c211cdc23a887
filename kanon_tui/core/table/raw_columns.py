"""What a reader finds in a file: columns of texts, before they have become a `Table`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

__all__ = ["Contents", "FileFormat"]

FileFormat = Literal[
    "csv", "tsv", "parquet", "json lines", "excel", "spss", "stata", "sas", "sqlite", "duckdb",
    "database",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Contents:
    """The columns of a file and where in it they stood."""

    format: FileFormat
    columns: list[pl.Series]
    names: list[str] | None
    """None where the first row may hold the names, as in a sheet."""
    bytes: int
    part: str | None = None
    """The sheet or table that was read."""
    parts: tuple[str, ...] = ()
    """All sheets or tables of the file."""
