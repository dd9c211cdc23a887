"""Values that look like markup are shown as they are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.table.column import Kind, Role
from kanon_tui.screens.results.screen import WhyDialog
from kanon_tui.screens.results.twin_grids import TwinGrids
from tests.screens.conftest import session_of, settle
from tests.screens.results.helpers import SIZES, answer, open_results, row_of, told_why

HOSTILE = ["[/]", "[red]x", "a\nb", "", "*", "{A|B}", "[20..35]", "漢字漢字", "\x1b[31m", "x" * 300]


@pytest.mark.parametrize(("algorithm", "size"), zip(["datafly", "mondrian"], SIZES, strict=True))
async def test_values_are_shown_as_they_are(make_app, tmp_path: Path, algorithm, size) -> None:
    frame = pl.DataFrame(
        {
            "[bold]who": HOSTILE * 2,
            "[/]kind": ["[a-z]", "[/b]"] * 10,
            "note": [text + "!" for text in HOSTILE] * 2,
        }
    )
    path = tmp_path / "hostile.csv"
    frame.write_csv(path)
    async with make_app(path).run_test(size=size) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.change_attributes(
            ["[bold]who", "[/]kind"], "", role=Role.QUASI, kind=Kind.CATEGORICAL
        )
        session.change_attributes(["note"], "", role=Role.OTHER)
        screen = await open_results(pilot, algorithm, algorithm, k=3)
        grids = screen.query_one(TwinGrids)
        assert row_of(grids.left, 1)[0] == "[red]x"
        await pilot.press(*["down"] * 10, "right", "right", "f", "P", "d", "R", "b")
        await settle(pilot)
        for column in (0, 1):
            grids.left.focus()
            grids.go_to(0, column)
            await settle(pilot)
            await pilot.press("w")
            await settle(pilot)
            assert isinstance(pilot.app.screen, WhyDialog)
            assert "[" in told_why(pilot)
            await pilot.press("escape")
        await pilot.press("C")
        await settle(pilot)
        await pilot.press("down", "right", "s", "n", "escape")
        await pilot.press("slash")
        await answer(pilot, "[/]")
        assert "[/]" in " ".join(row_of(grids.left) + row_of(grids.right))
