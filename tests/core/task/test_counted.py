"""Counted rows give the answers of records: searches, Mondrian, recoder, metrics, verifier."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError, KanonError, NotReachedError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.privacy.verify import smallest_class, verify
from kanon_tui.core.release.recode import recode
from kanon_tui.core.task.parts import with_counted_rows
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import random_task
from tests.tries import tries

COUNTABLE = [name for name, each in ALGORITHMS.items() if each.works_on_counted_rows]


def counted(task: Task) -> tuple[Task, np.ndarray]:
    """The task over its distinct rows, in the order of first appearance; the row of each record."""
    columns = [*(a.column for a in task.quasi), *task.sensitive]
    cells = np.column_stack([column.codes for column in columns])
    _, first, inverse, copies = np.unique(
        cells, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    codes = {column.name: column.codes[first[order]] for column in columns}
    return with_counted_rows(task, codes, copies[order].astype(np.int64)), place[inverse.ravel()]


def outcome(task: Task, name: str):
    try:
        return Run(task, ALGORITHMS[name]()).finish()
    except KanonError as error:
        return str(error)


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTABLE)
@pytest.mark.parametrize("requirements", [(), (DistinctLDiversity(2),), (TCloseness(0.4),)])
def test_answers_and_metrics_are_those_of_records(name, requirements):
    compared = 0
    for seed in range(tries(8)):
        task = random_task(seed)
        if requirements and seed % 3:
            continue
        share = (0.0, 0.1, 0.3)[seed % 3]
        privacy = replace(task.privacy, max_suppression=share, requirements=requirements)
        task = replace(task, privacy=privacy)
        few, row = counted(task)
        one = outcome(task, name)
        other = outcome(few, name)
        if isinstance(other, str):
            assert one == other or "counted" in other
            continue
        compared += 1
        assert np.array_equal(one.labels, other.labels[row])
        assert (one.levels, one.search, one.notes) == (other.levels, other.search, other.notes)
        release = recode(task, one)
        counted_release = recode(few, other)
        for cells, counted_cells in zip(release.cells, counted_release.cells, strict=True):
            assert cells.texts == counted_cells.texts
            assert np.array_equal(cells.codes, counted_cells.codes[row])
        measures = asdict(measure(release))
        same = asdict(measure(counted_release))
        for each in (measures, same):
            each["privacy"]["class_sizes"] = each["privacy"]["class_sizes"].tolist()
            each["privacy"]["required"] = [r["figure"] for r in each["privacy"]["required"]]
        assert repr(measures) == repr(same)  # nan is not equal to itself
    assert compared >= 3


def test_relaxed_cuts_and_spared_records_are_refused():
    few, _ = counted(random_task(3))
    with pytest.raises(InputError, match=r"relaxed .* --engine memory"):
        Run(few, ALGORITHMS["mondrian"](relaxed=True)).finish()


def test_the_verifier_counts_copies():
    published = pl.DataFrame({"age": ["1", "1", "2"], "ill": ["a", "b", "a"]})
    copies = pl.Series([2, 1, 4])
    assert smallest_class(published, ["age"], copies) == 3
    assert verify(published, ["age"], (), 3, copies=copies) == 3
    asked = [2.0, 3.0, 4.0]
    assert verify(published, ["age"], (), 3, personal_k=asked, copies=copies) == 3
    with pytest.raises(NotReachedError, match="smallest class has 3"):
        verify(published, ["age"], (), 4, copies=copies)
    with pytest.raises(NotReachedError, match="fewer records than a person"):
        verify(published, ["age"], (), 3, personal_k=[2.0, 4.0, 4.0], copies=copies)
    with pytest.raises(NotReachedError, match="3 rows and 2 counts"):
        verify(published, ["age"], (), 3, copies=copies[:2])
