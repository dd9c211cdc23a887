"""How numbers are written: found where all texts agree, told where they allow two readings."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.scaled_numbers import decimal_places, units_of
from kanon_tui.core.table.table import code_column
from kanon_tui.core.table.value_formats import (
    NUMBER_FORMATS,
    PLAIN,
    NumberFormat,
    ValueFormats,
    parse_numbers,
)

GERMAN = NumberFormat(",", ".")
FRENCH = NumberFormat(",", " ")
SWISS = NumberFormat(".", "'")
COMMA = NumberFormat(",")
ENGLISH = NumberFormat(".", ",")


@pytest.mark.parametrize(
    ("texts", "formats"),
    [
        (["16.090,69", "900"], (GERMAN,)),
        (["1.234.567", "12"], (GERMAN,)),
        (["1 234,5", "12"], (FRENCH,)),
        (["1\u202f234,5", "1\u00a0000"], (FRENCH,)),
        (["1'234.50", "7"], (SWISS,)),
        (["1\u2019234.50"], (SWISS,)),
        (["1,234.5", "1,234,567"], (ENGLISH,)),
        (["1,5", "2,25"], (COMMA,)),
        (["0,125"], (COMMA,)),
        (["1234.5", "-2e3"], (PLAIN,)),
        (["1,234", "5,678"], (COMMA, ENGLISH)),
        (["1.234", "12.500"], (PLAIN,)),
        (["12.34,5"], ()),
        (["1 23"], ()),
        (["1.234,5", "x"], ()),
        (["31.12.1999"], ()),
        ([], ()),
    ],
)
def test_the_marks_of_a_column(texts, formats):
    assert ValueFormats().of_numbers(texts) == formats


def test_a_point_between_thousands_is_asked_about_where_the_comma_is_usual():
    assert ValueFormats(points_may_group=True).of_numbers(["1.234", "12.500"]) == (PLAIN, GERMAN)
    assert ValueFormats(points_may_group=True).of_numbers(["1.234", "12.5"]) == (PLAIN,)
    assert ValueFormats(points_may_group=True).of_numbers(["1", "12"]) == (PLAIN,)


def test_what_is_said_of_a_file_settles_it():
    said = ValueFormats(decimal=",")
    assert said.of_numbers(pl.Series(["1,234", "5,678"])) == (COMMA,)
    assert said.of_numbers(pl.Series(["1.5"])) == (PLAIN,)  # a column written otherwise
    assert ValueFormats(thousands=",").of_numbers(pl.Series(["1,234"])) == (ENGLISH,)
    assert ValueFormats(dates="%m/%d/%Y").of_dates(pl.Series(["01/02/2020"])) == ("%m/%d/%Y",)
    assert ValueFormats(dates="%m/%d/%Y").of_dates(pl.Series(["2020-01-31"])) == ("%Y-%m-%d",)


@given(st.sampled_from(NUMBER_FORMATS), st.decimals(-(10**9), 10**9, places=2))
def test_what_is_written_reads_back(number_format, number):
    written = number_format.write(f"{number:f}")
    assert number_format.read([written]).tolist() == [float(number)]


def test_a_column_sorts_by_its_numbers_and_keeps_its_texts():
    texts = pl.Series("x", ["16.090,69", "900,5", "?", "1.200,00"])
    column = code_column(texts, Kind.NUMERIC)
    assert column.values == ("900,5", "1.200,00", "16.090,69", "?")
    assert column.number_format == GERMAN
    assert column.parse(["1.000", "1000", "1000.5", "1,5"]).tolist() == [1000, 1000, 1000.5, 1.5]


def test_two_readings_are_refused_with_both():
    with pytest.raises(InputError, match=r"read as 1234,5 or as 1,234\.5; set format"):
        code_column(pl.Series("pay", ["1,234"]), Kind.NUMERIC)
    column = code_column(pl.Series("pay", ["1,234"]), Kind.NUMERIC, format=ENGLISH)
    assert column.numbers is not None
    assert column.numbers.tolist() == [1234]


def test_a_format_for_another_kind_is_refused():
    with pytest.raises(InputError, match="its kind is numeric"):
        code_column(pl.Series("x", ["1"]), Kind.NUMERIC, format="%Y")
    with pytest.raises(InputError, match="its kind is date"):
        code_column(pl.Series("x", ["1999-12-31"]), Kind.DATE, format=GERMAN)


def test_what_does_not_fit_is_named_under_the_closest_format():
    texts = pl.Series("x", ["16.090,69", "900,5", "many"])
    with pytest.raises(InputError, match=r"a value is not a number written like 1\.234,5"):
        code_column(texts, Kind.NUMERIC)
    assert np.isnan(GERMAN.read(["many"])).all()


@given(st.lists(st.sampled_from(["1", "1,5", "1.5", "1,234", "1 234", "-.5", "1e3", "x", ""])))
def test_texts_are_numbers_where_all_are_read(texts):
    assert (len(ValueFormats().of_numbers(texts)) == 1) == (
        bool(texts) and not np.isnan(parse_numbers(texts)).any()
    )


_PLAIN_SPELLINGS = st.from_regex(
    r"[+-]?(?:[0-9]{1,8}(?:\.[0-9]{0,5})?|\.[0-9]{1,5})", fullmatch=True
)
_ALL_SPELLINGS = _PLAIN_SPELLINGS | st.from_regex(
    r"-?[0-9]{1,20}(?:\.[0-9]{1,12})?(?:e[+-]?[0-9]{1,2})?", fullmatch=True
)


@given(st.sampled_from((_PLAIN_SPELLINGS, _ALL_SPELLINGS)).flatmap(st.lists), st.integers(0, 9))
def test_scaled_numbers_are_the_exact_numbers(texts, decimals_more):
    many = [*texts, *(f"{number / 4}" for number in range(1_001))]
    numbers = PLAIN.read(many).tolist()
    exact = PLAIN.exact(many, numbers)
    scaled = PLAIN.scaled(many, numbers)
    assert scaled.decimals == max(map(decimal_places, exact))
    finer = scaled.with_decimals(scaled.decimals + decimals_more)
    assert finer.units.tolist() == units_of(exact, finer.decimals)


@pytest.mark.parametrize("number_format", NUMBER_FORMATS)
def test_numbers_with_marks_are_scaled(number_format):
    texts = [number_format.write(f"{number - 700}.{number % 100:02}") for number in range(2_500)]
    scaled = number_format.scaled(texts, number_format.read(texts).tolist())
    assert scaled.decimals == 2
    assert scaled.units[[0, 2_499]].tolist() == [-70_000, 179_999]
