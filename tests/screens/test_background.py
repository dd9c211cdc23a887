"""Work in threads: whose answer is delivered, and whose is not; dialogs that close once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from kanon_tui.app import KanonApp
from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.screens import opening
from kanon_tui.screens.hierarchies.screen import HierarchiesScreen
from kanon_tui.screens.hierarchies.view import BuilderDialog
from kanon_tui.screens.opening import open_file
from kanon_tui.screens.results.screen import WhyDialog
from kanon_tui.services.host import Loading
from kanon_tui.widgets.dialogs import AskText, Confirm, Message
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import has_failed, session_of, settle, wait_until
from tests.screens.slow_threads import send_keys, slow_down


class HeldWork:
    """Work that does not end before it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self._gate = threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        self._gate.wait(60)
        return "done"

    def let_go(self) -> None:
        self._gate.set()


@pytest.fixture
def held() -> Iterator[Callable[[], HeldWork]]:
    """Makes work that is let go at the end of a test, whatever happens."""
    made: list[HeldWork] = []

    def make() -> HeldWork:
        made.append(HeldWork())
        return made[-1]

    yield make
    for work in made:
        work.let_go()


@contextmanager
def under_way(app: KanonApp, work: HeldWork, owner, answers: list[str], group="test", **more):
    app.host.background.compute(owner, work, answers.append, group=group, **more)
    yield
    work.let_go()


