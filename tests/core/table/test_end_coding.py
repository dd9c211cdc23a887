"""One value for all that lies beyond a bound, and what is kept of what it hides."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Column, Kind, range_text
from kanon_tui.core.table.column_coding import CodedBounds, bounds_of, code_ends, coding_note
from kanon_tui.core.table.table import code_column
from kanon_tui.core.table.value_formats import Format, NumberFormat


def column(values: list[str], kind: Kind = Kind.NUMERIC, format: Format | None = None) -> Column:
    return code_column(pl.Series("age", values), kind, format=format)


def test_values_beyond_a_bound_are_one_and_missing_stays_last() -> None:
    coded = code_ends(column(["95", "18", "?", "40", "90", "7", "90.0"]), CodedBounds(90, 18))
    assert coded.values == ("<=18", "40", ">=90", "?")
    assert coded.codes.tolist() == [2, 0, 3, 1, 2, 0, 2]
    assert coded.numbers is not None
    np.testing.assert_array_equal(coded.numbers, [18, 40, 90, np.nan])
    np.testing.assert_array_equal(coded.lowest, [7, 40, 90, np.nan])
    np.testing.assert_array_equal(coded.highest, [18, 40, 95, np.nan])
    assert coded.covered.tolist() == [2, 1, 3, 1]
    assert coded.distinct == 7
    assert coded.parse([">=90", "<=18", "93"]).tolist() == [90, 18, 93]
    assert [str(number) for number in coded.exact_numbers] == ["18", "40", "90"]


def test_a_range_that_reaches_a_coded_end_is_open_there() -> None:
    coded = code_ends(column(["95", "18", "40", "60"]), CodedBounds(90, 18))
    assert range_text(coded, "40", ">=90") == ">=40"
    assert range_text(coded, "<=18", "60") == "<=60"
    assert range_text(coded, "<=18", ">=90") == "*"
    assert range_text(coded, "40", "60") == "[40..60]"


def test_bounds_are_read_and_written_as_the_column_writes_numbers_and_dates() -> None:
    european = NumberFormat(",", ".")
    coded = code_ends(column(["1.500,5", "3.000"], format=european), CodedBounds("2.500"))
    assert coded.values == ("1.500,5", ">=2.500")
    assert bounds_of(coded) == CodedBounds("2.500")
    days = column(["20.09.1995", "01.01.2001"], Kind.DATE, "%d.%m.%Y")
    coded = code_ends(days, CodedBounds("2000-01-01"))
    assert coded.values == ("20.09.1995", ">=01.01.2000")
    assert bounds_of(coded) == CodedBounds("01.01.2000")


def test_a_bound_that_nobody_reaches_codes_nobody_and_says_so() -> None:
    plain = column(["20", "30"])
    coded = code_ends(plain, CodedBounds(90))
    assert coded.values == plain.values
    said = coding_note(coded)
    assert said is not None
    assert "0 records as >=90" in str(said)
    assert coding_note(plain) is None
    assert code_ends(plain, CodedBounds()) is plain


@pytest.mark.parametrize(
    ("bounds", "kind", "said"),
    [
        (CodedBounds(18, 90), Kind.NUMERIC, "bottom 90 is not below top 18"),
        (
            CodedBounds("old"),
            Kind.NUMERIC,
            "top 'old' is not a number; write one like those in the data",
        ),
        (CodedBounds(None, 5), Kind.CATEGORICAL, "bottom is for numbers and dates"),
    ],
)
def test_what_does_not_fit_is_told(bounds: CodedBounds, kind: Kind, said: str) -> None:
    with pytest.raises(InputError, match=f"age: {said}"):
        code_ends(column(["20", "30"], kind), bounds)
