"""Hierarchies exported to files and imported from them."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from kanon_tui.core.table.column import Role
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.hierarchies.driver import COUNTRIES, opened


@pytest.mark.parametrize("ending", ["csv", "yaml", "xml"])
async def test_export_and_import_again(folder, ending):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        await d.press("right", "enter")
        await d.type("EU")
        await d.press("enter")
        edited = d.levels("country")
        await d.press("E")
        assert isinstance(d.app.screen, AskPath)
        await d.type(str(folder / f"out.{ending}"))
        await d.press("enter")
        assert (folder / f"out.{ending}").exists()
        await d.press("x")
        assert d.spec("country").hierarchy is None
        assert "straight to *" in d.text("#reason")
        await d.press("I")
        await d.type(str(folder / f"out.{ending}"))
        await d.press("enter")
        if ending == "xml":
            assert d.app.screen.query_one(Input).value == "country"
            await d.press("enter")
        expected = {
            "csv": {"file": "out.csv"},
            "xml": {"utd": "out.xml", "attribute": "country"},
            "yaml": {"levels": edited},
        }
        assert d.spec("country").hierarchy == expected[ending]
        assert d.rows()[0] == ["France", "EU", "Old", "World", "2"]
        await d.press("ctrl+z", "ctrl+z")
        assert d.levels("country") == edited


async def test_import_into_a_project_without_a_file_keeps_the_levels(folder):
    async with opened(folder / "data.csv") as d:
        await d.press("2")
        d.app.host.session.change_attributes(["country"], "test", role=Role.QUASI)
        await d.press("3")
        await d.go("country")
        await d.press("I")
        await d.type(str(folder / "country.csv"))
        await d.press("enter")
        assert d.levels("country")["Japan"] == ["Asia", "Old", "World"]
        await d.press("I")
        await d.type(str(folder / "zip.csv"))
        await d.press("enter")
        assert "none of the values of country" in d.text("#text")


async def test_an_existing_file_is_replaced_only_when_told_so(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("zip")
        await d.press("E")
        await d.type(str(folder / "country.csv"))
        await d.press("enter", "n")
        assert (folder / "country.csv").read_text() == COUNTRIES
        await d.press("E")
        await d.type(str(folder / "zip.txt"))
        await d.press("enter")
        assert "end in .csv, .yaml, .yml or .xml" in d.text("#problem")
