"""Which file is what: by its first bytes, then by its name; one registry says so."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.engine_choice import needed_in_memory
from kanon_tui.core.table.formats import (
    DATA_ENDINGS,
    FORMATS,
    PACKINGS,
    TABLE_ENDINGS,
    format_of,
    format_written,
    look_at,
)
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, preview_table, read_table
from kanon_tui.core.table.writing import write_table

TABLE = pl.DataFrame({"age": ["34", "35"], "zip": ["01234", ""], "town": ["Zürich", "a,b"]})
ROWS = TABLE.rows()


def zipped(**members: bytes) -> bytes:
    """Return an archive of files."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return archive.getvalue()


def test_every_entry_is_known_by_what_it_says() -> None:
    endings = [ending for each in FORMATS for ending in each.endings]
    assert len(endings) == len(set(endings))
    for each in FORMATS:
        assert set(each.written) <= {*each.endings}
        for ending in each.written:
            assert format_written(Path(f"r{ending}")) is each
            assert ending in TABLE_ENDINGS
        if each.module:
            module = each.load()
            assert callable(module.read)
            assert callable(module.put)
            assert callable(module.reads_back)
    assert set(TABLE_ENDINGS) - {f".csv{p.endings[0]}" for p in PACKINGS} <= set(DATA_ENDINGS)


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_what_is_written_is_read_under_its_own_and_where_bytes_say_so_any_name(
    ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"a{ending}"
    write_table(path, TABLE)
    expected = format_written(path)
    assert read_table(path).frame.rows() == ROWS
    assert preview_table(path, ReadOptions()).frame.rows() == ROWS
    first = path.read_bytes()
    write_table(path, TABLE, force=True)
    if expected.name not in ("stata", "spss", "duckdb", "sqlite"):
        assert path.read_bytes() == first
    if expected.name in ("stata", "spss"):
        return
    misnamed = path.rename(tmp_path / "people")
    assert format_of(misnamed) is expected
    assert read_table(misnamed).frame.rows() == ROWS
    if expected.begins is None:
        misnamed = misnamed.rename(tmp_path / "people.csv")
        assert format_of(misnamed) is expected
        assert read_table(misnamed).frame.rows() == ROWS


def test_a_parquet_file_called_csv_is_estimated_by_its_cells(tmp_path: Path) -> None:
    right = tmp_path / "a.parquet"
    wrong = tmp_path / "b.csv"
    pl.DataFrame({"a": ["x"] * 1_000_000}).write_parquet(right)
    wrong.write_bytes(right.read_bytes())
    assert needed_in_memory(wrong) == needed_in_memory(right)
    assert open_source(wrong).facts.format == "parquet"


PACKS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("bzip2", bz2.compress),
    ("xz", lzma.compress),
    ("zip", lambda content: zipped(people=content)),
]


@pytest.mark.parametrize(("name", "pack"), PACKS)
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet", ".feather", ".xlsx"])
def test_packed_files_are_known_inside(
    ending: str, name: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    plain = tmp_path / f"a{ending}"
    write_table(plain, TABLE)
    packed = tmp_path / "packed"
    packed.write_bytes(pack(plain.read_bytes()))
    format, packing = look_at(packed)
    assert format is format_of(plain)
    assert packing is not None
    assert packing.name == name
    assert read_table(packed).frame.rows() == ROWS
    assert preview_table(packed, ReadOptions()).frame.rows() == ROWS
    with pytest.raises(InputError, match=r"packed.* cannot be|packed is compressed"):
        open_source(packed)


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress, PACKS[3][1]])
def test_damaged_packings_are_refused(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    packed = pack(b"name,age\n" * 5000)
    path = tmp_path / "data.csv"
    for broken in (packed[:-6], packed[: len(packed) // 2] + b"\xff" * 9, packed[:12]):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"data\.csv is damaged or cut short"):
            read_table(path)


def test_an_archive_has_one_file(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    path.write_bytes(zipped(a=b"a,b\n1,2\n", b=b"a,b\n1,2\n"))
    with pytest.raises(InputError, match="an archive of 2 files, and one with a single file"):
        read_table(path)
    path.write_bytes(zipped(**{"folder/": b"", "__MACOSX/._a": b"x", "folder/a.csv": b"a,b\n1,2"}))
    assert read_table(path).frame.rows() == [("1", "2")]
    locked = bytearray(zipped(a=b"a,b\n1,2\n"))
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(locked)
    with pytest.raises(InputError, match="an archive with a password"):
        read_table(path)


def test_arrays_of_records(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    frame = pd.DataFrame({"age": [34, 35], "name": ["a,b", 'say "x"']})
    frame.to_json(path, orient="records")
    assert read_table(path).frame.rows() == [("34", "a,b"), ("35", 'say "x"')]
    path.write_text('\n [\n{"pay": 1.50, "ok": true},\n {"town": "Z\\u00fcrich", "pay": null}]\n')
    assert read_table(path).frame.to_dict(as_series=False) == {
        "pay": ["1.50", ""],
        "ok": ["true", ""],
        "town": ["", "Zürich"],
    }
    path.write_text('{"pay": 1}\n{"pay": 2}\n')
    assert read_table(path).frame.rows() == [("1",), ("2",)]
    write_table(path, TABLE, force=True)
    assert json.loads(path.read_text())[0] == {"age": 34, "zip": "01234", "town": "Zürich"}
    assert pd.read_json(path)["age"].tolist() == [34, 35]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[{"a": 1},\n{"a" 2}]', "line 2 is not JSON; the file is one array of records"),
        ('[{"a": 1}, 2]', "record 2 is no record"),
        ('[{"a": 1}, {"a": [2]}]', "record 2: 'a' holds a list"),
        ("[" + "[" * 100_000, r"a\.json"),
        ("[]", "has no columns"),
        ('{"a": [1, 2]}', "line 1: 'a' holds a list"),
    ],
)
def test_what_is_no_array_of_records_is_named(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=why):
        read_table(tmp_path / "a.json")


def test_arrow_files_streams_and_old_feather(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"age": [34.0, None], "day": ["1999-12-31", "2000-01-01"], "sex": ["f", "m"]}
    ).with_columns(
        pl.col("day").str.to_datetime("%Y-%m-%d"), pl.col("sex").cast(pl.Categorical)
    )  # fmt: skip
    expected = [("34.0", "1999-12-31", "f"), ("", "2000-01-01", "m")]
    frame.write_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet").frame.rows() == expected
    for name in ("a.feather", "a.arrow"):
        frame.write_ipc(tmp_path / name, compression="lz4")
        assert read_table(tmp_path / name).frame.rows() == expected
    frame.write_ipc_stream(tmp_path / "stream.arrow")
    assert read_table(tmp_path / "stream.arrow").frame.rows() == expected
    (tmp_path / "old.feather").write_bytes(b"FEA1" + b"\0" * 100)
    with pytest.raises(InputError, match="Feather file of version 1"):
        read_table(tmp_path / "old.feather")
    (tmp_path / "cut.feather").write_bytes((tmp_path / "a.feather").read_bytes()[:200])
    with pytest.raises(InputError, match="is not a readable Arrow file"):
        read_table(tmp_path / "cut.feather")
    pl.DataFrame({"a": ["x" * 1000] * 100_000}).write_ipc(
        tmp_path / "bomb.arrow", compression="zstd"
    )
    with pytest.raises(InputError, match="holds more than 100kB"):
        read_table(tmp_path / "bomb.arrow", ReadOptions(limit=100_000))
