"""Databases: SQLite and DuckDB files, servers named by a connection string, releases as databases.

A query only looks, and it is the database that sees to it. Files are opened for reading alone, and
their query reads nothing but this file. A server, `postgresql://host/database`, is asked through
SQLAlchemy in a transaction that may only read, in which it runs the query as one statement: no
`COMMIT; DROP TABLE` ends the transaction.

A connection string can hold a password. So nothing of it is shown but its scheme and the name of
its database, and what a driver says is shown without its secret parts (`core/addresses.py`).
"""

import re
import shutil
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from sys import getsizeof
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

import polars as pl

from kanon_tui.core.addresses import HIDDEN, address_file, address_name, secrets_of
from kanon_tui.core.errors import InfrastructureError, InputError, KanonError, OnlyWithValues
from kanon_tui.core.optional import missing_package, require
from kanon_tui.core.table.atomic_files import (
    disk_failure,
    filled_by_path,
    work_folder,
    written_aside,
    written_together,
)
from kanon_tui.core.table.data_files import (
    byte_limit,
    check_limit,
    checked_file,
    chosen_part,
    too_large,
)
from kanon_tui.core.table.formats import DUCKDB, SQLITE, Contents, first_bytes, packing_of
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.reading_back import unread
from kanon_tui.core.table.typed_columns import printed_column, with_numbers, without_clocks

if TYPE_CHECKING:
    from kanon_tui.core.table.query_watch import QueryWatch

RELEASE_TABLE = "release"
"""The table of a database file that is a release."""
_HEAD = 32
_READS = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip
_ABOUT_THE_QUERY = (
    "CatalogException", "ParserException", "BinderException", "PermissionException",
    "InvalidInputException",
)  # fmt: skip
"""Errors of DuckDB that quote the query and no values."""
_READ_ONLY = {"enable_external_access": "false", "temp_directory": ""}
"""With these DuckDB reads and writes no other file, not even beside the database …"""
_LOCKED = "SET enable_progress_bar = false; SET lock_configuration = true"
"""… nor does a query change that; nothing is printed."""
_SQLITE_TABLES = (
    "SELECT name, type = 'view' FROM sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
)
_DUCKDB_TABLES = (
    "SELECT table_name, table_type = 'VIEW' FROM information_schema.tables WHERE table_catalog = "
    "current_database() AND table_schema = current_schema() ORDER BY table_name"
)
_LONGEST_CELL = 16_000_000
"""The most bytes of a cell or row of an SQLite file; a billion is what SQLite allows."""
_LEAST_MEMORY = 256_000_000
"""The least that DuckDB may take; less is not enough to open a file."""
_WRITE_BATCH = 50_000


def read(path: Path, options: ReadOptions) -> Contents:
    """Return the answer to the options' query, or the table `options.sheet`, else the first."""
    size = checked_file(path)
    head, _ = first_bytes(path, _HEAD)
    if SQLITE.has_mark(head):
        return _read_sqlite(path, options, size)
    if DUCKDB.has_mark(head):
        return _read_duckdb(path, options, size)
    if packing_of(head, path) is not None:
        raise InputError(f"{path.name} is a compressed database; unpack it first")
    raise InputError(
        f"{path.name} is neither an SQLite nor a DuckDB database; rename it if it is something else"
    )


def _read_sqlite(path: Path, options: ReadOptions, size: int) -> Contents:
    from kanon_tui.core.table.query_watch import STEPS, QueryWatch

    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    watch = QueryWatch(path, options.limit)
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
            connection.execute("PRAGMA temp_store = MEMORY")  # which the watch sees; a disk fills
            connection.set_progress_handler(watch, STEPS)
            tables = connection.execute(_SQLITE_TABLES).fetchall()
            # Called for every action of a query, which may read and not even attach a file.
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
            )
            query, table, names = _chosen_query(tables, path, options)
            cursor = connection.execute(query)
            columns = _columns_of(cursor)
            rows = _watched(batches(cursor), watch)
            answer = fetched(columns, rows, path.name, options)
            return Contents("sqlite", *answer, size, table, names)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if watch.refusal is not None:
            raise watch.refusal from None
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:  # by a signal whose handler raised
            raise KeyboardInterrupt from None
        if code == sqlite3.SQLITE_TOOBIG:
            raise too_large(path, options.limit) from None
        raise _refused(path, error, "decode" not in str(error)) from None


