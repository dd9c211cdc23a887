"""Queries to a real PostgreSQL server: every row arrives, and nothing is changed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.pipeline.stream import stream
from kanon_tui.core.project.project import Project, project_from_mapping, project_to_text
from kanon_tui.core.table.databases import BATCH
from kanon_tui.core.table.table import Table
from tests.beyond_memory import small_pieces
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


def test_an_answer_is_streamed_in_pieces_like_a_table_in_memory(server: Server) -> None:
    query = (
        "SELECT id, age, note, DATE '2020-01-01' + age AS day, "
        "TIMESTAMP '2020-01-01' + age * INTERVAL '1 day' AS moment, "
        "TIMESTAMP '2020-01-01' + id * INTERVAL '1 second' AS clock, "
        'age / 7.0 AS share, NULLIF(age, 5) AS "Gap", gen_random_uuid() IS NULL AS no '
        "FROM many ORDER BY id"
    )
    data = {
        "path": server.address,
        "query": query,
        "where": {"age": "< 50"},
        "rename": {"no": "No"},
    }
    project = project_from_mapping({"data": data})
    table = project.read_data()
    assert 0 < table.height < MANY
    assert table.names[-2:] == ["Gap", "No"]
    with small_pieces(24_000_000, 7000):
        source = project.open_data(lambda _: None)
    assert len(source.pieces) > MANY // 7000
    pieces = [frame for piece in source.pieces for frame in source.read(piece)]
    assert pl.concat(pieces).equals(table.frame)
    assert {file.stat().st_mode & 0o077 for file in {source.files[0].parent.parent}} == {0}


def test_a_run_streams_an_answer(server: Server, tmp_path: Path) -> None:
    def project(engine: str) -> Project:
        return project_from_mapping(
            {
                "data": {"path": server.address, "query": "SELECT age, id % 9 AS d FROM people"},
                "attributes": {"age": {"role": "quasi"}, "d": {"role": "sensitive"}},
                "run": {"engine": engine},
            }
        )

    expected = anonymize(project("memory"))
    expected.write(tmp_path / "memory.csv")
    stream(project("stream"), tmp_path / "stream.csv")
    assert (tmp_path / "memory.csv").read_bytes() == (tmp_path / "stream.csv").read_bytes()


def test_a_wrong_password_is_shown_nowhere(server: Server, tmp_path: Path) -> None:
    """The server wants a password of ann, and gets another one."""
    rules = server.folder / "pg_hba.conf"
    rules.write_text("local all ann scram-sha-256\n" + rules.read_text())
    server.do("CREATE ROLE ann LOGIN PASSWORD 'right'", "SELECT pg_reload_conf()")
    address = f"postgresql+psycopg://ann:s3cr3tw0rd@/postgres?host={server.folder}"
    file = tmp_path / "p.yaml"
    file.write_text(f"data: {{path: '{address}', query: SELECT 1}}\n")
    state = tmp_path / "state"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "kanon_tui", "run", str(file), "--report", "r.json"],
        cwd=tmp_path, env={**os.environ, "HOME": str(state), "XDG_STATE_HOME": str(state)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "password authentication failed" in done.stderr
    others = [each for each in tmp_path.rglob("*") if each.is_file() and each != file]
    told = done.stdout + done.stderr + "".join(each.read_text(errors="replace") for each in others)
    assert "s3cr3tw0rd" not in told
    assert "Traceback" not in told


def test_environment_variables_keep_secrets_out_of_projects(server: Server) -> None:
    asked = project_from_mapping({"data": {"path": "${KANON_ADDRESS}", "query": "SELECT 1 AS one"}})
    with pytest.raises(InputError, match=r"environment variable KANON_ADDRESS.*--trust"):
        asked.read_data()
    with pytest.raises(InputError, match="KANON_ADDRESS is not set"):
        replace(asked, environment={}).read_data()
    trusted = replace(asked, environment={"KANON_ADDRESS": server.address})
    assert trusted.read_data().frame.item() == "1"
    assert server.address not in repr(trusted) + project_to_text(trusted) + str(trusted.title)


@pytest.mark.parametrize("scheme", ["s3", "gs", "https", "abfss"])
def test_files_of_other_machines_are_refused_with_a_way_around(scheme: str) -> None:
    project = project_from_mapping({"data": {"path": f"{scheme}://bucket/a.parquet"}})
    with pytest.raises(InputError, match=f"{scheme}:// names files of another machine.* copy them"):
        project.read_data()
