"""What a file is: compression, encoding, delimiter, quoting."""

from __future__ import annotations

import gzip

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table import encoding as detect
from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.file_bytes import load
from kanon_tui.core.table.sniffing import (
    Dialect,
    detect_dialect,
)


def dialect_of(text, delimiter="auto", quote="auto", spaces="auto"):
    return detect_dialect(text.encode(), delimiter, quote, spaces, "f.csv")


def test_compression_is_known_by_content_not_by_name(tmp_path):
    path = tmp_path / "data.csv"
    for packed, name in [
        (gzip.compress(b"a,b\n", mtime=0) + gzip.compress(b"1,2\n", mtime=0), "gzip"),
        (zstandard.compress(b"a,b\n") + zstandard.compress(b"1,2\n"), "zstd"),
        (b"a,b\n1,2\n", None),
    ]:
        path.write_bytes(packed)
        assert load(path) == (b"a,b\n1,2\n", name, len(packed))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
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
    with pytest.raises(InputError, match="is a directory"):
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
        patch.setattr(detect, "_CHUNK", 3)
        assert to_utf8(text.encode(encoding), encoding, "f")[0] == text.encode()


@pytest.mark.parametrize("chunk", [1, 2, 5, 1000])
def test_undecodable_bytes_are_named_with_their_row(monkeypatch, chunk):
    monkeypatch.setattr(detect, "_CHUNK", chunk)
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
    with pytest.raises(InputError, match="is not a text encoding"):
        to_utf8(b"a,b", name, "f")


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
        with pytest.raises(InputError, match="the delimiter must be"):
            dialect_of("a,b\n", delimiter=wrong)
    with pytest.raises(InputError, match="the quote must be"):
        dialect_of("a,b\n", quote="`")
