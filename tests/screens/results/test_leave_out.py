"""A release that leaves people unique is amber, and its columns are decided about before export."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from kanon_tui.core.table.column import Role
from kanon_tui.screens.before_publishing import LeaveOutDialog
from kanon_tui.widgets.dialogs import Confirm
from kanon_tui.widgets.path_dialog import AskPath
from tests.police_stops import police_stops, stops_project
from tests.screens.conftest import session_of, settle, wait_until


@pytest.fixture
def stops(tmp_path: Path) -> Path:
    police_stops().write_csv(tmp_path / "stops.csv")
    project = stops_project(str(tmp_path / "stops.csv"))
    project.save(tmp_path / "stops.yaml")
    return tmp_path / "stops.yaml"


def text_of(pilot, selector: str) -> str:
    return str(pilot.app.screen.query_one(selector, Static).content)


async def test_columns_are_left_out_by_what_they_contribute(stops: Path, make_app) -> None:
    async with make_app(stops).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: session.results)
        await settle(pilot)
        assert "! k covers 3 of 7 published columns; by all of them" in text_of(pilot, "#decision")
        assert "! finished" in text_of(pilot, "#counters")
        best = session.results[0].release.contributions()[0].name
        await pilot.press("O")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, LeaveOutDialog))
        listed = pilot.app.screen.query_one(OptionList).get_option_at_index(0)
        assert str(listed.prompt).startswith(best)
        await pilot.press("space")
        left = session.results[0].release.risk_without([best])
        assert left is not None
        counted = f"Without the marked columns {left.unique:,} records are unique."
        await wait_until(pilot, lambda: text_of(pilot, "#left") == counted)
        await pilot.press("enter")
        await settle(pilot)
        assert session.attribute(best).role is Role.IDENTIFIER
        await pilot.press("6")
        await settle(pilot)
        assert "✓" not in text_of(pilot, "#summary")
        assert "! k covers 3 of 7 published columns" in text_of(pilot, "#summary")
        await pilot.press("O")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, LeaveOutDialog))
        remaining = [
            str(o.prompt).split()[0] for o in pilot.app.screen.query_one(OptionList).options
        ]
        assert sorted([best, *remaining]) == ["long", "neighborhood", "policePrecinct", "problem"]
        await pilot.press("p")
        await settle(pilot)
        assert all(session.attribute(name).publish_unique for name in remaining)
        assert session.attribute(best).role is Role.IDENTIFIER


async def test_an_export_asks_before_it_publishes(stops: Path, make_app) -> None:
    async with make_app(stops).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: session.results)
        await pilot.press("6")
        await settle(pilot)
        await pilot.press("x", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, LeaveOutDialog))
        await pilot.press("escape")  # nothing is published
        await settle(pilot)
        assert not isinstance(pilot.app.screen, AskPath)
        await pilot.press("x", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, LeaveOutDialog))
        await pilot.press("space", "q")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert len(session.names(Role.QUASI)) == 4
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("ctrl+z")
        await settle(pilot)
        await pilot.press("x", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, LeaveOutDialog))
        await pilot.press("p")  # agreed: it goes on to the name of the file
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskPath))
