"""A library that is not installed is one sentence that says how to get it, and nothing is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.formats import format_of
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.writing import write_table

TABLE = pl.DataFrame({"age": ["34", "35"]})


@pytest.mark.parametrize(
    ("name", "reads", "writes", "extra"),
    [
        ("a.xlsx", "fastexcel", "xlsxwriter", "excel"),
        ("a.sav", "pyreadstat", "pyreadstat", "stats"),
        ("a.dta", "pyreadstat", "pyreadstat", "stats"),
        ("a.duckdb", "duckdb", "duckdb", "databases"),
    ],
)
def test_the_extra_is_named(
    name: str, reads: str, writes: str, extra: str, tmp_path: Path, monkeypatch
) -> None:
    path = tmp_path / name
    write_table(path, TABLE)
    before = path.read_bytes()
    for module in (reads, writes):
        monkeypatch.setitem(sys.modules, module, None)
    advice = rf"pip install 'kanon-tui\[{extra}\]'"
    module = format_of(path).load()
    with pytest.raises(InputError, match=rf"reading an? .* needs the library {reads}.*{advice}"):
        module.read(path, ReadOptions())  # in this process, where the library is hidden
    with pytest.raises(InputError, match=rf"writing an? .* needs the library {writes}.*{advice}"):
        write_table(path, TABLE, force=True)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_the_extra_of_databases_on_servers(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    data = {"path": "postgresql://u:secret@host/clinic", "query": "SELECT 1"}
    with pytest.raises(
        InputError, match=r"reading a database needs .*kanon-tui\[databases\]"
    ) as refusal:
        project_from_mapping({"data": data}).read_data()
    assert "secret" not in str(refusal.value)
