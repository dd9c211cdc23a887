"""6 Results: before and after, why, figures, runs, comparison and export, by keyboard alone."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.run.live import LiveRun
from kanon_tui.core.run.result import conclude, start
from kanon_tui.core.task.output import Output
from kanon_tui.screens.dialogs import AskPath, Choose, Confirm
from kanon_tui.screens.results import runs as result_runs
from kanon_tui.screens.results.compare import CompareScreen
from kanon_tui.screens.results.export import CommandDialog
from kanon_tui.screens.results.panel import FigurePanel
from kanon_tui.screens.results.screen import ResultsScreen
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.screens.results.why import WhyDialog
from tests.screens.conftest import session_of, settle

SIZES = [(80, 24), (120, 40)]


def run_now(pilot: Pilot, algorithm: str, k: int | None = None) -> None:
    """Add a result to the session, as screen 5 does."""
    session = session_of(pilot)
    project = replace(session.project, algorithm=AlgorithmChoice(algorithm))
    if k is not None:
        project = replace(project, privacy=replace(project.privacy, k=k))
    session.edit(project, algorithm)
    session.results.append(conclude(start(project, task=session.task()), project))


async def open_results(pilot: Pilot, *algorithms: str, k: int | None = None) -> ResultsScreen:
    await settle(pilot)
    for algorithm in algorithms:
        run_now(pilot, algorithm, k)
    await pilot.press("6")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, ResultsScreen)
    return screen


def text_of(screen, selector: str) -> str:
    return str(screen.query_one(selector, Static).content)


def told_why(pilot: Pilot) -> str:
    """The whole explanation that is open."""
    dialog = pilot.app.screen
    assert isinstance(dialog, WhyDialog)
    return "\n".join(str(part.content) for part in dialog.query(Static))


def row_of(grid, row: int | None = None) -> list[str]:
    """What a grid shows in a row, without the marks in front."""
    here = grid.row if row is None else row
    return [cell.text[1:] for cell in grid.source.rows(here, here + 1)[0]]


async def answer(pilot: Pilot, text: str) -> None:
    """Type over what a dialog proposes."""
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
    await settle(pilot)


# --- what is shown


async def test_without_a_result_it_says_what_to_do(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot)
        assert "Press 5" in text_of(screen, "#empty")
        assert screen.query_one("#empty").display
        assert not screen.query_one("#panes").display
        await pilot.press("w", "x", "plus", "C", "c", "s", "n")
        await settle(pilot)
        assert pilot.app.screen is screen


@pytest.mark.parametrize("size", SIZES)
async def test_a_run_ends_here_with_before_and_after(sample, make_app, size) -> None:
    async with make_app(sample("census")).run_test(size=size) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        choice = AlgorithmChoice("mondrian")
        pilot.app.edit(replace(session.project, algorithm=choice), "mondrian")
        await pilot.press("5", "r")
        for _ in range(200):
            await settle(pilot)
            if session.results and isinstance(pilot.app.screen, ResultsScreen):
                break
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, ResultsScreen)
        (result,) = session.results
        summary = text_of(screen, "#summary")
        for told in ("mondrian k=5", "1,472 classes", "verified k=5 ✓", "NCP .202"):
            assert told in summary
        grids = screen.query_one(TwinGrids)
        for row in (0, 412, 9999):
            grids.go_to(row)
            await settle(pilot)
            record = session.table.frame.row(row, named=True)
            names = result.table.columns
            assert row_of(grids.left) == [record[name] for name in names]
            assert row_of(grids.right) == list(result.table.row(row))
        assert text_of(screen, "#record-line").startswith("record 10,000: class ")
        titles = [column.title.strip() for column in grids.left.source.columns]
        assert titles == [column.title.strip() for column in grids.right.source.columns] == names
        assert not {"name", "birth_date", "occupation"} & set(titles)  # identifiers, never shown
        panel, records = screen.query_one(FigurePanel), screen.records
        assert grids.left.size.height > 4
        assert panel.grid.size.height > 2
        if size == (80, 24):
            assert panel.region.y >= records.region.bottom
        else:
            assert panel.region.x >= records.region.right


async def test_both_sides_move_scroll_and_find_together(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "mondrian")
        grids = screen.query_one(TwinGrids)
        left, right = grids.left, grids.right

        def same() -> bool:
            return (left.row, left.column, left.scroll_offset) == (
                right.row,
                right.column,
                right.scroll_offset,
            )

        await pilot.press("pagedown", "pagedown", "down", "right", "end")
        await settle(pilot)
        assert left.row > 5
        assert left.column == 8
        assert same()
        await pilot.press("tab")
        assert right.has_focus
        await pilot.press("pageup", "left", "left")
        await settle(pilot)
        assert left.column == 6
        assert same()
        right.scroll_to(0, 500, animate=False)  # as the wheel does
        await settle(pilot)
        assert left.scroll_offset == right.scroll_offset == (0, 500)
        await pilot.press("ctrl+home", "home", "shift+tab")
        await settle(pilot)
        records = screen.records
        await pilot.press("right", "right", "right", "n")  # race
        await settle(pilot)
        changed = records.rows.changed_in("race")
        assert records.column == "race"
        assert records.record == int(changed.nonzero()[0][0]) > 0
        await pilot.press("number_sign")
        await answer(pilot, "12,345,678")
        assert "up to 10,000" in text_of(pilot.app.screen, "#error")
        await answer(pilot, "7,001")
        assert records.record == 7000
        await pilot.press("slash", *"0711", "enter")
        await settle(pilot)
        assert "0711" in " ".join(row_of(records.grids.left))
        first = records.record
        await pilot.press("slash", "enter")
        await settle(pilot)
        assert records.record != first
        assert "0711" in " ".join(row_of(records.grids.left))
        await pilot.press("slash")
        await answer(pilot, "midWEST")  # only the release has it
        assert "Midwest" in row_of(records.grids.right)


async def test_changed_cells_and_suppressed_records_are_marked(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        grids = screen.query_one(TwinGrids)
        left, right = grids.left.source, grids.right.source
        assert [cell.text for cell in right.rows(0, 1)[0]] == [
            "•1995", " Female", " 1141", " Asian", " Fever"
        ]  # fmt: skip
        assert [cell.mark for cell in right.rows(0, 1)[0]] == ["changed", "", "", "", ""]
        assert [cell.mark for cell in left.rows(0, 1)[0]] == [""] * 5
        await pilot.press("N")
        await settle(pilot)
        assert grids.row == 6  # T7, SBC table 2-9
        assert left.row_name(6) == "×7"
        assert {cell.mark for cell in left.rows(6, 7)[0]} == {"suppressed"}
        assert {cell.text for cell in right.rows(6, 7)[0]} == {"×"}
        assert "record 7: × suppressed" in text_of(screen, "#record-line")
        await pilot.press("N", "N")
        await settle(pilot)
        assert grids.row == 7
        await pilot.press("w")
        await settle(pilot)
        assert isinstance(pilot.app.screen, WhyDialog)
        assert "no other record has its labels" in told_why(pilot)


async def test_starred_records_are_shown_as_they_are_published(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.edit(replace(session.project, output=Output(suppressed="star")), "star")
        screen = await open_results(pilot, "datafly")
        await pilot.press("N")
        await settle(pilot)
        grids = screen.query_one(TwinGrids)
        assert row_of(grids.right) == ["*", "*", "*", "*", "Stomachache"]
        assert row_of(grids.right) == list(screen.result.table.row(6))
        assert "published as * only" in text_of(screen, "#record-line")


# --- which records


async def test_sort_and_filter_by_class_keep_the_record(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "datafly")
        records = screen.records
        classes, sizes = records.rows.classes, records.rows.sizes
        records.grids.go_to(412)
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert records.record == 412
        shown = classes[records.records]
        published = shown[shown >= 0]
        assert (published[1:] >= published[:-1]).all()
        assert (shown[-43:] == -1).all()  # the suppressed come last
        await pilot.press("s")
        await settle(pilot)
        order = sizes[classes[records.records][:-43]]
        assert (order[1:] >= order[:-1]).all()
        await pilot.press("c")
        await settle(pilot)
        assert records.record == 412
        assert set(classes[records.records]) == {classes[412]}
        assert len(records.records) == sizes[classes[412]]
        released = {tuple(row_of(records.grids.right, i))[:6] for i in range(len(records.records))}
        assert len(released) == 1
        await pilot.press("escape")
        await settle(pilot)
        assert len(records.records) == 10_000
        assert records.record == 412


# --- why


async def test_the_line_and_the_dialog_tell_why(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "mondrian", "datafly")
        grids = screen.query_one(TwinGrids)
        grids.go_to(1, 2)
        await settle(pilot)
        line = text_of(screen, "#record-line")
        assert "record 2: class 2 of 125" in line
        assert "zip 46201 → United States because Midwest would do here but leave 307" in line
        await pilot.press("w")
        await settle(pilot)
        why = told_why(pilot)
        assert "Why is zip 46201 published as United States?" in why
        assert "k = 4 instead of 5: zip could stay at level 3" in why
        await pilot.press("escape", "home")
        await settle(pilot)
        assert "17 | 18 ✗" in text_of(screen, "#record-line")
        grids.go_to(1, 6)
        await pilot.press("w")
        await settle(pilot)
        assert pilot.app.screen is screen  # income is no quasi-identifier
        screen.query_one(FigurePanel).grid.focus()
        await pilot.press("down", "w")  # a rule of age
        await settle(pilot)
        assert "Why is age generalised this far?" in told_why(pilot)
        await pilot.press("escape", "R", "ctrl+home", "enter")  # the run of mondrian
        await settle(pilot)
        assert "run 1 of 2" in text_of(screen, "#summary")
        grids.left.focus()
        grids.go_to(412, 0)
        await settle(pilot)
        assert "because 1 of the 9 records of its class has 21" in text_of(screen, "#record-line")
        await pilot.press("enter")
        await settle(pilot)
        assert "a cut at 23 | 25 leaves 5 and 4 records" in told_why(pilot)


# --- figures


async def test_panels_show_figures_and_what_they_mean(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        panel = screen.query_one(FigurePanel)
        assert panel.grid.source.cells[0][0].text == "age"
        assert "level 4 of 5" in text_of(panel, ".meaning")
        await pilot.press("m")
        titles = [row[0].text for row in panel.grid.source.cells]
        assert {"NCP", "Research value", "Precision", "Suppressed records"} <= set(titles)
        await pilot.press("down", "down")
        await settle(pilot)
        assert "Research value: how finely" in text_of(panel, ".meaning")
        await pilot.press("p")
        shown = {row[0].text: row[1].text for row in panel.grid.source.cells}
        assert (shown["k"], shown["Highest risk"]) == ("6", "0.1667")
        assert shown["Highest share (α): income_class"] == "1"
        await pilot.press("d")
        assert panel.grid.source.cells[0][0].text == "5–9"
        await pilot.press("d")
        assert not panel.display
        assert screen.query_one(TwinGrids).left.has_focus
        await pilot.press("a")
        assert panel.display


# --- runs


async def test_again_with_the_neighbouring_k(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        session = session_of(pilot)
        project = session.project
        await pilot.press("plus")
        await settle(pilot)
        first, second = session.results
        assert second.task.k == 6
        assert second.project.privacy == replace(project.privacy, k=6)
        assert session.project == project
        assert screen.result is second
        summary = text_of(screen, "#summary")
        assert "datafly k=6" in summary
        # The release for 5 has classes of 6 already.
        assert "k 5 → 6: same NCP, RV, supp., classes" in summary
        await pilot.press("plus")
        await settle(pilot)
        assert session.results[2].task.k == 7
        difference = text_of(screen, "#summary").split("\n")[-1]
        assert difference.startswith("k 6 → 7: ")
        assert "worse NCP +0." in difference
        assert len(difference) <= 78  # one line
        await pilot.press("minus")
        await settle(pilot)
        assert session.results[3].task.k == 6
        assert "k 7 → 6: better NCP −0." in text_of(screen, "#summary")
        await pilot.press("R")
        panel = screen.query_one(FigurePanel)
        assert [row[2].text for row in panel.grid.source.cells] == ["5", "6", "7", "6"]
        await pilot.press("ctrl+home", "enter")
        await settle(pilot)
        assert screen.result is first
        assert "→" not in text_of(screen, "#summary")


async def test_again_can_be_stopped_and_knows_its_limits(sample, make_app, monkeypatch) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly", k=1)
        session = session_of(pilot)
        await pilot.press("minus")
        await settle(pilot)
        assert screen.runs.under_way is None
        assert len(session.results) == 1
        monkeypatch.setattr(result_runs, "LiveRun", lambda run: LiveRun(run, paused=True))
        await pilot.press("plus")
        await pilot.pause()
        assert "running again with k = 2" in text_of(screen, "#summary")
        await pilot.press("plus")  # one at a time
        await pilot.press("escape")
        await settle(pilot)
        assert len(session.results) == 1
        assert "running" not in text_of(screen, "#summary")


async def test_compare_two_runs(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        await pilot.press("C")
        await settle(pilot)
        assert pilot.app.screen is screen  # nothing to compare with
        run_now(pilot, "mondrian")
        pilot.app.session_changed()
        await settle(pilot)
        await pilot.press("C")
        await settle(pilot)
        compare = pilot.app.screen
        assert isinstance(compare, CompareScreen)
        assert "differ most in age" in text_of(compare, "#verdict")
        figures = {row[0].text: row for row in compare.query_one(FigurePanel).grid.source.cells}
        assert figures["NCP"][4].text == "◂ better"
        assert figures["k reached"][4].text == "▸ better"
        await pilot.press("f")
        attributes = [row[0].text for row in compare.query_one(FigurePanel).grid.source.cells]
        assert attributes[:2] == ["age: NCP", "age: RV"]  # where they differ most
        await pilot.press("f")
        rules = {row[0].text: row for row in compare.query_one(FigurePanel).grid.source.cells}
        assert rules["age: 64 | 65"][4].text == "▸ better"
        await pilot.press("f")
        assert compare.query_one(FigurePanel).grid.source.cells[0][0].text == "NCP"
        await pilot.press("z")
        assert compare.maximized is not None
        await pilot.press("escape")
        assert compare.maximized is None
        grids = compare.query_one(TwinGrids)
        assert grids.left.size.height > 3
        mondrian, datafly = screen.result, session_of(pilot).results[0]
        place = int(compare.order[0])
        released = [mondrian.table.row(place)[0], datafly.release.suppressed[place]]
        assert row_of(grids.left, 0)[0] == released[0]
        assert compare.rows.made.loss_difference[place] > 0.7
        await pilot.press("s")  # file order, on the same record
        await settle(pilot)
        assert grids.row == place
        await pilot.press("ctrl+home", "n")
        await settle(pilot)
        assert grids.row == 1
        assert row_of(grids.left) == list(mondrian.table.row(1))
        assert text_of(compare, "#one-record").startswith("record 2: age 39 → ◂ [39..41]")
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen is screen


async def test_compare_asks_with_which_of_several(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly", "mondrian", "k-member", k=2)
        await pilot.press("C")
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, Choose)
        options = dialog.query_one(OptionList)
        assert str(options.get_option_at_index(1).prompt) == "run 2: mondrian k=2"
        await pilot.press("down", "enter")
        await settle(pilot)
        made = pilot.app.screen.rows.made
        assert (made.first.algorithm.name, made.second.algorithm.name) == ("k-member", "mondrian")
        await pilot.press("escape", "R", "C")  # the first of the runs is under the cursor
        await settle(pilot)
        assert pilot.app.screen.rows.made.second is session_of(pilot).results[0]
        assert screen.result is session_of(pilot).results[2]


# --- export


async def export(pilot: Pilot, number: int) -> None:
    await pilot.press("x", *["down"] * number, "enter")
    await settle(pilot)


async def test_export_release_report_and_mapping(sample, make_app, tmp_path: Path) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        result = screen.result
        await export(pilot, 0)
        assert isinstance(pilot.app.screen, AskPath)
        proposed = Path(pilot.app.screen.query_one(Input).value)
        assert proposed == session_of(pilot).project.path.parent / "census-release.csv"
        await pilot.press("enter")
        await settle(pilot)
        assert pl.read_csv(proposed, infer_schema=False).equals(result.table)
        await export(pilot, 1)
        await answer(pilot, str(tmp_path / "shuffled.parquet"))
        shuffled = pl.read_parquet(tmp_path / "shuffled.parquet")
        assert not shuffled.equals(result.table)
        assert shuffled.sort(shuffled.columns).equals(result.table.sort(result.table.columns))
        await export(pilot, 2)
        await answer(pilot, str(tmp_path / "report.json"))
        assert json.loads((tmp_path / "report.json").read_text()) == result.report
        await export(pilot, 3)
        await answer(pilot, str(tmp_path / "mapping.tsv"))
        mapping = pl.read_csv(tmp_path / "mapping.tsv", separator="\t", infer_schema=False)
        assert mapping.columns == ["attribute", "value", "level", "published"]
        assert pilot.app.screen is screen


async def test_export_never_overwrites_by_accident(sample, make_app, tmp_path: Path) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        there = tmp_path / "there.csv"
        there.write_text("precious")
        await export(pilot, 0)
        await answer(pilot, str(there))
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("n")
        await settle(pilot)
        assert there.read_text() == "precious"
        await export(pilot, 0)
        data = session_of(pilot).data_path
        before = data.read_bytes()
        await answer(pilot, str(data))
        assert isinstance(pilot.app.screen, AskPath)  # asked again, with what is wrong
        await answer(pilot, str(tmp_path / "release.docx"))
        assert "end in .csv, .tsv or .parquet" in text_of(pilot.app.screen, ".hint")
        await answer(pilot, str(there))
        await pilot.press("y")
        await settle(pilot)
        assert data.read_bytes() == before
        assert there.read_text().startswith("birth,gender,zip,race,disease")
        assert pilot.app.screen is screen


async def test_the_command_line_is_copied_when_it_is_exact(
    sample, make_app, tmp_path: Path
) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "mondrian", k=2)
        session = session_of(pilot)
        await export(pilot, 4)
        dialog = pilot.app.screen
        assert isinstance(dialog, CommandDialog)
        assert dialog.problem == ""  # algorithm and k are on the command line
        assert pilot.app.clipboard == dialog.command
        words = shlex.split(dialog.command)
        assert words[2] == str(session.project.path.resolve())
        assert words[3:7] == ["--algorithm", "mondrian", "--k", "2"]
        await pilot.press("s")
        await settle(pilot)
        await answer(pilot, str(tmp_path / "again.sh"))
        assert dialog.command in (tmp_path / "again.sh").read_text()
        screen = pilot.app.screen
        assert "changed since" not in text_of(screen, "#summary")
        pilot.app.edit(replace(session.project, weights="auto"), "weights")
        await settle(pilot)
        assert "the set-up has changed since" in text_of(screen, "#summary")


async def test_the_command_line_says_when_it_is_not_exact(make_app, sample) -> None:
    data = sample("patients").parent / "patients.csv"
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "mondrian", k=2)
        pilot.app.copy_to_clipboard("before")
        await export(pilot, 4)
        assert "save it first" in pilot.app.screen.problem
        assert pilot.app.clipboard == "before"


# --- hostile values

HOSTILE = ["[/]", "[red]x", "a\nb", "", "*", "{A|B}", "[20..35]", "漢字漢字", "\x1b[31m", "x" * 300]


@pytest.mark.parametrize(("algorithm", "size"), zip(["datafly", "mondrian"], SIZES, strict=True))
async def test_values_are_shown_as_they_are(make_app, tmp_path: Path, algorithm, size) -> None:
    frame = pl.DataFrame(
        {
            "[bold]who": HOSTILE * 2,
            "[/]kind": ["[a-z]", "[/b]"] * 10,
            "note": [text + "!" for text in HOSTILE] * 2,
        }
    )
    path = tmp_path / "hostile.csv"
    frame.write_csv(path)
    async with make_app(path).run_test(size=size) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.change_attributes(
            ["[bold]who", "[/]kind"], "", role=Role.QUASI, kind=Kind.CATEGORICAL
        )
        session.change_attributes(["note"], "", role=Role.OTHER)
        screen = await open_results(pilot, algorithm, algorithm, k=3)
        grids = screen.query_one(TwinGrids)
        assert row_of(grids.left, 1)[0] == "[red]x"
        await pilot.press(*["down"] * 10, "right", "right", "m", "p", "d", "R", "a")
        await settle(pilot)
        for column in (0, 1):
            grids.left.focus()
            grids.go_to(0, column)
            await settle(pilot)
            await pilot.press("w")
            await settle(pilot)
            assert isinstance(pilot.app.screen, WhyDialog)
            assert "[" in told_why(pilot)
            await pilot.press("escape")
        await pilot.press("C")
        await settle(pilot)
        await pilot.press("down", "right", "s", "n", "escape")
        await pilot.press("slash")
        await answer(pilot, "[/]")
        assert "[/]" in " ".join(row_of(grids.left) + row_of(grids.right))


def test_every_key_can_be_remapped() -> None:
    bindings = [b for b in ResultsScreen.BINDINGS if b.description != "back"]  # type: ignore[union-attr]
    ids = [binding.id for binding in bindings]  # type: ignore[union-attr]
    assert all(name and name.startswith("results.") for name in ids)
    assert len(set(ids)) == len(ids)
