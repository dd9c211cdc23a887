"""Panels that open on Results look at the run that is shown there, not at the latest."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.partition import partition
from kanon_tui.core.analysis.utility.utility import measure_utility
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.table.table import as_table
from kanon_tui.screens.analyses.attack import AttackScreen
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.analyses.rerelease import RereleaseScreen
from kanon_tui.screens.analyses.risk_models import RiskModelsScreen
from kanon_tui.screens.analyses.trees import PartitionScreen
from kanon_tui.screens.analyses.utility import UtilityScreen
from kanon_tui.screens.panel import AnalysisScreen
from kanon_tui.widgets.dialogs import Choose, ChooseSeveral
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.analyses.helpers import SIZE, open_panel, said, small_census
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.results.helpers import open_results, run_now

EARLIER, LATER = 3, 40
"""k of the two runs."""


async def show_the_earlier_run(pilot: Pilot[None]) -> Result:
    """Run twice, the second time with a higher k, and choose the first among the runs."""
    await settle(pilot)
    run_now(pilot, "mondrian", EARLIER)
    screen = await open_results(pilot, "mondrian", k=LATER)
    earlier, later = session_of(pilot).results
    assert screen.result is later
    await pilot.press("R", "ctrl+home", "enter")
    await wait_until(pilot, lambda: screen.result is earlier)
    assert isinstance(earlier, Result)
    return earlier


async def opened(pilot: Pilot[None], key: str, kind: type) -> AnalysisScreen:
    """Press the key of a panel; gives the panel, over which there may be a first question."""
    await pilot.press(key)
    await wait_until(pilot, lambda: any(isinstance(one, kind) for one in pilot.app.screen_stack))
    await settle(pilot)
    panel = next(one for one in pilot.app.screen_stack if isinstance(one, kind))
    assert isinstance(panel, AnalysisScreen)
    return panel


async def answer(pilot: Pilot[None], dialog: type, path: Path | None = None) -> None:
    """Take what a dialog proposes, or a file."""
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, dialog))
    if path is not None:
        pilot.app.screen.query_one(Input).value = str(path)
    await pilot.press("enter")
    await settle(pilot)


@pytest.fixture
def project(sample) -> Path:
    return small_census(sample("census"))


async def test_risk_models(project: Path, make_app) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        earlier = await show_the_earlier_run(pilot)
        panel = await opened(pilot, "M", RiskModelsScreen)
        assert f"on run 1: mondrian k={EARLIER}" in said(panel, "#status")
        assert panel.found.models["prosecutor"].highest == earlier.measures.privacy.risk_max
        assert panel.found.models["prosecutor"].highest > 1 / LATER


async def test_linking_attack(project: Path, make_app) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        earlier = await show_the_earlier_run(pilot)
        panel = await opened(pilot, "L", AttackScreen)
        await answer(pilot, AskPath, project.with_name("census.csv"))
        await answer(pilot, ChooseSeveral)
        await wait_until(pilot, lambda: panel.people is not None)
        assert f"on run 1: mondrian k={EARLIER}" in said(panel, "#status")
        assert f"have fewer than k = {EARLIER}" in said(panel, "#counts")
        assert panel.people.attack.release.matches.min() == earlier.measures.privacy.k


async def test_decision_trees(project: Path, make_app) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        earlier = await show_the_earlier_run(pilot)
        panel = await opened(pilot, "T", PartitionScreen)
        await answer(pilot, Choose)
        await wait_until(pilot, lambda: panel.found is not None)
        assert f"on run 1: mondrian k={EARLIER}" in said(panel, "#status")
        release = as_table(earlier.table, earlier.task.table.missing_tokens)
        own = partition(
            PublishedTable(earlier.project, earlier.task, release),
            panel.target,
            None,
            panel.options["leaves"],
        )
        assert panel.found.release.accuracy == own.release.accuracy
        assert panel.found.release.root == own.release.root


async def test_utility(project: Path, make_app) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        earlier = await show_the_earlier_run(pilot)
        panel = await opened(pilot, "U", UtilityScreen)
        await wait_until(pilot, lambda: panel.found is not None)
        assert f"on run 1: mondrian k={EARLIER}" in said(panel, "#status")
        release = as_table(earlier.table, earlier.task.table.missing_tokens)
        own = measure_utility(PublishedTable(earlier.project, earlier.task, release))
        distances = [each.distance for each in panel.found.marginals]
        assert distances == [each.distance for each in own.marginals]


async def test_earlier_release(project: Path, make_app, tmp_path: Path) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        earlier = await show_the_earlier_run(pilot)
        earlier.write(tmp_path / "published.csv")
        panel = await opened(pilot, "B", RereleaseScreen)
        await answer(pilot, AskPath, tmp_path / "published.csv")
        await wait_until(pilot, lambda: panel.found is not None)
        assert f"on run 1: mondrian k={EARLIER}" in said(panel, "#status")
        assert f"fewer than k = {EARLIER}" in said(panel, "#figures")
        assert panel.found.fewest == earlier.measures.privacy.k  # beside itself


async def test_feasibility_takes_k_and_attributes_of_the_run(project: Path, make_app) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        await show_the_earlier_run(pilot)
        panel = await opened(pilot, "F", AnalysisPanel)
        assert f"on run 1: mondrian k={EARLIER}" in said(panel, "#status")
        assert panel.found.figures["k"] == EARLIER
        await pilot.press("escape", "escape", "4")  # elsewhere those of the project
        await settle(pilot)
        await open_panel(pilot, "feasib", AnalysisPanel)
        assert pilot.app.screen.found.figures["k"] == LATER
        assert "run 1" not in said(pilot.app.screen, "#status")


async def test_the_palette_on_results_takes_the_run_in_view_too(project: Path, make_app) -> None:
    async with make_app(project).run_test(size=SIZE) as pilot:
        await show_the_earlier_run(pilot)
        await open_panel(pilot, "utility", UtilityScreen)
        assert f"on run 1: mondrian k={EARLIER}" in said(pilot.app.screen, "#status")
        await settle(pilot)
        await pilot.press("escape", "5")  # where no run is shown it is the latest
        await settle(pilot)
        await open_panel(pilot, "utility", UtilityScreen)
        assert f"on run 2: mondrian k={LATER}" in said(pilot.app.screen, "#status")
