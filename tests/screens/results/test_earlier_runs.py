"""Runs of earlier sittings on screen 6: listed, run again with one key, forgotten on request."""

from __future__ import annotations

from textual.widgets import Static

from kanon_tui.screens.results.figures import FigurePanel
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import open_results
from tests.screens.slow_threads import hold_threads


async def test_runs_survive_reopening_and_run_again_with_one_key(sample, make_app) -> None:
    path = sample("patients")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "mondrian", k=2)
        first = session_of(pilot).results[-1]
        await pilot.press("ctrl+s")
        await settle(pilot)
        go_on = hold_threads()
        pilot.app.host.keep_run(session_of(pilot), first)
        await pilot.press("ctrl+q")
        go_on.set()
        await wait_until(pilot, lambda: not pilot.app.is_running)
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("6")
        await settle(pilot)
        screen = pilot.app.screen
        assert "enter runs an earlier one again" in str(
            screen.query_one("#summary", Static).content
        )
        panel = screen.query_one(FigurePanel)
        assert panel.grid.has_focus
        assert [cell.text for cell in panel.grid.source.rows(0, 1)[0]][1:3] == ["mondrian", "2"]
        before = session_of(pilot).project
        await pilot.press("enter")
        await wait_until(pilot, lambda: session_of(pilot).results)
        await settle(pilot)
        again = session_of(pilot).results[-1]
        assert again.measures.ncp == first.measures.ncp
        assert session_of(pilot).project == before  # the set-up of screen 5 is left alone
        assert screen.records.table.has_focus
        await pilot.press("R")
        await settle(pilot)
        assert panel.grid.source.height == 2  # this one, and the earlier one
        await pilot.press("delete", "y")
        await settle(pilot)
        assert panel.grid.source.height == 1
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert pilot.app.host.earlier_runs == ()
