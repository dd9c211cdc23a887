"""The Hierarchies screen, by its keys: the whole journey, hostile labels, small terminals."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, Static, TextArea

from kanon_tui.app import KanonApp
from kanon_tui.core.editing.recovery import Desk
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.project.project import Project
from kanon_tui.screens.dialogs import AskPath, AskText, Choose, Message
from kanon_tui.screens.hierarchies.builder import BuilderDialog
from kanon_tui.screens.hierarchies.pick import Pick
from kanon_tui.screens.hierarchies.screen import HierarchiesScreen
from kanon_tui.widgets.grid import Grid

DATA = """country,age,zip,color
France,21,46201,[a-z]
Italy,22,46202,[/]
Japan,34,46203,[a-z]
Peru,35,46201,{b|c}
France,41,46202,"new
line"
Italy,58,9999X,[/]
Japan,?,46203,[link=x]
Peru,63,00001,[a-z]
"""
COUNTRIES = (
    "France;Europe;Old;World\nItaly;Europe;Old;World\nJapan;Asia;Old;World\nPeru;Andes;New;World\n"
)
PROJECT = """data: {path: data.csv}
attributes:
  country:
    {role: quasi, kind: categorical, hierarchy: {file: country.csv}, rv: [0.4, 0.3, 0.1, 0.0]}
  age: {role: quasi, kind: numeric}
  zip: {role: quasi, kind: categorical, hierarchy: {file: zip.csv}}
  color: {role: quasi, kind: categorical}
privacy: {k: 2}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "country.csv").write_text(COUNTRIES)
    (tmp_path / "zip.csv").write_text("46201;4620*;462**\n46202;4620*;462**\n46203;4620*;462**\n")
    (tmp_path / "p.yaml").write_text(PROJECT)
    return tmp_path


class Driver:
    """Presses keys and waits until everything is worked out."""

    def __init__(self, app: KanonApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def settle(self) -> None:
        """Until nothing is being worked out; an edit is followed by the panes that show it."""
        quiet = 0
        while quiet < 2:
            await self.pilot.pause(0.01)
            busy = any(not worker.is_finished for worker in self.app.workers)
            quiet = 0 if busy else quiet + 1

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def type(self, text: str, field: str = "Input") -> None:
        entry = self.app.screen.query_one(field)
        entry.focus()
        if isinstance(entry, Input):
            entry.value = text
        else:
            assert isinstance(entry, TextArea)
            entry.text = text
        await self.pilot.pause(0.2)
        await self.settle()

    async def go(self, name: str) -> None:
        """To the levels of an attribute."""
        self.screen.attributes.focus()
        names = list(self.app.session.project.attributes)
        self.screen.attributes.go_to(names.index(name))
        await self.press("enter")

    @property
    def screen(self) -> HierarchiesScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, HierarchiesScreen)
        return screen

    def spec(self, name: str):
        return self.app.session.attribute(name)

    def rows(self, grid: Grid | None = None) -> list[list[str]]:
        source = (grid or self.screen.levels).source
        return [[cell.text for cell in row] for row in source.rows(0, source.height)]

    def levels(self, name: str) -> dict[str, list[str]]:
        return self.spec(name).hierarchy["levels"]

    def text(self, selector: str) -> str:
        return str(self.app.screen.query_one(selector, Static).content)


@asynccontextmanager
async def opened(file: Path, size: tuple[int, int] = (100, 30)) -> Iterator[Driver]:
    app = KanonApp(file, desk=Desk(file.parent / "desk"), theme="kanon-dark")
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        await driver.press("3")
        yield driver


# --- showing --------------------------------------------------------------------------------------


async def test_states_table_and_figures_are_shown(folder):
    async with opened(folder / "p.yaml") as d:
        assert d.rows(d.screen.attributes) == [
            ["✓ country", "3"], ["· age", "5"], ["! zip", "–"], ["· color", "1"],
        ]  # fmt: skip
        assert d.rows()[0] == ["France", "Europe", "Old", "World", "2"]
        figures = d.text("#measures")
        assert "0.4000" in figures  # typed
        assert figures.count("✓") == 4
        await d.press("down")  # age: a default, with the missing value as a run will have it
        assert "built by default; b chooses a builder" in d.text("#reason")
        assert d.rows()[-1][0] == "? (missing)"
        used = d.app.session.quasi_identifier("age").hierarchy
        assert [row[:-1] for row in d.rows()[:-1]] == [list(p) for p in used.paths[:-1]]


