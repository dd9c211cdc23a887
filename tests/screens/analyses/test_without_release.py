"""Analyses that look at a release say what to do while there is none."""

from __future__ import annotations

import pytest

from kanon_tui.screens.analyses.attack import AttackScreen
from kanon_tui.screens.analyses.trees import PartitionScreen
from tests.screens.analyses.helpers import SIZE, open_panel, said
from tests.screens.conftest import settle


@pytest.mark.parametrize(("words", "kind"), [("linking", AttackScreen), ("trees", PartitionScreen)])
async def test_without_a_release_the_panel_says_what_to_do(sample, make_app, words, kind) -> None:
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, words, kind)
        assert isinstance(pilot.app.screen, kind)
        assert "no release yet" in said(pilot.app.screen, "#status")
        await pilot.press("e", "a", "s", "t", "plus")  # none of them does anything yet
        assert isinstance(pilot.app.screen, kind)
        await pilot.press("escape")
        assert pilot.app.current_mode == "data"
        assert not isinstance(pilot.app.screen, kind)
