"""The panel of the attack suite."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.screens.analyses.attacks import AttacksScreen
from kanon_tui.widgets.dialogs import Choose, ChooseSeveral
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.analyses.helpers import SIZE, open_panel, release_it, said, small_census
from tests.screens.conftest import wait_until


async def test_all_attacks_then_one_kind_beside_people_who_were_not_in_the_data(
    sample, make_app
) -> None:
    project: Path = small_census(sample("census"))
    others = project.with_name("others.csv")
    lines = project.with_name("census.csv").read_text().splitlines(keepends=True)
    others.write_text("".join(lines[:51]))
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "attacks", AttacksScreen)
        screen = pilot.app.screen
        await wait_until(pilot, lambda: bool(screen.found) and not screen.working)
        told = said(screen, "#figures")
        for each in screen.found[0].attacks:
            assert f"{each.rate:.1%}" in told
            assert each.title in told
        await pilot.press("e")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskPath))
        await pilot.press(*"others.csv", "enter")
        await wait_until(pilot, lambda: "beside 50 others" in said(screen, "#status"))
        assert any(each.control_rate is not None for each in screen.found[0].attacks)
        await pilot.press("t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("down", "down", "enter")  # downcoding
        await wait_until(
            pilot, lambda: {each.kind for each in screen.found[0].attacks} == {"downcoding"}
        )
        await pilot.press("c")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseSeveral))
        await pilot.press("space", "enter")
        await wait_until(pilot, lambda: len(screen.found) == 2 and not screen.working)
        assert "Side by side" in said(screen, "#figures")
        assert screen.options["counter_measures"][0] in said(screen, "#status")
        for run in screen.found:
            assert f"{run.attacks[0].rate:.1%}" in said(screen, "#figures")
        await pilot.press("r")
        await wait_until(pilot, lambda: "Remedies" in said(screen, "#figures"))
        assert "Homogeneity" in said(screen, "#figures")
