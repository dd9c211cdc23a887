"""Choosing a builder, with a preview."""

from __future__ import annotations

from textual.widgets import Select, TextArea

from kanon_tui.screens.hierarchies.view import BuilderDialog
from tests.screens.hierarchies.driver import PROJECT, opened
from tests.screens.slow_threads import hold_threads


async def test_builder_with_preview_errors_and_undo(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("age")
        await d.press("b")
        assert isinstance(d.app.screen, BuilderDialog)
        await d.type("5, 7", "#p-widths")
        await d.wait_until(lambda: "7 is not a multiple of 5" in d.text("#error"))
        await d.press("ctrl+r")
        assert isinstance(d.app.screen, BuilderDialog)
        await d.type("5, 10", "#p-widths")
        await d.wait_until(lambda: "20-24" in d.text("#preview"))
        assert d.text("#error") == ""
        await d.press("enter")
        assert d.spec("age").hierarchy == {"builder": "intervals", "widths": [5, 10]}
        assert d.rows()[0][:4] == ["21", "20-24", "20-29", "*"]
        await d.press("ctrl+z")
        assert d.spec("age").hierarchy is None


async def test_a_hierarchy_of_another_kind_can_be_rebuilt_here(folder):
    text = PROJECT.replace("{file: zip.csv}", "{builder: intervals}")
    (folder / "p.yaml").write_text(text)
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("zip")
        assert "builder intervals is for numeric and date attributes" in d.text("#reason")
        await d.press("b", "ctrl+r")
        assert d.spec("zip").hierarchy == {"builder": "mask"}
        assert d.rows()[0][:2] == ["00001", "0000*"]
        assert d.screen.levels.display
        await d.press("ctrl+z")
        assert not d.screen.levels.display
        assert d.screen.query_one("#reason").display


async def test_builder_changes_its_form_and_groups_begin_with_what_is_there(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("country")
        await d.press("b")
        d.app.screen.query_one("#builder", Select).value = "mask"
        await d.settle()
        await d.wait_until(lambda: "Franc*" in d.text("#preview"))
        d.app.screen.query_one("#builder", Select).value = "groups"
        await d.wait_until(lambda: d.app.screen.query("TextArea#p-levels"))
        area = d.app.screen.query_one("#p-levels", TextArea)
        assert "Europe: [France, Italy]" in area.text
        await d.type("{Near: [France, Italy]}", "#p-levels")
        await d.wait_until(lambda: "'Japan', 'Peru'" in d.text("#error"))
        await d.type("Far", "#p-other")
        await d.press("ctrl+r")
        assert d.spec("country").hierarchy == {
            "builder": "groups", "levels": [{"Near": ["France", "Italy"]}], "other": "Far",
        }  # fmt: skip
        assert d.spec("country").rv is None  # typed for four levels, now there are three
        await d.press("ctrl+z")
        assert d.spec("country").rv == (0.4, 0.3, 0.1, 0.0)


async def test_the_builder_opens_with_what_fits_the_column(folder):
    (folder / "data.csv").write_text(
        "born,region,zip\n31.12.1999,North East,46201\n01.02.1987,North West,46202\n"
        "05.06.1970,South,46203\n"
    )
    (folder / "p.yaml").write_text(
        "data: {path: data.csv}\nprivacy: {k: 2}\nattributes:\n  born: {role: quasi}\n"
        "  region: {role: quasi}\n  zip: {role: quasi, kind: categorical}\n"
    )
    async with opened(folder / "p.yaml", (80, 24)) as d:
        for name, builder in {"born": "date", "region": "flat", "zip": "mask"}.items():
            await d.go(name)
            await d.press("b")
            assert d.app.screen.query_one("#builder", Select).value == builder
            assert d.text("#error") == ""
            await d.press("escape")


async def test_a_proposed_grouping_fills_the_form_and_can_be_changed(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("country")
        await d.press("b")
        go_on = hold_threads()
        d.app.screen.query_one("#builder", Select).value = "groups by alphabet"
        await d.wait_until(lambda: "accept" in [worker.group for worker in d.app.workers])
        d.app.screen.follow({})  # a preview of what was typed before does not replace it
        await d.wait_until(lambda: "preview" in [worker.group for worker in d.app.workers])
        go_on.set()
        query = d.app.screen.query
        await d.wait_until(
            lambda: any("F-I" in form.text for form in query("#p-levels").results(TextArea))
        )
        area = d.app.screen.query_one("#p-levels", TextArea)
        assert "[France, Italy]" in area.text
        await d.type(area.text.replace("F-I", "First half"), "#p-levels")
        await d.press("ctrl+r")
        levels = d.spec("country").hierarchy["levels"]
        assert levels[-1]["First half"]
