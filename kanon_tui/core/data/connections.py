"""Databases that a connection string names, `postgresql://host/database`, through SQLAlchemy.

A query only looks, and it is the database that sees to it. `sqlite:///` and `duckdb:///` name
files, which are opened for reading alone (`databases`). A server gets a transaction that may only
read, in which it runs the query as one statement: no `COMMIT; DROP TABLE` ends the transaction.

A connection string can hold a password. So nothing of it is shown but its scheme and the name of
its database, and what a driver says is shown without its secret parts (`core/addresses.py`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from kanon_tui.core.addresses import HIDDEN, address_file, address_name, secrets_of
from kanon_tui.core.data.contents import Contents
from kanon_tui.core.data.database_rows import BATCH, batches, fetched
from kanon_tui.core.data.databases import read_database_file
from kanon_tui.core.data.extras import extra_module
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.errors import InputError

__all__ = ["read_address"]

_TRANSACTION_STATE = "25"
"""What codes of errors begin with that tell of a transaction which may only read."""
_OPEN_CURSOR = """DO $$ DECLARE answer refcursor := 'kanon_answer'; BEGIN
OPEN answer FOR EXECUTE current_setting('kanon.query'); END $$"""
"""PostgreSQL opens a cursor for one statement that selects, and for nothing else."""


def read_address(address: str, options: ReadOptions) -> Contents:
    """Return what the query of the options gives."""
    who = address_name(address)
    file = address_file(address)
    if file is not None:
        if not file.is_file():
            raise InputError(
                f"{who}: there is no such file; check the path: three slashes stand before one "
                "from the current folder (sqlite:///a.db), four before one from the root"
            )
        return read_database_file(file, options)
    sql = extra_module("sqlalchemy", "sql", who, "reading a database")
    if not options.query:
        raise InputError(
            f"{who}: nothing says what to read of the database; write data: {{query: SELECT …}}"
        )
    engine = _engine(sql, address, who)
    ask = {"postgresql": _ask_postgresql, "mysql": _ask_mysql, "mariadb": _ask_mysql}
    try:
        with engine.connect() as connection:  # nothing is committed: it is rolled back at the end
            names, rows = ask.get(engine.dialect.name, _ask)(sql, connection, options.query)
            names, columns = fetched(names, rows, who, options)
    except sql.exc.SQLAlchemyError as error:
        raise InputError(f"{who}: {_said(error, address)}; check address and query") from None
    finally:
        engine.dispose()
    return Contents("database", columns, names, 0)


Answer = tuple[list[str], Iterator[Sequence[Sequence[Any]]]]


def _ask(sql: Any, connection: Any, query: str) -> Answer:
    """Return names and rows of what a server gives of which nothing else is known."""
    asked = connection.execution_options(no_parameters=True, stream_results=True)
    result = asked.exec_driver_sql(query)
    # Not through its cursor: SQLAlchemy has taken rows from that already.
    return list(result.keys()) if result.returns_rows else [], batches(result)


def _ask_postgresql(sql: Any, connection: Any, query: str) -> Answer:
    reading = connection.execution_options(postgresql_readonly=True)
    reading.execute(sql.text("SELECT set_config('kanon.query', :query, true)"), {"query": query})
    reading.exec_driver_sql(_OPEN_CURSOR)
    fetch = f"FETCH {BATCH} FROM kanon_answer"
    first = reading.exec_driver_sql(fetch)

    def rows() -> Iterator[Sequence[Sequence[Any]]]:
        batch = first.fetchall()
        while batch:
            yield batch
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
        raise InputError(
            f"{who}: the driver of this database is not installed; pip install {error.name}"
        ) from None
    except (sql.exc.NoSuchModuleError, sql.exc.ArgumentError, ValueError):
        raise InputError(
            f"{who}: this is no connection string of a known database; write one like "
            "postgresql+psycopg://host/database, mysql+pymysql://host/database or sqlite:///file.db"
        ) from None


def _said(error: Any, address: str) -> str:
    """What a driver says, without what could be secret; of values of the data nothing."""
    kind = type(error).__name__
    orig = getattr(error, "orig", None)
    code = str(getattr(orig, "sqlstate", None) or getattr(orig, "pgcode", None))
    about_the_query = kind in ("OperationalError", "ProgrammingError", "InterfaceError")
    if not about_the_query and not code.startswith(_TRANSACTION_STATE):
        return f"the database did not answer ({kind})"
    lines = str(orig or "").strip().splitlines()
    if not lines:
        return f"the database did not answer ({kind})"
    said = lines[0]
    for secret in secrets_of(address):
        said = said.replace(secret, HIDDEN)
    return f"the database says: {said}"
