"""Releases as compressed files and as tables of databases."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.databases import write_address
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
    one, two = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
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
