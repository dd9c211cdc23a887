"""Whatever stands for an encoding, and whatever bytes come: a text or a sentence."""

from __future__ import annotations

import pkgutil
from contextlib import suppress
from encodings import aliases
from pathlib import Path

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table

CODECS = sorted(
    {*aliases.aliases, *aliases.aliases.values()}
    | {module.name for module in pkgutil.iter_modules(__import__("encodings").__path__)}
)
BYTES = {
    "plain": b"a,b\n1,2\n",
    "letters": b"a,b\n\xe9\xff\x81,\xc3\xa9\n\x8f\xfe,2\n",
    "surrogate": b"a,b\n+2AA-,2\n\xed\xa0\x80,3\n",
    "zeros": b"a,b\n\0,2\n",
    "mark": b"\xff\xfea,b\n1,2\n",
    "odd UTF-16": b"\xff\xfea\0,\0b\0\n\0001\0,\x002\0\n",
    "escapes": rb"a,b" + b"\n" + rb"\ud800,\x00" + b"\n~{,\x1b$)C\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("content", BYTES.values(), ids=BYTES)
def test_every_codec_of_python_is_read_or_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    for encoding in (*CODECS, "auto", "no such", "\0", "x" * 100_000):
        with suppress(InputError):
            table = read_table(tmp_path / "a.csv", ReadOptions(encoding=encoding))
            for row in table.frame.iter_rows():
                "".join(row).encode()


@pytest.mark.parametrize("encoding", ["zlib", "rot13", "punycode", "idna", "hex", "undefined"])
def test_a_project_says_at_once_what_is_no_encoding(encoding: str) -> None:
    with pytest.raises(InputError, match="is not auto or a text encoding"):
        project_from_mapping({"data": {"path": "a.csv", "encoding": encoding}})


@pytest.mark.parametrize(
    ("written", "size"),
    [("4GB", 4 * 10**9), ("1.5 MB", 1_500_000), ("64kib", 65_536), (1000, 1000), ("auto", "auto")],
)
def test_sizes(written: object, size: object) -> None:
    from kanon_tui.core.project.project import project_to_mapping

    project = project_from_mapping({"data": {"path": "a.csv", "limit": written}})
    assert project.data.read_options.limit == size
    again = project_from_mapping(project_to_mapping(project))
    assert again.data.read_options.limit == size


@pytest.mark.parametrize("written", ["0", "-1", "lots", "4 XB", "", 0, [], "9" * 400])
def test_what_is_no_size(written: object) -> None:
    with pytest.raises(InputError, match=r"data\.limit"):
        project_from_mapping({"data": {"path": "a.csv", "limit": written}})
