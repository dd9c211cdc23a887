"""What pilot tests share: the application on a sample, with its state in a temporary folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from kanon_tui.app import KanonApp
from kanon_tui.core.editing.session import Session
from kanon_tui.core.project.samples import find_sample


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
    def make(file: Path | None = None) -> KanonApp:
        return KanonApp(file, state_folder=tmp_path / "state", theme="kanon-dark")

    return make


async def settle(pilot: Pilot[None]) -> None:
    """Wait until background work is done and drawn."""
    for _ in range(3):
        with suppress(WorkerCancelled):  # a newer one took its place
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()


def session_of(pilot: Pilot[None]) -> Session:
    app = pilot.app
    assert isinstance(app, KanonApp)
    assert app.session is not None
    return app.session
