"""Texts as a Polars series, whatever they came in."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["text_series"]


def text_series(values: Iterable[str]) -> pl.Series:
    """Texts as a series; one that is a series already stays as it is."""
    if isinstance(values, pl.Series):
        return values
    return pl.Series(list(values), dtype=pl.String)
