"""Workbooks: what a person sees in a sheet is what is read, and nothing written is a formula."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from pathlib import Path

import fastexcel
import polars as pl
import pytest
import xlsxwriter

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import write_table


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    """Two sheets as a person would type them: numbers, days, switches, blanks, a formula."""
    path = tmp_path / "clinic.xlsx"
    with xlsxwriter.Workbook(path) as book:
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        moment = book.add_format({"num_format": "dd.mm.yyyy hh:mm"})
        sheet = book.add_worksheet("patients")
        names = ["age", "pay", "born", "seen", "ok", "mixed", "zip", "twice"]
        sheet.write_row(0, 0, names)
        rows = [
            (34, 0.1 + 0.2, dt.date(1990, 1, 2), dt.datetime(2020, 5, 1, 12, 30), True, "x"),
            (35, 12.5, dt.date(1991, 1, 2), dt.datetime(2020, 5, 1), False, 12),
            (1e15, 1e-7, dt.date(1992, 12, 31), dt.datetime(2020, 5, 1, 1, 2, 3), True, ""),
        ]
        for row, (age, pay, born, seen, ok, mixed) in zip((1, 2, 4), rows, strict=True):
            sheet.write_number(row, 0, age)
            sheet.write_number(row, 1, pay)
            sheet.write_datetime(row, 2, born, day)
            sheet.write_datetime(row, 3, seen, moment)
            sheet.write_boolean(row, 4, ok)
            sheet.write(row, 5, mixed)
            sheet.write_string(row, 6, "01234")
            sheet.write_formula(row, 7, "=A2*2", None, 68)
        book.add_worksheet("second").write_row(0, 0, ["only", "names"])
        book.add_worksheet("empty")
    return path


def test_cells_are_read_as_a_person_sees_them(workbook: Path) -> None:
    table = read_table(workbook)
    assert table.frame.to_dict(as_series=False) == {
        "age": ["34", "35", "1000000000000000"],
        "pay": ["0.3", "12.5", "0.0000001"],
        "born": ["1990-01-02", "1991-01-02", "1992-12-31"],
        "seen": ["2020-05-01 12:30:00", "2020-05-01 00:00:00", "2020-05-01 01:02:03"],
        "ok": ["true", "false", "true"],
        "mixed": ["x", "12", ""],
        "zip": ["01234"] * 3,
        "twice": ["68"] * 3,
    }
    assert table.facts is not None
    assert (table.facts.format, table.facts.part) == ("excel", "patients")
    assert table.facts.parts == ("patients", "second", "empty")
    assert [table.row_of(record) for record in range(3)] == [2, 3, 5]  # row 4 of the sheet is blank


def test_the_sheet_is_chosen_by_name_or_number(workbook: Path) -> None:
    for wanted in ("second", "2"):
        table = read_table(workbook, ReadOptions(sheet=wanted, header=False))
        assert table.frame.rows() == [("only", "names")]
    with pytest.raises(InputError, match="has no sheet 'patient'; did you mean 'patients'"):
        read_table(workbook, ReadOptions(sheet="patient"))
    with pytest.raises(InputError, match="sheet 'empty' is empty"):
        read_table(workbook, ReadOptions(sheet="empty"))


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods"])
def test_what_is_no_workbook_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04 not a workbook")
    with pytest.raises(InputError, match=f"{re.escape(name)} is not a readable workbook"):
        read_table(tmp_path / name)


def test_a_workbook_that_unpacks_to_too_much_is_refused(workbook: Path) -> None:
    with pytest.raises(InputError, match=r"holds more than 6\.5kB"):
        read_table(workbook, ReadOptions(limit=6500))


HOSTILE = pl.DataFrame(
    {
        "=cmd|' /C calc'!A0": [
            "=1+1",
            "@SUM(A1)",
            "+1+1",
            "-2+3",
            "https://example.org",
            "\x1b[0m",
        ],
        "zip": ["01234", "4620*", "*", "1", "2", "3"],
        "pay": ["1", "-2.5", "", "1000000", "0", "12"],
        "more": ["1.50", "2", "3", "4", "5", "6"],
    }
)


def test_nothing_written_is_a_formula_and_numbers_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "release.xlsx"
    write_table(path, HOSTILE)
    with zipfile.ZipFile(path) as parts:
        sheet = parts.read("xl/worksheets/sheet1.xml").decode()
        assert not [name for name in parts.namelist() if "rels" in name and "sheet1" in name]
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet
    assert read_table(path, ReadOptions(header=True)).frame.equals(HOSTILE)
    seen = fastexcel.read_excel(path).load_sheet(0).to_polars()
    assert seen["pay"].to_list() == [1.0, -2.5, None, 1_000_000.0, 0.0, 12.0]
    assert seen["zip"].dtype == seen["more"].dtype == pl.String  # 01234 and 1.50 stay as they are
    first = path.read_bytes()
    write_table(path, HOSTILE, force=True)
    assert path.read_bytes() == first, "the same table, the same file"


def test_a_sheet_has_no_room_for_everything(tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(InputError, match=r"40,000 characters.*write \.csv"):
        write_table(tmp_path / "a.xlsx", pl.DataFrame({"a": ["x" * 40_000]}))
    monkeypatch.setattr("kanon_tui.core.table.workbooks.MOST_ROWS", 3)
    with pytest.raises(InputError, match=r"do not fit a sheet.*write \.csv"):
        write_table(tmp_path / "a.xlsx", HOSTILE)
    assert not list(tmp_path.iterdir())
