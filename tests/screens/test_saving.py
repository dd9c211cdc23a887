"""Two programs on one project, and what the start screen remembers."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList, Static

from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.widgets.dialogs import Choose, Confirm, Message
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.conftest import session_of, settle, wait_until


def somebody_else_saves(path: Path) -> None:
    other = open_session(path)
    other.change_attributes(["zip"], "zip: other", role=Role.OTHER)
    other.save()


@pytest.mark.parametrize("answer", ["replace", "another name", "neither"])
async def test_a_save_asks_when_the_file_was_changed_meanwhile(sample, make_app, answer) -> None:
    path = sample("datafly")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
        somebody_else_saves(path)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Choose)
        hint = str(pilot.app.screen.query_one(".hint", Static).content)
        assert "birth, role: quasi in the file, sensitive here" in hint
        assert "zip, role: other in the file, quasi here" in hint
        assert Project.load(path).attributes["zip"].role is Role.OTHER
        if answer == "neither":
            await pilot.press("escape")
        elif answer == "replace":
            await pilot.press("down", "enter")
        else:
            await pilot.press("enter")
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskPath))
            assert Path(pilot.app.screen.query_one(Input).value).name == "project-2.yaml"
            await pilot.press("enter")
        await settle(pilot)
        assert session_of(pilot).dirty == (answer == "neither")
    theirs = Project.load(path).attributes
    assert (theirs["zip"].role is Role.QUASI) == (answer == "replace")
    if answer == "another name":
        ours = Project.load(path.with_name("project-2.yaml")).attributes
        assert (ours["birth"].role, ours["zip"].role) == (Role.SENSITIVE, Role.QUASI)


async def test_leaving_one_program_keeps_the_unsaved_work_of_the_other(sample, make_app) -> None:
    path = sample("datafly")
    async with make_app(path).run_test(size=(80, 24)) as first:
        await settle(first)
        await first.press("2", "down", "s")
        await settle(first)
        async with make_app(path).run_test(size=(80, 24)) as second:
            await settle(second)
            assert not isinstance(second.app.screen, Confirm)  # the first one is alive
            await second.press("2", "down", "o")
            await settle(second)
            await second.press("ctrl+q", "y")
    async with make_app(path).run_test(size=(80, 24)) as third:
        await settle(third)
        assert isinstance(third.app.screen, Confirm)
        await third.press("y")
        await settle(third)
        assert session_of(third).attribute("birth").role is Role.SENSITIVE


async def test_a_data_file_saved_as_a_project_is_not_offered_as_unsaved(tmp_path, make_app) -> None:
    data = tmp_path / "people.csv"
    data.write_text("age,city\n30,Rome\n31,Rome\n32,Oslo\n")
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        await pilot.press("enter", "ctrl+q")
        await wait_until(pilot, lambda: not pilot.app.is_running)
    assert (tmp_path / "people.yaml").exists()
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert not isinstance(pilot.app.screen, Confirm)


@pytest.mark.parametrize("writes", [True, False])
async def test_leaving_waits_for_what_is_being_saved(sample, make_app, monkeypatch, writes) -> None:
    path = sample("datafly")
    go_on = threading.Event()
    save = Session.save

    def save_on_a_slow_disk(session: Session, *arguments: Any, **options: Any) -> Path:
        go_on.wait(240)
        if writes:
            return save(session, *arguments, **options)
        raise InputError("The disk is full.")

    monkeypatch.setattr(Session, "save", save_on_a_slow_disk)
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
        await pilot.press("ctrl+s", "ctrl+q")
        assert pilot.app.is_running
        assert not isinstance(pilot.app.screen, Confirm)  # it is being saved: nothing to ask
        go_on.set()
        if writes:
            await wait_until(pilot, lambda: not pilot.app.is_running)
        else:
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, Message))
            await pilot.press("enter", "ctrl+q")
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
    assert (Project.load(path).attributes["birth"].role is Role.SENSITIVE) == writes


async def test_leaving_waits_for_every_file(make_app) -> None:
    go_on = [threading.Event(), threading.Event()]
    written = list[int]()
    async with make_app().run_test(size=(80, 24)) as pilot:
        for number, event in enumerate(go_on):
            pilot.app.host.background.write(
                partial(event.wait, 240), lambda _, n=number: written.append(n)
            )
        await pilot.press("ctrl+q")
        go_on[1].set()  # the second file does not replace the first
        await wait_until(pilot, lambda: written == [1])
        assert pilot.app.is_running
        go_on[0].set()
        await wait_until(pilot, lambda: not pilot.app.is_running)
    assert written == [1, 0]


async def test_unsaved_work_stays_on_the_start_screen(tmp_path, make_app) -> None:
    data = tmp_path / "draft.csv"
    data.write_text("age,city\n30,Rome\n31,Rome\n32,Oslo\n")
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
        for number in range(25):  # more files than are remembered
            other = tmp_path / f"{number}.csv"
            other.touch()
            pilot.app.host.recent.add(other)
    async with make_app().run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        choices = pilot.app.screen.query_one(OptionList)
        titles = [(option.id or "").partition(": ")[0] for option in choices.options]
        assert titles[2] == "unsaved work"
        assert titles.count("recent") == 20
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("y")
        await settle(pilot)
        assert session_of(pilot).attribute("city").role is Role.SENSITIVE
