"""What tests of the analyses share: opening one, with a release or without, and reading it."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle, wait_until

SIZE = (80, 24)


async def open_panel(pilot, words: str, kind: type) -> None:
    """By the command palette, as a person would."""
    await pilot.press("ctrl+p", *words)
    await settle(pilot)
    await pilot.press("enter")
    await wait_until(pilot, lambda: any(isinstance(s, kind) for s in pilot.app.screen_stack))
    await pilot.pause()


async def release_it(pilot) -> None:
    """A release as a run leaves it, without the screens in between."""
    await settle(pilot)
    session = session_of(pilot)
    session.results.append(anonymize(session.project, session.table))


async def run_it(pilot) -> None:
    await settle(pilot)
    await pilot.press("5")
    await settle(pilot)
    await pilot.press("r")
    await wait_until(pilot, lambda: bool(session_of(pilot).results))
    await settle(pilot)


def said(screen, selector: str) -> str:
    return str(screen.query_one(selector, Static).content)


def texts(grid: Grid) -> list[list[str]]:
    source = grid.source
    assert source is not None
    return [[cell.text for cell in row] for row in source.rows(0, source.height)]


def small_census(project: Path, records: int = 400) -> Path:
    """The first records only, with a quick algorithm that always finds a release."""
    data = project.with_name("census.csv")
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join(lines[: records + 1]))
    project.write_text(project.read_text().replace("{name: global}", "{name: mondrian}"))
    return project
