"""Copying a DuckDB file into a fresh one without a table: a file keeps what was deleted from it.

A table that is dropped stays readable in the blocks of its file. So a release that is replaced goes
by writing everything else into a new file: schemas, types, sequences, functions, tables, indexes
and views as DuckDB copies them, then the rows of every table, those that others refer to first.
"""

from collections.abc import Callable
from contextlib import suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError, OnlyWithValues

_ABOUT = {
    "schema": "SELECT schema_name, comment FROM duckdb_schemas() WHERE NOT internal",
    "type": "SELECT schema_name, type_name, logical_type, labels, comment FROM duckdb_types() "
    "WHERE NOT internal",
    "sequence": "SELECT schema_name, sequence_name, last_value, sql, comment "
    "FROM duckdb_sequences() WHERE true",
    "function": "SELECT schema_name, function_name, parameters, macro_definition, comment "
    "FROM duckdb_functions() WHERE NOT internal",
    "table": "SELECT schema_name, table_name, sql, comment FROM duckdb_tables() WHERE NOT internal",
    "view": "SELECT schema_name, view_name, sql, comment FROM duckdb_views() WHERE NOT internal",
    "index": "SELECT schema_name, index_name, sql, comment, table_name FROM duckdb_indexes() "
    "WHERE true",
    "comment on a column": "SELECT schema_name, table_name, column_name, comment "
    "FROM duckdb_columns() WHERE comment IS NOT NULL AND NOT internal",
}
"""What a database holds besides rows, each with its schema and its name first."""
_TABLES = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
_REFERENCES = (
    "SELECT schema_name, table_name, referenced_table FROM duckdb_constraints() "
    "WHERE referenced_table IS NOT NULL"
)
_VERSION = (
    "SELECT tags['storage_version'] FROM duckdb_databases() "
    "WHERE database_name = current_database()"
)
_BLOCK_SIZE = (
    "SELECT block_size FROM pragma_database_size() WHERE database_name = current_database()"
)
_HERE = " AND database_name = ?"
_MAIN = "main"
_DRAFT = "kanon_draft"

Contents = dict[tuple[str, str, str], object]
"""What is known of every object of a database, by its kind, schema and name."""


def holds_table(connection: Any, name: str) -> bool:
    """Return whether the database of a connection has a table of this name, in any capitals."""
    tables = connection.execute(_TABLES + _HERE, [_database(connection)]).fetchall()
    return (_MAIN, name.lower()) in [(schema, table.lower()) for schema, table in tables]


def contents_without(connection: Any, left_out: str) -> Contents:
    """Return what a database holds beside a table: definitions, and a sum over each table's rows.

    The sum has the number of the rows and of their hashes, in any order.
    """
    database = _database(connection)
    contents: Contents = {}
    for kind, query in _ABOUT.items():
        for row in connection.execute(query + _HERE, [database]).fetchall():
            of_table = row[4] if kind == "index" else row[1]
            is_of_tables = kind in ("table", "index", "comment on a column")
            if is_of_tables and (row[0], of_table.lower()) == (_MAIN, left_out.lower()):
                continue
            name = f"{row[1]}.{row[2]}" if kind == "comment on a column" else row[1]
            contents[kind, row[0], name] = row
    for kind, schema, name in list(contents):
        if kind == "table":
            place = f"{_quoted(database)}.{_quoted(schema)}.{_quoted(name)}"
            rows = f"SELECT count(*), sum(hash(kanon_row)::HUGEINT) FROM {place} AS kanon_row"
            contents["rows of the table", schema, name] = connection.execute(rows).fetchone()
    return contents


