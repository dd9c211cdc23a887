"""The utility panel: pictures and figures of original and release."""

from __future__ import annotations

import sys

from textual.widgets import Static

from kanon_tui.screens.analyses.utility import UtilityScreen
from kanon_tui.widgets.dialogs import Choose, Message
from tests.screens.analyses.helpers import SIZE, open_panel, release_it, said, small_census
from tests.screens.conftest import settle, wait_until


async def test_distributions_are_drawn_and_a_target_is_learnt(sample, make_app) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "utility", UtilityScreen)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found is not None and not screen.working)
        found = screen.found
        await wait_until(pilot, lambda: "▒ original  █ release" in said(screen, "#picture"))
        first = said(screen, "#picture")
        assert first.startswith(found.marginals[0].attribute)
        assert max(map(len, first.splitlines())) <= screen.query_one("#figures").content_size.width
        await pilot.press("down", "down")
        await settle(pilot)
        assert said(screen, "#picture").startswith(found.marginals[2].attribute)
        figures = said(screen, "#rest")
        assert f"{found.pairs[0].first} and {found.pairs[0].second}" in figures
        assert f"wrong by less than {found.queries.median:.1%}" in figures
        assert f"off by {found.queries.median:.1%}" in said(screen, "#status")
        await pilot.press("t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("down", "down", "enter")  # income, diagnosis, income_class
        await wait_until(pilot, lambda: screen.found.target == "income_class")
        await wait_until(pilot, lambda: "predict income_class" in said(screen, "#rest"))
        assert "random forest" in said(screen, "#rest")
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen is not screen


async def test_a_package_that_is_not_installed_is_named(sample, make_app, monkeypatch) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "utility", UtilityScreen)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found is not None and not screen.working)
        monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
        await pilot.press("t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Message))
        sentence = " ".join(str(text.render()) for text in pilot.app.screen.query(Static))
        assert "the library sklearn, which is not installed" in sentence
        assert "pip install 'kanon-tui[analysis]'" in sentence


async def test_without_a_release_it_says_so(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "utility", UtilityScreen)
        assert "there is no release yet" in said(pilot.app.screen, "#status")
        await pilot.press("t")
        await settle(pilot)
        assert isinstance(pilot.app.screen, UtilityScreen)
