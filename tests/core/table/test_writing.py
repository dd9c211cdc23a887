"""Files are written whole or not at all."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import IO

import polars as pl
import pytest

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.table.atomic_files import written_aside, written_together
from kanon_tui.core.table.formats import TABLE_ENDINGS
from kanon_tui.core.table.writing import check_target, write_table, write_text

TABLE = pl.DataFrame(
    {"zip": ["01234", "4620*", "*"], "note": ['a,b "c"', "x\ty", ""], "n": ["1", "2", "3"]}
)


@pytest.mark.parametrize("table", [TABLE, TABLE.select("note"), TABLE.clear()])
def test_tables_read_back_as_they_were(table: pl.DataFrame, tmp_path: Path) -> None:
    for name, delimiter in {"t.csv": ",", "T.CSV": ",", "t.tsv": "\t"}.items():
        write_table(tmp_path / name, table)
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file, delimiter=delimiter)) == [
                table.columns,
                *(list(row) for row in table.rows()),
            ]
    write_table(tmp_path / "t.parquet", table)
    assert pl.read_parquet(tmp_path / "t.parquet").equals(table)


def test_an_existing_file_is_kept_unless_forced(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_text(file, "first")
    with pytest.raises(InputError, match=r"a\.txt exists and is kept; use --force"):
        write_text(file, "second")
    assert file.read_text() == "first"
    write_text(file, "second", force=True)
    assert file.read_text() == "second"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, SystemExit])
@pytest.mark.parametrize("force", [False, True])
def test_a_failure_half_way_leaves_nothing(
    failure: type[BaseException], force: bool, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    if force:
        file.write_text("old")

    def write() -> None:
        with written_aside(file, force) as out:
            out.write(b"half")
            out.flush()
            raise failure

    with pytest.raises(failure):
        write()
    assert os.listdir(tmp_path) == (["a.txt"] if force else [])
    if force:
        assert file.read_text() == "old"


def test_a_set_of_files_is_written_or_none(tmp_path: Path) -> None:
    def write() -> None:
        with written_together((tmp_path / "a", tmp_path / "b")) as (a, b):
            a.write(b"whole")
            b.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert os.listdir(tmp_path) == []


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    def write() -> None:
        with written_aside(tmp_path / "a.txt") as out:
            out.write(b"mine")
            (tmp_path / "a.txt").write_text("theirs")

    with pytest.raises(InputError, match="exists and is kept"):
        write()
    assert (tmp_path / "a.txt").read_text() == "theirs"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_nothing_is_seen_under_the_name_before_the_end(tmp_path: Path) -> None:
    with written_aside(tmp_path / "a.txt") as out:
        out.write(b"x" * 100_000)
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").stat().st_size == 100_000


def test_where_links_are_unknown_a_rename_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: object, target: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_text(tmp_path / "a.txt", "text")
    assert (tmp_path / "a.txt").read_text() == "text"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    def write(file: IO[bytes]) -> None:
        raise OSError(28, "No space left on device")

    def attempt() -> None:
        with written_aside(tmp_path / "a.txt") as out:
            write(out)

    with pytest.raises(
        InfrastructureError, match=r"a\.txt: could not be written: no space left on the disk"
    ):
        attempt()
    assert os.listdir(tmp_path) == []


def test_a_replaced_file_keeps_its_permissions_and_links(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("old")
    real.chmod(0o640)
    (tmp_path / "link.txt").symlink_to(real)
    write_text(tmp_path / "link.txt", "new", force=True)
    assert (tmp_path / "link.txt").is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_cannot_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    for name, expected in {
        "a.docx": r"files of this kind end in \.csv, \.tsv, ",
        "a": r"files of this kind end in \.csv, \.tsv, ",
        "folder.csv": "is a folder; name a file",
        "pipe.csv": "is not an ordinary file",
        "x" * 300 + ".csv": "could not be written: File name too long",
        "no/where.csv": "the folder .*no does not exist; create it first",
    }.items():
        with pytest.raises(InputError, match=expected):
            check_target(tmp_path / name, TABLE_ENDINGS, force=True)
        with pytest.raises(InputError, match=expected):
            write_table(tmp_path / name, TABLE, force=True)


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    name = "x" * 251 + ".csv"  # the longest that file systems allow
    write_table(tmp_path / name, TABLE)
    assert os.listdir(tmp_path) == [name]
