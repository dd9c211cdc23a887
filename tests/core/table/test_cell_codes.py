"""Columns of a piece have the texts that the whole table would have, each once."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.table.cell_codes import Cells, incomplete_rows
from kanon_tui.core.table.typed_columns import all_texts


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("c", ["b", "a", "b", "", "é", None]),
        pl.Series("c", [-128, 127, 0, 127], dtype=pl.Int8),
        pl.Series("c", [2**63 - 1, -(2**63), 5]),
        pl.Series("c", [2**63 - 1, 2**63 - 3, 2**63 - 1]),
        pl.Series("c", [2**64 - 1, 2**64 - 2], dtype=pl.UInt64),
        pl.Series("c", [7, None, 7]),
        pl.Series("c", [1.5, float("nan"), 2.0, None]),
        pl.Series("c", [date(2020, 1, 2), None, date(1970, 1, 1)]),
        pl.Series("c", [True, False, True]),
        pl.Series("c", [], dtype=pl.Int64),
        pl.Series("c", np.arange(70_000) % 66_000),
    ],
)
def test_cells_are_printed_like_those_of_a_table(column):
    cells = Cells.from_series(column, "people.parquet")
    expected = all_texts(column.to_frame(), "people.parquet").to_series()
    assert cells.texts.gather(cells.places.astype(np.int64)).equals(expected)
    assert cells.texts.n_unique() == len(cells.texts) == expected.n_unique()
    assert cells.records.sum() == len(cells) == len(column)


def test_records_with_a_missing_cell_are_found():
    frame = pl.DataFrame({"age": ["5", "?", "7", "5"], "city": ["Rome", "Paris", "Rome", "NA"]})
    tokens = ["?", "NA"]
    assert incomplete_rows(frame, ["age", "city"], tokens).tolist() == [False, True, False, True]
    assert incomplete_rows(frame, ["age"], tokens).tolist() == [False, True, False, False]
    assert not incomplete_rows(frame, [], tokens).any()


@given(st.lists(st.sampled_from(["a", "b", "", "ä", "long text " * 3, "c", "d", "e"])))
def test_codes_give_the_cells_back(texts: list[str]) -> None:
    cells = Cells.from_series(pl.Series("x", texts, dtype=pl.String), "x")
    assert [cells.texts[int(code)] for code in cells.codes] == texts
    assert sorted(cells.texts) == sorted(set(texts))
