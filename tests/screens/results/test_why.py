"""Why a cell is published as it is, in the line below the tables and in the dialog."""

from __future__ import annotations

from kanon_tui.screens.results.twin_grids import TwinGrids
from tests.screens.conftest import settle
from tests.screens.results.helpers import open_results, text_of, told_why


async def test_the_line_and_the_dialog_tell_why(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "mondrian", "datafly")
        grids = screen.query_one(TwinGrids)
        grids.right.focus()
        await settle(pilot)
        grids.go_to(1, 2)
        await settle(pilot)
        line = text_of(screen, "#record-line")
        assert "record 2: class 29 of 125" in line
        assert "zip 46201 → United States because Midwest would do here but leave 307" in line
        await pilot.press("w")
        await settle(pilot)
        why = told_why(pilot)
        assert "Why is zip 46201 published as United States?" in why
        assert "k = 4 instead of 5: zip could stay at level 3" in why
        await pilot.press("escape", "home")
        await settle(pilot)
        assert "17 | 18 ✗" in text_of(screen, "#record-line")
        grids.go_to(1, 6)
        await pilot.press("w")
        await settle(pilot)
        assert pilot.app.screen is screen  # income is no quasi-identifier
        await pilot.press("b")
        await pilot.press("down", "w")  # a rule of age
        await settle(pilot)
        assert "Why is age generalised this far?" in told_why(pilot)
        await pilot.press("escape", "R", "ctrl+home", "enter")  # the run of mondrian
        await settle(pilot)
        assert "run 1 of 2" in text_of(screen, "#summary")
        grids.left.focus()
        grids.go_to(412, 0)
        await settle(pilot)
        assert "because 1 of the 9 records of its class has 21" in text_of(screen, "#record-line")
        await pilot.press("enter")
        await settle(pilot)
        assert "a cut at 23 | 25 leaves 5 and 4 records" in told_why(pilot)
