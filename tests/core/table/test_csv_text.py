"""How a text is proved regular by walking over it."""

from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.csv_text import Layout, parse_carefully, parse_csv
from kanon_tui.core.table.sniffing import Dialect


def commas(width: int) -> Layout:
    return Layout(Dialect(",", '"'), tuple(f"column {x}" for x in range(width)))


CELLS = st.sampled_from(["a", "bb", "", "", " c", '"d"'])


def test_blank_lines_at_the_end_and_empty_cells_are_regular() -> None:
    assert parse_csv(b"a,b\n1,2\n,4\n\n", commas(2), "f").rows() == [
        ("a", "b"),
        ("1", "2"),
        ("", "4"),
    ]


def test_a_short_record_is_not_made_up_for_by_a_long_one() -> None:
    with pytest.raises(InputError, match="row 2 has 1 field where 2 are expected"):
        parse_csv(b"a,b\n1\n2,3,4\n", commas(2), "f")
    with pytest.raises(InputError, match="row 2 has 3 fields where 2 are expected"):
        parse_csv(b"a,b\n1,2,3\n4\n", commas(2), "f")


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.tuples(
            st.just(width),
            st.lists(
                st.lists(CELLS, min_size=width, max_size=width)
                | st.lists(CELLS, max_size=width + 1),
                min_size=1,
                max_size=6,
            ),
        )
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_all_ways_read_the_same(shape: tuple[int, list[list[str]]], line_end: str) -> None:
    width, records = shape
    text = (line_end.join(",".join(record) for record in records) + line_end).encode()

    def read(carefully: bool) -> object:
        try:
            if carefully:
                return pl.concat(
                    parse_carefully(io.BytesIO(text), commas(width), "f", len(text))
                ).rows()
            return parse_csv(text, commas(width), "f").rows()
        except (InputError, ValueError) as error:  # there may be nothing but blank lines
            return str(error)

    if len(records[0]) == width and any(records[0]):
        assert read(carefully=False) == read(carefully=True)
