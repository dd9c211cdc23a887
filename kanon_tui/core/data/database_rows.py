"""The answer of a database, row by row, as columns of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from kanon_tui.core.data.content import too_large
from kanon_tui.core.data.printed_values import printed_column, without_clocks
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import usual_limit

__all__ = ["BATCH", "batches", "fetched"]

BATCH = 20_000
"""Rows that are fetched at a time."""
_BYTES_PER_CELL = 16


def batches(answer: Any) -> Iterator[Sequence[Sequence[Any]]]:
    """Return the rows of a cursor, or of a result of SQLAlchemy, some thousands at a time."""
    return iter(partial(answer.fetchmany, BATCH), [])


def fetched(
    names: Sequence[str], rows_of: Iterable[Sequence[Sequence[Any]]], who: str, options: ReadOptions
) -> tuple[list[str], list[pl.Series]]:
    """Return names and columns of an answer; more than the limit is refused on the way."""
    if not names:
        raise InputError(f"{who}: the query gives no rows; write one that selects records")
    allowed = usual_limit() if options.limit == "auto" else options.limit
    parts: list[list[pl.Series]] = [[] for _ in names]
    moments = [False] * len(names)
    taken = 0
    for rows in rows_of:
        for place, values in enumerate(zip(*rows, strict=True)):
            column = printed_column(values, names[place], who)
            moments[place] |= any(isinstance(value, datetime) for value in values)
            parts[place].append(column)
            taken += int(column.str.len_bytes().sum()) + _BYTES_PER_CELL * len(values)
        if taken > allowed:
            raise too_large(Path(who), allowed, options.limit == "auto")
    columns = [pl.concat(each) if each else pl.Series(dtype=pl.String) for each in parts]
    return list(names), [
        without_clocks(column) if clocks else column
        for column, clocks in zip(columns, moments, strict=True)
    ]
