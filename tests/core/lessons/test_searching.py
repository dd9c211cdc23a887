"""What is told about searches for a string, one decision or many to a step."""

from __future__ import annotations

from kanon_tui.core.algorithms.distributed import DistributedSearch
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.lattice.events import (
    NO_MORE_GENERAL,
    Inferred,
    Pruned,
    Reason,
    SearchEnded,
    StringAccepted,
    StringTested,
)
from kanon_tui.core.lattice.objective import Worth
from kanon_tui.core.pipeline.run import Run, RunStep
from kanon_tui.core.task.task import RunContext
from kanon_tui.core.teaching.candidates import vote_on
from kanon_tui.core.teaching.pseudo_code import lit_line
from tests.core.algorithms.searchable_tables import searchable_task


def test_candidates_are_shown_with_the_test_that_they_belong_to() -> None:
    """A step that ends with a pruning does not show the strings around an earlier test."""
    task = searchable_task(5)
    steps = list(Run(task, GlobalSearch(), RunContext(4, watched=True)))
    tests = [step for step in steps if isinstance(step.event, StringTested)]
    others = [step for step in steps if not isinstance(step.event, StringTested)]
    assert tests
    assert others
    for step in tests:
        assert step.lesson.choice is not None
        chosen = [each for each in step.lesson.choice.candidates if each.chosen]
        assert str(chosen[0].what) in step.sentence
    assert all(step.lesson.choice is None for step in others)


def test_a_step_with_several_decisions_tells_its_last_one_in_the_words_of_one() -> None:
    task = searchable_task(5)
    one = [step.sentence for step in Run(task, GlobalSearch(), RunContext(1))]
    four = list(Run(task, GlobalSearch(), RunContext(4)))
    for number, step in enumerate(four, start=1):
        if not isinstance(step.event, SearchEnded):
            assert step.sentence.startswith("4 decisions; the last: ")
            told = step.sentence.removeprefix("4 decisions; the last: ")
            assert told.split(" has ")[0] == one[4 * number - 1].split(" has ")[0]


def test_the_line_that_accepts_a_string_without_a_test_is_lit() -> None:
    task = searchable_task(5)
    event = StringAccepted(tuple(0 for _ in task.quasi), Worth("rv", 0.5))
    line = lit_line(GlobalSearch.pseudo_code, RunStep(event, task=task))
    assert line is not None
    assert GlobalSearch.pseudo_code[line].text == "passes: drop all that are worth no more"


def test_what_failed_before_there_was_a_list_lights_the_line_of_failing() -> None:
    task = searchable_task(5)
    step = RunStep(Pruned(3, NO_MORE_GENERAL), task=task)
    assert step.sentence == "Drop 3 strings: no more general than one that failed."
    line = lit_line(GlobalSearch.pseudo_code, step)
    assert line is not None
    assert GlobalSearch.pseudo_code[line].text == "fails: drop all that are more specific"


def test_a_reason_of_another_package_is_told_by_its_name() -> None:
    unlucky = Reason("a thirteenth string is never tested", Inferred.BEATEN)
    step = RunStep(Pruned(1, unlucky), task=searchable_task(5))
    assert step.sentence == "Drop 1 string: a thirteenth string is never tested."


def test_the_question_before_a_split_is_about_parts_and_not_about_records() -> None:
    task = next(task for task in map(searchable_task, range(40)) if len(task.quasi) > 3)
    steps = list(Run(task, DistributedSearch(part=2, workers=1), RunContext(1)))
    (split,) = [step for step in steps if step.kind == "split"]
    assert vote_on(split).question == "Into how many parts are the attributes split?"
