"""Files and frames become tables: cells as they stood, or one sentence about what is wrong."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table import csv_text
from kanon_tui.core.table import source as table_module
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import Dialect
from kanon_tui.core.table.source import preview_table, read_table
from kanon_tui.core.table.table import as_table
from tests.tries import tries
from tests.zstd import zstd


@pytest.fixture
def read(tmp_path):
    def read(content, name="data.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, ReadOptions(**options))

    return read


HOSTILE = [
    "",
    " ",
    "a",
    "é",
    "ß",
    '"',
    '""',
    "'",
    ",",
    ";",
    "\t",
    "|",
    "\n",
    "\r\n",
    "\r",
    "[",
    "]",
]
HOSTILE += ["{", "}", "*", "#", "\\", "[/b]", "007", "1.50", "NA", "?", " x ", "\xa0"]
cells = st.lists(st.sampled_from(HOSTILE), max_size=4).map("".join)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=5)
)


def written(records, delimiter, line_end, quote_all):
    """CSV as its rules say, the naive way."""

    def cell(text, alone):
        special = delimiter + '"\r\n'
        if quote_all or any(c in special for c in text) or (alone and not text):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = (delimiter.join(cell(text, len(record) == 1) for text in record) for record in records)
    return "".join(line + line_end for line in lines)


@settings(max_examples=tries(15))
@given(tables, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.sampled_from([3, 1 << 22]))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_hostile_cells_come_back_byte_for_byte(
    delimiter, encoding, records, line_end, quote_all, chunk
):
    names = tuple(f"n{place}" for place in range(len(records[0])))
    text = written([names, *records], delimiter, line_end, quote_all)
    options = ReadOptions(
        delimiter=delimiter,
        encoding=encoding,
        header=True,
        quote='"',
        space_after_delimiter=False,
    )
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_text, "_BLOCK", chunk)
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode(encoding))
        table = read_table(path, options)
    assert table.names == list(names)
    assert table.frame.rows() == records


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["a", "é", ",", '"', "\n", "\r", "\r\n", " "]), min_size=1))
def test_the_fast_reader_agrees_with_the_careful_one_on_any_text(pieces):
    text = "".join(pieces).encode()
    dialect = Dialect(",", '"')
    records = [record for record in dialect.records(io.StringIO(text.decode(), "")) if record]
    if not records:
        return
    layout = csv_text.Layout(dialect, tuple(f"column {x}" for x in range(len(records[0]))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_text, "_BLOCK", 4)
        outcomes = []
        for parse in (
            lambda: csv_text.parse_csv(text, layout, "f"),
            lambda: pl.concat(csv_text.parse_carefully(io.BytesIO(text), layout, "f", len(text))),
        ):
            try:
                outcomes.append(parse().rows())
            except InputError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_quoted_line_ends_survive_parallel_parsing(read):
    records = [(str(i), f"line\n{i}\r\n\"quoted\", 'more'") for i in range(60_000)]
    assert read(written([("i", "t"), *records], ",", "\n", False)).frame.rows() == records


def test_what_was_found_is_told(read):
    facts = read(gzip.compress("a;b\r\n1,5;é\r\n".encode("latin-1")), "data.csv.gz").facts
    assert (facts.format, facts.compression, facts.csv.delimiter) == ("csv", "gzip", ";")
    assert (facts.csv.encoding, facts.header, facts.csv.quote) == ("latin-1", True, '"')
    assert read(zstd.compress(b"a\tb\n1\t2\n")).facts.format == "tsv"
    assert read("a,b\n1,2\n").facts.bytes == 8


def test_values_are_kept_as_texts(read):
    table = read("zip,price,note\n00501,1.50,two  words\n46201,2.00, led\n")
    assert table.frame.rows() == [("00501", "1.50", "two  words"), ("46201", "2.00", " led")]


def test_spaces_after_every_delimiter_are_layout(read):
    table = read("39, State-gov, ?\n50, Self emp, x\n")
    assert table.frame.rows() == [("39", "State-gov", "?"), ("50", "Self emp", "x")]
    assert table.facts.dialect.spaces
    quoted = read('name, note\nA, "x, y"\nB, z\n')
    assert quoted.frame.rows() == [("A", "x, y"), ("B", "z")]
    assert read("a, b\n1, x\n", space_after_delimiter=False).frame.rows() == [("1", " x")]
    assert read("a, b\n1,x\n").names == ["a", "b"]


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\r\n\r\n", "\r"])
def test_ends_of_files(read, end):
    line_end = "\r\n" if "\r\n" in end else end[:1] or "\n"
    assert read(f"a,b{line_end}1,{end}").frame.rows() == [("1", "")]


def test_blank_lines_are_no_records(read):
    assert read("\n\na,b\n\n1,2\n\n3,4\n").frame.rows() == [("1", "2"), ("3", "4")]
    assert read('age\n1\n\n""\n2\n').frame.rows() == [("1",), ("",), ("2",)]


def test_quotes_inside_words_are_letters(read):
    assert read('item,n\n5" pipe,1\n"a ""b""",2\n').frame.rows() == [
        ('5" pipe', "1"),
        ('a "b"', "2"),
    ]
    assert read("n,v\n'tis,1\n").frame.rows() == [("'tis", "1")]
    assert read('a,b\n"x,1\n', quote="none").frame.rows() == [('"x', "1")]


