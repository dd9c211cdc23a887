"""The files of a table: their kinds, which ones a path names, their bytes, and the limit on them.

`parts/*.parquet` and a folder of parts name one table: its parts in the order of their names.
A file whose own name holds `*`, `?` or `[` is that file.
"""

from __future__ import annotations

import glob
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.optional import zstd_module
from kanon_tui.core.reading import bounded_bytes, read_bytes, size_text, usual_limit
from kanon_tui.core.reading import reading_errors as reading_errors
from kanon_tui.core.table.formats import (
    PART_ENDINGS,
    ZIP,
    ZSTD,
    Compression,
    inner_name,
    members_of,
    packing_of,
)
from kanon_tui.core.text import count_of

if TYPE_CHECKING:
    pass


def is_pattern(path: Path) -> bool:
    """Return whether a path is a pattern of names and not a file or folder itself."""
    return glob.has_magic(str(path)) and not os.path.lexists(path)


def part_files(path: Path) -> tuple[Path, ...]:
    """Return the files that a path names, sorted by name; the path itself where it is no folder.

    Of a folder these are its CSV, TSV and Parquet files and those of its partitions (`year=2020`),
    hidden ones (`.part`, `_SUCCESS`) left out; a pattern names whatever it matches.
    """
    with reading_errors(path):
        if is_pattern(path):
            matching_paths = [Path(name) for name in glob.glob(str(path), recursive=True)]
            parts = [part for part in matching_paths if part.is_file()]
            if not parts:
                raise InputError(f"{path}: no file matches this pattern; check the path")
        elif path.is_dir():
            parts = list(_parts_in(path))
            if not parts:
                raise InputError(
                    f"{path} is a directory without CSV, TSV or Parquet files; name a data file, "
                    "or a folder of parts"
                )
        else:
            return (path,)
    return tuple(sorted(parts, key=str))


def _parts_in(folder: Path) -> Iterator[Path]:
    """Yield the parts in a folder and in its partitions, folders like `year=2020`."""
    for part in folder.iterdir():
        if _is_part(part):
            yield part
        elif part.is_dir() and "=" in part.name.strip("="):
            yield from _parts_in(part)


def name_beside(path: Path, ending: str) -> Path:
    """Return a name beside the data: `census.yaml` for `census.csv`, `parts/` or `parts/*`."""
    if is_pattern(path):
        path = next(parent for parent in path.parents if not glob.has_magic(str(parent)))
        path = path / path.resolve().name if path == Path() else path
    return path.with_suffix("").with_suffix(ending)


def _is_part(path: Path) -> bool:
    if path.name.startswith((".", "_")) or not path.is_file():
        return False
    return inner_name(Path(path.name.lower())).suffix in PART_ENDINGS


Limit = int | Literal["auto"]

_CHUNK = 1 << 22


def load(path: Path, limit: Limit = "auto") -> tuple[bytes, str | None, int]:
    """Return a file's content, decompressed; its compression; and its size on disk.

    More than `limit` bytes are refused, before they are all in memory.
    """
    allowed = byte_limit(limit)
    refusal = too_large(path, limit)
    with reading_errors(path):
        data = read_bytes(path, allowed, refusal)
    size = len(data)
    if not size:
        raise InputError(f"{path.name} is empty; it needs at least one record")
    packing = packing_of(data, path)
    if packing is None:
        return data, None, size
    pieces = _unzstd(data, path) if packing is ZSTD else _unpack(data, packing, path)
    return bounded_bytes(pieces, allowed, refusal), packing.name, size


def checked_file(path: Path) -> int:
    """Return the size of an ordinary, readable file, for libraries that open it themselves."""
    with reading_errors(path):
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is not an ordinary file; name one")
        if not status.st_size:
            raise InputError(f"{path.name} is empty; it needs at least one record")
    return status.st_size


def check_limit(size: int, path: Path, limit: Limit) -> None:
    """Refuse a file whose content takes more bytes than allowed."""
    if size > byte_limit(limit):
        raise too_large(path, limit)


def byte_limit(limit: Limit) -> int:
    """Return a limit in bytes; `auto` is what this machine can take."""
    return usual_limit() if limit == "auto" else limit


def too_large(path: Path, limit: Limit) -> InputError:
    """Return the refusal of a file with more bytes than allowed."""
    usual = limit == "auto"
    why = "about what this machine's memory can take" if usual else "what data.limit allows"
    return InputError(
        f"{path.name} holds more than {size_text(byte_limit(limit))}, {why}; read a part of it, or "
        "set a larger limit, like data: {limit: 16GB}, where there is memory for four times as much"
    )


def _unpack(data: bytes, packing: Compression, path: Path) -> Iterator[bytes]:
    try:
        if packing is ZIP:
            _check_one_member(data, path)
        with packing.unpacked(BytesIO(data)) as file:
            yield from iter(partial(file.read, _CHUNK), b"")
    except InputError:
        raise
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError):
        raise _damaged(path, packing.name) from None
    except (RuntimeError, NotImplementedError):  # what zipfile says of a password
        raise InputError(
            f"{path.name} is an archive with a password, or packed in a way that cannot be read; "
            "unpack it first"
        ) from None


def _check_one_member(data: bytes, path: Path) -> None:
    """Refuse an archive that does not have exactly one file."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        count = len(members_of(archive))
    if count != 1:
        raise InputError(
            f"{path.name} is an archive of {count_of(count, 'file')}, and one with a single file "
            "is read; unpack it and name a file or the folder"
        )


def _unzstd(data: bytes, path: Path) -> Iterator[bytes]:
    zstd = zstd_module("reading a .zst file", path.name)
    try:
        yield from _unpack(data, ZSTD, path)
    except zstd.ZstdError:
        raise _damaged(path, "zstd") from None


def _damaged(path: Path, compression: str) -> InputError:
    return InputError(
        f"{path.name} is damaged or cut short: its {compression} data cannot be decompressed; "
        "get a whole copy of the file"
    )


def chosen_part(choice: str, parts: tuple[str, ...], path: Path, word: str) -> str:
    """Return the sheet or table that `choice` names: by name, by number from 1, or the first."""
    if not parts:
        raise InputError(f"{path.name} has no {word}; name a file that has one")
    if choice == "auto":
        return parts[0]
    if choice in parts:
        return choice
    if choice.isascii() and choice.isdigit() and 0 < int(choice[:9]) <= len(parts):
        return parts[int(choice) - 1]
    raise InputError(f"{path.name} has no {word} '{choice}'; {suggestion(choice, parts)}")
