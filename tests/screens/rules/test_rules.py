"""4 Rules: boundaries and sets, levels that break them, research values by hand."""

from __future__ import annotations

from textual.widgets import Static

from kanon_tui.core.task.rules import Apart, Boundary
from kanon_tui.screens.rules.screen import RuleDialog
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle


async def test_new_boundary_changes_the_research_values_at_once(sample, make_app) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("4", "down")
        await settle(pilot)
        before = str(pilot.app.screen.query_one("#levels", Static).content)
        await pilot.press("a")
        await settle(pilot)
        assert isinstance(pilot.app.screen, RuleDialog)
        await pilot.press(*"31", "tab", *"32", "tab", "ctrl+r")
        await settle(pilot)
        rules = session_of(pilot).attribute("age").rules
        assert rules.rules == (Boundary("31", "32", 10.0),)
        after = str(pilot.app.screen.query_one("#levels", Static).content)
        assert after != before
        cells = pilot.app.screen.query_one(Grid).source.rows(2, 3)[0]
        assert cells[3].text.startswith("✓ ·")


async def test_a_rule_that_does_not_fit_is_refused_with_the_reason(sample, make_app) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("4", "down", "a")
        await settle(pilot)
        await pilot.press(*"40", "tab", *"30", "ctrl+r")
        await pilot.pause()
        assert isinstance(pilot.app.screen, RuleDialog)
        assert "must rise" in str(pilot.app.screen.query_one("#error", Static).content)
        await pilot.press("escape")
        await settle(pilot)
        assert session_of(pilot).attribute("age").rules.rules == ()


async def test_apart_picked_from_the_data_edited_deleted_and_undone(sample, make_app) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("4", "down", "down", "a")  # sex
        await settle(pilot)
        await pilot.press("space", "tab", "down", "space", "ctrl+r")
        await settle(pilot)
        rules = session_of(pilot).attribute("sex").rules.rules
        assert len(rules) == 1
        assert isinstance(rules[0], Apart)
        await pilot.press("down", "d")
        await settle(pilot)
        assert session_of(pilot).attribute("sex").rules.rules == ()
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).attribute("sex").rules.rules == rules


async def test_base_value_and_research_values_by_hand(sample, make_app) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("4", "down", "B", *"7", "enter")
        await settle(pilot)
        assert session_of(pilot).attribute("age").rules.base == 7
        await pilot.press("V")
        await settle(pilot)
        await pilot.press("tab", *"0.42", "enter")
        await settle(pilot)
        assert session_of(pilot).attribute("age").rv == (None, 0.42, None, None)
        shown = str(pilot.app.screen.query_one("#levels", Static).content)
        assert "0.4200" in shown
        assert "typed" in shown


async def test_emphasis_of_one_attribute_and_of_all(sample, make_app) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("4", "down")
        await settle(pilot)
        before = str(pilot.app.screen.query_one("#levels", Static).content)
        await pilot.press("F")
        await settle(pilot)
        await pilot.press("tab", *"2", "enter")  # not between 0 and 1
        await settle(pilot)
        assert session_of(pilot).attribute("age").rule_emphasis is None
        await pilot.press("backspace", *"0.8", "enter")
        await settle(pilot)
        assert session_of(pilot).attribute("age").rule_emphasis == 0.8
        assert str(pilot.app.screen.query_one("#levels", Static).content) != before
        heading = pilot.app.screen.query_one(Grid).source.rows(1, 2)[0]
        assert heading[1].text.endswith(", emphasis 0.8")
        await pilot.press("F")
        await settle(pilot)
        await pilot.press("tab", "tab", *"0", "enter")
        await settle(pilot)
        assert session_of(pilot).project.rule_emphasis == 0
        heading = pilot.app.screen.query_one(Grid).source.rows(2, 3)[0]
        assert heading[1].text.endswith(", emphasis 0")
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).project.rule_emphasis == 0.5


async def test_presets_are_shown_and_then_added(sample, make_app) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("4", "down", "P")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        shown = "\n".join(str(each.content) for each in pilot.app.screen.query(Static))
        assert "boundary 39 | 40, importance 10" in shown
        assert session_of(pilot).attribute("age").rules.rules == ()
        await pilot.press("y")
        await settle(pilot)
        assert Boundary("39", "40", 10.0) in session_of(pilot).attribute("age").rules.rules


async def test_rules_are_exported_imported_and_name_labels(sample, make_app, tmp_path) -> None:
    async with make_app(sample("pre-pruning")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        hierarchy = session_of(pilot).quasi_identifier("age").hierarchy
        low, high = hierarchy.labels[1][:2]
        await pilot.press("4", "down", "a", *low, "tab", *high, "ctrl+r")
        await settle(pilot)
        rules = session_of(pilot).attribute("age").rules.rules
        assert rules == (Apart((low,), (high,), 10.0),)
        path = tmp_path / "age.csv"
        await pilot.press("X", "ctrl+u", *str(path), "enter")
        await settle(pilot)
        assert f"apart,{low},{high},10" in path.read_text().splitlines()
        await pilot.press("down", "d", "up", "I", "ctrl+u", *str(path), "enter")
        await settle(pilot)
        assert session_of(pilot).attribute("age").rules.rules == rules
