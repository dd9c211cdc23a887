"""Messages stand on one line over the keys, the latest in place of the one before."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.status_line import StatusLine
from tests.screens.conftest import settle, status_text, wait_until

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)])


def line_of(pilot: Pilot[None]) -> StatusLine:
    return pilot.app.screen.query_exactly_one(StatusLine)


@SIZES
async def test_keys_past_the_end_leave_one_message_over_the_keys(sample, make_app, size) -> None:
    async with make_app(sample("patients")).run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press(*["ctrl+z"] * 5)
        await settle(pilot)
        assert status_text(pilot) == "nothing to undo"
        assert line_of(pilot).region == pilot.app.screen.query_one(KeyBar).region
        assert not pilot.app.screen.query("Toast")


async def test_another_message_takes_the_place_of_the_first(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+z", "ctrl+y")
        await settle(pilot)
        assert status_text(pilot) == "nothing to redo"
        assert line_of(pilot).size.height == 1


async def test_a_message_goes_and_the_keys_are_back(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert line_of(pilot).display
        await wait_until(pilot, lambda: not line_of(pilot).display)


async def test_a_warning_stays_until_a_key_and_not_for_keys_typed_ahead(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pilot.app.host.notify("the disk is full", "warning")
        await pilot.press("down")
        await settle(pilot)
        assert status_text(pilot) == "! the disk is full"
        await wait_until(pilot, lambda: pilot.app.status.may_be_dismissed)
        assert status_text(pilot) == "! the disk is full"
        await pilot.press("down")
        await settle(pilot)
        assert status_text(pilot) == ""


async def test_a_long_message_is_shown_whole(sample, make_app) -> None:
    words = "word " * 40
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pilot.app.host.notify(f"{words}end")
        await settle(pilot)
        line = line_of(pilot)
        assert line.region.bottom == 24
        assert line.size.height == 3
        assert "end" in pilot.app.export_screenshot(simplify=True)


async def test_messages_are_seen_over_dialogs_and_enlarged_panes(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        await wait_until(pilot, lambda: pilot.app.screen.query(Input))
        await pilot.press("alt+2")
        await settle(pilot)
        assert status_text(pilot) == "esc leaves this first"
        assert line_of(pilot).region.bottom == 24
        await pilot.press("escape")
        await settle(pilot)
        assert status_text(pilot) == "esc leaves this first"  # of the screen below
        await pilot.press("z", "ctrl+z")
        await settle(pilot)
        assert pilot.app.screen.maximized is not None
        assert status_text(pilot) == "nothing to undo"
        assert line_of(pilot).region.bottom == 24


async def test_messages_of_textual_stand_there_too(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pilot.app.notify("[b]done[/]", title="Copy")
        await settle(pilot)
        assert status_text(pilot) == "Copy: [b]done[/]"


async def test_a_click_shows_the_keys_again(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+z")
        await settle(pilot)
        await pilot.click(StatusLine)
        await settle(pilot)
        assert status_text(pilot) == ""
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert status_text(pilot) == "nothing to undo"