def copy_without(connection: Any, draft: Path, left_out: str, passes: Callable[..., bool]) -> None:
    """Write a fresh file with everything in the database of a connection but a table.

    An error for which `passes` is true is raised as it is; after any other the table cannot be
    replaced, and a sentence says what stands against it.
    """
    database = _database(connection)
    what = "what it holds"
    try:
        connection.execute(_attachment(connection, draft))
        connection.execute(f"COPY FROM DATABASE {_quoted(database)} TO {_DRAFT} (SCHEMA)")
        what = f"its table '{left_out}'"
        connection.execute(f"DROP TABLE {_DRAFT}.{_MAIN}.{_quoted(left_out)}")
        for schema, table in _in_order_of_references(connection, database):
            if (schema, table.lower()) == (_MAIN, left_out.lower()):
                continue
            what = f"its table '{table}'"
            _copy_rows(connection, database, schema, table)
        connection.execute(f"CHECKPOINT {_DRAFT}")
        connection.execute(f"DETACH {_DRAFT}")
    except Exception as error:
        if passes(error):
            raise
        reason = str(error).splitlines()[0]
        raise _not_carried_over(left_out, what, OnlyWithValues(f" ({reason})")) from None
    finally:
        with suppress(Exception):  # it is detached, or the connection is broken
            connection.execute(f"DETACH {_DRAFT}")


def _attachment(connection: Any, draft: Path) -> str:
    """Return the statement that makes a file of the version and blocks of the open one."""
    place = str(draft).replace("'", "''")
    version = connection.execute(_VERSION).fetchone()[0]
    block = connection.execute(_BLOCK_SIZE).fetchone()[0]
    of_version = f", STORAGE_VERSION '{version.rstrip('+')}'" if version else ""
    return f"ATTACH '{place}' AS {_DRAFT} (BLOCK_SIZE {int(block)}{of_version})"


def check_carried_over(before: Contents, after: Contents, left_out: str) -> None:
    """Refuse a draft in which anything differs from the contents that it was made of."""
    for kind, schema, name in [*before, *after]:
        if before.get((kind, schema, name)) != after.get((kind, schema, name)):
            place = name if schema == _MAIN else f"{schema}.{name}"
            raise _not_carried_over(left_out, f"its {kind} '{place}'", OnlyWithValues(""))


def _not_carried_over(left_out: str, what: str, reason: OnlyWithValues) -> InputError:
    return InputError(
        f"the table '{left_out}' was not replaced: a DuckDB file keeps what is deleted from it, "
        f"and {what} cannot be carried over into a fresh file{reason}; write the release under "
        "another name, or into a file of its own"
    )


def _in_order_of_references(connection: Any, database: str) -> list[tuple[str, str]]:
    """Return schema and name of every table, after those that its foreign keys name."""
    order: TopologicalSorter[tuple[str, str]] = TopologicalSorter()
    for schema, table in connection.execute(_TABLES + _HERE, [database]).fetchall():
        order.add((schema, table))
    for schema, table, referenced_table in connection.execute(
        _REFERENCES + _HERE, [database]
    ).fetchall():
        if table != referenced_table:
            order.add((schema, table), (schema, referenced_table))
    return list(order.static_order())


def _copy_rows(connection: Any, database: str, schema: str, table: str) -> None:
    """Insert the rows of a table into the draft; columns that are computed are not stored."""
    place = f"{_quoted(schema)}.{_quoted(table)}"
    of_columns = "SELECT column_name FROM duckdb_columns() WHERE schema_name = ? AND table_name = ?"
    columns = connection.execute(
        f"{of_columns}{_HERE} ORDER BY column_index", [schema, table, database]
    ).fetchall()
    storage = "SELECT DISTINCT column_name FROM pragma_storage_info(?)"
    stored = set(connection.execute(storage, [f"{_quoted(database)}.{place}"]).fetchall())
    names = ", ".join(_quoted(column) for (column,) in columns if (column,) in stored)
    if names:
        source = f"{_quoted(database)}.{place}"
        connection.execute(f"INSERT INTO {_DRAFT}.{place} ({names}) SELECT {names} FROM {source}")


def _database(connection: Any) -> str:
    name: str = connection.execute("SELECT current_database()").fetchone()[0]
    return name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
