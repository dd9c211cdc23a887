"""A disk that is full leaves the old file as it was, whatever the library that writes says."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.errors import InfrastructureError
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.formats import TABLE_ENDINGS
from kanon_tui.core.table.reading_back import check_written, text_shape
from kanon_tui.core.table.writing import write_table
from tests.commands.command_line import ENVIRONMENT, PATIENCE, PEOPLE, PROJECT

TABLE = pl.DataFrame(
    {
        "age group": ["[20..29]", "*", ""],
        'a "b";\n': ["x\r\ny", 'say "no"', ""],
        "zip": ["00123", "1", ""],
    }
)
"""Its last row is empty, and cells need quotes."""
PLAIN = TABLE.rename({'a "b";\n': "note"})

PYTHON = [sys.executable, "-B"]
"""Without writing compiled modules, which would be cut short as well, and stay so."""
LITTLE_ROOM = """
import json, resource, sys
from pathlib import Path
import polars as pl
from kanon_tui.core.errors import KanonError
from kanon_tui.core.table.databases import write_address
from kanon_tui.core.table.writing import write_table

folder, rows, room = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
cells = [f"value {number} {number * 7919 % 100003}" for number in range(rows)]
table = pl.DataFrame({"a": cells, "b": [str(number) for number in range(rows)]})
told = {}
resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
for target in sys.argv[4:]:
    try:
        if "://" in target:
            write_address(target, table, force=True)
        else:
            write_table(folder / target, table, force=True)
        told[target] = [0, ""]
    except KanonError as error:
        told[target] = [error.exit_code, str(error)]
print(json.dumps(told))
"""
"""Writes where no file may grow beyond so many bytes: the way to fill a disk that needs no root."""


def written_with_little_room(
    folder: Path, targets: list[str], rows: int, room: int
) -> dict[str, tuple[int, str]]:
    """Return exit code and sentence of every target."""
    done = subprocess.run(
        [*PYTHON, "-c", LITTLE_ROOM, str(folder), str(rows), str(room), *targets],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert not done.stderr
    told: dict[str, tuple[int, str]] = json.loads(done.stdout)
    return told


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(("rows", "room"), [(20, 60), (60_000, 100_000)])
def test_nothing_new_and_the_old_file_untouched(
    rows: int, room: int, before: bool, tmp_path: Path
) -> None:
    """Some libraries say nothing of a few bytes that they could not flush."""
    names = [f"r{ending}" for ending in TABLE_ENDINGS]
    for name in names if before else []:
        write_table(tmp_path / name, PLAIN)
    old = contents(tmp_path)
    told = written_with_little_room(tmp_path, names, rows, room)
    assert contents(tmp_path) == old
    for name, (code, sentence) in told.items():
        assert code == 3, (name, sentence)
        assert f"{name}: could not be written: " in sentence
        assert sentence.endswith("make room or name another place")


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
@pytest.mark.parametrize("before", [False, True])
def test_a_database_that_has_no_room_for_the_release(
    scheme: str, before: bool, tmp_path: Path
) -> None:
    name = f"clinic.{scheme}"
    address = f"{scheme}:////{str(tmp_path / name).lstrip('/')}#release"
    if before:
        write_table(tmp_path / name, PLAIN)
    old = contents(tmp_path)
    told = written_with_little_room(tmp_path, [address], 60_000, 100_000)
    assert contents(tmp_path) == old
    code, sentence = told[address]
    assert code == 3, sentence
    assert "could not be written" in sentence


def test_the_command_says_it_and_keeps_the_old_release(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.yaml").write_text(PROJECT)
    write_table(tmp_path / "r.sav", PLAIN)
    old = contents(tmp_path)
    start = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)); "
        "from kanon_tui.__main__ import main; main()"
    )
    done = subprocess.run(
        [*PYTHON, "-c", start, "run", "p.yaml", "--out", "r.sav", "--force"],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 3
    assert "r.sav: could not be written: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert contents(tmp_path) == old


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_every_format_is_read_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"r{ending}"
    table = PLAIN if ending in (".sav", ".dta") else TABLE
    write_table(path, table)
    aside = path.rename(tmp_path / "aside.part")
    check_written(aside, table, path)
    for other in (table.vstack(table), table.drop("zip")):
        with pytest.raises(InfrastructureError, match="does not read back as"):
            check_written(aside, other, path)
    whole = aside.read_bytes()
    for part in (b"", whole[: len(whole) // 2]):
        aside.write_bytes(part)
        with pytest.raises(InfrastructureError, match=r"does not read back as 3 rows of 3 columns"):
            check_written(aside, table, path)


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_a_table_without_rows_is_written(ending: str, tmp_path: Path) -> None:
    write_table(tmp_path / f"r{ending}", PLAIN.clear())
    assert (tmp_path / f"r{ending}").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoting", ["necessary", "texts", "always"])
@pytest.mark.parametrize("table", [TABLE, TABLE.select("zip"), TABLE.clear()])
def test_the_shape_of_a_text(table: pl.DataFrame, quoting, line_end: str, encoding: str) -> None:
    csv = CsvFormat(";", encoding, line_end, quoting=quoting)
    text = io.BytesIO()
    csv.put(table, text, "r.csv")
    text.seek(0)
    assert text_shape(text, csv) == table.shape
