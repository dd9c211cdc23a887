"""Columns share the room there is, and a grid scrolls sideways by whole columns."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from kanon_tui.widgets.grid import (
    GAP,
    Cell,
    Grid,
    GridColumn,
    column_starts,
    first_in_view,
    shared_widths,
    start_for,
    up_to,
)
from kanon_tui.widgets.grid_sources import CellTable

WIDTHS = [5, 8, 12, 4]
COLUMNS = [GridColumn("", width) for width in WIDTHS]


def test_a_column_takes_what_it_wishes_where_there_is_room() -> None:
    columns = [up_to(10, "name", 30), GridColumn("k", 3), up_to(10, "city", 14)]
    assert shared_widths(columns, 10) == [10, 3, 10]
    assert shared_widths(columns, 27 + 6) == [13, 3, 13]
    assert shared_widths(columns, 200) == [30, 3, 14]


@pytest.mark.parametrize("room", range(1, 60))
def test_widths_never_exceed_the_room_that_is_left(room: int) -> None:
    columns = [up_to(4, "a", 9), up_to(5, "b", 5), up_to(3, "c", 20)]
    widths = shared_widths(columns, room)
    least = 12 + 2 * GAP
    assert sum(widths) + 2 * GAP <= max(room, least)
    assert all(c.width <= w <= c.wish for c, w in zip(columns, widths, strict=True))


def test_scrolling_stops_where_a_column_begins() -> None:
    starts = column_starts(COLUMNS, WIDTHS)
    assert starts == [0, 7, 17, 31, 37]
    assert start_for(starts, WIDTHS, 0, 17, 20) == 0
    assert start_for(starts, WIDTHS, 2, 0, 22) == 7  # 7..29 holds the second and the third
    assert start_for(starts, WIDTHS, 2, 0, 13) == 17
    assert start_for(starts, WIDTHS, 3, 17, 18) == 17  # already in view
    assert start_for(starts, WIDTHS, 2, 0, 3) == 17  # wider than the grid: seen from its beginning


@pytest.mark.parametrize("scrolled", range(40))
def test_the_first_column_in_view_is_seen_from_its_beginning(scrolled: int) -> None:
    starts = column_starts(COLUMNS, WIDTHS)
    first = first_in_view(starts, scrolled)
    assert 0 <= first < 4
    assert starts[first] >= min(scrolled, starts[3])


class WideTable(App[None]):
    def __init__(self, name_width: int) -> None:
        super().__init__()
        names = [f"c{x}" for x in range(12)]
        columns = [GridColumn("name", name_width), *(GridColumn(name, 8) for name in names)]
        cells = [[Cell(f"row{y}"), *(Cell(f"{name}-{y}") for name in names)] for y in range(3)]
        self.grid = Grid(CellTable(columns, cells))

    def compose(self) -> ComposeResult:
        yield self.grid

    def line(self, y: int) -> str:
        return self.grid.render_line(y).text


async def test_the_first_column_stays_while_the_others_scroll() -> None:
    async with WideTable(name_width=6).run_test(size=(40, 10)) as pilot:
        app = pilot.app
        app.grid.focus()
        await pilot.press("end", "down")
        assert app.grid.column == 12
        assert app.line(0).startswith("name")
        assert app.line(2).startswith("row1")
        assert "c11-1" in app.line(2)
        await pilot.click(Grid, offset=(2, 3))
        assert (app.grid.row, app.grid.column) == (2, 0)
        await pilot.click(Grid, offset=(10, 1))
        shown = app.line(1)[8:].split()[0]
        assert app.grid.source.rows(0, 1)[0][app.grid.column].text == shown


async def test_a_first_column_that_takes_half_of_the_width_scrolls_too() -> None:
    async with WideTable(name_width=30).run_test(size=(40, 10)) as pilot:
        pilot.app.grid.focus()
        await pilot.press("end")
        assert not pilot.app.line(1).startswith("row0")
        assert "c11-0" in pilot.app.line(1)
