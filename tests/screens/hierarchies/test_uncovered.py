"""Values that a hierarchy does not cover."""

from __future__ import annotations

import shutil

from kanon_tui.widgets.dialogs import Choose, Pick
from tests.screens.hierarchies.driver import PROJECT, opened


async def test_uncovered_values_are_fixed_on_the_spot(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("zip")
        await d.press("enter")  # on 00001: this one only, by itself below the root
        assert isinstance(d.app.screen, Choose)
        await d.press("down", "enter")
        assert d.levels("zip")["00001"] == ["00001", "462**"]
        assert d.screen.state.uncovered == ("9999X",)
        await d.press("u", "enter")
        assert isinstance(d.app.screen, Pick)
        await d.type("46203")
        await d.press("enter")
        assert d.levels("zip")["9999X"] == ["4620*", "462**"]
        assert d.rows(d.screen.attributes)[2] == ["✓ zip", "2"]
        assert d.screen.state.problem == ""
        await d.press("u")  # nothing left
        assert d.app.screen is d.screen
        await d.press("ctrl+z", "ctrl+z")
        assert d.spec("zip").hierarchy == {"file": "zip.csv"}


async def test_uncovered_numbers_can_go_to_the_nearest(folder):
    shutil.copy(folder / "p.yaml", folder / "q.yaml")
    text = PROJECT.replace(
        "age: {role: quasi, kind: numeric}",
        "age: {role: quasi, kind: numeric, hierarchy: {levels: {21: [A], 35: [A], 58: [B]}}}",
    )
    (folder / "q.yaml").write_text(text)
    async with opened(folder / "q.yaml") as d:
        await d.go("age")
        assert len(d.screen.state.uncovered) == 4
        await d.press("u", "enter")
        assert d.levels("age")["41"] == ["A", "*"]
        assert d.levels("age")["63"] == ["B", "*"]
        assert d.screen.state.problem == ""
