"""Arrow files, as `.feather` and `.arrow`, and Arrow streams: read into texts, and written.

Cells are printed as those of Parquet files are.
"""

import io
from pathlib import Path
from typing import IO

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.data_files import check_limit, load
from kanon_tui.core.table.formats import Contents
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.typed_columns import all_texts, check_width

_OLD_FEATHER = b"FEA1"
_FILE = b"ARROW1"
_BYTES_PER_CELL = 16


def read(path: Path, options: ReadOptions) -> Contents:
    """Return the columns of an Arrow file or stream."""
    data, _, size = load(path, options.limit)
    if data.startswith(_OLD_FEATHER):
        raise InputError(
            f"{path.name} is a Feather file of version 1, which is no Arrow file; write it again "
            "as version 2 or as Parquet"
        )
    read_frame = pl.read_ipc if data.startswith(_FILE) else pl.read_ipc_stream
    try:
        frame = read_frame(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise InputError(
            f"{path.name} is not a readable Arrow file; get a whole copy, or rename it if it is "
            "something else"
        ) from None
    check_width(frame.width, path.name)
    check_limit(frame.height * frame.width * _BYTES_PER_CELL, path, options.limit)
    texts = all_texts(frame, path.name)
    return Contents("arrow", texts.get_columns(), texts.columns, size)


def put(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """Write a table of texts as an Arrow file, which is version 2 of Feather."""
    table.write_ipc(file, compression="zstd")


def reads_back(written: Path, table: pl.DataFrame, path: Path) -> bool:
    """Return whether a file has the rows and columns of a table."""
    return pl.read_ipc(io.BytesIO(written.read_bytes())).shape == table.shape
