"""Which k is feasible."""

from __future__ import annotations

import threading

from textual.widgets import Input

from kanon_tui.screens.analyses.feasibility import FeasibilityScreen, record_counts
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.plot import Plot
from tests.screens.analyses.helpers import SIZE, open_panel, said, small_census, texts
from tests.screens.conftest import settle, wait_until


async def test_the_curve_of_seven_binary_attributes(sample, make_app) -> None:
    """Morton, table 12: 1,200 records are hopeless for 7 attributes and k = 5, 7,500 safe."""
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        assert screen.query_one("#p-attributes", Input).value == "6"
        await pilot.press("delete", "7", "tab", "tab", "tab", "delete", "delete", "delete")
        await pilot.press("2", "0", "tab", *"7500", "enter")
        await wait_until(pilot, lambda: not screen.working and screen.curve.counts[-1] == 7500)
        assert screen.curve.repeats == 20
        own, typed = screen.query_one(Plot).lines
        assert (own.name, typed.name) == ("table's 6", "typed 7 × 2 values")
        assert set(own.values) == {0.0}
        rates = dict(zip(screen.curve.counts, typed.values, strict=True))
        assert rates[7500] == 1.0
        assert all(rate == 0.0 for n, rate in rates.items() if n <= 1200)
        assert list(rates.values()) == sorted(rates.values())
        assert texts(screen.query_one(Grid))[-1] == ["7,500", "0.0%", "100.0%"]
        assert any(row[0] == "▸400" for row in texts(screen.query_one(Grid)))
        assert "▸400" in screen.query_one(Plot).labels
        safe = next(n for n, rate in rates.items() if rate >= 0.95)
        await wait_until(pilot, lambda: "reached" in said(screen, "#note"))
        assert f"table's not up to 7,500, typed from {safe:,} on" in said(screen, "#note")


async def test_points_appear_one_by_one_and_escape_cancels_then_closes(
    sample, make_app, monkeypatch
) -> None:
    from kanon_tui.screens.analyses import feasibility as module

    gate, simulated = threading.Semaphore(3), module.feasibility_curve

    def slowly(*args, **kwargs):
        gate.acquire(timeout=10)
        return simulated(*args, **kwargs)

    monkeypatch.setattr(module, "feasibility_curve", slowly)
    monkeypatch.setattr(module, "BATCH", 200)  # a point is one batch
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: len(screen.curve.rates) == 3)
        await wait_until(pilot, lambda: "…" not in texts(screen.query_one(Grid))[0])
        assert "esc cancels" in said(screen, "#status")
        assert texts(screen.query_one(Grid))[-1][1:] == ["…", "…"]
        await pilot.press("escape")
        gate.release(100)
        await settle(pilot)
        assert pilot.app.screen is screen
        assert len(screen.curve.rates) == 3  # kept, and none came after
        assert "esc cancels" not in said(screen, "#status")
        await pilot.press("escape")
        assert pilot.app.screen is not screen


async def test_a_project_that_is_not_ready_still_has_the_typed_curve(sample, make_app) -> None:
    project = sample("datafly")
    project.with_name("zip.csv").unlink()
    async with make_app(project).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: not screen.working and bool(screen.curve.rates))
        await settle(pilot)
        assert len(screen.query_one(Plot).lines) == 1
        assert "zip" in said(screen, "#note")


def test_the_numbers_of_records_cover_where_the_rate_rises() -> None:
    counts = record_counts(k=5, combinations=2**7, own=1000, most=None)
    assert counts == sorted(set(counts))
    assert 1000 in counts
    assert counts[0] < 5 * 2**7 < 7500 < counts[-1]
    assert record_counts(5, 2**7, own=1000, most=3) == [3]
    assert max(record_counts(5, 1000**100, own=10, most=None)) == 10_000_000
