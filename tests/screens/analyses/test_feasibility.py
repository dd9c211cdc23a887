"""Which k is feasible: the panel that is made from the declaration of the analysis."""

from __future__ import annotations

import threading

import pytest
from textual.widgets import Input

from kanon_tui.core.analysis import feasibility
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.widgets.plot import Plot
from tests.screens.analyses.helpers import SIZE, open_panel, said, small_census
from tests.screens.conftest import settle, wait_until


def rates(screen: AnalysisPanel, shape: str) -> dict[int, float]:
    """The points of a curve so far."""
    if screen.found is None:
        return {}
    points = screen.found.figures["curve"]
    return {point["records"]: point["success_rate"] for point in points if point["shape"] == shape}


async def test_the_curve_of_seven_binary_attributes(sample, make_app) -> None:
    """Morton, table 12: 1,200 records are hopeless for 7 attributes and k = 5, 7,500 safe."""
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", AnalysisPanel)
        screen = pilot.app.screen
        assert screen.query_one("#p-attributes", Input).value == "6"
        await pilot.press("delete", "7", "tab", "tab", "tab", "delete", "delete", "delete")
        await pilot.press("2", "0", "tab", *"7500", "enter")
        await wait_until(pilot, lambda: 7500 in rates(screen, "typed 7 × 2 values"))
        await wait_until(pilot, lambda: not screen.working)
        assert screen.found.figures["repeats"] == 20
        own, typed = screen.query_one(Plot).lines
        assert (own.name, typed.name) == ("table's 6", "typed 7 × 2 values")
        assert set(own.values) == {0.0}
        by_records = rates(screen, typed.name)
        assert list(by_records)[-1] == 7500
        assert by_records[7500] == 1.0
        assert all(rate == 0.0 for n, rate in by_records.items() if n <= 1200)
        assert list(by_records.values()) == sorted(by_records.values())
        table = said(screen, "#figures").splitlines()
        assert table[-1].split() == ["7,500", "0.0%", "100.0%"]
        assert any(line.startswith("▸400 ") for line in table)
        assert "▸400" in screen.query_one(Plot).labels
        safe = next(n for n, rate in by_records.items() if rate >= 0.95)
        assert f"table's not up to 7,500, typed from {safe:,} on" in said(screen, "#figures")


async def test_points_appear_one_by_one_and_escape_cancels_then_closes(
    sample, make_app, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Semaphore(3)
    simulated = feasibility.feasibility_curve

    def slowly(*args, **kwargs):
        gate.acquire(timeout=10)
        return simulated(*args, **kwargs)

    monkeypatch.setattr(feasibility, "feasibility_curve", slowly)
    monkeypatch.setattr(feasibility, "BATCH", 200)  # a point is one batch
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", AnalysisPanel)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found and len(screen.found.figures["curve"]) == 3)
        assert "esc cancels" in said(screen, "#status")
        assert said(screen, "#figures").splitlines()[-1].split()[1:] == ["…", "…"]
        await pilot.press("escape")
        gate.release(100)
        await settle(pilot)
        assert pilot.app.screen is screen
        assert len(screen.found.figures["curve"]) == 3  # kept, and none came after
        assert "esc cancels" not in said(screen, "#status")
        await pilot.press("escape")
        assert pilot.app.screen is not screen


async def test_a_project_that_is_not_ready_still_has_the_typed_curve(sample, make_app) -> None:
    project = sample("datafly")
    project.with_name("zip.csv").unlink()
    async with make_app(project).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", AnalysisPanel)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: not screen.working and screen.found is not None)
        assert len(screen.query_one(Plot).lines) == 1
        assert "no curve for this table" in said(screen, "#figures")
        assert "zip" in said(screen, "#figures")


async def test_one_number_of_records_is_one_rate(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", AnalysisPanel)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: not screen.working and screen.has_class("-plotted"))
        await pilot.press(*["tab"] * 5, *"50", "enter")
        await wait_until(pilot, lambda: "success_rate" in screen.found.figures)
        assert "random tables" in said(screen, "#figures")
        assert not screen.query_one("#plot-pane").display