def test_headers(read):
    assert read("39,M\n50,F\n").names == ["column_1", "column_2"]
    assert read("39,M\n50,F\n", header=("age", "sex")).names == ["age", "sex"]
    assert read("a,b\n1,2\n", header=False).height == 2
    assert read("39,M\n50,F\n", header=True).names == ["39", "M"]
    assert read('"a ""x""","b\nc"\n1,2\n').names == ['a "x"', "b\nc"]


def test_a_delimiter_of_more_than_one_byte(read):
    assert read("a§b\n1§2\n", delimiter="§").frame.rows() == [("1", "2")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b,c\n1,2,3\n4,5\n", "row 3 has 2 fields where 3 are expected"),
        ("a,b,c\n1,2,3\n4,5,6,7", "row 3 has 4 fields where 3 are expected"),
        ("a,b,c\n1,2,3\n4,5,6,", "row 3 has 4 fields where 3 are expected"),
        ('a,b\r\n1,"x\r\ny"\r\n\r\n1,2,3\r\n', "row 5 has 3 fields where 2 are expected"),
        ("a,b\n1,2\n   \n", "row 3 has 1 field where 2 are expected"),
        ('a,b\n1,2\n3,"x\n4,5\n', "row 3 opens a quote that is never closed"),
        ('a,b\n1,2\n"x"y,5\n', "row 3 goes on after a closing quote"),
        ("a,b,a\n1,2,3\n", "columns 1 and 3 are both called 'a'"),
        ("a,,c\n1,2,3\n", "column 2 has no name"),
        ("a,b\n", "no records below its header"),
        ("\n\r\n\n", "only blank lines"),
        ("", "is empty"),
        (gzip.compress(b"", mtime=0), "only blank lines"),
        (b"\xef\xbb\xbf", "only blank lines"),
        ("a,b\n1,\0\n", "row 2 holds a NUL byte"),
        (b"PAR1 and nothing else", "not a readable Parquet file"),
    ],
)
def test_broken_files_are_explained(read, content, says):
    with pytest.raises(InputError, match=says) as error:
        read(content)
    assert str(error.value).startswith("data.csv")


def test_the_number_of_names_must_fit(read):
    with pytest.raises(InputError, match="has 2 columns, but header names 3"):
        read("1,2\n", header=("a", "b", "c"))


def test_cells_longer_than_the_csv_module_likes(read):
    limit = csv.field_size_limit()
    long = "x" * 300_000
    assert read(f'a,b\n1,q"{long}\n').frame.rows() == [("1", f'q"{long}')]
    assert csv.field_size_limit() == limit


