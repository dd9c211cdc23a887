"""A folder or a pattern of parts is one table, its parts in the order of their names."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import polars as pl
import pytest

import kanon_tui.core.reading as reading
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.yaml_text import read_yaml
from kanon_tui.core.hierarchy.specification import read_arx
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.data_files import load, name_beside, part_files
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, preview_table, read_table
from kanon_tui.core.table.writing import check_target
from tests.commands.command_line import ENVIRONMENT
from tests.zstd import zstd


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "b.csv").write_text("age,city\n40,Rome\n")
    (tmp_path / "a.csv").write_text("age,city\n30,Paris\n31,Lyon\n")
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(b"age,city\n50,Oslo\n"))
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden.csv").write_text("x")
    return tmp_path


def test_folder_and_pattern_are_one_table_in_the_order_of_names(parts):
    for path in (parts, parts / "*.csv*"):
        table = read_table(path)
        assert table.frame.rows() == [
            ("30", "Paris"), ("31", "Lyon"), ("40", "Rome"), ("50", "Oslo"),
        ]  # fmt: skip
        assert table.facts is not None
        assert table.facts.format == "csv"
    assert read_table(parts / "[ab].csv").height == 3


def test_a_file_may_be_called_like_a_pattern(tmp_path):
    (tmp_path / "a[1].csv").write_text("x\n1\n")
    (tmp_path / "a1.csv").write_text("x\n2\n")
    assert part_files(tmp_path / "a[1].csv") == (tmp_path / "a[1].csv",)


def test_columns_that_differ_are_named_and_another_order_is_not_minded(parts):
    (parts / "d.csv").write_text("city,age\nBern,60\n")
    assert read_table(parts).frame.rows()[-1] == ("60", "Bern")
    (parts / "d.csv").write_text("city,age,sex\nBern,60,f\n")
    with pytest.raises(InputError, match=r"d\.csv has a column 'sex' that a\.csv does not have"):
        read_table(parts)
    (parts / "d.csv").write_text("age\n60\n")
    with pytest.raises(InputError, match=r"d\.csv has no column 'city', which a\.csv has"):
        read_table(parts)


def test_nothing_matches(tmp_path):
    with pytest.raises(InputError, match=r"\*\.csv: no file matches this pattern"):
        read_table(tmp_path / "*.csv")
    with pytest.raises(InputError, match="is a directory without CSV, TSV or Parquet files"):
        read_table(tmp_path)


def test_parts_without_header_take_the_names_of_the_first(tmp_path):
    (tmp_path / "a.csv").write_text("1;2\n3;4\n")
    (tmp_path / "b.csv").write_text("5;6\n")
    table = read_table(tmp_path, ReadOptions(header=False))
    assert table.names == ["column_1", "column_2"]
    assert table.frame.rows()[-1] == ("5", "6")


def test_parquet_parts_print_days_alike(tmp_path):
    noon = datetime.datetime(2020, 1, 2, 12)
    midnight = datetime.datetime(2020, 1, 1)
    pl.DataFrame({"day": [midnight], "n": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"day": [noon], "n": [2]}).write_parquet(tmp_path / "b.parquet")
    days = read_table(tmp_path / "*.parquet").frame["day"].to_list()
    assert [day[:19] for day in days] == ["2020-01-01 00:00:00", "2020-01-02 12:00:00"]
    pl.DataFrame({"n": ["x"], "day": ["?"]}).write_parquet(tmp_path / "c.parquet")
    assert read_table(tmp_path).frame.rows()[-1] == ("?", "x")


def test_a_release_never_lies_among_the_parts(parts):
    project = project_from_mapping({"data": {"path": str(parts)}})
    for name in ("new.csv", "b.csv"):
        with pytest.raises(InputError, match="read"):
            check_target(parts / name, None, True, project.inputs)
    pattern = project_from_mapping({"data": {"path": str(parts / "*.csv")}})
    with pytest.raises(InputError, match="is read by this run"):
        check_target(parts / "b.csv", None, True, pattern.inputs)


def test_a_project_runs_on_parts_as_on_the_whole(parts):
    whole = parts.parent / f"{parts.name}.csv"
    whole.write_text("age,city\n30,Paris\n31,Lyon\n40,Rome\n50,Oslo\n")
    releases = [
        anonymize(
            project_from_mapping(
                {
                    "data": {"path": str(path)},
                    "attributes": {"age": {"role": "quasi", "kind": "numeric"}},
                    "privacy": {"k": 2},
                    "algorithm": {"name": "mondrian"},
                }
            )
        ).table
        for path in (whole, parts)
    ]
    assert releases[0].equals(releases[1])


def test_names_beside_the_data():
    assert name_beside(Path("d/census.csv.gz"), ".yaml") == Path("d/census.yaml")
    assert name_beside(Path("d/parts/*.csv"), ".yaml") == Path("d/parts.yaml")
    assert name_beside(Path("d/parts"), ".yaml") == Path("d/parts.yaml")


MANY = b"a,b\n" + b"0,0\n" * 1_000_000
LIMIT = 100_000


def bombs(folder: Path) -> list[Path]:
    """Small files that hold four million bytes."""
    stream = io.BytesIO()
    with zstd.ZstdFile(stream, "w") as writer:
        writer.write(MANY)
    files = {
        "gzip.csv.gz": gzip.compress(MANY),
        "members.csv.gz": gzip.compress(MANY[:2_000_000]) + gzip.compress(MANY[2_000_000:]),
        "zstd.csv.zst": zstd.compress(MANY),
        "stream.csv.zst": stream.getvalue(),
        "frames.csv.zst": zstd.compress(MANY[:80_000]) * 50,
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("many.csv", MANY)
    files |= {
        "bzip2.csv.bz2": bz2.compress(MANY),
        "streams.csv.bz2": bz2.compress(MANY[:2_000_000]) + bz2.compress(MANY[2_000_000:]),
        "xz.csv.xz": lzma.compress(MANY),
        "zip.zip": archive.getvalue(),
    }
    for name, content in files.items():
        assert len(content) < LIMIT
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def test_a_compressed_file_is_counted_unpacked(tmp_path: Path) -> None:
    for path in bombs(tmp_path):
        with pytest.raises(InputError, match=r"holds more than 100kB, what data\.limit allows"):
            read_table(path, ReadOptions(limit=LIMIT))
        with pytest.raises(InputError, match="holds more than 100kB"):
            preview_table(path, ReadOptions(limit=LIMIT))
        assert len(load(path)[0]) == len(MANY[:80_000]) * 50 or load(path)[0] == MANY


def test_cells_of_a_parquet_file_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": ["x"] * 1_000_000}).write_parquet(path)
    assert path.stat().st_size < LIMIT
    with pytest.raises(InputError, match="holds more than 100kB"):
        read_table(path, ReadOptions(limit=LIMIT))


@pytest.mark.parametrize("endless", ["/dev/zero", "pipe"])
def test_what_never_ends_is_refused(endless: str, tmp_path: Path) -> None:
    path = Path(endless)
    if endless == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
        flood = subprocess.Popen(["sh", "-c", f"exec cat /dev/zero > '{path}'"])
    refused = pytest.raises(InputError, match="holds more than 100kB")
    with refused:
        read_table(path, ReadOptions(limit=LIMIT))
    if endless == "pipe":
        flood.wait()  # ended by the pipe that nobody reads


@pytest.mark.parametrize("read", [read_table, read_arx, lambda path: read_yaml(path, "project")])
def test_a_pipe_into_which_nobody_writes(
    read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE_WITH_PIPES", 0.05)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="is a pipe into which nothing was written"):
        read(tmp_path / "pipe.csv")  # type: ignore[operator]


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writing = threading.Thread(target=path.write_bytes, args=(b"a,b\n" + b"1,2\n" * 50_000,))
    writing.start()
    assert read_table(path).frame.shape == (50_000, 2)
    writing.join()


def test_documents_have_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "h.csv").write_bytes(b"a;*\n" * 100)
    monkeypatch.setattr(reading, "DOCUMENT_LIMIT", 100)
    with pytest.raises(InputError, match="the hierarchy has more than 100 bytes"):
        read_arx(tmp_path / "h.csv")
    with pytest.raises(InputError, match="has more than 100 bytes; name a project, not data"):
        read_yaml(tmp_path / "h.csv", "project")


def test_the_usual_limit_follows_the_memory_one_may_use() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30)); "
        "from kanon_tui.core.reading import usual_limit; print(usual_limit())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=True
    )
    assert int(done.stdout) == 2**28


def test_partitions_of_a_parquet_folder_are_columns(tmp_path: Path) -> None:
    for year, place, ages in (("2020", "01234", [1, 2]), ("2021", "a%20b", [3])):
        folder = tmp_path / "people" / f"year={year}" / f"zip={place}"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": ages}).write_parquet(folder / "part.parquet")
    (tmp_path / "people" / "_SUCCESS").touch()
    table = read_table(tmp_path / "people")
    assert table.names == ["age", "year", "zip"]
    assert table.frame.rows() == [
        ("1", "2020", "01234"),
        ("2", "2020", "01234"),
        ("3", "2021", "a b"),
    ]
    source = open_source(tmp_path / "people", ReadOptions(where={"year": "> 2020"}))
    pieces = [frame for piece in source.pieces for frame in source.read(piece)]
    assert pl.concat(pieces).rows() == [("3", "2021", "a b")]
    assert read_table(tmp_path / "people" / "*" / "*" / "*.parquet").frame.equals(table.frame)
