"""A preview reads the beginning of a file, however large the file is."""

from __future__ import annotations

import polars as pl
import pytest

from kanon_tui.core.table import preview
from kanon_tui.core.table.preview import preview_table
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.table import read_table


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "parts"])
def test_the_rest_of_a_file_is_not_read(tmp_path, monkeypatch, name):
    frame = pl.DataFrame({"age": [str(x % 90) for x in range(30_000)], "sex": "f"})
    path = tmp_path / name
    if name == "parts":
        path.mkdir()
        frame.write_csv(path / "1.csv")
        frame.write_csv(path / "2.csv")
    else:
        (frame.write_csv if name == "a.csv" else frame.write_parquet)(path)
    whole = read_table(path)

    def refuse(*_):
        raise AssertionError("a file may be too large to be read whole")

    monkeypatch.setattr(preview, "load", refuse)
    monkeypatch.setattr(preview, "read_table", refuse)
    table = preview_table(path, ReadOptions())
    assert 0 < table.height < whole.height
    assert table.frame.equals(whole.frame.head(table.height))
