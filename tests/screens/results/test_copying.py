"""Copying from screen 6: the side that has the focus; what was left out is not copied."""

from __future__ import annotations

import pytest

from tests.screens.conftest import settle
from tests.screens.results.helpers import open_results


async def test_original_and_released_cells_and_finding_again(
    sample, make_app, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    async with make_app(sample("patients")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "mondrian", k=2)
        rows = screen.records.source
        name = screen.records.column
        await pilot.press("y", "enter")
        await settle(pilot)
        assert pilot.app.clipboard == rows.before.row(screen.records.record)[rows.names.index(name)]
        screen.records.grids.right.focus()
        await pilot.press("y", "down", "down", "enter")
        await settle(pilot)
        published = [
            rows.after.row(record)[rows.names.index(name)]
            for record in range(screen.records.shown.height)
        ]
        assert pilot.app.clipboard.split("\n") == published
        wanted = rows.before.row(0)[-1][:3]
        await pilot.press("slash", *wanted.lower(), "enter")
        await settle(pilot)
        first = screen.records.record
        await pilot.press("n")
        await settle(pilot)
        then = screen.records.record
        await pilot.press("N")
        await settle(pilot)
        assert screen.records.record == first
        await pilot.press("escape")
        assert screen.records.wanted == ""
        assert wanted in rows.before.row(then)[-1]
