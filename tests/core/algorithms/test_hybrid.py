"""Hybrid search: the answer of exhaustive search, begun as local search."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms.hybrid import HybridSearch
from kanon_tui.core.algorithms.local_search import LocalSearch
from kanon_tui.core.algorithms.twins.full_domain import best, passing
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import RunContext
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_answer_is_the_optimum_of_exhaustive_search(seed: int) -> None:
    task = searchable_task(seed)
    grouping = Run(task, HybridSearch()).finish()
    assert grouping is not None
    assert grouping.levels == best(task, passing(task))
    search = grouping.search
    assert search["strings"] == search["pruned"] + search["tested"]
    assert search["remaining"] == 0


@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_it_begins_with_the_string_that_local_search_begins_with(seed: int) -> None:
    task = searchable_task(seed)
    first = [
        next(step.sentence for step in Run(task, algorithm, RunContext(1)) if step.kind == "test")
        for algorithm in (HybridSearch(), LocalSearch())
    ]
    assert first[0] == first[1]


def test_too_many_strings_are_refused() -> None:
    columns = {f"a{x}": [f"v{i}" for i in (0, 0, 1, 1)] for x in range(30)}
    with pytest.raises(InputError, match=r"hybrid: .* distributed"):
        Run(make_task(columns, 2), HybridSearch()).finish()
