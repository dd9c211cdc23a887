"""What pilot tests share: the application on a sample, with its state in a temporary folder."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.css.query import NoMatches
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import Screen
from textual.timer import Timer

from kanon_tui.app import KanonApp
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.trial import Sample, Trial
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.task import Task
from kanon_tui.screens.run import advice
from tests.conftest import keep_what_lives
from tests.screens.at_rest import wait_for_idle, wait_for_screen
from tests.screens.quick_styles import apply_few, parse_rules_once

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


_paint = Screen._compositor_refresh


@pytest.fixture(autouse=True)
def paint_at_rest(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint what has come to rest and a few frames of a long wait, not all: they take long.

    Tests of the way itself are marked `every_frame`.
    """

    def note(screen: Screen[Any]) -> None:
        if screen is screen.app.screen:
            screen._dirty_widgets.clear()  # their regions are kept for the next painting
        else:
            _paint(screen)

    if request.node.get_closest_marker("every_frame") is None:
        monkeypatch.setattr(Screen, "_compositor_refresh", note)


@pytest.fixture(autouse=True)
def wait_for_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilots wait for what is going on, not for times; style sheets are looked through once."""
    monkeypatch.setattr(Pilot, "_wait_for_screen", wait_for_screen)
    monkeypatch.setattr("textual.pilot.wait_for_idle", wait_for_idle)
    monkeypatch.setattr("textual.app.wait_for_idle", wait_for_idle)
    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules_once)
    monkeypatch.setattr(Stylesheet, "apply", apply_few)


async def wait_until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait until something holds, however long the machine takes.

    It does not hold while what it asks about is not on the screen.
    """
    deadline, looks = time.monotonic() + LONGEST_WAIT, 0
    while not _holds(condition):
        if time.monotonic() > deadline:
            # An application that runs a pilot itself would wait for ever on `pytest.fail`.
            raise AssertionError("it never happened")
        if pilot.app._exception is not None:
            return  # the application ended; leaving `run_test` raises what ended it
        await asyncio.sleep(0.005)
        looks += 1
        if looks % 40 == 0 and pilot.app.is_running:
            _paint(pilot.app.screen)  # some of what is waited for begins when it is painted
    await pilot.pause()


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except NoMatches:
        return False


async def settle(pilot: Pilot[None]) -> None:
    """Wait until background work is done, delivered and drawn."""
    quiet = 0  # what one job delivers may start another: look twice
    while quiet < 2:
        await wait_until(pilot, lambda: is_quiet(pilot))
        quiet = quiet + 1 if is_quiet(pilot) else 0
        if pilot.app._exception is not None:
            return
    if pilot.app.is_running:
        _paint(pilot.app.screen)


def is_quiet(pilot: Pilot[None]) -> bool:
    """Nothing runs in the background, no key or message waits, no timer is about to act."""
    app = pilot.app
    if app.workers or app.message_queue_size:
        return False
    if app.is_running and isinstance(app, KanonApp) and app.typed_keys.waiting:
        return False
    nodes = list(app.screen.walk_children(with_self=True))
    return not any(node.message_queue_size or any(map(_acts_once, node._timers)) for node in nodes)


def _acts_once(timer: Timer) -> bool:
    """A timer that waits for its one moment, unlike a clock that goes on forever."""
    return timer._repeat == 0 and timer._task is not None and not timer._task.done()


def session_of(pilot: Pilot[None]) -> Session:
    app = pilot.app
    assert isinstance(app, KanonApp)
    assert app.host.session is not None
    return app.host.session
