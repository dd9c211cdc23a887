"""The three views of Results: pairs, classes, tables; figures below the names in all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.content import Content

from kanon_tui.app import KanonApp
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.output import Output
from kanon_tui.screens.results.record_views import CLASSES, PAIRS, TABLES
from kanon_tui.screens.results.screen import WhyDialog
from kanon_tui.widgets.grid import Grid, PairCell
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import open_results, text_of, told_why

SIZES = [(80, 24), (120, 40), (200, 50)]


def drawn(grid: Grid, line: int) -> str:
    """A line of a grid as it is painted."""
    return "".join(segment.text for segment in grid.render_line(line))


def painted(grid: Grid) -> str:
    return "\n".join(drawn(grid, line) for line in range(grid.size.height))


def title_of(grid: Grid) -> str:
    return Content.from_markup(grid.parent.border_title).plain


async def test_the_view_suits_the_size_and_is_remembered_for_it(sample, make_app) -> None:
    app = make_app(sample("census"))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "global", view="")
        records = screen.records
        assert records.view == PAIRS
        records.go_to_record(412)
        await pilot.press("right", "right")
        await settle(pilot)
        assert (records.record, records.column) == (412, "zip")
        for view in (CLASSES, TABLES, PAIRS, CLASSES):
            await pilot.press("equals_sign")
            await wait_until(pilot, lambda: not records.is_searching)
            await settle(pilot)
            assert records.view == view
            assert (records.record, records.column) == (412, "zip")
            assert records.front.has_focus
            assert title_of(records.front).split(" · ")[0] in (view, "original")
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert records.view == CLASSES  # as it suits this size
        await pilot.press("equals_sign")
        await settle(pilot)
        assert records.view == TABLES
        await pilot.resize_terminal(120, 40)
        await wait_until(pilot, lambda: records.view == CLASSES)
        await settle(pilot)
        assert records.table.has_focus
    again = make_app(find_sample("patients").project)
    async with again.run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "mondrian", k=2, view="")
        assert screen.records.view == TABLES


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", [PAIRS, CLASSES, TABLES])
async def test_figures_stand_below_the_names_in_every_view(sample, make_app, size, view) -> None:
    async with make_app(sample("census")).run_test(size=size) as pilot:
        screen = await open_results(pilot, "global", view=view)
        grid = screen.records.grids.right if view == TABLES else screen.records.table
        lines = [drawn(grid, line) for line in range(4)]
        assert "age" in lines[0]
        assert lines[1].split()[:3] == ["level", "3/5", "0/1"]
        assert lines[2].split()[:3] == ["RV", "kept", "30%"]  # .074 of .25, not .074 of 1
        assert lines[3].split()[:3] == ["NCP", "lost", ".32"]
        assert "█" in lines[2]
        assert "▒" not in lines[2]
        assert "▒" in lines[3]
        assert "█" not in lines[3]
        assert "RV kept 60%" in title_of(grid)
        assert "NCP lost .26" in title_of(grid)
        await pilot.press("pagedown", "pagedown")
        await settle(pilot)
        assert [drawn(grid, line) for line in range(4)] == lines


async def test_all_nine_columns_of_the_census_in_pairs_at_120(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "global", view=PAIRS)
        table = screen.records.table
        assert table.max_scroll_x == 0
        assert list(table.column_names) == [
            "age", "sex", "zip", "race", "marital_status", "education",
            "income", "diagnosis", "income_class",
        ]  # fmt: skip
        header = drawn(table, 0)
        for name in ("age", "sex", "zip", "race", "marital", "education", "‖ income", "diagno"):
            assert name in header
        first = drawn(table, 5)
        assert first.split()[:2] == ["1", "238"]
        assert "79" in first
        assert "60605" in first
        assert "Midwest" in first
        assert first.count("Female") == 1  # published as it is: one column


async def test_six_columns_of_the_census_by_class_at_80(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "global", view=CLASSES)
        header = drawn(screen.records.table, 0)
        for name in ("age", "sex", "zip", "race", "marital", "education"):
            assert name in header


async def test_heat_is_the_loss_of_each_cell(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "mondrian", view=PAIRS)
        rows = screen.records.table.source
        task = screen.result.task
        age = task.quasi[0]
        for record in (0, 1, 5, 77):
            cell = rows.line(record)[0]
            assert isinstance(cell, PairCell)
            assert cell.before.text == task.table.frame["age"][record]
            members = screen.records.source.classes == screen.records.source.classes[record]
            held = age.column.value_numbers[age.column.codes[members]]
            loss = (held.max() - held.min()) / age.domain_width
            assert screen.records.source.loss("age", record) == pytest.approx(loss)
            step = (
                0
                if cell.text == cell.before.text
                else 1 + sum(loss >= bound for bound in (0.1, 0.35, 0.7))
            )
            assert cell.mark == (f"heat-{step}" if step else "muted")
            assert cell.divider == "│▏▎▍▌"[step]


async def test_neighbours_of_a_class_have_one_shade(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "mondrian", k=2, view=PAIRS)
        await pilot.press("s")
        await settle(pilot)
        records = screen.records
        shades = [records.table.source.row_shade(row) for row in range(records.shown.height)]
        classes = records.source.classes[records.shown.numbers]
        for row in range(1, len(shades)):
            is_same_class = classes[row] == classes[row - 1]
            assert (shades[row] == shades[row - 1]) == is_same_class


async def test_a_class_is_published_once_above_its_records(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "global", view=CLASSES)
        records = screen.records
        table = records.table
        release = screen.result.release
        assert (table.row, table.source.row_shade(0)) == (0, "class")
        size = int(release.class_sizes[0])
        assert table.source.row_name(0) == f"━1 n={size}"
        assert records.shown.order == "by class"
        told = text_of(screen, "#record-line")
        assert told.startswith(f"class 1 of {len(release.class_sizes)}, {size} records · age 18-44")
        original = screen.result.task.table.frame
        for row in range(1, size + 1):
            record = int(records.shown.numbers[row - 1])
            cells = [cell.text for cell in table.source.line(row)]
            assert cells[0] == original["age"][record]
            assert cells[1] == "·"  # sex is published as it is
            assert cells[7] == original["diagnosis"][record]
        assert table.source.row_shade(size + 1) == "class"
        await pilot.press("down", "n")  # the next record with another age
        await settle(pilot)
        assert table.row == 2
        await pilot.press("o")
        await settle(pilot)
        assert table.source.height == size + 1
        await pilot.press("escape", "s")
        await settle(pilot)
        assert records.shown.order == "smallest class first"
        await pilot.press("s")
        await settle(pilot)
        assert records.shown.order == "by class"


async def test_a_class_that_reveals_a_sensitive_value_is_marked(make_app, tmp_path) -> None:
    rows = ["20,flu", "20,flu", "20,flu", "30,flu", "30,cold", "30,ill"]
    (tmp_path / "d.csv").write_text("\n".join(["age,diagnosis", *rows, ""]))
    (tmp_path / "p.yaml").write_text(
        "data: {path: d.csv}\nprivacy: {k: 3}\n"
        "attributes: {age: {role: quasi, kind: categorical}, diagnosis: {role: sensitive}}\n"
    )
    async with make_app(tmp_path / "p.yaml").run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly", view=CLASSES)
        rows = screen.records.table.source
        assert (rows.line(0)[1].text, rows.line(0)[1].mark) == ("! flu", "warn")
        assert rows.line(4)[1].text == "3 values"


@pytest.mark.parametrize("suppressed", ["drop", "star"])
async def test_suppressed_records_are_struck_in_both_views(sample, make_app, suppressed) -> None:
    async with make_app(sample("datafly")).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.edit(replace(session.project, output=Output(suppressed=suppressed)), "output")
        screen = await open_results(pilot, "datafly", view=PAIRS)
        await pilot.press("u")
        await settle(pilot)
        records = screen.records
        assert records.record == 6
        cells = records.table.source.line(6)
        assert cells[0].text == ("×" if suppressed == "drop" else "*")
        assert cells[0].before.mark == "suppressed"
        assert [cell.mark for cell in cells[1:4]] == ["suppressed"] * 3
        assert cells[4].mark == ("suppressed" if suppressed == "drop" else "")
        assert records.table.source.row_name(6).split() == ["7", "×"]
        await pilot.press("equals_sign")
        await settle(pilot)
        assert records.record == 6
        height = records.table.source.height
        names = [records.table.source.row_name(row) for row in range(height)]
        assert "━× n=2" in names  # the last of the classes
        await pilot.press("w")
        await settle(pilot)
        assert isinstance(pilot.app.screen, WhyDialog)
        assert "no other record has its labels" in told_why(pilot)


async def test_both_values_of_a_pair_can_be_copied(sample, make_app, monkeypatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    async with make_app(sample("patients")).run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "mondrian", k=2, view=PAIRS)
        cell = screen.records.table.source.line(0)[0]
        assert isinstance(cell, PairCell)
        await pilot.press("y", "enter")
        await settle(pilot)
        assert pilot.app.clipboard == cell.text
        await pilot.press("y", "down", "enter")
        await settle(pilot)
        assert pilot.app.clipboard == cell.before.text


async def test_no_colours_leave_marks_of_gain_and_loss(sample, tmp_path, monkeypatch) -> None:
    """What is kept, what is lost and how much a cell lost are told by signs, too."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = KanonApp(sample("census"), state_folder=tmp_path / "state", theme="ansi-dark")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_results(pilot, "global", view=PAIRS)
        text = painted(screen.records.table)
        for sign in "█░▒▍▎‖":
            assert sign in text
