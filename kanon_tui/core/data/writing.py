"""Files are written whole or not at all.

What is written goes to a file aside, in the same folder, is flushed to the disk and only then
takes its name. Whatever goes wrong before that, a full disk or Ctrl-C, leaves the old file (or
none) and nothing half-written.

    with written_aside(path) as file:
        file.write(b"...")

Several `with` items are a set: none takes its name before all are written.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kanon_tui.core.errors import InputError
from kanon_tui.core.text import joined

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "TABLE_ENDINGS",
    "check_not_read",
    "check_target",
    "put_table",
    "write_table",
    "write_text",
    "written_aside",
]


def check_target(path: Path, endings: tuple[str, ...] | None = None, force: bool = False) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if endings is not None and path.suffix.lower() not in endings:
        raise InputError(f"{path}: files of this kind end in {joined(endings, 'or')}")
    try:
        _check_place(path, force)
    except OSError as error:
        raise InputError(f"{path}: could not be written: {error.strerror}") from None


def check_not_read(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a file that is one of those that are read, by whatever name."""
    if os.path.realpath(path) in {os.path.realpath(read) for read in inputs}:
        raise InputError(f"{path} is what is read, it cannot be written too; name another")


def _check_place(path: Path, force: bool) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not an ordinary file; name one that can be replaced")
    if path.exists() and not force:
        raise InputError(_kept(path))
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: the folder {folder} cannot be written to; choose another")


@contextmanager
def written_aside(path: Path, force: bool = False) -> Iterator[IO[bytes]]:
    """A binary file that takes the name `path` when the block ends well."""
    check_target(path, force=force)
    target = Path(os.path.realpath(path))  # a link keeps pointing at what is replaced
    aside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with aside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _take_name(aside, target, force)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(f"{path}: could not be written: {why}") from error
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def write_text(path: Path, text: str, force: bool = False) -> None:
    """A text file in UTF-8."""
    with written_aside(path, force) as file:
        file.write(text.encode("utf-8"))


def write_table(path: Path, table: pl.DataFrame, force: bool = False) -> None:
    """A table as CSV, tab-separated text or Parquet, by the ending of the name."""
    check_target(path, TABLE_ENDINGS, force)
    with written_aside(path, force) as file:
        put_table(table, file, path)


def put_table(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """Write a table into an open file, in the format that `path` ends in."""
    _FORMATS[path.suffix.lower()](table, file)


_FORMATS: dict[str, Callable[[pl.DataFrame, IO[bytes]], None]] = {
    ".csv": lambda table, file: table.write_csv(file),
    ".tsv": lambda table, file: table.write_csv(file, separator="\t"),
    ".parquet": lambda table, file: table.write_parquet(file),
}
TABLE_ENDINGS = tuple(_FORMATS)
"""The endings that name a kind of table file."""


def _take_name(aside: Path, target: Path, force: bool) -> None:
    """Rename; without `force` a file that appeared meanwhile is kept."""
    if force:
        if target.exists():
            os.chmod(aside, target.stat().st_mode & 0o777)
        os.replace(aside, target)
    else:
        try:
            os.link(aside, target)  # unlike a rename, this fails when the name is taken
        except FileExistsError:
            raise InputError(_kept(target)) from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
                raise
            if target.exists():  # a file system without links: the next best check
                raise InputError(_kept(target)) from None
            os.replace(aside, target)
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make the new name itself survive a crash, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _kept(path: Path) -> str:
    return f"{path} exists and is kept; use --force to replace it or name another file"
