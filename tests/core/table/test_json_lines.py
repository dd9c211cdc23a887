"""JSON lines: numbers stay as they are printed, records may leave names out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import write_table

LINES = b"""\
{"age": 34, "pay": 1.50, "ok": true, "zip": "01234"}

{"age": 1e2, "pay": null, "ok": false, "town": "Z\\u00fcrich"}\r
{"age": 12345678901234567890, "zip": ""}
"""


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz"])
def test_every_cell_is_as_printed(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(LINES) if name.endswith("gz") else LINES)
    table = read_table(tmp_path / name)
    assert table.frame.to_dict(as_series=False) == {
        "age": ["34", "1e2", "12345678901234567890"],
        "pay": ["1.50", "", ""],
        "ok": ["true", "false", ""],
        "zip": ["01234", "", ""],
        "town": ["", "Zürich", ""],
    }


def test_a_file_of_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [34, 35], "name": ["a,b", 'say "x"']})
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    assert read_table(tmp_path / "a.jsonl").frame.rows() == [("34", "a,b"), ("35", 'say "x"')]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"a": 1', "line 2 is not JSON"),
        ("[1, 2]", "line 2 is no record"),
        ('{"a": [1]}', "line 2: 'a' holds a list"),
        ('{"a": {"b": 1}}', "line 2: 'a' holds a mapping"),
        ("[" * 100_000, "line 2 is not JSON"),
    ],
)
def test_the_line_at_fault_is_named(line: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(InputError, match=why):
        read_table(tmp_path / "a.jsonl")


def test_a_release_is_read_by_polars_and_back(tmp_path: Path) -> None:
    release = pl.DataFrame(
        {"age": ["30-39", "*"], "pay": ["1.5", ""], "n": ["1", "2"], "zip": ["01", "\n\u2028"]}
    )
    path = tmp_path / "release.jsonl"
    write_table(path, release)
    assert [json.loads(line)["n"] for line in path.read_text().split("\n")[:-1]] == [1, 2]
    assert pl.read_ndjson(path)["pay"].to_list() == [1.5, None]
    assert read_table(path, ReadOptions()).frame.equals(release)
