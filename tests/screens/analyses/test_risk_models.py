"""The panel with prosecutor, journalist and marketer risk, uniques, k-map and presence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.core.editing.changes import staleness
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.table.column import Role
from kanon_tui.screens.analyses.risk_models import RiskModelsScreen
from kanon_tui.screens.opening import open_file
from kanon_tui.widgets.dialogs import AskText, Choose
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.analyses.helpers import SIZE, open_panel, release_it, said, small_census
from tests.screens.conftest import session_of, settle, wait_until


async def panel_of(pilot) -> RiskModelsScreen:
    await pilot.press("6")
    await settle(pilot)
    await pilot.press("M")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, RiskModelsScreen))
    screen = pilot.app.screen
    await wait_until(pilot, lambda: screen.found is not None and not screen.working)
    return screen


async def answer(pilot, key: str, dialog: type, text: str) -> None:
    await pilot.press(key)
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, dialog))
    pilot.app.screen.query_one("Input").value = text
    await pilot.press("enter")


def with_weights(project: Path) -> Path:
    """A column of weights that is no quasi-identifier: everybody stands for eight."""
    data = project.with_name("census.csv")
    first, *lines = data.read_text().splitlines()
    data.write_text("\n".join([f"{first},weight", *(f"{line},8" for line in lines)]) + "\n")
    return project


async def test_a_typed_population_lowers_the_risk_of_journalist_and_marketer(
    sample, make_app
) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await panel_of(pilot)
        privacy = session_of(pilot).results[0].measures.privacy
        before = screen.found.models
        assert before["prosecutor"].highest == before["journalist"].highest == privacy.risk_max
        assert before["marketer"].average == pytest.approx(privacy.risk_mean)
        assert "population: not known" in said(screen, "#figures")
        await answer(pilot, "p", AskText, "399")  # fewer than the release has: enter waits
        await settle(pilot)
        assert "it is a part of it" in said(pilot.app.screen, "#error")
        pilot.app.screen.query_one("Input").value = "4,000"
        await pilot.press("enter")
        await wait_until(pilot, lambda: screen.found.by == "size" and not screen.working)
        after = screen.found.models
        assert after["prosecutor"] == before["prosecutor"]
        assert after["journalist"].highest == pytest.approx(privacy.risk_max / 10)
        assert after["marketer"].average == pytest.approx(privacy.risk_mean / 10)
        told = said(screen, "#figures")
        for words in ("population of 4,000", "unique here: 0", "simple random sample", "Zayatz"):
            assert words in told
        assert "population of 4,000" in said(screen, "#status")
        await answer(pilot, "t", AskText, "0.01")
        await wait_until(pilot, lambda: screen.found.threshold == 0.01 and not screen.working)
        assert screen.found.by == "size"  # what is known of the population stays
        assert "above 0.01" in said(screen, "#figures")


async def test_weights_and_a_population_table_by_what_was_said_last(sample, make_app) -> None:
    project = with_weights(small_census(sample("census")))
    data = project.with_name("census.csv")
    everybody = project.with_name("everybody.csv")
    first, *lines = data.read_text().splitlines()
    everybody.write_text("\n".join([first, *lines, *lines, *lines]) + "\n")
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await panel_of(pilot)
        highest = screen.found.models["prosecutor"].highest
        await pilot.press("c")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        listed = pilot.app.screen.query_one("OptionList")
        names = [str(option.prompt) for option in listed.options]
        assert names[-1] == "age"  # numbers alone, quasi-identifiers last
        assert "sex" not in names
        listed.highlighted = names.index("weight")
        await pilot.press("enter")
        await wait_until(pilot, lambda: screen.found.by == "weights" and not screen.working)
        assert screen.found.population == 8 * 400
        assert screen.found.models["journalist"].highest == pytest.approx(highest / 8)
        await answer(pilot, "e", AskPath, str(everybody))
        await wait_until(pilot, lambda: screen.found.by == "table" and not screen.working)
        assert screen.found.population == 3 * 400
        assert screen.found.presence.k_map >= 3 * session_of(pilot).results[0].measures.privacy.k
        assert "k-map: every row fits at least" in said(screen, "#figures")
        assert "everybody.csv" in said(screen, "#status")


async def test_what_was_said_of_the_population_is_kept_for_the_session(sample, make_app) -> None:
    project = with_weights(small_census(sample("census")))
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await panel_of(pilot)
        await pilot.press("c")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        listed = pilot.app.screen.query_one("OptionList")
        listed.highlighted = [str(option.prompt) for option in listed.options].index("weight")
        await pilot.press("enter")
        await wait_until(pilot, lambda: screen.found.by == "weights" and not screen.working)
        await answer(pilot, "t", AskText, "0.01")
        await wait_until(pilot, lambda: screen.found.threshold == 0.01 and not screen.working)
        await pilot.press("escape")
        await settle(pilot)
        screen = await panel_of(pilot)
        assert (screen.found.by, screen.found.threshold) == ("weights", 0.01)
        assert "weights weight" in said(screen, "#status")
        await pilot.press("escape")
        assert not staleness(session_of(pilot).results[0], session_of(pilot).project)
        await pilot.press("ctrl+s")
        await settle(pilot)
        open_file(pilot.app.host, project)  # another session begins with what the project knows
        await settle(pilot)
        assert session_of(pilot).attribute("weight").role is Role.WEIGHT
        await release_it(pilot)
        assert "weight" not in session_of(pilot).results[0].columns
        screen = await panel_of(pilot)
        assert (screen.found.by, screen.found.threshold) == ("weights", 0.2)


async def test_a_population_that_nobody_said_is_not_kept(sample, make_app) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await panel_of(pilot)
        await pilot.press("escape")
        session = session_of(pilot)
        bound = RiskBound(model="journalist", max=0.5, population=8000)
        privacy = replace(session.project.privacy, risk=bound)
        session.results.append(anonymize(replace(session.project, privacy=privacy), session.table))
        pilot.app.host.session_changed()
        screen = await panel_of(pilot)
        assert (screen.found.by, screen.found.population) == ("size", 8000)


async def test_a_file_of_something_else_is_refused_and_the_figures_stay(
    sample, make_app, tmp_path
) -> None:
    (tmp_path / "other.csv").write_text("colour\nred\n")
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await panel_of(pilot)
        before = screen.found
        await answer(pilot, "e", AskPath, str(tmp_path / "other.csv"))
        await wait_until(pilot, lambda: bool(pilot.app.screen.query("#text")))
        assert "other.csv has no column" in said(pilot.app.screen, "#text")
        await pilot.press("escape")
        assert screen.found is before
        assert "p types the size" in said(screen, "#status")


async def test_it_begins_with_the_population_of_the_project(sample, make_app) -> None:
    project = small_census(sample("census"))
    asked = "privacy: {risk: {model: journalist, max: 0.5, population: 8000}, "
    project.write_text(project.read_text().replace("privacy: {", asked))
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await panel_of(pilot)
        assert (screen.found.by, screen.found.population) == ("size", 8000)


async def test_without_a_release_it_says_so(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "risk models", RiskModelsScreen)
        assert "there is no release yet" in said(pilot.app.screen, "#status")
        await pilot.press("p", "c", "e", "t")
        await settle(pilot)
        assert isinstance(pilot.app.screen, RiskModelsScreen)
