"""Cells hidden one by one: never more than the records, never less than the bound, proven."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.task import Task
from tests.helpers import make_task


def cells_task(columns: dict[str, list[str]], k: int, weights: dict[str, float]) -> Task:
    specs = {name: AttributeSpec(weight=weights.get(name)) for name in columns}
    task = make_task(columns, k, specs, max_suppression=1.0)
    return replace(task, privacy=replace(task.privacy, suppress="cells"))


def released(task: Task) -> Result:
    levels = ",".join(f"{attribute.name}=0" for attribute in task.quasi)
    return conclude(Run(task, ALGORITHMS["global"](levels=levels)))


def least_cost(rows: list[tuple[str, ...]], k: int, weights: list[float]) -> float:
    """The optimum by trying every way for every record that needs one; dropped ones cost all."""
    counts = Counter(rows)
    open_rows = [row for row in rows if counts[row] < k]
    fixed = [row for row in rows if counts[row] >= k]
    places = range(len(weights))
    ways = [way for size in range(len(weights) + 1) for way in combinations(places, size)]
    best = sum(weights) * len(open_rows)
    for chosen in product([*ways, None], repeat=len(open_rows)):
        printed = [
            tuple("*" if x in way else row[x] for x in places)
            for row, way in zip(open_rows, chosen, strict=True)
            if way is not None
        ]
        found = Counter([*printed, *fixed])
        if all(found[row] >= k for row in printed):
            cost = sum(
                sum(weights) if way is None else sum(weights[x] for x in way) for way in chosen
            )
            best = min(best, cost)
    return best


@pytest.mark.parametrize("seed", range(25))
def test_between_the_bound_and_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    columns = {
        "a": rng.choice([*"xy"], n).tolist(),
        "b": rng.choice([*"pqr"], n).tolist(),
    }
    share = float(rng.choice([0.5, 0.3, 0.8]))
    task = cells_task(columns, 2, {"a": share, "b": 1 - share})
    rows = list(zip(columns["a"], columns["b"], strict=True))
    if min(Counter(rows).values()) >= 2:
        return
    found = released(task).grouping.search["hidden_cells"]
    optimum = least_cost(rows, 2, [share, 1 - share])
    assert found["bound"] <= optimum + 1e-9
    assert optimum <= found["cost"] + 1e-9


def test_the_cheaper_attribute_is_hidden() -> None:
    columns = {"a": ["x", "x", "y", "y", "z", "z"], "b": ["p", "q", "p", "q", "r", "r"]}
    dear_a = released(cells_task(columns, 2, {"a": 0.9, "b": 0.1})).table
    kept = [("z", "r")] * 2
    assert sorted(dear_a.rows()) == [("x", "*"), ("x", "*"), ("y", "*"), ("y", "*"), *kept]
    dear_b = released(cells_task(columns, 2, {"a": 0.1, "b": 0.9})).table
    assert sorted(dear_b.rows()) == [("*", "p"), ("*", "p"), ("*", "q"), ("*", "q"), *kept]


@pytest.mark.parametrize("seed", range(5))
def test_larger_tables_verify_and_keep_more_than_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {name: rng.choice([*"abcdef"], 200).tolist() for name in ("a", "b", "c")}
    task = cells_task(columns, 3, {})
    result = released(task)
    plain = released(replace(task, privacy=replace(task.privacy, suppress="records")))
    assert smallest_class(result.table, ["a", "b", "c"]) >= 3
    assert result.table.height > plain.table.height
    assert result.measures.ncp < plain.measures.ncp
    stars = sum((result.table[name] == "*").sum() for name in columns)
    assert result.measures.suppressed_cells == stars
    lost = 200 - result.table.height
    for cells, name in zip(cells_of(result.release), columns, strict=True):
        hidden = (result.table[name] == "*").sum() + lost
        assert attribute_ncp(cells) == pytest.approx(hidden / 200)
    assert any("no way costs less than" in note for note in result.notes)


def test_what_is_required_beyond_k_holds_in_the_classes_with_hidden_cells() -> None:
    from kanon_tui.core.privacy.models import MODELS
    from kanon_tui.core.table.column import Role

    rng = np.random.default_rng(4)
    columns = {name: rng.choice([*"abcd"], 120).tolist() for name in ("a", "b")}
    columns["s"] = rng.choice([*"uv"], 120).tolist()
    task = make_task(columns, 2, {"s": AttributeSpec(role=Role.SENSITIVE)}, max_suppression=1.0)
    wanted = (MODELS["l_distinct"](2, "s"),)
    task = replace(task, privacy=replace(task.privacy, suppress="cells", requirements=wanted))
    table = released(task).table
    for _, group in table.group_by("a", "b"):
        assert group["s"].n_unique() >= 2


def test_why_says_that_the_cell_was_hidden_alone() -> None:
    columns = {"a": ["x", "x", "z", "z"], "b": ["p", "q", "r", "r"]}
    result = released(cells_task(columns, 2, {"a": 0.9, "b": 0.1}))
    why = explainer(result).of_record(0, 1)
    assert why.question == "Why is b p published as *?"
    assert "cheapest way found" in why.because


def test_one_value_for_a_class_and_hidden_cells_are_refused_together() -> None:
    task = make_task({"a": [1, 2, 3]}, 2, {"a": AttributeSpec(publish="mean")}, max_suppression=1.0)
    task = replace(task, privacy=replace(task.privacy, suppress="cells"))
    with pytest.raises(InputError, match="no cell of it can be hidden alone"):
        released(task)
