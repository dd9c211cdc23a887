"""The file dialog: the folder above, types, hidden files, and a path that did not do."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, OptionList, Static

from kanon_tui.widgets.path_dialog import AskPath, Listing, folder_above
from tests.screens.conftest import has_failed, session_of, settle


@pytest.mark.parametrize(
    ("typed", "above"),
    [
        ("", "../"), ("peo", "../"), ("../", "../../"), ("/", None), ("/data", None),
        ("/data/", "/"), ("/data/a/x.csv", "/data/"), ("data/", ""), ("data/a/", "data/"),
    ],
)  # fmt: skip
def test_the_folder_above(typed: str, above: str | None) -> None:
    assert folder_above(typed) == above


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path /= "a path that is longer than the field of the dialog, wide as it is"
    (tmp_path / "data" / "inner").mkdir(parents=True)
    for name in ("people.csv", "notes.docx", ".hidden.csv"):
        (tmp_path / "data" / name).write_text("age,city\n30,Rome\n31,Oslo\n")
    (tmp_path / "top.csv").write_text("age\n1\n2\n")
    return tmp_path / "data"


def test_types_and_hidden_files(folder: Path) -> None:
    def names(listing: Listing) -> list[str]:
        return [Path(path).name for path in listing.completions(f"{folder}/")]

    assert names(Listing((".csv",))) == ["inner", "people.csv"]
    assert names(Listing((".csv",), every_type=True)) == ["inner", "notes.docx", "people.csv"]
    assert names(Listing((".csv",), hidden=True)) == ["inner", ".hidden.csv", "people.csv"]
    assert Listing((".csv",)).completions(f"{folder}/.h") == [f"{folder}/.hidden.csv"]


def listed(dialog: AskPath) -> list[str]:
    return [str(one.prompt).removeprefix("/") for one in dialog.query_one(OptionList).options]


async def test_going_up_and_picking_with_the_keyboard(folder: Path, make_app) -> None:
    async with make_app(folder / "people.csv").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        dialog = pilot.app.screen
        assert isinstance(dialog, AskPath)
        assert listed(dialog)[0] == ".."
        assert not any("notes" in name for name in listed(dialog))
        await pilot.press("f3")
        assert any("notes" in name for name in listed(dialog))
        await pilot.press("f2")
        assert any(".hidden" in name for name in listed(dialog))
        pilot.app.simulate_key("down")
        pilot.app.simulate_key("enter")  # on .., in one go with the key before
        await settle(pilot)
        assert dialog.query_one(Input).value == f"{folder.parent}/"
        files = dialog.query_one(OptionList)
        assert files.has_focus
        place = len(listed(dialog)) - 1
        await pilot.press(*["down"] * place, "enter")
        await settle(pilot)
        assert session_of(pilot).data_path.name == "top.csv"


async def test_a_failed_open_keeps_the_path_and_says_why(folder: Path, make_app) -> None:
    async with make_app(folder / "people.csv").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o", *"nothing.csv", "enter")
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, AskPath)
        assert dialog.query_one(Input).value == f"{folder}/nothing.csv"
        problem = dialog.query_one("#problem", Static)
        assert problem.display
        assert "nothing.csv" in str(problem.content)
        await pilot.press("backspace")
        assert not problem.display  # it was about another path
        await pilot.press("escape")
        assert session_of(pilot).data_path.name == "people.csv"


async def test_enter_on_a_folder_goes_into_it(folder: Path, make_app) -> None:
    async with make_app().run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+o", *str(folder), "enter")
        dialog = pilot.app.screen
        assert isinstance(dialog, AskPath)
        assert dialog.query_one(Input).value == f"{folder}/"


@pytest.mark.parametrize("typed", ["~nobodyhere/x.csv", "x" * 300 + ".csv", "loop.csv"])
async def test_any_path_can_be_typed(folder: Path, make_app, typed: str) -> None:
    (folder / "loop.csv").symlink_to("loop.csv")
    async with make_app(folder / "people.csv").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        field = pilot.app.screen.query_one(Input)
        field.value = typed if typed.startswith("~") else f"{folder}/{typed}"
        await pilot.press("slash", "backspace", "enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, AskPath)  # it asks again, with the reason
        assert str(pilot.app.screen.query_one("#problem", Static).content)
        await pilot.press("escape", "ctrl+s")
        field = pilot.app.screen.query_one(Input)
        field.value = f"{folder}/{typed}"
        await pilot.press("enter")
        await settle(pilot)
        assert not has_failed(pilot.app)


def test_a_question_that_comes_again_adds_the_same_ending(tmp_path: Path) -> None:
    dialog = AskPath("Save as", "study", ending=".yaml")
    assert dialog.again(tmp_path / "study", "why")._ending == ".yaml"
