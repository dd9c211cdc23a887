"""Builders: label forms, nesting, refusals, and that every value is inside its label."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.data.column import Column, code_column
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.build import build_hierarchy, default_hierarchy
from kanon_tui.core.hierarchy.builders.contents import BUILDERS
from kanon_tui.core.hierarchy.builders.keys import read_keys
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import check_spec


def column(texts: Sequence[object], kind: Kind = Kind.NUMERIC) -> Column:
    return code_column(pl.Series("x", [str(text) for text in texts]), kind)


def build(builder: str, of: Column, **keys: Any) -> Hierarchy:
    """The hierarchy of a builder, which must also fit the column."""
    hierarchy = build_hierarchy({"builder": builder, **keys}, of, Path())
    hierarchy.bind(of)
    return hierarchy


def rows(builder: str, of: Column, **keys: Any) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in build(builder, of, **keys).rows}


AGES = column([17, 23, 45, 90, "?"])
CODES = column(["46201", "46202", "46317"], Kind.CATEGORICAL)
BIRTHS = column(["1995-09-20", "1987-03-01", "1991-12-31"], Kind.DATE)


# --- intervals --------------------------------------------------------------------------------


def test_intervals_of_whole_numbers():
    assert rows("intervals", AGES, widths=[5, 10, 20]) == {
        "17": ("15-19", "10-19", "0-19", "*"),
        "23": ("20-24", "20-29", "20-39", "*"),
        "45": ("45-49", "40-49", "40-59", "*"),
        "90": ("90-94", "90-99", "80-99", "*"),
    }


def test_a_width_of_one_shows_the_number():
    assert rows("intervals", column(["020", "21"]), widths=[1, 2])["020"] == ("20", "20-21")


def test_intervals_of_decimals():
    assert rows("intervals", column([2.5, 4.999, 12]), widths=[2.5, 5]) == {
        "2.5": ("[2.5, 5)", "[0, 5)", "*"),
        "4.999": ("[2.5, 5)", "[0, 5)", "*"),
        "12": ("[10, 12.5)", "[10, 15)", "*"),
    }


def test_decimals_fall_into_their_interval_exactly():
    tenths = column([f"{i / 10:.1f}" for i in range(100)])
    for text, labels in rows("intervals", tenths, widths=[0.1]).items():
        upper = f"{(Decimal(text) + Decimal('0.1')).normalize():f}"
        assert labels[0] == f"[{Decimal(text).normalize():f}, {upper})"
    assert rows("intervals", tenths, widths=[0.1])["0.3"][0] == "[0.3, 0.4)"


def test_intervals_with_negative_ends_stay_unambiguous():
    assert rows("intervals", column([-7, 3]), widths=[5, 10]) == {
        "-7": ("[-10..-6]", "[-10..-1]", "*"),
        "3": ("[0..4]", "[0..9]", "*"),
    }


def test_the_origin_moves_the_intervals():
    assert rows("intervals", AGES, widths=[10], origin=7)["17"] == ("17-26", "*")
    assert rows("intervals", AGES, widths=[10], origin="0.5")["17"] == ("[10.5, 20.5)", "*")


def test_width_and_factor_grow_for_so_many_levels():
    assert rows("intervals", AGES, width=5, factor=3, levels=3)["17"] == (
        "15-19",
        "15-29",
        "0-44",
        "*",
    )


def test_width_and_factor_grow_until_one_or_two_groups_are_left():
    assert rows("intervals", AGES, width=10)["90"] == ("90-99", "80-99", "80-119", "80-159", "*")
    assert rows("intervals", column([-3, 3]), width=2)["-3"] == ("[-4..-3]", "[-4..-1]", "*")
    assert rows("intervals", column([1, 3]), width=5)["1"] == ("0-4",)
    assert rows("intervals", column([1023, 1025]), width=2)["1023"] == (
        "1022-1023",
        "1020-1023",
        "*",
    )


def test_intervals_of_dates_are_days_counted_from_the_origin():
    labels = rows("intervals", BIRTHS, widths=[7], origin=datetime.date(1995, 9, 18))
    assert labels["1995-09-20"] == ("[1995-09-18..1995-09-24]", "*")
    assert rows("intervals", BIRTHS, widths=[1])["1995-09-20"] == ("1995-09-20", "*")


def test_numbers_beyond_what_a_double_holds_exactly_are_still_inside():
    wide = column(["1e-9", "123456789012345680000", "-5e15"])
    assert rows("intervals", wide, widths=[1e12])["1e-9"][0] == "[0, 1000000000000)"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"widths": [5, 12]}, "x: width 12 is not a multiple of 5, the width before it"),
        ({"widths": [0.5, 0.5]}, r"width 0.5 is not a multiple of 0.5"),
        ({"widths": [5], "width": 3}, "has both widths and width; keep one of them"),
        ({"width": 0}, "width of builder intervals is '0'; it must be a number above 0"),
        ({"width": 5, "factor": 1.5}, "factor .* must be a whole number of at least 2"),
        ({"width": "1e-30"}, "would need more than 64 levels to reach from 17 to 90"),
        ({"width": 5, "origin": "here"}, "'here' is not a number; write one like '17'"),
        ({"width": True}, "width of builder intervals is 'True'"),
        ({"widths": []}, "widths .* must be a list of numbers above 0"),
    ],
)
def test_intervals_that_cannot_be_are_refused(keys, message):
    with pytest.raises(InputError, match=message):
        build("intervals", AGES, **keys)


def test_dates_have_whole_days_and_origins_that_are_dates():
    with pytest.raises(InputError, match=r"width 1.5 is not a whole number of days"):
        build("intervals", BIRTHS, width=1.5)
    with pytest.raises(InputError, match="'3' is not a date; write one like '1987-03-01'"):
        build("intervals", BIRTHS, width=7, origin=3)


# --- breaks -----------------------------------------------------------------------------------


def test_breaks():
    assert rows("breaks", AGES, levels=[[18, 40, 65], [65]]) == {
        "17": ("<18", "<65", "*"),
        "23": ("18-39", "<65", "*"),
        "45": ("40-64", "<65", "*"),
        "90": (">=65", ">=65", "*"),
    }


def test_breaks_of_decimals_negatives_and_dates():
    assert rows("breaks", column([0.5, 1]), levels=[[0.5, 2]])["1"] == ("[0.5, 2)",)
    assert rows("breaks", column([-4, 1]), levels=[[-5, 0, 9]])["1"] == ("[0..8]", "*")
    days = [["1990-01-01", datetime.date(1992, 1, 1)]]
    assert rows("breaks", BIRTHS, levels=days) == {
        "1987-03-01": ("<1990-01-01", "*"),
        "1991-12-31": ("[1990-01-01..1991-12-31]", "*"),
        "1995-09-20": (">=1992-01-01", "*"),
    }


def test_breaks_are_read_in_the_form_of_the_column():
    comma = column(["0,5", "1,25", "3,0"])
    assert rows("breaks", comma, levels=[["1,25"]])["1,25"] == (">=1.25", "*")
    german = column(["20.09.1995", "31.01.1996"], Kind.DATE)
    assert rows("breaks", german, levels=[["01.01.1996"]])["20.09.1995"] == ("<1996-01-01", "*")


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([[18, 65], [64]], "level 2 cuts at 64, which is not a cut of level 1.*from 18, 65"),
        ([[65, 18]], "cut points must rise, but at level 1 18 comes after 65"),
        ([[18, 18]], "cut points must rise"),
        ([[18], []], r"must be a list of lists of cut points, such as \[\[18, 40, 65\], \[65\]\]"),
        ([18], "must be a list of lists"),
        ([[datetime.date(1995, 9, 20)]], "'1995-09-20' is not a number"),
    ],
)
def test_breaks_that_cannot_be_are_refused(levels, message):
    with pytest.raises(InputError, match=message):
        build("breaks", AGES, levels=levels)


# --- quantiles --------------------------------------------------------------------------------


def test_quantiles_hold_equally_many_records_and_nest():
    assert rows("quantiles", column(range(1, 9)), bins=[4, 2])["6"] == ("[5..6]", "[5..8]", "*")


def test_quantiles_count_records_not_values():
    skewed = column([1] * 6 + [2, 3, 4, 5, 6, 7])
    assert rows("quantiles", skewed, bins=[2]) == {
        "1": ("1", "*"),
        **{str(i): ("[2..7]", "*") for i in range(2, 8)},
    }


def test_a_frequent_value_is_never_split():
    assert rows("quantiles", column([1, 2, 2, 2, 2, 2, 2, 3]), bins=[4, 2])["2"] == (
        "2",
        "[2..3]",
        "*",
    )


def test_equal_numbers_share_a_quantile():
    both = rows("quantiles", column(["1", "1.0", "2", "3"]), bins=[3])
    assert both["1"] == both["1.0"]


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


# --- date -------------------------------------------------------------------------------------


def test_date_levels():
    levels = ["day", "month", "quarter", "year", "5 years", "decade"]
    assert rows("date", BIRTHS, levels=levels)["1995-09-20"] == (
        "1995-09-20",
        "1995-09",
        "1995-Q3",
        "1995",
        "1995-1999",
        "1990-1999",
        "*",
    )
    assert rows("date", BIRTHS)["1991-12-31"] == ("1991-12", "1991", "1990-1994", "1990-1999", "*")


def test_dates_before_1970_and_with_clock_times():
    times = column(["1969-12-31 23:59", "1970-01-01 00:00", "1899-01-01"], Kind.DATE)
    assert rows("date", times, levels=["day", "decade"])["1969-12-31 23:59"][:2] == (
        "1969-12-31",
        "1960-1969",
    )


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (["3 years", "decade"], "level 'decade' of builder date cannot follow '3 years'"),
        (["year", "month"], "level 'month' of builder date cannot follow 'year'"),
        (["fortnight"], "must be a list of day, month, quarter, year, 5 years"),
        (["0 years"], "must be a list of day"),
    ],
)
def test_date_levels_that_do_not_nest_are_refused(levels, message):
    with pytest.raises(InputError, match=message):
        build("date", BIRTHS, levels=levels)


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
            "'Chad', 'Peru' are in no group of level 1; name them, or say other",
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
        ({"levels": [{"A": "Chad"}]}, "must be a list of mappings from groups to members"),
        ({}, "builder groups needs the key levels"),
    ],
)
def test_groups_that_do_not_fit_are_refused(keys, message):
    with pytest.raises(InputError, match=message):
        build("groups", column(["Peru", "Chad"], Kind.CATEGORICAL), **keys)


# --- specifications ---------------------------------------------------------------------------


def test_every_builder_is_declared_with_readable_defaults():
    for builder in BUILDERS.values():
        for key in builder.keys:
            assert key.help
            if key.default is not None:
                given = list(key.default) if isinstance(key.default, tuple) else key.default
                assert key.read(given) == given
        required = [key.name for key in builder.keys if key.required]
        if not required:
            assert set(read_keys({}, builder.keys, "x", "b")) == {key.name for key in builder.keys}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"builder": "intervalls"}, "x: unknown builder 'intervalls'; did you mean 'intervals'"),
        ({"builder": ["flat"]}, "unknown builder"),
        (
            {"builder": "mask", "form": "left"},
            "builder mask has no key 'form'; did you mean 'from'",
        ),
        (
            {"builder": "mask", "from": "top"},
            "from of builder mask is 'top'; it must be right or left",
        ),
        ({"builder": "flat", "levels": 2}, "builder flat has no key 'levels'; it takes no keys"),
        ({"builder": "flat", "file": "x.csv"}, "both builder and file"),
        (
            {"fil": "x.csv"},
            r"names no builder, file, utd or levels \('fil': did you mean 'file'\?\)",
        ),
        ({}, "it is empty"),
        ("x.csv", "its hierarchy is 'x.csv'; write a mapping"),
        ({"file": 3}, "file of its hierarchy is '3'; it must be the name of a file"),
        ({"levels": {"a": "A"}}, "must be a mapping from every value to the list of its labels"),
        ({"utd": "c.xml", "atribute": "a"}, "no key 'atribute'; did you mean 'attribute'"),
        ({"builder": "quantiles", "bins": [5, 10]}, "falling whole numbers"),
        ({"builder": "quantiles", "bins": [10**9]}, "from 2 to 10000"),
    ],
)
def test_a_wrong_specification_is_refused_without_data(spec, message):
    with pytest.raises(InputError, match=message):
        check_spec(spec, "x")


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
        InputError, match=r"'46317' is not in its hierarchy; add a row for it to x\.csv"
    ):
        build_hierarchy({"file": "x.csv"}, CODES, tmp_path).bind(CODES)


# --- defaults ---------------------------------------------------------------------------------


def test_defaults_say_what_was_built():
    hierarchy, said = default_hierarchy(AGES)
    assert hierarchy.rows[0] == ("17", "15-19", "10-19", "0-19", "0-39", "0-79", "*")
    assert said == (
        "x: no hierarchy is given; built intervals (17 is in 15-19, 10-19, 0-19, 0-39, 0-79, *)"
    )
    assert default_hierarchy(BIRTHS)[1].endswith("built dates by month, year, 5 years, decade")
    assert default_hierarchy(CODES)[0].height == 1
    assert default_hierarchy(CODES)[1].endswith("built the flat one (every value, then *)")


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


# --- properties -------------------------------------------------------------------------------

_WHOLE = st.integers(-500, 500).map(str)
_DECIMAL = st.decimals(-50, 50, places=2).map(str)
_NUMBERS = st.one_of(st.lists(_WHOLE, min_size=1), st.lists(_DECIMAL, min_size=1))
_LABELS = (
    (re.compile(r"\[(.+), (.+)\)"), False),
    (re.compile(r"\[(.+)\.\.(.+)\]"), True),
    (re.compile(r"(\d+)-(\d+)"), True),
)


def is_inside(text: str, label: str) -> bool:
    """Whether a number is in the range that a label prints, read as a person reads it."""
    number = Decimal(text)
    if label == "*":
        return True
    if label.startswith("<"):
        return number < Decimal(label[1:])
    if label.startswith(">="):
        return number >= Decimal(label[2:])
    for form, closed in _LABELS:
        match = form.fullmatch(label)
        if match:
            low, high = Decimal(match[1]), Decimal(match[2])
            return low <= number and (number <= high if closed else number < high)
    return number == Decimal(label)


@st.composite
def range_specs(draw: st.DrawFn) -> dict[str, Any]:
    builder = draw(st.sampled_from(["intervals", "grown", "breaks", "quantiles"]))
    if builder == "quantiles":
        bins = draw(st.sets(st.integers(2, 12), min_size=1, max_size=3))
        return {"builder": builder, "bins": sorted(bins, reverse=True)}
    step = draw(st.sampled_from([1, 5, 7, 0.1, 0.25, 2.5]))
    if builder == "breaks":
        cuts = draw(st.sets(st.integers(-40, 40), min_size=1, max_size=8))
        fewer = draw(st.sets(st.sampled_from(sorted(cuts)), min_size=1))
        levels = [sorted(cuts), sorted(fewer)]
        return {"builder": builder, "levels": [[c * step for c in level] for level in levels]}
    origin = draw(st.sampled_from([0, 3, -2.5, 0.1]))
    if builder == "grown":
        return {"builder": "intervals", "width": step, "origin": origin}
    factors = draw(st.lists(st.integers(2, 4), max_size=3))
    widths = [Decimal(str(step))]
    for factor in factors:
        widths.append(widths[-1] * factor)
    return {"builder": "intervals", "widths": [float(w) for w in widths], "origin": origin}


@settings(max_examples=200, deadline=None)
@given(_NUMBERS, range_specs())
def test_ranges_nest_are_contiguous_and_hold_their_values(texts: list[str], spec: dict[str, Any]):
    numbers = column(texts)
    hierarchy = build_hierarchy(spec, numbers, Path())  # checks that levels are functions
    assert hierarchy.values == numbers.values
    hierarchy.bind(numbers)  # checks that groups are ranges that do not overlap
    for text, *labels in hierarchy.rows:
        assert all(is_inside(text, label) for label in labels)


def naive_quantiles(numbers: list[int], bins: list[int]) -> list[list[set[int]]]:
    """Per level the bins as sets of numbers, by trying every place where a cut may be."""
    places = sorted(set(numbers))[:-1]
    levels = []
    for count in bins:
        chosen = set()
        for i in range(1, count):
            share = [abs(count * sum(n <= p for n in numbers) - i * len(numbers)) for p in places]
            if places:
                chosen.add(places[share.index(min(share))])
        places = sorted(chosen)
        edges = [min(numbers) - 1, *places, max(numbers)]
        levels.append([{n for n in numbers if a < n <= b} for a, b in pairwise(edges)])
    return levels


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=40),
    st.sets(st.integers(2, 9), min_size=1, max_size=3),
)
def test_quantiles_agree_with_trying_every_cut(numbers: list[int], counts: set[int]):
    bins = sorted(counts, reverse=True)
    made = build("quantiles", column(numbers), bins=bins)
    for level, wanted in enumerate(naive_quantiles(numbers, bins), start=1):
        groups: dict[str, set[int]] = {}
        for row in made.rows:
            groups.setdefault(row[level], set()).add(int(row[0]))
        assert list(groups.values()) == wanted


@settings(max_examples=60, deadline=None)
@given(_NUMBERS)
def test_default_ranges_hold_their_values(texts: list[str]):
    numbers = column(texts)
    hierarchy, _ = default_hierarchy(numbers)
    hierarchy.bind(numbers)
    for text, *labels in hierarchy.rows:
        assert all(is_inside(text, label) for label in labels)


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


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.dates(datetime.date(1000, 1, 1), datetime.date(9999, 12, 31)), min_size=1),
    st.lists(st.sampled_from([2, 3, 5]), max_size=2),
)
def test_dates_are_inside_their_years(days: list[datetime.date], factors: list[int]):
    dates = column([day.isoformat() for day in days], Kind.DATE)
    years = [1]
    for factor in factors:
        years.append(years[-1] * factor)
    made = build("date", dates, levels=["month", "quarter", *(f"{n} years" for n in years)])
    for text, month, quarter, *labels in made.rows:
        day = datetime.date.fromisoformat(text)
        assert month == text[:7]
        assert quarter == f"{text[:4]}-Q{(day.month + 2) // 3}"
        for count, label in zip(years, labels, strict=False):
            first, _, last = label.partition("-")
            assert int(first) <= day.year <= int(last or first)
            assert int(first) % count == 0
            assert int(last or first) - int(first) == count - 1
