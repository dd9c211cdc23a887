"""What stands in the fields is what runs, however fast it was typed; what does not fit, nothing."""

from __future__ import annotations

from textual.widgets import ContentSwitcher, Input, Select, Static

from kanon_tui.core.project.project import Project
from kanon_tui.screens.analyses.generic import panel_of
from kanon_tui.screens.run.screen import RunScreen
from kanon_tui.widgets.bars import StepBar
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.slow_threads import send_keys, slow_down


async def test_k_typed_and_started_in_one_packet_is_the_k_that_runs(
    sample, make_app, monkeypatch
) -> None:
    slow_down(seed=1)
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        send_keys(pilot.app, "5", "enter", "4", "ctrl+r")
        await wait_until(pilot, lambda: session_of(pilot).results)
        assert session_of(pilot).results[-1].task.k == 4
        assert session_of(pilot).project.privacy.k == 4
        await settle(pilot)
        assert pilot.app.screen.query_one(StepBar).k == "k=4"
        await pilot.press("escape")
        await settle(pilot)
        screen = pilot.app.screen
        screen.query_one("#p-relaxed", Select).focus()
        send_keys(pilot.app, "enter", "down", "enter", "ctrl+r")
        await wait_until(pilot, lambda: len(session_of(pilot).results) == 2)
        assert session_of(pilot).results[-1].algorithm.relaxed is True


async def test_nothing_starts_while_a_field_does_not_fit(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5", "enter", *"6r")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, RunScreen)
        for keys in (["ctrl+r"], ["shift+tab", "r"], ["shift+tab", "full_stop"]):
            await pilot.press(*keys)
            await settle(pilot)
            assert screen.live is None
            assert screen.query_one("#p-k", Input).has_focus
            error = screen.query_one("#privacy #form-error", Static)
            assert "6r" in str(error.content)
            assert screen.region.contains_region(error.region)
        await pilot.press("6", "ctrl+r")  # it is selected: typing replaces it
        await wait_until(pilot, lambda: session_of(pilot).results)
        assert session_of(pilot).results[-1].task.k == 6
        await settle(pilot)
        await pilot.press("5")  # the finished run is shown, the fields are behind it
        await settle(pilot)
        screen.query_one("#p-k", Input).value = "none"
        await pilot.press("r")
        await settle(pilot)
        assert screen.query_one(ContentSwitcher).current == "setup"
        assert screen.query_one("#p-k", Input).has_focus
        assert len(session_of(pilot).results) == 1


async def test_what_is_typed_is_saved_and_survives_another_screen(sample, make_app) -> None:
    path = sample("mondrian")
    async with make_app(path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5", "enter", "6", "ctrl+s")
        await settle(pilot)
        assert Project.load(path).privacy.k == 6
        await pilot.press("home", "delete", "7", "alt+7")
        await settle(pilot)
        assert pilot.app.current_mode == "what-if"
        assert session_of(pilot).project.privacy.k == 7
        pilot.app.push_screen(panel_of("feasibility"))
        await settle(pilot)
        await pilot.press("end", "x", "tab")
        pilot.app.screen.action_ask_again()
        await settle(pilot)
        assert pilot.app.screen.query_one("#p-attributes", Input).has_focus
