"""Small files that expand to more than the memory are refused in a sentence, and end nothing."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, read_table

LIMIT = 50_000_000
OPTIONS = ReadOptions(limit=LIMIT)


@pytest.fixture
def far(tmp_path: Path) -> Path:
    """Return a workbook of two cells, the second in the last row and column that a sheet has."""
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "far.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_string(0, 0, "a")
        sheet.write_string(1_048_575, 16_383, "x")
    assert path.stat().st_size < 10_000
    return path


def test_a_cell_in_the_last_corner_of_a_sheet(far: Path) -> None:
    with pytest.raises(InputError, match=r"far\.xlsx holds more than 50MB"):
        read_table(far, OPTIONS)


@pytest.mark.slow
def test_a_workbook_with_false_sizes_in_its_directory(far: Path, tmp_path: Path) -> None:
    """The archive says that a sheet of 300 MB has a hundred bytes."""
    packed = io.BytesIO()
    rows = b"".join(b'<row><c t="str"><v>%s</v></c></row>' % (b"x" * 30_000) for _ in range(10_000))
    with zipfile.ZipFile(far) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                head, _, tail = text.partition(b"<sheetData>")
                text = head + b"<sheetData>" + rows + tail[tail.index(b"</sheetData>") :]
                size = len(text)
            new.writestr(name, text)
    path = tmp_path / "false.xlsx"
    path.write_bytes(packed.getvalue().replace(struct.pack("<I", size), struct.pack("<I", 100)))
    with pytest.raises(InputError, match=r"false\.xlsx"):
        read_table(path, OPTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("open_it", [read_table, open_source])
def test_a_parquet_file_of_repeated_texts(open_it, tmp_path: Path) -> None:
    """Also in the place of a file that was measured before."""
    path = tmp_path / "bomb.parquet"
    pl.DataFrame({"a": ["x"], "b": [1]}).write_parquet(path)
    assert open_it(path, OPTIONS).names
    pl.DataFrame({"a": ["x" * 10_000] * 10_000, "b": range(10_000)}).write_parquet(path)
    assert path.stat().st_size < 2_000_000
    with pytest.raises(InputError, match=r"bomb\.parquet holds more than 50MB"):
        open_it(path, OPTIONS)


def test_a_parquet_file_of_very_many_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pl.select(pl.repeat(1, 10_000_000).alias("a")).write_parquet(path)
    with pytest.raises(InputError, match=r"rows\.parquet holds more than 50MB"):
        read_table(path, OPTIONS)


def test_files_within_the_limit_are_read(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    pl.DataFrame({"b": range(1000)}).write_parquet(path)
    assert read_table(path, OPTIONS).height == 1000
