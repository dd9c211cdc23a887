"""Two algorithms on the same records, step by step."""

from __future__ import annotations

from textual.widgets import OptionList, Static

from kanon_tui.screens.run.race import RaceScreen
from kanon_tui.widgets.dialogs import Choose
from kanon_tui.widgets.picture_view import PictureView
from tests.screens.conftest import settle, wait_until


async def test_both_take_one_decision_and_who_is_through_waits(sample, make_app) -> None:
    async with make_app(sample("race-rules")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("D")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        assert "local" in str(pilot.app.screen.query_one(OptionList).get_option_at_index(0).prompt)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, RaceScreen))
        race = pilot.app.screen
        await settle(pilot)
        left, right = race.query(".sentence").results(Static)
        views = race.query(PictureView)
        lanes = [view.region for view in views]
        assert abs(lanes[0].width - lanes[1].width) <= 1  # side by side, all of both in view
        assert lanes[1].x >= lanes[0].right
        assert lanes[1].right <= 80

        def title(lane: Static) -> str:
            return str(lane.content).split("\n")[0]

        assert title(left) == "global · step 1 of 12"
        assert title(right).startswith("local · step 1 of ")
        first = [view.render().plain for view in views]
        await pilot.press("full_stop", "full_stop")
        assert title(left) == "global · step 3 of 12"
        course = str(race.query_one("#course", Static).content)
        assert "▶ 3 of 12" in course
        assert "▶ 3 of 8" in course
        await pilot.press("end")
        ends = [str(lane.content) for lane in (left, right)]
        assert all("■" in end and "NCP" in end for end in ends)
        card = str(race.query_one("#course", Static).content)
        assert "★ global loses less detail" in card or "★ local loses less detail" in card
        assert "research value" in card
        assert title(right).split()[3] == title(right).split()[-1]
        await pilot.press("home")
        assert [view.render().plain for view in views] == first
        await pilot.press("greater_than_sign", "greater_than_sign", "greater_than_sign", "space")
        await wait_until(pilot, lambda: title(left) == "global · step 12 of 12")
        await pilot.press("escape")
        await wait_until(pilot, lambda: not isinstance(pilot.app.screen, RaceScreen))
