"""What tests of screen 6 share: results without the wait, and what the screen shows of them."""

from __future__ import annotations

from dataclasses import replace

from textual.pilot import Pilot
from textual.widgets import Input, Static

from kanon_tui.app import KanonApp
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.screens.results.record_views import TABLES
from kanon_tui.screens.results.screen import ResultsScreen, WhyDialog
from tests.screens.conftest import session_of, settle

SIZES = [(80, 24), (120, 40)]


def run_now(pilot: Pilot, algorithm: str, k: int | None = None) -> None:
    """Add a result to the session, as screen 5 does."""
    session = session_of(pilot)
    project = replace(session.project.confirmed(), algorithm=AlgorithmChoice(algorithm))
    if k is not None:
        project = replace(project, privacy=replace(project.privacy, k=k))
    session.edit(project, algorithm)
    session.results.append(conclude(start(project, task=session.task()), project))


def choose_view(pilot: Pilot, view: str) -> None:
    """Remember a view for terminals of every size."""
    app = pilot.app
    assert isinstance(app, KanonApp)
    for size in ("narrow", "wide"):
        app.host.chosen_views.choose(size, view)


async def open_results(
    pilot: Pilot, *algorithms: str, k: int | None = None, view: str = TABLES
) -> ResultsScreen:
    """Show the last of some results, as two tables unless another view is asked for."""
    await settle(pilot)
    if view:
        choose_view(pilot, view)
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
