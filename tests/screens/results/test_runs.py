"""Running again with the neighbouring k."""

from __future__ import annotations

from dataclasses import replace

from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.screens.results import runs as result_runs
from kanon_tui.screens.results.figures import FigurePanel
from tests.screens.conftest import session_of, settle
from tests.screens.results.helpers import open_results, text_of


async def test_again_with_the_neighbouring_k(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        session = session_of(pilot)
        project = session.project
        await pilot.press("plus")
        await settle(pilot)
        first, second = session.results
        assert second.task.k == 6
        assert second.project.privacy == replace(project.privacy, k=6)
        assert session.project == project
        assert screen.result is second
        summary = text_of(screen, "#summary")
        assert "datafly k=6" in summary
        # The release for 5 has classes of 6 already.
        assert "k 5 → 6: same NCP, RV, supp., classes" in summary
        await pilot.press("plus")
        await settle(pilot)
        assert session.results[2].task.k == 7
        difference = text_of(screen, "#summary").split("\n")[-1]
        assert difference.startswith("k 6 → 7: ")
        assert "worse NCP +0." in difference
        assert len(difference) <= 78  # one line
        await pilot.press("minus")
        await settle(pilot)
        assert session.results[3].task.k == 6
        assert "k 7 → 6: better NCP −0." in text_of(screen, "#summary")
        await pilot.press("R")
        panel = screen.query_one(FigurePanel)
        assert [row[2].text for row in panel.grid.source.cells] == ["5", "6", "7", "6"]
        await pilot.press("ctrl+home", "enter")
        await settle(pilot)
        assert screen.result is first
        assert "→" not in text_of(screen, "#summary")


async def test_again_can_be_stopped_and_knows_its_limits(sample, make_app, monkeypatch) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly", k=1)
        session = session_of(pilot)
        await pilot.press("minus")
        await settle(pilot)
        assert screen.under_way is None
        assert len(session.results) == 1
        monkeypatch.setattr(result_runs, "LiveRun", lambda run: LiveRun(run, paused=True))
        await pilot.press("plus")
        await pilot.pause()
        assert "running again with k = 2" in text_of(screen, "#summary")
        await pilot.press("plus")  # one at a time
        await pilot.press("escape")
        await settle(pilot)
        assert len(session.results) == 1
        assert "running" not in text_of(screen, "#summary")
