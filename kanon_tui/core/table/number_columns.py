"""Columns of a release that are numbers throughout, for formats that tell numbers from texts."""

from __future__ import annotations

import polars as pl

__all__ = ["numbers_of"]

_PLAIN = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]*[1-9])?$"
_MOST_DIGITS = 15


def numbers_of(column: pl.Series) -> pl.Series | None:
    """The numbers of a column, null where a cell is empty; None unless all others are numbers.

    Only plain ones that print as they stood: `007`, `1.50`, `1e3` and what has more than 15 digits
    stay texts, so nothing that is read back differs from the release.
    """
    filled = column.filter(column != "")
    if not filled.len() or not filled.str.contains(_PLAIN).all():
        return None
    if (filled.str.count_matches("[0-9]") > _MOST_DIGITS).any() or (filled == "-0").any():
        return None
    kind = pl.Float64 if filled.str.contains(".", literal=True).any() else pl.Int64
    return column.replace("", None).cast(kind)
