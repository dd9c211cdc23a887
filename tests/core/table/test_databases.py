"""Tables and queries of real SQLite and DuckDB files; connection strings keep their secrets."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
import pytest

from kanon_tui.core.addresses import address_name, is_address, misses_slashes
from kanon_tui.core.editing.changes import differences
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.writing import check_target, write_table

MAKE = [
    "CREATE TABLE wards (ward TEXT)",
    "CREATE TABLE patients (age INTEGER, pay DOUBLE, born DATE, note TEXT)",
    "INSERT INTO patients VALUES (34, 12.0, '1990-01-02', 'a'), (35, 0.5, '1991-01-02', NULL)",
]
QUERY = "SELECT age, count(*) AS n FROM patients GROUP BY age ORDER BY age DESC"


@pytest.fixture(params=["clinic.sqlite", "clinic.db", "clinic.duckdb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    connect = duckdb.connect if path.suffix == ".duckdb" else sqlite3.connect
    connection = connect(str(path))
    for statement in MAKE:
        connection.execute(statement)
    if path.suffix != ".duckdb":
        connection.commit()
    connection.close()
    return path


def test_a_table_or_a_query(database: Path) -> None:
    table = read_table(database, ReadOptions(sheet="patients"))
    assert table.frame.to_dict(as_series=False) == {
        "age": ["34", "35"],
        "pay": ["12", "0.5"],
        "born": ["1990-01-02", "1991-01-02"],
        "note": ["a", ""],
    }
    assert table.facts is not None
    assert table.facts.format == ("duckdb" if database.suffix == ".duckdb" else "sqlite")
    assert set(table.facts.parts) == {"patients", "wards"}
    asked = read_table(database, ReadOptions(query=QUERY))
    assert asked.frame.rows() == [("35", "1"), ("34", "1")]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT nothing FROM patients", "nothing"),
        ("SELEC * FROM patients", "syntax error"),
        ("DELETE FROM patients", "not authorized|read-only"),
        ("ATTACH 'other.db' AS o", "not authorized|Cannot|configuration|disabled"),
        ("SELECT * FROM read_text('/etc/hostname')", "read_text|disabled"),
        ("SELECT 1 AS a; SELECT 2", None),
    ],
)
def test_a_query_may_only_look_at_its_own_file(query: str, why: str | None, database: Path) -> None:
    before = database.read_bytes()
    if why is None and database.suffix == ".duckdb":
        read_table(database, ReadOptions(query=query))  # it answers with the last one
    else:
        with pytest.raises(InputError, match=why or "one statement at a time"):
            read_table(database, ReadOptions(query=query))
    assert database.read_bytes() == before
    assert [each.name for each in database.parent.iterdir()] == [database.name]


def test_what_a_database_does_not_have(database: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no table 'patient'; did you mean 'patients'"):
        read_table(database, ReadOptions(sheet="patient"))
    with pytest.raises(InputError, match="holds more than 50 bytes"):
        read_table(database, ReadOptions(sheet="patients", limit=50))
    text = tmp_path / "text.db"
    text.write_text("age,sex\n1,2\n")
    with pytest.raises(InputError, match=r"text\.db is neither an SQLite nor a DuckDB database"):
        read_table(text)
    with pytest.raises(InputError, match=r"none\.db does not exist"):
        read_table(tmp_path / "none.db")


def test_values_that_are_no_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE a AS SELECT [1, 2] AS many")
    with pytest.raises(InputError, match="column 'many' holds list values"):
        read_table(path)


RELEASE = pl.DataFrame(
    {"age": ["30-39", "*"], 'a "b"; --': ["1", "2"], "pay": ["1.5", ""], "zip": ["01", "2"]}
)


@pytest.mark.parametrize(
    ("ending", "connect"), [("sqlite", sqlite3.connect), ("duckdb", duckdb.connect)]
)
def test_a_release_becomes_a_table(
    ending: str, connect: Callable[[str], sqlite3.Connection], tmp_path: Path
) -> None:
    path = tmp_path / f"release.{ending}"
    write_table(path, RELEASE)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    connection = connect(str(path))
    rows = connection.execute("SELECT * FROM release").fetchall()
    connection.close()
    assert rows == [("30-39", 1, 1.5, "01"), ("*", 2, None, "2")]
    assert read_table(path).frame.equals(RELEASE)


# -- connection strings


def read(path: str, **more: object) -> Table:
    return project_from_mapping({"data": {"path": path, **more}}).read_data()


def scheme(database: Path) -> str:
    return "duckdb" if database.suffix == ".duckdb" else "sqlite"


def test_a_connection_string_of_a_file(database: Path) -> None:
    address = f"{scheme(database)}:///{database}"
    table = read(address, query="SELECT age FROM patients WHERE note LIKE '%a:b%' OR true")
    assert table.frame.rows() == [("34",), ("35",)]
    assert table.facts is not None
    assert table.facts.format == scheme(database)
    assert read(f"{address}?mode=rwc&uri=true", sheet="patients").height == 2
    with pytest.raises(InputError, match="none_such"):
        read(address, query="SELECT none_such FROM patients")


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE patients",
        "DELETE FROM patients RETURNING age",
        "INSERT INTO patients (age) VALUES (1)",
        "CREATE TABLE more (a INTEGER)",
        "VACUUM INTO 'copy.db'",
        "VACUUM",
        "ATTACH 'other.db' AS o",
        "ATTACH 'other.db' AS o; CREATE TABLE o.t (a INTEGER)",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = WAL",
        "PRAGMA writable_schema = 1",
        "COPY patients TO 'out.csv'",
        "EXPORT DATABASE 'out'",
        "PRAGMA enable_profiling = 'json'; PRAGMA profiling_output = 'out.json'; SELECT 1",
        "SELECT 1; DROP TABLE patients",
        "COMMIT; DROP TABLE patients",
    ],
)
@pytest.mark.parametrize("driver", ["", "+pysqlite", ".pysqlite"])
def test_an_address_changes_nothing(
    query: str, driver: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if driver and scheme(database) == "duckdb":
        driver = "+duckdb_engine"
    monkeypatch.chdir(database.parent)
    before = database.read_bytes()
    address = f"{scheme(database)}{driver}:///{database.name}"
    if query == "VACUUM" and scheme(database) == "duckdb":
        query = "CREATE VIEW v AS SELECT 1"  # VACUUM changes nothing there
    with pytest.raises(InputError) as refusal:
        read(address, query=query)
    assert database.name in str(refusal.value)
    assert database.read_bytes() == before
    assert [each.name for each in database.parent.iterdir()] == [database.name]


@pytest.mark.parametrize("rest", ["/none.db", "/none.db?mode=rwc", "", "/", "/:memory:"])
@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_mistyped_path_makes_no_file(
    kind: str, rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"{kind}-.*: there is no such file; check the path"):
        read(f"{kind}://{rest}", query="SELECT 1 AS one")
    assert not list(tmp_path.iterdir())


def test_the_file_of_an_address_is_not_written_over(database: Path) -> None:
    project = project_from_mapping({"data": {"path": f"{scheme(database)}:///{database}"}})
    with pytest.raises(InputError, match="is read by this run"):
        check_target(database, force=True, inputs=project.inputs)


SECRET = "s3cr/t"
ADDRESSES = [
    f"postgresql://ann:{SECRET}@localhost:1/clinic",
    f"postgresql://localhost/clinic?password={SECRET}",
    f"postgresql+psycopg2://ann:{SECRET}?x@localhost/clinic",
    f"nonsense://ann:{SECRET}@host/clinic",
    f"sqlite:///{SECRET}@none/clinic.db?password={SECRET}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_password_is_never_told(address: str) -> None:
    project = project_from_mapping({"data": {"path": address, "query": "SELECT 1 AS one"}})
    other = project_from_mapping({"data": {"path": "a.csv"}})
    shown = [address_name(address), project.title, project.name, str(project.data_path)]
    shown += differences(project, other)
    with pytest.raises(InputError) as refusal:
        project.read_data()
    shown.append(str(refusal.value))
    assert not [text for text in shown if "s3cr" in text or "ann" in text.split("-")]


def test_names_of_addresses() -> None:
    assert address_name("postgresql+psycopg://u:p@host:5432/clinic?a=b") == "postgresql-clinic"
    assert address_name("sqlite:////data/my clinic.db") == "sqlite-my_clinic.db"
    assert is_address("mysql://h/d")
    assert not is_address("C:/data/a.csv")


@pytest.mark.parametrize("path", ["postgresql:/ann:s3cr@h/db", "postgresql//ann:s3cr@h/db"])
def test_a_mistyped_address_is_refused_without_being_shown(path: str) -> None:
    assert misses_slashes(path)
    with pytest.raises(InputError, match=r"data\.path: it looks like a connection") as refusal:
        project_from_mapping({"data": {"path": path}})
    assert "s3cr" not in str(refusal.value)
