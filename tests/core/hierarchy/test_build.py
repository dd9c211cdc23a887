"""Hierarchies as a project specifies them, and those that are built where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.hierarchy.specification import (
    BUILDERS,
    build_hierarchy,
    default_hierarchy,
    default_specification,
    read_specification,
)
from kanon_tui.core.table.column import Kind
from tests.core.hierarchy.builders.building import AGES, BIRTHS, CODES, build, column

# --- specifications ---------------------------------------------------------------------------


def test_every_builder_is_declared_with_readable_defaults():
    for builder in BUILDERS.values():
        for key in builder.keys:
            assert key.help
            if key.default is not None:
                assert key.read(LocatedValue("x", key.name, key.default)) == key.default
        if not any(key.required for key in builder.keys):
            _, values = read_specification(LocatedValue("x", "", {"builder": builder.name}))
            assert values == {key.name: key.default for key in builder.keys}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"builder": "intervalls"}, "x: unknown builder 'intervalls'; did you mean 'intervals'"),
        ({"builder": ["flat"]}, "unknown builder"),
        (
            {"builder": "mask", "form": "left"},
            "form: unknown key; did you mean 'from'",
        ),
        (
            {"builder": "mask", "from": "top"},
            "from: 'top' is not one of its values; known are left, right",
        ),
        ({"builder": "flat", "levels": 2}, "levels: unknown key; there are no keys here"),
        ({"builder": "flat", "file": "x.csv"}, "both builder and file"),
        (
            {"fil": "x.csv"},
            r"names no builder, file, utd or levels \('fil': did you mean 'file'\?\)",
        ),
        ({}, "it is empty"),
        ("x.csv", "x: 'x.csv' is not allowed here; write a mapping like"),
        ({"file": ""}, "file: '' in quotes is not the name of a file"),
        ({"levels": {"a": "A"}}, "write a mapping from every value to the list of its labels"),
        ({"utd": "c.xml", "atribute": "a"}, "atribute: unknown key; did you mean 'attribute'"),
        ({"builder": "quantiles", "bins": [5, 10]}, "falling whole numbers"),
        ({"builder": "quantiles", "bins": [10**9]}, "from 2 to 10000"),
    ],
)
def test_a_wrong_specification_is_refused_without_data(spec, message):
    with pytest.raises(InputError, match=message):
        read_specification(LocatedValue("x", "", spec))


def test_a_builder_for_another_kind_is_refused():
    with pytest.raises(
        InputError, match="date is for date attributes, this one is categorical; set"
    ):
        build("date", CODES)


@pytest.mark.parametrize("builder", ["intervals", "mask", "flat"])
def test_a_column_of_nothing_but_missing_values_is_flat(builder):
    assert build(builder, column(["?", "NA"])).rows == (("?", "*"),)


def test_levels_as_written_in_a_project():
    spec = {
        "levels": {
            46201: ["4620*", "462**"],
            "46317": ["4631*", "463**"],
            "46202": ["4620*", "462**"],
        }
    }
    assert build_hierarchy(spec, CODES, Path()).bind(CODES).height == 3


@pytest.mark.parametrize(("text", "read"), [("01234", 0o1234), ("12:30", 750)])
def test_texts_that_yaml_read_as_numbers_are_recognised(text, read):
    texts = column([text, "b"], Kind.CATEGORICAL)
    with pytest.raises(InputError, match=f"YAML reads {text} without quotes as the number {read}"):
        build_hierarchy({"levels": {read: ["A"], "b": ["B"]}}, texts, Path())
    with pytest.raises(InputError, match=f"YAML reads {text} without quotes as the number {read}"):
        build("groups", texts, levels=[{"A": [read], "B": ["b"]}])


def test_files_are_found_beside_the_project(tmp_path):
    (tmp_path / "x.csv").write_text("46201;462\n46202;462\n", encoding="utf-8")
    with pytest.raises(
        InputError,
        match=r"a value is not in its hierarchy .first in record 3.; add a row for it to x\.csv",
    ):
        build_hierarchy({"file": "x.csv"}, CODES, tmp_path).bind(CODES)


# --- defaults ---------------------------------------------------------------------------------


def test_defaults_say_what_was_built():
    hierarchy, said = default_hierarchy(AGES)
    assert hierarchy.rows[0] == ("17", "15-19", "10-19", "0-19", "0-39", "0-79", "*")
    assert said == (
        "x: no hierarchy is given; built intervals of width 5, doubled from level to level up to "
        "level 5"
    ), "no value of the data"
    assert default_hierarchy(BIRTHS)[1].endswith("built dates by month, year, 5 years, decade")
    words = column(["blue", "green", "red"], Kind.CATEGORICAL)
    assert default_hierarchy(words)[0].height == 1
    assert default_hierarchy(words)[1].endswith("built the flat one (every value, then *)")


@pytest.mark.parametrize(
    ("name", "texts", "builder"),
    [
        ("PLZ", ["01067", "1010", "80331"], "mask"),
        ("region", ["46201", "46202"], "mask"),  # digits of one length, whatever the name
        ("postcode", ["SW1A 1AA", "M1 1AE"], "mask"),
        ("age group", ["20-24", "25-29"], "flat"),  # digits, but the first places say little
        ("grade", ["1", "2"], "flat"),
        ("x", ["E11.9", "J45.0", "I10"], "icd10"),
        ("Hauptdiagnose ICD", ["E11", "J45", "I10 G"], "icd10"),
        ("seat", ["A10", "B12", "C20"], "flat"),  # the shape of a code without its name
    ],
)
def test_codes_get_steps_by_default(name, texts, builder):
    codes = replace(column(texts, Kind.CATEGORICAL), name=name)
    assert default_specification(codes) == {"builder": builder}
    assert default_hierarchy(codes)[0].bind(codes).one_step is (
        builder == "flat" and len(texts) > 2
    )


def test_default_dates_leave_out_what_tells_nothing_apart():
    near = column(["1995-09-20", "1995-10-01"], Kind.DATE)
    assert default_hierarchy(near)[0].rows[0] == ("1995-09-20", "1995-09", "*")
    same_month = column(["1995-09-20", "1995-09-21"], Kind.DATE)
    assert default_hierarchy(same_month)[0].rows[0] == ("1995-09-20", "1995-09")


@pytest.mark.parametrize(
    "texts", [["5"], ["?"], ["5", "?"], ["1.5", "1.50"], ["0", "1e300"], ["-3", "3"]]
)
def test_defaults_exist_for_odd_columns(texts):
    odd = column(texts)
    assert default_hierarchy(odd)[0].bind(odd).height >= 1
