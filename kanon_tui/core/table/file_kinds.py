"""The endings of files that hold tables: what can be read, what can be written."""

from __future__ import annotations

__all__ = [
    "DATABASE_ENDINGS",
    "DATA_ENDINGS",
    "EXCEL_ENDINGS",
    "JSON_LINES_ENDINGS",
    "STATISTICS_ENDINGS",
    "TABLE_ENDINGS",
]

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
    ".csv", ".tsv", ".parquet", ".jsonl", ".xlsx", ".dta", ".sav", ".sqlite", ".duckdb",
)  # fmt: skip
"""The endings that name a kind of table file that is written."""
