"""Data constraint rules: which groups break them, what that costs, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import build_hierarchy
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import code_column
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable

RACES = ["White", "Hispanic", "Black", "Asian"]
RACE_RULES = RuleTable(
    0.0,
    (
        Apart(("White",), ("Hispanic",), 5.0),
        Apart(("White",), ("Black",), 20.0),
        Apart(("Hispanic",), ("Black",), 10.0),
        Apart(("Hispanic",), ("Asian",), 5.0),
    ),
)


def column(values: list[str], kind: Kind = Kind.CATEGORICAL) -> Column:
    return code_column(pl.Series("attribute", values), kind)


def level(of: Column, groups: dict[str, int]) -> np.ndarray:
    return np.array([groups[value] for value in of.values], dtype=np.int32)


def test_morton_table_1() -> None:
    """A level that mixes Hispanic and Black only keeps 30 of 40: DR 0.75."""
    races = column(RACES)
    bound = RACE_RULES.bind(races)
    mixing = level(races, {"White": 0, "Hispanic": 1, "Black": 1, "Asian": 2})
    assert bound.broken_by_level(mixing).tolist() == [False, False, True, False]
    assert bound.of_level(mixing) == 0.75
    assert bound.of_level(np.arange(4)) == 1.0
    assert bound.of_level(np.zeros(4, dtype=np.int32)) == 0.0


def test_base_is_left_when_every_rule_is_broken() -> None:
    races = column(RACES)
    bound = RuleTable(10.0, RACE_RULES.rules).bind(races)
    assert bound.of_level(np.zeros(4, dtype=np.int32)) == 10 / 50


def test_no_rules_keep_everything() -> None:
    bound = RuleTable(3.0).bind(column(RACES))
    broken = bound.broken(np.array([0, 1, 2]), np.array([0, 0, 1]))
    assert bound.ratio(broken).tolist() == [1.0, 1.0]
    assert bound.of_level(np.zeros(4, dtype=np.int32)) == 1.0


def test_sets_of_values() -> None:
    races = column(RACES)
    rule = Apart(("White", "Asian"), ("Hispanic",), 5.0)
    bound = RuleTable(0.0, (rule,)).bind(races)
    code = {value: code for code, value in enumerate(races.values)}
    pairs = [("White", "Asian"), ("Asian", "Hispanic"), ("Black", "Hispanic")]
    codes = np.array([code[value] for pair in pairs for value in pair])
    assert bound.broken(codes, np.array([0, 0, 1, 1, 2, 2])).tolist() == [[False, True, False]]
    assert str(rule) == "{White, Asian} | Hispanic"


def test_boundary_needs_a_value_on_either_side() -> None:
    ages = column(["20", "64", "64.5", "65", "90", "?"], Kind.NUMERIC)
    bound = RuleTable(0.0, (Boundary("64", "65", 25.0),)).bind(ages)
    code = {value: code for code, value in enumerate(ages.values)}
    groups = [["20", "64"], ["64", "65"], ["64.5", "90"], ["20", "64.5"], ["20", "?"], ["?", "90"]]
    codes = np.array([code[value] for group in groups for value in group])
    numbers = np.repeat(np.arange(len(groups)), 2)
    assert bound.broken(codes, numbers).tolist() == [[False, True, False, False, False, False]]


def test_boundary_on_dates() -> None:
    days = column(["1999-12-31", "2000-01-01"], Kind.DATE)
    bound = RuleTable(0.0, (Boundary("1999-12-31", "2000-01-01", 1.0),)).bind(days)
    assert bound.of_level(np.array([0, 0])) == 0.0


def test_suppressed_records_break_nothing() -> None:
    bound = RACE_RULES.bind(column(RACES))
    assert not bound.broken(np.array([0, 1, 2, 3]), np.array([0, -1, -1, -1])).any()


def test_groups_without_values_are_counted_when_asked() -> None:
    bound = RACE_RULES.bind(column(RACES))
    assert bound.broken(np.array([0]), np.array([0]), count=3).shape == (4, 3)
    empty = np.array([], dtype=int)
    assert bound.ratio(bound.broken(empty, empty)).shape == (0,)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=12),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 9)), max_size=4),
    st.integers(0, 5),
)
@settings(max_examples=150, deadline=None)
def test_many_groups_agree_with_one_by_one(
    cells: list[tuple[int, int]], pairs: list[tuple[int, int, int]], base: int
) -> None:
    letters = column(list("abcde"))
    rules = tuple(
        Apart((letters.values[a],), (letters.values[b],), float(w)) for a, b, w in pairs if a != b
    )
    codes = np.array([code for code, _ in cells], dtype=np.int64)
    groups = np.array([group for _, group in cells], dtype=np.int64)
    bound = RuleTable(float(base), rules).bind(letters)
    ratios = bound.ratio(bound.broken(codes, groups))
    for group in range(len(ratios)):
        held = {letters.values[code] for code, g in cells if g == group}
        kept = base + sum(
            r.importance for r in rules if not (r.first[0] in held and r.second[0] in held)
        )
        whole = base + sum(r.importance for r in rules)
        assert ratios[group] == pytest.approx(kept / whole if rules else 1.0)


@pytest.mark.parametrize(
    ("rule", "kind", "says"),
    [
        (Apart(("20",), ("21",), 0.0), Kind.CATEGORICAL, "importance 0"),
        (Apart(("20",), ("21",), float("nan")), Kind.CATEGORICAL, "importance nan"),
        (Apart(("20",), ("21",), float("inf")), Kind.CATEGORICAL, "importance inf"),
        (Apart(("20", "21"), ("21",), 1.0), Kind.CATEGORICAL, "names '21' on both sides"),
        (Boundary("20", "21", 1.0), Kind.CATEGORICAL, "needs numbers or dates"),
        (Boundary("21", "20", 1.0), Kind.NUMERIC, "must rise"),
        (Boundary("20", "20", 1.0), Kind.NUMERIC, "must rise"),
        (Boundary("20", "old", 1.0), Kind.NUMERIC, "boundary 'old' is not a number"),
    ],
)
def test_refused(rule: Apart | Boundary, kind: Kind, says: str) -> None:
    with pytest.raises(InputError, match=says) as error:
        RuleTable(0.0, (rule,)).bind(column(["20", "21", "30"], kind))
    assert str(error.value).startswith("attribute: ")


@pytest.mark.parametrize("base", [-1.0, float("nan"), float("inf")])
def test_base_must_be_a_number_from_0(base: float) -> None:
    with pytest.raises(InputError, match="base value"):
        RuleTable(base, RACE_RULES.rules).bind(column(RACES))


COUNTRIES = Hierarchy.from_rows(
    [
        ("Chile", "America", "*"),
        ("Peru", "America", "*"),
        ("Mali", "Africa", "*"),
        ("Chad", "Africa", "*"),
    ]
)


def test_a_rule_names_labels_of_the_hierarchy() -> None:
    countries = column(["Chile", "Peru", "Mali"])
    hierarchy = COUNTRIES.bind(countries)
    rule = Apart(("America",), ("Mali",), 5.0)
    bound = RuleTable(0.0, (rule,)).bind(countries, hierarchy)
    by_values = RuleTable(0.0, (Apart(("Chile", "Peru"), ("Mali",), 5.0),)).bind(countries)
    assert bound.first.tolist() == by_values.first.tolist()
    assert bound.second.tolist() == by_values.second.tolist()
    assert bound.notes == ()
    assert not bound.broken_by_level(hierarchy.maps[1]).any()
    with pytest.raises(InputError, match="names 'Peru' on both sides"):
        RuleTable(0.0, (Apart(("America",), ("Peru",), 5.0),)).bind(countries, hierarchy)


def test_ranges_of_numbers_are_kept_apart_by_their_labels() -> None:
    ages = column(["21", "29", "30", "41"], Kind.NUMERIC)
    spec = {"builder": "intervals", "widths": [10, 20]}
    hierarchy = build_hierarchy(spec, ages, Path()).bind(ages)
    bound = RuleTable(0.0, (Apart(("20-29",), ("30-39", "40-49"), 1.0),)).bind(ages, hierarchy)
    assert bound.broken_by_level(hierarchy.maps[1]).tolist() == [False]
    assert bound.broken_by_level(hierarchy.maps[2]).tolist() == [True]


def test_a_name_that_the_data_does_not_have_is_a_note() -> None:
    countries = column(["Chile", "Mali"])
    rules = (Apart(("Chile",), ("Kenya",), 5.0), Apart(("Chile",), ("Mali",), 5.0))
    bound = RuleTable(0.0, rules).bind(countries, COUNTRIES.bind(countries))
    assert bound.broken_by_level(np.zeros(2, dtype=np.int32)).tolist() == [False, True]
    assert bound.notes == (
        "attribute: rule 'Chile | Kenya' names 'Kenya', which the data does not have; it keeps "
        "nothing apart there",
    )


def test_a_label_of_two_levels_with_different_values_is_refused() -> None:
    twice = Hierarchy.from_rows([("a", "x", "y", "*"), ("b", "y", "y", "*"), ("c", "z", "z", "*")])
    letters = column(["a", "b", "c"])
    with pytest.raises(InputError, match="'y', which is a label of levels 1 and 2"):
        RuleTable(0.0, (Apart(("y",), ("c",), 1.0),)).bind(letters, twice.bind(letters))
