"""Habits: digits, presets of keys, the palette, copying, the mouse."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from textual.widgets import Input

from kanon_tui.app import KanonApp
from kanon_tui.core.table.column import Role
from kanon_tui.screens.base import to_tmux
from kanon_tui.screens.help_dialog import Help, Palette
from kanon_tui.settings import PRESETS
from kanon_tui.widgets.dialogs import Choose, Confirm, Message
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import has_failed, session_of, settle, status_text
from tests.screens.slow_threads import send_keys

SIZE = (80, 24)


async def test_digits_leave_dialogs_but_not_what_is_filled_in(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        pilot.app.push_screen(Message("A title", "A sentence."))
        await pilot.press("f1")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("4")
        await settle(pilot)
        assert pilot.app.current_mode == "rules"
        assert len(pilot.app.screen_stack) == 1
        await pilot.press("1")
        await settle(pilot)
        assert len(pilot.app.screen_stack) == 1  # the message is gone too
        await pilot.press("number_sign", "3")  # typed into the question for a record
        assert pilot.app.screen.query_one(Input).value == "3"
        await pilot.press("alt+3")
        assert pilot.app.current_mode == "data"
        await pilot.press("escape", "3")
        assert pilot.app.current_mode == "hierarchies"


async def test_escape_leaves_a_field_of_the_run_screen(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("enter", "3")  # into the field k, where a digit is typed
        assert pilot.app.current_mode == "run"
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.focused.id == "algorithms"
        assert session_of(pilot).project.privacy.k == 3
        await pilot.press("2")
        assert pilot.app.current_mode == "attributes"


async def test_vim_keys_move_and_what_had_their_letters_has_others(sample, tmp_path) -> None:
    app = KanonApp(sample("census"), state_folder=tmp_path, keys=PRESETS["vim"])
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        grid = app.screen.query_one("#table", Grid)
        await pilot.press("j", "j", "l", "k")
        assert (grid.row, grid.column) == (1, 1)
        await pilot.press("G")
        assert grid.row == 9_999
        await pilot.press("g", "ctrl+d", "dollar_sign")
        assert grid.row > 1
        assert grid.column == 11
        await pilot.press("down", "0", "h")
        assert grid.column == 0
        await pilot.press("2", "j")
        await settle(pilot)
        before = session_of(pilot).project
        await pilot.press("k")
        await settle(pilot)
        assert session_of(pilot).project == before  # k moved, and changed no kind
        assert app.screen.query_one("#attributes", Grid).row == 0
        await pilot.press("5")
        await settle(pilot)
        chosen = session_of(pilot).project.algorithm.name
        await pilot.press("j")
        await settle(pilot)
        assert session_of(pilot).project.algorithm.name != chosen


async def test_the_palette_has_every_action_of_the_screen_and_every_analysis(
    sample, make_app
) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        titles = {one.title for one in pilot.app.get_system_commands(pilot.app.screen)}
        assert {"Identifier", "Weight", "Mark many", "Pairs", "Find", "Next"} <= titles
        assert {"Linking attack", "k feasibility", "Decision trees"} <= titles
        assert "Page down" not in titles
        await pilot.press("down", "ctrl+p", *"sensitive")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.SENSITIVE


async def test_analyses_have_keys_on_results(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("6", "F")
        await settle(pilot)
        assert pilot.app.screen.analysis.name == "feasibility"


async def copy_choice(pilot, number: int) -> None:
    await pilot.press("y")
    assert isinstance(pilot.app.screen, Choose)
    await pilot.press(*["down"] * number, "enter")
    await settle(pilot)


async def test_copying_sends_a_cell_a_row_and_a_column(
    tmp_path: Path, make_app, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    data = tmp_path / "people.csv"
    data.write_text("name,city,age\nAnn,Rome,30\nBob,\x1b]2;X\x07,31\nCay,Oslo,32\n")
    async with make_app(data).run_test(size=SIZE) as pilot:
        await settle(pilot)
        session_of(pilot).change_attributes(["name"], "an identifier", role=Role.IDENTIFIER)
        await pilot.press("right", "down")
        await copy_choice(pilot, 0)
        assert pilot.app.clipboard == "\x1b]2;X\x07"  # the value itself: it travels in base64
        assert status_text(pilot) == "sent to the terminal: the cell of city"
        await copy_choice(pilot, 1)
        assert pilot.app.clipboard == "\x1b]2;X\x07\t31"  # without the name
        await pilot.press("up")
        await copy_choice(pilot, 2)
        assert pilot.app.clipboard == "Rome\n\x1b]2;X\x07\nOslo"
        await pilot.press("left")
        await copy_choice(pilot, 0)
        assert isinstance(pilot.app.screen, Confirm)  # a name is asked about
        await pilot.press("n")
        await settle(pilot)
        assert pilot.app.clipboard.startswith("Rome")
        await copy_choice(pilot, 0)
        await pilot.press("y")
        await settle(pilot)
        assert pilot.app.clipboard == "Ann"


async def test_a_column_too_long_for_a_terminal_is_refused(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press(*["right"] * 4)  # zip: 10,000 times six bytes
        await copy_choice(pilot, 2)
        assert isinstance(pilot.app.screen, Message)
        assert pilot.app.clipboard == ""


def test_inside_tmux_it_goes_through_tmux(tmp_path: Path, monkeypatch) -> None:
    told = tmp_path / "told"
    tmux = tmp_path / "tmux"
    tmux.write_text(f'#!/bin/sh\necho "$@" > {told}\ncat >> {told}\n')
    tmux.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    assert to_tmux("Rome")
    assert told.read_text() == "load-buffer -w -\nRome"
    tmux.write_text("#!/bin/sh\nexit 1\n")
    assert not to_tmux("Rome")
    monkeypatch.delenv("TMUX")
    monkeypatch.setattr(subprocess, "run", None)
    assert not to_tmux("Rome")


async def test_a_palette_may_open_over_one_that_another_dialog_covers(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        for key in ("ctrl+p", "ctrl+o", "ctrl+p"):
            await pilot.press(key)
            await settle(pilot)
        assert not has_failed(pilot.app)
        await pilot.press("escape", "escape", "escape")
        await settle(pilot)
        assert len(pilot.app.screen_stack) == 1


async def test_page_keys_in_a_palette_whose_list_is_not_laid_out(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        for _ in range(3):
            send_keys(pilot.app, "ctrl+p", "pagedown", "pageup", "escape")
            await settle(pilot)
        pilot.app.push_screen(Palette())
        await pilot.app.run_action("command_list('page_down')", pilot.app.screen)
        await settle(pilot)
        assert not has_failed(pilot.app)
