"""Guesses of a fresh file: marked, explained, accepted; kind and format chosen with a preview."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input, OptionList, Static

from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.value_formats import NumberFormat
from kanon_tui.screens.attributes.dialogs import KindDialog
from kanon_tui.widgets.bars import StepBar
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle


def german_csv(folder: Path) -> Path:
    rows = [
        f"{1 + i % 28:02}.{1 + i % 12:02}.{1940 + i};{10115 + i % 9};{1 + i}.{90 + i % 9:03},69;"
        f"{1 + i % 12:02}/{1 + i % 11:02}/2020"
        for i in range(40)
    ]
    path = folder / "kunden.csv"
    path.write_bytes("\r\n".join(["Geburtsdatum;PLZ;Umsatz;Besuch", *rows, ""]).encode("latin-1"))
    return path


def marks(pilot) -> dict[str, str]:
    bar = pilot.app.screen.query_one(StepBar)
    return {step: state.mark for _, step, _, state in bar.steps}


async def test_guesses_are_marked_until_they_are_accepted(make_app, tmp_path: Path) -> None:
    async with make_app(german_csv(tmp_path)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        assert (marks(pilot)["attributes"], marks(pilot)["hierarchies"]) == ("?", "~1")
        session = session_of(pilot)
        birth = session.attribute("Geburtsdatum")
        assert (birth.role, birth.kind, birth.format) == (Role.QUASI, Kind.DATE, "%d.%m.%Y")
        pane = pilot.app.screen.query_one("#attributes-pane")
        assert "geburtsdatum" in str(pane.border_subtitle)
        await pilot.press("enter")  # this one is right
        await settle(pilot)
        assert session.guessed == ["PLZ", "Umsatz", "Besuch"]
        await pilot.press("down", "i")  # changing one confirms it
        await settle(pilot)
        assert session.guessed == ["Umsatz", "Besuch"]
        await pilot.press("v")
        await settle(pilot)
        assert session.guessed == []
        assert (marks(pilot)["attributes"], marks(pilot)["hierarchies"]) == ("✓", "~1")
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert marks(pilot)["attributes"] == "?"


async def test_kind_and_format_with_a_preview(make_app, tmp_path: Path) -> None:
    async with make_app(german_csv(tmp_path)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "down", "k")
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, KindDialog)
        assert "1.090,69 → 1090.69" in str(dialog.query_one("#preview", Static).content)
        choices = dialog.query_one(OptionList)
        titles = [str(choices.get_option_at_index(i).prompt) for i in range(choices.option_count)]
        assert titles[0].startswith("numeric 1.234,5")
        await pilot.press("end", "enter")  # as texts
        await settle(pilot)
        session = session_of(pilot)
        assert session.attribute("Umsatz").kind is Kind.CATEGORICAL
        await pilot.press("k")
        await settle(pilot)
        await pilot.press("home", "enter")
        await settle(pilot)
        umsatz = session.attribute("Umsatz")
        assert (umsatz.kind, umsatz.format) == (Kind.NUMERIC, NumberFormat(",", "."))


async def test_a_date_with_two_readings_is_asked_about_and_own_patterns_work(
    make_app, tmp_path: Path
) -> None:
    async with make_app(german_csv(tmp_path)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        assert session.attribute("Besuch").kind is Kind.CATEGORICAL  # 01/02/2020
        await pilot.press("2", "down", "down", "down", "k")
        await settle(pilot)
        await pilot.press("tab", *"%d.%m.%Y", "enter")
        await settle(pilot)
        error = pilot.app.screen.query_one("#error", Static)
        assert "cannot be read this way" in str(error.content)
        pilot.app.screen.query_one("#pattern", Input).value = "%m/%d/%Y"
        await pilot.press("enter")
        await settle(pilot)
        visit = session.attribute("Besuch")
        assert (visit.kind, visit.format) == (Kind.DATE, "%m/%d/%Y")
        assert isinstance(pilot.app.screen.focused, Grid)
