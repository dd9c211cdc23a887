"""What is picked is marked, so that it can be told without colours."""

from __future__ import annotations

from textual.app import App, ComposeResult

from kanon_tui.widgets.check_list import CheckList


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