def test_parquet(read, tmp_path):
    frame = pl.DataFrame(
        {
            "zip": ["00501", None],
            "n": [1, None],
            "x": [1.5, float("nan")],
            "day": [datetime.date(2020, 1, 31), None],
            "at": [datetime.datetime(2020, 1, 31, 23, 30), None],
        }
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    table = read(buffer.getvalue(), "data.parquet")
    assert table.frame.rows() == [
        ("00501", "1", "1.5", "2020-01-31", "2020-01-31 23:30:00"),
        ("", "", "", "", ""),
    ]
    assert table.facts.format == "parquet"
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read(buffer.getvalue()[:-30], "data.parquet")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read("a,b\n1,2\n", "data.parquet")
    frame.clear().write_parquet(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="has no records"):
        read_table(tmp_path / "none.parquet")


def test_pandas_frames():
    frame = pd.DataFrame(
        {
            "name": ["x", None],
            "age": [39, np.nan],
            "score": [1.5, np.nan],
            "huge": [1e300, np.nan],
            "ratio": [1.0, 2.0],
            "count": pd.array([7, None], dtype="Int64"),
            "sex": pd.Categorical(["F", "M"]),
            "born": pd.to_datetime(["1964-09-13", None]),
            "seen": pd.to_datetime(["2020-01-01 23:30"] * 2).tz_localize("America/New_York"),
            "mixed": [datetime.date(2020, 1, 1), 3],
            5: ["p", "q"],
        }
    )
    table = as_table(frame)
    assert table.names[-1] == "5"
    assert table.frame.row(0) == (
        *("x", "39", "1.5", "1e+300", "1.0", "7", "F", "1964-09-13", "2020-01-01 23:30:00"),
        *("2020-01-01", "p"),
    )
    assert table.frame.row(1)[:6] == ("", "", "", "", "2.0", "")
    with pytest.raises(InputError, match="both called 'a'"):
        as_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_polars_frames_and_what_is_no_frame():
    table = as_table(pl.DataFrame({"a": ["x", None], "b": [True, False]}), missing_tokens=("-",))
    assert table.frame.rows() == [("x", "true"), ("", "false")]
    assert table.missing_tokens == ("-",)
    assert as_table(table).frame is table.frame
    with pytest.raises(InputError, match=r"column 'l' holds List"):
        as_table(pl.DataFrame({"l": [[1]]}))
    with pytest.raises(InputError, match=r"column 't' holds Duration"):
        as_table(pl.DataFrame({"t": [datetime.timedelta(1)]}))
    with pytest.raises(InputError, match="no records"):
        as_table(pl.DataFrame({"a": []}))
    with pytest.raises(InputError, match="column 2 has no name"):
        as_table(pl.DataFrame({"a": [1], "": [2]}))
    with pytest.raises(InputError, match="not list"):
        as_table([1, 2])


def test_pandas_is_not_imported_for_a_polars_frame():
    code = (
        "import sys, polars as pl; from kanon_tui.core.table.table import as_table;"
        "as_table(pl.DataFrame({'a': [1]})); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_cells_are_counted_and_dropped(read):
    table = read("a,b\n1,?\nNA,x\n3,y\n4,\n5,z\n")
    assert table.missing_cells() == {"a": 1, "b": 2}
    complete, dropped = table.drop_missing(["b"])
    assert (complete.frame["a"].to_list(), dropped) == (["NA", "3", "5"], 2)
    both, dropped = complete.drop_missing(["a", "b"])
    assert (both.frame["a"].to_list(), dropped) == (["3", "5"], 1)
    assert [both.row_of(record) for record in (0, 1)] == [4, 6]
    assert table.drop_missing([])[1] == 0
    assert table.height == 5


def test_rows_in_messages_are_rows_of_the_file_also_after_dropping(read):
    table, _ = read("a,b\n?,1\n2,2\nx,3\n").drop_missing(["a"])
    with pytest.raises(InputError, match=r"^a: a value is not a number \(in row 4\)"):
        table.column("a", Kind.NUMERIC)


def test_unknown_columns_are_answered_with_the_nearest(read):
    with pytest.raises(InputError, match="no column is called 'agee'; did you mean 'age'"):
        read("age,sex\n1,M\n").column("agee", Kind.NUMERIC)


# -- very wide tables ----------------------------------------------------------------------------


def test_a_header_longer_than_the_sample_is_read_whole(tmp_path: Path) -> None:
    names = [f"a rather long name of column {number}" for number in range(10_000)]
    rows = [[str(number + row) for number in range(10_000)] for row in range(3)]
    lines = [",".join(cells) for cells in (names, *rows)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    table = read_table(tmp_path / "wide.csv")
    assert table.facts is not None
    assert table.facts.header
    assert list(table.names) == names
    assert table.frame.row(2) == tuple(rows[2])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_wider_than_any_gets_a_sentence(tmp_path, monkeypatch, ending) -> None:
    monkeypatch.setattr("kanon_tui.core.table.typed_columns.MOST_COLUMNS", 4)
    path = tmp_path / f"wide.{ending}"
    frame = pl.DataFrame({name: ["1", "2"] for name in "abcde"})
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    with pytest.raises(InputError, match=r"wide\.\w+ has 5 columns, and Kanon reads 4 at most"):
        read_table(path)


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

    monkeypatch.setattr("kanon_tui.core.table.data_files.load", refuse)
    monkeypatch.setattr(table_module, "read_table", refuse)
    table = preview_table(path, ReadOptions())
    assert 0 < table.height < whole.height
    assert table.frame.equals(whole.frame.head(table.height))
