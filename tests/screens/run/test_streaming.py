"""Screen 5 runs a table beyond memory in passes, into a file that is asked for first."""

from __future__ import annotations

import os

from textual.widgets import ContentSwitcher, Input, Static

from kanon_tui.core.pipeline import stream as engine
from kanon_tui.core.pipeline.run import State
from kanon_tui.core.pipeline.stream import PASSES, WatchedStream
from kanon_tui.screens.run.live_view import PassesView
from kanon_tui.screens.run.screen import RunScreen
from kanon_tui.widgets.dialogs import Confirm, Message
from kanon_tui.widgets.path_dialog import AskPath
from tests.core.pipeline.compared import in_memory
from tests.core.pipeline.test_stream import project
from tests.screens.conftest import session_of, settle, wait_until
from tests.screens.streamed import ask_to_run, run_into, write_project
from tests.waiting import wait_until as wait


def face(screen) -> str:
    return screen.query_one(ContentSwitcher).current


def inputs(folder) -> set[str]:
    return set(os.listdir(folder)) - {"state"}


async def test_the_release_is_the_one_of_memory_and_what_is_there_is_asked_about(
    tmp_path, make_app
) -> None:
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await ask_to_run(pilot)
        assert asked.query_one(Input).value == str(tmp_path / "people-anonymised.parquet")
        for wrong, said in (
            (tmp_path / "in.csv", "is read by this run"),
            (tmp_path / "out.xlsx", "only CSV, TSV and Parquet"),
            (tmp_path / "nowhere" / "out.csv", "does not exist"),
        ):
            app.screen.query_one(Input).value = str(wrong)
            await pilot.press("enter")
            await settle(pilot)
            assert said in str(app.screen.query_one("#problem", Static).content)
        await pilot.press("escape")
        await settle(pilot)
        assert face(app.screen) == "setup"
        result = await run_into(pilot, tmp_path / "out.csv")
        assert isinstance(app.screen, RunScreen)
        in_memory(project(tmp_path / "in.csv"), tmp_path / "memory.csv")
        assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "memory.csv").read_bytes()
        assert result.files[0].path == tmp_path / "out.csv"
        await ask_to_run(pilot)
        app.screen.query_one(Input).value = str(tmp_path / "out.csv")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, Confirm))
        text = " ".join(str(part.content) for part in app.screen.query(Static))
        assert "out.csv exists already and holds run 1: mondrian k=3." in text
        await pilot.press("escape")
        await settle(pilot)
        result.files[0].check()


