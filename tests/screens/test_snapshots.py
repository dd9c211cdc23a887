"""What the screens look like: 80×24 and 120×40 in the default theme, one in 16 colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from kanon_tui.app import KanonApp
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.project.samples import find_sample
from kanon_tui.screens.analyses.attack import AttackScreen
from kanon_tui.screens.analyses.feasibility import FeasibilityScreen
from kanon_tui.screens.analyses.utility import PartitionScreen
from kanon_tui.screens.results.compare import CompareScreen
from kanon_tui.screens.results.screen import WhyDialog
from kanon_tui.widgets.dialogs import ChooseSeveral
from tests.screens.conftest import session_of, settle, wait_until

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
SCREENS = {
    "data": ("1", "right", "right"),
    "attributes": ("2", "down", "down"),
    "hierarchies": ("3", "down", "down"),
    "rules": ("4", "down"),
    "run": ("5",),
    "results": ("6",),
}


def app(theme: str = "kanon-dark", file: Path | None = None) -> KanonApp:
    return KanonApp(file or find_sample("census").project, theme=theme)


def show(keys: tuple[str, ...], *, result: bool = False) -> Callable[[Pilot[None]], object]:
    async def before(pilot: Pilot[None]) -> None:
        await settle(pilot)
        if result:
            session = session_of(pilot)
            made = conclude(start(session.project, task=session.task()), session.project)
            session.results.append(replace(made, seconds=0.2))  # a clock has no place in a picture
        await pilot.press(*keys)
        await settle(pilot)
        if keys[:1] == ("5",):  # samples are tried a moment later
            await wait_until(pilot, lambda: "less than" in shown(pilot.app.screen, "#preflight"))
            await settle(pilot)

    return before


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_screen(snap_compare, name: str, size: str) -> None:
    before = show(SCREENS[name], result=name == "results")
    assert snap_compare(app(), terminal_size=SIZES[size], run_before=before)


def test_sixteen_colours(snap_compare) -> None:
    before = show(SCREENS["attributes"])
    assert snap_compare(app("ansi-dark"), terminal_size=(80, 24), run_before=before)


def shown(screen: Screen[None], selector: str) -> str:
    return str(screen.query_one(selector, Static).content)


async def open_panel(pilot: Pilot[None], words: str, kind: type[Screen[None]]) -> None:
    await pilot.press("ctrl+p", *words)
    await settle(pilot)
    await pilot.press("enter")
    await wait_until(pilot, lambda: any(isinstance(one, kind) for one in pilot.app.screen_stack))
    await settle(pilot)


def sweep(*keys: str) -> Callable[[Pilot[None]], object]:
    """A finished sweep, with seconds that are the same on every machine."""

    async def before(pilot: Pilot[None]) -> None:
        await show(("7", "r"))(pilot)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: not screen.running and len(screen.points) == 14)
        known = {(point.algorithm, point.k): point for point in screen.points}
        pairs = [(name, k) for name in screen.algorithms for k in screen.ks]
        screen.points = tuple(replace(known[pair], seconds=pair[1] / 100) for pair in pairs)
        screen._began, screen._ended = 0.0, 1.0
        screen._draw()
        await pilot.press("down", "down", *keys)
        await settle(pilot)

    return before


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("figures", ["one", "all"])
def test_what_if(snap_compare, figures: str, size: str) -> None:
    before = sweep() if figures == "one" else sweep("V")
    assert snap_compare(app(), terminal_size=SIZES[size], run_before=before)


def test_what_if_in_sixteen_colours(snap_compare) -> None:
    assert snap_compare(app("ansi-dark"), terminal_size=(80, 24), run_before=sweep())


@pytest.mark.parametrize("size", SIZES)
def test_linking_attack(snap_compare, size: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await show((), result=True)(pilot)
        await open_panel(pilot, "linking", AttackScreen)
        await pilot.press(*"voters.csv", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseSeveral))
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("down", "down", "enter")
        await settle(pilot)

    made = app(file=find_sample("linking").project)
    assert snap_compare(made, terminal_size=SIZES[size], run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_feasibility(snap_compare, size: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: not screen.working and "reached" in shown(screen, "#note"))
        await pilot.press("shift+tab", "tab")
        screen.query_one("#p-attributes", Input).cursor_blink = False
        await pilot.pause()

    made = app(file=find_sample("datafly").project)
    assert snap_compare(made, terminal_size=SIZES[size], run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_decision_trees(snap_compare, size: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await show((), result=True)(pilot)
        await open_panel(pilot, "trees", PartitionScreen)
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PartitionScreen))
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found is not None and not screen.working)
        await settle(pilot)

    assert snap_compare(app(), terminal_size=SIZES[size], run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_compare(snap_compare, size: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await show(("6",), result=True)(pilot)
        session = session_of(pilot)
        other = replace(session.project, algorithm=AlgorithmChoice("mondrian"))
        made = conclude(start(other, task=session.task()), other)
        session.results.append(replace(made, seconds=0.1))
        pilot.app.host.session_changed()
        await settle(pilot)
        await pilot.press("C")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        await settle(pilot)

    assert snap_compare(app(), terminal_size=SIZES[size], run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_why(snap_compare, size: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await show(("6", "w"), result=True)(pilot)
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, WhyDialog))
        await settle(pilot)

    assert snap_compare(app(), terminal_size=SIZES[size], run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_start(snap_compare, size: str) -> None:
    made = KanonApp(None, theme="kanon-dark")
    assert snap_compare(made, terminal_size=SIZES[size])


def test_help(snap_compare) -> None:
    before = show(("2", "f1"))
    assert snap_compare(app(), terminal_size=(80, 24), run_before=before)


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
    made, number = app(file=find_sample(ALGORITHMS[algorithm].sample).project), WATCHED[algorithm]
    async with made.run_test(size=WATCHED_SIZES["160x45"]) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.edit(replace(session.project, algorithm=AlgorithmChoice(algorithm)), "algorithm")
        await show(("5",))(pilot)
        screen = made.screen
        await pilot.press("full_stop")  # from here on the run waits: there is nothing to settle
        for steps in range(1, number + 1):
            await wait_until(pilot, lambda: screen.live is not None)
            await wait_until(pilot, lambda steps=steps: screen.live.snapshot.steps == steps)
            if steps < number:
                await pilot.press("full_stop")
        screen.live.run.seconds = 0.0
        await wait_until(pilot, lambda: screen.live.snapshot.seconds == 0.0)
        for name, size in WATCHED_SIZES.items():
            await pilot.resize_terminal(*size)
            await wait_until(pilot, lambda size=size: made.size == size)
            screen._draw_live_view()
            await pilot.pause()
            shown = snapshot(name=name, extension_class=SVGImageExtension)
            assert made.export_screenshot() == shown
