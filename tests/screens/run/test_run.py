"""5 Run: choose, set up, start, step, pause, cancel, and what happens when nothing is found."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from random import Random

from textual.widgets import ContentSwitcher, Input, OptionList, Select, Static

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.pipeline.run import Result, Run, State, conclude
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import RunContext
from kanon_tui.screens.run.decision_log import in_short
from kanon_tui.screens.run.live_view import LiveView
from kanon_tui.screens.run.screen import RunScreen, of_algorithm
from kanon_tui.widgets.dialogs import Message
from tests.helpers import make_task
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.slow_threads import send_keys


async def open_run(pilot) -> RunScreen:
    await settle(pilot)
    await pilot.press("5")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, RunScreen)
    return screen


async def test_choosing_an_algorithm_is_an_edit_and_shows_its_form(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(100, 30)) as pilot:
        screen = await open_run(pilot)
        choices = screen.query_one("#algorithms", OptionList)
        assert choices.get_option_at_index(choices.highlighted).id == "datafly"
        choices.highlighted = choices.get_option_index("mondrian")
        await settle(pilot)
        assert session_of(pilot).project.algorithm.name == "mondrian"
        assert screen.query_one("#p-relaxed")
        assert "ready" in str(screen.query_one("#preflight", Static).content)
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).project.algorithm.name == "datafly"


async def test_a_key_held_down_in_the_list_of_algorithms(sample, make_app) -> None:
    """Fields come and go faster than they are mounted; the last algorithm has its own."""
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        random = Random(0)
        for _ in range(40):  # twice through the list, and on
            send_keys(pilot.app, "down")
            await asyncio.sleep(random.choice((0, 0, 0.001, 0.004, 0.015)))
        await settle(pilot)
        assert pilot.app.is_running
        shown = [entry.id for entry in screen.query("#parameters .field > *") if entry.id]
        fields, _ = of_algorithm(session_of(pilot).project)
        assert shown == [f"p-{field.name}" for field in fields]


async def test_k_is_checked_as_it_is_typed_and_taken_on_enter(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        await pilot.press("enter")  # from the list into the form
        field = screen.query_one("#p-k", Input)
        assert field.has_focus
        await pilot.press("backspace", "0")
        await pilot.pause()
        assert "at least 1" in str(screen.query_one("#privacy #form-error", Static).content)
        await pilot.press("backspace", "3", "enter")
        await settle(pilot)
        assert session_of(pilot).project.privacy.k == 3


async def test_a_requirement_beyond_k_is_typed_kept_undone_and_proven(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        screen.query_one("#p-l_distinct", Input).focus()
        await pilot.press("9", "enter")
        await settle(pilot)
        line = screen.query_one("#preflight", Static)
        assert "the whole table has only" in str(line.content)
        await pilot.press("backspace", "2", "tab")
        await settle(pilot)
        asked = (DistinctLDiversity(2, "diagnosis"),)
        assert session_of(pilot).project.privacy.requirements == asked
        assert "1 requirement beyond k" in str(line.content)
        screen.query_one("#algorithms").focus()
        await pilot.press("r")
        await wait_until(pilot, lambda: session_of(pilot).results)
        assert session_of(pilot).results[-1].measures.privacy.required[0].figure >= 2
        await pilot.press("5", "ctrl+z", "ctrl+z")
        await settle(pilot)
        assert session_of(pilot).project.privacy.requirements == ()


async def test_each_sensitive_attribute_has_its_own_requirements(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(100, 40)) as pilot:
        screen = await open_run(pilot)
        screen.query_one("#p-t_closeness", Input).focus()
        await pilot.press("0", ".", "3", "enter")
        await settle(pilot)
        screen.query_one("#p-attribute", Select).value = "diagnosis"
        await settle(pilot)
        assert screen.query_one("#p-t_closeness", Input).value == ""
        screen.query_one("#p-alpha", Input).focus()
        await pilot.press(".", "6", "enter")
        await settle(pilot)
        assert session_of(pilot).project.privacy.requirements == (
            TCloseness(0.3, "income"),
            AlphaKAnonymity(0.6, "diagnosis"),
        )


async def test_yes_and_no_are_words_and_are_taken_over(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        field = screen.query_one("#p-relaxed", Select)
        assert field.value is False
        field.focus()
        await pilot.press("enter", "down", "enter")
        await settle(pilot)
        assert field.value is True
        assert session_of(pilot).project.algorithm.params == {"relaxed": True}


async def test_a_run_ends_in_a_summary_that_stays_until_6(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await open_run(pilot)
        await pilot.press("r")
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        await settle(pilot)
        assert pilot.app.current_mode == "run"
        view = pilot.app.screen.query_one(LiveView)
        assert "6 shows the result" in str(view.query_one("#decision", Static).content)
        await pilot.press("6")
        assert pilot.app.current_mode == "results"
        assert session_of(pilot).results[0].measures.suppressed_records == 2


async def test_another_run_waits_for_the_proof_of_the_one_before(
    sample, make_app, monkeypatch
) -> None:
    proving = threading.Event()
    go_on = threading.Event()

    def conclude_a_large_table(run: Run, project: Project) -> Result:
        proving.set()
        go_on.wait(240)
        return conclude(run, project)

    monkeypatch.setattr("kanon_tui.screens.run.screen.conclude", conclude_a_large_table)
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        await pilot.press("r")
        await wait_until(pilot, proving.is_set)
        first = screen.live
        await pilot.press("r", "escape", "full_stop", "r")
        assert screen.live is first  # neither wiped nor replaced
        go_on.set()
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        await settle(pilot)
        await pilot.press("r")
        await wait_until(pilot, lambda: len(session_of(pilot).results) == 2)


async def test_step_by_step_shows_each_decision_and_then_the_result(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(100, 30)) as pilot:
        screen = await open_run(pilot)
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: screen.live is not None and screen.live.snapshot.steps == 1)
        await wait_until(
            pilot, lambda: "by zip" in str(screen.query_one("#decision", Static).content)
        )
        assert screen.query_one(ContentSwitcher).current == "live"
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: screen.live.snapshot.steps == 2)
        assert not session_of(pilot).results
        for _ in range(10):  # faster than one decision a second
            await pilot.press("greater_than_sign")
        await pilot.press("space")
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        assert pilot.app.current_mode == "run"  # the end is looked at where it was watched


async def test_cancel_keeps_the_best_string_so_far(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: screen.live is not None and screen.live.snapshot.steps == 1)
        while not screen.live.snapshot.counters.get("passed"):
            steps = screen.live.snapshot.steps
            await pilot.press("full_stop")
            await wait_until(pilot, lambda steps=steps: screen.live.snapshot.steps > steps)
        await pilot.press("c")
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        result = session_of(pilot).results[0]
        assert screen.live.run.state is State.CANCELLED
        assert any("not proven optimal" in note for note in result.notes)


async def test_cancel_before_anything_was_found_says_so(sample, make_app) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: screen.live is not None and screen.live.snapshot.steps == 1)
        await pilot.press("c")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Message))
        assert not session_of(pilot).results


async def test_a_project_that_cannot_run_says_why_before_it_starts(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        await pilot.press("enter", "backspace", *"99", "enter")
        await settle(pilot)
        line = str(screen.query_one("#preflight", Static).content)
        assert line.startswith("✗")
        assert "only 12 records" in line


def test_the_log_tells_tests_of_strings_in_short() -> None:
    columns = {"age": [30, 30, 40, 40], "ill": ["flu", "flu", "cold", "cold"]}
    task = make_task(columns, 2, {"ill": AttributeSpec(role=Role.SENSITIVE)})
    requirement = DistinctLDiversity(2, "ill")
    task = replace(task, privacy=replace(task.privacy, requirements=(requirement,)))
    told = [in_short(step) for step in Run(task, ALGORITHMS["global"](), RunContext(1))]
    assert "⟨2⟩ 4 with fewer than 2 distinct values of ill · RV 1" in told
    assert any(line.endswith("smallest class 4 · RV 0") for line in told)
    assert any(line.startswith("Drop") for line in told)


async def test_single_cells_are_hidden_where_the_form_asks_for_it(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_run(pilot)
        field = screen.query_one("#p-suppress", Select)
        field.focus()
        await settle(pilot)
        assert "single cells" in str(screen.query_one("#privacy #form-help", Static).content)
        field.value = "cells"
        await settle(pilot)
        assert session_of(pilot).project.privacy.suppress == "cells"
        await pilot.press("escape", "r")
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        await settle(pilot)
        assert session_of(pilot).results[0].task.privacy.suppress == "cells"
        await pilot.press("5", "ctrl+z")
        await settle(pilot)
        assert session_of(pilot).project.privacy.suppress == "records"
