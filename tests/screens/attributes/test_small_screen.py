"""Screen 2 in 80 columns: figures are shown whole."""

from __future__ import annotations

from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import settle


async def test_no_figure_is_cut(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        grid = pilot.app.screen.query_one("#attributes", Grid)
        lines = ["".join(s.text for s in grid.render_line(y)) for y in range(1, 11)]
        assert "99.0%" in lines[0]
        association = lines[0].index("99.0%") + 6
        assert not any("…" in line[:association] for line in lines)
