"""The strings of a release: built, judged while keys are pressed, filtered and applied."""

from __future__ import annotations

from textual.widgets import Input, Static

from kanon_tui.screens.strings import StringsScreen
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle
from tests.screens.results.helpers import open_results


def line(screen: StringsScreen) -> str:
    return str(screen.query_one("#verdict", Static).render())


async def test_a_string_is_built_judged_and_published(sample, make_app) -> None:
    async with make_app(sample("incognito")).run_test(size=(80, 24)) as pilot:
        results = await open_results(pilot, "global")
        first = results.result
        await pilot.press("E")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, StringsScreen)
        assert screen.built == first.grouping.levels
        assert "✓ passes" in line(screen)
        while screen.built[0] > 0:
            await pilot.press("minus")
        await settle(pilot)
        await pilot.press("right", "minus", "minus", "minus", "minus")
        await settle(pilot)
        assert screen.built[:2] == (0, 0)
        assert "✗ fails" in line(screen)
        await pilot.press("enter")  # it does not pass: nothing happens
        await settle(pilot)
        assert pilot.app.screen is screen
        await pilot.press("slash")
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = "birth=1,gender=1,zip=1"
        await pilot.press("enter")
        await settle(pilot)
        assert screen.built == (1, 1, 1)
        verdict = screen.strings.verdicts.judge((1, 1, 1))
        assert verdict.passes
        assert f"NCP {verdict.ncp:.4f}" in line(screen)
        await pilot.press("enter")
        await settle(pilot)
        published = session_of(pilot).results[-1]
        assert published is results.result is not first
        assert published.grouping.levels == (1, 1, 1)
        assert published.algorithm.levels == "birth=1,gender=1,zip=1"


async def test_passing_strings_are_filtered_by_a_level_and_copied(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "global")
        await pilot.press("E")
        await settle(pilot)
        screen = pilot.app.screen
        everything = len(screen.shown)
        assert everything > 1
        rvs = [one.rv for one in screen.shown]
        assert rvs == sorted(rvs, reverse=True)
        await pilot.press("down", "o")
        level = screen.strings.passing[0].levels[0]
        assert screen.only == (0, level)
        assert {one.levels[0] for one in screen.shown} == {level}
        await pilot.press("o")
        assert len(screen.shown) == everything
        await pilot.press("plus")
        await settle(pilot)
        assert screen.query_one(Grid).row == 0
        assert screen.built[1:] == screen.strings.passing[0].levels[1:]
        await pilot.press("plus", "minus", "plus", "escape", "escape")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, StringsScreen)
        assert len(session_of(pilot).results) == 1


async def test_from_the_run_screen_the_choice_goes_into_the_set_up(sample, make_app) -> None:
    async with make_app(sample("incognito")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("E")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, StringsScreen)
        assert screen.built == screen.strings.verdicts.heights  # nothing was run yet
        assert "no passing strings" in line(screen)
        await pilot.press("enter")
        await settle(pilot)
        choice = session_of(pilot).project.algorithm
        assert (choice.name, list(choice.params)) == ("global", ["levels"])
        await pilot.press("r")
        await settle(pilot)
        assert session_of(pilot).results[-1].grouping.levels == screen.strings.verdicts.heights
