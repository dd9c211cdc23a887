"""What tests of runs over pieces share: a small project that streams, and its run on screen 5."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.project.project import project_to_text
from kanon_tui.widgets.dialogs import Confirm
from kanon_tui.widgets.path_dialog import AskPath
from tests.core.pipeline.test_stream import people, project
from tests.screens.conftest import session_of, settle, wait_until


def write_project(folder: Path, **sections: object) -> Path:
    """A project of made-up people whose runs stream."""
    people(120).write_csv(folder / "in.csv")
    sections = {"run": {"engine": "stream"}, **sections}
    asked = project(folder / "in.csv", **sections)
    path = folder / "people.yaml"
    path.write_text(project_to_text(asked))
    return path


async def ask_to_run(pilot: Pilot[None], key: str = "r") -> AskPath:
    """Press a key that starts a run; gives the question where the release goes."""
    await settle(pilot)
    if pilot.app.screen.STEP != "run":
        await pilot.press("5")
        await settle(pilot)
    await pilot.press(key)
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskPath))
    return pilot.app.screen


async def run_into(pilot: Pilot[None], path: Path, key: str = "r") -> Result:
    """Run into a file or folder, over what is there; gives the result."""
    await ask_to_run(pilot, key)
    results = session_of(pilot).results
    before = len(results)
    pilot.app.screen.query_one(Input).value = str(path)
    await pilot.press("enter")
    await wait_until(pilot, lambda: not isinstance(pilot.app.screen, AskPath))
    if isinstance(pilot.app.screen, Confirm):
        await pilot.press("y")
    await wait_until(pilot, lambda: len(results) > before)
    await settle(pilot)
    result = results[-1]
    assert result.in_files
    return result
