"""2 Attributes: whose a record is, by one key; repeated people are warned of."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from kanon_tui.core.table.column import Role
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle


def visits(folder: Path) -> Path:
    rows = [f"p{i // 3},h{i // 6},{30 + i % 4},{'flu' if i % 3 else 'cold'}" for i in range(60)]
    (folder / "visits.csv").write_text("\n".join(["patient_id,ward,age,diagnosis", *rows, ""]))
    project = folder / "visits.yaml"
    project.write_text(
        "data: {path: visits.csv}\nattributes:\n  patient_id: {role: identifier}\n"
        "  ward: {role: identifier}\n  age: {role: quasi}\n  diagnosis: {role: sensitive}\n"
        "privacy: {k: 3}\n"
    )
    return project


async def test_a_repeating_number_is_warned_of_until_it_is_the_person(make_app, tmp_path) -> None:
    async with make_app(visits(tmp_path)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        gauge = pilot.app.screen.query_one("#gauge", Static)
        assert "patient_id repeats: 60 rows are 20 people; k counts rows" in str(gauge.content)
        assert "unique records" in str(gauge.content)
        await pilot.press("P")
        await settle(pilot)
        session = session_of(pilot)
        assert session.attribute("patient_id").role is Role.PERSON
        assert "repeats" not in str(gauge.content)
        assert "unique people" in str(gauge.content)
        await pilot.press("down", "P", "P")  # only one column can have the role person
        await settle(pilot)
        assert session.names(Role.PERSON) == ["ward"]
        assert session.attribute("patient_id").role is Role.IDENTIFIER
        await pilot.press("up", "space", "space", "P")  # two at once are refused
        await settle(pilot)
        assert session.names(Role.PERSON) == ["ward"]
        assert pilot.app.screen.query_one(Grid).row == 2


async def test_a_new_file_is_guessed_to_have_people(make_app, tmp_path) -> None:
    visits(tmp_path)
    (tmp_path / "visits.yaml").unlink()
    async with make_app(tmp_path / "visits.csv").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        assert session_of(pilot).attribute("patient_id").role is Role.PERSON
        pane = pilot.app.screen.query_one("#attributes-pane")
        assert "60 records are 20 people" in str(pane.border_subtitle)
