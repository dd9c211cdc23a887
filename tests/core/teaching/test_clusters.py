"""Pictures of clusters that grow and merge, from recorded steps of the papers' samples."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import pytest

from kanon_tui.core.clustering.events import GroupEvent
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, describes
from kanon_tui.core.pipeline.run import Run, RunStep
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import RunContext, Task
from kanon_tui.core.teaching.candidates import Candidates
from kanon_tui.core.teaching.clusters import Tree
from kanon_tui.core.teaching.cockpit import Cockpit
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline
from kanon_tui.core.teaching.pseudo_code import Code
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.teaching.run_states import ClusteringState
from tests.core.teaching.recorded import WIDE, drawn, number_of, recorded, scene

MERGING = ("bottom-up", "euclidean", "udc", "udc-suppress")
ALL = (*MERGING, "k-member", "gcka")


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n")]


def test_the_last_picture_shows_the_classes_of_the_answer() -> None:
    for name in ALL:
        sample = "locations" if name == "gcka" else "race-rules"
        run, timeline = recorded(sample, name)
        state = timeline.state(timeline.last)
        assert isinstance(state, ClusteringState)
        assert state.groups is not None
        assert run.grouping is not None
        labels = run.grouping.labels
        pairs = set(zip(state.groups.tolist(), labels.tolist(), strict=True))
        assert len(pairs) == len(set(labels.tolist())) == len(set(state.groups.tolist())), name


def test_the_best_five_are_told_with_the_margin_and_the_formula() -> None:
    why = Candidates()
    picture = drawn(why, "patients", "k-member", 2)
    rows = [row for row in lines(picture) if row[:3] == ["▸", "record", "2"]]
    assert rows[0][4] == "2.000"
    assert "runner-up 1 behind" in picture
    why.formula = True
    formula = drawn(why, "patients", "k-member", 2).split("\n")
    assert formula[-4:] == ["zip: 0", "gender: 2", "age: 0", "loss added = 2"]


def test_distances_are_told_attribute_by_attribute_darker_where_they_are_large() -> None:
    picture = Candidates().draw(scene("patients", "k-member", 2), *WIDE)
    rows = lines(picture.plain())
    at = rows.index(["loss", "added", "zip", "gender", "age"])
    assert rows[at + 1][4:] == ["2.000", "47906", "0", "Male", "█2", "33", "0"]
    shades = {text.strip()[-2:]: tone for row in picture.rows for text, tone in row}
    assert shades["█2"] == "bad"
    assert shades["▒1"] == "main"


def test_the_tree_of_merges_leads_down_to_the_records() -> None:
    assert drawn(Tree(), "race-rules", "udc", -1).split("\n")[:7] == [
        "cluster 29 of 9 merged clusters",
        "└ ▸ 4 records · step 21 · 0.32196",
        "  ├ 3 records · step 8 · 0.54246",
        "  │ ├ record 29: Other, F, 43",
        "  │ └ 2 records · step 7 · 0.59575",
        "  │   ├ record 8: White, F, 44",
        "  │   └ record 7: White, F, 38",
    ]
    drawing = Tree()
    shown = scene("race-rules", "udc", -1)
    before = drawing.draw(shown, *WIDE).plain()
    drawing.move(shown, 1, 0)
    assert drawing.draw(shown, *WIDE).plain() != before


def test_the_score_of_a_merge_is_worked_out_and_agrees_with_what_becomes_of_rv() -> None:
    why = Candidates()
    why.formula = True
    formula = drawn(why, "race-rules", "udc", 1, WIDE).split("\n")
    assert formula[2:] == [
        "race any: 0.333 · 30 / 38 · 1 = 0.2632",
        "sex M: 0.333 · 30 / 30 · 1 = 0.3333",
        "age 29–31: 0.333 · 30 / 34 · 1 = 0.2941",
        "score = 0.8906",
    ]
    _, timeline = recorded("race-rules", "udc")
    assert round(timeline.step(1).counters["rv"], 4) == 0.8906


def test_the_formula_ends_in_the_score_of_the_candidate() -> None:
    """Also with hidden cells, rules and other measures."""
    for name in MERGING:
        _, timeline = recorded("race-rules", name)
        for _, step in timeline.steps(1, timeline.last):
            if step.kind == "merge":
                choice = step.lesson.choice
                told = float(choice.formula[-1].rsplit(" ", 1)[1])
                assert abs(told - choice.candidates[0].score) < 1e-3, (name, choice)


def test_hidden_cells_are_published_with_a_star() -> None:
    number = number_of("race-rules", "udc-suppress", "hides its")
    picture = drawn(Records(), "race-rules", "udc-suppress", number, WIDE)
    assert "*" in picture.split("\n")[1]
    assert "a cell F* is hidden" in picture.split("\n")[-1]
    run, _ = recorded("race-rules", "udc-suppress")
    hidden = run.grouping.suppressed_cells
    state = recorded("race-rules", "udc-suppress")[1].state(10**6)
    assert (state.hidden == hidden).all()


def test_euclidean_has_a_curve_and_small_figures_are_not_nothing() -> None:
    curve = drawn(Cockpit(), "race-rules", "euclidean", 3)
    assert "ranges, per record " in curve
    assert "NCP 0.0000" not in drawn(Cockpit(), "race-rules", "bottom-up", 1)


def test_sbc_tells_the_distances_from_the_first_record() -> None:
    """SBC table 3-4: the first left by education starts, the nearest join."""
    why = drawn(Candidates(), "similarity", "sbc", 3, WIDE)
    assert "▸ record 19" in why
    assert "runner-up 0.3333 behind" in why
    nationality = next(row for row in lines(why) if row[:2] == ["record", "8"] and len(row) > 6)
    assert "▒0.5" in nationality


def test_the_distance_of_a_candidate_is_the_sum_of_its_attributes() -> None:
    for sample, name in (("similarity", "sbc"), ("spatial-distance", "sd"), ("patients", "sd")):
        _, timeline = recorded(sample, name)
        told = [
            step.lesson.choice.candidates
            for _, step in timeline.steps(1, timeline.last)
            if step.lesson.choice is not None
        ]
        assert told
        for candidates in told:
            nearest = min(each.score for each in candidates)
            for each in candidates:
                assert abs(sum(each.parts) - each.score) < 1e-9
                assert not each.chosen or each.score <= nearest + 1e-9


def test_no_distance_is_told_as_a_power_of_ten() -> None:
    for sample in ("spatial-distance", "patients", "race-rules"):
        _, timeline = recorded(sample, "sd")
        for _, step in timeline.steps(1, timeline.last):
            assert "e-" not in step.sentence, step.sentence


def test_the_classes_of_sbc_sd_and_top_down_are_those_of_the_answer() -> None:
    for sample, name in (("similarity", "sbc"), ("patients", "sd"), ("race-rules", "top-down")):
        run, timeline = recorded(sample, name)
        state = timeline.state(timeline.last)
        assert isinstance(state, ClusteringState)
        pairs = set(zip(state.groups.tolist(), run.grouping.labels.tolist(), strict=True))
        assert len(pairs) == len(set(run.grouping.labels.tolist())), name


def test_full_speed_tells_the_same_classes() -> None:
    """One step for many decisions ends in the picture that single steps end in."""
    for name in (*ALL, "sbc", "sd", "top-down", "mondrian"):
        sample = "locations" if name == "gcka" else "race-rules"
        single, timeline = recorded(sample, name)
        for decisions in (7, 10_000):
            context = RunContext(decisions_per_step=decisions, watched=True)
            run = Run(single.task, single.algorithm, context)
            quick = new_timeline(run.algorithm)
            for step in run:
                quick.add(step)
            one = timeline.state(timeline.last).groups
            other = quick.state(quick.last).groups
            pairs = set(zip(one.tolist(), other.tolist(), strict=True))
            assert len(pairs) == len(set(one.tolist())) == len(set(other.tolist())), name


@pytest.mark.parametrize("name", [*ALL, "sbc", "sd", "top-down", "mondrian"])
@pytest.mark.parametrize("decisions", [1, 7])
def test_a_step_that_is_taken_back_leaves_the_state_before_it(name: str, decisions: int) -> None:
    single, _ = recorded("locations" if name == "gcka" else "race-rules", name)
    algorithm = replace(single.algorithm, refine=True)
    run = Run(single.task, algorithm, RunContext(decisions, watched=True))
    state = new_timeline(algorithm).state(0)
    states = [pickle.dumps(vars(state))]
    undos = []
    for number, step in enumerate(run, start=1):
        undos.append(state.take(number, step))
        states.append(pickle.dumps(seen(state)))
    for undo in reversed(undos[1:]):
        states.pop()
        undo()
        assert pickle.dumps(seen(state)) == states[-1]


def seen(state: ClusteringState) -> dict[str, object]:
    """What a picture sees of a state; arrays as lists, trees in the order of their numbers."""
    trees = {number: state.joined[number].members().tolist() for number in sorted(state.joined)}
    groups = None if state.groups is None else state.groups.tolist()
    hidden = None if state.hidden is None else state.hidden.tolist()
    rows = state.rows.tolist()
    marks = list(state.order.items())
    cuts = [number for number, _ in state.cuts]
    closed = sorted(state.closed)
    return {"seen": [trees, groups, hidden, rows, marks, cuts, closed, list(state.growing)]}


def test_steps_that_nobody_watches_carry_nothing_for_pictures() -> None:
    for name in (*ALL, "sbc", "sd", "top-down"):
        single, _ = recorded("locations" if name == "gcka" else "race-rules", name)
        for step in Run(single.task, single.algorithm, RunContext()):
            assert isinstance(step.event, GroupEvent)
            assert step.event.start is None, name
            assert not len(step.event.moves.records), name
            assert not len(step.event.records), name


def test_merges_beyond_k_are_followed() -> None:
    """Where classes miss what is required beyond k, they merge on: the pictures go with that."""
    from kanon_tui.core.privacy.l_diversity import DistinctLDiversity

    single, _ = recorded("ward", "k-member")
    required = (DistinctLDiversity(3, single.task.sensitive[0].name),)
    task = replace(single.task, privacy=replace(single.task.privacy, requirements=required))
    for decisions in (1, 10_000):
        run = Run(task, single.algorithm, RunContext(decisions, watched=True))
        timeline = new_timeline(run.algorithm)
        for step in run:
            timeline.add(step)
        assert run.grouping is not None
        groups = timeline.state(timeline.last).groups
        pairs = set(zip(groups.tolist(), run.grouping.labels.tolist(), strict=True))
        assert len(pairs) == len(set(groups.tolist())) == len(set(run.grouping.labels.tolist()))
        if decisions == 1:
            state = timeline.state(timeline.last)
            assert state.joined, "merges beyond k are in the tree"
            for number, tree in state.joined.items():
                assert (state.groups == number).sum() == len(tree.members())
            last = Scene(task, run.algorithm, timeline, timeline.last)
            assert "▸ beyond k:" in Code().draw(last, *WIDE).plain()


def test_what_a_watched_step_has_told_never_changes() -> None:
    for name in (*ALL, "sbc", "sd", "top-down", "mondrian"):
        single, _ = recorded("locations" if name == "gcka" else "race-rules", name)
        for decisions in (1, 7):
            run = Run(single.task, single.algorithm, RunContext(decisions, watched=True))
            steps = [(step, pickle.dumps(step.event)) for step in run]
            assert all(pickle.dumps(step.event) == before for step, before in steps), name


@dataclass(frozen=True)
class Chosen(Event):
    """Something is chosen."""

    choice: Choice


@describes(Chosen)
def chosen(event: Chosen, task: Task) -> Lesson:
    return Lesson("Something is chosen.", event.choice)


def test_candidates_that_are_close_are_told_apart() -> None:
    def candidates(*scores: float) -> str:
        alternatives = tuple(
            Candidate(f"cluster {n}", score, chosen=not n) for n, score in enumerate(scores)
        )
        choice = Choice("whom", "score", alternatives, 9, "the highest wins")
        run, _ = recorded("patients", "k-member")
        step = RunStep(Chosen(choice), task=run.task)
        timeline = new_timeline(run.algorithm)
        timeline.add(step)
        return Candidates().draw(Scene(run.task, run.algorithm, timeline, 1), *WIDE).plain()

    close = candidates(0.99995, 0.9999325)
    assert [line.split()[-1] for line in close.split("\n")[2:4]] == ["0.99995", "0.99993"]
    assert "runner-up 0.0000175 behind" in close
    assert "tie with" in candidates(0.5, 0.5 + 1e-12)


def test_counts_of_one_read_right() -> None:
    for name in (*MERGING, "mondrian", "sbc", "k-member"):
        single, _ = recorded("race-rules", name)
        for step in Run(single.task, single.algorithm, RunContext(7, watched=True)):
            for wrong in (" 1 classes", " 1 clusters", " 1 records", " 1 merges", " 1 cuts"):
                assert wrong not in f" {step.sentence}", step.sentence
