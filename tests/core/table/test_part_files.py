"""A folder or a pattern of parts is one table, its parts in the order of their names."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.result import anonymize
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.part_files import name_beside, part_files
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.table import read_table
from kanon_tui.core.table.writing import check_target


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "b.csv").write_text("age,city\n40,Rome\n")
    (tmp_path / "a.csv").write_text("age,city\n30,Paris\n31,Lyon\n")
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(b"age,city\n50,Oslo\n"))
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden.csv").write_text("x")
    return tmp_path


def test_folder_and_pattern_are_one_table_in_the_order_of_names(parts):
    for path in (parts, parts / "*.csv*"):
        table = read_table(path)
        assert table.frame.rows() == [
            ("30", "Paris"), ("31", "Lyon"), ("40", "Rome"), ("50", "Oslo"),
        ]  # fmt: skip
        assert table.facts is not None
        assert table.facts.format == "csv"
    assert read_table(parts / "[ab].csv").height == 3


def test_a_file_may_be_called_like_a_pattern(tmp_path):
    (tmp_path / "a[1].csv").write_text("x\n1\n")
    (tmp_path / "a1.csv").write_text("x\n2\n")
    assert part_files(tmp_path / "a[1].csv") == (tmp_path / "a[1].csv",)


def test_columns_that_differ_are_named_and_another_order_is_not_minded(parts):
    (parts / "d.csv").write_text("city,age\nBern,60\n")
    assert read_table(parts).frame.rows()[-1] == ("60", "Bern")
    (parts / "d.csv").write_text("city,age,sex\nBern,60,f\n")
    with pytest.raises(InputError, match=r"d\.csv has a column 'sex' that a\.csv does not have"):
        read_table(parts)
    (parts / "d.csv").write_text("age\n60\n")
    with pytest.raises(InputError, match=r"d\.csv has no column 'city', which a\.csv has"):
        read_table(parts)


def test_nothing_matches(tmp_path):
    with pytest.raises(InputError, match=r"\*\.csv: no file matches this pattern"):
        read_table(tmp_path / "*.csv")
    with pytest.raises(InputError, match="is a directory without CSV, TSV or Parquet files"):
        read_table(tmp_path)


def test_parts_without_header_take_the_names_of_the_first(tmp_path):
    (tmp_path / "a.csv").write_text("1;2\n3;4\n")
    (tmp_path / "b.csv").write_text("5;6\n")
    table = read_table(tmp_path, ReadOptions(header=False))
    assert table.names == ["column_1", "column_2"]
    assert table.frame.rows()[-1] == ("5", "6")


def test_parquet_parts_print_days_alike(tmp_path):
    noon = datetime.datetime(2020, 1, 2, 12)
    midnight = datetime.datetime(2020, 1, 1)
    pl.DataFrame({"day": [midnight], "n": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"day": [noon], "n": [2]}).write_parquet(tmp_path / "b.parquet")
    days = read_table(tmp_path / "*.parquet").frame["day"].to_list()
    assert [day[:19] for day in days] == ["2020-01-01 00:00:00", "2020-01-02 12:00:00"]
    pl.DataFrame({"n": ["x"], "day": ["?"]}).write_parquet(tmp_path / "c.parquet")
    assert read_table(tmp_path).frame.rows()[-1] == ("?", "x")


def test_a_release_never_lies_among_the_parts(parts):
    project = project_from_mapping({"data": {"path": str(parts)}})
    for name in ("new.csv", "b.csv"):
        with pytest.raises(InputError, match="read"):
            check_target(parts / name, None, True, project.inputs)
    pattern = project_from_mapping({"data": {"path": str(parts / "*.csv")}})
    with pytest.raises(InputError, match="is what is read"):
        check_target(parts / "b.csv", None, True, pattern.inputs)


def test_a_project_runs_on_parts_as_on_the_whole(parts):
    whole = parts.parent / f"{parts.name}.csv"
    whole.write_text("age,city\n30,Paris\n31,Lyon\n40,Rome\n50,Oslo\n")
    releases = [
        anonymize(
            project_from_mapping(
                {
                    "data": {"path": str(path)},
                    "attributes": {"age": {"role": "quasi", "kind": "numeric"}},
                    "privacy": {"k": 2},
                    "algorithm": {"name": "mondrian"},
                }
            )
        ).table
        for path in (whole, parts)
    ]
    assert releases[0].equals(releases[1])


def test_names_beside_the_data():
    assert name_beside(Path("d/census.csv.gz"), ".yaml") == Path("d/census.yaml")
    assert name_beside(Path("d/parts/*.csv"), ".yaml") == Path("d/parts.yaml")
    assert name_beside(Path("d/parts"), ".yaml") == Path("d/parts.yaml")
