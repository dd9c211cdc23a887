"""Numbers that overflow when they are added up are refused before an algorithm computes with them.

A cost that is not finite has no cheapest partner, and a search for one would leave its arrays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms.euclidean import Euclidean
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.table.column import Kind
from tests.helpers import make_task

NUMERIC = {"x": AttributeSpec(kind=Kind.NUMERIC)}


@pytest.mark.parametrize("values", [["1e308", "-1e308", "7"], ["1", "0", "1e-308"], ["9e107"] * 3])
def test_values_beyond_arithmetic_are_refused(values: list[str]) -> None:
    with pytest.raises(InputError, match="x: its values are too large"):
        make_task({"x": values}, specs=NUMERIC)


def test_large_values_are_computed_with() -> None:
    task = make_task({"x": ["1e99", "-1e99", "7", "8", "1e99"]}, specs=NUMERIC)
    grouping = Run(task, Euclidean()).finish()
    assert grouping is not None
    assert grouping.labels.min() >= 0


def test_costs_that_are_not_finite_leave_no_array() -> None:
    """As if they had come past the checks: every merge costs infinitely much."""
    task = make_task({"x": [1, 2, 3, 4], "y": list("abcd")})
    wide = np.array([-1e308, -9e307, 9e307, 1e308])
    column = replace(task.quasi[0].column, numbers=wide)
    quasi = replace(task.quasi[0], column=column, domain=(-1e308, 1e308))
    with np.errstate(over="ignore"):
        grouping = Run(replace(task, quasi=(quasi, task.quasi[1])), Euclidean()).finish()
    assert grouping is not None
    assert np.bincount(grouping.labels)[grouping.labels].min() >= 2


@pytest.mark.parametrize("importance", [1e308, 10**400])
def test_numbers_of_a_project_stay_within_arithmetic(importance: float) -> None:
    rules = {"keep": [{"apart": ["a", "b"], "importance": importance}]}
    with pytest.raises(InputError, match="importance"):
        Project.from_dict(
            {"data": {"path": "d.csv"}, "attributes": {"x": {"role": "quasi", "rules": rules}}}
        )
