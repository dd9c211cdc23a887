"""What a column looks like, and the beginning of a file read as the whole would be."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.table.column import code_column
from kanon_tui.core.table.preview import preview_table
from kanon_tui.core.table.profile import profile
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.schema import Kind


def test_numbers_have_a_histogram_and_missing_is_counted_apart() -> None:
    made = profile(code_column(pl.Series("a", ["1", "2", "2", "9", "?", ""]), Kind.NUMERIC), bins=4)
    assert (made.records, made.distinct, made.missing, made.unique) == (6, 3, 2, 2)
    assert (made.lowest, made.highest) == ("1", "9")
    assert made.histogram == (3, 0, 1)
    assert made.top == (("2", 2), ("1", 1), ("9", 1))


def test_categories_have_their_commonest_values() -> None:
    made = profile(code_column(pl.Series("a", ["x", "y", "y"]), Kind.CATEGORICAL), top=1)
    assert made.histogram == ()
    assert made.top == (("y", 2),)


def test_a_column_of_nothing_but_missing() -> None:
    made = profile(code_column(pl.Series("a", ["?", ""]), Kind.NUMERIC))
    assert (made.distinct, made.missing, made.lowest, made.top) == (0, 2, None, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_preview_reads_the_first_records_of_a_large_file(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "large.csv"
    rows = "".join(f"{i};é{i}\r\n" for i in range(30_000))
    path.write_bytes(f"a;b\r\n{rows}".encode(encoding))
    table = preview_table(path, ReadOptions())
    assert table.names == ["a", "b"]
    assert 100 < table.height < 30_000
    assert table.frame.row(99) == ("99", "é99")