async def test_what_does_not_stream_is_said_before_anything_is_read(
    tmp_path, make_app, monkeypatch
) -> None:
    app = make_app(write_project(tmp_path, algorithm={"name": "k-member"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        line = str(app.screen.query_one("#preflight", Static).content)
        assert "k-member works on records" in line
        assert "mondrian" in line
        assert "--engine" not in line
        await pilot.press("r")
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        assert inputs(tmp_path) == {"in.csv", "people.yaml"}


async def test_cancelling_in_any_pass_leaves_nothing(tmp_path, make_app, monkeypatch) -> None:
    """A pass waits until `c` was pressed in it; the next run begins as if there had been none."""
    app = make_app(write_project(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        for where in PASSES:
            await ask_to_run(pilot)
            run_screen = next(s for s in app.screen_stack if isinstance(s, RunScreen))
            with monkeypatch.context() as patch:
                held = hold(patch, where)
                app.screen.query_one(Input).value = str(tmp_path / "out.parquet")
                await pilot.press("enter")
                await wait_until(pilot, lambda held=held: held.there)
                stream = run_screen.stream
                if where == "search":
                    # In the search `c` keeps the best so far; what leaves nothing is leaving.
                    stream.stop()
                else:
                    await pilot.press("c")
                assert stream.stopping, where
                held.go_on = True
                await wait_until(pilot, lambda stream=stream: stream.over)
                await settle(pilot)
            assert inputs(tmp_path) == {"in.csv", "people.yaml"}, where
            assert not session_of(pilot).results, where
            assert isinstance(app.screen, RunScreen), where
            assert not run_screen._at_work, where
        await run_into(pilot, tmp_path / "out.parquet")


class Held:
    """A pass that waits."""

    there = go_on = False


def hold(monkeypatch, where) -> Held:
    held, note = Held(), WatchedStream._note

    def noted(self, what, share):
        note(self, what, share)
        if what == where and not held.go_on:
            held.there = True
            wait(lambda: held.go_on)

    monkeypatch.setattr(WatchedStream, "_note", noted)
    return held


async def test_leaving_in_the_middle_leaves_nothing(tmp_path, make_app, monkeypatch) -> None:
    app = make_app(write_project(tmp_path))
    held = hold(monkeypatch, "write")
    async with app.run_test(size=(80, 24)) as pilot:
        await ask_to_run(pilot)
        app.screen.query_one(Input).value = str(tmp_path / "out")
        await pilot.press("enter")
        await wait_until(pilot, lambda: held.there)
        assert [name for name in os.listdir(tmp_path) if name.endswith(".part")]
        app.exit()
        held.go_on = True
    # The thread tidies up; a process that ends waits for it.
    wait(lambda: inputs(tmp_path) == {"in.csv", "people.yaml"})


async def test_the_search_is_watched_step_by_step_and_the_passes_before_it(
    tmp_path, make_app, monkeypatch
) -> None:
    app = make_app(write_project(tmp_path))
    held = hold(monkeypatch, "count tuples")
    async with app.run_test(size=(80, 24)) as pilot:
        await ask_to_run(pilot, "full_stop")
        screen = next(s for s in app.screen_stack if isinstance(s, RunScreen))
        app.screen.query_one(Input).value = str(tmp_path / "out.csv")
        await pilot.press("enter")
        await wait_until(pilot, lambda: held.there)
        await wait_until(
            pilot, lambda: "▶ count combinations" in str(screen.query_one(PassesView).content)
        )
        assert face(screen) == "passes"
        assert "✓ count values" in str(screen.query_one(PassesView).content)
        held.go_on = True
        await wait_until(pilot, lambda: face(screen) == "live" and screen.live.snapshot.steps == 1)
        assert "pass 4 of 8: search → out.csv" in str(screen.query_one("#pass", Static).content)
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: screen.live.snapshot.steps == 2)
        await pilot.press("c")
        await wait_until(pilot, lambda: session_of(pilot).results)
        await settle(pilot)
        assert screen.live.run.state is State.CANCELLED
        assert (tmp_path / "out.csv").exists()
        assert isinstance(app.screen, RunScreen)
        assert not screen.query_one("#pass").has_class("-shown")


async def test_an_error_while_it_runs_is_a_sentence(tmp_path, make_app, monkeypatch) -> None:
    app = make_app(write_project(tmp_path))

    def broken(*_, **__):
        raise ValueError("secret value")

    monkeypatch.setattr(engine, "conclude", broken)
    async with app.run_test(size=(80, 24)) as pilot:
        await ask_to_run(pilot)
        app.screen.query_one(Input).value = str(tmp_path / "out.csv")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        text = " ".join(str(part.content) for part in app.screen.query(Static))
        assert "ValueError" in text
        assert "secret" not in text
        assert not isinstance(app.screen, AskPath)


async def test_a_scheduler_of_the_project_is_agreed_to_once(tmp_path, make_app) -> None:
    there = {"engine": "dask", "scheduler": "tls://elsewhere:8786"}
    app = make_app(write_project(tmp_path, run=there))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        for answer in "ny":
            await settle(pilot)
            await pilot.press("r")
            await wait_until(pilot, lambda: isinstance(app.screen, Confirm))
            assert "tls://elsewhere:8786" in str(app.screen.query(Static).last().content)
            await pilot.press(answer)
            await wait_until(pilot, lambda: not isinstance(app.screen, Confirm))
            assert isinstance(app.screen, AskPath if answer == "y" else RunScreen)
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, RunScreen))
        await ask_to_run(pilot)


async def test_a_scheduler_without_tls_is_for_the_command_line(tmp_path, make_app) -> None:
    there = {"engine": "dask", "scheduler": "tcp://elsewhere:8786"}
    app = make_app(write_project(tmp_path, run=there))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("r")
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        text = " ".join(str(part.content) for part in app.screen.query(Static))
        assert "tcp://elsewhere:8786" in text
        assert "--insecure" in text
