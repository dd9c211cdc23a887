"""Coded columns are the same wherever their numbers lie; what does not fit is a sentence."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.processes.memory_limit import AT_LEAST, MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.table.cell_codes import Cells, counts_of_codes
from kanon_tui.core.table.coded_columns import GrowingColumn, code_source
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, read_table
from kanon_tui.core.table.table import Table
from tests.beyond_memory import small_pieces

HEADER = ReadOptions(header=True)


def coded(path: Path, folder: Path | None = None) -> Table:
    """Return the table of a file, read in small pieces and coded."""
    with small_pieces(300, 40):
        source = open_source(path, HEADER)
        return code_source(source, LocalWorkers(), MemoryLimit(), folder)


@pytest.mark.parametrize("distinct", [1, 255, 256, 65_535, 65_536, 70_000])
def test_a_growing_column_has_the_narrowest_numbers(tmp_path, distinct):
    texts = [f"v{number % distinct}" for number in range(71_000)]
    for folder in (None, tmp_path):
        column = GrowingColumn("a", folder)
        for begin in range(0, len(texts), 7000):
            column.append(Cells.from_series(pl.Series("a", texts[begin : begin + 7000]), "t"))
        series = column.series()
        assert series.cast(pl.String).to_list() == texts
        assert series.to_physical().dtype == pl.Series(dtype=series.dtype).to_physical().dtype
        assert series.dtype == pl.Enum(list(dict.fromkeys(texts)))
    assert os.listdir(tmp_path) == []


def test_a_mapped_column_is_not_copied(tmp_path):
    column = GrowingColumn("a", tmp_path)
    column.append(Cells.from_series(pl.Series("a", ["x", "y", "x"] * 1000), "t"))
    series = column.series()
    first = Cells.from_series(series, "t").places
    second = Cells.from_series(series, "t").places
    assert np.shares_memory(first, second)
    assert first.dtype == np.uint8


@pytest.mark.parametrize("records", [1, 3, 500])
def test_a_coded_file_answers_like_one_in_memory(tmp_path, records):
    frame = pl.DataFrame(
        {
            "id": [f"p{number}" for number in range(records)],
            "age": [str(number % 50) if number % 11 else "?" for number in range(records)],
            "sex": ["fm"[number % 2] for number in range(records)],
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    whole = read_table(tmp_path / "t.csv", HEADER)
    for folder in (None, tmp_path):
        table = coded(tmp_path / "t.csv", folder)
        assert table.frame.cast(pl.String).equals(frame)
        assert table.missing_cells() == whole.missing_cells()
        assert table.facts == whole.facts
        for name, kind in (("id", Kind.CATEGORICAL), ("age", Kind.NUMERIC)):
            column = table.column(name, kind)
            expected = whole.column(name, kind)
            assert column.values == expected.values
            assert np.array_equal(column.codes, expected.codes)
            assert np.array_equal(column.counts, expected.counts)
            found = table.occurrences(name).sort("value")
            assert found.equals(whole.occurrences(name).sort("value"), null_equal=False)
        complete, dropped = table.drop_missing(["age"])
        expected_rows, expected_dropped = whole.drop_missing(["age"])
        assert dropped == expected_dropped
        assert complete.frame.cast(pl.String).equals(expected_rows.frame)
        last = complete.height - 1
        assert last < 0 or complete.row_of(last) == expected_rows.row_of(last)


def test_columns_of_distinct_values_and_very_many_columns(tmp_path):
    wide = pl.DataFrame({f"c{number}": ["1", "2"] for number in range(3000)})
    wide.write_csv(tmp_path / "wide.csv")
    assert coded(tmp_path / "wide.csv", tmp_path).frame.cast(pl.String).equals(wide)


def test_too_many_distinct_values_are_refused_with_the_column(tmp_path):
    numbers = range(3000)
    pl.DataFrame({"id": [f"person {number}" for number in numbers], "x": "1"}).write_csv(
        tmp_path / "t.csv"
    )
    source = open_source(tmp_path / "t.csv", HEADER)
    with pytest.raises(InputError, match=r"distinct values of 'id' .* allow more with --memory"):
        code_source(source, LocalWorkers(), MemoryLimit(AT_LEAST + 1000), tmp_path)


def test_a_disk_without_room_is_refused_before_anything_is_read(tmp_path):
    (tmp_path / "t.csv").write_text("age\n1\n2\n")
    source = open_source(tmp_path / "t.csv", HEADER)
    huge = replace(source, facts=replace(source.facts, bytes=10**20), pieces=())
    with pytest.raises(InfrastructureError, match=r"coded table takes up to .* make room"):
        code_source(huge, LocalWorkers(), MemoryLimit(), tmp_path)


def test_counts_of_narrow_codes_are_summed_over_slices():
    codes = np.tile(np.arange(200, dtype=np.uint8), 20_000)
    assert (counts_of_codes(codes, 256)[:200] == 20_000).all()
    assert counts_of_codes(codes[:0], 3).tolist() == [0, 0, 0]
