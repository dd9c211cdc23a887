"""Database files: a table or a query of SQLite and DuckDB, and a release as a table of a new one.

A file is opened for reading alone, and its query reads nothing but this file.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import polars as pl

from kanon_tui.core.data.content import checked_file
from kanon_tui.core.data.contents import Contents
from kanon_tui.core.data.database_rows import batches, fetched
from kanon_tui.core.data.excel import chosen_part
from kanon_tui.core.data.extras import extra_module
from kanon_tui.core.data.number_columns import numbers_of
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.data.whole_files import filled_by_path
from kanon_tui.core.errors import InputError

__all__ = ["put_database", "read_database_file"]

_SQLITE = b"SQLite format 3\0"
_DUCKDB, _DUCKDB_PLACE = b"DUCK", 8
_MAY = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip
_ABOUT_THE_QUERY = (
    "CatalogException", "ParserException", "BinderException", "PermissionException",
    "InvalidInputException",
)  # fmt: skip
"""Errors of DuckDB that quote the query and no values."""
_LOOKS_ONLY = {"enable_external_access": "false", "lock_configuration": "true"}
"""What DuckDB then refuses: other files, the network, and settings that would write a file."""
_TABLE = "release"
_BATCH = 50_000


def read_database_file(path: Path, options: ReadOptions) -> Contents:
    """The query of the options, or a table: that of `options.sheet`, else the first."""
    size = checked_file(path)
    with path.open("rb") as file:
        head = file.read(len(_SQLITE))
    if head == _SQLITE:
        return _read_sqlite(path, options, size)
    if head[_DUCKDB_PLACE:].startswith(_DUCKDB):
        return _read_duckdb(path, options, size)
    raise InputError(
        f"{path.name} is neither an SQLite nor a DuckDB database; rename it if it is something else"
    )


def _read_sqlite(path: Path, options: ReadOptions, size: int) -> Contents:
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True)
        try:
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
            ).fetchall()
            # Called for everything that a query would do: it may look, and attach nothing.
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _MAY else sqlite3.SQLITE_DENY
            )
            query, part, parts = _query(options, tuple(name for (name,) in tables), path)
            cursor = connection.execute(query)
            names, columns = fetched(_names(cursor), batches(cursor), path.name, options)
        finally:
            connection.close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _refused(path, error, "decode" not in str(error)) from None
    return Contents("sqlite", columns, names, size, part, parts)


def _read_duckdb(path: Path, options: ReadOptions, size: int) -> Contents:
    duckdb = extra_module("duckdb", "sql", path.name, "reading a DuckDB database")
    try:
        connection = duckdb.connect(str(path.resolve()), read_only=True, config=_LOOKS_ONLY)
        try:
            tables = connection.execute("SHOW TABLES").fetchall()
            query, part, parts = _query(options, tuple(name for (name,) in tables), path)
            cursor = connection.execute(query)
            names, columns = fetched(_names(cursor), batches(cursor), path.name, options)
        finally:
            connection.close()
    except duckdb.Error as error:
        raise _refused(path, error, type(error).__name__ in _ABOUT_THE_QUERY) from None
    return Contents("duckdb", columns, names, size, part, parts)


def _names(cursor: Any) -> list[str]:
    """Return the names of the columns of an answer; none where a statement has no answer."""
    return [str(each[0]) for each in cursor.description or ()]


def _query(
    options: ReadOptions, tables: tuple[str, ...], path: Path
) -> tuple[str, str | None, tuple[str, ...]]:
    """What is asked of the database, and which of its tables that is."""
    if options.query:
        return options.query, None, tables
    table = chosen_part(options.sheet, tables, path, "table")
    return f"SELECT * FROM {quoted(table)}", table, tables


def quoted(name: str) -> str:
    """A name as SQL writes one that may hold anything."""
    return '"' + name.replace('"', '""') + '"'


def _refused(path: Path, error: Exception, told: bool) -> InputError:
    """Why a database did not answer; its own words only where they quote the query, no values."""
    lines = str(error).strip().splitlines()
    why = f" ({lines[0]})" if told and lines else ""
    return InputError(
        f"{path.name} could not be read{why}; check the query, which may only select from the "
        "tables of this file"
    )


# ------------------------------------------------------------------------------------- writing
def put_database(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """A new database with the release as its only table, called release."""
    if path.suffix.lower() == ".duckdb":
        duckdb = extra_module("duckdb", "sql", path.name, "writing a DuckDB database")
        filled_by_path(file, path, lambda place: _put_rows(duckdb.connect(str(place)), table))
    else:
        filled_by_path(file, path, lambda place: _put_rows(sqlite3.connect(place), table))


_SQL_KINDS: dict[object, str] = {pl.Int64: "BIGINT", pl.Float64: "DOUBLE"}


def _put_rows(connection: Any, table: pl.DataFrame) -> None:
    """Columns of numbers as numbers, the others as texts; an empty number is NULL."""
    columns = []
    for column in table.iter_columns():
        numbers = numbers_of(column)
        columns.append(column if numbers is None else numbers)
    kinds = [_SQL_KINDS.get(type(column.dtype), "VARCHAR") for column in columns]
    declared = ", ".join(
        f"{quoted(column.name)} {kind}" for column, kind in zip(columns, kinds, strict=True)
    )
    try:
        connection.execute(f"CREATE TABLE {_TABLE} ({declared})")
        connection.execute("BEGIN")
        places = ", ".join("?" * len(columns))
        rows = pl.DataFrame(columns)
        for start in range(0, rows.height, _BATCH):
            connection.executemany(
                f"INSERT INTO {_TABLE} VALUES ({places})", rows.slice(start, _BATCH).rows()
            )
        connection.execute("COMMIT")
    finally:
        connection.close()
