"""Decision trees of the original and the release."""

from __future__ import annotations

from kanon_tui.core.analysis.trees.partition import Node
from kanon_tui.screens.analyses.trees import PartitionScreen, tree_lines
from kanon_tui.screens.help_dialog import Help
from kanon_tui.widgets.dialogs import Choose, ChooseSeveral
from tests.screens.analyses.helpers import SIZE, open_panel, release_it, said, small_census
from tests.screens.conftest import wait_until


async def test_trees_of_original_and_release_side_by_side(sample, make_app) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "trees", PartitionScreen)
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("down", "down", "enter")  # income, diagnosis, income_class
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PartitionScreen))
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found is not None)
        found = screen.found
        assert found.target == "income_class"
        assert (found.determining, found.left_out) == (("income",), ("income",))
        assert "diagnosis" in found.attributes
        assert "income alone tells income_class and is left out" in said(screen, "#figures")
        figures = said(screen, "#figures")
        assert f"{found.original.accuracy:.1%}" in figures
        assert f"{found.release.auc:.3f}" in figures
        assert f"keeps {found.kept:.1%}" in figures
        for name, tree in (("original", found.original), ("release", found.release)):
            assert said(screen, f"#{name} .tree").split("\n") == [
                line.plain for line in tree_lines(tree.root)
            ]

        await pilot.press("a")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseSeveral))
        await pilot.press("end", "up", "space", "enter")  # income, too
        await wait_until(pilot, lambda: "income" in screen.found.attributes)
        assert found.original.accuracy < screen.found.original.accuracy
        assert "income alone tells income_class: without it" in said(screen, "#figures")

        leaves = len(list(screen.found.original.root.leaves()))
        await pilot.press(*["minus"] * 6)
        await wait_until(pilot, lambda: len(list(screen.found.original.root.leaves())) == 2)
        assert leaves > 2
        await pilot.press("minus")  # a tree has at least two
        assert screen.options["leaves"] == 2


async def test_a_generalised_target_is_counted_by_shares_and_zoom_and_help_work(
    sample, make_app
) -> None:
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "trees", PartitionScreen)
        await pilot.press("end", "enter")  # zip
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PartitionScreen))
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found is not None)
        several = f"{screen.found.release.mixed:,} records of the release count in several values"
        assert screen.found.release.mixed > 0
        assert several in said(screen, "#figures")
        await pilot.press("tab", "z")
        assert screen.maximized is screen.query_one("#release")
        await pilot.press("escape")
        assert screen.maximized is None
        await pilot.press("f1")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("escape", "escape")
        assert pilot.app.screen is not screen


def test_a_tree_in_lines() -> None:
    low = Node(20, "no", 0.9, "age < 30", "")
    old = Node(50, "yes", 0.8, "age ≥ 65", "")
    middle = Node(930, "yes", 0.5, "age < 65", "")
    rest = Node(980, "yes", 0.51, "age ≥ 30", "", (old, middle))
    tree = Node(1000, "yes", 0.5, "", "all records", (rest, low))
    assert [line.plain for line in tree_lines(tree)] == [
        "1,000 yes  50.0% all",
        "  980 yes  51.0% ├age ≥ 30",
        "   50 yes  80.0% │├▪ age ≥ 65",
        "  930 yes  50.0% │└▪ age < 65",
        "   20 no   90.0% └▪ age < 30",
    ]


def test_a_tree_in_lines_says_whom_its_splits_do_not_divide() -> None:
    low = Node(20, "no", 0.9, "age < 30", "", overlapping=8, free_share=0.75)
    rest = Node(980, "yes", 0.51, "age ≥ 30", "", overlapping=980)
    tree = Node(1000, "yes", 0.5, "", "all records", (rest, low), straddling=988, free_share=0.5)
    assert [line.plain for line in tree_lines(tree)] == [
        "1,000 yes  50.0% ↔1,000 all ÷988",
        "  980 yes  51.0% ↔0     ├▪ age ≥ 30",
        "   20 no   90.0% ↔12    └▪ age < 30 ↔75.0%",
    ]
