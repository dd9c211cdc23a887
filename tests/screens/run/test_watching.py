"""Watching a run: back and forth, jumps, bookmarks, panes and pictures, by the keyboard alone."""

from __future__ import annotations

from threading import Event

from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.run import State
from kanon_tui.core.teaching.picture import Picture
from kanon_tui.screens.run import screen as run_screen
from kanon_tui.screens.run.decision_log import TimelineBar
from kanon_tui.screens.run.live_view import LiveView
from kanon_tui.screens.run.screen import RunScreen
from kanon_tui.widgets.bars import StepBar
from kanon_tui.widgets.dialogs import AskText, Choose, Message
from kanon_tui.widgets.picture_view import PictureView, picture_text
from tests.screens.conftest import session_of, settle, wait_until


async def watch(pilot: Pilot[None], steps: int) -> LiveView:
    """Step by step through so many decisions."""
    await settle(pilot)
    await pilot.press("5")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, RunScreen)
    view = screen.query_one(LiveView)
    for number in range(1, steps + 1):
        await pilot.press("full_stop")
        await wait_until(
            pilot, lambda number=number: view.live and view.live.snapshot.steps == number
        )
    await wait_until(pilot, lambda: view.playhead.number == steps)
    view.draw()
    return view


async def to_the_end(pilot: Pilot[None], view: LiveView) -> None:
    for _ in range(10):
        await pilot.press("greater_than_sign")
    await pilot.press("space")
    await wait_until(pilot, lambda: bool(session_of(pilot).results))
    await settle(pilot)


def sentence(view: LiveView) -> str:
    return str(view.query_one("#decision", Static).content)


def picture(view: LiveView, pane: str = "#picture") -> str:
    return view.query_one(pane, PictureView).render().plain


async def test_back_and_forth_shows_the_step_everywhere(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 3)
        third = sentence(view), picture(view)
        await pilot.press("comma")
        assert view.playhead.number == 2
        assert "by age" in sentence(view)
        await pilot.press("home")
        assert view.playhead.number == 1
        assert "by zip" in sentence(view)
        assert picture(view).startswith("age ↑  zip →")
        await pilot.press("full_stop", "full_stop")
        assert (sentence(view), picture(view)) == third
        assert view.live.snapshot.steps == 3  # what is kept is shown, nothing new is decided
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: view.live.snapshot.steps == 4)


async def test_a_clock_runs_while_a_run_is_prepared(sample, make_app, monkeypatch) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 2)
        gate = Event()
        make = run_screen.watched_run
        await to_the_end(pilot, view)

        def slow(*arguments, **named):
            gate.wait()
            if failing:
                raise KanonError("the disk is gone")
            return make(*arguments, **named)

        def header() -> str:
            return str(view.query_one("#counters", Static).content)

        monkeypatch.setattr(run_screen, "watched_run", slow)
        for failing in (False, True):
            gate.clear()
            await pilot.press("r")
            await wait_until(pilot, lambda: "preparing" in header())
            before = header()
            await wait_until(pilot, lambda before=before: header() != before)
            assert view.live is None
            gate.set()
            if not failing:
                await wait_until(pilot, lambda: "Done: 3 classes" in sentence(view))
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Message))
        await pilot.press("escape")
        assert pilot.app.screen.query_one("#setup").display


async def test_after_the_end_nothing_is_wiped_and_nobody_is_taken_away(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 2)
        await to_the_end(pilot, view)
        assert pilot.app.current_mode == "run"
        assert "Done: 3 classes" in sentence(view)
        live = view.live
        last = view.playhead.number
        await pilot.press("full_stop", "full_stop")
        assert view.live is live
        assert view.playhead.number == last
        await pilot.press("comma")
        assert "Done" not in sentence(view)
        await pilot.press("end")
        assert "Done: 3 classes" in sentence(view)
        for _ in range(4):
            await pilot.press("less_than_sign")
        await pilot.press("space")  # plays it again from the first step, without a new run
        await wait_until(pilot, lambda: view.playhead.number < last)
        await wait_until(pilot, lambda: view.playhead.number == last)
        assert view.live is live
        assert len(session_of(pilot).results) == 1


async def test_a_cancelled_run_does_not_say_that_it_is_done(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 2)
        await pilot.press("c")
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        await settle(pilot)
        assert view.live.run.state is State.CANCELLED
        assert "Stopped, the best so far is kept" in sentence(view)
        header = str(view.query_one("#counters", Static).content)
        assert "stopped early" in header
        assert "100%" not in header
        assert not view.screen.query_one("#ahead").display


async def test_space_in_step_mode_goes_on_at_the_speed_that_is_shown(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 1)
        assert "1/s" in str(view.query_one("#counters", Static).content)
        await pilot.press("space")
        assert view.live.speed == 1
        await wait_until(pilot, lambda: view.playhead.number == 2)
        await pilot.press("space")
        await wait_until(pilot, lambda: view.live.snapshot.paused)


async def test_jumps_to_kinds_words_and_bookmarks(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 5)
        await pilot.press("home", "j")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        options = pilot.app.screen.query_one(OptionList)
        texts = [str(options.get_option_at_index(n).prompt) for n in range(options.option_count)]
        assert texts == ["cut  2", "close  3"]
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: view.playhead.number == 3)
        await pilot.press("n")
        assert view.playhead.number == 4
        await pilot.press("m", "home", "apostrophe")
        assert view.playhead.number == 4
        await pilot.press("slash")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskText))
        await pilot.press(*"by", "space", *"zip", "enter")
        await wait_until(pilot, lambda: view.playhead.number == 1)


