"""3 Hierarchies: states, levels, tree and figures; hostile labels and small terminals."""

from __future__ import annotations

import pytest

from kanon_tui.core.project.project import Project
from kanon_tui.widgets.dialogs import AskText
from tests.screens.conftest import settle
from tests.screens.hierarchies.driver import PROJECT, opened

# --- showing --------------------------------------------------------------------------------------


async def test_states_table_and_figures_are_shown(folder):
    async with opened(folder / "p.yaml") as d:
        assert d.rows(d.screen.attributes) == [
            ["✓ country", "3"], ["· age", "5"], ["! zip", "–"], ["~ color", "1"],
        ]  # fmt: skip
        assert d.rows()[0] == ["France", "Europe", "Old", "World", "2"]
        figures = d.text("#measures")
        assert "0.4000" in figures  # typed
        assert figures.count("✓") == 4
        await d.press("down")  # age: a default, with the missing value as a run will have it
        assert "built by default; b chooses a builder" in d.text("#reason")
        assert d.rows()[-1][0] == "? (missing)"
        used = d.app.host.session.quasi_identifier("age").hierarchy
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
        assert "does not exist" in d.text("#reason")
        assert not d.screen.levels.display
        await d.press("g")  # nothing to edit, nothing happens
        assert d.spec("zip").hierarchy == {"file": "zip.csv"}


async def test_without_quasi_identifiers_it_says_what_to_do(folder):
    (folder / "p.yaml").write_text(PROJECT.replace("role: quasi", "role: other"))
    async with opened(folder / "p.yaml", (80, 24)) as d:
        assert "press q on one on screen 2" in d.text("#reason")
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
        assert d.screen.levels.row == 2  # the label the cursor was on
        await d.press("left")
        assert len(d.rows()) == len(lines) - 2
        await d.press("left", "left")
        assert d.screen.node() == (2, "Old")
        await d.press("right", "down", "right", "enter")
        await d.type("EU")
        await d.press("enter")
        assert d.levels("country")["France"] == ["EU", "Old", "World"]
        assert d.spec("country").magvals == ("EU",)


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
        project = d.app.host.session.save(folder / "p.yaml") and Project.load(folder / "p.yaml")
        assert project.attributes["color"] == d.spec("color")


async def test_cursor_stays_on_its_value_and_find_goes_to_another(folder):
    async with opened(folder / "p.yaml", (80, 24)) as d:
        await d.go("country")
        await d.press("down", "down")
        assert d.screen.node() == (0, "Japan")
        await d.press("space", "down", "g")  # Japan alone becomes a group of its own
        await d.type("Nippon")
        await d.press("enter")
        assert d.screen.levels.row == 3
        await d.press("slash")
        await d.type("europe")
        await d.press("enter")
        assert d.screen.levels.row == 0
        await d.press("4", "3")
        assert d.screen.attribute == "country"
        assert d.screen.levels.row == 0


async def test_the_table_shows_the_label_that_the_tree_was_on(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("3", "down", "down", "enter", "t")
        await settle(pilot)
        assert pilot.app.screen.active_bindings["t"].binding.description == "table"
        await pilot.press("slash", *"South", "enter", "t")
        await settle(pilot)
        assert pilot.app.screen.active_bindings["t"].binding.description == "tree"
        levels = pilot.app.screen.levels
        label = levels.source.line(levels.row)[levels.column].text
        row = levels.row
        assert label == "◆ South"
        assert levels.scroll_offset.y <= row < levels.scroll_offset.y + levels.visible_rows
