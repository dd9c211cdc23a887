"""A column of texts as numbers: which of its different texts every cell is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Int32s

__all__ = ["CodedTexts", "code_texts", "coded_series", "places_among"]

_FIRST = 20_000  # cells


class CodedTexts(NamedTuple):
    """The cells of a column."""

    codes: Int32s
    """Per cell an index into the texts."""
    texts: pl.Series
    """Different from one another, in any order."""


def code_texts(cells: pl.Series) -> CodedTexts:
    """The different texts of some cells, and which of them each cell is.

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
    """Different texts as a column that knows them by number."""
    return texts.cast(pl.Enum(texts)).alias(name)


def places_among(cells: pl.Series, texts: pl.Series) -> Int32s:
    """Which of some texts, different from one another, every cell is; all are among them."""
    places = cells.cast(pl.Enum(texts)).to_physical()
    return places.to_numpy().astype(np.int32)
