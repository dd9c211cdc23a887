"""A file is read only as far as the memory goes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest
import zstandard

import kanon_tui.core.reading as reading
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.yaml_text import read_yaml
from kanon_tui.core.hierarchy.files import read_source
from kanon_tui.core.table.file_bytes import load
from kanon_tui.core.table.preview import preview_table
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.table import read_table
from tests.commands.command_line import ENVIRONMENT

MANY = b"a,b\n" + b"0,0\n" * 1_000_000
LIMIT = 100_000


def bombs(folder: Path) -> list[Path]:
    """Small files that hold four million bytes."""
    stream = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as writer:
        writer.write(MANY)
    files = {
        "gzip.csv.gz": gzip.compress(MANY),
        "members.csv.gz": gzip.compress(MANY[:2_000_000]) + gzip.compress(MANY[2_000_000:]),
        "zstd.csv.zst": zstandard.compress(MANY),
        "stream.csv.zst": stream.getvalue(),
        "frames.csv.zst": zstandard.compress(MANY[:80_000]) * 50,
    }
    for name, content in files.items():
        assert len(content) < LIMIT
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def test_a_compressed_file_is_counted_unpacked(tmp_path: Path) -> None:
    for path in bombs(tmp_path):
        with pytest.raises(InputError, match=r"holds more than 100kB, what data\.limit allows"):
            read_table(path, ReadOptions(limit=LIMIT))
        with pytest.raises(InputError, match="holds more than 100kB"):
            preview_table(path, ReadOptions(limit=LIMIT))
        assert len(load(path)[0]) == len(MANY[:80_000]) * 50 or load(path)[0] == MANY


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_what_is_not_unpacked_cannot_burst(pack: object, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(pack(MANY))  # type: ignore[operator]
    with pytest.raises(InputError, match="is compressed with"):
        read_table(tmp_path / "a.csv")


def test_cells_of_a_parquet_file_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": ["x"] * 1_000_000}).write_parquet(path)
    assert path.stat().st_size < LIMIT
    with pytest.raises(InputError, match="holds more than 100kB"):
        read_table(path, ReadOptions(limit=LIMIT))


@pytest.mark.parametrize("endless", ["/dev/zero", "pipe"])
def test_what_never_ends_is_refused(endless: str, tmp_path: Path) -> None:
    path = Path(endless)
    if endless == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
        flood = subprocess.Popen(["sh", "-c", f"exec cat /dev/zero > '{path}'"])
    refused = pytest.raises(InputError, match="holds more than 100kB")
    with refused:
        read_table(path, ReadOptions(limit=LIMIT))
    if endless == "pipe":
        flood.wait()  # ended by the pipe that nobody reads


@pytest.mark.parametrize("read", [read_table, read_source, lambda path: read_yaml(path, "project")])
def test_a_pipe_into_which_nobody_writes(
    read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE_WITH_PIPES", 0.05)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="is a pipe into which nothing was written"):
        read(tmp_path / "pipe.csv")  # type: ignore[operator]


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writing = threading.Thread(target=path.write_bytes, args=(b"a,b\n" + b"1,2\n" * 50_000,))
    writing.start()
    assert read_table(path).frame.shape == (50_000, 2)
    writing.join()


def test_documents_have_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "h.csv").write_bytes(b"a;*\n" * 100)
    for module in ("kanon_tui.core.hierarchy.files", "kanon_tui.core.fields.yaml_text"):
        monkeypatch.setattr(f"{module}.DOCUMENT_LIMIT", 100)
    with pytest.raises(InputError, match="the hierarchy has more than 100 bytes"):
        read_source(tmp_path / "h.csv")
    with pytest.raises(InputError, match="has more than 100 bytes; name a project, not data"):
        read_yaml(tmp_path / "h.csv", "project")


def test_the_usual_limit_follows_the_memory_one_may_use() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30)); "
        "from kanon_tui.core.reading import usual_limit; print(usual_limit())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=True
    )
    assert int(done.stdout) == 2**28
