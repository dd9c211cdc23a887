"""Files of SPSS, Stata and SAS that other programs wrote, and those that they read."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import write_table

PEOPLE = pd.DataFrame(
    {
        "age": [34.0, 35.0, np.nan],
        "sex": [1.0, 2.0, 9.0],
        "born": [dt.date(1990, 1, 1), dt.date(1991, 12, 31), None],
        "note": ["a", "ü", ""],
    }
)
LABELS = {"sex": {1: "male", 2: "female"}}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_labels_are_the_values(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"people.{ending}"
    if ending == "dta":
        pyreadstat.write_dta(PEOPLE, str(path), variable_value_labels=LABELS)
    else:
        compress = ending == "zsav"
        pyreadstat.write_sav(PEOPLE, str(path), compress=compress, variable_value_labels=LABELS)
    table = read_table(path)
    assert table.frame.to_dict(as_series=False) == {
        "age": ["34", "35", ""],
        "sex": ["male", "female", "9"],
        "born": ["1990-01-01", "1991-12-31", ""],
        "note": ["a", "ü", ""],
    }
    assert table.facts is not None
    assert table.facts.format == ("stata" if ending == "dta" else "spss")


def test_a_stata_file_of_pandas(tmp_path: Path) -> None:
    path = tmp_path / "a.dta"
    frame = pd.DataFrame(
        {
            "float32": np.array([0.1, 2], dtype="float32"),
            "float64": [0.1 + 0.2, 9007199254740991.0],
            "whole": [1, 2],
            "group": pd.Categorical(["low", "high"]),
            "seen": pd.to_datetime(["2020-01-01 00:00", "2020-01-02 10:00"]),
        }
    )
    frame.to_stata(path, write_index=False, version=118)
    assert read_table(path).frame.rows() == [
        ("0.1", "0.3", "1", "low", "2020-01-01 00:00:00"),
        ("2", "9007199254740991", "2", "high", "2020-01-02 10:00:00"),
    ]


def test_sas_transport_and_spss_portable(tmp_path: Path) -> None:
    frame = PEOPLE[["age", "note"]].dropna()
    pyreadstat.write_xport(frame, str(tmp_path / "a.xpt"), file_format_version=8)
    pyreadstat.write_por(frame.assign(note="b"), str(tmp_path / "a.por"))
    assert read_table(tmp_path / "a.xpt").frame.rows() == [("34", "a"), ("35", "ü")]
    portable = read_table(tmp_path / "a.por")
    assert portable.frame.rows() == [("34", "b"), ("35", "b")]
    assert portable.names == ["AGE", "NOTE"]  # as that format writes them


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "dta", "sas7bdat", "xpt", "por"])
def test_what_is_no_such_file_is_one_sentence(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"age,sex\n1,2\n" * 50)
    with pytest.raises(InputError, match=rf"a\.{ending} is not an? (SPSS|Stata|SAS) file that can"):
        read_table(path)


def test_more_cells_than_the_limit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(pd.DataFrame({"a": [1.0] * 1000}), str(path), row_compress=True)
    assert path.stat().st_size < 12_000
    with pytest.raises(InputError, match="holds more than 12kB"):
        read_table(path, ReadOptions(limit=12_000))


RELEASE = pl.DataFrame(
    {
        "age": ["30-39", "*"],
        "birth date": ["1990", "é" * 300],
        "if": ["1", "2.5"],
        "Birth_Date": ["007", "8"],
        "1st visit ä": ["1", ""],
    }
)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_release_is_read_by_pandas_and_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"release.{ending}"
    write_table(path, RELEASE)
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name]
    seen = pd.read_stata(path) if ending == "dta" else pd.read_spss(path)
    assert list(seen.columns) == ["age", "birth_date", "v_if", "Birth_Date_2", "v_1st_visit__"]
    assert seen["v_if"].tolist() == [1.0, 2.5]
    assert seen["Birth_Date_2"].tolist() == ["007", "8"]
    labels = pyreadstat.read_dta if ending == "dta" else pyreadstat.read_sav
    assert labels(str(path))[1].column_labels == RELEASE.columns
    assert read_table(path).frame.rows() == RELEASE.rows()


def test_a_text_that_stata_has_no_room_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a cell of a has 3,000 bytes.*at most 2,045"):
        write_table(tmp_path / "a.dta", pl.DataFrame({"a": ["x" * 3000]}))
    assert not list(tmp_path.iterdir())
