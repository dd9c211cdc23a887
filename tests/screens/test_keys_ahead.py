"""Keys in one packet, on a slow machine: they wait for what the key before them brings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kanon_tui.app import KanonApp
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.task.rules import Boundary
from kanon_tui.screens.attributes.dialogs import UniquesDialog
from kanon_tui.screens.results.screen import WhyDialog
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.slow_threads import send_keys, slow_down

Came = Callable[[KanonApp, Path], bool]


def is_in_front(kind: type) -> Came:
    return lambda app, _: isinstance(app.screen, kind)


def has_the_rule(app: KanonApp, _: Path) -> bool:
    return Boundary("39", "40", 10.0) in app.host.session.attribute("age").rules.rules


def is_written_and_left(app: KanonApp, folder: Path) -> bool:
    return not app.is_running and (folder / "census-release.csv").exists()


WALKS: dict[str, tuple[tuple[str, ...], Came]] = {
    "why of a record": (("6", "w"), is_in_front(WhyDialog)),
    "export, then leave": (
        ("6", "x", "enter", "enter", "ctrl+q"),
        is_written_and_left,
    ),
    "a rule": (("4", "a", *"39", "tab", *"40", "tab", "ctrl+r"), has_the_rule),
    "a kind, then who is given away": (
        ("2", "down", "k", "enter", "U"),
        is_in_front(UniquesDialog),
    ),
}


@pytest.mark.parametrize("walk", WALKS)
async def test_keys_wait_for_the_dialog_they_are_for(sample, make_app, monkeypatch, walk) -> None:
    path, (keys, came) = sample("census"), WALKS[walk]
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.results.append(
            conclude(start(session.project, task=session.task()), session.project)
        )
        slow_down(seed=3, longest=0.3)
        send_keys(pilot.app, *keys)
        await wait_until(pilot, lambda: came(pilot.app, path.parent))
