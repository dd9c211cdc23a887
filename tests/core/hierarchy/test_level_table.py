"""Level tables: validity, marks, and what they become when bound to a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, Hierarchy, Mark
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.table.table import code_column

COUNTRIES = Hierarchy.from_rows(
    [
        ("USA", "North", "America", "Country"),
        ("Canada", "North", "America", "Country"),
        ("Peru", "South", "America", "Country"),
        ("Brazil", "South", "America", "Country"),
        ("Iran", "West", "Asia", "Country"),
        ("Egypt", "West", "Asia", "Country"),
        ("India", "East", "Asia", "Country"),
        ("Japan", "East", "Asia", "Country"),
    ]
)
LOCATIONS = Hierarchy.from_rows(
    [
        ("San Diego", "California", "West Coast", "United States"),
        ("Los Angeles", "California", "West Coast", "United States"),
        ("Wichita", "Kansas", "Midwest", "United States"),
        ("Kansas City", "Kansas", "Midwest", "United States"),
        ("Lincoln", "Nebraska", "Midwest", "United States"),
    ]
)


def column(
    texts: Sequence[object], kind: Kind = Kind.CATEGORICAL, tokens: Sequence[str] = ("?",)
) -> Column:
    return code_column(pl.Series("x", [str(text) for text in texts]), kind, tokens)


def lca(bound: BoundHierarchy, *texts: str) -> int:
    return bound.lca_level(bound.column.values.index(text) for text in texts)


# --- worked numbers ---------------------------------------------------------------------------


def test_byun_figure_3_distances_between_countries():
    bound = COUNTRIES.bind(column(COUNTRIES.values))
    assert bound.height == 3
    assert lca(bound, "India", "USA") == 3
    assert lca(bound, "India", "Iran") == 2
    assert lca(bound, "India", "Japan") == 1
    assert lca(bound, "India") == 0


def test_byun_figure_4_flat_occupations_are_all_at_distance_one():
    bound = Hierarchy.flat(["Clerk", "Driver", "Nurse"]).bind(column(["Nurse", "Clerk", "Driver"]))
    assert (bound.height, lca(bound, "Clerk", "Nurse")) == (1, 1)


def test_cka_figure_2_magvals():
    marked = LOCATIONS.with_marks(["California", "Kansas", "Midwest"])
    assert marked.marks == {Mark(1, "California"), Mark(1, "Kansas"), Mark(2, "Midwest")}
    bound = marked.bind(column(["Lincoln", "San Diego", "Wichita"]))
    assert dict(zip(bound.column.values, bound.mark_levels.tolist(), strict=True)) == {
        "San Diego": 1,
        "Wichita": 1,
        "Lincoln": 2,
    }


def test_without_marks_the_root_is_the_magval():
    assert LOCATIONS.bind(column(["Lincoln"])).mark_levels.tolist() == [3]


# --- tables -----------------------------------------------------------------------------------


def test_a_star_is_added_only_above_several_labels():
    assert Hierarchy.from_rows([("a", "A"), ("b", "B")]).rows == (("a", "A", "*"), ("b", "B", "*"))
    assert Hierarchy.from_rows([("a", "A"), ("b", "A")]).rows == (("a", "A"), ("b", "A"))
    assert Hierarchy.from_rows([("a",)]).height == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "x: the hierarchy has no rows"),
        ([()], "x: row 1 of the hierarchy is empty"),
        ([("a", "A"), ("b",)], r"x: row 2 of the hierarchy has 1 levels, row 1 has 2"),
        ([("a", "A"), ("a", "A")], "x: row 2 of the hierarchy repeats the value of row 1"),
        (
            [("a", "A", "X"), ("b", "B", "X"), ("c", "A", "Y")],
            "x: row 3 of the hierarchy puts 'A' of level 1 under 'Y' at level 2, "
            "row 1 puts it under 'X'",
        ),
        ([("a", "A", "X"), ("b", "", "X")], r"row 2 .* has no label at level 1"),
    ],
)
def test_a_broken_table_is_refused_with_row_level_and_reason(rows, message):
    with pytest.raises(InputError, match=message):
        Hierarchy.from_rows(rows, "x")


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (
            "Texas",
            "'Texas' is not a label of its hierarchy; mark one of 'California', 'West Coast'",
        ),
        (Mark(4, "Kansas"), "names level 4; levels go from 0 to 3"),
        (Mark(2, "Kansas"), "'Kansas' is not a label of level 2; its labels are 'West Coast'"),
    ],
)
def test_marks_that_name_no_node_are_refused(mark, message):
    with pytest.raises(InputError, match=message):
        LOCATIONS.with_marks([mark], "location")


def test_a_label_on_two_levels_needs_a_level_only_where_its_values_differ():
    table = Hierarchy.from_rows([("NY", "NY", "US"), ("Albany", "NY", "US"), ("LA", "LA", "US")])
    with pytest.raises(InputError, match=r"levels 0 and 1 .* write \{label: NY, level: 0\}"):
        table.with_marks(["NY"])
    assert table.with_marks([Mark(1, "NY")]).marks == {Mark(1, "NY")}
    assert table.with_marks(["LA"]).marks == {Mark(0, "LA")}


# --- binding ----------------------------------------------------------------------------------


def test_all_values_without_a_row_are_reported_at_once_with_the_file():
    table = replace(COUNTRIES, source="country.csv")
    texts = column(["USA", "Chad", "Cuba", "?"])
    assert table.uncovered(texts) == ["Chad", "Cuba"]
    with pytest.raises(
        InputError,
        match=r"x: 2 values are not in its hierarchy .*; add a row for them to country\.csv or",
    ):
        table.bind(texts)


def test_numbers_find_their_row_by_value_and_keep_their_text():
    bound = Hierarchy.from_rows([("1", "low"), ("2", "high")]).bind(
        column(["1.0", "2", "2.00"], Kind.NUMERIC)
    )
    assert bound.paths == (("1.0", "low", "*"), ("2", "high", "*"), ("2.00", "high", "*"))


def test_dates_find_their_row_in_another_format():
    table = Hierarchy.from_rows([("1995-09-20", "1995"), ("1996-01-31", "1996")])
    bound = table.bind(column(["20.09.1995", "31.01.1996"], Kind.DATE))
    assert bound.paths[0] == ("20.09.1995", "1995", "*")


def test_missing_stays_itself_below_the_root():
    bound = LOCATIONS.bind(column(["Lincoln", "?", "Wichita"]))
    assert bound.paths[bound.column.missing] == ("?", "?", "?", "?", "*"), "in no country"
    assert bound.order[bound.column.missing] == 2


def test_missing_may_have_a_row_of_its_own():
    table = Hierarchy.from_rows([("a", "A"), ("?", "Unknown")])
    assert table.bind(column(["a", "?"])).paths == (("a", "A", "*"), ("?", "Unknown", "*"))


def test_one_value_and_missing_need_a_root():
    bound = Hierarchy.from_rows([("a",)]).bind(column(["a", "?"]))
    assert bound.paths == (("a", "*"), ("?", "*"))


def test_missing_is_not_counted_among_numbers_by_the_root():
    bound = Hierarchy.from_rows([("21", "20-24"), ("23", "20-24")]).bind(
        column([21, 23, "?"], Kind.NUMERIC)
    )
    assert bound.paths == (("21", "20-24", "*"), ("23", "20-24", "*"), ("?", "?", "*"))


def test_a_missing_token_that_is_also_a_label_is_refused():
    table = Hierarchy.from_rows([("USA", "NA", "World"), ("Chad", "AF", "World")])
    with pytest.raises(
        InputError, match="'NA' means missing in the data but is a label of level 1"
    ):
        table.bind(column(["USA", "Chad", "NA"], tokens=["NA"]))


def test_groups_of_numbers_must_be_ranges():
    table = Hierarchy.from_rows([("1", "odd"), ("2", "even"), ("3", "odd")])
    with pytest.raises(
        InputError,
        match=r"x: level 1 .* puts a value into 'odd' but the value before it into 'even'",
    ):
        table.bind(column([1, 2, 3], Kind.NUMERIC))
    assert table.bind(column([1, 2, 3])).height == 2


def test_equal_numbers_belong_together():
    table = Hierarchy.from_rows([("1", "a"), ("1.0", "b"), ("2", "b")])
    with pytest.raises(
        InputError, match=r"a value into 'a' but a value, the same number, into 'b'"
    ):
        table.bind(column(["1", "1.0", "2"], Kind.NUMERIC))


# --- against a slow twin ----------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> Hierarchy:
    """A random valid table: every level groups the labels of the level below."""
    count = draw(st.integers(1, 12))
    values = draw(st.permutations([f"v{i}" for i in range(count)]))
    rows = [[value] for value in values]
    for level in range(1, draw(st.integers(1, 4)) + 1):
        below = sorted({row[-1] for row in rows})
        parent = {label: f"{level}.{draw(st.integers(0, 2))}" for label in below}
        for row in rows:
            row.append(parent[row[-1]])
    return Hierarchy.from_rows(rows)


@settings(max_examples=60, deadline=None)
@given(tables(), st.data())
def test_bound_arrays_agree_with_the_rows(table: Hierarchy, data: st.DataObject):
    shown = data.draw(st.lists(st.sampled_from(table.values), min_size=1))
    marks = data.draw(
        st.sets(
            st.sampled_from([Mark(j, x) for j in range(table.height + 1) for x in table.labels(j)])
        )
    )
    bound = table.with_marks(marks).bind(column(shown))
    rows = {row[0]: row for row in table.rows}
    paths = [rows[value] for value in bound.column.values]
    for level in range(bound.height + 1):
        assert [bound.labels[level][i] for i in bound.maps[level]] == [p[level] for p in paths]
        assert bound.covered(level).sum() == len(paths)
    for a, first in enumerate(paths):
        naive = next((j for j, x in enumerate(first) if Mark(j, x) in marks), table.height)
        assert bound.mark_levels[a] == naive
        for b, second in enumerate(paths):
            meet = min(j for j in range(table.height + 1) if first[j] == second[j])
            assert bound.lca_level([a, b]) == meet


@settings(max_examples=60, deadline=None)
@given(tables())
def test_the_order_of_the_tree_keeps_every_group_together(table: Hierarchy):
    bound = table.bind(column(table.values))
    assert sorted(bound.order.tolist()) == list(range(len(bound.paths)))
    walked = np.argsort(bound.order)
    for level in range(1, bound.height + 1):
        groups = bound.maps[level][walked]
        assert np.count_nonzero(np.diff(groups)) == len(bound.labels[level]) - 1


@settings(max_examples=60, deadline=None)
@given(tables(), st.data())
def test_common_ancestors_of_groups_are_those_of_all_their_values(table, data):
    bound = table.bind(column([*table.values, *data.draw(st.sampled_from([[], ["?"]]))]))
    codes = st.sets(st.integers(0, len(bound.paths) - 1))
    groups = data.draw(st.lists(codes, min_size=1, max_size=6))
    pairs = [(g, code) for g, group in enumerate(groups) for code in sorted(group)]
    of_group, code = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    levels, labels = bound.common_ancestors(GroupValues.from_records(of_group, code, len(groups)))
    for group, level, label in zip(groups, levels.tolist(), labels.tolist(), strict=True):
        if not group:
            assert (level, label) == (0, -1)
            continue
        assert level == bound.lca_level(group)
        assert {bound.maps[level][code] for code in group} == {label}
