"""Names of columns: told from records, and made for the names of rows, which have none."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.table import header
from kanon_tui.core.table.csv_sample import sample_csv
from kanon_tui.core.table.header import has_header
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.role_guesses import guess_attributes
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.sniffing import Dialect, first_records
from kanon_tui.core.table.source import open_source
from kanon_tui.core.table.table import Table, read_table

TOKENS = ("", "?", "NA")


@pytest.mark.parametrize(
    ("text", "header_expected"),
    [
        ("age,sex\n39,M\n50,F\n", True),
        ("39,M\n50,F\n", False),
        ("birth,sex\n1964-09-13,M\n", True),
        ("1964-09-13,M\n1965-01-01,F\n", False),
        ("sex,country\nM,Japan\nF,Iran\n", True),
        ("M,Japan\nF,Japan\nM,Iran\n", False),
        (",age\n0,39\n1,50\n", True),  # the names of rows have none
        ("?,39\nx,50\n", False),
        ("a,b\n", True),
        ("1,2\n", False),
        ("id,gain,loss\nx7,NA,?\nx8,0,1\n", True),
    ],
)
def test_headers_are_told_from_records(text, header_expected):
    records = first_records(text.encode(), Dialect(",", '"'))
    assert has_header(records, TOKENS) is header_expected


def test_of_very_many_columns_some_tell_names_from_values(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    really = header._number_or_date
    monkeypatch.setattr(
        header, "_number_or_date", lambda texts: asked.append(texts) or really(texts)
    )
    assert header.has_header([["x"] * 50_000, ["1"] * 50_000], [""])
    assert len(asked) <= 2 * header._COLUMNS_LOOKED_AT


# -- the names of rows


ROWS = [("1", "39", "flu"), ("2", "50", "cold"), ("3", "39", "flu")]


def read_both_ways(path: Path, **options: object) -> Table:
    """The table of a file, which is the same when it is read in pieces, or sampled whole."""
    table = read_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    source = open_source(path, ReadOptions(**options), piece_bytes=9)  # type: ignore[arg-type]
    pieces = [frame for piece in source.pieces for frame in source.read(piece)]
    assert pl.concat(pieces).equals(table.frame)
    sample = sample_csv([path], ReadOptions(**options), 100)  # type: ignore[arg-type]
    assert sample.frame.equals(table.frame)
    return table


@pytest.mark.parametrize(
    "text",
    [
        '"","age","ill"\n"1",39,"flu"\n"2",50,"cold"\n"3",39,"flu"\n',  # write.csv
        '"age","ill"\n"1",39,"flu"\n"2",50,"cold"\n"3",39,"flu"\n',  # write.table, sep = ","
        "age\till\n1\t39\tflu\n2\t50\tcold\n3\t39\tflu\n",
        "age, ill\n1, 39, flu\n2, 50, cold\n3, 39, flu\n",
        "age,ill\n1,39,flu\n\n2,50,cold\r\n3,39,flu\n",  # irregular: read record by record
    ],
)
@pytest.mark.parametrize("chosen", ["auto", True])
def test_row_names_as_r_writes_them_are_a_column(text: str, chosen: object, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text, newline="")
    table = read_both_ways(path, header=chosen)
    assert table.names == ["column_1", "age", "ill"]
    assert table.frame.rows() == ROWS


def test_the_index_that_pandas_writes_is_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": range(20, 60), "column_1": ["flu", "cold"] * 20})
    frame.to_csv(tmp_path / "t.csv")
    frame.to_excel(tmp_path / "t.xlsx", engine="xlsxwriter")
    table = read_both_ways(tmp_path / "t.csv")
    assert table.names == ["column_1_", "age", "column_1"]
    assert read_table(tmp_path / "t.xlsx").names == table.names
    assert guess_attributes(table)["column_1_"].role is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2,\n3,4,\n", "row 2 has 3 fields where 2 are expected"),  # delimiters too many
        ("a,b\n1,2,3\n1,4,5\n", "row 2 has 3 fields where 2 are expected"),  # no names of rows
        ("1,2\n3,4,5\n6,7,8\n", "row 2 has 3 fields where 2 are expected"),  # no header
        ("a,b\n1,2,3\n4,5,6\n7,8\n", "row 2 has 3 fields where 2 are expected"),
        ("a,,c\n1,2,3\n", "column 2 has no name"),
    ],
)
def test_what_only_looks_like_row_names_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_table(path)


def test_a_record_at_fault_below_a_short_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b\n" + "".join(f"{i},2,3\n" for i in range(300)) + "300,4\n")
    with pytest.raises(InputError, match="row 302 has 2 fields where 3 are expected"):
        read_table(path)
