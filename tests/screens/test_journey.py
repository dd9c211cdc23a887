"""The whole journey with the keyboard alone, at 80×24, on the census sample."""

from __future__ import annotations

import polars as pl
from textual.widgets import OptionList

from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.rules import Boundary
from kanon_tui.screens.before_publishing import LeaveOutDialog
from tests.screens.conftest import session_of, settle, wait_until


async def go_to_attribute(pilot, name: str) -> None:
    """Put the cursor of the attributes screen on an attribute."""
    names = list(session_of(pilot).project.attributes)
    await pilot.press("ctrl+home", *["down"] * names.index(name))


async def choose_intervals(pilot) -> None:
    """In the builder dialog: intervals of 5, 10 and 20 years."""
    await pilot.press("shift+tab", "enter", "home", "enter")  # the drop-down; intervals is first
    await settle(pilot)
    await pilot.press("tab", *"5, 10, 20", "ctrl+r")
    await settle(pilot)


async def test_open_tag_build_rule_run_export(sample, make_app) -> None:
    path = sample("census")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)

        await pilot.press("2")
        await settle(pilot)
        await go_to_attribute(pilot, "education")
        await pilot.press("o")
        await settle(pilot)
        assert session.names(Role.QUASI) == ["age", "sex", "zip", "race", "marital_status"]

        await pilot.press("3")  # age is first
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        await choose_intervals(pilot)
        assert session.attribute("age").hierarchy["builder"] == "intervals"

        await pilot.press("4")
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        await pilot.press(*"39", "tab", *"40", "tab", "ctrl+r")
        await settle(pilot)
        assert Boundary("39", "40", 10.0) in session.attribute("age").rules.rules

        for algorithm in ("global", "udc", "k-member", "gcka"):
            await run(pilot, algorithm)
            result = session.results[-1]
            assert result.algorithm.name == algorithm
            release = path.parent / "census-release.csv"
            await pilot.press("x", "enter")
            await settle(pilot)
            if isinstance(pilot.app.screen, LeaveOutDialog):
                await pilot.press("p")  # education is published as it is
                await settle(pilot)
            await pilot.press("enter")  # the release, to the proposed place
            await settle(pilot)
            published = pl.read_csv(release, infer_schema=False)
            assert "name" not in published.columns
            assert smallest_class(published, session.names(Role.QUASI)) >= 5
            assert published.equals(result.table)
            release.unlink()


async def run(pilot, algorithm: str) -> None:
    """Choose an algorithm with the arrow keys, run it, and wait for its results."""
    session = session_of(pilot)
    await pilot.press("5")
    await settle(pilot)
    if pilot.app.screen._watching:  # the last run is still to be seen
        await pilot.press("escape")
        await settle(pilot)
    choices = pilot.app.screen.query_one("#algorithms", OptionList)
    wanted = choices.get_option_index(algorithm)
    while choices.highlighted != wanted:
        await pilot.press("down")
    await settle(pilot)
    assert session.project.algorithm.name == algorithm
    known = len(session.results)
    await pilot.press("r")
    await wait_until(pilot, lambda: len(session.results) > known)
    await settle(pilot)
    await pilot.press("6")
    await settle(pilot)
