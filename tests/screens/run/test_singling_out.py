"""A column that singles people out is answered for before it is published."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from kanon_tui.core.table.column import Role
from kanon_tui.screens.before_publishing import SinglingOutDialog
from tests.screens.conftest import session_of, settle, wait_until


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    rows = [f"{20 + i % 7},{1000 + 37 * i},{50.5 + 3 * i}" for i in range(40)]
    file = tmp_path / "fresh.csv"
    file.write_text("\n".join(["age,income,level", *rows]) + "\n", encoding="utf-8")
    return file


async def test_a_run_asks_once_per_column_and_remembers(fresh: Path, make_app) -> None:
    async with make_app(fresh).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("2", "v", "5", "r")
        await settle(pilot)
        assert isinstance(pilot.app.screen, SinglingOutDialog)
        await pilot.press("escape")
        await settle(pilot)
        assert not session.results
        await pilot.press("r")
        await settle(pilot)
        await pilot.press("down", "down", "enter")  # income: publish it
        await settle(pilot)
        assert isinstance(pilot.app.screen, SinglingOutDialog)
        await pilot.press("enter")  # level: leave it out
        await wait_until(pilot, lambda: session.results)
        await settle(pilot)
        assert session.attribute("income").publish_unique
        assert session.attribute("level").role is Role.IDENTIFIER
        assert session.results[0].task.left_out == ("level",)
        await pilot.press("5", "escape", "r")
        await wait_until(pilot, lambda: len(session.results) == 2)  # nothing is asked again
        await settle(pilot)
        while session.attribute("income").publish_unique:
            await pilot.press("ctrl+z")
            await settle(pilot)
        await pilot.press("6")
        await settle(pilot)
        await pilot.press("x", "enter")  # an export asks too
        await settle(pilot)
        assert isinstance(pilot.app.screen, SinglingOutDialog)


async def test_all_at_once(fresh: Path, make_app) -> None:
    async with make_app(fresh).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("2", "v", "5", "r")
        await settle(pilot)
        assert pilot.app.screen.query_one(OptionList).option_count == 5
        await pilot.press("end", "enter")
        await wait_until(pilot, lambda: session.results)
        assert session.unanswered() == []
        assert session.attribute("level").publish_unique
