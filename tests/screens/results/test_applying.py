"""A release applied to new records, from Results and from the start screen."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, Static

from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.screens.opening import ApplyDialog
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import answer, open_results
from tests.screens.slow_threads import hold_threads

MAPPING, APPLY = 7, 8
"""Their lines in the list of exports."""


async def choose(pilot: Pilot, number: int) -> None:
    await pilot.press("x", *["down"] * number, "enter")
    await settle(pilot)


def fill(pilot: Pilot, **texts: str) -> None:
    for name, text in texts.items():
        pilot.app.screen.query_one(f"#p-{name}", Input).value = text


def said(pilot: Pilot, where: str = "#summary") -> str:
    return str(pilot.app.screen.query_one(where, Static).content)


def second_month(project: Path, folder: Path) -> Path:
    """The sample's own records, as if they came again, and one that nothing covers."""
    data = project.parent / "census.csv"
    path = folder / "february.csv"
    path.write_bytes(data.read_bytes())
    return path


@pytest.mark.parametrize("algorithm", ["datafly", "mondrian"])
async def test_from_results(sample, make_app, tmp_path: Path, algorithm: str) -> None:
    project = sample("census")
    new = second_month(project, tmp_path)
    async with make_app(project).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, algorithm)
        await choose(pilot, APPLY)
        assert isinstance(pilot.app.screen, ApplyDialog)
        await pilot.press("ctrl+r", "ctrl+r")
        await settle(pilot)
        assert "name the new records" in said(pilot, "#error")
        out = tmp_path / "out.csv"
        fill(pilot, new_records=str(new), to_write=str(out))
        pilot.app.screen.query_one("#p-to_write").focus()
        await pilot.press("enter")  # in the last field, as ctrl+r in any
        await settle(pilot)
        assert said(pilot, "#error") == ""
        assert "verified" in said(pilot)
        assert "with the earlier release" in said(pilot)
        quasi = [attribute.name for attribute in screen.result.task.quasi]
        released = pl.read_csv(out, infer_schema=False)
        assert smallest_class(released, quasi) >= screen.result.task.k
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "exists" in said(pilot, "#error")
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen is screen


async def test_a_mapping_is_exported_and_applied_from_the_start_screen(
    sample, make_app, tmp_path: Path
) -> None:
    project = sample("census")
    new = second_month(project, tmp_path)
    mapping = tmp_path / "m.json"
    async with make_app(project).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "datafly")
        await choose(pilot, MAPPING)
        assert isinstance(pilot.app.screen, AskPath)
        await answer(pilot, str(mapping))
        assert session_of(pilot).results
    async with make_app().run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        out = str(tmp_path / "start.csv")
        fill(pilot, mapping=str(mapping), new_records=str(new), to_write=out)
        pilot.app.screen.query_one("#p-values_not_covered", Select).value = "refuse"
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "verified" in said(pilot)
        assert (tmp_path / "start.csv").exists()
        fill(pilot, to_write=str(tmp_path / "left.csv"))
        go_on = hold_threads()
        await pilot.press("ctrl+r", "escape", "ctrl+q")
        go_on.set()
        await wait_until(pilot, lambda: not pilot.app.is_running)
        assert (tmp_path / "left.csv").exists()  # closed and left at once, and written all the same


async def test_a_broken_mapping_is_told_and_the_dialog_stays(make_app, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"kanon_mapping": 1, "\x1b[31m": 2}')
    async with make_app().run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        fill(pilot, mapping=str(bad), new_records=str(bad), to_write=str(tmp_path / "o.csv"))
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "unknown key" in said(pilot, "#error") or "not JSON" in said(pilot, "#error")
        assert "\x1b" not in said(pilot, "#error")
        assert not (tmp_path / "o.csv").exists()
