"""Screen 6 with a release that is in its files: paged, exported as it is, never a traceback."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target
from kanon_tui.screens.analyses.attack import AttackScreen, PersonPane, RereleaseScreen
from kanon_tui.screens.analyses.risk_models import RiskModelsScreen
from kanon_tui.screens.analyses.utility import PartitionScreen, UtilityScreen
from kanon_tui.screens.before_publishing import LeaveOutDialog
from kanon_tui.screens.results.compare import CompareScreen
from kanon_tui.screens.results.export import CommandDialog
from kanon_tui.screens.results.record_views import TABLES
from kanon_tui.screens.results.records_in_files import FileRecords
from kanon_tui.screens.results.release_records import Arrangement
from kanon_tui.screens.results.screen import ResultsScreen, WhyDialog
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.widgets.dialogs import Choose, ChooseSeveral, Message
from kanon_tui.widgets.path_dialog import AskPath
from tests.core.pipeline.compared import streamed
from tests.screens.conftest import session_of, settle, status_text, wait_until
from tests.screens.results.helpers import choose_view, text_of
from tests.screens.streamed import run_into, write_project
from tests.waiting import wait_until as wait

KEYS = (
    "w i o o n N u s x f P R C L E F T U B M b d slash number_sign y enter z tab ctrl+end ctrl+home"
)


async def with_release(pilot: Pilot[None], path: Path) -> ResultsScreen:
    """A release in files as a run of screen 5 leaves it."""
    await settle(pilot)
    session = session_of(pilot)
    session.results.append(streamed(session.project, Target(path)))
    pilot.app.host.session_changed()
    return await show_release(pilot)


async def show_release(pilot: Pilot[None], view: str = TABLES) -> ResultsScreen:
    choose_view(pilot, view)
    await pilot.press("6")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, ResultsScreen)
    await wait_until(pilot, lambda: screen.records.source is not None)
    await settle(pilot)
    return screen


async def test_rows_are_paged_found_and_told_about(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await run_into(pilot, tmp_path / "out.csv")
        screen = await show_release(pilot)
        table = read_table(tmp_path / "out.csv", ReadOptions(header=True)).frame
        pane = screen.records
        assert pane.display
        assert pane.grids.right.has_focus
        assert pane.grids.right.source.height == table.height
        await pilot.press("ctrl+end")
        await settle(pilot)
        names = pane.grids.right.column_names
        last = pane.grids.right.source.rows(table.height - 1, table.height)[0]
        assert [cell.text for cell in last] == [text or "·" for text in table.select(names).row(-1)]
        line = text_of(screen, "#record-line")
        assert f"row {table.height} of {table.height}: class " in line
        await pilot.press("number_sign")
        await settle(pilot)
        app.screen.query_one(Input).value = "3"
        await pilot.press("enter")
        await settle(pilot)
        assert pane.grids.right.row == 2
        await pilot.press("slash")
        app.screen.query_one(Input).value = "hiv"
        await pilot.press("enter")
        await settle(pilot)
        assert any("hiv" in text.lower() for text in table.row(pane.grids.right.row))
        assert pane.grids.right.row > 2


async def test_every_key_works_or_says_why_not(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.parquet")
        told = ""
        for key in KEYS.split():
            await pilot.press(key)
            await settle(pilot)
            told += status_text(pilot)
            assert not isinstance(app.screen, Message), key
            for _ in range(4):
                if app.screen is not screen or screen.focused is not screen.records.grids.right:
                    await pilot.press("escape")
                    await settle(pilot)
            assert app.screen is screen, key
            screen.records.focus_rows()
            await settle(pilot)
        assert "press / to find a text" in told
        await pilot.press("7")
        await settle(pilot)


async def test_a_class_is_shown_alone_and_explained_from_the_release(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path, output={"order": "shuffled"}))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.csv")
        table = read_table(tmp_path / "out.csv", ReadOptions(header=True)).frame
        pane = screen.records
        pane.go_to_record(40)
        await settle(pilot)
        age, city = table["age"][40], table["city"][40]
        same = table.with_row_index("row").filter(age=age, city=city)
        await pilot.press("o")
        await wait_until(pilot, lambda: pane.shown.only_class is not None and not pane.is_searching)
        await settle(pilot)
        shown = [
            pane.grids.right.source.row_name(row) for row in range(pane.grids.right.source.height)
        ]
        assert shown == [f"{row + 1}" for row in same["row"]]
        assert pane.record == 40
        assert "· class " in str(pane.grids.right.parent.border_title)
        assert f"{same.height} records" in text_of(screen, "#record-line")
        await pilot.press("escape")
        await settle(pilot)
        assert pane.grids.right.source.height == table.height
        assert pane.record == 40
        await pilot.press("w")
        await wait_until(pilot, lambda: isinstance(app.screen, WhyDialog))
        facts = " ".join(app.screen.why.facts)
        assert f"{same.height} records print these quasi-identifiers" in facts
        assert f"one person of {same.height}" in facts
        assert not app.screen.why.because  # nothing was tried
        await pilot.press("escape", "i")
        await wait_until(pilot, lambda: isinstance(app.screen, WhyDialog))
        facts = {fact.split(":")[0]: fact for fact in app.screen.why.facts}
        for text, count in same["ill"].value_counts().iter_rows():
            assert f"{text} ×{count}" in facts["ill, published as it is"]
        before = facts[f"age {age}"].split(": ")[1].split(", ")
        assert sum(int(each.partition("×")[2]) for each in before) == same.height
        assert "name" not in " ".join(facts)  # identifiers stay where they are


async def test_what_takes_all_rows_is_stopped_by_escape_and_not_answered(
    tmp_path, make_app, monkeypatch
) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.csv")
        pane, begun, ended = screen.records, threading.Event(), threading.Event()

        def endless(self, shown, record, stop):
            begun.set()
            wait(stop)
            ended.set()
            return Arrangement(shown.order, 3, np.arange(3), 0)

        monkeypatch.setattr(FileRecords, "class_of", endless)
        await pilot.press("o")
        await wait_until(pilot, begun.is_set)
        assert "its class … esc stops" in str(pane.grids.right.parent.border_title)
        await pilot.press("escape")
        await wait_until(pilot, ended.is_set)
        await settle(pilot)
        assert pane.shown.only_class is None
        assert "esc stops" not in str(pane.grids.right.parent.border_title)


async def test_what_was_read_stands_beside_a_release_in_the_same_order(tmp_path, make_app) -> None:
    sections = {"output": {"order": "input", "suppressed": "star"}}
    app = make_app(write_project(tmp_path, **sections))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.csv")
        pane = screen.records
        original = read_table(tmp_path / "in.csv", ReadOptions(header=True)).frame
        published = read_table(tmp_path / "out.csv", ReadOptions(header=True)).frame
        assert not pane.grids.alone
        await pilot.press("ctrl+end")
        await settle(pilot)
        assert pane.record == 119
        for grid, table in ((pane.grids.left, original), (pane.grids.right, published)):
            cells = [cell.text for cell in grid.source.rows(119, 120)[0]]
            wanted = table.select(grid.column_names).row(119)
            assert cells == [text or "·" for text in wanted]
        pane.source.sides(pane.shown).before._kept.clear()
        (tmp_path / "in.csv").unlink()
        pane.grids.left.refresh()
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        await pilot.press("escape")
        await wait_until(pilot, lambda: pane.grids.alone)
        assert pane.record == 119
        assert pane.grids.right.has_focus


async def test_rows_are_sorted_by_class_and_records_stand_beside_their_rows(
    tmp_path, make_app
) -> None:
    app = make_app(write_project(tmp_path, algorithm={"name": "global"}))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.csv")
        table = read_table(tmp_path / "out.csv", ReadOptions(header=True)).frame
        pane, result = screen.records, session_of(pilot).results[0]

        async def sort(name: str) -> None:
            await pilot.press("s")
            await wait_until(pilot, lambda: pane.shown.order == name and not pane.is_searching)
            await settle(pilot)

        def sizes() -> list[int]:
            numbers = [
                pane.grids.right.source.number(row) for row in range(pane.grids.right.source.height)
            ]
            quasi = table[numbers].select("age", "city")
            runs = quasi.with_columns(run=quasi.hash_rows().rle_id())
            return runs.group_by("run", maintain_order=True).len()["len"].to_list()

        await sort("by class")
        assert "· by class" in str(pane.grids.right.parent.border_title)
        assert sizes() == result.release.class_sizes.tolist()
        pane.go_to_record(17)
        await settle(pilot)
        assert pane.record == 17
        assert text_of(screen, "#record-line").startswith("row 18 of ")
        await sort("smallest class first")
        assert sizes() == sorted(result.release.class_sizes.tolist())
        assert pane.grids.row == 0
        await pilot.press("u")  # left out of the files: told where they are
        await settle(pilot)
        suppressed = result.measures.suppressed_records
        assert suppressed
        assert "suppressed and not in the files; s shows them as read" in status_text(pilot)
        await sort("as read")
        assert not pane.grids.alone
        original = read_table(tmp_path / "in.csv", ReadOptions(header=True)).frame
        await pilot.press("u")
        await settle(pilot)
        left, right = (
            [cell.text for cell in grid.source.rows(pane.record, pane.record + 1)[0]]
            for grid in (pane.grids.left, pane.grids.right)
        )
        assert left == [
            text or "·" for text in original.select(pane.grids.left.column_names).row(pane.record)
        ]
        assert set(right) == {"×"}
        sides = pane.source.sides(pane.shown)
        assert "name" not in sides.pages.names  # identifiers stay where they are
        (tmp_path / "in.csv").unlink()
        for pages in (sides.pages, sides.before):
            pages._kept.clear()
        pane.grids.right.refresh()
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        await pilot.press("escape")
        await wait_until(pilot, lambda: pane.grids.alone)
        assert pane.shown.order == "as written"
        await sort("by class")


async def test_risk_models_tell_of_the_classes_of_the_files(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await with_release(pilot, tmp_path / "out.parquet")
        await pilot.press("M")
        await wait_until(pilot, lambda: isinstance(app.screen, RiskModelsScreen))
        panel = app.screen
        await wait_until(pilot, lambda: panel.found is not None and not panel.working)
        privacy = session_of(pilot).results[0].measures.privacy
        assert panel.found.models["prosecutor"].highest == privacy.risk_max
        assert panel.found.classes == len(privacy.class_sizes)


async def test_utility_and_trees_are_measured_on_the_files(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await with_release(pilot, tmp_path / "out.csv")
        result = session_of(pilot).results[0]
        await pilot.press("U")
        await wait_until(pilot, lambda: isinstance(app.screen, UtilityScreen))
        panel = app.screen
        await wait_until(pilot, lambda: panel.found is not None and not panel.working)
        assert panel.found.release_records == result.rows
        assert {each.attribute for each in panel.found.marginals} == set(result.columns)
        await pilot.press("escape", "T")
        await wait_until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, PartitionScreen))
        panel = app.screen
        await wait_until(pilot, lambda: panel.found is not None and not panel.working)
        assert panel.found.release.root.records == result.rows


async def test_people_are_looked_up_in_the_files_and_beside_an_earlier_release(
    tmp_path, make_app
) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await with_release(pilot, tmp_path / "out.csv")
        await pilot.press("L")
        await wait_until(pilot, lambda: isinstance(app.screen, AskPath))
        app.screen.query_one(Input).value = str(tmp_path / "in.csv")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseSeveral))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, AttackScreen))
        panel = app.screen
        await wait_until(pilot, lambda: panel.people is not None and not panel.working)
        assert panel.people.attack.original.found == 120
        assert panel.people.attack.release.below_k == 0
        await pilot.press("enter")
        pane = panel.query_one(PersonPane)
        await wait_until(pilot, lambda: pane.person is not None)
        _, original, release = pane.person
        assert len(original.found.records) <= len(release.found.records)
        assert "name" not in [column.title for column in original.cells.columns]
        await pilot.press("escape", "B")
        await wait_until(pilot, lambda: isinstance(app.screen, AskPath))
        app.screen.query_one(Input).value = str(tmp_path / "out.csv")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, RereleaseScreen))
        panel = app.screen
        await wait_until(pilot, lambda: panel.found is not None and not panel.working)
        assert panel.found.below_k == 0
        assert panel.found.people + panel.found.not_in_both == 120


async def test_k_is_raised_into_a_file_of_its_own(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.csv")
        await pilot.press("plus")
        await wait_until(pilot, lambda: isinstance(app.screen, AskPath))
        app.screen.query_one(Input).value = str(tmp_path / "four.csv")
        await pilot.press("enter")
        results = session_of(pilot).results
        await wait_until(pilot, lambda: len(results) == 2)
        await settle(pilot)
        assert [one.task.k for one in results] == [3, 4]
        assert "k 3 → 4:" in text_of(screen, "#summary")
        assert (tmp_path / "four.csv").exists()
        await pilot.press("C")
        await wait_until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await settle(pilot)
        compare = app.screen
        grids = compare.query_one(TwinGrids)
        differ = compare.rows.differs
        assert f"{differ.sum()} of 120 records differ" in text_of(compare, "#status")
        record = int(compare.order[0])
        await wait_until(pilot, lambda: f"record {record + 1}:" in text_of(compare, "#one-record"))
        assert any(cell.text.startswith("•") for cell in grids.left.source.rows(0, 1)[0])
        await pilot.press("s", "n")
        await settle(pilot)
        assert grids.row == differ.nonzero()[0][differ.nonzero()[0] > 0][0]
        texts = [cell.text[1:] for cell in grids.left.source.rows(grids.row, grids.row + 1)[0]]
        table = read_table(tmp_path / "four.csv", ReadOptions(header=True)).frame
        assert tuple(texts) in table.rows()  # the one in front is on the left
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen is screen


async def test_export_copies_the_files_and_tells_the_command(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await with_release(pilot, tmp_path / "out.csv")
        for place, name in ((0, "copy.csv"), (1, "report.html"), (2, "map.csv"), (4, "map.json")):
            await pilot.press("x")
            await settle(pilot)
            app.screen.query_one(OptionList).highlighted = place
            await pilot.press("enter")
            await settle(pilot)
            if isinstance(app.screen, LeaveOutDialog):
                await pilot.press("p")  # they are published as they are
            await wait_until(pilot, lambda: isinstance(app.screen, AskPath))
            app.screen.query_one(Input).value = str(tmp_path / name)
            await pilot.press("enter")
            await settle(pilot)
            assert (tmp_path / name).exists(), name
        assert (tmp_path / "copy.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
        await pilot.press("x")
        await settle(pilot)
        app.screen.query_one(OptionList).highlighted = 3
        await pilot.press("enter")
        await settle(pilot)
        dialog = app.screen
        assert isinstance(dialog, CommandDialog)
        assert dialog.command.endswith(f" --engine stream --out {tmp_path}/out.csv")


async def test_files_that_change_while_they_are_looked_at_are_told_of(tmp_path, make_app) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_release(pilot, tmp_path / "out.csv")
        pane = screen.records
        pane.source.sides(pane.shown).pages._kept.clear()
        (tmp_path / "out.csv").unlink()
        pane.grids.right.refresh()
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        text = " ".join(str(part.content) for part in app.screen.query(Static))
        assert "is no longer there; put it back, or run again" in text
        await pilot.press("escape", "down", "ctrl+end", "f")
        await settle(pilot)
        assert app.screen is screen
