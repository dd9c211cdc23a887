"""Dates by month, year and so on: label forms, nesting, refusals."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Kind
from tests.core.hierarchy.builders.building import BIRTHS, build, column, rows


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
        (["fortnight"], "is not a list of day, month, quarter, year, 5 years"),
        (["0 years"], "is not a list of day"),
    ],
)
def test_date_levels_that_do_not_nest_are_refused(levels, message):
    with pytest.raises(InputError, match=message):
        build("date", BIRTHS, levels=levels)


@pytest.mark.slow
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
