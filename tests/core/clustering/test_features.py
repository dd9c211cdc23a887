"""The arrays of clustering kernels: collapsed records, places, ranks, flattened hierarchies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.clustering.features import Features, collapse, places, ranks
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2**30), st.integers(0, 2**30)), max_size=30
    )
)
def test_collapse_numbers_distinct_rows_by_first_appearance(rows: list[tuple[int, ...]]) -> None:
    """The codes are so large that three columns do not fit one 64-bit key."""
    table = np.array(rows, dtype=np.int32).reshape(len(rows), 3)
    found = collapse([*table.T, table[:, 1]])
    order = list(dict.fromkeys(rows))
    assert found.number.tolist() == [order.index(row) for row in rows]
    assert found.counts.tolist() == [rows.count(row) for row in order]
    assert found.first.tolist() == [rows.index(row) for row in order]
    assert len(found) == len(order)
    for number, row in enumerate(order):
        records = found.records[found.starts[number] : found.starts[number + 1]].tolist()
        assert records == [i for i, other in enumerate(rows) if other == row]


def test_flattened_hierarchies_give_the_height_of_the_common_ancestor() -> None:
    for seed in range(40):
        task = random_task(seed)
        features = Features.from_task(task)
        labels = features.labels
        number = features.distinct.number
        flattened = np.array(features.flattened, dtype=int)
        for i in range(0, task.n, 3):
            for j in range(0, task.n, 4):
                differ = labels[number[i]] != labels[number[j]]
                for x, attribute in enumerate(task.quasi):
                    if attribute.ordered or not attribute.hierarchy.height:
                        continue
                    pair = [int(attribute.column.codes[i]), int(attribute.column.codes[j])]
                    cost = features.label_weights[differ & (flattened == x)].sum()
                    height = attribute.hierarchy.lca_level(pair)
                    assert cost == pytest.approx(height / attribute.hierarchy.height)


def test_places_lie_in_the_domain_that_was_given() -> None:
    task = make_task(
        {"v": ["10", "20", "?"], "one": [4, 4, 4]},
        specs={"v": AttributeSpec(kind=Kind.NUMERIC, domain=(0, 40))},
    )
    found = places(task.quasi[0])
    assert found[:2].tolist() == [0.25, 0.5]
    assert np.isnan(found[2])
    assert places(task.quasi[1]).tolist() == [0.0]


def test_ranks_put_equal_numbers_together_and_missing_last() -> None:
    columns = {"v": ["9", "9.0", "40", "?", "2"], "c": ["b", "a", "?", "c", "a"]}
    levels = {"c": ["1"], "a": ["2"], "b": ["1"]}
    specs = {
        "v": AttributeSpec(kind=Kind.NUMERIC),
        "c": AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": levels}),
    }
    number, category = make_task(columns, specs=specs).quasi
    assert dict(zip(number.column.values, ranks(number).tolist(), strict=True)) == {
        "2": 0,
        "9": 1,
        "9.0": 1,
        "40": 2,
        "?": 3,
    }
    by_rank = sorted(zip(ranks(category).tolist(), category.column.values, strict=True))
    assert [value for _, value in by_rank] == ["c", "b", "a", "?"]


def test_records_that_differ_in_a_further_column_do_not_collapse() -> None:
    task = make_task({"v": [1, 1, 1], "w": ["a", "a", "a"]})
    assert len(Features.from_task(task).distinct) == 1
    assert len(Features.from_task(task, [np.array([0, 1, 0])]).distinct) == 2
