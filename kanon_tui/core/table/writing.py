"""Writing tables and texts to files, in the format of their ending, whole or not at all.

Every file goes through `atomic_files`. `check_target` refuses one that cannot be written, or that
is read by the same command, before any work is done for it.

The target of a release is one file or a folder of parts, written aside and then renamed.

release.csv   release.tsv   release.parquet     one file
release       release/                          a folder of Parquet parts
release.csv/                                    a folder of CSV parts
release/ divided by columns                     folders of Parquet parts, `sex=F/part-00000.parquet`
postgresql://host/clinic#release                a table of a database
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self
from urllib.parse import quote

import polars as pl

from kanon_tui.core.addresses import address_file, address_name, is_address
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.processes.interruption import uninterrupted, written
from kanon_tui.core.table.atomic_files import (
    check_folder,
    check_place,
    usual_mode,
    work_folder,
    writing_errors,
    written_aside,
)
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat
from kanon_tui.core.table.formats import (
    PARQUET,
    TABLE_ENDINGS,
    TEXT,
    format_written,
    inner_name,
    packed_into,
)
from kanon_tui.core.table.reading_back import check_written
from kanon_tui.core.text import joined


def check_target(
    path: Path,
    endings: tuple[str, ...] | None = None,
    force: bool = False,
    inputs: Iterable[Path] = (),
) -> None:
    """Refuse a file that could not or must not be written, before any work is done for it.

    `inputs` are the files that are read: not even `force` replaces one of them.
    """
    if endings is not None and not path.name.lower().endswith(endings):
        raise InputError(f"{path}: files of this kind end in {joined(endings, 'or')}")
    check_not_read(path, inputs)
    check_place(path, force)


def check_not_read(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a file that is one of the inputs, by whatever name or link, or lies among them."""
    target = _identities(path)
    folder = _identities(path.parent)
    for read in inputs:
        if target & _identities(read):
            raise InputError(f"{path} is read by this run and cannot be replaced; name another")
        if read.is_dir() and folder & _identities(read):
            raise InputError(f"{path} would lie among the parts that are read; name another folder")


def _identities(path: Path) -> set[object]:
    """Return keys that two names of one file share: the path without links, and the inode."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return {os.path.realpath(path)}
    return {os.path.realpath(path), (status.st_dev, status.st_ino)}


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Write a text file in UTF-8."""
    write_bytes(path, text.encode("utf-8"), force)


def write_bytes(path: Path, data: bytes, force: bool = False) -> None:
    """Write a file whole or not at all."""
    with written_aside(path, force) as file:
        file.write(data)


def write_private(path: Path, content: str | bytes, force: bool = False) -> None:
    """Write what may hold values of people: a file that its owner alone can read."""
    with written_aside(path, force, private=True) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def write_table(
    path: Path,
    table: pl.DataFrame,
    force: bool = False,
    csv: CsvFormat | None = None,
    private: bool = False,
) -> None:
    """Write a table as the kind of file that the ending of its name says."""
    check_target(path, TABLE_ENDINGS, force)
    with written_aside(path, force, private) as file:
        put_checked(table, file, path, csv)


def put_checked(
    table: pl.DataFrame, file: IO[bytes], path: Path, csv: CsvFormat | None = None
) -> None:
    """Write a table as `put_table` does into a file on the disk, and read it back.

    One that does not have the rows and columns of the table is refused.
    """
    put_table(table, file, path, csv)
    file.flush()
    check_written(Path(file.name), table, path, csv)


def put_table(
    table: pl.DataFrame, file: IO[bytes], path: Path, csv: CsvFormat | None = None
) -> None:
    """Write a table into an open file, in the format that `path` ends in; texts as `csv` says.

    Columns that know their texts by number (`pl.Enum`) are written as texts.
    """
    format = format_written(path)
    if format is PARQUET:
        put_parquet(table, file)
    elif format is not TEXT:
        format.load().put(_as_texts(table), file, path)
    else:
        text_format = csv or CsvChoice().resolved(None, inner_name(path))
        with packed_into(file, path) as text:
            text_format.put(table, text, path.name)


