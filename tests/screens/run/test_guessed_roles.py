"""Before the first release somebody looks at the roles that are only guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from kanon_tui.core.table.column import Role
from kanon_tui.screens.before_publishing import PlanDialog
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle, wait_until


def patients(folder: Path) -> Path:
    """A name that looks like any text, and values that repeat."""
    rows = [f"{['Huber', 'Maier', 'Gruber'][i % 3]}, A.;{30 + i % 4};flu" for i in range(24)]
    path = folder / "patients.csv"
    path.write_text("\n".join(["Pat;Alter;Diagnose", *rows, ""]))
    return path


def shown(dialog: PlanDialog) -> list[list[str]]:
    source = dialog.query_one(Grid).source
    return [[cell.text for cell in row] for row in source.rows(0, source.height)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_run_waits_for_one_deliberate_confirmation(make_app, tmp_path, size) -> None:
    async with make_app(patients(tmp_path)).run_test(size=size) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PlanDialog))
        dialog = pilot.app.screen
        assert "3 roles are guesses" in str(dialog.query_one("#guesses", Static).content)
        treatments = [treatment for treatment, _, _ in shown(dialog)]
        assert treatments == sorted(
            treatments, key=lambda treatment: treatment != "published as it is"
        )
        await pilot.press("escape")
        await settle(pilot)
        assert session.guessed
        assert not session.results
        await pilot.press("r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PlanDialog))
        dialog = pilot.app.screen
        row = next(y for y, line in enumerate(shown(dialog)) if line[1] == "Pat")
        await pilot.press(*["down"] * row, "enter")
        await settle(pilot)
        await pilot.press("enter")  # the first choice: identifier
        await settle(pilot)
        assert session.attribute("Pat").role is Role.IDENTIFIER
        assert ["left out", "Pat", "identifier"] in shown(dialog)
        await pilot.press("y")
        await wait_until(pilot, lambda: session.results)
        assert not session.guessed
        assert "Pat" not in session.results[0].table.columns


async def test_saving_does_not_confirm(make_app, tmp_path) -> None:
    path = patients(tmp_path)
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+s", "enter")
        await wait_until(pilot, lambda: session_of(pilot).project.path is not None)
        assert len(session_of(pilot).guessed) == 3
    assert (tmp_path / "patients.yaml").read_text().count("guessed: true") == 3
    async with make_app(tmp_path / "patients.yaml").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PlanDialog))


async def test_a_project_that_names_its_roles_is_not_asked_about(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: session_of(pilot).results)
