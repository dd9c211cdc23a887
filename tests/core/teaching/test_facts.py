"""What steps tell while somebody watches: progress that only rises, tests with their reason."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.teaching.cockpit import Cockpit
from kanon_tui.core.teaching.picture_registry import pictures_of, watched_run
from kanon_tui.core.teaching.racing import record
from kanon_tui.core.teaching.run_states import FullDomainState, Verdict
from tests.core.teaching.recorded import recorded, scene

SAMPLES = {"incognito": "incognito", "datafly": "datafly", "gcka": "locations"}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_progress_never_falls_and_is_told_only_where_it_is_known(name: str) -> None:
    _, timeline = recorded(SAMPLES.get(name, "race-rules"), name)
    shares = [step.progress for _, step in timeline.steps(1, timeline.last)]
    known = [share for share in shares if share is not None]
    assert known == sorted(known)
    if name in ("datafly", "local", "distributed"):
        assert not known
    if name == "incognito":
        assert known[2] < 0.5
        assert known[-1] == 1


@pytest.mark.parametrize("name", ["global", "hybrid", "distributed", "datafly"])
def test_no_string_is_tested_twice(name: str) -> None:
    _, timeline = recorded(SAMPLES.get(name, "race-rules"), name)
    tests = [
        (test.levels, test.part)
        for _, step in timeline.steps(1, timeline.last)
        for test in step.event.changes.tests
    ]
    assert len(set(tests)) == len(tests) > 0


def test_on_ten_thousand_records_every_test_has_its_reason() -> None:
    """Strings worth less than the best are tested only to see how far a failing one fails."""
    run, timeline = recorded("census", "global")
    best = 0.0
    for _, step in timeline.steps(1, timeline.last):
        assert step.counters["generated"] <= 4_800
        if step.kind == "test":
            reasons = ("the middle of the", "raised from", "the last string", "the better of")
            assert any(reason in step.sentence for reason in reasons)
            assert step.event.rv >= best - 1e-9 or "raised from" in step.sentence
        best = step.event.figures.get("best_rv", best)
    state = timeline.state(timeline.last)
    assert isinstance(state, FullDomainState)
    assert not (state.verdicts == Verdict.OPEN).any()
    assert run.grouping is not None
    assert state.best == run.grouping.levels


def test_large_tables_are_drawn_too() -> None:
    for drawing in pictures_of(ALGORITHMS["global"]):
        assert drawing.draw(scene("census", "global", 12), 42, 15).rows
    text = Cockpit().draw(scene("census", "global", 12), 62, 31).plain()
    assert "records per class, k = 5 at │" in text


def test_a_recording_says_how_it_ended() -> None:
    project = with_overrides(Project.load(find_sample("mondrian").project), algorithm=None, k=7)
    ended = record(project, prepare(with_overrides(project, algorithm=None, k=6)))
    assert ended.timeline.last == 1
    assert ended.end.startswith("1 class, NCP")


@pytest.mark.parametrize("name", ["global", "hybrid", "anytime", "distributed"])
def test_the_last_step_at_full_speed_tells_the_end(name: str) -> None:
    project = with_overrides(Project.load(find_sample("census").project), algorithm=name, k=None)
    live = watched_run(project, prepare(project))
    live.drive()
    last = live.timeline.step(live.timeline.last)
    assert last.counters["remaining"] == 0
    assert last.event.standing.bound == last.event.standing.best_value
    state = live.timeline.state(live.timeline.last)
    assert isinstance(state, FullDomainState)
    assert live.run.grouping is not None
    assert state.current == live.run.grouping.levels
