"""2 Attributes: `U` lists the sets of attributes that give people away."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from kanon_tui.screens.attributes.dialogs import UniquesDialog
from kanon_tui.screens.attributes.screen import AttributesScreen
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import settle, wait_until


def people(folder: Path) -> Path:
    rows = [f"{20 + i % 5},{'fm'[i % 2]},{i % 7},{i // 2}" for i in range(60)]
    (folder / "p.csv").write_text("\n".join(["age,sex,street,badge", *rows, "99,f,3,99", ""]))
    project = folder / "p.yaml"
    project.write_text(
        "data: {path: p.csv}\nattributes:\n  age: {role: quasi}\n  sex: {role: quasi}\n"
        "  street: {role: other}\n  badge: {role: other}\nprivacy: {k: 3}\n"
    )
    return project


async def test_sets_and_columns_that_were_overlooked(make_app, tmp_path) -> None:
    async with make_app(people(tmp_path)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        await pilot.press("U")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, UniquesDialog))
        dialog = pilot.app.screen
        first = dialog.query_one(Grid).source.rows(0, 1)[0]
        assert [cell.text for cell in first] == ["age", "1", "1", "1"]
        said = " ".join(str(line.content) for line in dialog.query(Static))
        assert "1 of 61 records" in said
        assert "smallest sets below k=3: age" in said
        assert "street with badge" in said
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AttributesScreen))


async def test_without_a_quasi_identifier_there_is_a_sentence(make_app, tmp_path) -> None:
    project = people(tmp_path)
    project.write_text(project.read_text().replace("role: quasi", "role: other"))
    async with make_app(project).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "U")
        await settle(pilot)
        said = " ".join(str(line.content) for line in pilot.app.screen.query(Static))
        assert "no attribute is a quasi-identifier" in said
