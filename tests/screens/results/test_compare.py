"""Two runs side by side."""

from __future__ import annotations

from textual.widgets import OptionList

from kanon_tui.screens.results.compare import CompareScreen
from kanon_tui.screens.results.figures import FigurePanel
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.widgets.dialogs import Choose
from tests.screens.conftest import session_of, settle
from tests.screens.results.helpers import open_results, row_of, run_now, text_of


async def test_compare_two_runs(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        await pilot.press("C")
        await settle(pilot)
        assert pilot.app.screen is screen  # nothing to compare with
        run_now(pilot, "mondrian")
        pilot.app.host.session_changed()
        await settle(pilot)
        await pilot.press("C")
        await settle(pilot)
        compare = pilot.app.screen
        assert isinstance(compare, CompareScreen)
        assert "differ most in age" in text_of(compare, "#status")
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
        mondrian = screen.result
        datafly = session_of(pilot).results[0]
        place = int(compare.order[0])
        released = [mondrian.release.in_file_order.row(place)[0], datafly.release.suppressed[place]]
        assert row_of(grids.left, 0)[0] == released[0]
        assert compare.rows.comparison.loss_difference[place] > 0.7
        await pilot.press("down", "s")  # file order, from its top
        await settle(pilot)
        assert grids.row == 0
        await pilot.press("n")
        await settle(pilot)
        assert grids.row == 1
        assert row_of(grids.left) == list(mondrian.release.in_file_order.row(1))
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
        comparison = pilot.app.screen.rows.comparison
        assert (comparison.first.algorithm.name, comparison.second.algorithm.name) == (
            "k-member",
            "mondrian",
        )
        await pilot.press("escape", "R", "C")  # the first of the runs is under the cursor
        await settle(pilot)
        assert pilot.app.screen.rows.comparison.second is session_of(pilot).results[0]
        assert screen.result is session_of(pilot).results[2]
