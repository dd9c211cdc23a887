"""The distinct tuples of a table with their numbers of records: what searches work on.

Tuples stand in the order of their first records, so that searches meet them as they would meet the
records of a table in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.engine.packing import Packing
from kanon_tui.core.engine.source import Source
from kanon_tui.core.engine.values import Encoder, complete_records
from kanon_tui.core.numeric import Int32s, Int64s, Words

__all__ = ["TupleCounting", "Tuples", "count_tuples", "merge_tuples"]

_FIRST = 40
"""Bits for the place of a record in its piece."""


@dataclass(frozen=True, eq=False)
class TupleCounting:
    """What a job needs to count the tuples of a piece."""

    source: Source
    encoders: tuple[Encoder, ...]
    packing: Packing
    complete: tuple[str, ...]
    missing_tokens: tuple[str, ...]

    @property
    def read_names(self) -> tuple[str, ...]:
        """The columns that are read."""
        names = (encoder.name for encoder in self.encoders)
        return tuple(dict.fromkeys((*names, *self.complete)))


def count_tuples(counting: TupleCounting, piece: int) -> pl.DataFrame:
    """The tuples of one piece: words, copies, and the first record of each."""
    source, before = counting.source, 0
    found: list[pl.DataFrame] = []
    for frame in source.read(source.pieces[piece], counting.read_names):
        kept = complete_records(frame, counting.complete, counting.missing_tokens)
        words = counting.packing.pack([encoder.encode(kept) for encoder in counting.encoders])
        first = np.arange(before, before + kept.height, dtype=np.int64) + (piece << _FIRST)
        before += kept.height
        rows = pl.DataFrame({str(place): word for place, word in enumerate(words)})
        found.append(
            rows.with_columns(first=first)
            .group_by(rows.columns)
            .agg(pl.len().cast(pl.Int64).alias("copies"), pl.col("first").min())
        )
    return merge_tuples(found)


def merge_tuples(several: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The tuples of several pieces together."""
    if len(several) == 1:
        return several[0]
    words = [name for name in several[0].columns if name not in ("copies", "first")]
    return pl.concat(several).group_by(words).agg(pl.col("copies").sum(), pl.col("first").min())


@dataclass(frozen=True, eq=False)
class Tuples:
    """All tuples of a table."""

    words: tuple[Words, ...]
    copies: Int64s
    packing: Packing
    names: tuple[str, ...]

    @classmethod
    def of(cls, counted: pl.DataFrame, packing: Packing, names: Sequence[str]) -> Tuples:
        """In the order of their first records."""
        counted = counted.sort("first")
        words = tuple(counted[str(place)].to_numpy() for place in range(packing.words))
        return cls(words, counted["copies"].to_numpy(), packing, tuple(names))

    def codes(self) -> Mapping[str, Int32s]:
        """By the name of a column its code in every tuple."""
        return {
            name: self.packing.unpack(self.words, place) for place, name in enumerate(self.names)
        }
