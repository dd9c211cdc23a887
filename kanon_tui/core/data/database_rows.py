"""The answer of a database, row by row, as columns of texts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from kanon_tui.core.data.content import too_large
from kanon_tui.core.data.printed_values import printed_column, without_clocks
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import usual_limit

__all__ = ["fetched"]

_BATCH = 20_000
_BYTES_PER_CELL = 16


def fetched(cursor: Any, who: str, options: ReadOptions) -> tuple[list[str], list[pl.Series]]:
    """Names and columns of what a cursor gives; more than the limit is refused on the way."""
    if cursor.description is None:
        raise InputError(f"{who}: the query gives no rows; write one that selects records")
    names = [str(each[0]) for each in cursor.description]
    allowed = usual_limit() if options.limit == "auto" else options.limit
    parts: list[list[pl.Series]] = [[] for _ in names]
    moments = [False] * len(names)
    taken = 0
    while rows := cursor.fetchmany(_BATCH):
        for place, values in enumerate(zip(*rows, strict=True)):
            column = printed_column(values, names[place], who)
            moments[place] |= any(isinstance(value, datetime) for value in values)
            parts[place].append(column)
            taken += int(column.str.len_bytes().sum()) + _BYTES_PER_CELL * len(values)
        if taken > allowed:
            raise too_large(Path(who), allowed, options.limit == "auto")
    columns = [pl.concat(each) if each else pl.Series(dtype=pl.String) for each in parts]
    return names, [
        without_clocks(column) if clocks else column
        for column, clocks in zip(columns, moments, strict=True)
    ]
