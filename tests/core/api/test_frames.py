"""Frames come back as they went: types, order and index; and the hierarchies that people type."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kanon_tui as kn

AGES = [38, 21, 22, 39, 23, 37, 20, 36]
DAY = datetime.date(2020, 2, 29)
NOON = datetime.datetime(2020, 2, 29, 12, 30)
TYPED = pl.DataFrame(
    {
        "age": AGES,
        "flag": [True, False, None, True] * 2,
        "city": pl.Series(["Ulm", "Bonn"] * 4, dtype=pl.Categorical),
        "grade": pl.Series(["low", "high"] * 4, dtype=pl.Enum(["low", "high"])),
        "born": [DAY, DAY + datetime.timedelta(1)] * 4,
        "seen": pl.Series([NOON] * 8, dtype=pl.Datetime("us", "Europe/Berlin")),
        "noted": pl.Series([NOON, NOON + datetime.timedelta(hours=1)] * 4),
        "paid": pl.Series([Decimal("1.50"), Decimal("2.25")] * 4, dtype=pl.Decimal(10, 2)),
        "small": pl.Series([1, None] * 4, dtype=pl.Int16),
        "large": pl.Series([2**40, 7] * 4, dtype=pl.Int64),
        "share": [0.5, 0.25] * 4,
        "note": ["01", "x"] * 4,
    }
)
OTHERS = [name for name in TYPED.columns if name != "age"]


def release_of(frame: object, **settings: object) -> kn.Release:
    settings = {"other": OTHERS, "k": 2, **settings}
    return kn.anonymize(frame, {"age": [10]}, **settings)


def test_polars_columns_that_are_published_as_they_were_keep_their_types() -> None:
    release = release_of(TYPED)
    assert release.table["age"].dtype == pl.String
    assert release.table.select(OTHERS).schema == TYPED.select(OTHERS).schema
    for name in OTHERS:
        assert sorted(release.table[name].cast(pl.String).to_list(), key=str) == sorted(
            TYPED[name].cast(pl.String).to_list(), key=str
        )
    assert pl.DataFrame(release).schema == release.table.schema, "Arrow has the types as well"


def test_pandas_columns_that_are_published_as_they_were_keep_their_types() -> None:
    people = pd.DataFrame(
        {
            "age": AGES,
            "flag": [True, False] * 4,
            "maybe": pd.array([True, None] * 4, dtype="boolean"),
            "city": pd.Categorical(["Ulm", "Bonn"] * 4),
            "grade": pd.Categorical(["low", "high"] * 4, ["low", "high"], ordered=True),
            "seen": pd.to_datetime(["2020-02-29 12:30"] * 8).tz_localize("Europe/Berlin"),
            "noted": pd.to_datetime(["2020-02-29 12:30", "2020-03-01 13:30"] * 4),
            "count": pd.array([1, None] * 4, dtype="Int64"),
            "large": np.array([2**40, 7] * 4),
            "share": [0.5, 0.25] * 4,
            "text": ["01", "x"] * 4,
            "amount": pd.array([1.5, 2.5] * 4, dtype="Float64"),
        },
        index=list("abcdefgh"),
    )
    others = [name for name in people.columns if name != "age"]
    release = release_of(people, other=others)
    back = release.to_pandas(index="input")
    assert back.index.tolist() == people.index.tolist()
    pd.testing.assert_frame_equal(back[others], people[others])
    assert release.to_pandas().dtypes[others].equals(people.dtypes[others])


def test_rows_say_which_class_they_hold_and_cannot_be_put_beside_the_input_by_mistake() -> None:
    people = pd.DataFrame({"age": AGES})
    release = kn.anonymize(people, {"age": [10]}, k=2)
    published = release.to_pandas()
    assert published.index.name == "class"
    assert published.groupby("class")["age"].nunique().tolist() == [1, 1]
    with pytest.raises(ValueError, match="duplicate"):
        people["published"] = published["age"]
    people["published"] = release.to_pandas(index="input")["age"]
    expected = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in AGES]
    assert people["published"].tolist() == expected


def test_rows_of_the_input_are_found_where_records_are_left_out() -> None:
    people = pd.DataFrame({"age": [21, 88, 22, None, 38, 39]}, index=[10, 20, 30, 40, 50, 60])
    project = kn.Project.from_dict(
        {
            "data": {"path": "-", "missing": {"policy": "drop"}},
            "attributes": {"age": {"role": "quasi", "hierarchy": kn.intervals(10)}},
            "privacy": {"k": 2, "max_suppression": 0.3},
        }
    )
    release = kn.anonymize(project, table=people)
    back = release.to_pandas(index="input")
    assert back["age"].to_dict() == {10: "20-29", 30: "20-29", 50: "30-39", 60: "30-39"}
    people["published"] = back["age"]
    assert people["published"].isna().tolist() == [False, True, False, True, False, False]


def test_a_file_has_no_rows_of_a_frame(tmp_path) -> None:
    TYPED.select("age").write_csv(tmp_path / "people.csv")
    release = kn.anonymize(tmp_path / "people.csv", ["age"], k=2)
    with pytest.raises(kn.InputError, match="only a release of a frame"):
        release.to_pandas(index="input")
    with pytest.raises(kn.InputError, match="index is 'row'"):
        release.to_pandas(index="row")


CITIES = {"Ulm": "DE", "Bonn": "DE", "Paris": "FR"}
PEOPLE = pl.DataFrame(
    {"age": [21, 22, 38, 39, 21, 38], "city": ["Ulm", "Bonn", "Paris", "Paris", "Ulm", "Paris"]}
)


@pytest.mark.parametrize(
    "written",
    [
        [10, 20],
        lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}",
        [lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}", lambda age: "all"],
        {age: f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in (21, 22, 38, 39)},
        {"builder": "intervals", "widths": [10, 20]},
        kn.intervals(10, 20),
        pd.DataFrame({"age": [21, 22, 38, 39], "decade": ["20-29"] * 2 + ["30-39"] * 2}),
    ],
)
@pytest.mark.parametrize("source", ["frame", "file", "hierarchies"])
def test_a_hierarchy_is_what_people_type(written, source, tmp_path) -> None:
    data = PEOPLE
    if source == "file":
        data = tmp_path / "people.csv"
        PEOPLE.write_csv(data)
    if source == "hierarchies":
        release = kn.anonymize(data, ["age"], hierarchies={"age": written}, k=3)
    else:
        release = kn.anonymize(data, {"age": written}, k=3)
    assert release.table["age"].to_list() == ["20-29"] * 3 + ["30-39"] * 3


@pytest.mark.parametrize(
    "made_of", [dict, lambda cities: pl.DataFrame([*cities.items()], orient="row")]
)
def test_values_have_labels_of_a_dictionary_or_a_table(made_of) -> None:
    release = kn.anonymize(PEOPLE, {"city": made_of(CITIES)}, k=3)
    assert release.table["city"].to_list() == ["DE"] * 3 + ["FR"] * 3


def test_a_hierarchy_stands_beside_other_settings_of_an_attribute() -> None:
    release = kn.anonymize(PEOPLE, {"age": {"hierarchy": [10], "kind": "numeric"}}, k=3)
    assert release.table["age"].to_list() == ["20-29"] * 3 + ["30-39"] * 3


def test_a_dictionary_of_lists_is_a_table() -> None:
    release = kn.anonymize({"age": [21, 22, 38, 39]}, {"age": [10]}, k=2)
    assert_frame_equal(release.table, pl.DataFrame({"age": ["20-29"] * 2 + ["30-39"] * 2}))
    with pytest.raises(kn.InputError, match="column 'age' has 2 cells and column 'sex' 1"):
        kn.anonymize({"age": [1, 2], "sex": ["m"]}, "age", k=2)


@pytest.mark.parametrize(
    ("quasi", "more", "sentence"),
    [
        ({"age": 7}, {}, "age: int is no hierarchy"),
        ({"age": "ten"}, {}, "age: str is no hierarchy"),
        ({"age": []}, {}, "age: list is no hierarchy"),
        ({"age": pl.DataFrame({"v": ["21", "21"], "l": ["a", "b"]})}, {}, "a value has one row"),
        (PEOPLE, {}, "quasi: DataFrame does not name columns"),
        (["age"], {"hierarchies": {"aged": [5]}}, "'aged' is no quasi-identifier"),
        ({"age": [5]}, {"hierarchies": {"age": [5]}}, "in quasi already"),
        ({"aged": len}, {}, "no column is called 'aged'"),
    ],
)
def test_a_wrong_hierarchy_is_refused_in_a_sentence(quasi, more, sentence) -> None:
    with pytest.raises(kn.InputError, match=sentence):
        kn.anonymize(PEOPLE, quasi, k=2, **more)


def test_a_sweep_keeps_its_points() -> None:
    sweep = kn.sweep(PEOPLE, ["global", "mondrian"], quasi=["age"], k=[2, 3])
    assert "0 of 4 points" in sweep._repr_html_()
    points = list(sweep)
    assert len(points) == 4
    assert list(sweep) == points
    assert sweep.frame().height == 4
    assert sweep.plot().to_dict()["mark"]["type"] == "line"
    assert "<td>mondrian</td>" in sweep._repr_html_()


def test_what_a_notebook_shows() -> None:
    release = kn.anonymize(PEOPLE, {"age": [10]}, k=3)
    assert "<td>age</td>" in release.project._repr_html_()
    assert "<table>" in kn.risk(PEOPLE, quasi="age")._repr_html_()
    bars = release.plot().to_dict()
    assert {each["attribute"] for each in next(iter(bars["datasets"].values()))} == {"age"}


def test_the_transformer_is_a_public_name() -> None:
    from kanon_tui import KAnonymizer

    assert KAnonymizer(k=2).k == 2
