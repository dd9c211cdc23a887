"""Releases as compressed files and as tables of databases."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.databases import write_address
from kanon_tui.core.table.duckdb_copy import check_carried_over, contents_without
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target, write_table
from tests.postgresql import Server, postgresql

RELEASE = pl.DataFrame(
    {
        "Age": ["[20..29]", "[20..29]", "*"],
        'a "b" %s': ["1", "", "30"],
        "x": ["0.5", "1", "2"],
        "city": pl.Series(["Rome", "", "Röm"], dtype=pl.Enum(["Rome", "", "Röm"])),
    }
)


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.zst"])
def test_compressed_csv_reads_back_and_has_the_same_bytes_every_time(
    tmp_path: Path, ending: str
) -> None:
    one = tmp_path / f"one{ending}"
    two = tmp_path / f"two{ending}"
    for path in (one, two):
        write_table(path, RELEASE)
    assert one.read_bytes() == two.read_bytes()
    write_table(tmp_path / "plain.csv", RELEASE)
    plain = read_table(tmp_path / "plain.csv").frame
    assert read_table(one).frame.equals(plain)
    if ending == ".csv.gz":
        assert gzip.decompress(one.read_bytes()) == (tmp_path / "plain.csv").read_bytes()
    with pytest.raises(InputError, match="end in"):
        write_table(tmp_path / "a.gz", RELEASE)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_table_in_a_database_file_is_added_beside_others(tmp_path: Path, scheme: str) -> None:
    file = tmp_path / f"clinic.{scheme}"
    address = f"{scheme}:////{str(file).lstrip('/')}"
    write_address(f"{address}#first", RELEASE)
    write_address(f"{address}#second", RELEASE.head(1))
    with pytest.raises(
        InputError, match=r"nothing was written; .* 'first', which --force replaces"
    ):
        write_address(f"{address}#first", RELEASE.head(1))
    data = {"path": str(file), "sheet": "first"}
    found = project_from_mapping({"data": data}).read_data()
    assert found.names == RELEASE.columns
    assert found.frame["Age"].to_list() == RELEASE["Age"].to_list()
    assert found.frame["x"].to_list() == ["0.5", "1", "2"]
    write_address(f"{address}#first", RELEASE.tail(1), force=True)
    again = project_from_mapping({"data": data}).read_data()
    assert again.height == 1
    assert set(again.facts.parts) == {"first", "second"}


def test_what_fails_halfway_leaves_the_old_table(tmp_path: Path) -> None:
    file = tmp_path / "clinic.db"
    address = f"sqlite:////{str(file).lstrip('/')}"
    write_address(address, RELEASE)
    with pytest.raises(InputError, match="'Class' and 'class' differ in capitals alone"):
        write_address(address, pl.DataFrame({"Class": ["1"], "class": ["2"]}), force=True)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM release").fetchone() == (3,)
    with pytest.raises(InputError, match="'Class' and 'class' differ in capitals alone"):
        write_table(tmp_path / "a.sqlite", pl.DataFrame({"Class": ["1"], "class": ["2"]}))
    assert not (tmp_path / "a.sqlite").exists()


def test_targets_of_a_command_line(tmp_path: Path) -> None:
    target = Target.parse("postgresql://ann:secret@host/clinic#release")
    assert target.address
    assert "secret" not in str(target.path)
    assert not Target.parse("-").folder
    assert Target.parse("release").folder
    data = tmp_path / "a.db"
    data.touch()
    with pytest.raises(InputError, match="is read by this run"):
        Target.parse(f"sqlite:////{str(data).lstrip('/')}#x").check(True, [data])
    with pytest.raises(InputError, match="PostgreSQL, SQLite and DuckDB"):
        write_address("mysql+pymysql://host/clinic", RELEASE)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgresql() as running:
        yield running


@pytest.mark.slow
def test_a_release_is_written_into_postgresql_in_one_transaction(server: Server) -> None:
    write_address(f"{server.address}#Release 1", RELEASE)
    data = {"path": server.address, "query": 'SELECT * FROM "Release 1"'}
    found = project_from_mapping({"data": data}).read_data()
    assert found.names == RELEASE.columns
    assert found.frame['a "b" %s'].to_list() == ["1", "", "30"]
    assert found.frame["city"].to_list() == ["Rome", "", "Röm"]
    with pytest.raises(InputError, match=r"already exists.*--force replaces"):
        write_address(f"{server.address}#Release 1", RELEASE.head(1))
    wrong = pl.DataFrame({"a": ["x", "\0"]})  # PostgreSQL takes no NUL
    with pytest.raises(InputError):
        write_address(f"{server.address}#Release 1", wrong, force=True)
    assert server.count('"Release 1"') == 3
    write_address(f"{server.address}#Release 1", RELEASE.head(1), force=True)
    assert server.count('"Release 1"') == 1


FULL_SERVER = """
CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE EVENT TRIGGER full_disk ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
EXECUTE FUNCTION refuse();
"""


@pytest.mark.slow
def test_a_server_whose_disk_is_full_keeps_the_old_table(server: Server) -> None:
    write_address(f"{server.address}#kept", RELEASE)
    server.do(FULL_SERVER)
    try:
        with pytest.raises(InfrastructureError, match="make room on the server, and try again"):
            write_address(f"{server.address}#kept", RELEASE.head(1), force=True)
    finally:
        server.do("DROP EVENT TRIGGER full_disk")
    assert server.count("kept") == 3


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_release_that_is_replaced_leaves_nothing_in_the_file(scheme: str, tmp_path: Path) -> None:
    file = tmp_path / "clinic.db"
    address = f"{scheme}:////{str(file).lstrip('/')}"
    write_address(address, pl.DataFrame({"a": [f"withdrawn {number}" for number in range(2000)]}))
    write_address(address, RELEASE, force=True)
    assert b"withdrawn" not in file.read_bytes()


WITHDRAWN = pl.DataFrame({"a": [f"withdrawn {number}" for number in range(2000)]})
CLINIC = '''
CREATE SCHEMA wards;
CREATE TYPE mood AS ENUM ('calm', 'restless');
CREATE SEQUENCE numbers START 5;
CREATE TABLE a_visits(person INTEGER, twice INTEGER GENERATED ALWAYS AS (person * 2), note VARCHAR);
CREATE TABLE wards.beds(id INTEGER DEFAULT nextval('numbers'), "a ""b""" VARCHAR NOT NULL);
CREATE TABLE people(id INTEGER PRIMARY KEY, mood mood, CHECK (id > 0));
INSERT INTO people SELECT range + 1, 'calm' FROM range(3000);
CREATE TABLE a_stays(person INTEGER REFERENCES people(id), days INTEGER);
INSERT INTO a_stays SELECT id, id % 7 FROM people;
INSERT INTO a_visits(person, note) SELECT id, 'note ' || id FROM people;
INSERT INTO wards.beds("a ""b""") VALUES ('one'), ('two');
CREATE INDEX by_note ON a_visits(note);
CREATE VIEW restless AS SELECT * FROM people WHERE mood = 'restless';
CREATE VIEW wards.taken AS SELECT * FROM wards.beds;
CREATE MACRO twice(x) AS 2 * x;
CREATE MACRO person(x) AS TABLE SELECT * FROM people WHERE id = x;
COMMENT ON TABLE people IS 'who came';
COMMENT ON COLUMN people.mood IS 'on arrival';
'''
"""A database with foreign keys to a table whose name comes later, and a computed column."""


def test_a_duckdb_file_keeps_the_rest_and_nothing_of_the_release_replaced(tmp_path: Path) -> None:
    file = tmp_path / "clinic.duckdb"
    address = f"duckdb:////{str(file).lstrip('/')}"
    with duckdb.connect(str(file)) as connection:
        connection.execute(CLINIC)
    write_address(address, WITHDRAWN)
    assert b"withdrawn" in file.read_bytes()
    with duckdb.connect(str(file), read_only=True) as connection:
        before = contents_without(connection, "release")
    write_address(f"{address}#Release", RELEASE, force=True)
    assert b"withdrawn" not in file.read_bytes()
    with duckdb.connect(str(file)) as connection:
        assert contents_without(connection, "release") == before
        assert {kind for kind, _, _ in before} >= {"table", "view", "index", "sequence", "function"}
        assert before["rows of the table", "main", "people"][0] == 3000  # type: ignore[index]
        assert connection.execute("SELECT max(twice) FROM a_visits").fetchone() == (6000,)
        assert connection.execute("SELECT nextval('numbers')").fetchone() == (7,)
        assert connection.execute("SELECT count(*) FROM release").fetchone() == (3,)
        with pytest.raises(duckdb.ConstraintException):
            connection.execute("INSERT INTO a_stays VALUES (0, 1)")


def test_a_duckdb_file_that_cannot_be_carried_over_is_kept(tmp_path: Path) -> None:
    """DuckDB takes no row that refers to another of the same statement."""
    file = tmp_path / "clinic.duckdb"
    address = f"duckdb:////{str(file).lstrip('/')}"
    write_address(address, WITHDRAWN)
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE tree(id INTEGER PRIMARY KEY, up INTEGER REFERENCES tree)")
        connection.execute("INSERT INTO tree VALUES (987654, NULL)")
        connection.execute("INSERT INTO tree VALUES (2, 987654)")
    before = file.read_bytes()
    with pytest.raises(InputError, match=r"'release' was not replaced.* table 'tree'") as refused:
        write_address(address, RELEASE, force=True)
    assert "987654" not in str(refused.value)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_the_fresh_file_has_the_version_of_the_old_one(tmp_path: Path) -> None:
    """Columns of newer kinds need it."""
    file = tmp_path / "clinic.duckdb"
    version = "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name='clinic'"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{file}' AS clinic (STORAGE_VERSION 'v1.2.0')")
        connection.execute("CREATE TABLE clinic.other(a INTEGER)")
    address = f"duckdb:////{str(file).lstrip('/')}"
    write_address(address, WITHDRAWN)
    write_address(address, RELEASE, force=True)
    with duckdb.connect(str(file)) as connection:
        assert connection.execute(version).fetchone() == ("v1.2.0+",)


def test_a_copy_in_which_something_is_missing_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute(CLINIC)
        before = contents_without(connection, "release")
        for change, named in (
            ("DELETE FROM a_stays WHERE days = 3", "rows of the table 'a_stays'"),
            ("UPDATE wards.beds SET id = 9 WHERE id = 5", "rows of the table 'wards.beds'"),
            ("DROP INDEX by_note", "index 'by_note'"),
            ("DROP VIEW wards.taken", "view 'wards.taken'"),
        ):
            connection.execute("BEGIN")
            connection.execute(change)
            with pytest.raises(InputError, match=f"its {named} cannot be carried over"):
                check_carried_over(before, contents_without(connection, "release"), "release")
            connection.execute("ROLLBACK")
