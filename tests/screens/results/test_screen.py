"""6 Results: before and after, side by side, by keyboard alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.task.output import Output
from kanon_tui.screens.results.figures import FigurePanel
from kanon_tui.screens.results.record_views import TABLES
from kanon_tui.screens.results.screen import ResultsScreen, WhyDialog
from kanon_tui.screens.results.twin_grids import TwinGrids
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import (
    SIZES,
    answer,
    choose_view,
    open_results,
    row_of,
    run_now,
    text_of,
    told_why,
)

# --- what is shown


async def test_without_a_result_it_says_what_to_do(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot)
        assert "Press 5" in text_of(screen, "#empty")
        assert screen.query_one("#empty").display
        assert not screen.query_one("#panes").display
        await pilot.press("w", "x", "plus", "C", "o", "s", "n")
        await settle(pilot)
        assert pilot.app.screen is screen


@pytest.mark.parametrize("size", SIZES)
async def test_people_whose_class_tells_a_value_are_counted_beside_verified(
    make_app, tmp_path, size
) -> None:
    """Two classes of three: in one all have the same diagnosis."""
    rows = ["20,flu", "20,flu", "20,flu", "30,flu", "30,cold", "30,ill"]
    (tmp_path / "d.csv").write_text("\n".join(["age,diagnosis", *rows, ""]))
    (tmp_path / "p.yaml").write_text(
        "data: {path: d.csv}\nprivacy: {k: 3}\n"
        "attributes: {age: {role: quasi, kind: categorical}, diagnosis: {role: sensitive}}\n"
    )
    async with make_app(tmp_path / "p.yaml").run_test(size=size) as pilot:
        screen = await open_results(pilot, "datafly")
        summary = text_of(screen, "#summary")
        assert "verified k=3 ✓" in summary
        assert "3 people: their class reveals diagnosis (K: what to require)" in summary
        assert summary.index("verified") < summary.index("3 people")
        await pilot.press("x")
        await settle(pilot)
        hint = str(pilot.app.screen.query(".hint").last().content)
        assert "3 people: their class reveals diagnosis" in hint
        await pilot.press("escape", "K", "enter")
        await settle(pilot)
        (required,) = session_of(pilot).project.privacy.requirements
        assert (required.short, required.attribute) == ("l≥2", "diagnosis")
        assert pilot.app.current_mode == "run"
        run_now(pilot, "datafly")
        await pilot.press("6")
        await settle(pilot)
        assert "their class reveals" not in text_of(screen, "#summary")
        await pilot.press("R")
        await settle(pilot)
        runs = screen.query_one(FigurePanel).grid.source
        shown = [[cell.text for cell in row] for row in runs.rows(0, runs.height)]
        assert [row[3] for row in shown] == ["–", "l≥2"]


@pytest.mark.parametrize("size", SIZES)
async def test_a_run_ends_here_with_before_and_after(sample, make_app, size) -> None:
    async with make_app(sample("census")).run_test(size=size) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        choose_view(pilot, TABLES)
        choice = AlgorithmChoice("mondrian")
        pilot.app.host.edit(replace(session.project, algorithm=choice), "mondrian")
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: session.results)
        await settle(pilot)
        await pilot.press("6")
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
            released = result.release.in_file_order.row(row, named=True)
            assert row_of(grids.left) == [record[name] for name in grids.left.column_names]
            assert row_of(grids.right) == [released[name] for name in grids.right.column_names]
        assert text_of(screen, "#record-line").startswith("record 10,000: class ")
        released_columns = grids.right.column_names
        assert released_columns == [
            "age", "sex", "zip", "race", "marital_status", "education",
            "income", "diagnosis", "income_class",
        ]  # fmt: skip
        changed = ["age", "zip", "race", "marital_status", "education"]
        assert grids.left.column_names == changed  # the others are published as they are
        panel = screen.query_one(FigurePanel)
        records = screen.records
        assert grids.left.size.height > 4
        assert not panel.region  # the figures of attributes stand below their names
        await pilot.press("b")
        await settle(pilot)
        if size == (80, 24):  # one at a time
            assert not records.region
        else:
            assert panel.region.x >= records.region.right
        assert panel.grid.size.height > 2


async def test_both_sides_move_scroll_and_find_together(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "mondrian")
        grids = screen.query_one(TwinGrids)
        left = grids.left
        right = grids.right

        def same() -> bool:
            return (left.row, left.column_name, left.scroll_offset.y) == (
                right.row,
                right.column_name,
                right.scroll_offset.y,
            )

        await pilot.press("pagedown", "pagedown", "down", "right", "end")
        await settle(pilot)
        assert left.row > 5
        assert left.column_name == "education"
        assert same()
        await pilot.press("tab")
        assert right.has_focus
        await pilot.press("pageup", "left")
        await settle(pilot)
        assert left.column_name == "marital_status"
        assert same()
        await pilot.press("end")  # which the original does not have once more
        await settle(pilot)
        assert (left.column_name, right.column_name) == ("marital_status", "income_class")
        assert left.row == right.row
        right.scroll_to(0, 500, animate=False)  # as the wheel does
        await settle(pilot)
        assert left.scroll_offset.y == right.scroll_offset.y == 500
        await pilot.press("ctrl+home", "home", "shift+tab")
        await settle(pilot)
        records = screen.records
        await pilot.press("right", "right", "n")  # race
        await settle(pilot)
        changed = records.source.changed_in("race")
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
        left = grids.left.source
        right = grids.right.source
        assert [cell.text for cell in right.rows(0, 1)[0]] == [
            "•1995", " Female", " 1141", " Asian", " Fever"
        ]  # fmt: skip
        assert [cell.mark for cell in right.rows(0, 1)[0]] == ["changed", "", "", "", ""]
        assert left.names == ["birth"]  # the others are published as they are
        assert [cell.mark for cell in left.rows(0, 1)[0]] == [""]
        await pilot.press("u")
        await settle(pilot)
        assert grids.row == 6  # T7, SBC table 2-9
        assert left.row_name(6) == "×7"
        assert {cell.mark for cell in left.rows(6, 7)[0]} == {"suppressed"}
        assert {cell.text for cell in right.rows(6, 7)[0]} == {"×"}
        assert "record 7: × suppressed" in text_of(screen, "#record-line")
        await pilot.press("u", "u")
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
        await pilot.press("u")
        await settle(pilot)
        grids = screen.query_one(TwinGrids)
        assert row_of(grids.right) == ["*", "*", "*", "*", "Stomachache"]
        assert row_of(grids.right) == list(screen.result.release.in_file_order.row(6))
        assert "published as * only" in text_of(screen, "#record-line")


# --- which records


async def test_sorting_goes_to_the_top_and_a_class_keeps_the_record(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "datafly")
        records = screen.records
        classes = records.source.classes
        sizes = records.source.sizes
        records.grids.go_to(412)
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert records.grids.row == records.grids.left.scroll_offset.y == 0
        shown = classes[records.shown.numbers]
        published = shown[shown >= 0]
        assert (published[1:] >= published[:-1]).all()
        assert (shown[-43:] == -1).all()  # the suppressed come last
        await pilot.press("s")
        await settle(pilot)
        order = sizes[classes[records.shown.numbers][:-43]]
        assert (order[1:] >= order[:-1]).all()
        records.go_to_record(412)
        await settle(pilot)
        assert records.record == 412
        await pilot.press("o")
        await settle(pilot)
        assert records.record == 412
        assert set(classes[records.shown.numbers]) == {classes[412]}
        assert records.shown.height == sizes[classes[412]]
        released = {tuple(row_of(records.grids.right, i))[:6] for i in range(records.shown.height)}
        assert len(released) == 1
        await pilot.press("escape")
        await settle(pilot)
        assert records.shown.height == 10_000
        assert records.record == 412


def test_every_key_can_be_remapped() -> None:
    bindings = [b for b in ResultsScreen.BINDINGS if b.description != "back"]  # type: ignore[union-attr]
    ids = [binding.id for binding in bindings]  # type: ignore[union-attr]
    assert all(name and name.startswith("results.") for name in ids)
    assert len(set(ids)) == len(ids)


async def test_the_order_of_the_file_is_warned_about_before_and_after(make_app, sample) -> None:
    file = sample("patients")
    with file.open("a") as project:
        project.write("\noutput: {order: input}\n")
    async with make_app(file).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        assert "order alone can give people away" in text_of(pilot.app.screen, "#preflight")
        screen = await open_results(pilot, "mondrian", k=2)
        assert "3 notes: R" in text_of(screen, "#summary")
        await pilot.press("R")
        await settle(pilot)
        assert "order alone can give people away" in text_of(screen, ".meaning")
