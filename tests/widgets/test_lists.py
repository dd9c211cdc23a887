"""Lists mark what is picked without colour, and bear page keys before they are drawn."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.widgets import OptionList

from kanon_tui.widgets.lists import CheckList, ChoiceList, Dropdown


class Picking(App[None]):
    def compose(self) -> ComposeResult:
        yield CheckList(*[(f"value {i}", i) for i in range(30)])


async def test_marks_follow_what_is_picked_and_scroll_along() -> None:
    async with Picking().run_test(size=(40, 10)) as pilot:
        picker = pilot.app.query_one(CheckList)
        await pilot.press("space", "end", "space")
        await pilot.pause()
        shown = [picker.render_line(y).text for y in range(8)]
        assert ["✓" in line for line in shown] == [False] * 7 + [True]
        assert "value 29" in shown[-1]
        await pilot.press("home")
        await pilot.pause()
        shown = [picker.render_line(y).text for y in range(8)]
        assert ["✓" in line for line in shown] == [True] + [False] * 7
        assert not any("X" in line for line in shown)


@pytest.mark.parametrize("make", [
    lambda: ChoiceList("one", "two"),
    lambda: CheckList(("one", 1), ("two", 2)),
    lambda: Dropdown([("one", 1), ("two", 2)], value=1),
])  # fmt: skip
async def test_page_keys_before_a_list_is_drawn_do_nothing(make) -> None:
    app: App[None] = App()
    async with app.run_test(size=(20, 5)) as pilot:
        shown = make()
        shown.display = False
        await app.mount(shown)
        options = shown if isinstance(shown, OptionList) else shown.query_one(OptionList)
        options.highlighted = 1
        page = "page('{}')" if isinstance(shown, Dropdown) else "page_{}"
        await app.run_action(page.format("up"), shown)
        await app.run_action(page.format("down"), shown)
        assert options.highlighted == 1
        shown.display = True
        if isinstance(shown, Dropdown):
            shown.expanded = True
        await pilot.pause()
        await app.run_action(page.format("up"), shown)
        assert options.highlighted == 0


async def test_page_keys_move_in_a_dropdown_only_while_it_is_open() -> None:
    class Form(App[None]):
        def compose(self) -> ComposeResult:
            yield Dropdown([(f"{i}", i) for i in range(40)], value=0, allow_blank=False)

    async with Form().run_test(size=(40, 20)) as pilot:
        dropdown = pilot.app.query_one(Dropdown)
        dropdown.focus()
        await pilot.press("pagedown", "enter")
        options = dropdown.query_one(OptionList)
        assert options.highlighted == 0
        await pilot.press("pagedown", "enter")
        assert dropdown.value > 5
