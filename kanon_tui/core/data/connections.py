"""Databases that a connection string names, `postgresql://host/database`, through SQLAlchemy.

A connection string can hold a password. So nothing of it is shown but its scheme and the name of
its database (`address_name`), and what a driver says is shown without its secret parts.
"""

from __future__ import annotations

import re
import warnings
from typing import Any
from urllib.parse import unquote, unquote_plus

from kanon_tui.core.data.contents import Contents
from kanon_tui.core.data.database_rows import batches, fetched
from kanon_tui.core.data.extras import extra_module
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.errors import InputError

__all__ = ["address_name", "is_address", "misses_slashes", "read_address"]

_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*)://")
_WELL_FORMED = re.compile(
    r"[A-Za-z][\w+.-]*://(?:[^@/?#]*@)?[\w.\[\]:-]*(?<!:)/(?P<database>[^@?#]*)(?:\?[^@]*)?"
)
_PORT_OR_NONE = re.compile(r"://(?:[^@/?#]*@)?[\w.-]*(?::\d*)?/")
_LOOKS_LIKE_ONE = re.compile(r"^\w[\w+.-]*:?/{1,2}[^/]*:[^/]*@")
_HIDDEN = "…"


def is_address(path: str) -> bool:
    """Whether a project names a database on a server rather than a file."""
    return _ADDRESS.match(path) is not None


def misses_slashes(path: str) -> bool:
    """Whether a text seems to be a connection string with a mistake, password and all."""
    return not is_address(path) and _LOOKS_LIKE_ONE.match(path) is not None


def address_name(address: str) -> str:
    """`postgresql-clinic`: scheme and database of a connection string, and nothing else of it."""
    found = _ADDRESS.match(address)
    scheme = found[1].partition("+")[0] if found else "database"
    form = _WELL_FORMED.fullmatch(address)
    if form is None or _PORT_OR_NONE.search(address) is None:
        return f"{scheme}-database"
    database = form["database"].rstrip("/").rpartition("/")[2]
    return f"{scheme}-{re.sub(r'[^A-Za-z0-9_.-]', '_', database) or 'database'}"


def read_address(address: str, options: ReadOptions) -> Contents:
    """What the query of the options gives."""
    who = address_name(address)
    sql = extra_module("sqlalchemy", "sql", who, "reading a database")
    if not options.query:
        raise InputError(
            f"{who}: nothing says what to read of the database; write data: {{query: SELECT …}}"
        )
    engine = _engine(sql, address, who)
    try:
        with engine.connect() as connection:  # nothing is committed: it is rolled back at the end
            asked = connection.execution_options(no_parameters=True, stream_results=True)
            result = asked.exec_driver_sql(options.query)
            # Not through its cursor: SQLAlchemy has taken rows from that already.
            asked_for = list(result.keys()) if result.returns_rows else []
            names, columns = fetched(asked_for, batches(result), who, options)
    except sql.exc.SQLAlchemyError as error:
        raise InputError(f"{who}: {_said(error, address)}; check address and query") from None
    finally:
        engine.dispose()
    return Contents("database", columns, names, 0)


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
            "postgresql://host/database, mysql+pymysql://host/database or sqlite:///file.db"
        ) from None


def _said(error: Any, address: str) -> str:
    """What a driver says, without what could be secret; of values of the data nothing."""
    kind = type(error).__name__
    if kind not in ("OperationalError", "ProgrammingError", "InterfaceError"):
        return f"the database did not answer ({kind})"
    lines = str(getattr(error, "orig", None) or "").strip().splitlines()
    if not lines:
        return f"the database did not answer ({kind})"
    said = lines[0]
    for secret in _secrets(address):
        said = said.replace(secret, _HIDDEN)
    return f"the database says: {said}"


def _secrets(address: str) -> list[str]:
    """User, password and parameters of a connection string, as written and as meant."""
    rest = address.partition("://")[2]
    before, _, parameters = rest.partition("?")
    user, _, password = before.rpartition("@")[0].partition(":")
    values = [each.partition("=")[2] for each in parameters.split("&")]
    written = [user, password, rest, address, *values]
    meant = [text for each in written for text in (each, unquote(each), unquote_plus(each))]
    return sorted({each for each in meant if len(each) > 1}, key=len, reverse=True)