async def test_an_answer_comes_while_its_owner_is_there(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        work = held()
        answers = []
        with under_way(pilot.app, work, pilot.app.screen, answers):
            await wait_until(pilot, work.begun.is_set)
            assert answers == []
        await settle(pilot)
        assert answers == ["done"]


async def test_no_answer_for_a_dialog_that_was_closed(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        app = pilot.app
        work = held()
        answers = []
        dialog = AskText("A question")
        app.push_screen(dialog)
        await settle(pilot)
        with under_way(app, work, dialog, answers):
            await wait_until(pilot, work.begun.is_set)
            dialog.dismiss(None)
        await settle(pilot)
        assert answers == []


async def test_no_answer_for_a_widget_that_was_removed(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        work = held()
        answers = []
        line = Static("a line")
        await pilot.app.screen.mount(line)
        with under_way(pilot.app, work, line, answers):
            await wait_until(pilot, work.begun.is_set)
            await line.remove()
        await settle(pilot)
        assert answers == []


async def test_a_failure_of_a_closed_dialog_is_not_shown(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        app = pilot.app
        work = held()
        dialog = AskText("A question")
        app.push_screen(dialog)
        await settle(pilot)
        app.host.background.compute(dialog, lambda: work() and 1 / 0, print, group="test")
        await wait_until(pilot, work.begun.is_set)
        dialog.dismiss(None)
        work.let_go()
        await settle(pilot)
        assert not isinstance(app.screen, Message)


async def test_only_the_newest_of_a_group_is_delivered(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        app = pilot.app
        older = held()
        newer = held()
        answers = []
        with under_way(app, older, app.screen, answers):
            await wait_until(pilot, older.begun.is_set)
            app.host.background.compute(
                app.screen, newer, lambda _: answers.append("newer"), group="test"
            )
            newer.let_go()
            await settle(pilot)
        await settle(pilot)
        assert answers == ["newer"]


async def test_a_job_takes_away_only_its_own_loading_mark(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        app = pilot.app
        long = held()
        short = held()
        answers = []
        start = app.screen
        with under_way(app, long, app, answers, group="long", covers=start):
            await wait_until(pilot, lambda: start.loading)
            with under_way(app, short, app, answers, group="short"):
                await wait_until(pilot, short.begun.is_set)
            await wait_until(pilot, lambda: answers == ["done"])
            assert start.loading
        await settle(pilot)
        assert not start.loading


async def test_a_replaced_job_takes_its_loading_mark_with_it(make_app, held) -> None:
    async with make_app().run_test() as pilot:
        app = pilot.app
        older = held()
        answers = []
        with under_way(app, older, app, answers, covers=app.screen):
            await wait_until(pilot, lambda: app.screen.loading)
            app.host.background.compute(app, lambda: "newer", answers.append, group="test")
            await wait_until(pilot, lambda: answers == ["newer"])
            assert not app.screen.loading


async def test_an_answer_given_twice_in_one_packet_is_heard_once(make_app) -> None:
    async with make_app().run_test() as pilot:
        answers: list[object] = []
        pilot.app.push_screen(Confirm("A question", "?"), answers.append)
        await settle(pilot)
        send_keys(pilot.app, "y", "y", "n", "escape")
        await settle(pilot)
        assert answers == [True]
        assert len(pilot.app.screen_stack) == 1


async def test_an_answered_dialog_under_another_closes_when_it_comes_to_the_front(make_app) -> None:
    async with make_app().run_test() as pilot:
        app = pilot.app
        answers = []
        below = Confirm("Below", "?")
        above = Message("Above", "text")
        app.push_screen(below, answers.append)
        app.push_screen(above)
        await settle(pilot)
        below.dismiss(True)
        await settle(pilot)
        assert app.screen is above
        send_keys(app, "escape")
        await settle(pilot)
        assert len(app.screen_stack) == 1
        assert answers == [True]


async def test_a_dialog_that_is_closed_while_it_is_built_closes_once_it_is_there(make_app) -> None:
    async with make_app().run_test() as pilot:
        answers: list[object] = []
        dialog = AskText("A question")
        pilot.app.push_screen(dialog, answers.append)
        dialog.dismiss("early")
        assert dialog in pilot.app.screen_stack
        await settle(pilot)
        assert answers == ["early"]
        assert len(pilot.app.screen_stack) == 1


async def test_a_question_that_comes_late_waits_where_it_was_asked(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test() as pilot:
        await settle(pilot)
        data = pilot.app.screen
        await pilot.press("2")
        await settle(pilot)
        pilot.app.host.background.ask(data, Confirm("Late", "?"), lambda _: None)
        await settle(pilot)
        assert pilot.app.current_mode == "attributes"
        assert not isinstance(pilot.app.screen, Confirm)
        await pilot.press("1")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Confirm)


async def test_another_session_closes_the_dialogs_of_the_one_before(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("3")
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        assert isinstance(pilot.app.screen, BuilderDialog)
        open_file(pilot.app.host, sample("locations"))
        await settle(pilot)
        assert session_of(pilot).project.name == "locations"
        await pilot.press("3")
        await settle(pilot)
        assert isinstance(pilot.app.screen, HierarchiesScreen)


async def test_what_was_found_for_one_session_is_not_told_to_the_next(
    sample, make_app, held
) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        work = held()
        answers = []
        screen = pilot.app.screen
        screen.compute(work, answers.append, group="test")
        await wait_until(pilot, work.begun.is_set)
        pilot.app.host.replace_session(session_of(pilot).reread(session_of(pilot).project.data))
        work.let_go()
        await settle(pilot)
        assert answers == []


async def test_the_preview_of_a_builder_may_come_after_it_was_closed(
    sample, make_app, monkeypatch
) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("3")
        await settle(pilot)
        slow_down(seed=1, longest=0.1)
        for _ in range(5):
            send_keys(pilot.app, "b", "down", "9", "escape", "escape")
            await settle(pilot)


async def test_keys_typed_ahead_wait_for_the_dialog(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        send_keys(pilot.app, "ctrl+o", "tab", "x")
        await settle(pilot)
        assert pilot.app.screen.query_one(Input).value.endswith("x")


async def test_the_algorithm_list_with_the_arrow_held_down(sample, make_app, monkeypatch) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        slow_down(seed=2)
        send_keys(pilot.app, *["down"] * 20, *["up"] * 7, "enter", "tab", "9")
        await settle(pilot)
        chosen = session_of(pilot).project.algorithm.name
        assert pilot.app.screen.query_one("#algorithms").highlighted_option.id == chosen


async def test_an_unexpected_end_says_so_and_gives_another_exit_code(
    sample, make_app, capsys
) -> None:
    app = make_app(sample("datafly"))

    async def end_in_an_unexpected_way() -> None:
        async with app.run_test() as pilot:
            await settle(pilot)
            app.host.background.compute(app, lambda: 0, lambda zero: 1 / zero, group="test")
            await wait_until(pilot, lambda: has_failed(app))

    with pytest.raises(ZeroDivisionError):
        await end_in_an_unexpected_way()
    assert app.return_code == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "unexpected ZeroDivisionError in test_background.py" in said


@pytest.fixture
def slow_opening(held, monkeypatch) -> HeldWork:
    """Files are opened when it is let go."""
    work: HeldWork = held()

    def open_slowly(path: Path) -> Session:
        work()
        return open_session(path)

    monkeypatch.setattr(opening, "open_session", open_slowly)
    return work


async def test_keys_wait_for_the_file_that_is_being_opened(make_app, slow_opening, sample) -> None:
    async with make_app(sample("patients")).run_test() as pilot:
        await wait_until(pilot, slow_opening.begun.is_set)
        send_keys(pilot.app, "2", "down")
        slow_opening.let_go()
        await settle(pilot)
        assert pilot.app.current_mode == "attributes"
        assert pilot.app.screen.query_one("#attributes", Grid).row == 1


async def test_keys_for_a_file_that_could_not_be_opened_are_dropped(
    make_app, slow_opening, tmp_path
) -> None:
    async with make_app(tmp_path / "none.csv").run_test() as pilot:
        await wait_until(pilot, slow_opening.begun.is_set)
        send_keys(pilot.app, "enter")
        slow_opening.let_go()
        await settle(pilot)
        assert isinstance(pilot.app.screen, Message)  # enter would have closed it


async def test_somebody_may_leave_while_a_file_is_opened(make_app, held, tmp_path) -> None:
    async with make_app().run_test() as pilot:
        work = held()
        answers = []
        with under_way(pilot.app, work, pilot.app, answers, covers=pilot.app.screen):
            await wait_until(pilot, work.begun.is_set)
            send_keys(pilot.app, "q")
            await wait_until(pilot, lambda: not pilot.app.is_running)
        assert answers == []


async def test_keys_wait_below_a_loading_mark_for_the_dialog_that_is_made(
    sample, make_app, held
) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app = pilot.app
        screen = pilot.app.screen
        work = held()
        late = held()
        failing = held()
        shown: list[Explanation] = []

        def show(why: Explanation) -> None:
            shown.append(why)
            screen.ask(WhyDialog(why))

        def waits() -> bool:
            return isinstance(app.screen, Loading) and app.screen.loading

        screen.load(lambda: Explanation("Why?", "of this", (work(),)), show)
        await wait_until(pilot, waits)
        send_keys(app, "down", "enter")  # enter closes it, once it can be read
        await wait_until(pilot, lambda: app.typed_keys.waiting == 2)
        assert not shown
        work.let_go()
        await wait_until(pilot, lambda: app.screen is screen)
        assert shown[0].facts == ("done",)
        screen.load(lambda: Explanation("Why?", late()), show)
        await wait_until(pilot, waits)
        send_keys(app, "escape")
        await wait_until(pilot, lambda: app.screen is screen)
        late.let_go()
        screen.load(lambda: 1 / len(failing()[4:]), show)
        await wait_until(pilot, failing.begun.is_set)
        send_keys(app, "2")  # meant for what does not open
        failing.let_go()
        await wait_until(pilot, lambda: isinstance(app.screen, Message))
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is screen
        assert len(shown) == 1
