"""What a file is: compression, encoding, delimiter, quoting."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table import sniffing
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.csv_survey import sample_csv
from kanon_tui.core.table.data_files import load
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.role_guesses import guess_attributes
from kanon_tui.core.table.sniffing import (
    Dialect,
    detect_dialect,
    first_records,
    has_header,
    to_utf8,
)
from kanon_tui.core.table.source import open_source, read_table
from kanon_tui.core.table.table import Table
from tests.beyond_memory import small_pieces
from tests.zstd import zstd


def dialect_of(text, delimiter="auto", quote="auto", spaces="auto"):
    options = ReadOptions(delimiter=delimiter, quote=quote, space_after_delimiter=spaces)
    return detect_dialect(text.encode(), options)


def test_compression_is_known_by_content_not_by_name(tmp_path):
    path = tmp_path / "data.csv"
    for packed, name in [
        (gzip.compress(b"a,b\n", mtime=0) + gzip.compress(b"1,2\n", mtime=0), "gzip"),
        (zstd.compress(b"a,b\n") + zstd.compress(b"1,2\n"), "zstd"),
        (b"a,b\n1,2\n", None),
    ]:
        path.write_bytes(packed)
        assert load(path) == (b"a,b\n1,2\n", name, len(packed))


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_damaged_compression_is_refused(tmp_path, pack):
    packed = pack(b"name,age\n" * 5000)
    path = tmp_path / "data.csv"
    for broken in (packed[:-6], packed[: len(packed) // 2] + b"\xff" * 9, packed[:5]):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"data\.csv is damaged or cut short"):
            load(path)


def test_paths_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"no\.csv does not exist"):
        load(tmp_path / "no.csv")
    with pytest.raises(InputError, match="is a folder; name a data file"):
        load(tmp_path)
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError, match=r"empty\.csv is empty"):
        load(tmp_path / "empty.csv")

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(InputError, match="may not be read"):
        load(tmp_path / "empty.csv")


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "latin-1"),
    ],
)
def test_encodings_are_found(encoding, found):
    text = "name,città\nJosé,Köln\nÅsa,Besançon\n"
    assert to_utf8(text.encode(encoding), "auto", "f") == (text.encode(), found)


def test_windows_letters_are_not_latin_1_control_characters():
    assert to_utf8("prix,ville\n5 €,Sète\n".encode("cp1252"), "auto", "f")[1] == "cp1252"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"])
def test_text_survives_whatever_the_chunks(encoding, text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sniffing, "_CHUNK", 3)
        assert to_utf8(text.encode(encoding), encoding, "f")[0] == text.encode()


@pytest.mark.parametrize("chunk", [1, 2, 5, 1000])
def test_undecodable_bytes_are_named_with_their_row(monkeypatch, chunk):
    monkeypatch.setattr(sniffing, "_CHUNK", chunk)
    with pytest.raises(InputError, match=r"^f: row 3 is not utf-8 text \(byte 0xff\)"):
        to_utf8("é,b\r\n1,ü\r\n".encode() + b"3\xff,4\r\n", "utf-8", "f")
    with pytest.raises(InputError, match=r"^f: row 2 is not utf-16 text"):
        to_utf8("a,b\n1,2".encode("utf-16")[:-1], "utf-16", "f")


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"a,b\n1,2\n3", b"\x00\xd8\x00\xd8"])
def test_utf_16_without_its_mark_is_a_sentence(content: bytes) -> None:
    with pytest.raises(InputError, match=r"^f\b.* utf-16 text.*set the encoding"):
        to_utf8(content, "utf-16", "f")


def test_nul_bytes_binary_files_and_other_formats():
    with pytest.raises(InputError, match=r"^f: row 2 holds a NUL byte"):
        to_utf8(b"a,b\n1,\0\n", "auto", "f")
    with pytest.raises(InputError, match="looks like a binary file"):
        to_utf8(bytes(range(256)) * 20, "auto", "f")
    with pytest.raises(InputError, match="Excel workbook"):
        to_utf8(b"PK\x03\x04....", "auto", "f")


@pytest.mark.parametrize("name", ["klingon", "hex", "rot13", "undefined", ""])
def test_unknown_encodings_are_refused(name):
    with pytest.raises(InputError, match="is not auto or a text encoding"):
        ReadOptions(encoding=name)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb\n1,5\tx;y\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("[20..35],{F|M}\n[36..50],{F|M}\n", ","),
        ('a,b\n"x;y;z",2\n"p;q",3\n', ","),
        ('"a;b";c\n1;2\n', ";"),
        ("a,b,c\n1,2,3\n1,2\n4,5,6\n", ","),  # ragged, but what else
        ("comment\nwell, yes\nno\nmaybe\n", ";"),  # one column: anything that cuts nothing
    ],
)
def test_delimiters_are_found(text, delimiter):
    assert dialect_of(text).delimiter == delimiter


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a,b\n1,2\n", '"'),
        ("'a','b'\n'1','2'\n", "'"),
        ("a,b\n'x,y',2\n'z,w',3\n", "'"),
        ("a,b\n'tis,2\nO'Brien,3\n", '"'),
        ("a,b\n'cited',2\nplain,3\n", '"'),
    ],
)
def test_single_quotes_need_evidence(text, quote):
    assert dialect_of(text).quote == quote


def test_spaces_are_layout_only_when_they_follow_every_delimiter():
    assert dialect_of("39, State-gov\n50, Private\n").spaces
    assert dialect_of("a, b, c\n1, 2,\n").spaces
    assert dialect_of('a, b\n1, "x, y"\n').spaces
    assert not dialect_of("a,b\n1, x\n2, y\n").spaces
    assert not dialect_of("39, State-gov\n50,Private\n").spaces
    assert not dialect_of("39, State-gov\n50, Private\n", spaces=False).spaces


def test_what_is_given_is_not_detected():
    assert dialect_of("a,b\n1,2\n", ";", "none") == Dialect(";", None)
    assert dialect_of("a,b\n1,2\n", "\\t").delimiter == "\t"
    for wrong in ("", "::", "\n", '"'):
        with pytest.raises(InputError, match="is not auto or one character"):
            dialect_of("a,b\n", delimiter=wrong)
    with pytest.raises(InputError, match=r"quote: .* is not one of its values"):
        dialect_of("a,b\n", quote="`")


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
    really = sniffing._number_or_date
    monkeypatch.setattr(
        sniffing, "_number_or_date", lambda texts: asked.append(texts) or really(texts)
    )
    assert sniffing.has_header([["x"] * 50_000, ["1"] * 50_000], [""])
    assert len(asked) <= 2 * sniffing._COLUMNS_LOOKED_AT


# -- the names of rows


ROWS = [("1", "39", "flu"), ("2", "50", "cold"), ("3", "39", "flu")]


def read_both_ways(path: Path, **options: object) -> Table:
    """The table of a file, which is the same when it is read in pieces, or sampled whole."""
    table = read_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    with small_pieces(9):
        source = open_source(path, ReadOptions(**options))  # type: ignore[arg-type]
    pieces = [frame for piece in source.pieces for frame in source.read(piece)]
    assert pl.concat(pieces).equals(table.frame)
    sample, *_ = sample_csv([path], ReadOptions(**options), 100)  # type: ignore[arg-type]
    assert sample.equals(table.frame)
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
