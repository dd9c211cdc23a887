"""The set-up face of screen 5 shows titles whole."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from kanon_tui.core.algorithms import ALGORITHMS
from tests.screens.conftest import settle


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_titles_of_algorithms_are_never_cut(sample, make_app, size) -> None:
    async with make_app(sample("datafly")).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        choices = pilot.app.screen.query_one("#algorithms", OptionList)
        for name, algorithm in ALGORITHMS.items():
            shown = choices.get_option(name).prompt
            words = " ".join(str(shown).split())
            assert words == f"{name} {algorithm.title}"
            room = choices.scrollable_content_region.width
            assert max(len(line) for line in str(shown).splitlines()) <= room
