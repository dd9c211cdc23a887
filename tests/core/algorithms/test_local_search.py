"""Local search against its pseudo-code."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms.local_search import LocalSearch, Pointers
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.run.run import Run
from kanon_tui.core.task.steps import RunContext
from tests.core.algorithms.twins.full_domain import local, passing, searchable_task
from tests.helpers import make_task


@pytest.mark.parametrize("seed", range(120))
def test_answer_and_tests_are_those_of_the_pseudo_code(seed: int) -> None:
    task = searchable_task(seed)
    grouping = Run(task, LocalSearch()).finish()
    assert grouping is not None
    assert (grouping.levels, grouping.search["tested"]) == local(task)
    assert grouping.levels in passing(task)
    assert grouping.search["strings"] == grouping.search["tested"]


def test_pointers_move_together_and_stop_when_none_moves() -> None:
    pointers = Pointers(lowest=(0, 2), heights=(4, 3))
    assert pointers.levels == (2, 2)
    assert pointers.move(passed=False)  # half-way to the roots
    assert pointers.levels == (3, 3)
    assert pointers.move(passed=False)
    assert pointers.levels == (4, 3)
    assert not pointers.move(passed=True)


def test_steps_tell_where_the_pointers_go() -> None:
    tree = {"a": ["x", "w"], "b": ["x", "w"], "c": ["y", "w"]}
    task = make_task(
        {"p": ["a", "a", "b", "b", "c", "c"]}, 2, {"p": AttributeSpec(hierarchy={"levels": tree})}
    )
    sentences = [step.sentence for step in Run(task, LocalSearch(), RunContext(1))]
    assert sentences == [
        "⟨p 1⟩ passes: its smallest class has 2 records; RV 0.6667.",
        "Every attribute moves half-way to its more specific levels: ⟨p 0⟩.",
        "⟨p 0⟩ passes: its smallest class has 2 records; RV 1.",
    ]


def test_a_hopeless_middle_ends_at_the_roots_and_names_who_looks_further() -> None:
    """Each attribute passes alone, any two do not."""
    columns = {"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]}
    grouping = Run(make_task(columns, 2), LocalSearch()).finish()
    assert grouping is not None
    assert grouping.levels == (1, 1)
    assert "global and hybrid" in grouping.notes[0]
