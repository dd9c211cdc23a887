"""The rows of a release into files: one, or one per stretch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl

from kanon_tui.core.pipeline.piece_rows import Stretches, published_rows
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.writing import ROW_GROUP

__all__ = ["PartWriting", "put_release", "write_part"]


@dataclass(frozen=True, eq=False)
class PartWriting:
    """What a job needs to write a part."""

    stretches: Stretches
    folder: Path
    names: tuple[str, ...]
    """The name of every part."""
    csv: CsvFormat | None
    """None for Parquet."""
    quoted: tuple[str, ...] = ()


def write_part(writing: PartWriting, stretch: int) -> tuple[str, int, int]:
    """Write a stretch of the release; gives the name, its rows and how many look like formulas."""
    frame, formulas = published_rows(writing.stretches, stretch)
    path = writing.folder / writing.names[stretch]
    aside = path.with_name(f".{path.name}.aside")
    with open(aside, "wb") as file:
        _put(iter([frame]), file, path.name, writing)
    aside.replace(path)
    return path.name, frame.height, formulas


def put_release(
    writing: PartWriting,
    file: IO[bytes],
    name: str,
    progress: Callable[[float], None] = lambda share: None,
) -> int:
    """Write all stretches into one file; gives how many cells look like formulas."""
    formulas = 0

    def frames() -> Iterator[pl.DataFrame]:
        nonlocal formulas
        for stretch in range(len(writing.stretches)):
            progress(stretch / len(writing.stretches))
            frame, found = published_rows(writing.stretches, stretch)
            formulas += found
            yield frame

    _put(frames(), file, name, writing)
    return formulas


def _put(frames: Iterator[pl.DataFrame], file: IO[bytes], name: str, writing: PartWriting) -> None:
    if writing.csv is not None:
        writing.csv.put_parts(frames, writing.quoted, file, name)
        return
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
        except BaseException as error:  # Polars would turn it into one of its own
            failed.append(error)
            raise

    schema = dict.fromkeys(writing.stretches.texts.columns, pl.String)
    lazy = register_io_source(source, schema=schema)
    try:
        lazy.sink_parquet(file, row_group_size=ROW_GROUP)
    except Exception:
        if failed:
            raise failed[0] from None
        raise
