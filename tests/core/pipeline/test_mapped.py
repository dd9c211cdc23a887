"""A table coded into a file gives the bytes and figures of one in memory, whatever is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.engine_choice import read_records
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from tests.beyond_memory import small_pieces
from tests.core.pipeline.compared import figures, outcome
from tests.core.pipeline.test_stream import people, project

SETTINGS: dict[str, dict[str, Any]] = {
    "person": {"person": True},
    "weights": {"weights": "auto"},
    "cells": {"privacy": {"k": 3, "suppress": "cells", "max_suppression": 0.2},
              "algorithm": {"name": "udc"}},
    "disjoint": {"overlap": False, "algorithm": {"name": "mdav"}},
    "risk": {"privacy": {"risk": {"measure": "average", "max": 0.2, "model": "prosecutor"}}},
    "subsets": {"privacy": {"k": 3, "subset_k": 3, "subset_size": 1, "max_suppression": 0.3}},
    "relaxed": {"algorithm": {"name": "mondrian", "params": {"relaxed": True}}},
    "refine": {"algorithm": {"name": "k-member", "params": {"refine": True}}},
    "input order": {"output": {"order": "input", "suppressed": "star"}},
    "missing": {"data": {"missing": {"policy": "drop"}}},
    "where": {"data": {"where": {"city": "!Öland"}}},
}  # fmt: skip


def asked(path: Path, **sections: Any):
    """Return a project over a table of people."""
    data = {"path": str(path), "header": True, **sections.pop("data", {})}
    return project(path, data=data, **sections)


def both_ways(one: Any, folder: Path) -> tuple[Any, Any]:
    """Return what becomes of a project in memory and mapped: a result or a refusal."""

    def written(project: Any, path: Path) -> Any:
        with small_pieces(400, 30):
            result = anonymize(project)
        result.write(path, force=True)
        return result

    mapped = one.with_(run={"engine": "stream"})
    return outcome(written, one, folder / "m.csv"), outcome(written, mapped, folder / "f.csv")


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_every_algorithm_runs_on_a_mapped_table(tmp_path, name):
    people(90).write_csv(tmp_path / "in.csv")
    one = asked(tmp_path / "in.csv", algorithm={"name": name})
    expected, found = both_ways(one, tmp_path)
    if isinstance(expected, str):
        assert found == expected
        return
    assert (tmp_path / "f.csv").read_bytes() == (tmp_path / "m.csv").read_bytes()
    assert figures(found) == figures(expected)


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_runs_on_a_mapped_table(tmp_path, setting):
    table = people(90)
    sections = dict(SETTINGS[setting])
    person = sections.pop("person", False)
    table.with_columns(pl.Series("name", [f"p{i // 2}" for i in range(90)])).write_csv(
        tmp_path / "in.csv"
    )
    one = asked(tmp_path / "in.csv", **sections)
    if person:
        one = one.with_(attributes={"name": {"role": "person"}})
    expected, found = both_ways(one, tmp_path)
    if isinstance(expected, str):
        assert found == expected
        return
    assert (tmp_path / "f.csv").read_bytes() == (tmp_path / "m.csv").read_bytes()
    assert figures(found) == figures(expected)
    assert sorted(os.listdir(tmp_path)) == ["f.csv", "in.csv", "m.csv"]


def test_a_mapped_table_is_read_once_and_leaves_no_file(tmp_path):
    people(200).write_parquet(tmp_path / "in.parquet")
    one = project(tmp_path / "in.parquet", run={"engine": "stream"})
    table = read_records(one)
    (tmp_path / "in.parquet").unlink()
    assert os.listdir(tmp_path) == []
    assert table.frame.cast(pl.String).equals(people(200))


def test_unreadable_values_name_the_row_of_a_mapped_table(tmp_path):
    table = people(60).with_columns(
        pl.Series("age", ["x" if i in (41, 50) else str(i) for i in range(60)])
    )
    table.write_csv(tmp_path / "in.csv")
    with pytest.raises(InputError, match=r"not a number \(first in row 43\)"):
        anonymize(project(tmp_path / "in.csv", run={"engine": "stream"}))


def test_a_compressed_file_is_read_at_once(tmp_path):
    import gzip

    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(people(50).write_csv().encode()))
    one = project(tmp_path / "in.csv.gz", run={"engine": "stream"})
    whole = read_table(tmp_path / "in.csv.gz", ReadOptions())
    assert read_records(one).frame.equals(whole.frame)
