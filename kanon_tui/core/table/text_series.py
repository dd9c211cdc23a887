"""Texts as a Polars series, whatever they came in."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["FEW", "text_series", "without_spaces"]

FEW = 1000
"""So many texts are looked at faster one by one; a table can have ten thousand columns of them."""
_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def text_series(values: Iterable[str]) -> pl.Series:
    """Texts as a series; one that is a series already stays as it is."""
    if isinstance(values, pl.Series):
        return values
    return pl.Series(list(values), dtype=pl.String)


def without_spaces(text: str) -> str:
    """A text without the spaces around it: the ones that `str.strip_chars` of a series takes."""
    return text.strip(_SPACES)
