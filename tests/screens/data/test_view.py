"""1 Data as somebody wants to look at it: sorted, filtered, searched; a view and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanon_tui.core.editing.session import open_session
from kanon_tui.core.errors import InputError
from kanon_tui.screens.data.screen import View, parse_filter
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle


@pytest.fixture
def people(tmp_path: Path) -> Path:
    data = tmp_path / "people.csv"
    rows = ["9,Rome", "100,Oslo", ",Rome", "20,Bonn", "9,oslo"]
    data.write_text("age,city\n" + "\n".join(rows) + "\n")
    return data


def column(pilot, x: int) -> list[str]:
    source = pilot.app.screen.query_one("#table", Grid).source
    return [row[x].text for row in source.rows(0, source.height)]


def title(pilot) -> str:
    return str(pilot.app.screen.query_one("#table-pane").border_title)


async def test_sorting_goes_up_down_and_back(people: Path, make_app) -> None:
    async with make_app(people).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("S")
        await settle(pilot)
        assert column(pilot, 0) == ["9", "9", "20", "100", "·"]  # as numbers, missing last
        grid = pilot.app.screen.query_one("#table", Grid)
        assert [grid.source.row_name(row) for row in range(5)] == ["1", "5", "4", "2", "3"]
        assert "by age ↑" in title(pilot)
        await pilot.press("S")
        await settle(pilot)
        assert column(pilot, 0) == ["100", "20", "9", "9", "·"]
        await pilot.press("number_sign", "4", "enter")  # a record by its number, wherever it is
        assert grid.row == 1
        await pilot.press("S")
        await settle(pilot)
        assert column(pilot, 0) == ["9", "100", "·", "20", "9"]
        assert title(pilot) == "people.csv"


async def test_a_filter_is_a_view_and_says_so(people: Path, make_app) -> None:
    async with make_app(people).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        before = session_of(pilot).project
        await pilot.press("right", "f", *"OSLO", "enter")
        await settle(pilot)
        assert column(pilot, 1) == ["Oslo", "oslo"]
        assert "city has 'OSLO': 2 of 5 shown, all are anonymised" in title(pilot)
        session = session_of(pilot)
        assert session.table.height == 5
        assert session.project == before
        await pilot.press("number_sign", "1", "enter")
        assert "hides this record" in str(pilot.app.screen.query_one("#error").content)
        await pilot.press("escape")
        await pilot.press("f", *"Paris", "enter")
        await settle(pilot)
        assert column(pilot, 1) == ["Oslo", "oslo"]  # nothing fits: the view stays
        await pilot.press("escape")
        await settle(pilot)
        assert len(column(pilot, 1)) == 5


async def test_numbers_and_dates_are_compared(tmp_path: Path, make_app) -> None:
    data = tmp_path / "people.csv"
    rows = ["9,13.09.1964", "100,14.09.1964", ",01.02.1980", "20,", "9.5,31.12.2001"]
    data.write_text("age,born\n" + "\n".join(rows) + "\n")
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)

        async def shown(text: str) -> list[str]:
            await pilot.press("f")
            pilot.app.screen.query_one("Input").value = text
            await pilot.press("enter")
            await settle(pilot)
            return column(pilot, 0)

        assert await shown("<20") == ["9", "9.5"]
        assert "age < 20: 2 of 5 shown" in title(pilot)
        assert await shown(">= 20") == ["100", "20"]
        assert await shown("<=9") == ["9"]
        await pilot.press("f")
        hint = str(pilot.app.screen.query_one("#hint").content)
        assert "<, >, <= and >= compare numbers" in hint
        for typed, problem in ((">", "after >"), (">old", "'old' is neither a number")):
            pilot.app.screen.query_one("Input").value = typed
            await pilot.pause()
            assert problem in str(pilot.app.screen.query_one("#error").content)
        await pilot.press("escape", "right")
        await settle(pilot)
        assert await shown(">13.09.1964") == ["100", "·", "9.5"]
        assert await shown("<=1964-09-13") == ["9"]  # as the calendar of every country has it
        assert await shown("1964") == ["9", "100"]  # a text is looked for in the cell as ever


async def test_matches_are_counted_and_walked_both_ways(people: Path, make_app) -> None:
    async with make_app(people).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        grid = pilot.app.screen.query_one("#table", Grid)
        pane = pilot.app.screen.query_one("#table-pane")
        await pilot.press("slash", *"oslo", "enter")
        await settle(pilot)
        assert (grid.row, grid.column) == (1, 1)
        assert "'oslo': 1 of 2 records" in str(pane.border_subtitle)
        await pilot.press("n")
        assert grid.row == 4
        assert "2 of 2" in str(pane.border_subtitle)
        await pilot.press("n")
        assert grid.row == 1
        await pilot.press("N")
        assert grid.row == 4
        await pilot.press("escape")
        assert str(pane.border_subtitle) == ""


async def test_jumping_to_a_column(people: Path, make_app) -> None:
    async with make_app(people).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("c", *"ci", "enter")
        assert pilot.app.screen.query_one("#table", Grid).column == 1


def test_what_can_be_typed_for_a_filter(people: Path) -> None:
    session = open_session(people)
    assert parse_filter(session, "city", "  ") is None
    assert str(parse_filter(session, "city", "!Rome")) == "city has not 'Rome'"
    assert str(parse_filter(session, "city", "=")) == "city is ''"  # empty cells
    for typed, problem in (("!", "after !"), ("<x", "neither a number nor a date")):
        with pytest.raises(InputError, match=problem):
            parse_filter(session, "city", typed)
    assert str(parse_filter(session, "age", "<5")) == "age < 5"
    assert View().sorted_by("a").sorted_by("a").sorted_by("a").plain
