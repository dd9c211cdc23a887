"""The panel that checks a release against an earlier one of the same people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.screens.analyses.rerelease import RereleaseScreen
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.analyses.helpers import SIZE, open_panel, release_it, said, small_census
from tests.screens.conftest import session_of, settle, wait_until


def published_before(pilot, algorithm: str, path: Path) -> None:
    session = session_of(pilot)
    project = replace(session.project, algorithm=AlgorithmChoice(algorithm))
    anonymize(project, session.table).write(path)


async def choose_file(pilot, path: Path) -> None:
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskPath))
    pilot.app.screen.query_one("Input").value = str(path)
    await pilot.press("enter")


async def test_an_unsafe_release_is_told_and_repaired(sample, make_app, tmp_path) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        published_before(pilot, "k-member", tmp_path / "old.csv")
        await pilot.press("6")
        await settle(pilot)
        await pilot.press("B")
        await choose_file(pilot, tmp_path / "old.csv")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, RereleaseScreen))
        screen = pilot.app.screen
        await wait_until(pilot, lambda: screen.found is not None and not screen.working)
        before = screen.found
        assert before.below_k > 0
        assert f"✗ Together with old.csv {before.below_k:,} are left" in said(screen, "#figures")
        await pilot.press("g", "g")  # twice is once
        await wait_until(pilot, lambda: "everybody keeps k" in said(screen, "#figures"))
        await settle(pilot)
        unsafe, repaired = session_of(pilot).results
        assert screen.found.below_k == 0
        assert repaired.measures.ncp > unsafe.measures.ncp
        cost = f"NCP {repaired.measures.ncp:.4f} instead of {unsafe.measures.ncp:.4f}"
        assert cost in " ".join(said(screen, "#figures").split())
        assert screen.check_action("repair", ()) is False
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen.result is repaired  # what is exported


async def test_a_release_beside_itself_is_safe(sample, make_app, tmp_path) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        session_of(pilot).results[0].write(tmp_path / "same.csv")
        await open_panel(pilot, "earlier", RereleaseScreen)
        await choose_file(pilot, tmp_path / "same.csv")
        screen = next(s for s in pilot.app.screen_stack if isinstance(s, RereleaseScreen))
        await wait_until(pilot, lambda: "✓ Together with same.csv" in said(screen, "#figures"))
        await pilot.press("g")
        await settle(pilot)
        assert len(session_of(pilot).results) == 1


async def test_a_file_of_something_else_is_refused(sample, make_app, tmp_path) -> None:
    (tmp_path / "other.csv").write_text("colour\nred\n")
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "earlier", RereleaseScreen)
        await choose_file(pilot, tmp_path / "other.csv")
        await wait_until(pilot, lambda: "none of the quasi" in said_in_front(pilot))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, RereleaseScreen))
        status = said(pilot.app.screen, "#status")
        assert "e chooses the file" in status  # the file that does not fit is not kept


def said_in_front(pilot) -> str:
    return " ".join(str(each.content) for each in pilot.app.screen.query("#text"))


async def test_without_a_release_it_says_so(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "earlier", RereleaseScreen)
        assert "there is no release yet" in said(pilot.app.screen, "#status")
        await pilot.press("e", "g")
        await settle(pilot)
        assert isinstance(pilot.app.screen, RereleaseScreen)
