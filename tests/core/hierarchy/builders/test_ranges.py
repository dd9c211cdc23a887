"""Intervals, breaks and quantiles: label forms, nesting, refusals."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Kind
from tests.core.hierarchy.builders.building import AGES, BIRTHS, build, column, rows

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


def test_labels_are_written_as_the_column_writes():
    pay = column(["16.090,69", "900,5", "1.200,00"])
    assert rows("intervals", pay, widths=[500, 2000])["1.200,00"] == (
        "[1.000; 1.500)", "[0; 2.000)", "*"
    )  # fmt: skip
    assert rows("breaks", pay, levels=[[1000]])["900,5"] == ("<1.000", "*")
    whole = column(["1.234.567", "12.000"])
    assert rows("intervals", whole, widths=[1000])["12.000"] == ("12.000-12.999", "*")
    swiss = column(["1'234.50", "3.25"])
    assert rows("intervals", swiss, widths=[1000])["1'234.50"] == ("[1'000, 2'000)", "*")
    days = column(["31.12.1999", "02.01.2000"], Kind.DATE)
    assert rows("intervals", days, widths=[7])["31.12.1999"] == ("[30.12.1999..05.01.2000]",)


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
        ({"widths": [5], "width": 3}, "widths and width are both given; keep one of them"),
        ({"width": 0}, "x: width: '0' is not a number above 0"),
        ({"width": 5, "factor": 1.5}, "factor: '1.5' is not a whole number of at least 2"),
        (
            {"width": 1e-30},
            "would need more than 64 levels to reach from the lowest value to the highest",
        ),
        (
            {"width": 5, "origin": "here"},
            "'here' is not a number; write one like those in the data",
        ),
        ({"width": True}, "width: 'True' is not a number above 0"),
        (
            {"widths": []},
            "widths: an empty list is not allowed here; write a list",
        ),
    ],
)
def test_intervals_that_cannot_be_are_refused(keys, message):
    with pytest.raises(InputError, match=message):
        build("intervals", AGES, **keys)


def test_dates_have_whole_days_and_origins_that_are_dates():
    with pytest.raises(InputError, match=r"width 1.5 is not a whole number of days"):
        build("intervals", BIRTHS, width=1.5)
    with pytest.raises(InputError, match="'3' is not a date; write one like those in the data"):
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
    assert rows("breaks", comma, levels=[["1,25"]])["1,25"] == (">=1,25", "*")
    german = column(["20.09.1995", "31.01.1996"], Kind.DATE)
    assert rows("breaks", german, levels=[["01.01.1996"]])["20.09.1995"] == ("<01.01.1996", "*")


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([[18, 65], [64]], "level 2 cuts at 64, which is not a cut of level 1.*from 18, 65"),
        ([[65, 18]], "cut points must rise, but at level 1 18 comes after 65"),
        ([[18, 18]], "cut points must rise"),
        ([[18], []], r"write a list of lists of cut points, such as \[\[18, 40, 65\], \[65\]\]"),
        ([18], "write a list of lists"),
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
