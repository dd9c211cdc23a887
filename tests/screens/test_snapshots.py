"""What the screens look like: 80×24 and 120×40 in the default theme, some in 16 colours.

A walk through one application compares many pictures, each in every size. Where they are meant to
change, `pytest tests/screens/test_snapshots.py --snapshot-update` writes them anew.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from kanon_tui.app import KanonApp
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.project.samples import find_sample
from kanon_tui.screens.analyses.attack import AttackScreen
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.analyses.trees import PartitionScreen
from kanon_tui.screens.results.compare import CompareScreen
from kanon_tui.screens.results.record_views import VIEWS
from kanon_tui.screens.results.screen import WhyDialog
from kanon_tui.screens.run.live_view import LiveView
from kanon_tui.screens.run.race import RaceScreen
from kanon_tui.widgets.dialogs import ChooseSeveral
from tests.screens.conftest import session_of, settle, wait_until

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
SMALL = {"80x24": (80, 24)}


def app(sample: str = "census") -> KanonApp:
    return KanonApp(find_sample(sample).project, theme="kanon-dark")


async def look(
    pilot: Pilot[None],
    snapshot: SnapshotAssertion,
    name: str,
    sizes: dict[str, tuple[int, int]] = SIZES,
) -> None:
    """Compare the screen with its pictures, in every size."""
    differ = []
    for title, size in sizes.items():
        await pilot.resize_terminal(*size)
        await wait_until(pilot, lambda size=size: pilot.app.screen.size == size)
        await settle(pilot)
        picture = snapshot(name=f"{name}-{title}", extension_class=SVGImageExtension)
        if pilot.app.export_screenshot(simplify=True) != picture:
            differ.append(f"{name}-{title}")
    assert differ == []
    await pilot.resize_terminal(*next(iter(sizes.values())))
    await settle(pilot)


async def look_in_sixteen_colours(
    pilot: Pilot[None], snapshot: SnapshotAssertion, name: str
) -> None:
    pilot.app.theme = "ansi-dark"
    await settle(pilot)
    await look(pilot, snapshot, f"{name}-16-colours", SMALL)
    pilot.app.theme = "kanon-dark"
    await settle(pilot)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settle(pilot)


def add_result(session: Session, seconds: float, **changes: Any) -> None:
    """A result as of a run; a clock has no place in a picture."""
    project = replace(session.project, **changes)
    made = conclude(start(project, task=session.task()), project)
    session.results.append(replace(made, seconds=seconds))


def shown(screen: Screen[None], selector: str) -> str:
    return str(screen.query_one(selector, Static).content)


async def show_run(pilot: Pilot[None]) -> None:
    """Samples are tried a moment after the screen is shown."""
    await press(pilot, "5")
    await wait_until(pilot, lambda: "less than" in shown(pilot.app.screen, "#preflight"))
    await settle(pilot)


async def open_panel(pilot: Pilot[None], words: str, kind: type[Screen[None]]) -> None:
    await press(pilot, "ctrl+p", *words)
    await pilot.press("enter")
    await wait_until(pilot, lambda: any(isinstance(one, kind) for one in pilot.app.screen_stack))
    await settle(pilot)


async def test_start(snapshot: SnapshotAssertion) -> None:
    async with KanonApp(None, theme="kanon-dark").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await look(pilot, snapshot, "start")


async def test_steps(snapshot: SnapshotAssertion) -> None:
    """Every screen of a project, and what opens over them."""
    async with app().run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "right", "right")
        await look(pilot, snapshot, "data")
        await press(pilot, "2", "down", "down")
        await look(pilot, snapshot, "attributes")
        await look_in_sixteen_colours(pilot, snapshot, "attributes")
        await press(pilot, "f1")
        await look(pilot, snapshot, "help", SMALL)
        await press(pilot, "f1", "3", "down", "down")
        await look(pilot, snapshot, "hierarchies")
        await press(pilot, "4", "down")
        await look(pilot, snapshot, "rules")
        await show_run(pilot)
        await look(pilot, snapshot, "run")
        add_result(session_of(pilot), 0.2)
        pilot.app.host.session_changed()
        await press(pilot, "6")
        await look(pilot, snapshot, "results")
        await pilot.press("w")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, WhyDialog))
        await settle(pilot)
        await look(pilot, snapshot, "why")
        await press(pilot, "escape", "1")
        await open_panel(pilot, "trees", PartitionScreen)
        await press(pilot, "down", "down", "enter")
        trees = pilot.app.screen
        await wait_until(pilot, lambda: trees.found is not None and not trees.working)
        await settle(pilot)
        await look(pilot, snapshot, "decision-trees")
        await press(pilot, "escape", "6")
        add_result(session_of(pilot), 0.1, algorithm=AlgorithmChoice("mondrian"))
        pilot.app.host.session_changed()
        await press(pilot, "C")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        await settle(pilot)
        await look(pilot, snapshot, "compare")


async def test_what_if(snapshot: SnapshotAssertion) -> None:
    """A finished sweep, with seconds that are the same on every machine."""
    async with app().run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "7", "r")
        screen = pilot.app.screen
        await wait_until(pilot, lambda: not screen.running and len(screen.points) == 14)
        known = {(point.algorithm, point.k): point for point in screen.points}
        pairs = [(name, k) for name in screen.algorithms for k in screen.ks]
        screen.points = tuple(replace(known[pair], seconds=pair[1] / 100) for pair in pairs)
        screen._began = 0.0
        screen._ended = 1.0
        screen._draw()
        await press(pilot, "down", "down")
        await look(pilot, snapshot, "one")
        await look_in_sixteen_colours(pilot, snapshot, "one")
        await press(pilot, "V")
        await look(pilot, snapshot, "all")


VIEW_SIZES = {**SIZES, "200x50": (200, 50)}
REASONS = ("suspicious", "traffic", "911", "a very long reason that nobody has shortened")
PLACES = ("Cedar Riverside", "Downtown West", "Whittier", "Near - North", "Hawthorne")
PEOPLE = ("Black", "White", "East African", "Latino", "Unknown", "Native American")


def write_stops(path: Path) -> Path:
    """Write a table as nobody has prepared it: dates as texts, long names, many columns."""
    header = "idNum,date,problem,citationIssued,personSearch,race,gender,lat,policePrecinct,hood"
    lines = [header]
    for number in range(1, 401):
        cells = (
            f"17-{number:06d}",
            f"{1 + number % 12}/{1 + number * 7 % 28}/17 {number % 24}:{number * 13 % 60:02d}",
            REASONS[number * 5 % 7 % 4],
            ("", "YES", "NO")[number % 3],
            ("YES", "NO")[number % 5 > 0],
            PEOPLE[number * number % 6],
            ("Male", "Female", "Unknown")[number * 11 % 7 % 3],
            f"{44.89 + number * 37 % 400 / 2666:.6f}",
            str(1 + number * 3 % 5),
            PLACES[number * number % 11 % 5],
        )
        lines.append(",".join(cells))
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.mark.parametrize("table", ["census", "adult", "raw"])
async def test_results(snapshot: SnapshotAssertion, table: str, tmp_path: Path) -> None:
    """Each view of a release in each size: of prepared samples and of a raw table."""
    file = write_stops(tmp_path / "stops.csv") if table == "raw" else find_sample(table).project
    async with KanonApp(file, theme="kanon-dark").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        project = replace(session.project.confirmed(), algorithm=AlgorithmChoice("datafly"))
        session.edit(project, "datafly")
        add_result(session, 0.1)
        pilot.app.host.session_changed()
        await press(pilot, "6")
        for view in VIEWS:
            for size in ("narrow", "wide"):
                pilot.app.host.chosen_views.choose(size, view)
            await pilot.resize_terminal(100, 30)
            await settle(pilot)
            await look(pilot, snapshot, view, VIEW_SIZES)


async def test_linking_attack(snapshot: SnapshotAssertion) -> None:
    async with app("linking").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        add_result(session_of(pilot), 0.2)
        await open_panel(pilot, "linking", AttackScreen)
        await pilot.press(*"voters.csv", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseSeveral))
        await press(pilot, "enter")
        await press(pilot, "down", "down", "enter")
        await look(pilot, snapshot, "attack")


async def test_feasibility(snapshot: SnapshotAssertion) -> None:
    async with app("datafly").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", AnalysisPanel)
        screen = pilot.app.screen
        await wait_until(
            pilot, lambda: not screen.working and "reached" in shown(screen, "#figures")
        )
        await pilot.press("shift+tab", "tab")
        screen.query_one("#p-attributes", Input).cursor_blink = False
        await pilot.pause()
        await look(pilot, snapshot, "feasibility")


WATCHED = {
    "global": 7,
    "local": 6,
    "hybrid": 6,
    "distributed": 9,
    "incognito": 18,
    "datafly": 4,
    "anytime": 9,
    "k-member": 5,
    "gcka": 4,
    "mondrian": 3,
    "bottom-up": 6,
    "top-down": 3,
    "euclidean": 6,
    "udc": 8,
    "udc-suppress": 4,
    "sbc": 3,
    "sd": 4,
    "mdav": 4,
    "stepwise": 3,
}
"""The step at which each algorithm is looked at, on its own sample."""
WATCHED_SIZES = {**SIZES, "160x45": (160, 45)}


def test_every_algorithm_is_looked_at() -> None:
    assert list(WATCHED) == list(ALGORITHMS)


@pytest.mark.parametrize("algorithm", WATCHED)
async def test_watching(snapshot: SnapshotAssertion, algorithm: str) -> None:
    """The picture of an algorithm on its sample; elapsed time is taken out of it."""
    made = app(ALGORITHMS[algorithm].sample)
    number = WATCHED[algorithm]
    async with made.run_test(size=WATCHED_SIZES["80x24"]) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.edit(replace(session.project, algorithm=AlgorithmChoice(algorithm)), "algorithm")
        await show_run(pilot)
        screen = made.screen
        await pilot.press("full_stop")  # from here on the run waits: there is nothing to settle
        for steps in range(1, number + 1):
            await wait_until(pilot, lambda: screen.live is not None)
            await wait_until(pilot, lambda steps=steps: screen.live.snapshot.steps == steps)
            if steps < number:
                await pilot.press("full_stop")
        await look_at_waiting_run(pilot, snapshot, WATCHED_SIZES)


async def look_at_waiting_run(
    pilot: Pilot[None],
    snapshot: SnapshotAssertion,
    sizes: dict[str, tuple[int, int]],
    title: str = "",
) -> None:
    """Compare a run that waits for a key with its pictures, without elapsed time."""
    made = pilot.app
    screen = pilot.app.screen
    screen.live.run.seconds = 0.0
    await wait_until(pilot, lambda: screen.live.snapshot.seconds == 0.0)
    for name, size in sizes.items():
        await pilot.resize_terminal(*size)
        await wait_until(pilot, lambda size=size: made.size == size)
        screen._draw_live_view()
        await pilot.pause()
        shown = snapshot(name=title + name, extension_class=SVGImageExtension)
        assert made.export_screenshot() == shown


async def test_in_front_of_a_class(snapshot: SnapshotAssertion) -> None:
    """The race of two algorithms, its end, and a presented decision that a class votes on."""
    made = app("patients")
    async with made.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await show_run(pilot)
        await press(pilot, "D", "enter")
        await wait_until(pilot, lambda: isinstance(made.screen, RaceScreen))
        await press(pilot, "full_stop", "full_stop", "full_stop")
        await look(pilot, snapshot, "race")
        await press(pilot, "end")
        await look(pilot, snapshot, "race-ended")
        await press(pilot, "escape")
        screen = made.screen
        await pilot.press("full_stop")  # from here on the run waits: there is nothing to settle
        await wait_until(pilot, lambda: screen.live is not None)
        await wait_until(pilot, lambda: screen.live.snapshot.steps == 1)
        await pilot.press("p", "question_mark", "full_stop", "b")
        assert screen.query_one(LiveView).presenting
        await look_at_waiting_run(pilot, snapshot, SIZES, "vote-")
        await pilot.press("escape")
        assert not screen.query_one(LiveView).presenting
