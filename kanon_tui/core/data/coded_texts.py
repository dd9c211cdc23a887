"""A column of texts as numbers: which of its different texts every cell is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Int32s

__all__ = ["CodedTexts", "code_texts", "coded_series", "places_among"]


class CodedTexts(NamedTuple):
    """The cells of a column."""

    codes: Int32s
    """Per cell an index into the texts."""
    texts: pl.Series
    """Different from one another, in any order."""


def code_texts(cells: pl.Series) -> CodedTexts:
    """The different texts of some cells, and which of them each cell is."""
    texts = cells.unique()
    return CodedTexts(places_among(cells, texts), texts)


def coded_series(name: str, texts: pl.Series) -> pl.Series:
    """Different texts as a column that knows them by number."""
    return texts.cast(pl.Enum(texts)).alias(name)


def places_among(cells: pl.Series, texts: pl.Series) -> Int32s:
    """Which of some texts, different from one another, every cell is; all are among them."""
    places = cells.cast(pl.Enum(texts)).to_physical()
    return places.to_numpy().astype(np.int32)
