"""Screen 5 chooses for who has not chosen, and offers what another algorithm would have lost."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.analysis import first_choice
from kanon_tui.screens.run import advice
from kanon_tui.screens.run.live_view import LiveView
from tests.core.analysis.test_first_choice import raw_categories
from tests.screens.conftest import session_of, settle, wait_until


@pytest.fixture
def raw_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples_at_hand: None) -> Path:
    """Return a table with raw categories; alternatives are really tried."""
    monkeypatch.setattr(advice, "alternative_to", first_choice.alternative_to)
    raw_categories().write_csv(tmp_path / "raw.csv")
    return tmp_path / "raw.csv"


def concluded(pilot) -> str:
    """Return the figures of the finished run as they are shown."""
    return str(pilot.app.screen.query_one(LiveView).query_one("#decision").content)


async def test_what_nobody_chose_is_preselected_and_the_other_is_offered(
    raw_file, make_app
) -> None:
    async with make_app(raw_file).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("5")
        await wait_until(pilot, lambda: session.project.algorithm.name != "global")
        chosen = session.project.algorithm.name
        assert not session.dirty
        assert session.undo() is None  # a first choice is no edit
        await pilot.press("r")
        await settle(pilot)
        await pilot.press("y")
        await wait_until(pilot, lambda: "t tries it" in concluded(pilot))
        assert session.results[-1].algorithm.name == chosen
        assert "global would have lost NCP 0.55 instead of" in concluded(pilot)
        await pilot.press("t")
        await wait_until(pilot, lambda: len(session.results) == 2)
        await settle(pilot)
        assert session.results[-1].algorithm.name == "global"
        assert not session.first_choice_is_open
        await wait_until(pilot, lambda: f"{chosen} would have lost" in concluded(pilot))
        assert "! city is hidden in every record (* throughout)" in concluded(pilot)


async def test_a_run_at_once_has_the_first_choice_too(raw_file, make_app) -> None:
    async with make_app(raw_file).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("5", "r")
        await settle(pilot)
        await pilot.press("y")
        await wait_until(pilot, lambda: session.results)
        expected = first_choice.first_choice(session.results[0].task)
        assert session.results[0].algorithm.name == expected != "global"


async def test_who_chooses_keeps_the_choice(raw_file, make_app) -> None:
    pl.read_csv(raw_file).with_columns(sex=pl.lit("f")).write_csv(raw_file)
    async with make_app(raw_file).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("down")
        await settle(pilot)
        name = session.project.algorithm.name
        assert not session.project.algorithm.guessed
        await pilot.press("r")
        await settle(pilot)
        await pilot.press("y")
        await wait_until(pilot, lambda: session.results)
        assert session.results[0].algorithm.name == name