async def test_a_hierarchy_with_a_problem_is_shown_with_the_reason(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("zip")
        assert d.rows()[:3] == [
            ["✗ 00001", "— no row: not covered —", "", "1"],
            ["✗ 9999X", "— no row: not covered —", "", "1"],
            ["46201", "4620*", "462**", "2"],
        ]
        assert "2 values have no row: '00001', '9999X'; press u" in d.text("#reason")
        (folder / "zip.csv").unlink()
    async with opened(folder / "p.yaml") as d:
        await d.go("zip")
        assert "there is no such file" in d.text("#reason")
        assert not d.screen.table.display
        await d.press("g")  # nothing to edit, nothing happens
        assert d.spec("zip").hierarchy == {"file": "zip.csv"}


async def test_without_quasi_identifiers_it_says_what_to_do(folder):
    (folder / "p.yaml").write_text(PROJECT.replace("role: quasi", "role: other"))
    async with opened(folder / "p.yaml", (80, 24)) as d:
        assert "tag one on screen 2" in d.text("#reason")
        await d.press("b", "u", "g", "x", "t", "E", "I")
        assert d.app.screen is d.screen


async def test_tree_folds_and_shows_marks_and_counts(folder):
    async with opened(folder / "p.yaml") as d:
        await d.go("country")
        await d.press("right", "m", "t")
        lines = [(row[0].strip(), row[3]) for row in d.rows()]
        assert lines[:4] == [
            ("▾ World", "8"),
            ("▾ Old", "6"),
            ("▾ ◆ Europe", "4"),
            ("· France", "2"),
        ]
        assert d.screen.outline.row == 2  # the label the cursor was on
        await d.press("left")
        assert len(d.rows()) == len(lines) - 2
        await d.press("left", "left")
        assert d.screen.node() == (2, "Old")
        await d.press("right", "down", "right", "enter")
        await d.type("EU")
        await d.press("enter")
        assert d.levels("country")["France"] == ["EU", "Old", "World"]
        assert d.spec("country").magvals == ("EU",)


# --- editing --------------------------------------------------------------------------------------


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

        await d.press("ctrl+home", "right", "s")
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
        await d.type("10", "#key-widths")
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
        assert d.app.session.quasi_identifier("color").hierarchy.marks == {Mark(*d.screen.node())}


# --- builders, files, uncovered values ------------------------------------------------------------


async def test_builder_with_preview_errors_and_undo(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("age")
        await d.press("b")
        assert isinstance(d.app.screen, BuilderDialog)
        await d.type("5, 7", "#key-widths")
        assert "width 7 is not a multiple of 5" in d.text("#error")
        await d.press("ctrl+r")
        assert isinstance(d.app.screen, BuilderDialog)
        await d.type("5, 10", "#key-widths")
        assert d.text("#error") == ""
        assert "20-24" in d.text("#preview")
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
        assert d.screen.table.display
        await d.press("ctrl+z")
        assert not d.screen.table.display
        assert d.screen.query_one("#reason").display


async def test_builder_changes_its_form_and_groups_begin_with_what_is_there(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("country")
        await d.press("b")
        d.app.screen.query_one("#builder", Select).value = "mask"
        await d.pilot.pause(0.2)
        await d.settle()
        assert "Franc*" in d.text("#preview")
        d.app.screen.query_one("#builder", Select).value = "groups"
        await d.pilot.pause(0.2)
        await d.settle()
        area = d.app.screen.query_one("#key-levels", TextArea)
        assert "Europe: [France, Italy]" in area.text
        await d.type("{Near: [France, Italy]}", "#key-levels")
        assert "'Japan', 'Peru' are in no group" in d.text("#error")
        await d.type("Far", "#key-other")
        await d.press("ctrl+r")
        assert d.spec("country").hierarchy == {
            "builder": "groups", "levels": [{"Near": ["France", "Italy"]}], "other": "Far",
        }  # fmt: skip
        assert d.spec("country").rv is None  # typed for four levels, now there are three
        await d.press("ctrl+z")
        assert d.spec("country").rv == (0.4, 0.3, 0.1, 0.0)


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
        assert "built by default" in d.text("#reason")
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
        d.app.session.change_attributes(["country"], "test", role="quasi")
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
        assert "end in .csv, .yaml, .yml or .xml" in d.text("#text")


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


# --- hostile and small ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_labels_with_brackets_and_line_breaks(folder, size):
    async with opened(folder / "p.yaml", size) as d:
        await d.go("color")
        assert [row[0] for row in d.rows()] == ["[/]", "[a-z]", "[link=x]", "new\nline", "{b|c}"]
        await d.press("space", "space", "g")
        await d.type("[/b] [red]")
        await d.press("enter")
        assert d.levels("color")["[a-z]"] == ["[/b] [red]", "*"]
        await d.press(
            "ctrl+home", "t", "t", "right", "M", "escape", "m", "u", "b", "escape", "E", "escape"
        )
        assert "[/b] [red]" in d.spec("color").magvals
        await d.press("enter")
        await d.type("[/]")
        await d.press("enter")
        assert d.levels("color")["[a-z]"] == ["[/]", "*"]
        await d.press("ctrl+end", "up", "enter")
        assert d.screen.node() == (1, "new\nline")
        assert isinstance(d.app.screen, AskText)
        await d.press("escape")
        project = d.app.session.save(folder / "p.yaml") and Project.load(folder / "p.yaml")
        assert project.attributes["color"] == d.spec("color")


async def test_cursor_stays_on_its_value_and_find_goes_to_another(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("country")
        await d.press("down", "down")
        assert d.screen.node() == (0, "Japan")
        await d.press("space", "down", "g")  # Japan alone becomes a group of its own
        await d.type("Nippon")
        await d.press("enter")
        assert d.screen.table.row == 3
        await d.press("slash")
        await d.type("europe")
        await d.press("enter")
        assert d.screen.table.row == 0
        await d.press("4", "3")
        assert d.screen.attribute == "country"
        assert d.screen.table.row == 0
