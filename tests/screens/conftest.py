"""What pilot tests share: the application on a sample, with its state in a temporary folder."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.css.query import NoMatches
from textual.pilot import Pilot

from kanon_tui.app import KanonApp
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.trial import Sample, Trial
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.task import Task
from kanon_tui.screens.run import advice
from kanon_tui.widgets.status_line import StatusLine
from tests.conftest import keep_what_lives

LONGEST_WAIT = 240.0
"""Seconds; a busy machine is slow, a condition that never comes true is a failure."""


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a sample's folder that a test may change; gives its project file."""

    def copy(name: str) -> Path:
        folder = tmp_path / name
        shutil.copytree(find_sample(name).project.parent, folder)
        return folder / "project.yaml"

    return copy


@pytest.fixture
def make_app(tmp_path: Path) -> Callable[..., KanonApp]:
    def make(file: Path | None = None, **options: bool) -> KanonApp:
        return KanonApp(file, state_folder=tmp_path / "state", theme="kanon-dark", **options)

    return make


@pytest.fixture(scope="session", autouse=True)
def keep_what_other_tests_loaded() -> None:
    """Kernels and modules that tests before these have loaded stay too."""
    keep_what_lives()


@pytest.fixture(autouse=True)
def samples_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Screen 5 tries no samples: what they say depends on the machine, and they take seconds.

    Tests of the advice itself put the real functions back.
    """

    def tried(task: Task, *_: object, **__: object) -> Trial:
        return Trial(task.n, 1.0, (Sample(task.n, 0.2, 0.25),))

    monkeypatch.setattr(advice, "try_out", tried)
    monkeypatch.setattr(advice, "recommend", lambda *_: ())
    monkeypatch.setattr(advice, "alternative_to", lambda *_: None)


async def wait_until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait until something holds, however long the machine takes.

    It does not hold while what it asks about is not on the screen.
    """
    deadline = time.monotonic() + LONGEST_WAIT
    while not _holds(condition):
        if time.monotonic() > deadline:
            # An application that runs a pilot itself would wait for ever on `pytest.fail`.
            raise AssertionError("it never happened")
        if has_failed(pilot.app):
            return  # leaving `run_test` raises what ended the application
        await asyncio.sleep(0.005)
    await pilot.pause()


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except NoMatches:
        return False


def has_failed(app: App[Any]) -> bool:
    """Return whether an exception has ended the application."""
    return app.return_code == 1


async def settle(pilot: Pilot[None]) -> None:
    """Wait until background work is done, delivered and drawn."""
    await pilot.pause()
    while not (has_failed(pilot.app) or is_quiet(pilot)):  # one job's result may start another
        await wait_until(pilot, lambda: is_quiet(pilot))


def is_quiet(pilot: Pilot[None]) -> bool:
    """Return whether no background work, key or message waits."""
    app = pilot.app
    if app.workers or app.message_queue_size:
        return False
    if app.is_running and isinstance(app, KanonApp) and app.typed_keys.waiting:
        return False
    return not any(node.message_queue_size for node in app.screen.walk_children(with_self=True))


def status_text(pilot: Pilot[None]) -> str:
    """Return the message on the status line of the screen in front; empty where none is shown."""
    line = pilot.app.screen.query_exactly_one(StatusLine)
    return str(line.render()) if line.display else ""


def session_of(pilot: Pilot[None]) -> Session:
    app = pilot.app
    assert isinstance(app, KanonApp)
    assert app.host.session is not None
    return app.host.session