def _watched(
    batches_of_rows: Iterable[Sequence[Sequence[Any]]], watch: "QueryWatch"
) -> Iterator[Sequence[Sequence[Any]]]:
    """Yield batches, for each of which the watch waits anew."""
    for rows in batches_of_rows:
        yield rows
        watch.restart()


def _read_duckdb(path: Path, options: ReadOptions, size: int) -> Contents:
    from kanon_tui.core.table.query_watch import EXPANSION, interrupted_late, too_slow

    duckdb = require("duckdb", "reading a DuckDB database", path.name)
    place = str(path.resolve())
    most_memory = max(EXPANSION * byte_limit(options.limit) // 2, _LEAST_MEMORY)
    settings = {**_READ_ONLY, "memory_limit": f"{most_memory}B"}
    try:
        with closing(duckdb.connect(place, read_only=True, config=settings)) as connection:
            connection.execute(_LOCKED)
            tables = connection.execute(_DUCKDB_TABLES).fetchall()
            query, table, names = _chosen_query(tables, path, options)
            with interrupted_late(connection):  # which computes the whole answer
                connection.execute(query)
            rows = batches(iter(connection.fetchone, None))
            answer = fetched(_columns_of(connection), rows, path.name, options)
            return Contents("duckdb", *answer, size, table, names)
    except duckdb.OutOfMemoryException:
        raise too_large(path, options.limit) from None
    except duckdb.InterruptException:
        raise too_slow(path) from None
    except duckdb.Error as error:
        raise _refused(path, error, type(error).__name__ in _ABOUT_THE_QUERY) from None


def _chosen_query(
    tables: Sequence[tuple[str, bool]], path: Path, options: ReadOptions
) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the query to ask, the table it reads as a whole, and all tables and views.

    `tables` are names, each with whether it is a view, which is only read when it is named.
    """
    names = tuple(name for name, _ in tables)
    if options.query:
        return options.query, None, names
    without_views = [name for name, is_view in tables if not is_view]
    if options.sheet == "auto" and names and not without_views:
        raise InputError(
            f"{path.name} has views and no table; a view is read when it is named: data: "
            f"{{sheet: {names[0]}}}"
        )
    choice = options.sheet
    if choice == "auto" and without_views:
        choice = without_views[0]
    table = chosen_part(choice, names, path, "table")
    return f"SELECT * FROM {quoted(table)}", table, names


def _columns_of(cursor: Any) -> list[str]:
    """Return the names of the columns of an answer."""
    return [str(column[0]) for column in cursor.description or ()]


def quoted(name: str) -> str:
    """Return a name in SQL's quotes, whatever characters it holds."""
    return '"' + name.replace('"', '""') + '"'


def _refused(path: Path, error: Exception, may_quote: bool) -> InputError:
    """Return the error of a database; its own words only where they quote the query, no values."""
    lines = str(error).strip().splitlines()
    why = f" ({lines[0]})" if may_quote and lines else ""
    return InputError(
        f"{path.name} could not be read{why}; check the query, which may only select from the "
        "tables of this file"
    )


# ------------------------------------------------------------------------------------- writing
def put(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """Write a new database with the release as its only table, called release."""
    _check_capitals(table.columns, path.name)
    is_duckdb = path.suffix.lower() == ".duckdb"
    put_new = _put_duckdb if is_duckdb else _put_sqlite
    with _disk_failures(path):
        filled_by_path(file, path, lambda place: put_new(place, table, RELEASE_TABLE))


def reads_back(written: Path, table: pl.DataFrame, path: Path) -> bool:
    """Return whether the table of a database has the rows and columns of the release."""
    expected = table.shape if table.height else (0, 0)
    if path.suffix.lower() == ".duckdb":
        duckdb = require("duckdb", "reading a DuckDB database", path.name)
        with closing(duckdb.connect(str(written), read_only=True)) as connection:
            return _shape(connection.execute, RELEASE_TABLE) == expected
    with closing(sqlite3.connect(written)) as connection:
        return _shape(connection.execute, RELEASE_TABLE) == expected


def _shape(execute: Callable[[str], Any], name: str) -> tuple[int, int]:
    """Return the shape of a table of a database; `name` is as SQL has it, in quotes if need be."""
    rows = execute(f"SELECT count(*) FROM {name}").fetchone()[0]
    columns = execute(f"SELECT * FROM {name} LIMIT 1").fetchone()
    return int(rows), len(columns or ())


def _put_sqlite(place: Path, table: pl.DataFrame, name: str, force: bool = False) -> None:
    """Write a table into an SQLite file in one transaction, others of which wait for it."""
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")  # zeros over the release that is replaced
        connection.execute("BEGIN")
        _put_rows(connection.execute, connection.executemany, table, name, "?", force)
        connection.execute("COMMIT")


def _put_duckdb(place: Path, table: pl.DataFrame, name: str, force: bool = False) -> None:
    """Write a table into a DuckDB file and leave no log beside it."""
    duckdb = require("duckdb", "writing a DuckDB database", place.name)
    with closing(duckdb.connect(str(place))) as connection:
        connection.execute("BEGIN")
        _put_rows(connection.execute, connection.executemany, table, name, "?", force)
        connection.execute("COMMIT")
        connection.execute("CHECKPOINT")  # closing does so as well, and ignores a full disk


def _put_beside(file: Path, table: pl.DataFrame, name: str, force: bool) -> None:
    """Write a table into a copy of a DuckDB file, which then takes the place of the file.

    DuckDB lets one process at a time write, so that nothing of others is lost; a file that changed
    all the same is kept.
    """
    from kanon_tui.core.table.duckdb_copy import (
        check_carried_over,
        contents_without,
        copy_without,
        holds_table,
    )

    duckdb = require("duckdb", "writing a DuckDB database", file.name)
    with work_folder(file) as folder:
        draft = folder / "release.duckdb"
        with closing(duckdb.connect(str(file))) as connection:  # refused while another has it open
            connection.execute("CHECKPOINT")
            before = _state_of(file)
            kept_contents = contents_without(connection, name)
            is_replaced = force and holds_table(connection, name)
            if is_replaced:
                copy_without(connection, draft, name, _is_disk_failure)
        if not is_replaced:
            shutil.copyfile(file, draft)
        _put_duckdb(draft, table, name, force)
        with closing(duckdb.connect(str(draft), read_only=True)) as connection:
            shape = _shape(connection.execute, quoted(name))
            check_carried_over(kept_contents, contents_without(connection, name), name)
        if table.height and shape != table.shape:
            raise unread(file, table)
        if _state_of(file) != before:
            raise InputError(
                f"{file} was changed by another program meanwhile and is kept; try again"
            )
        with written_together((file,), force=True, finished={file: draft}):
            pass


def _state_of(file: Path) -> tuple[int, int, int]:
    about = file.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


@contextmanager
def _disk_failures(path: Path | str) -> Iterator[None]:
    """Turn what the libraries say of a full or failing disk into a sentence."""
    try:
        yield
    except Exception as error:  # sqlite3 and duckdb have no error in common
        if _is_disk_failure(error):
            raise disk_failure(path) from None
        raise


def _is_disk_failure(error: Exception) -> bool:
    """Return whether a library says that the disk is full or fails."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    if code & 0xFF in _SQLITE_DISK_FAILURES:
        return True
    return _DUCKDB_DISK_FAILURE.search(str(error)) is not None


_SQLITE_DISK_FAILURES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_DUCKDB_DISK_FAILURE = re.compile(
    r"Could not (write|sync|truncate|fsync)|No space left on device|File too large"
)


_SQL_KINDS: dict[object, str] = {pl.Int64: "BIGINT", pl.Float64: "DOUBLE PRECISION"}


def _put_rows(
    execute: Any, execute_many: Any, table: pl.DataFrame, name: str, mark: str, force: bool
) -> None:
    """Write columns of numbers as numbers and others as texts; an empty number is NULL."""
    rows = with_numbers(table)
    kinds = {column: _SQL_KINDS.get(kind, "VARCHAR") for column, kind in rows.schema.items()}
    declared = ", ".join(f"{quoted(column)} {kind}" for column, kind in kinds.items())
    if force:
        execute(f"DROP TABLE IF EXISTS {quoted(name)}")
    execute(f"CREATE TABLE {quoted(name)} ({declared})")
    places = ", ".join([mark] * rows.width)
    for start in range(0, rows.height, _WRITE_BATCH):
        batch = rows.slice(start, _WRITE_BATCH).rows()
        execute_many(f"INSERT INTO {quoted(name)} VALUES ({places})", batch)
    written_rows = execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0]
    if written_rows != rows.height:
        raise unread(f"the table {name}", table)


def _check_capitals(names: Sequence[str], who: str) -> None:
    """Refuse names of columns that differ in capitals alone, which most databases ignore."""
    names_by_lower: dict[str, str] = {}
    for name in names:
        namesake = names_by_lower.setdefault(name.lower(), name)
        if namesake != name:
            raise InputError(
                f"{who}: the columns '{namesake}' and '{name}' differ in capitals alone, which the "
                "database does not distinguish; rename one with data: {rename: …}, or write a file"
            )


def write_address(address: str, table: pl.DataFrame, force: bool = False) -> None:
    """Write a release as a table of a database, whole or not at all.

    The table is named after a `#`, as in `postgresql://host/clinic#release`, which is the default.
    One of this name is kept, unless `force` replaces it, in the same transaction.
    """
    table = table.with_columns(pl.selectors.enum().cast(pl.String))
    address, _, name = address.partition("#")
    name = name or RELEASE_TABLE
    who = address_name(address)
    file = address_file(address)
    remedy = f"check the address, and that there is no table '{name}', which --force replaces"
    if file is not None:
        _check_capitals(table.columns, who)
        if not file.parent.is_dir():
            raise InputError(f"{who}: the folder of this file does not exist; create it first")
        try:
            with _disk_failures(who):
                _write_into(file, address.lower().startswith("duckdb"), table, name, force)
        except KanonError:
            raise
        except Exception as error:  # sqlite3 and duckdb have no error in common
            why = OnlyWithValues(f" ({str(error).splitlines()[0]})")
            raise InputError(f"{who}: nothing was written{why}; {remedy}") from None
        return
    if not address.startswith("postgresql"):
        raise InputError(
            f"{who}: releases are written into PostgreSQL, SQLite and DuckDB databases, whose "
            "transactions create tables; write a file and load it there"
        )
    sql = require("sqlalchemy", "writing into a database", who)
    engine = _engine(sql, address, who)
    escaped = table.rename(lambda column: column.replace("%", "%%"))
    try:
        with engine.begin() as connection:
            run = connection.exec_driver_sql
            _put_rows(run, run, escaped, name.replace("%", "%%"), "%s", force)
    except sql.exc.SQLAlchemyError as error:
        raise _server_error(error, address, who, remedy) from None
    finally:
        engine.dispose()


def _write_into(file: Path, is_duckdb: bool, table: pl.DataFrame, name: str, force: bool) -> None:
    """Write a table into the database file of an address, or a new one with the table alone."""
    if file.exists():
        put_beside = _put_beside if is_duckdb else _put_sqlite
        put_beside(file, table, name, force)
        return
    put_new = _put_duckdb if is_duckdb else _put_sqlite
    with written_aside(file) as aside:
        filled_by_path(aside, file, lambda place: put_new(place, table, name))


BATCH = 20_000
"""The most rows of a batch."""
BATCH_BYTES = 32_000_000
"""The bytes of the rows of a batch, to which the last row may add."""
_FIRST_BATCH = 1_000
_BYTES_PER_CELL = 16


def batches(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Sequence[Any]]]:
    """Yield the rows of a cursor or result in batches of so many rows, or bytes, at most."""
    batch: list[Sequence[Any]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(map(getsizeof, row))
        if size > BATCH_BYTES or len(batch) == BATCH:
            yield batch
            batch = []
            size = 0
    if batch:
        yield batch


def _next_batch(batch: Sequence[Sequence[Any]]) -> int:
    """Return the number of rows to ask for after a batch: twice as many, if they are small."""
    longest = max(sum(map(getsizeof, row)) for row in batch)
    return max(1, min(BATCH, 2 * len(batch), BATCH_BYTES // max(longest, 1)))


def fetched(
    names: Sequence[str], rows_of: Iterable[Sequence[Sequence[Any]]], who: str, options: ReadOptions
) -> tuple[list[pl.Series], list[str]]:
    """Return columns and names of an answer; refuse one that grows beyond the limit."""
    if not names:
        raise InputError(f"{who}: the query gives no rows; write one that selects records")
    parts: list[list[pl.Series]] = [[] for _ in names]
    moments = [False] * len(names)
    taken = 0
    for rows in rows_of:
        for place, values in enumerate(zip(*rows, strict=True)):
            column = printed_column(values, names[place], who)
            moments[place] |= any(isinstance(value, datetime) for value in values)
            parts[place].append(column)
            taken += int(column.str.len_bytes().sum()) + _BYTES_PER_CELL * len(values)
        check_limit(taken, Path(who), options.limit)
    columns = [
        pl.concat(column_parts) if column_parts else pl.Series(dtype=pl.String)
        for column_parts in parts
    ]
    printed = [
        without_clocks(column) if clocks else column
        for column, clocks in zip(columns, moments, strict=True)
    ]
    return printed, list(names)


_TRANSACTION_STATE = "25"
"""The beginning of the SQL state of errors about a read-only transaction."""
_SERVER_FAILURES = ("53", "58")
"""The beginnings of the SQL states of a full disk or memory, and of a failing system."""
_OPEN_CURSOR = """DO $$ DECLARE answer refcursor := 'kanon_answer'; BEGIN
OPEN answer FOR EXECUTE current_setting('kanon.query'); END $$"""
"""PostgreSQL opens a cursor for one statement that selects, and for nothing else."""


def read_address(address: str, options: ReadOptions) -> Contents:
    """Return the answer of the database at an address to the query of the options."""
    who = address_name(address)
    file = address_file(address)
    if file is not None:
        if not file.is_file():
            raise InputError(
                f"{who}: there is no such file; check the path: three slashes stand before one "
                "from the current folder (sqlite:///a.db), four before one from the root"
            )
        return read(file, options)
    with answering(address, options) as (names, rows):
        return Contents("database", *fetched(names, rows, who, options), 0)


Answer = tuple[list[str], Iterator[Sequence[Sequence[Any]]]]
_NO_DATABASES = (
    "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "hdfs", "http", "https", "ftp", "sftp", "file",
)  # fmt: skip


@contextmanager
def answering(address: str, options: ReadOptions) -> Iterator[Answer]:
    """Yield the names and the batches of rows of a server's answer to the query of the options."""
    who = address_name(address)
    scheme = address.partition("://")[0].lower()
    if scheme in _NO_DATABASES:
        raise InputError(
            f"{scheme}:// names files of another machine, which a project may not; name it on the "
            "command line (kanon-tui run s3://…, gs://…, az://…, https://…), or copy "
            "them here (aws s3 cp, gsutil cp, curl -O …) or mount them, and name the file or folder"
        )
    sql = require("sqlalchemy", "reading a database", who)
    if not options.query:
        raise InputError(
            f"{who}: nothing says what to read of the database; write data: {{query: SELECT …}}"
        )
    engine = _engine(sql, address, who)
    ask = {"postgresql": _ask_postgresql, "mysql": _ask_mysql, "mariadb": _ask_mysql}
    try:
        with engine.connect() as connection:  # nothing is committed: it is rolled back at the end
            yield ask.get(engine.dialect.name, _ask)(sql, connection, options.query)
    except sql.exc.SQLAlchemyError as error:
        raise _server_error(error, address, who, "check address and query") from None
    finally:
        engine.dispose()


def _ask(sql: Any, connection: Any, query: str) -> Answer:
    """Return names and rows of the answer of a server of any kind."""
    streaming = connection.execution_options(no_parameters=True, stream_results=True)
    result = streaming.exec_driver_sql(query)
    # Not through its cursor, from which SQLAlchemy has already taken rows.
    return list(result.keys()) if result.returns_rows else [], batches(result)


def _ask_postgresql(sql: Any, connection: Any, query: str) -> Answer:
    reading = connection.execution_options(postgresql_readonly=True)
    reading.execute(sql.text("SELECT set_config('kanon.query', :query, true)"), {"query": query})
    reading.exec_driver_sql(_OPEN_CURSOR)
    first = reading.exec_driver_sql(f"FETCH {_FIRST_BATCH} FROM kanon_answer")

    def rows() -> Iterator[Sequence[Sequence[Any]]]:
        batch = first.fetchall()
        while batch:
            yield batch
            fetch = f"FETCH {_next_batch(batch)} FROM kanon_answer"
            batch = reading.exec_driver_sql(fetch).fetchall()

    return list(first.keys()), rows()


def _ask_mysql(sql: Any, connection: Any, query: str) -> Answer:
    connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
    connection.execute(sql.text("SET @kanon_query = :query"), {"query": query})
    connection.exec_driver_sql("PREPARE kanon_answer FROM @kanon_query")  # one statement at most
    return _ask(sql, connection, "EXECUTE kanon_answer")


def _engine(sql: Any, address: str, who: str) -> Any:
    try:
        with warnings.catch_warnings():  # they quote the address
            warnings.simplefilter("ignore")
            return sql.create_engine(address)
    except ModuleNotFoundError as error:
        raise missing_package(error, error.name or "", "connecting to this database", who) from None
    except (sql.exc.NoSuchModuleError, sql.exc.ArgumentError, ValueError):
        raise InputError(
            f"{who}: this is no connection string of a known database; write one like "
            "postgresql+psycopg://host/database, mysql+pymysql://host/database or sqlite:///file.db"
        ) from None


def _server_error(error: Any, address: str, who: str, remedy: str) -> KanonError:
    """Return the error of a server; one that is lost or full is no mistake of the project."""
    sentence = f"{who}: {_driver_message(error, address)}"
    if _sql_state(error).startswith(_SERVER_FAILURES):
        return InfrastructureError(f"{sentence}; make room on the server, and try again")
    connection_lost = bool(getattr(error, "connection_invalidated", False))
    return (InfrastructureError if connection_lost else InputError)(f"{sentence}; {remedy}")


def _sql_state(error: Any) -> str:
    """Return the code of a server's error, of five letters; empty where the driver tells none."""
    orig = getattr(error, "orig", None)
    return str(getattr(orig, "sqlstate", None) or getattr(orig, "pgcode", None) or "")


def _driver_message(error: Any, address: str) -> str:
    """Return a driver's message without secrets, and only if it cannot quote values of the data."""
    kind = type(error).__name__
    orig = getattr(error, "orig", None)
    code = _sql_state(error)
    about_the_query = kind in ("OperationalError", "ProgrammingError", "InterfaceError")
    if not about_the_query and not code.startswith(_TRANSACTION_STATE):
        return f"the database did not answer ({kind})"
    lines = str(orig or "").strip().splitlines()
    if not lines:
        return f"the database did not answer ({kind})"
    message = lines[0]
    for secret in secrets_of(address):
        message = message.replace(secret, HIDDEN)
    return f"the database says: {message}"
