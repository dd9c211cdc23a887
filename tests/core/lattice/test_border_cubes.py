"""The walk along the border: the same minimal strings, with cubes early, late or never."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.twins.full_domain import minimal, passing, small_records
from kanon_tui.core.lattice import border, search
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task


def people(seed: int, records: int = 300) -> Task:
    """Attributes of four levels, whose labels are not in the order of their groups."""
    rng = np.random.default_rng(seed)
    values = [f"v{i}" for i in range(9)]
    levels = {v: [f"g{(i * 7) % 4}", f"h{(i * 7) % 4 % 2}", "*"] for i, v in enumerate(values)}
    spec = AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": levels})
    columns = {name: [values[i] for i in rng.integers(0, 9, records)] for name in "abcd"}
    task = make_task(columns, 5, dict.fromkeys(columns, spec))
    return replace(task, privacy=Privacy(k=5, max_suppression=0.1))


@pytest.mark.parametrize("most_places", [0, 20, 200, 10**9])
def test_cubes_change_nothing_but_the_time(
    most_places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never a cube, small ones alone, one for everything; and calls that end after one test."""
    monkeypatch.setattr(border, "_PLACES_PER_CLASS", 0)
    monkeypatch.setattr(border, "_PLACES_PER_TEST", most_places)
    monkeypatch.setattr(border, "_PATIENCE", 1)
    for task in (*map(searchable_task, range(40)), people(1), people(2)):
        grouping = Run(task, Incognito()).finish()
        assert grouping is not None
        found = grouping.search
        expected = minimal(passing(task))
        assert {tuple(met["levels"].values()) for met in found["passing"]} == expected
        assert found["strings"] == found["pruned"] + found["tested"]
        assert found["remaining"] == 0


@pytest.mark.parametrize("most_places", [0, 200, 10**9])
def test_every_step_tells_the_truth_of_its_string(
    most_places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are too small, or large for good, are left out; their records are not forgotten."""
    monkeypatch.setattr(border, "_PLACES_PER_CLASS", 0)
    monkeypatch.setattr(border, "_PLACES_PER_TEST", most_places)
    monkeypatch.setattr(border, "_PATIENCE", 1)
    monkeypatch.setattr(search, "_WORK_PER_STEP", 0)
    told = set()
    for share in (0.0, 0.1):
        task = replace(people(3), privacy=Privacy(k=5, max_suppression=share))
        for step in Run(task, Incognito()):
            if step.kind != "test":
                continue
            small = small_records(task, step.event.levels)
            assert step.event.outcome.small == small
            assert step.event.outcome.passes == (small <= task.allowed_suppressed)
            told.add(step.sentence.split("⟩ ")[1].split("; RV")[0].lstrip("0123456789 "))
    assert "passes: its classes have 5 records or more" in told
    assert any(one.startswith("fails: ") and one.endswith("30 may be suppressed") for one in told)
    assert any(one.endswith("may be suppressed") for one in told)


def test_counters_do_not_depend_on_the_order_of_the_records() -> None:
    """What is tested follows from which strings pass, not from who stands where in the file."""
    rng = np.random.default_rng(3)
    columns = {name: [f"v{i}" for i in rng.integers(0, 6, 200)] for name in "abc"}
    order = rng.permutation(200)
    shuffled = {name: [values[i] for i in order] for name, values in columns.items()}
    found = [Run(make_task(each, 4), Incognito()).finish() for each in (columns, shuffled)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].search == found[1].search
