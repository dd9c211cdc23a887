"""What holds for every algorithm: pictures fit, and do not depend on the way to a step."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.lattice.events import StringTested
from kanon_tui.core.pipeline.run import start
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.task import Family, RunContext
from kanon_tui.core.teaching.candidates import LETTERS, Candidates, by_number, vote_on
from kanon_tui.core.teaching.picture import Drawing, Scene
from kanon_tui.core.teaching.picture_registry import new_timeline, pictures_of
from kanon_tui.core.teaching.pseudo_code import REFINE, Code, lit_line
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.teaching.run_states import ClusteringState
from tests.core.teaching.recorded import MIDDLE, NARROW, SIDE, WIDE, recorded

CLUSTERINGS = [name for name, each in ALGORITHMS.items() if each.family is Family.CLUSTERING]
SAMPLE = {
    "incognito": "incognito",
    "datafly": "datafly",
    "mondrian": "mondrian",
    "gcka": "locations",
    "sbc": "similarity",
}


def drawings(algorithm: str) -> list[Drawing]:
    return [*pictures_of(ALGORITHMS[algorithm]), Candidates(), Records(), Code()]


def sample_of(algorithm: str) -> str:
    return SAMPLE.get(algorithm, "race-rules")


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_going_back_and_forth_gives_the_same_pictures(name: str) -> None:
    run, timeline = recorded(sample_of(name), name)
    made = drawings(name)

    def all_pictures(number: int) -> list[str]:
        shown = Scene(run.task, run.algorithm, timeline, number)
        return [drawing.draw(shown, *NARROW).plain() for drawing in made]

    first = {number: all_pictures(number) for number in range(1, timeline.last + 1)}
    order = list(first)
    Random(0).shuffle(order)
    for number in order:
        assert all_pictures(number) == first[number]
    again = new_timeline(run.algorithm)
    for _, step in timeline.steps(1, timeline.last):
        again.add(step)
    last = Scene(run.task, run.algorithm, again, again.last)  # straight to the end
    assert [d.draw(last, *NARROW).plain() for d in drawings(name)] == first[timeline.last]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_first_picture_fills_its_pane(name: str) -> None:
    """At 120×40, on the sample that shows the algorithm best, at every step."""
    sample = ALGORITHMS[name].sample
    run, timeline = recorded(sample, name)
    for number in range(timeline.last + 1):  # 0: before the first decision, while it is asked for
        shown = Scene(run.task, run.algorithm, timeline, number)
        rows = pictures_of(run.algorithm)[0].draw(shown, *MIDDLE).plain().split("\n")
        assert sum(bool(row.strip()) for row in rows) >= 2 / 3 * MIDDLE[1], (number, rows)


@pytest.mark.parametrize("room", [SIDE, NARROW, WIDE])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_pictures_keep_to_their_width(name: str, room: tuple[int, int]) -> None:
    run, timeline = recorded(sample_of(name), name)
    for number in {1, timeline.last // 2 + 1, timeline.last}:
        shown = Scene(run.task, run.algorithm, timeline, number)
        for drawing in drawings(name):
            rows = drawing.draw(shown, *room).plain().split("\n")
            assert max(map(len, rows)) <= room[0], (drawing.name, rows)
            drawing.move(shown, 1, 0)
            drawing.move(shown, 0, 1)
            assert drawing.draw(shown, *room).plain()


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_pictures_are_drawn_in_whatever_room_is_left(name: str) -> None:
    """A terminal is made smaller and smaller; a pane may have no sign left."""
    run, timeline = recorded(sample_of(name), name)
    shown = Scene(run.task, run.algorithm, timeline, timeline.last // 2 + 1)
    for drawing in drawings(name):
        for width in range(0, 42, 3):
            for height in (0, 1, 2, 5):
                drawing.draw(shown, width, height).plain()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_step_lights_a_line_of_pseudo_code(name: str) -> None:
    run, timeline = recorded(sample_of(name), name)
    for number in range(1, timeline.last + 1):  # also where not all lines fit
        assert "▸" in Code().draw(Scene(run.task, run.algorithm, timeline, number), 50, 7).plain()
    code = ALGORITHMS[name].pseudo_code
    lit = {lit_line(code, step) for _, step in timeline.steps(1, timeline.last)}
    assert lit
    assert None not in lit


@pytest.mark.slow
@pytest.mark.parametrize("name", CLUSTERINGS)
def test_refining_is_drawn_to_the_end(name: str) -> None:
    project = with_overrides(
        Project.load(find_sample(sample_of(name)).project),
        algorithm=name,
        parameters=[("refine", "true")],
    )
    run = start(project, context=RunContext(decisions_per_step=1, watched=True))
    timeline = new_timeline(run.algorithm)
    for step in run:
        timeline.add(step)
        shown = Scene(run.task, run.algorithm, timeline, timeline.last)
        for drawing in drawings(name):
            assert drawing.draw(shown, *NARROW).plain()
    steps = [step for _, step in timeline.steps(1, timeline.last)]
    refining = [step for step in steps if step.kind in ("refine", "exchange", "divide")]
    assert refining
    code = ALGORITHMS[name].pseudo_code
    assert all(lit_line((*code, REFINE), step) == len(code) for step in refining)
    state = timeline.state(timeline.last)
    assert isinstance(state, ClusteringState)
    assert state.groups is not None
    assert run.grouping is not None
    labels = run.grouping.labels
    pairs = set(zip(state.groups.tolist(), labels.tolist(), strict=True))
    assert len(pairs) == len(set(labels.tolist())) == len(set(state.groups.tolist()))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CLUSTERINGS) - {"mondrian", "stepwise"}))
def test_blocks_can_be_watched(name: str) -> None:
    project = with_overrides(
        Project.load(find_sample(sample_of(name)).project),
        algorithm=name,
        parameters=[("blocks", "4")],
        k=2,
    )
    run = start(project, context=RunContext(decisions_per_step=1, watched=True))
    timeline = new_timeline(run.algorithm)
    for step in run:
        timeline.add(step)
    assert run.grouping is not None
    assert run.grouping.search["blocks"]["count"] > 1
    lines = set()
    for number in range(1, timeline.last + 1):
        shown = Scene(run.task, run.algorithm, timeline, number)
        for drawing in drawings(name):
            assert drawing.draw(shown, *NARROW).plain()
        lines.add(Code().draw(shown, *NARROW).plain().split("\n")[0])
    assert any("▸ blocks: cut the table" in line for line in lines)
    state = timeline.state(timeline.last)
    assert isinstance(state, ClusteringState)
    assert state.groups is not None
    together = {
        tuple(np.flatnonzero(state.groups == g)) for g in set(state.groups[state.groups >= 0])
    }
    labels = run.grouping.labels
    assert together == {tuple(np.flatnonzero(labels == c)) for c in set(labels[labels >= 0])}


def shown_levels(event: StringTested) -> list[int]:
    """The levels that a picture writes of a string: those of the attributes looked at."""
    part = range(len(event.levels)) if event.part is None else event.part
    return [event.levels[a] for a in part]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_is_voted_on_stands_in_the_picture(name: str) -> None:
    """Records and clusters by the letters of the options, a string by a question mark."""
    run, timeline = recorded(ALGORITHMS[name].sample, name)
    for number, step in timeline.steps(1, timeline.last):
        shown = Scene(run.task, run.algorithm, timeline, number - 1, asked=step)
        rows = pictures_of(run.algorithm)[0].draw(shown, *WIDE).rows
        lit = "".join(text for row in rows for text, tone in row if tone == "here")
        options = vote_on(step).options
        if options and options[0].startswith(("record", "cluster")):
            assert set(lit) == set(LETTERS[: len(options)]), (number, options)
        elif step.kind == "test":
            assert f"?{''.join(map(str, shown_levels(step.event)))}" in lit, number


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_decision_has_a_question_of_its_own(name: str) -> None:
    """None is answered by its options being in the order of the algorithm's list."""
    _, timeline = recorded(ALGORITHMS[name].sample, name)
    for number, step in timeline.steps(1, timeline.last):
        vote = vote_on(step)
        assert vote.question.endswith("?"), number
        assert vote.question != "What comes next?", (number, step.kind)
        assert "…" not in vote.question, (number, step.kind)
        assert len(vote.options) <= len(LETTERS)
        assert (vote.right >= 0) == bool(vote.options)
        if step.kind != "test":
            assert list(vote.options) == sorted(vote.options, key=by_number)
