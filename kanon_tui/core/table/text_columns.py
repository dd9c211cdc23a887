"""Columns of texts: as a Polars series, and as codes of their distinct texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Int32s

__all__ = [
    "FEW", "CodedTexts", "code_texts", "coded_series", "places_among", "text_series",
    "without_spaces",
]  # fmt: skip

FEW = 1000
"""Up to this many texts Python is faster than Polars; a table may have thousands of them."""
_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def text_series(values: Iterable[str]) -> pl.Series:
    """Return texts as a Polars series; a series is returned as it is."""
    if isinstance(values, pl.Series):
        return values
    return pl.Series(list(values), dtype=pl.String)


def without_spaces(text: str) -> str:
    """Return a text without the white space around it that `strip_chars` of a series removes."""
    return text.strip(_SPACES)


_FIRST = 20_000  # cells


class CodedTexts(NamedTuple):
    """The cells of a column as codes of its distinct texts."""

    codes: Int32s
    """The index of each cell's text."""
    texts: pl.Series
    """The distinct texts, in any order."""


def code_texts(cells: pl.Series) -> CodedTexts:
    """Return the distinct texts of some cells, and the code of each cell.

    Most columns repeat a few texts, and their first cells have nearly all of them: then all cells
    are looked up among those, and only what is not there is looked at twice.
    """
    first = cells.head(_FIRST)
    texts = first.unique()
    if first.len() == cells.len() or 2 * texts.len() > first.len():
        texts = cells.unique()
        return CodedTexts(places_among(cells, texts), texts)
    found = cells.cast(pl.Enum(texts), strict=False).to_physical()
    if not found.null_count():
        return CodedTexts(found.to_numpy().astype(np.int32), texts)
    is_new = found.is_null()
    new = cells.filter(is_new)
    others = new.unique()
    codes = found.fill_null(0).to_numpy().astype(np.int32)
    codes[is_new.to_numpy()] = texts.len() + places_among(new, others)
    return CodedTexts(codes, pl.concat([texts, others]))


def coded_series(name: str, texts: pl.Series) -> pl.Series:
    """Return distinct texts as a `pl.Enum` column, which stores them by number."""
    return texts.cast(pl.Enum(texts)).alias(name)


def places_among(cells: pl.Series, texts: pl.Series) -> Int32s:
    """Return the index of every cell in `texts`, which are distinct and include them all."""
    places = cells.cast(pl.Enum(texts)).to_physical()
    return places.to_numpy().astype(np.int32)
