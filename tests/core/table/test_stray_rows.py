"""Rows that are no records: found, proposed, and left out when somebody agrees."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.stray_rows import find_stray_rows

HEADER = "Alter;Geschlecht;PLZ;Diagnose;Kosten"
RECORDS = [f"{20 + x};{'mw'[x % 2]};8{x:04};D{x % 4};{x * 3},50" for x in range(30)]


def written(tmp_path: Path, *lines: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "export.csv"
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_a_german_export_with_titles_totals_and_notes(tmp_path: Path, encoding: str) -> None:
    path = written(
        tmp_path, "Auswertung der Fälle", "", HEADER, *RECORDS, "Summe;;;;1.305,00", "",
        "Quelle: Klinik, Stand 3.1.2024", encoding=encoding,
    )  # fmt: skip
    found = find_stray_rows(path)
    assert (found.first, found.last, found.where) == (2, 2, {})
    assert any("Summe" in reason for reason in found.reasons)
    table = read_table(path, found.apply(ReadOptions()))
    assert table.frame.rows() == [tuple(record.split(";")) for record in RECORDS]
    assert not find_stray_rows(path, found.apply(ReadOptions()))


def test_repeated_headers_are_left_out_by_a_condition(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, *RECORDS[:10], HEADER, *RECORDS[10:], HEADER)
    found = find_stray_rows(path)
    assert found.where == {"Alter": "!=Alter"}
    assert (found.first, found.last) == (0, 0)
    assert "2 lines" in found.reasons[0]
    assert read_table(path, found.apply(ReadOptions())).height == len(RECORDS)


@pytest.mark.parametrize(
    "lines",
    [
        (HEADER, *RECORDS),
        tuple(RECORDS),
        (RECORDS[0], *RECORDS),
        ("a;b", "1;2", "total;"),
        (HEADER, *RECORDS, "40;;;D1;"),
        ("Total;b;c;d", *("1;2;3;4",) * 9),
    ],
)
def test_ordinary_tables_have_none(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert not find_stray_rows(written(tmp_path, *lines))


def test_of_a_large_file_both_ends_are_looked_at(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("kanon_tui.core.table.stray_rows._LOOKED_AT", 300)
    path = written(tmp_path, "Title", HEADER, *RECORDS * 20, "Total;;;;5")
    found = find_stray_rows(path)
    assert (found.first, found.last) == (1, 1)


def test_sheets_have_stray_rows_too(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_string(0, 0, "Report")
        for place, line in enumerate([HEADER, *RECORDS, "Gesamt"], 2):
            for column, cell in enumerate(line.split(";")):
                sheet.write_string(place, column, cell)
    found = find_stray_rows(path)
    assert (found.first, found.last) == (2, 1)
    table = read_table(path, found.apply(ReadOptions()))
    assert table.height == len(RECORDS)
    assert table.row_of(0) == 4
    assert table.kept is not None
    assert table.kept.tolist() == [*range(len(RECORDS))]  # records are numbered without the title


def test_both_ends_of_a_large_file_are_looked_at_packed_or_not(tmp_path: Path) -> None:
    lines = [HEADER, *RECORDS * 9_000, "Summe;;;;1.305,00", ""]
    path = written(tmp_path, "Auswertung", "", *lines)
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), compresslevel=1))
    for each in (path, packed):
        found = find_stray_rows(each)
        assert (found.first, found.last) == (2, 1)


def test_an_end_inside_a_long_cell_and_a_person_with_few_cells_say_nothing(tmp_path: Path) -> None:
    lines = "a line\n" * 400_000
    path = written(
        tmp_path, HEADER, *RECORDS * 4_000, f'33;m;80000;"{lines}";7,50', *RECORDS * 1_000
    )
    assert not find_stray_rows(path)
    few = find_stray_rows(written(tmp_path, HEADER, *RECORDS, ";;;Anna Berg;"))
    assert few.last == 1
    assert not any("Anna" in reason for reason in few.reasons)
