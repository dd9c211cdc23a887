"""Page keys in lists that are not drawn yet, or have no room, do nothing."""

from __future__ import annotations

import pytest
from textual.app import App
from textual.widgets import OptionList

from kanon_tui.widgets.check_list import CheckList
from kanon_tui.widgets.choice_list import ChoiceList, Dropdown


@pytest.mark.parametrize("make", [
    lambda: ChoiceList("one", "two"),
    lambda: CheckList(("one", 1), ("two", 2)),
    lambda: Dropdown([("one", 1), ("two", 2)], value=1),
])  # fmt: skip
async def test_page_keys_before_it_is_drawn(make) -> None:
    app: App[None] = App()
    async with app.run_test(size=(20, 5)) as pilot:
        shown = make()
        shown.display = False
        await app.mount(shown)
        options = shown if isinstance(shown, OptionList) else shown.query_one(OptionList)
        options.highlighted = 1
        options.action_page_up()
        options.action_page_down()
        assert options.highlighted == 1
        shown.display = True
        if isinstance(shown, Dropdown):
            shown.expanded = True
        await pilot.pause()
        options.action_page_up()
        assert options.highlighted == 0
