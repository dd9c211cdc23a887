"""The recoder: what a class prints, which records are one class, what the published table holds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import kanon_tui as kn
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import Release, number_rows, recode
from kanon_tui.core.table.column import GroupValues, Kind, Role, set_members, set_text
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.task import Grouping, Task
from tests.core.metrics.strategies import CITIES, releases
from tests.helpers import make_task
from tests.tries import tries


def clustered(task: Task, labels: list[int], cells: list[list[int]] | None = None) -> Release:
    hidden = None if cells is None else np.array(cells, dtype=bool)
    return recode(task, Grouping(np.array(labels, dtype=np.int32), suppressed_cells=hidden))


def generalised(task: Task, labels: list[int], levels: tuple[int, ...]) -> Release:
    return recode(task, Grouping(np.array(labels, dtype=np.int32), levels))


def numeric() -> AttributeSpec:
    return AttributeSpec(kind=Kind.NUMERIC)


def city() -> AttributeSpec:
    return AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": CITIES})


# ----------------------------------------------------------------------------- printed cells
def test_ranges_print_ends_as_they_stood() -> None:
    task = make_task({"x": ["007", "7.50", "1e1", "3", "3"]}, specs={"x": numeric()})
    assert (
        clustered(task, [0, 0, 0, 1, 1]).in_file_order["x"].to_list()
        == ["[007..10]"] * 3 + ["3"] * 2
    )


def test_dates_are_ranges() -> None:
    days = ["2020-03-01", "2019-12-31", "2020-01-05"]
    task = make_task({"day": days}, specs={"day": AttributeSpec(kind=Kind.DATE)})
    published = clustered(task, [0, 0, 0]).in_file_order["day"].to_list()
    assert published == ["[2019-12-31..2020-03-01]"] * 3


def test_missing_meets_present_prints_a_star() -> None:
    task = make_task({"x": ["1", "?", "?", "?", "2", "3"]}, specs={"x": numeric()})
    published = clustered(task, [0, 0, 1, 1, 2, 2]).in_file_order["x"].to_list()
    assert published == ["*", "*", "?", "?", "[2..3]", "[2..3]"]


def test_a_number_is_a_range_even_with_a_hierarchy() -> None:
    spec = AttributeSpec(kind=Kind.NUMERIC, hierarchy={"builder": "intervals", "widths": [10]})
    task = make_task({"x": [21, 28]}, specs={"x": spec})
    assert clustered(task, [0, 0]).in_file_order["x"].to_list() == ["[21..28]"] * 2


def test_sets_are_sorted() -> None:
    task = make_task({"job": ["nurse", "cook", "guard", "cook"]})
    published = clustered(task, [0, 0, 0, 1]).in_file_order["job"].to_list()
    assert published == ["{cook|guard|nurse}"] * 3 + ["cook"]


def test_a_missing_value_is_visible_in_a_set() -> None:
    people = pl.DataFrame({"sex": ["m", "", "w", "m"] * 3, "age": ["20", "30", "40", "50"] * 3})
    release = kn.anonymize(people, quasi=["sex"], k=12, algorithm="mondrian")
    assert release.table["sex"].unique().to_list() == ["{(missing)|m|w}"]
    assert kn.verify(release.table, release.project, people).holds  # and it is read again


def test_a_value_spelled_like_missing_is_told_from_it() -> None:
    values = ["(missing)", "((missing))", "m"]
    written = "{(((missing)))|((missing))|m}"
    assert set_text(values) == written
    assert sorted(set_members(written)) == sorted(values)
    people = pl.DataFrame({"sex": ["m", "", "(missing)", "m"] * 3})
    release = kn.anonymize(people, quasi=["sex"], k=12, algorithm="mondrian")
    assert release.table["sex"].unique().to_list() == ["{((missing))|(missing)|m}"]
    assert kn.verify(release.table, release.project, people).holds


def test_lowest_common_ancestor() -> None:
    cities = ["San Diego", "Los Angeles", "Wichita", "Lincoln", "Wichita", "Wichita"]
    task = make_task({"city": cities}, specs={"city": city()})
    published = clustered(task, [0, 0, 1, 1, 2, 2]).in_file_order["city"].to_list()
    assert published == ["California"] * 2 + ["Midwest"] * 2 + ["Wichita"] * 2
    assert clustered(task, [0, 0, 0, 0, 0, 0]).in_file_order["city"].unique().to_list() == [
        "United States"
    ]


def test_missing_category_meets_others_at_the_root() -> None:
    task = make_task({"city": ["Wichita", "?", "?", "?"]}, specs={"city": city()})
    assert clustered(task, [0, 0, 1, 1]).in_file_order["city"].to_list() == ["*"] * 2 + ["?"] * 2


def test_full_domain_prints_the_labels_of_a_level() -> None:
    task = make_task({"city": list(CITIES), "n": range(5)}, specs={"city": city()})
    frame = generalised(task, [0] * 5, (2, 0)).in_file_order
    assert frame["city"].to_list() == ["West Coast"] * 2 + ["Midwest"] * 3
    assert frame["n"].to_list() == list("01234")


def test_a_class_with_suppressed_cells_is_marked_for_all_its_records() -> None:
    task = make_task({"x": [20, 35, 90, 5], "job": ["a", "b", "b", "b"]})
    release = clustered(task, [0, 0, 0, 0], [[0, 0], [0, 1], [1, 1], [1, 1]])
    assert release.in_file_order.rows() == [("[20..35]*", "a*")] * 4


def test_a_class_whose_cells_are_all_suppressed_is_a_star() -> None:
    task = make_task({"x": [20, 35, 1, 2], "job": ["a", "b", "c", "c"]})
    release = clustered(task, [0, 0, 1, 1], [[1, 1], [1, 1], [0, 0], [0, 0]])
    assert release.in_file_order.rows() == [("*", "*")] * 2 + [("[1..2]", "c")] * 2


# --------------------------------------------------------------------------------- the classes
def test_equal_rows_are_one_class_whatever_the_algorithm_meant() -> None:
    task = make_task({"x": [1, 2, 1, 2, 5, 5]})
    release = clustered(task, [7, 7, 3, 3, 0, 0])
    assert release.classes.tolist() == [1, 1, 1, 1, 0, 0], "numbered by their cells: 5, [1..2]"
    assert release.class_sizes.tolist() == [2, 4]


def test_suppressed_records_have_no_class() -> None:
    task = make_task({"x": [1, 2, 3], "y": ["a", "b", "a"]})
    release = clustered(task, [0, -1, 0])
    assert release.classes.tolist() == [0, -1, 0]
    assert release.frame.rows() == [("[1..3]", "a")] * 2


@pytest.mark.parametrize("levels", [None, (1, 1)])
def test_everything_suppressed_publishes_nothing(levels: tuple[int, ...] | None) -> None:
    task = make_task({"x": [1, 2, 3], "y": ["a", "b", "a"]})
    release = recode(task, Grouping(np.full(3, -1, dtype=np.int32), levels))
    assert release.frame.shape == (0, 2)
    assert release.class_sizes.tolist() == []


# ------------------------------------------------------------------------------ the whole table
def test_published_columns() -> None:
    """No identifier; sensitive and other columns as they were, in the order of the table."""
    roles = {"name": Role.IDENTIFIER, "ill": Role.SENSITIVE, "note": Role.OTHER}
    task = make_task(
        {
            "name": ["Ann", "Bob", "Cy"],
            "note": ["x", "", "z"],
            "x": [1, 2, 3],
            "ill": ["f", "g", "h"],
        },
        specs={name: AttributeSpec(role=role) for name, role in roles.items()},
    )
    frame = clustered(task, [0, -1, 0]).frame
    assert frame.to_dict(as_series=False) == {
        "note": ["x", "z"],
        "x": ["[1..3]"] * 2,
        "ill": ["f", "h"],
    }


def test_suppressed_records_as_stars() -> None:
    columns = {"x": [1, 2, 3], "ill": ["f", "g", "h"]}
    specs = {"ill": AttributeSpec(role=Role.SENSITIVE)}
    task = make_task(columns, specs=specs, output=Output(suppressed="star"))
    assert clustered(task, [0, -1, 0]).frame.rows() == [
        ("*", "g"),
        ("[1..3]", "f"),
        ("[1..3]", "h"),
    ]


@pytest.mark.slow
@given(releases(everything_suppressed=False))
@settings(max_examples=tries(30), deadline=None)
def test_classes_are_those_of_the_printed_table(release: Release) -> None:
    names = [attribute.name for attribute in release.task.quasi]
    printed = release.frame.select(names).rows()
    assert Counter(Counter(printed).values()) == Counter(release.class_sizes.tolist())
    assert smallest_class(release.frame, names) == release.class_sizes.min()
    kept = release.classes[release.classes >= 0].tolist()
    shown = release.in_file_order.select(names).rows()
    rows = dict(zip(kept, shown, strict=True))
    assert [rows[number] for number in kept] == shown
    assert [rows[number] for number in sorted(rows)] == sorted(rows.values()), "by their cells"


@pytest.mark.slow
@given(releases())
@settings(max_examples=tries(25), deadline=None)
def test_recoding_leaves_its_input_alone(release: Release) -> None:
    before = [attribute.column.codes.copy() for attribute in release.task.quasi]
    again = recode(release.task, release.grouping)
    assert again.frame.equals(release.frame)
    for attribute, codes in zip(release.task.quasi, before, strict=True):
        assert (attribute.column.codes == codes).all()


# ------------------------------------------------------------------------------------- helpers
def test_number_rows_counts_by_first_appearance() -> None:
    first = np.array([5, 1, 5, 1, 9], dtype=np.int32)
    second = np.array([0, 0, 0, 3, 0], dtype=np.int32)
    assert number_rows([first, second]).tolist() == [0, 1, 0, 2, 3]
    assert number_rows([first]).tolist() == [0, 1, 0, 1, 2]


def test_group_values() -> None:
    values = GroupValues.from_records(
        np.array([2, 0, -1, 2, 0]), np.array([4, 1, 9, 4, 0]), count=4
    )
    assert values.group.tolist() == [0, 0, 2]
    assert values.code.tolist() == [0, 1, 4]
    assert values.records.tolist() == [1, 1, 2]
    assert values.distinct.tolist() == [2, 0, 1, 0]
    low, high = values.ends(values.code)
    assert low.tolist() == [0, -1, 4, -1]
    assert high.tolist() == [1, -1, 4, -1]


def test_group_values_do_not_overflow() -> None:
    """Groups come as int32: group × values may not fit there."""
    values = GroupValues.from_records(
        np.array([2_000_000], dtype=np.int32), np.array([99_999], dtype=np.int32), count=2_000_001
    )
    assert (values.group.tolist(), values.code.tolist()) == ([2_000_000], [99_999])


def test_frame_is_text_only() -> None:
    task = make_task({"x": [1, 2], "y": ["a", "a"]})
    assert set(clustered(task, [0, 0]).frame.dtypes) == {pl.String}


def test_starred_records_are_a_class_of_the_published_table() -> None:
    task = make_task(
        {"a": [1, 1, 1, 2, 3], "b": ["x", "x", "x", "y", "z"]}, 2, output=Output(suppressed="star")
    )
    labels = np.array([0, 0, 0, -1, -1], dtype=np.int32)
    release = recode(task, Grouping(labels))
    assert release.published_classes.tolist() == [0, 0, 0, 1, 1]
    assert measure(release).privacy.k == 2
    assert measure(release).smallest_class == smallest_class(release.frame, ["a", "b"])
