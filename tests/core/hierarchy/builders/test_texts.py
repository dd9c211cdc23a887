"""Masks and groups: label forms, values that no group names, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Kind
from tests.core.hierarchy.builders.building import CODES, build, column, rows

# --- mask -------------------------------------------------------------------------------------


def test_mask_from_either_end():
    assert rows("mask", CODES)["46201"] == ("4620*", "462**", "46***", "4****", "*")
    assert rows("mask", CODES, **{"from": "left"})["46201"] == (
        "*6201",
        "**201",
        "***01",
        "****1",
        "*",
    )


def test_mask_may_stop_early():
    assert rows("mask", CODES, levels=2)["46317"] == ("4631*", "463**", "*")
    assert rows("mask", CODES, levels=99) == rows("mask", CODES)


def test_mask_fills_short_values_up_at_the_masked_end():
    codes = column(["E11", "E11.90", "E12"], Kind.CATEGORICAL)
    assert rows("mask", codes)["E11"] == ("E11***", "E11***", "E11***", "E1****", "E*****", "*")
    assert rows("mask", codes)["E11.90"][2:4] == ("E11***", "E1****")
    assert rows("mask", codes, **{"from": "left"})["E11"][:4] == ("***E11",) * 3 + ("****11",)


def test_mask_counts_a_wide_character_as_one():
    assert rows("mask", column(["東京都", "大阪府"], Kind.CATEGORICAL))["東京都"] == (
        "東京*",
        "東**",
        "*",
    )


# --- icd10 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "category", "chapter"),
    [
        ("E11.90", "E11", "E00-E90"),
        ("b20", "B20", "A00-B99"),  # the second letter of a chapter
        ("D48.9", "D48", "C00-D48"),
        ("D50", "D50", "D50-D89"),
        ("H59", "H59", "H00-H59"),
        ("H60.1", "H60", "H60-H95"),
        ("T98.3", "T98", "S00-T98"),
        ("U07.1!", "U07", "U00-U99"),
        ("W19 G", "W19", "V01-Y98"),
        ("Y99", "Y99", "V01-Y98"),  # national editions go on behind the end
        ("unknown", "unknown", "other"),
    ],
)
def test_icd10_categories_and_chapters(code, category, chapter):
    found = rows("icd10", column([code, "J45.0"], Kind.CATEGORICAL))[code]
    assert (found[0], found[1].split()[0], found[2]) == (category, chapter, "*")


# --- groups -----------------------------------------------------------------------------------

CONTINENTS = [{"Europe": ["France", "Italy"], "Asia": ["Japan"]}, {"World": ["Europe", "Asia"]}]


def test_groups():
    countries = column(["Japan", "France", "?"], Kind.CATEGORICAL)
    assert build("groups", countries, levels=CONTINENTS).rows == (
        ("France", "Europe", "World"),
        ("Italy", "Europe", "World"),
        ("Japan", "Asia", "World"),
    )


def test_values_that_no_group_names_go_to_other():
    countries = column(["Japan", "Peru", "Chad"], Kind.CATEGORICAL)
    made = rows("groups", countries, levels=[*CONTINENTS[:1], {"Old": ["Europe"]}], other="Rest")
    assert made["Peru"] == made["Chad"] == ("Rest", "Rest", "*")
    assert made["Japan"] == ("Asia", "Rest", "*")


def test_groups_of_numbers_find_values_by_number():
    assert rows("groups", column(["1.0", "2"]), levels=[{"low": [1], "high": [2]}])["1"] == (
        "low",
        "*",
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"levels": CONTINENTS},
            "2 values are in no group of level 1; name them, or say other",
        ),
        (
            {"levels": [{"A": ["Chad", "Peru"], "B": ["Chad"]}]},
            "level 1 names 'Chad' in the group 'A' and again in 'B'",
        ),
        (
            {
                "levels": [
                    {"Africa": ["Chad"], "America": ["Peru"]},
                    {"World": ["Afrika", "America"]},
                ]
            },
            "level 2 names 'Afrika', which is not a group of level 1; did you mean 'Africa'",
        ),
        (
            {"levels": [{"Africa": ["Chad"], "America": ["Peru"]}, {"World": ["Africa"]}]},
            "'America' of level 1 is in no group of level 2",
        ),
        (
            {"levels": [{"A": [True]}]},
            "YAML reads yes, on and true without quotes as a truth value",
        ),
        ({"levels": [{"A": "Chad"}]}, "write a list of mappings from groups to members"),
        ({}, "the key levels is missing"),
    ],
)
def test_groups_that_do_not_fit_are_refused(keys, message):
    with pytest.raises(InputError, match=message):
        build("groups", column(["Peru", "Chad"], Kind.CATEGORICAL), **keys)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("01*東é"), min_size=1, max_size=6), min_size=1),
    st.sampled_from(["right", "left"]),
)
def test_masks_hide_one_place_more_at_every_level(texts: list[str], side: str):
    codes = column(texts, Kind.CATEGORICAL)
    hierarchy = build("mask", codes, **{"from": side})
    longest = max(map(len, texts))
    assert hierarchy.height == longest
    for value, *labels in hierarchy.rows:
        assert labels[-1] == "*"
        for hidden, label in enumerate(labels[:-1], start=1):
            kept = value[: longest - hidden] if side == "right" else value[-(longest - hidden) :]
            assert label == (
                kept.ljust(longest, "*") if side == "right" else kept.rjust(longest, "*")
            )
