"""Frames of any types become frames of texts: every cell printed as a person writes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["all_texts", "check_size", "check_width", "column_names", "from_pandas"]

MOST_COLUMNS = 200_000
"""No table of people is wider; one that is would take minutes to open, column by column."""


def column_names(given: Sequence[str] | bool, width: int, file: str) -> list[str]:
    """The names of columns, each with one of its own; numbered ones where none are given."""
    if isinstance(given, bool):
        return [f"column_{place}" for place in range(1, width + 1)]
    if len(given) != width:
        raise InputError(
            f"{file} has {width} columns, but header names {len(given)}; name every column once"
        )
    seen: dict[str, int] = {}
    for place, name in enumerate(given, 1):
        if not name.strip():
            raise InputError(
                f"{file}: column {place} has no name; give every column one, "
                "in the first row or as a list for header"
            )
        if name in seen:
            raise InputError(
                f"{file}: columns {seen[name]} and {place} are both called '{name}'; "
                "give every column a name of its own"
            )
        seen[name] = place
    return list(given)


def check_width(width: int, file: str) -> None:
    """Refuse a table that is too wide."""
    if width > MOST_COLUMNS:
        raise InputError(
            f"{file} has {width:,} columns, and Kanon reads {MOST_COLUMNS:,} at most; leave out "
            "columns that are not to be published, or turn the table if its records are columns"
        )


def check_size(frame: pl.DataFrame, who: str, where: str) -> None:
    """Refuse a table without columns or records."""
    if not frame.width or not frame.height:
        raise InputError(f"{who} has no {'columns' if not frame.width else 'records'}{where}")


def all_texts(frame: pl.DataFrame, who: str, days: Collection[str] | None = None) -> pl.DataFrame:
    """The same cells as texts; null and NaN are the empty one.

    Moments are printed as days, without a clock, when all of a column are at midnight; `days` names
    these columns where the frame is not the whole table.
    """
    column_names(frame.columns, frame.width, who)
    return pl.DataFrame([_texts(column, who, days) for column in frame.iter_columns()])


def _texts(column: pl.Series, who: str, days: Collection[str] | None) -> pl.Series:
    kind = column.dtype
    refusal = InputError(
        f"{who}: column '{column.name}' holds {kind} values, which are no cells of a table; "
        "turn it into text, numbers or dates"
    )
    if kind.is_nested():
        raise refusal
    if kind.is_float():
        column = column.fill_nan(None)
    if kind == pl.Datetime:
        midnight = (column.dt.time().drop_nulls() == time(0)).all()
        if days is not None:
            midnight = column.name in days
        column = column.dt.to_string("%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M:%S%.f")
    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        raise refusal from None


def from_pandas(data: pd.DataFrame) -> pl.DataFrame:
    """A pandas frame as a Polars frame."""
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        raise InputError(f"a table must be a Polars or pandas frame, not {type(data).__name__}")
    names = column_names(
        [str(name) for name in data.columns], data.shape[1], "the frame"
    )  # no doubles
    series = [data.iloc[:, place] for place in range(data.shape[1])]
    return pl.DataFrame([_pandas_cells(n, s) for n, s in zip(names, series, strict=True)])


def _pandas_cells(name: str, cells: pd.Series) -> pl.Series:
    import pandas as pd

    missing = cells.isna().to_numpy()
    if isinstance(cells.dtype, pd.DatetimeTZDtype):
        cells = cells.dt.tz_localize(None)  # as printed, not moved to another zone
    kind = getattr(cells.dtype, "kind", "O")
    if isinstance(cells.dtype, np.dtype) and kind in "biuf":
        numbers = cells.to_numpy()
        given = numbers[~missing]
        exact = (given % 1 == 0) & (np.abs(given) < 2**53)
        whole = kind == "f" and missing.any() and exact.all()
        column = pl.Series(name, numbers, nan_to_null=True)
        # pandas turns integers into floats to hold a gap: 39.0 was 39 in the file.
        return column.cast(pl.Int64, strict=False) if whole else column
    if isinstance(cells.dtype, np.dtype) and kind == "M":
        return pl.Series(name, cells.to_numpy().astype("datetime64[us]"))
    objects = cells.to_numpy(dtype=object)
    texts = [None if gap else str(cell) for cell, gap in zip(objects, missing, strict=True)]
    return pl.Series(name, texts, dtype=pl.String)
