"""Pictures of the full-domain searches, from recorded steps of the papers' samples."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.lattice.events import DESCENT, NEIGHBOUR
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import Family, RunContext
from kanon_tui.core.teaching.candidates import Candidates
from kanon_tui.core.teaching.lattice import LatticePicture, lattice_rows
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline
from kanon_tui.core.teaching.pseudo_code import lit_line
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.teaching.run_states import FullDomainState, Verdict
from tests.core.teaching.recorded import MIDDLE, WIDE, drawn, number_of, recorded, scene

SEARCHES = [name for name, each in ALGORITHMS.items() if each.family is Family.FULL_DOMAIN]
MARKS = "✓✗+▒░·★"


def cells(text: str) -> dict[str, str]:
    """The mark of every string of a drawn lattice."""
    return {levels: mark for mark, levels in re.findall(rf"([{MARKS}])(\d{{2,}})", text)}


def close_cells(text: str, count: int) -> dict[str, str]:
    """The mark of every string; where these stand close, one that is open has none."""
    found = re.findall(rf"([{MARKS} ])(\d{{{count}}})\b", text)
    return {levels: mark.replace(" ", "·") for mark, levels in found}


def heights(text: str) -> list[list[str]]:
    """The strings of a drawn lattice, a list per row."""
    rows = [list(cells(line)) for line in text.split("\n")]
    return [row for row in rows if row]


def marks_of_steps(name: str, number: int) -> dict[str, str]:
    """The marks of all strings, worked out from the events by themselves."""
    _, timeline = recorded(ALGORITHMS[name].sample, name)
    steps = [step for _, step in timeline.steps(1, number)]
    lattice = steps[-1].event.changes.lattice
    best = None
    marks = dict.fromkeys(range(lattice.count), "·")
    shown = {"passes": "+", "fails": "▒", "beaten": "░"}
    for step in steps:
        for test in step.event.changes.tests:
            marks[lattice.node(test.levels)] = "✓" if test.passes else "✗"
        for settled in step.event.changes.settled:
            for node in settled.nodes.tolist():
                if marks[node] not in "✓✗":
                    marks[node] = shown[settled.reason.inferred]
        best = step.event.standing.best or best
    if best is not None:
        marks[lattice.node(best.levels)] = "★"
    return {"".join(map(str, lattice.levels(node))): mark for node, mark in marks.items()}


@pytest.mark.parametrize("name", ["global", "hybrid", "local", "distributed", "anytime", "datafly"])
def test_every_cell_shows_what_the_steps_have_settled(name: str) -> None:
    _, timeline = recorded(ALGORITHMS[name].sample, name)
    for number in range(1, timeline.last + 1):
        picture = drawn(LatticePicture(), ALGORITHMS[name].sample, name, number, MIDDLE)
        wanted = marks_of_steps(name, number)
        assert close_cells(picture, len(next(iter(wanted)))) == wanted, number


def test_incognito_draws_the_lattice_of_the_attributes_it_is_at() -> None:
    """SBC tables 2-10 and 2-11: pairs first, then all three."""
    number = number_of("incognito", "incognito", "⟨birth 0, gender 1⟩ passes")
    pair = drawn(LatticePicture(), "incognito", "incognito", number)
    assert cells(pair) == {"11": "·", "01": "★", "10": "·", "00": "✗"}
    whole = drawn(LatticePicture(), "incognito", "incognito", -1, MIDDLE)
    assert heights(whole) == [
        ["112"],
        ["012", "102", "111"],
        ["002", "011", "101", "110"],
        ["001", "010", "100"],
        ["000"],
    ]
    marks = cells(whole)
    assert [marks[string] for string in ("112", "012", "110", "002")] == ["+", "✓", "★", "▒"]


def test_earlier_sets_of_attributes_stay_as_small_lattices() -> None:
    number = number_of("incognito", "incognito", "Join birth, gender and zip")
    lines = drawn(LatticePicture(), "incognito", "incognito", number, MIDDLE).split("\n")
    assert lines[0].split() == ["✓birth·gender", "✓birth·zip", "✓gender·zip"]
    assert "".join(lines[1].split()) == "+++"


def test_a_change_of_attributes_speaks_of_no_string_of_the_ones_before() -> None:
    number = number_of("incognito", "incognito", "Join birth and zip")
    picture = drawn(LatticePicture(), "incognito", "incognito", number, MIDDLE)
    assert "tested at step" not in picture
    assert not any("▸·" in line or "▸✓" in line for line in picture.split("\n"))


def test_global_ends_with_its_winner_as_the_best() -> None:
    run, _ = recorded("race-rules", "global")
    assert run.grouping is not None
    assert run.grouping.levels is not None
    answer = "".join(map(str, run.grouping.levels))
    for name in ("global", "hybrid", "distributed"):
        assert cells(drawn(LatticePicture(), "race-rules", name, -1))[answer] == "★", name


@pytest.mark.parametrize("name", ["global", "hybrid", "incognito"])
def test_every_string_is_settled_at_the_end_and_rightly(name: str) -> None:
    """What a picture says of a string is what a test of it finds."""
    run, timeline = recorded("race-rules", name)
    state = timeline.state(timeline.last)
    assert isinstance(state, FullDomainState)
    assert state.lattice is not None
    assert not (state.verdicts == Verdict.OPEN).any()
    search = Search(run.task, RunContext(), [0] * len(run.task.quasi))
    for node in range(state.lattice.count):
        passes = search.frequency.test(state.lattice.levels(node)).passes
        verdict = Verdict(int(state.verdicts[node]))
        assert not passes or verdict not in (Verdict.FAILS, Verdict.INFERRED_FAIL)
        assert passes or verdict not in (Verdict.PASSES, Verdict.INFERRED_PASS)


def test_what_a_step_rules_out_is_lit_for_that_step() -> None:
    number = number_of("race-rules", "global", "more specific than a failing one")
    lit = LatticePicture().draw(scene("race-rules", "global", number), *MIDDLE)
    flooded = {text for row in lit.rows for text, tone in row if tone == "on-warn"}
    assert "▒201" in flooded
    after = LatticePicture().draw(scene("race-rules", "global", number + 1), *MIDDLE)
    assert "▒201" not in {text for row in after.rows for text, tone in row if tone == "on-warn"}


def test_the_way_of_a_greedy_search_is_drawn() -> None:
    lines = LatticePicture().draw(scene("datafly", "datafly", -1), *MIDDLE).rows
    assert any(tone == "main" for row in lines for _, tone in row)


def test_neighbours_stand_one_height_apart() -> None:
    run, timeline = recorded("race-rules", "global")
    state = timeline.state(1)
    assert isinstance(state, FullDomainState)
    assert state.lattice is not None
    rows = lattice_rows(state.lattice, state.nodes_of(None))
    assert [len(row) for row in rows] == [1, 3, 5, 7, 8, 7, 5, 3, 1]
    assert len(run.task.quasi) == 3


def test_a_string_says_why_it_is_out() -> None:
    drawing = LatticePicture()
    shown = scene("race-rules", "global", -1)
    for _ in range(9):
        drawing.move(shown, 0, 1)
    text = " ".join(drawing.draw(shown, *WIDE).plain().split())
    assert "ruled out since step 1: one of its levels fails alone" in text


def test_large_spaces_have_a_bar_per_height() -> None:
    picture = drawn(LatticePicture(), "census", "global", 30, MIDDLE)
    rows = {line.split()[0]: line.split() for line in picture.split("\n")[:21]}
    assert rows["10"][-1] == "594"
    assert len(rows) == 21
    assert {"✗", "▒", "░", "·"} <= set(rows["10"][1])
    _, timeline = recorded("census", "global")
    state = timeline.state(30)
    assert isinstance(state, FullDomainState)
    ruled_out = np.count_nonzero(state.verdicts == Verdict.INFERRED_FAIL)
    assert f"▒ {ruled_out:,} ruled out" in picture
    few = drawn(LatticePicture(), "census", "global", 30, (42, 9)).split("\n")
    assert few[0].split()[0] == "20-20" or "-" in few[0].split()[0]


def test_local_draws_what_is_left_of_every_attribute() -> None:
    picture = drawn(LatticePicture(), "race-rules", "local", 4, MIDDLE)
    assert "[4  3  2] 1  0" in picture
    moved = drawn(LatticePicture(), "race-rules", "local", 5, MIDDLE)
    assert "4 [3  2] 1  0" in moved


def test_why_this_one_names_the_neighbours_in_the_list() -> None:
    number = number_of("race-rules", "global", "the middle of the 8 strings")
    drawing = Candidates()
    picture = drawn(drawing, "race-rules", "global", number, MIDDLE)
    assert "▸ ⟨race 2, sex 1, age 1⟩" in picture
    assert "4 of 8" in picture
    drawing.formula = True
    formula = drawn(drawing, "race-rules", "global", number, WIDE)
    assert formula.split("\n")[-1] == "RV = 0.5945"
    assert "sex 1: 0, the root leaves nothing" in formula


@pytest.mark.parametrize("name", SEARCHES)
def test_every_test_of_a_string_has_candidates(name: str) -> None:
    sample = ALGORITHMS[name].sample
    _, timeline = recorded(sample, name)
    for number, step in timeline.steps(1, timeline.last):
        if step.kind == "test":
            picture = drawn(Candidates(), sample, name, number, MIDDLE)
            assert "▸ ⟨" in picture, (number, picture)
            assert "rule: " in picture


def test_datafly_draws_what_is_raised_and_the_records_below_k() -> None:
    """SBC table 2-8: birth has most values and is raised twice."""
    raised = number_of("datafly", "datafly", "Raise birth")
    why = drawn(Candidates(), "datafly", "datafly", raised)
    assert "▸ birth" in why
    assert "runner-up 9 behind" in why
    records = drawn(Records(), "datafly", "datafly", -1, WIDE).split("\n")
    assert records[1].split()[:2] == ["▸", "7"]
    assert "10/23/1994→1994" in records[1]
    assert records[1].endswith("1 ✗")
    assert "▸ 2 concerned" in records[-1]


def test_distributed_draws_its_parts() -> None:
    whole, _ = recorded("race-rules", "distributed")
    run = Run(whole.task, replace(whole.algorithm, part=8), RunContext(1, watched=True))
    timeline = new_timeline(run.algorithm)
    done = 0
    for step in run:
        number = timeline.add(step)
        done = number if step.kind == "part" else done
    assert done
    picture = LatticePicture().draw(Scene(run.task, run.algorithm, timeline, done), *WIDE).plain()
    assert "race·sex" in picture.split("\n")[0]
    assert " pass" in picture.split("\n")[0]
    code = run.algorithm.pseudo_code
    lit = {code[lit_line(code, step)].text for _, step in timeline.steps(1, timeline.last)}
    assert {"find its passing strings", "test the string in the middle of those left"} <= lit
    steps = [step for _, step in timeline.steps(1, timeline.last)]
    seeking = [step for step in steps if step.event.cause in (DESCENT, NEIGHBOUR)]
    assert {code[lit_line(code, step)].text[:18] for step in seeking} == {"find a good string"}
    last = LatticePicture().draw(Scene(run.task, run.algorithm, timeline, timeline.last), *WIDE)
    assert "★" in last.plain()
