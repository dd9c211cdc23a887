"""Local search against its pseudo-code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from kanon_tui.core.algorithms.local_search import LocalSearch, Pointers
from kanon_tui.core.algorithms.twins.full_domain import heights, local, passing
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.lattice.strings import Lattice
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.task import RunContext, Step
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task


@pytest.mark.parametrize("seed", range(120))
def test_answer_and_tests_are_those_of_the_pseudo_code(seed: int) -> None:
    task = searchable_task(seed)
    grouping = Run(task, LocalSearch(accept_root=True)).finish()
    assert grouping is not None
    assert (grouping.levels, grouping.search["tested"]) == local(task)
    assert grouping.levels in passing(task)
    assert grouping.search["strings"] == grouping.search["tested"]
    if grouping.levels == heights(task) and any(heights(task)):
        with pytest.raises(NotReachedError, match="none found"):
            Run(task, LocalSearch()).finish()
    else:
        strict = Run(task, LocalSearch()).finish()
        assert strict is not None
        assert strict.levels == grouping.levels


def test_pointers_move_together_and_stop_when_none_moves() -> None:
    pointers = Pointers(Lattice((0, 2), (4, 3), [np.zeros(5), np.zeros(4)]))
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
        "⟨p 1⟩, half-way in what is left of every attribute, passes: its smallest class has 2 "
        "records; RV 0.6667.",
        "Every attribute moves half-way to its more specific levels: ⟨p 0⟩.",
        "⟨p 0⟩, half-way in what is left of every attribute, passes: its smallest class has 2 "
        "records; RV 1.",
    ]


def test_morton_table_6_blank_where_only_the_roots_pass_and_what_would_help() -> None:
    """Each attribute passes alone, any two do not."""
    task = make_task({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]}, 2)
    with pytest.raises(NotReachedError) as refused:
        Run(task, LocalSearch()).finish()
    assert str(refused.value) == (
        "none found: of the strings that local met only that of roots passes, which says nothing "
        "of the quasi-identifiers, though level 0 of a passes alone: global and hybrid look at "
        "all strings; lower k, choose another algorithm, or set accept_root to publish the roots"
    )
    grouping = Run(task, LocalSearch(accept_root=True)).finish()
    assert grouping is not None
    assert grouping.levels == (1, 1)
    assert "global and hybrid" in grouping.notes[0]


def test_a_cancel_never_keeps_the_roots_unless_they_are_accepted() -> None:
    task = make_task({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]}, 2)
    for accept, kept in ((False, None), (True, (1, 1))):
        run = Run(task, LocalSearch(accept_root=accept), RunContext(1))
        *_, last = run_until_refused(run)
        found = None if last.keep is None else last.keep().levels
        assert found == kept


def run_until_refused(run: Run) -> Iterator[Step]:
    with suppress(NotReachedError):
        yield from run
