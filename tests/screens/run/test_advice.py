"""Screen 5 recommends from the data at hand, and one key takes a recommendation over."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from threading import Event

import pytest
from textual.widgets import Input, OptionList, Static

from kanon_tui.core.analysis import recommend as recommending
from kanon_tui.core.analysis.recommend import Recommendation
from kanon_tui.core.pipeline import trial as trying
from kanon_tui.core.pipeline.trial import Sample, Trial
from kanon_tui.screens.run import advice
from kanon_tui.screens.run.advice import Advice
from kanon_tui.services.host import Loading
from kanon_tui.widgets.dialogs import Choose
from kanon_tui.widgets.status_line import StatusLine
from tests.screens.conftest import session_of, settle, status_text, wait_until


@pytest.fixture
def real_samples(monkeypatch: pytest.MonkeyPatch, samples_at_hand: None) -> None:
    """Without haste: a busy machine is slow."""
    monkeypatch.setattr(advice, "try_out", partial(trying.try_out, budget=60.0))
    monkeypatch.setattr(advice, "recommend", recommending.recommend)
    monkeypatch.setattr(recommending, "BUDGET", 60.0)


def text(pilot, selector: str) -> str:
    return str(pilot.app.screen.query_one(selector, Static).content)


async def test_a_key_takes_a_recommendation_over(sample, make_app, real_samples) -> None:
    async with make_app(sample("census")).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await wait_until(pilot, lambda: pilot.app.screen.query_one(Advice).found)
        for width, height in ((120, 40), (80, 24)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
            told = text(pilot, "#advice")
            for want in ("one level per column", "least loss", "rules kept", "MAGVals respected"):
                assert want in told
            assert "NCP" in told
            assert all(len(line) <= width - 2 for line in told.splitlines())
        found = pilot.app.screen.query_one(Advice).found
        await pilot.press("A")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("down", "enter")
        await settle(pilot)
        assert session_of(pilot).project.algorithm.name == found[1].algorithm
        assert found[1].want == "least loss"
        assert pilot.app.focused is pilot.app.screen.query_one("#algorithms")
        field = pilot.app.screen.query_one("#p-k", Input)
        field.focus()
        await pilot.press("ctrl+a", "x")
        await settle(pilot)
        assert "✗" in text(pilot, "#preflight")  # not ready while a field does not fit
        await pilot.press("escape", "4")
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        assert "✗" in text(pilot, "#preflight")
        field.focus()
        await pilot.press("backspace", "5")
        await settle(pilot)
        assert "✓ ready" in text(pilot, "#preflight")


async def test_keys_that_do_not_work_now_say_why(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: pilot.app.screen.live is not None)
        for key in "rA":
            await pilot.press(key)
            words = "a run is paused; space resumes it"
            await wait_until(pilot, lambda words=words: words in status_text(pilot))
            await pilot.click(StatusLine)
            await wait_until(pilot, lambda: status_text(pilot) == "")
        await pilot.press("c")
        await settle(pilot)


async def test_what_was_found_is_dropped_when_the_project_changes(
    sample, make_app, monkeypatch
) -> None:
    asked = []
    monkeypatch.setattr(advice, "recommend", lambda task, stop: asked.append((task.k, stop)) or ())
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await wait_until(pilot, lambda: asked)
        before, stop = asked[-1]
        assert not stop()
        project = session_of(pilot).project
        privacy = replace(project.privacy, k=project.privacy.k + 1)
        pilot.app.host.edit(replace(project, privacy=privacy), "k")
        assert stop()  # work for the project as it was ends
        await wait_until(pilot, lambda: asked[-1][0] == before + 1)


async def test_samples_stop_when_a_run_starts(sample, make_app, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(advice, "recommend", lambda task, stop: asked.append(stop) or ())
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await wait_until(pilot, lambda: asked)
        assert not asked[-1]()
        await pilot.press("full_stop")
        await wait_until(pilot, lambda: pilot.app.screen.live is not None)
        assert asked[-1]()
        await pilot.press("c")
        await settle(pilot)


async def test_a_release_of_stars_is_announced(sample, make_app, monkeypatch) -> None:
    stars = Trial(12, 1.0, (Sample(12, 3.2, 0.8, ("zip", "sex")),))
    monkeypatch.setattr(advice, "try_out", lambda *_, **__: stars)
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await wait_until(pilot, lambda: "about 3 s" in text(pilot, "#preflight"))
        told = text(pilot, "#preflight")
        assert "zip, sex would be hidden from everybody (NCP 0.80)" in told


async def test_advice_opens_before_samples_are_tried(sample, make_app, monkeypatch) -> None:
    gate = Event()

    def slow(task, *_: object) -> tuple[Recommendation, ...]:
        gate.wait()
        trial = Trial(task.n, 1.0, (Sample(task.n, 0.2, 0.25),))
        plain = Recommendation("least loss", "mondrian", trial)
        return plain, replace(plain, want="least loss, round ends", rounded=("age",))

    monkeypatch.setattr(advice, "recommend", slow)
    async with make_app(sample("mondrian")).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("5", "A")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Loading))
        gate.set()
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        assert pilot.app.screen.query_one(OptionList).option_count == 2
        await pilot.press("enter")
        await settle(pilot)
        assert session_of(pilot).project.algorithm.name == "mondrian"
        told = text(pilot, "#advice").splitlines()
        assert [line[0] for line in told] == ["▸", " "]  # the ranges of the other are not taken
