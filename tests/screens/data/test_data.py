"""1 Data: moving, finding, jumping, profiles, reading options."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import polars as pl
import xlsxwriter
from textual.widgets import Input, Select, Static

from kanon_tui.core.table.column import Kind
from kanon_tui.screens.data.screen import facts_line
from kanon_tui.screens.opening import ReadingDialog
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle


def text_of(pilot, selector: str) -> str:
    return str(pilot.app.screen.query_one(selector, Static).content)


async def test_facts_and_profile_of_the_column_under_the_cursor(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "12 records × 6 columns" in text_of(pilot, "#facts")
        await pilot.press("right", "right")
        await settle(pilot)
        profile = text_of(pilot, "#profile")
        assert "2 distinct" in profile
        assert "Female" in profile


async def test_find_next_and_not_found(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        grid = pilot.app.screen.query_one("#table", Grid)
        await pilot.press("slash", *"hiv", "enter")
        await settle(pilot)
        assert grid.row == 3
        await pilot.press("n")
        await settle(pilot)
        assert grid.row == 8
        await pilot.press("n")
        await settle(pilot)
        assert grid.row == 3  # from the top again


async def test_go_to_record_refuses_what_is_not_there(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("number_sign", *"99", "enter")
        assert "1 to 12" in str(pilot.app.screen.query_one("#error", Static).content)
        await pilot.press("backspace", "backspace", *"7", "enter")
        await settle(pilot)
        assert pilot.app.screen.query_one("#table", Grid).row == 6


async def test_reading_options_follow_in_the_preview_and_are_taken(
    tmp_path: Path, make_app
) -> None:
    data = tmp_path / "odd.csv"
    data.write_text("1;2,5;x\n3;4,5;-\n")
    async with make_app(data).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, ReadingDialog)
        dialog.query_one("#p-delimiter", Select).value = ","
        await settle(pilot)
        preview = dialog.query_one("#preview", Grid).source
        assert preview is not None
        assert len(preview.columns) == 2
        dialog.query_one("#p-delimiter", Select).value = ";"
        dialog.query_one("#p-tokens", Input).value = "-"
        await settle(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        assert session.project.data.read_options.delimiter == ";"
        assert sum(session.table.missing_cells().values()) == 1


async def test_a_large_table_scrolls_to_its_end_at_once(tmp_path: Path, make_app) -> None:
    data = tmp_path / "large.parquet"
    pl.DataFrame({"a": range(200_000), "b": ["x"] * 200_000}).write_parquet(data)
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        grid = pilot.app.screen.query_one("#table", Grid)
        await pilot.press("ctrl+end")
        await pilot.pause()
        assert grid.row == 199_999
        assert "199999" in grid.render_line(grid.visible_rows).text
        await pilot.press("pageup")
        assert grid.row < 199_999


async def test_marks_of_numbers_and_dates_for_the_whole_file(make_app, tmp_path) -> None:
    file = tmp_path / "two_ways.csv"
    file.write_text("pay;seen\n1,234;01/02/2020\n5,678;03/04/2020\n9,012;05/06/2020\n")
    async with make_app(file).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        assert {spec.kind for spec in session.project.attributes.values()} == {Kind.CATEGORICAL}
        await pilot.press("r")
        await settle(pilot)
        dialog = pilot.app.screen
        dialog.query_one("#p-thousands", Select).value = ","
        dialog.query_one("#p-dates", Select).value = "%m/%d/%Y"
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        assert session.attribute("pay").kind is Kind.NUMERIC
        assert session.attribute("seen").format == "%m/%d/%Y"
        column = session.table.column("pay", Kind.NUMERIC, session.attribute("pay").format)
        assert column.numbers.tolist() == [1234, 5678, 9012]


async def test_the_sheet_of_a_workbook_is_chosen_and_kept(make_app, tmp_path: Path) -> None:
    file = tmp_path / "clinic.xlsx"
    with xlsxwriter.Workbook(file) as book:
        for name, cells in {"patients (1)": ["age", 34, 35], "wards": ["ward", 1, 2]}.items():
            book.add_worksheet(name).write_column(0, 0, cells)
    async with make_app(file).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert session_of(pilot).table.names == ["age"]
        assert "excel, sheet patients (1) of 2, header" in facts_line(session_of(pilot))
        await pilot.press("r")
        await settle(pilot)
        dialog = pilot.app.screen
        assert not dialog.query("#delimiter")  # a sheet has none
        dialog.query_one("#p-sheet", Select).value = "wards"
        await settle(pilot)
        preview = dialog.query_one("#preview", Grid).source
        assert [column.title for column in preview.columns] == ["ward"]
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        assert session.project.data.read_options.sheet == "wards"
        assert session.table.frame.rows() == [("1",), ("2",)]


async def test_a_database_is_queried_from_the_reading_dialog(make_app, tmp_path: Path) -> None:
    file = tmp_path / "clinic.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE patients AS SELECT 34 AS age UNION SELECT 35")
    connection.close()
    async with make_app(file).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "sqlite, table patients ·" in facts_line(session_of(pilot))
        await pilot.press("r")
        await settle(pilot)
        query = pilot.app.screen.query_one("#p-query", Input)
        query.value = "SELECT none_such FROM patients"
        await settle(pilot)
        assert "none_such" in str(pilot.app.screen.query_one("#error", Static).content)
        query.value = "SELECT age * 2 AS twice FROM patients"
        await settle(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert session_of(pilot).table.frame.rows() == [("68",), ("70",)]
