"""Pictures of the six full-domain searches, from recorded steps of the papers' samples."""

from __future__ import annotations

import pytest

from kanon_tui.core.teaching.charts import DistinctCounts, PointerBars
from kanon_tui.core.teaching.full_domain_state import FullDomainState, Verdict
from kanon_tui.core.teaching.lattice import LatticePicture, PartTable, SortedList, StringCounts
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.teaching.why_this_one import WhyThisOne
from tests.core.teaching.recorded import WIDE, drawn, number_of, recorded, scene


def rows(text: str) -> dict[str, list[str]]:
    """The nodes of a drawn lattice by height."""
    found: dict[str, list[str]] = {}
    for line in text.split("\n"):
        height, *nodes = line.split()
        if not height.isdigit():
            break
        found[height] = nodes
    return found


def test_incognito_draws_the_lattice_of_the_attributes_it_is_at() -> None:
    """SBC tables 2-10 and 2-11: pairs first, then all three."""
    number = number_of("incognito", "incognito", "⟨birth 0, gender 1⟩ passes")
    pair = rows(drawn(LatticePicture(), "incognito", "incognito", number))
    assert pair == {"2": ["·11"], "1": ["★01", "·10"], "0": ["✗00"]}
    whole = rows(drawn(LatticePicture(), "incognito", "incognito", -1))
    assert whole == {
        "4": ["+112"],
        "3": ["✓012", "✓102", "+111"],
        "2": ["−002", "−011", "−101", "★110"],
        "1": ["−001", "−010", "−100"],
        "0": ["−000"],
    }


def test_global_ends_with_its_winner_as_the_best() -> None:
    run, _ = recorded("race-rules", "global")
    assert run.grouping is not None
    assert run.grouping.levels is not None
    answer = "".join(map(str, run.grouping.levels))
    for name in ("global", "hybrid", "distributed"):
        picture = drawn(LatticePicture(), "race-rules", name, -1)
        assert f"★{answer}" in picture, name


@pytest.mark.parametrize("name", ["global", "hybrid", "incognito"])
def test_every_string_is_settled_at_the_end_and_rightly(name: str) -> None:
    """What a picture says of a string is what a test of it finds."""
    run, timeline = recorded("race-rules", name)
    state = timeline.state(timeline.last)
    assert isinstance(state, FullDomainState)
    assert state.lattice is not None
    assert state.count(Verdict.OPEN) == 0
    from kanon_tui.core.lattice.search import Search
    from kanon_tui.core.task.steps import RunContext

    search = Search(run.task, RunContext(), [0] * len(run.task.quasi))
    for node in range(state.lattice.count):
        passes = search.frequency.test(state.lattice.levels(node)).passes
        verdict = Verdict(int(state.verdicts[node]))
        assert not passes or verdict not in (Verdict.FAILS, Verdict.INFERRED_FAIL)
        assert passes or verdict not in (Verdict.PASSES, Verdict.INFERRED_PASS)


def test_a_string_says_why_it_is_out() -> None:
    drawing = LatticePicture()
    shown = scene("race-rules", "global", -1)
    for _ in range(9):
        drawing.move(shown, 0, 1)
    assert "one of its levels fails alone" in drawing.draw(shown, *WIDE).plain()


def test_the_sorted_list_shows_the_middle() -> None:
    number = number_of("race-rules", "global", "the middle of the 8 strings")
    picture = drawn(SortedList(), "race-rules", "global", number)
    assert "7 of 40 strings left" in picture  # the one in the middle is tested
    assert [line for line in picture.split("\n") if line.startswith("▸")] == [
        "▸     4    0.5945  ✗ 2 1 1"
    ]


def test_why_this_one_names_the_neighbours_in_the_list() -> None:
    number = number_of("race-rules", "global", "the middle of the 8 strings")
    drawing = WhyThisOne()
    picture = drawn(drawing, "race-rules", "global", number)
    assert "▸ ⟨race 2, sex 1, age 1⟩" in picture
    assert "4 of 8" in picture
    drawing.formula = True
    formula = drawn(drawing, "race-rules", "global", number, WIDE)
    assert formula.split("\n")[-1] == "RV = 0.5945"
    assert "sex 1: 0, the root leaves nothing" in formula


def test_large_spaces_are_counted_by_height_with_a_slice() -> None:
    picture = drawn(StringCounts(), "race-rules", "global", -1, WIDE)
    lines = picture.split("\n")
    assert lines[1].split() == ["8", "1:", "░1"]
    assert "sex ↓  race →" in picture
    drawing = StringCounts()
    drawing.move(scene("race-rules", "global", -1), 0, 1)
    assert "age ↓  race →" in drawn(drawing, "race-rules", "global", -1, WIDE)


def test_local_draws_what_is_left_of_every_attribute() -> None:
    picture = drawn(PointerBars(), "race-rules", "local", 4)
    assert picture.split("\n")[1].split() == ["race", "·4", "▸3◂", "·2", "░1", "░0"]
    moved = drawn(PointerBars(), "race-rules", "local", 5)
    assert moved.split("\n")[1].split() == ["race", "−4", "·3", "▸2◂", "░1", "░0"]


def test_datafly_draws_distinct_values_and_what_is_raised() -> None:
    """SBC table 2-8: birth has most values and is raised twice."""
    raised = number_of("datafly", "datafly", "Raise birth")
    picture = drawn(DistinctCounts(), "datafly", "datafly", raised)
    assert picture.split("\n")[1].split() == ["↑", "birth", "12", "▸12", "3", "2", "1"]
    assert "▸ birth" in drawn(WhyThisOne(), "datafly", "datafly", raised)
    assert "runner-up 9 behind" in drawn(WhyThisOne(), "datafly", "datafly", raised)
    records = drawn(Records(), "datafly", "datafly", -1, WIDE).split("\n")
    assert records[1].split()[:2] == ["▸", "7"]
    assert "10/23/1994→1994" in records[1]
    assert records[1].endswith("1 ✗")
    assert "▸ 2 concerned" in records[-1]


def test_distributed_draws_its_parts() -> None:
    from dataclasses import replace

    from kanon_tui.core.pipeline.run import Run
    from kanon_tui.core.task.steps import RunContext
    from kanon_tui.core.teaching.picture import Scene
    from kanon_tui.core.teaching.picture_registry import new_timeline

    whole, _ = recorded("race-rules", "distributed")
    run = Run(whole.task, replace(whole.algorithm, part=8), RunContext(1, watched=True))
    timeline = new_timeline(run.algorithm)
    at_work, done = 0, 0
    for step in run:
        number = timeline.add(step)
        at_work = at_work or (number if step.kind == "test" and step.facts.get("part") else 0)
        done = number if step.kind == "part" else done
    assert done
    picture = PartTable().draw(Scene(run.task, run.algorithm, timeline, done), *WIDE).plain()
    assert "✓ race, sex" in picture
    assert "✓ age" in picture
    lattice = LatticePicture().draw(Scene(run.task, run.algorithm, timeline, timeline.last), *WIDE)
    assert "★" in lattice.plain()
