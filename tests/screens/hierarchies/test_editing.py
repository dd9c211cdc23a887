"""Editing a hierarchy by keys, and undoing it."""

from __future__ import annotations

from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.widgets.dialogs import AskText, Confirm, Message, Pick
from tests.screens.hierarchies.driver import COUNTRIES, opened
from tests.screens.slow_threads import hold_threads, send_keys


async def test_rename_group_move_split_and_levels_each_undone(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        before = d.spec("country")
        assert before.hierarchy == {"file": "country.csv"}

        async def undo() -> None:
            await d.press("ctrl+z")
            assert d.spec("country") == before
            assert d.rows()[0] == ["France", "Europe", "Old", "World", "2"]

        await d.press("enter")  # a value cannot be renamed
        assert d.app.screen is d.screen
        await d.press("right", "enter")
        assert isinstance(d.app.screen, AskText)
        await d.type("Asia")
        assert "already a label of level 1" in d.text("#error")
        await d.type("EU")
        await d.press("enter")
        assert d.levels("country")["Italy"] == ["EU", "Old", "World"]
        assert (folder / "country.csv").read_text() == COUNTRIES
        await undo()

        await d.press("left", "space", "space")
        assert d.rows()[1][0] == "●Italy"
        await d.press("g")
        await d.type("Latin")
        await d.press("enter")
        assert d.levels("country")["France"][0] == "Latin"
        assert d.screen.selected == set()
        await undo()

        await d.press("M")
        assert isinstance(d.app.screen, Pick)
        await d.type("and")
        await d.press("enter")
        assert d.levels("country")[d.screen.node()[1]] == ["Andes", "New", "World"]
        await undo()

        await d.press("ctrl+home", "right", "S")
        assert d.levels("country")["France"] == ["France", "Old", "World"]
        await undo()

        await d.press("plus")
        assert d.levels("country")["France"] == ["Europe", "Europe", "Old", "World"]
        assert d.spec("country").rv == (0.4, 0.3, None, 0.1, 0.0)
        await undo()
        await d.press("minus")
        assert d.levels("country")["France"] == ["Old", "World"]
        assert d.spec("country").rv == (0.4, 0.1, 0.0)
        await undo()


async def test_keys_typed_ahead_are_all_done(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        await d.press("plus", "plus", "plus")
        assert d.levels("country")["Peru"] == ["Peru"] * 3 + ["Andes", "New", "World"]
        await d.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert d.spec("country").hierarchy == {"file": "country.csv"}
        go_on = hold_threads()
        send_keys(d.app, "plus")
        await d.wait_until(lambda: d.app.host.background.holds_keys)
        await d.pilot.press("ctrl+q")
        go_on.set()  # the edit that was being worked out is asked about, not lost
        await d.wait_until(lambda: isinstance(d.app.screen, Confirm))
        assert d.levels("country")["Peru"] == ["Peru", "Andes", "New", "World"]


async def test_what_cannot_be_done_is_refused_with_the_reason(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        await d.press("space", "ctrl+end", "space", "g")  # France and Peru: other worlds
        await d.type("Mixed")
        await d.press("enter")
        assert isinstance(d.app.screen, Message)
        assert "cannot share a label" in d.text("#text")
        await d.press("enter", "minus")
        assert "cannot be removed" in d.text("#text")
        await d.press("enter")
        assert d.spec("country").hierarchy == {"file": "country.csv"}
        await d.go("age")
        await d.press("b")
        await d.type("10", "#p-widths")
        await d.press("enter", "ctrl+home", "right", "space", "ctrl+end", "up", "space", "g")
        await d.type("Ends")  # the twenties and the sixties, without what lies between
        await d.press("enter")
        assert "ranges that do not overlap" in d.text("#text")
        assert d.spec("age").hierarchy == {"builder": "intervals", "widths": [10]}


async def test_magvals_are_toggled_on_one_key(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        await d.press("right", "m")
        assert d.spec("country").magvals == ("Europe",)
        assert d.spec("country").hierarchy == {"file": "country.csv"}
        assert [row[1] for row in d.rows()] == ["◆ Europe", "◆ Europe", "Asia", "Andes"]
        await d.press("m")
        assert d.spec("country").magvals == ()
        await d.go("color")  # a default becomes the builder that makes it
        await d.press("m")
        assert d.spec("color").hierarchy == {"builder": "flat"}
        assert d.spec("color").magvals == (d.screen.node()[1],)
        assert d.app.host.session.quasi_identifier("color").hierarchy.marks == {
            Mark(*d.screen.node())
        }


async def test_ranges_and_patterns_are_marked_at_once(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        values = [row[0] for row in d.rows()]
        await d.press("space", "ctrl+end", "r")
        assert {label for _, label in d.screen.selected} == set(values)
        await d.press("asterisk")
        await d.type("")
        await d.press("enter")
        assert d.screen.selected == set()
        await d.press("asterisk")
        await d.type("*a*y")
        await d.press("enter")
        assert d.screen.selected == {(0, "Italy")}
        await d.press("asterisk")
        await d.type("none such")
        await d.press("enter")
        assert "matches" in d.text("#error")
