"""The panels of figures, and what each figure means."""

from __future__ import annotations

from dataclasses import replace

from kanon_tui.core.text import note
from kanon_tui.screens.results.figures import FigurePanel
from kanon_tui.screens.results.twin_grids import TwinGrids
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import open_results, text_of


async def test_notes_longer_than_their_room_scroll(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        session = session_of(pilot)
        notes = tuple(note(f"note {number} {'says a little more ' * 3}") for number in range(15))
        result = session.results[-1]
        grouping = replace(result.grouping, notes=notes)
        session.results[-1] = replace(result, grouping=grouping)
        await pilot.press("5", "6", "R")
        await settle(pilot)
        pane = screen.query_one(FigurePanel).query_one("#meaning")
        await wait_until(pilot, lambda: pane.can_focus)
        await pilot.press("tab", "end")
        await wait_until(pilot, lambda: pane.scroll_y == pane.max_scroll_y > 0)


async def test_panels_show_figures_and_what_they_mean(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        panel = screen.query_one(FigurePanel)
        await pilot.press("b")
        assert panel.grid.source.cells[0][0].text == "age"
        assert "level 4 of 5" in text_of(panel, ".meaning")
        await pilot.press("f")
        titles = [row[0].text for row in panel.grid.source.cells]
        assert {"NCP", "Research value", "Precision", "Suppressed records"} <= set(titles)
        await pilot.press("down", "down")
        await settle(pilot)
        assert "Research value: how finely" in text_of(panel, ".meaning")
        await pilot.press("P")
        shown = {row[0].text: row[1].text for row in panel.grid.source.cells}
        assert (shown["k"], shown["Highest risk"]) == ("6", "0.1667")
        assert shown["Highest share (α): income_class"] == "1"
        await pilot.press("d")
        assert panel.grid.source.cells[0][0].text == "5–9"
        await pilot.press("d")
        assert not panel.display
        assert screen.query_one(TwinGrids).left.has_focus
        await pilot.press("b")
        assert panel.display