async def test_panes_pictures_and_the_log_by_keyboard(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 2)
        assert picture(view).startswith("zip ↑  age →")
        await pilot.press("v")
        assert picture(view).startswith("all   6")
        for pane in ("why", "records", "log"):
            await pilot.press("tab")
            assert pilot.app.focused is view.query_one(f"#{pane}")
            assert view.query_one(f"#{pane}").display
        await pilot.press("up")
        await pilot.pause()
        assert view.playhead.number == 1
        await pilot.press("e")
        assert "width = range / domain" in picture(view, "#why")
        assert pilot.app.focused is view.query_one("#why")
        await pilot.press("shift+tab")
        assert pilot.app.focused is view.query_one("#picture")


async def test_full_speed_on_a_small_table_keeps_every_decision(sample, make_app) -> None:
    async with make_app(sample("race-rules")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("r")
        await wait_until(pilot, lambda: bool(session_of(pilot).results))
        await settle(pilot)
        assert pilot.app.current_mode == "run"  # the summary stays until 6 shows the result
        view = pilot.app.screen.query_one(LiveView)
        assert "verified" in sentence(view)
        assert view.playhead.timeline.last == 12
        await pilot.press("comma")
        assert view.playhead.number == 11


async def test_presenting_shows_sentence_and_picture_alone_and_ends_there(sample, make_app) -> None:
    app = make_app(sample("mondrian"), present=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen_stack[0].query_one(LiveView))
        view = app.screen_stack[0].query_one(LiveView)
        await wait_until(pilot, lambda: view.playhead is not None and view.playhead.number == 1)
        assert view.presenting
        assert not view.query_one("#sides").display
        assert not pilot.app.screen.query_one(StepBar).display
        assert view.query_one("#picture").display
        assert view.live.snapshot.paused
        assert "1/s" in str(view.query_one("#counters", Static).content)
        await to_the_end(pilot, view)
        assert pilot.app.current_mode == "run"
        assert "Done: 3 classes" in sentence(view)
        await pilot.press("p")
        assert view.query_one("#sides").display


async def test_predict_then_see(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 2)
        await pilot.press("p", "question_mark")
        before = picture(view)
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: view.live.timeline.last == 3)
        view.draw()
        assert sentence(view).startswith("Can these records still be divided?")
        assert picture(view) == before  # nothing gives the answer away
        line = view.query_one(TimelineBar).render().plain
        assert "?" in line
        assert "■" not in line
        await pilot.press("full_stop")
        assert "Close a class" in sentence(view)
        assert view.playhead.number == 3


async def test_votes_on_every_decision_are_counted(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 1)
        await pilot.press("p", "question_mark")
        view.draw()
        assert view.playhead.number == 0  # the first decision can be predicted too
        asked = sentence(view)
        assert "Which attribute is cut?" in asked
        assert "◎" not in picture(view)
        assert picture(view).count("●") == 7  # six records, and one in the list below
        options = [part.strip() for part in asked.split("\n")[1].split("   ")]
        right = next(option for option in options if option.endswith("zip"))
        await pilot.press(right[0].lower())
        assert f"▸{right[0]}" in sentence(view)
        await pilot.press("full_stop")
        assert "class: 1 of 1 right" in sentence(view)
        banner = str(view.query_one("#banner", Static).content)
        assert banner.split("\n")[0].startswith("█▀▀ █ █ ▀█▀")  # CUT ZIP
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: view.live.timeline.last == 2)
        view.draw()
        wrong = next(part for part in sentence(view).split() if part in "ABC")
        other = next(letter for letter in "ABC" if f"{letter}  age" not in sentence(view))
        assert wrong
        await pilot.press(other.lower(), "full_stop")
        assert "✗ it was: A, age   class: 1 of 2 right" in sentence(view)
        await pilot.press("c")  # no vote is asked for: the run is cancelled
        await wait_until(pilot, lambda: view.live.run.state is State.CANCELLED)


async def test_help_explains_the_words_of_the_algorithm(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        view = await watch(pilot, 1)
        words = "\n".join(view.words)
        assert "- **width**: how much of an attribute's domain a group spans" in words
        assert "lattice" not in words


async def test_reasons_have_the_rows_they_need_at_every_step(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(160, 45)) as pilot:
        view = await watch(pilot, 4)
        why = view.query_one("#why", PictureView)
        needed = []
        for key in ("home", "full_stop", "full_stop", "full_stop", "comma", "comma"):
            await pilot.press(key)
            needed.append(len(picture(view, "#why").splitlines()))
            assert why.content_size.height == max(needed[-1], 6)
        assert len(set(needed)) > 1
        assert "rule: the highest, the first of equals" in picture(view, "#why")


async def test_the_best_has_a_colour_of_its_own_in_16_colours(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        for theme in ("ansi-dark", "kanon-dark", "kanon-light", "kanon-projector"):
            pilot.app.theme = theme
            await pilot.pause()
            picture = Picture(20, 2).write("★", "on-best").write("✓", "on-good")
            best, good = (span.style for span in picture_text(picture, pilot.app.screen).spans)
            assert best.color != good.color
