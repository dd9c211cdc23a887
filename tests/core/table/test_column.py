"""Texts become codes: order, missing values, numbers, dates."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.table import Table, code_column
from kanon_tui.core.table.value_formats import ValueFormats, parse_dates, parse_numbers

TOKENS = ("", "?", "NA")


def coded(texts, kind=Kind.CATEGORICAL, **options):
    return code_column(pl.Series("x", texts, dtype=pl.String), kind, TOKENS, **options)


@pytest.mark.slow
@given(st.lists(st.text(max_size=4) | st.sampled_from(["", "?", "NA", "na", "é", "😀", "\uffff"])))
def test_categories_decode_to_what_stood_there_and_are_sorted(texts):
    column = coded(texts)
    tokens_used = [token for token in TOKENS if token in texts]
    expected = [tokens_used[0] if text in TOKENS else text for text in texts]
    assert [column.values[code] for code in column.codes] == expected
    present = sorted({text for text in texts if text not in TOKENS})
    assert list(column.values) == present + tokens_used[:1]
    assert column.missing == (len(present) if tokens_used else None)
    assert column.codes.dtype == np.int32
    assert column.counts.tolist() == [expected.count(value) for value in column.values]


numbers = st.one_of(
    st.integers(-(10**18), 10**18).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.sampled_from(["1", "1.0", "01", "+1", "1e0", "-0", "0", "00", ".5", "0.5", " 7", "?"]),
)


@given(st.lists(numbers))
def test_numbers_are_ordered_by_number_then_text(texts):
    column = coded(texts, Kind.NUMERIC)
    present = sorted({t for t in texts if t != "?"}, key=lambda t: (Decimal(t), t))
    assert list(column.values) == present + (["?"] if "?" in texts else [])
    assert [column.values[code] for code in column.codes] == texts
    assert column.numbers[: len(present)].tolist() == [float(text) for text in present]
    assert np.isnan(column.numbers[len(present) :]).all()


@given(st.lists(st.dates(datetime.date(1000, 1, 1), datetime.date(9999, 12, 31)), min_size=1))
@pytest.mark.parametrize("style", ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%Y/%m/%d", "%d %B %Y"])
def test_dates_are_exact_days(style, days):
    texts = [day.strftime(style).replace(day.strftime("%Y"), f"{day.year:04}") for day in days]
    column = coded(texts, Kind.DATE, format=style)
    epoch = datetime.date(1970, 1, 1)
    assert column.numbers[column.codes].tolist() == [(day - epoch).days for day in days]
    assert (np.diff(column.numbers) > 0).all()


def test_missing_cells_are_one_code_printed_as_the_first_token_that_occurs():
    column = coded(["NA", "b", "?", "a", "NA"])
    assert column.values == ("a", "b", "?")
    assert column.codes.tolist() == [2, 1, 2, 0, 2]
    assert column.missing == 2


def test_a_column_of_missing_cells_only():
    for kind in Kind:
        column = coded(["", "NA"], kind)
        assert column.values == ("",)
        assert column.codes.tolist() == [0, 0]


@pytest.mark.parametrize("text", ["NaN", "nan", "inf", "-inf", "1_000", "0x1f", "1e999", "٣", "."])
def test_words_and_other_scripts_are_no_numbers(text):
    assert np.isnan(parse_numbers([text])).all()


def test_a_decimal_comma_is_read_when_it_cannot_be_a_thousands_separator():
    assert parse_numbers(["1,5", "2", "1,234"]).tolist() == [1.5, 2.0, 1.234]
    assert parse_numbers(["0,125"]).tolist() == [0.125]
    assert np.isnan(parse_numbers(["1,234", "2,345"])).all()
    assert np.isnan(parse_numbers(["1,5", "2.5"])[0])
    assert np.isnan(parse_numbers(["1,234,567", "1,5"])[0])


def test_a_word_among_numbers_is_named_with_its_first_row():
    with pytest.raises(InputError, match=r"^x: 2 values are not numbers \(first in row 3\); "):
        coded(["1", "?", "old", "new", "old"], Kind.NUMERIC)
    with pytest.raises(InputError, match=r"a value is not a number \(in row 12\)"):
        Table(pl.DataFrame({"x": ["1", "old"]}), kept=np.array([10, 11])).column("x", Kind.NUMERIC)


@pytest.mark.parametrize(
    ("texts", "formats"),
    [
        (["2020-02-29"], ("%Y-%m-%d",)),
        (["2021-02-29"], ()),
        (["2020-02-29", "2020-03-01T10:00:00Z"], ("%Y-%m-%d",)),
        (["31/01/2020", "01/02/2020"], ("%d/%m/%Y",)),
        (["01/31/2020", "01/02/2020"], ("%m/%d/%Y",)),
        (["01/02/2020", "03/02/2020"], ("%d/%m/%Y", "%m/%d/%Y")),
        (["01-02-2020"], ("%d-%m-%Y", "%m-%d-%Y")),
        (["05/05/2020"], ("%d/%m/%Y",)),
        (["1.2.2020"], ("%d.%m.%Y",)),
        (["5 Jan 2020", "6 May 2020"], ("%d %b %Y",)),
        (["January 5, 2020"], ("%B %d, %Y",)),
        (["01/02/20"], ()),
        (["1975"], ()),
        (["46201"], ()),
        ([], ()),
    ],
)
def test_the_formats_that_read_every_date(texts, formats):
    assert ValueFormats().of_dates(texts) == formats


def test_a_date_that_reads_two_ways_needs_a_format():
    texts = ["01/02/2020", "03/02/2020"]
    with pytest.raises(InputError, match=r"^x: .*%d/%m/%Y or as %m/%d/%Y; set format"):
        coded(texts, Kind.DATE)
    assert coded(texts, Kind.DATE, format="%m/%d/%Y").numbers.tolist() == [18263.0, 18323.0]


def test_what_is_no_date_is_named():
    with pytest.raises(InputError, match=r"^x: a value is not a date .* \(in row 2\)"):
        coded(["2020-01-01", "2020-02-30"], Kind.DATE)
    with pytest.raises(InputError, match="a value is not a date"):
        coded(["01/02/20"], Kind.DATE, format="%d/%m/%Y")
    with pytest.raises(InputError, match="hours need minutes"):
        parse_dates(["2020-01-01 10"], "%Y-%m-%d %H")


def test_clock_times_are_fractions_of_the_printed_day():
    iso = ["1970-01-01T00:00", "1970-01-01 23:59:59Z", "1970-01-02 06:00:00.000+11:00"]
    assert parse_dates(iso, "%Y-%m-%d").tolist() == [0.0, 86399 / 86400, 1.25]
    assert parse_dates(["02.01.1970 18:00"], "%d.%m.%Y %H:%M").tolist() == [1.75]
    assert parse_dates(["1970-01-02 18:00:00+0900"], "%Y-%m-%d %H:%M:%S%z").tolist() == [1.75]
    assert np.isnan(parse_dates(["1970-01-01 25:00"], "%Y-%m-%d")).all()
