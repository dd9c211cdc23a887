"""Minimal sample uniques, against counting by hand, and against every set of every record."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.analysis.minimal_uniques import largest_size, minimal_uniques
from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import as_table


def columns_of(rows: list[tuple[str, ...]], names: str) -> list[Column]:
    table = as_table(pl.DataFrame({n: [row[x] for row in rows] for x, n in enumerate(names)}))
    return [table.column(name, Kind.CATEGORICAL) for name in names]


def test_a_rural_widow_of_sixteen() -> None:
    rows = [
        ("16", "widowed", "rural"),
        ("16", "single", "rural"),
        ("16", "single", "rural"),
        ("70", "widowed", "rural"),
        ("70", "widowed", "urban"),
        ("70", "single", "urban"),
        ("70", "single", "urban"),
    ]
    found = minimal_uniques(columns_of(rows, "amw"), most=3)
    # Age and status single out the first; nobody is alone with one attribute. 3 attributes, sets
    # of up to 3: a set of two counts (3 − 2) = 1.
    assert found.scores[0] == 1.0
    assert [each.attributes for each in found.worst][:1] == [("a", "m")]
    alone = minimal_uniques(columns_of([("x", "1", "1"), ("y", "1", "1"), ("y", "1", "1")], "abc"))
    assert alone.scores[0] == 2.0  # (3 − 1)(3 − 2), as docs/metrics.md works it
    assert found.contributions["a"] > found.contributions["w"] / 2
    assert found.singled_out == int((found.scores > 0).sum())
    # Three records are singled out, by two attributes each: a value is in one of three scores.
    by_value = {(each.attribute, each.value): each for each in found.values}
    assert by_value["a", "16"].records == 3
    assert by_value["a", "16"].share == pytest.approx(1 / 3)
    for name in "amw":
        parts = [each.share for (attribute, _), each in by_value.items() if attribute == name]
        assert sum(parts) == pytest.approx(found.contributions[name])


def twin(rows: list[tuple[str, ...]], most: int) -> tuple[list[float], dict[tuple[int, ...], int]]:
    """Every set of every record, one by one."""
    attributes = len(rows[0])
    scores = [0.0] * len(rows)
    smallest = {}
    sets = [c for size in range(1, most + 1) for c in combinations(range(attributes), size)]
    for chosen in sets:
        shared = [sum(all(r[x] == row[x] for x in chosen) for r in rows) for row in rows]
        smallest[chosen] = min(shared)
    for number, row in enumerate(rows):
        minimal: list[tuple[int, ...]] = []
        for chosen in sets:
            if any(set(other) < set(chosen) for other in minimal):
                continue
            if sum(all(r[x] == row[x] for x in chosen) for r in rows) == 1:
                minimal.append(chosen)
        for chosen in minimal:
            last = min(most, attributes - 1)
            scores[number] += prod(attributes - i for i in range(len(chosen), last + 1))
    return scores, smallest


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 4).flatmap(
        lambda width: st.tuples(
            st.lists(st.tuples(*[st.sampled_from("xyz")] * width), min_size=1, max_size=12),
            st.integers(1, width),
        )
    )
)
def test_every_set_of_every_record(drawn: tuple[list[tuple[str, ...]], int]) -> None:
    rows, most = drawn
    names = "abcd"[: len(rows[0])]
    found = minimal_uniques(columns_of(rows, names), most)
    scores, smallest = twin(rows, most)
    assert np.allclose(found.scores, scores)
    for each in found.combinations:
        assert each.smallest == smallest[tuple(names.index(name) for name in each.attributes)]
    dangerous = [set(each.attributes) for each in found.dangerous(3)]
    assert not any(one < other for one in dangerous for other in dangerous)
    for each in found.combinations:
        if each.smallest < 3:
            assert any(one <= set(each.attributes) for one in dangerous)


def test_five_visits_of_one_person_are_one_person() -> None:
    rows = [("x", "P1")] * 5 + [("y", "P2"), ("y", "P3")]
    who = columns_of(rows, "ap")
    alone = minimal_uniques(who[:1])
    assert alone.singled_out == 0
    people = minimal_uniques(who[:1], person=who[1])
    assert people.singled_out == 5
    assert people.combinations[0].smallest == 1


def test_too_many_sets_are_refused_with_what_would_do() -> None:
    rows = [tuple("x" for _ in range(40))] * 2
    columns = columns_of(rows, "".join(chr(97 + x) if x < 26 else chr(39 + x) for x in range(40)))
    with pytest.raises(InputError, match=r"sets of up to 3, or for fewer attributes"):
        minimal_uniques(columns, most=5)
    assert largest_size(40) == 3
    assert largest_size(3) == 3
