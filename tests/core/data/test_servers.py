"""Queries to a real PostgreSQL server: every row arrives, and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kanon_tui.core.data.database_rows import BATCH
from kanon_tui.core.data.table import Table
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import project_from_mapping
from tests.postgresql import Server, postgresql

pytestmark = pytest.mark.slow
MANY = 2 * BATCH


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgresql() as running:
        rows = "SELECT g AS id, g % 90 AS age, 'a%b:c' AS note FROM generate_series(1, {}) g"
        running.do(
            f"CREATE TABLE people AS {rows.format(5000)}",
            f"CREATE TABLE many AS {rows.format(MANY)}",
            f"CREATE TABLE one AS {rows.format(1)}",
            f"CREATE TABLE none AS {rows.format(0)}",
            "CREATE SEQUENCE numbers",
            "CREATE VIEW old AS SELECT * FROM people WHERE age > 65",
        )
        yield running


def read(server: Server, query: str, **more: Any) -> Table:
    data = {"path": server.address, "query": query, **more}
    return project_from_mapping({"data": data}).read_data()


@pytest.mark.parametrize("table", ["people", "many", "one", "old"])
def test_as_many_records_as_the_database_counts(table: str, server: Server) -> None:
    found = read(server, f"SELECT * FROM {table} ORDER BY id")
    assert found.height == server.count(table)
    first = read(server, f"SELECT min(id) AS least FROM {table}").frame.item()
    assert found.frame["id"][0] == first
    assert found.frame["id"].n_unique() == found.height


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM people LIMIT 10",
        "SELECT id FROM people WHERE note LIKE 'a%b:c' AND id <= 1234",
        "SELECT id FROM people WHERE id = 1",
        "SELECT age, count(*) AS n FROM people GROUP BY age",
        "WITH young AS (SELECT * FROM people WHERE age < 18) SELECT * FROM young",
        f"SELECT id FROM many LIMIT {BATCH}",
        f"SELECT id FROM many LIMIT {BATCH + 1}",
    ],
)
def test_a_query_gives_what_the_database_counts(query: str, server: Server) -> None:
    assert read(server, query).height == server.count(f"({query}) AS asked")


def test_an_answer_without_records_and_one_that_is_too_large(server: Server) -> None:
    with pytest.raises(InputError, match="has no records"):
        read(server, "SELECT * FROM none")
    with pytest.raises(InputError, match="holds more than 50 bytes"):
        read(server, "SELECT * FROM people", limit=50)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("DROP TABLE people", "cannot open DROP TABLE"),
        ("INSERT INTO people VALUES (0, 0, '')", "cannot open INSERT"),
        ("INSERT INTO people VALUES (0, 0, '') RETURNING id", "read-only transaction"),
        ("WITH d AS (DELETE FROM people RETURNING *) SELECT * FROM d", "read-only transaction"),
        ("SELECT * INTO copied FROM people", "cannot open|read-only"),
        ("SELECT 1; COMMIT; DROP TABLE people", "multi-query"),
        ("COMMIT; DROP TABLE people", "multi-query"),
        ("COMMIT", "cannot open COMMIT"),
        ("SET TRANSACTION READ WRITE", "cannot open SET"),
        ("SELECT set_config('transaction_read_only', 'off', false)", "read-write mode"),
        ("SELECT nextval('numbers')", "read-only transaction"),
        ("COPY people TO '/tmp/kanon-copied.csv'", "cannot open COPY"),
        ("SELECT none_such FROM people", "none_such"),
    ],
)
def test_a_query_changes_nothing(query: str, why: str, server: Server) -> None:
    before = server.count("people"), server.count("pg_class")
    with pytest.raises(InputError, match=f"postgresql-postgres: the database says: .*{why}"):
        read(server, query)
    assert (server.count("people"), server.count("pg_class")) == before