def put_parquet(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table as Parquet, whose cells become texts a group of rows at a time."""
    slices = (table.slice(begin, ROW_GROUP) for begin in range(0, table.height, ROW_GROUP))
    put_parquet_parts(map(_as_texts, slices), file, table.columns)


def put_parquet_parts(
    frames: Iterable[pl.DataFrame], file: IO[bytes], names: Sequence[str]
) -> None:
    """Write frames of texts with these columns, one below the other, as Parquet."""
    from polars.io.plugins import register_io_source

    failed: list[BaseException] = []

    def source(
        columns: Sequence[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        try:
            yield from frames
        except BaseException as error:  # Polars would replace it by an error of its own
            failed.append(error)
            raise

    lazy = register_io_source(source, schema=dict.fromkeys(names, pl.String))
    try:
        lazy.sink_parquet(file, row_group_size=ROW_GROUP)
    except Exception:
        if failed:
            raise failed[0] from None
        raise


def _as_texts(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.selectors.enum().cast(pl.String))


ROW_GROUP = 1 << 18
"""Rows of a Parquet row group, fixed so that they do not depend on how a table is written."""


@dataclass(frozen=True)
class WrittenFile:
    """The size, time and number of a file when it had been written."""

    path: Path
    size: int
    changed: int
    """The time of the last change in nanoseconds."""
    number: int
    """The inode, which differs for another file of the same name."""

    @classmethod
    def from_path(cls, path: Path) -> Self:
        """Return the facts of a file as it is now."""
        status = path.stat()
        return cls(path, status.st_size, status.st_mtime_ns, status.st_ino)

    def check(self) -> None:
        """Refuse a file that is gone or has changed."""
        try:
            same = self == WrittenFile.from_path(self.path)
        except OSError:
            raise InputError(
                f"{self.path} is no longer there; put it back, or run again to write it"
            ) from None
        if not same:
            raise InputError(
                f"{self.path} was changed after it had been proved, so that it is not this release "
                "any more; run again to write it"
            )


@dataclass(frozen=True)
class Target:
    """The file or folder of a release."""

    path: Path
    folder: bool = False
    address: str = ""
    """The address of a database, whose table the release will be; `path` is then its name."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a target from a command line; a name without ending or with a slash is a folder.

        `-` is a file, standard output, and `sqlite:///clinic.db#release` a table of a database.
        """
        if is_address(text):
            return cls(Path(address_name(text)), address=text)
        path = Path(text)
        folder = text.endswith(("/", os.sep)) or not (path.suffix or text == "-")
        return cls(path, folder)

    @property
    def ending(self) -> str:
        """The ending of the release's files."""
        ending = self.path.suffix.lower()
        return ending if ending in TABLE_ENDINGS else ".parquet"

    def part(self, number: int) -> str:
        """Return the name of the part with this number."""
        return f"part-{number:05}{self.ending}"

    def written(self) -> tuple[WrittenFile, ...]:
        """Return the files of a finished release, in order."""
        paths = sorted(self.path.iterdir()) if self.folder else [self.path]
        return tuple(map(WrittenFile.from_path, paths))

    def check(self, force: bool, inputs: Iterable[Path]) -> None:
        """Refuse a place that could not or must not be written, before any work is done."""
        if self.address or self.path == Path("-"):
            file = address_file(self.address.partition("#")[0])
            check_not_read(file or self.path, inputs)
            return
        if not self.folder:
            check_target(self.path, TABLE_ENDINGS, force, inputs)
            return
        check_not_read(self.path, inputs)
        exists = os.path.exists(self.path)
        if exists and not self.path.is_dir():
            raise InputError(f"{self.path} is a file; name a folder for the parts")
        if exists and not force:
            raise InputError(
                f"{self.path} exists and is kept; use --force to replace it or name another folder"
            )
        if exists and not _only_parts(self.path):
            raise InputError(
                f"{self.path} holds other files than parts of a release; name another folder"
            )
        check_folder(self.path)


def _only_parts(folder: Path) -> bool:
    """Return whether a folder holds parts of a release and folders of them, and nothing else."""
    return all(
        "=" in part.name if part.is_dir()
        else part.name.startswith("part-") and part.suffix in TABLE_ENDINGS
        for part in folder.rglob("*")
    )  # fmt: skip


@contextmanager
def partitioned(
    table: pl.DataFrame, target: Target, columns: Sequence[str], force: bool
) -> Iterator[None]:
    """Write a table as a folder of Parquet files by the cells of columns, `sex=F/part-…`.

    The folder gets its name after the block; where that fails, nothing is left. Within a file the
    rows keep their order.
    """
    for name in columns:
        problem = f"the release has no column '{name}' to be divided by"
        check_known(name, table.columns, problem)
    if len(set(columns)) == table.width:
        raise InputError("the release is divided by all of its columns; leave one for the files")
    with work_folder(target.path) as folder:
        out = folder / "release"
        for cells, rows in table.partition_by(columns, include_key=False, as_dict=True).items():
            named = zip(columns, cells, strict=True)
            place = out.joinpath(*(f"{quote(n, '')}={_hive_cell(cell)}" for n, cell in named))
            place.mkdir(parents=True)
            part = place / target.part(0)
            with part.open("wb") as file:
                put_checked(rows, file, part)
        yield
        place_folder(out, target.path, force)


ROWS = 1_000_000
"""Rows of one part of a release."""


@contextmanager
def in_parts(
    table: pl.DataFrame, target: Target, csv: CsvFormat | None, force: bool, rows_each: int = ROWS
) -> Iterator[None]:
    """Write a table as a folder of parts, which together hold its rows in their order.

    The folder gets its name after the block; where that fails, nothing is left.
    """
    quoted = [] if csv is None else csv.quoted_columns(table.iter_columns())
    with work_folder(target.path) as folder:
        out = folder / "release"
        out.mkdir()
        for number, begin in enumerate(range(0, max(table.height, 1), rows_each)):
            part = out / target.part(number)
            rows = table.slice(begin, rows_each)
            with part.open("wb") as file:
                if csv is None:
                    put_checked(rows, file, part)
                    continue
                csv.put_parts([rows], quoted, file, part.name)
                file.flush()
                check_written(part, rows, part, csv)
        yield
        place_folder(out, target.path, force)


def _hive_cell(cell: object) -> str:
    """Return a cell as the name of a folder, without characters that mean something in a path."""
    return quote(str(cell), "") if cell else "__HIVE_DEFAULT_PARTITION__"


def place_folder(aside: Path, target: Path, force: bool) -> None:
    """Give a finished folder its name; a folder that had the name is removed only afterwards."""
    old = aside.with_suffix(".old")
    with writing_errors(target):
        for part in aside.rglob("*"):
            part.chmod(usual_mode(0o777 if part.is_dir() else 0o666))
        aside.chmod(usual_mode(0o777))
        with uninterrupted():
            if target.exists():
                if not force:
                    raise InputError(f"{target} appeared meanwhile and is kept; name another")
                target.rename(old)
            try:
                aside.rename(target)
            except OSError:
                if old.exists():
                    old.rename(target)
                raise
            written.append(target)
    with suppress(OSError):
        shutil.rmtree(old, ignore_errors=True)
