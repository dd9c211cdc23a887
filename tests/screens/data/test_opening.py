"""Opening an untidy export: repeated names, totals, unreadable files; records and names chosen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.widgets import Input, Select, Static

from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.table.column import Role
from kanon_tui.screens.data.screen import DataScreen
from kanon_tui.screens.opening import ReadingDialog
from kanon_tui.widgets.dialogs import Confirm, Message
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle, wait_until

SIZES = [(80, 24), (120, 40)]


def clinic(folder: Path, header: str, *last: str) -> Path:
    rows = [f"{30 + i % 5};8033{i % 3};I1{i % 4}.0;{100 + i},5" for i in range(30)]
    path = folder / "export.csv"
    path.write_bytes("\r\n".join([header, *rows, *last, ""]).encode("latin-1"))
    return path


def frame(pilot):
    return session_of(pilot).table.frame


@pytest.mark.parametrize("size", SIZES)
async def test_repeated_names_lead_to_the_reading_dialog(make_app, tmp_path, size) -> None:
    path = clinic(tmp_path, "Alter;PLZ;Diagnose;Diagnose")
    async with make_app(path).run_test(size=size) as pilot:
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ReadingDialog))
        await settle(pilot)
        assert "Diagnose_2" in str(pilot.app.screen.query_one("#error", Static).content)
        await pilot.press("ctrl+r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DataScreen))
        await settle(pilot)
        assert frame(pilot).columns == ["Alter", "PLZ", "Diagnose", "Diagnose_2"]


async def test_a_title_above_repeated_names_is_left_out_in_the_dialog(make_app, tmp_path) -> None:
    title = "Klinikexport 2023;;;\r\nAlter;PLZ;Diagnose;Diagnose"
    path = clinic(tmp_path, title, "Summe;;;234.567,8")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ReadingDialog))
        await settle(pilot)
        said = str(pilot.app.screen.query_one("#error", Static).content)
        for word in ("title", "Summe", "Diagnose_2"):
            assert word in said
        await pilot.press("ctrl+r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DataScreen))
        await settle(pilot)
        assert frame(pilot).columns == ["Alter", "PLZ", "Diagnose", "Diagnose_2"]
        assert frame(pilot).height == 30


async def test_tables_are_seen_in_a_terminal_of_twelve_lines(make_app, tmp_path) -> None:
    path = clinic(tmp_path, "Alter;PLZ;Diagnose;Kosten")
    async with make_app(path).run_test(size=(40, 12)) as pilot:
        await settle(pilot)
        for key, table in (("1", "#table"), ("2", "#attributes"), ("3", "#levels")):
            await pilot.press(key)
            await settle(pilot)
            assert pilot.app.screen.query_one(table).size.height >= 3, key


async def test_a_total_at_the_end_is_offered_to_be_left_out(make_app, tmp_path) -> None:
    path = clinic(tmp_path, "Alter;PLZ;Diagnose;Kosten", "Summe;;;234.567,8")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert frame(pilot).height == 31
        await pilot.press("y")
        await wait_until(pilot, lambda: frame(pilot).height == 30)
        assert session_of(pilot).project.data.read_options.skip_last == 1
        await pilot.press("r")
        await settle(pilot)
        assert pilot.app.screen.query_one("#p-skip_last", Input).value == "1"
        pilot.app.screen.query_one("#p-skip_last", Input).value = "0"
        await pilot.press("ctrl+r")
        await wait_until(pilot, lambda: frame(pilot).height == 31)


async def test_an_unreadable_file_shows_its_first_lines(make_app, tmp_path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a;b;c\n1;2;3\n4;5\n6;7;8;9\n")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ReadingDialog))
        await settle(pilot)
        dialog = pilot.app.screen
        assert str(dialog.query_one("#error", Static).content)
        lines = dialog.query_one("#preview", Grid).source
        assert [row[0].text for row in lines.rows(0, 2)] == ["a;b;c", "1;2;3"]
        dialog.query_one("#p-delimiter", Select).value = "|"
        await settle(pilot)
        assert str(dialog.query_one("#error", Static).content) == ""


async def test_only_some_records_are_kept_until_all_are_taken_again(make_app, tmp_path) -> None:
    path = clinic(tmp_path, "Alter;PLZ;Diagnose;Kosten")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("x", "f", *">=33", "enter")
        await settle(pilot)
        assert frame(pilot).height == 30  # a filter is a view only
        await pilot.press("x")
        await wait_until(pilot, lambda: frame(pilot).height == 12)
        await settle(pilot)
        facts = str(pilot.app.screen.query_one("#facts", Static).content)
        assert "only Alter >=33" in facts
        await pilot.press("x", "y")
        await wait_until(pilot, lambda: frame(pilot).height == 30)


async def test_a_renamed_column_keeps_its_settings(make_app, tmp_path) -> None:
    path = clinic(tmp_path, "Alter;PLZ;Diagnose;Kosten")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "s", "1")
        await settle(pilot)
        for name in ("Jahre", "age"):
            await pilot.press("R")
            await settle(pilot)
            pilot.app.screen.query_one(Input).value = name
            await pilot.press("enter")
            await wait_until(pilot, lambda name=name: frame(pilot).columns[0] == name)
            await settle(pilot)
        assert session_of(pilot).project.data.read_options.rename == {"Alter": "age"}
        assert session_of(pilot).attribute("age").role is Role.SENSITIVE


async def test_a_file_whose_name_is_not_utf_8_is_refused(tmp_path: Path, make_app) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/M\xfcller.csv"))
    try:
        path.write_text("age,city\n30,Rome\n31,Oslo\n")
    except OSError:
        pytest.skip("this file system has no such names")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        message = pilot.app.screen
        assert isinstance(message, Message)
        assert "not UTF-8" in str(message.query_one("#text", Static).content)
        assert pilot.app.host.session is None


async def test_another_name_asks_before_it_drops_runs(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.results.append(
            conclude(start(session.project, task=session.task()), session.project)
        )
        for answer in ("n", "y"):
            for key in ("R", "x", "enter", answer):
                await pilot.press(key)
                await settle(pilot)
            assert ("x" in session_of(pilot).table.names) == (answer == "y")
            assert bool(session_of(pilot).results) == (answer == "n")


async def test_one_record_of_one_column_is_counted_in_the_singular(tmp_path, make_app) -> None:
    (tmp_path / "one.csv").write_text("age\n30\n")
    async with make_app(tmp_path / "one.csv").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        facts = str(pilot.app.screen.query_one("#facts", Static).content)
        assert facts.startswith("1 record × 1 column ·")
