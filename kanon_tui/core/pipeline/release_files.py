"""The files of a release beyond memory: written part by part, and copied as they were verified."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.piece_rows import ReleaseParts
from kanon_tui.core.pipeline.prepare import no_progress
from kanon_tui.core.processes.workers import Progress, Workers
from kanon_tui.core.table.atomic_files import work_folder, writing_errors, written_aside
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.writing import ROW_GROUP, Target, WrittenFile, place_folder

STREAMED_ENDINGS = (".csv", ".tsv", ".parquet")
_UTF8 = ("utf-8", "utf-8-sig", "ascii")
_CHUNK = 1 << 22


def check_streamed_target(target: Target | None, csv: CsvFormat | None) -> None:
    """Refuse files that cannot be written piece by piece."""
    if target is None:
        return
    if not target.folder and target.path.suffix.lower() not in STREAMED_ENDINGS:
        raise InputError(
            f"{target.path}: only CSV, TSV and Parquet are written in pieces; name such a file, "
            "or use --engine memory",
            on_screen=f"{target.path}: only CSV, TSV and Parquet are written in pieces; name such "
            "a file",
        )
    if csv is not None and csv.encoding.lower() not in _UTF8:
        raise InputError(
            f"{target.path}: only UTF-8 is written in pieces, not {csv.encoding}; use output: "
            "{encoding: utf-8}, or --engine memory"
        )


def release_options(csv: CsvFormat | None) -> ReadOptions:
    """Return how the files of a release are read; `csv` is None for Parquet."""
    if csv is None:
        return ReadOptions(header=True)
    return ReadOptions(
        delimiter=csv.delimiter, header=True, quote=csv.quote, space_after_delimiter=False
    )


def write_parts(parts: ReleaseParts, workers: Workers, progress: Progress) -> int:
    """Write all parts, into one file or one each; return how many cells look like formulas."""
    parts.paths[0].parent.mkdir(mode=0o700)
    if parts.target is not None and not parts.target.folder:
        return _write_file(parts, parts.paths[0], range(len(parts)), progress)
    workers.begin("write", progress)
    return sum(workers.each(write_part, parts, [(part,) for part in range(len(parts))]))


def write_part(parts: ReleaseParts, part: int) -> int:
    """Write one part into its file; return how many cells look like formulas."""
    return _write_file(parts, parts.paths[part], [part], no_progress)


def _write_file(parts: ReleaseParts, path: Path, numbers: Sequence[int], progress: Progress) -> int:
    """Write some parts into one file, aside at first: another worker may do the same."""
    formulas = 0

    def frames() -> Iterator[pl.DataFrame]:
        nonlocal formulas
        for done, part in enumerate(numbers):
            progress("write", done / len(numbers))
            frame, found = parts.published_rows(part)
            formulas += found
            yield frame

    aside = path.with_name(f".{path.name}.aside")
    with open(aside, "wb") as file:
        if parts.csv is None:
            _put_parquet(frames(), file, parts.texts.columns)
        else:
            parts.csv.put_parts(frames(), parts.quoted, file, path.name)
    aside.replace(path)
    return formulas


def _put_parquet(frames: Iterator[pl.DataFrame], file: IO[bytes], names: Sequence[str]) -> None:
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

    schema = dict.fromkeys(names, pl.String)
    lazy = register_io_source(source, schema=schema)
    try:
        lazy.sink_parquet(file, row_group_size=ROW_GROUP)
    except Exception:
        if failed:
            raise failed[0] from None
        raise


def copy_files(
    files: Sequence[WrittenFile], written_as: Target, target: Target, force: bool = False
) -> None:
    """Copy the verified files of a release under another name; refuse files that have changed."""
    if (target.folder, target.ending) != (written_as.folder, written_as.ending):
        ending = written_as.ending
        what = (
            f"a folder of {ending} parts" if written_as.folder else f"a file that ends in {ending}"
        )
        raise InputError(
            f"{target.path}: a streamed release is copied as it was proved; name {what}, or run "
            "again for another format"
        )
    target.check(force, [file.path for file in files])
    for file in files:
        file.check()
    if not written_as.folder:
        with written_aside(target.path, force) as aside, open(written_as.path, "rb") as verified:
            shutil.copyfileobj(verified, aside, _CHUNK)
            files[0].check()
        return
    with work_folder(target.path) as folder:
        parts = folder / "release"
        with writing_errors(target.path):
            parts.mkdir(mode=0o700)
            for file in files:
                shutil.copyfile(file.path, parts / file.path.name)
        for file in files:
            file.check()
        place_folder(parts, target.path, force)
