"""Numbers with thousands of values get the labels of their hierarchy when they are asked for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.specification import build_hierarchy
from kanon_tui.core.pipeline.prepare import prepare, quasi_identifier
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import Note
from tests.paths import ROOT

WIDTHS = {"builder": "intervals", "widths": [1000, 5000, 20000]}


def incomes(records: int = 8_000) -> Table:
    """Incomes to the cent, hardly two of them equal and some missing."""
    rng = np.random.default_rng(1)
    income = np.round(rng.lognormal(10, 0.5, records), 2).astype(str)
    income[rng.random(records) < 0.05] = ""
    return as_table(pl.DataFrame({"income": income, "sex": rng.choice(["m", "f"], records)}))


def project(hierarchy: dict[str, Any] | None, algorithm: str = "mondrian") -> Project:
    income = AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC, hierarchy=hierarchy)
    sex = AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL)
    return Project(
        DataSource("table.csv"),
        {"income": income, "sex": sex},
        privacy=Privacy(k=5),
        algorithm=AlgorithmChoice(algorithm, {}),
    )


def is_built(task: Task) -> bool:
    return task.quasi[0].hierarchy.built


@pytest.mark.parametrize("hierarchy", [None, WIDTHS, {"builder": "quantiles", "bins": [40, 10]}])
def test_the_labels_are_those_of_a_hierarchy_built_at_once(
    hierarchy: dict[str, Any] | None,
) -> None:
    task = prepare(project(hierarchy), incomes())
    attribute = task.quasi[0]
    assert not is_built(task)
    copied = pickle.loads(pickle.dumps(attribute.hierarchy))
    other = attribute.hierarchy.with_column(attribute.column)
    spec = hierarchy or {"builder": "intervals"}
    at_once = build_hierarchy(spec, attribute.column, ROOT).bind(attribute.column)
    for one in (attribute.hierarchy, copied, other):
        assert one.paths == at_once.paths
        assert (one.order == at_once.order).all()
        assert one.height == at_once.height
    assert is_built(task)


def test_a_clustering_never_asks_and_a_search_does() -> None:
    for algorithm, asks in (("mondrian", False), ("k-member", False), ("datafly", True)):
        asked = project(WIDTHS, algorithm)
        task = prepare(asked, incomes())
        conclude(start(asked, task=task))
        assert is_built(task) is asks, algorithm


def test_the_note_on_a_default_hierarchy_tells_its_levels() -> None:
    notes: list[Note] = []
    spec = project(None).attributes["income"]
    column = incomes().column("income", Kind.NUMERIC)
    made = quasi_identifier(column, spec, 1.0, project(None), notes)
    assert not made.hierarchy.built
    assert f"level {made.hierarchy.height - 1}" in notes[0]


def test_mistakes_are_reported_before_the_run() -> None:
    with pytest.raises(InputError, match="5000 is not a multiple of 1500"):
        prepare(project({"builder": "intervals", "widths": [1500, 5000]}), incomes())
    with pytest.raises(InputError, match="builder"):
        prepare(project({"builder": "date", "levels": ["year"]}), incomes())
