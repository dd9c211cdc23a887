"""Database files that were made to hang a program or to fill its memory."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table import databases, query_watch
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from tests.commands.command_line import ENVIRONMENT, PATIENCE

NUMBERS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
BILLIONS = "range(1000000000000) AS n(x)"
VIEWS = {
    "sqlite": {
        "silent": f"{NUMBERS} SELECT x FROM n WHERE x < 0",
        "endless": f"{NUMBERS} SELECT x FROM n",
        "sorted": f"{NUMBERS} SELECT x, x || 'some more text to sort' AS y FROM n ORDER BY y",
        "long": f"{NUMBERS} SELECT hex(zeroblob(500000)) AS a FROM n",
    },
    "duckdb": {
        "silent": f"{NUMBERS} SELECT x FROM n WHERE x < 0",
        "endless": f"SELECT x, x + 1 AS y FROM {BILLIONS}",
        "sorted": f"SELECT x, x || 'some more text to sort' AS y FROM {BILLIONS} ORDER BY y",
        "long": f"SELECT repeat('x', 1000000) || x AS a FROM {BILLIONS}",
    },
}
KINDS = tuple(VIEWS)
LIMIT = 8_000_000


def hostile_file(folder: Path, kind: str, tables: bool = True) -> Path:
    """Return a database whose views come before its table."""
    path = folder / f"clinic.{kind}"
    connection = sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(str(path))
    for name, query in VIEWS[kind].items():
        connection.execute(f"CREATE VIEW {name} AS {query}")
    if tables:
        connection.execute("CREATE TABLE wards (age INTEGER)")
        connection.execute("INSERT INTO wards VALUES (1)")
    connection.commit()
    connection.close()
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_is_read_only_when_it_is_named(kind: str, tmp_path: Path) -> None:
    table = read_table(hostile_file(tmp_path, kind))
    assert table.frame.to_dict(as_series=False) == {"age": ["1"]}
    assert table.facts is not None
    assert {"silent", "wards"} <= set(table.facts.parts)
    (tmp_path / f"clinic.{kind}").unlink()
    views_alone = hostile_file(tmp_path, kind, tables=False)
    with pytest.raises(InputError, match=r"has views and no table; .* data: \{sheet: \w+\}"):
        read_table(views_alone)


def test_a_view_that_is_named_is_read(tmp_path: Path) -> None:
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE wards (age INTEGER)")
        connection.execute("INSERT INTO wards VALUES (1), (2)")
        connection.execute("CREATE VIEW old AS SELECT age FROM wards WHERE age > 1")
    assert read_table(path, ReadOptions(sheet="old")).frame.rows() == [("2",)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_without_a_record_is_given_up(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hostile_file(tmp_path, kind)
    monkeypatch.setattr(query_watch, "PATIENCE", 0.2)
    with pytest.raises(InputError, match=rf"clinic\.{kind}: no record came within"):
        read_table(path, ReadOptions(sheet="silent"))


@pytest.mark.parametrize("view", ["endless", "sorted", "long"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_larger_than_the_limit_takes_little_memory(
    kind: str, view: str, tmp_path: Path
) -> None:
    path = hostile_file(tmp_path, kind)
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from kanon_tui.core.errors import InputError\n"
        "from kanon_tui.core.table.read_options import ReadOptions\n"
        "from kanon_tui.core.table.source import read_table\n"
        "try:\n"
        f"    read_table(Path(sys.argv[1]), ReadOptions(sheet=sys.argv[2], limit={LIMIT}))\n"
        "except InputError as error:\n"
        "    print(error)\n"
        # Not ru_maxrss: that of a new process begins with that of the process that started it.
        "status = Path('/proc/self/status').read_text()\n"
        "print(status.partition('VmHWM:')[2].split()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), view],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    sentence, peak = done.stdout.splitlines()
    assert "holds more than 8MB, what data.limit allows" in sentence
    assert int(peak) < 900_000  # kilobytes, most of them of libraries


def test_a_cell_beyond_all_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE a (b)")
        connection.execute("INSERT INTO a VALUES (zeroblob(100000000))")
    with pytest.raises(InputError, match=r"a\.db holds more than 8MB"):
        read_table(path, ReadOptions(limit=LIMIT))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command(number: signal.Signals, kind: str, tmp_path: Path) -> None:
    path = hostile_file(tmp_path, kind)
    (tmp_path / "p.yaml").write_text(
        f"data: {{path: {path.name}, sheet: silent}}\nattributes: {{x: {{role: quasi}}}}\n"
    )
    start = (
        "import os, signal, threading; from kanon_tui.__main__ import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "  # nohup ignores it
        f"threading.Timer(3, os.kill, (os.getpid(), {int(number)})).start(); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", start, "run", "p.yaml", "--k", "2"],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 128 + number
    assert "interrupted; nothing was written" in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_notebook_gets_its_interrupt(kind: str, tmp_path: Path) -> None:
    path = hostile_file(tmp_path, kind)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    clock = threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,))
    clock.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            read_table(path, ReadOptions(sheet="silent"))
    finally:
        clock.join()
        signal.signal(signal.SIGINT, before)


def test_batches_end_by_bytes_and_by_rows() -> None:
    long_rows = [("x" * 20_000_000,)] * 3
    assert [len(batch) for batch in databases.batches(long_rows)] == [2, 1]
    short_rows = [(1,)] * (databases.BATCH + 1)
    assert [len(batch) for batch in databases.batches(short_rows)] == [databases.BATCH, 1]


def test_many_records_are_read_as_before(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": [str(number) for number in range(2 * databases.BATCH + 7)]})
    for kind in KINDS:
        path = tmp_path / f"many.{kind}"
        connection = sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(str(path))
        connection.execute("CREATE TABLE many (a INTEGER)")
        connection.execute(f"INSERT INTO many {NUMBERS} SELECT x - 1 FROM n LIMIT {table.height}")
        connection.commit()
        connection.close()
        assert read_table(path).frame.sort(pl.col("a").cast(pl.Int64)).equals(table)
