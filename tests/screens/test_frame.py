"""The frame: opening, steps, undo, saving, recovery, help, wrong files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Resize
from textual.geometry import Size
from textual.widgets import Markdown, OptionList, Static

from kanon_tui.app import KanonApp
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.screens.base import STEPS
from kanon_tui.screens.help_dialog import Help
from kanon_tui.screens.opening import ReadingDialog, StartScreen
from kanon_tui.widgets.bars import StepBar
from kanon_tui.widgets.dialogs import Confirm, Message
from tests.screens.conftest import session_of, settle, wait_until

AppMaker = Callable[..., KanonApp]


async def test_start_offers_samples_and_opens_one_with_enter(make_app: AppMaker) -> None:
    async with make_app().run_test(size=(80, 24)) as pilot:
        assert isinstance(pilot.app.screen, StartScreen)
        choices = pilot.app.screen.query_one(OptionList)
        names = [(option.id or "").split("/")[-2:-1] for option in choices.options]
        assert ["census"] in names
        choices.highlighted = names.index(["datafly"])
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.current_mode == "data"
        assert session_of(pilot).table.height == 12


async def test_every_step_by_number_and_by_alt_number(sample, make_app: AppMaker) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, step, _ in STEPS:
            await pilot.press(key)
            await settle(pilot)
            assert pilot.app.current_mode == step
        await pilot.press("1")
        await pilot.press("slash")
        await pilot.press("5")  # typed into the field, not a step
        assert pilot.app.current_mode == "data"
        await pilot.press("escape")
        await pilot.press("alt+2")
        assert pilot.app.current_mode == "attributes"


async def test_another_theme_is_on_every_screen(sample, make_app: AppMaker) -> None:
    """Also on those that were shown before it, and on the next one when both change at once."""
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        for theme, keys in (("kanon-projector", "2123"), ("kanon-dark", "4321")):
            pilot.app.theme = theme
            for key in keys:
                pilot.app.action_screen_by_digit(key)
                await settle(pilot)
                ground = pilot.app.screen.background_colors[1]
                assert ground.hex == pilot.app.current_theme.background.upper(), (theme, key)


async def test_step_bar_shows_states_and_shrinks(sample, make_app: AppMaker) -> None:
    async with make_app(sample("datafly")).run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        wide = pilot.app.screen.query_one(StepBar).render().plain
        assert "1 Data ✓" in wide
        assert "6 Results –" in wide
        assert "k=2" in wide
        await pilot.resize_terminal(40, 12)
        await settle(pilot)
        narrow = pilot.app.screen.query_one(StepBar).render().plain
        assert "1 Data✓" in narrow
        assert "Results" not in narrow


async def test_undo_and_redo_every_edit(sample, make_app: AppMaker) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        before = session_of(pilot).project
        await pilot.press("2", "down", "s")
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.SENSITIVE
        after = session_of(pilot).project
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).project == before
        await pilot.press("ctrl+y")
        await settle(pilot)
        assert session_of(pilot).project == after


async def test_save_writes_the_project_and_clears_the_star(sample, make_app: AppMaker) -> None:
    path = sample("datafly")
    async with make_app(path).run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "o")
        await settle(pilot)
        assert pilot.app.screen.query_one(StepBar).title == "datafly*"
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert pilot.app.screen.query_one(StepBar).title == "datafly"
    assert Project.load(path).attributes["birth"].role is Role.OTHER


async def test_a_data_file_is_saved_as_a_new_project_beside_it(tmp_path, make_app) -> None:
    data = tmp_path / "people.csv"
    data.write_text("age,city\n30,Rome\n31,Rome\n32,Oslo\n")
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+s")
        await pilot.pause()
        await pilot.press("enter")
        await settle(pilot)
    assert Project.load(tmp_path / "people.yaml").data.path == "people.csv"


async def test_unsaved_work_of_a_killed_sitting_is_offered_again(sample, make_app) -> None:
    path = sample("datafly")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
        # leaving the block stops the app as a kill would: nothing is saved or discarded
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("y")
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.SENSITIVE
        assert session_of(pilot).dirty
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.QUASI
    assert Project.load(path).attributes["birth"].role is Role.QUASI


async def test_discarded_work_is_not_offered_again(sample, make_app) -> None:
    path = sample("datafly")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("n")
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.QUASI
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert not isinstance(pilot.app.screen, Confirm)


async def test_quitting_with_unsaved_edits_asks_once(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "s")
        await settle(pilot)
        await pilot.press("ctrl+q")
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("n")
        assert pilot.app.is_running
        await pilot.press("ctrl+q", "y")
    assert pilot.app.return_code == 0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "row 3"),
        ("bad.yaml", b"data: {path: nowhere.csv}\n", "nowhere.csv"),
        ("key.yaml", b"dta: {path: x.csv}\n", "dta"),
        ("binary.csv", bytes(range(256)) * 4, "binary.csv"),
    ],
)
async def test_a_wrong_file_gives_one_sentence(tmp_path, make_app, name, content, words) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        dialog = pilot.app.screen
        is_data = path.suffix == ".csv"  # the dialog of reading then shows its first lines
        assert isinstance(dialog, ReadingDialog if is_data else Message)
        assert words in str(dialog.query_one("#error" if is_data else "#text", Static).content)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, StartScreen)


async def test_f1_explains_the_screen_and_its_keys(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        await pilot.press("f1")
        assert isinstance(pilot.app.screen, Help)
        text = pilot.app.screen.query_one(Markdown).source
        assert "quasi-identifier" in text
        assert ("i", "identifier") in pilot.app.screen.groups[0].keys
        await pilot.press("f1")
        assert pilot.app.current_mode == "attributes"
        assert not isinstance(pilot.app.screen, Help)


async def test_ctrl_c_does_not_kill_and_says_what_quits(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+c")
        assert pilot.app.is_running


async def test_tiny_terminal_and_back(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, step, _ in STEPS:
            await pilot.press(key)
            await settle(pilot)
            for size in ((10, 3), (1, 1), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
            assert pilot.app.current_mode == step


async def test_few_lines_show_fields_on_run_and_records_on_results(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(40, 12)) as pilot:
        await settle(pilot)
        await pilot.press("5", "enter")
        await settle(pilot)
        field = pilot.app.screen.query_one("#p-k")
        assert pilot.app.focused is field
        await wait_until(pilot, lambda: field.region in pilot.app.screen.region)
        await pilot.press("escape", "r")
        await wait_until(pilot, lambda: session_of(pilot).results)
        await pilot.press("6")
        await settle(pilot)
        assert pilot.app.screen.query_one("#table").size.height >= 4


@pytest.mark.parametrize("keys", [("2",), ("f1",)])
async def test_two_sizes_at_a_time_come_to_rest(sample, make_app, keys) -> None:
    """While many widgets are changed at once, layouts of two sizes brought back each other."""
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        passing = Size(60, 20)
        last = Size(120, 40)
        with pilot.app.batch_update():
            for size in (passing, last):
                pilot.app.screen.post_message(Resize(size, size))
            await pilot.resize_terminal(*last)
        await settle(pilot)
        assert pilot.app.screen.size == last


async def test_hostile_names_and_values_are_shown_as_they_are(tmp_path: Path, make_app) -> None:
    data = tmp_path / "hostile.csv"
    data.write_text(
        '"[red]name[/]","[/]","ünï [b]",日本\n"[bold]x[/]","[","a\nb",東京\n"[/]","]]","{x}",大阪\n'
    )
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, _, _ in STEPS:
            await pilot.press(key)
            await settle(pilot)
        await pilot.press("1")
        await settle(pilot)
        from kanon_tui.widgets.grid import Grid

        grid = pilot.app.screen.query_one("#table", Grid)
        shown = "\n".join(grid.render_line(y).text for y in range(4))
        for text in ("[red]name[/]", "[bold]x[/]", "a␊b", "{x}", "東京"):
            assert text in shown
