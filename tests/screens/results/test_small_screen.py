"""Screen 6 in 80 columns and 24 lines: ten records, whole columns, whole sentences, real zoom."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import Static

from kanon_tui.screens.results.figures import FigurePanel
from kanon_tui.screens.results.twin_grids import TwinGrids
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import open_results, text_of


def drawn(grid, line: int) -> str:
    """A line of a grid as it is painted."""
    return "".join(segment.text for segment in grid.render_line(line))


async def check_a_short_banner_and_ten_records(pilot, screen) -> None:
    assert screen.query_one("#summary").size.height <= 2
    assert screen.query_one(TwinGrids).left.visible_rows >= 10


async def check_the_explanation_is_never_cut(pilot, screen) -> None:
    line = screen.query_one("#record-line", Static)
    for column in range(3):
        screen.query_one(TwinGrids).go_to(0, column)
        await settle(pilot)
        needed = line.visual.get_height({}, line.size.width)
        assert line.size.height >= needed
        assert text_of(screen, "#record-line").endswith("kept") or column


async def check_the_explanation_does_not_bring_about_another(pilot, screen) -> None:
    """It takes lines from the records: written anew for that, it would be written for ever."""
    line = screen.query_one("#record-line", Static)
    records = screen.records
    explanation = line.content
    height = records.size.height
    line.update("what another size would write over")
    line.styles.min_height = line.size.height + 2
    await wait_until(pilot, lambda: records.size.height == height - 2)
    await settle(pilot)
    assert "another size" in str(line.content)
    line.update(explanation)


async def check_columns_scroll_whole(pilot, screen) -> None:
    grid = screen.query_one(TwinGrids).left
    titles = [column.title.strip() for column in grid.source.columns]
    for _ in titles:
        header = drawn(grid, 0).split()[1:]  # behind the word for the numbers
        assert header[0] in titles  # the first column in view is seen from its beginning
        assert grid.source.columns[grid.column].title.strip() in header
        await pilot.press("right")
        await pilot.pause()
    for x in range(0, 60, 7):  # the wheel and the bar stop anywhere
        grid.scroll_to(x=x, animate=False)
        await pilot.pause()
        assert drawn(grid, 0).split()[1] in titles


async def check_the_numbers_beside_the_rows_have_names(pilot, screen) -> None:
    grids = screen.query_one(TwinGrids)
    assert drawn(grids.left, 0).split()[0] == "record"
    assert drawn(grids.right, 0).split()[0] == "class"


async def check_a_stale_result_has_no_mark_and_says_what_changed(pilot, screen) -> None:
    assert "verified k=5 ✓" in text_of(screen, "#summary")
    project = session_of(pilot).project
    pilot.app.host.edit(replace(project, privacy=replace(project.privacy, k=9)), "k = 9")
    await settle(pilot)
    told = text_of(screen, "#summary")
    assert "✓" not in told
    assert "! changed since: k 5 → 9" in told
    assert screen.query_one("#summary").size.height <= 2
    await pilot.press("ctrl+z")
    await settle(pilot)
    assert "verified k=5 ✓" in text_of(screen, "#summary")


async def check_figures_and_records_one_at_a_time(pilot, screen) -> None:
    panel = screen.query_one(FigurePanel)
    await wait_until(pilot, lambda: screen.records.region and not panel.region)
    await pilot.press("f")
    await wait_until(pilot, lambda: panel.grid.has_focus and not screen.records.region)
    await pilot.press("s")  # what is asked of the records is answered there
    await wait_until(pilot, lambda: screen.records.region and not panel.region)
    await pilot.press("f", "escape")
    await wait_until(pilot, lambda: screen.records.grids.left.has_focus)
    await pilot.resize_terminal(120, 40)
    await wait_until(pilot, lambda: screen.records.region and panel.region)


CHECKS = (
    check_a_short_banner_and_ten_records,
    check_the_explanation_is_never_cut,
    check_the_explanation_does_not_bring_about_another,
    check_columns_scroll_whole,
    check_the_numbers_beside_the_rows_have_names,
    check_a_stale_result_has_no_mark_and_says_what_changed,
    check_figures_and_records_one_at_a_time,
)


async def test_records_in_80_columns_and_24_lines(sample, make_app) -> None:
    """One walk; a check leaves the screen as the next one finds it."""
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "global")
        for check in CHECKS:
            await check(pilot, screen)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_a_zoomed_pane_has_the_whole_screen(sample, make_app, size) -> None:
    async with make_app(sample("census")).run_test(size=size) as pilot:
        screen = await open_results(pilot, "global")
        await pilot.press("b")
        await settle(pilot)
        screen.query_one(FigurePanel).grid.focus()
        await pilot.press("z")
        await settle(pilot)
        panel = screen.query_one(FigurePanel)
        assert panel.region.width == size[0]
        assert panel.region.height >= size[1] - 2  # but for the keys
        await pilot.press("z", "escape")
        await settle(pilot)
        screen.query_one(TwinGrids).right.focus()
        await pilot.press("z")
        await settle(pilot)
        assert screen.query_one(TwinGrids).right.size.width >= size[0] - 4
