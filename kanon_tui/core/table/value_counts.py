"""The values of every column with the number of records that have them, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.table.cell_codes import CodedCells, Columns, complete_records, records_in
from kanon_tui.core.table.source import Source

__all__ = ["CHANGED", "Counting", "Encoder", "count_values", "merge_counts"]

CHANGED = "the data changed while it was read; run again when nobody writes to it"

Counts = dict[str, pl.DataFrame]
"""By column its `value`s with their `records`."""


@dataclass(frozen=True, eq=False)
class Counting:
    """What is counted: columns of a source, without records in which some cells are missing."""

    source: Source
    names: tuple[str, ...]
    complete: tuple[str, ...] = ()
    """Columns that must not be missing; a record in which one is, is left out."""
    missing_tokens: tuple[str, ...] = ()

    @property
    def read_names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys((*self.names, *self.complete)))


def count_values(counting: Counting, piece: int) -> tuple[int, int, Counts]:
    """Records, records left out, and the values of one piece."""
    source = counting.source
    records = dropped = 0
    counts: Counts = {}
    for columns in source.columns_of(source.pieces[piece], counting.read_names):
        kept = complete_records(columns, counting.complete, counting.missing_tokens)
        here = records_in(kept)
        records += here
        dropped += records_in(columns) - here
        found = {
            name: pl.DataFrame({"value": kept[name].texts, "records": kept[name].records})
            for name in counting.names
        }
        counts = merge_counts([counts, found]) if counts else found
    return records, dropped, counts


def merge_counts(several: Iterable[Counts]) -> Counts:
    """The counts of several pieces together."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for counts in several:
        for name, frame in counts.items():
            frames.setdefault(name, []).append(frame.cast({"records": pl.Int64}))
    return {
        name: parts[0]
        if len(parts) == 1
        else pl.concat(parts).group_by("value").agg(pl.col("records").sum())
        for name, parts in frames.items()
    }


@dataclass(frozen=True, eq=False, repr=False)
class Encoder:
    """Turns the texts of a column into codes."""

    name: str
    texts: pl.Series
    codes: Int32s
    """The code of every text."""
    size: int
    """How many codes there are."""
    _kind: list[pl.Enum] = field(default_factory=list, repr=False)

    def __getstate__(self) -> dict[str, object]:
        """Without what is made anew quickly."""
        return {**self.__dict__, "_kind": []}

    def coded(self, columns: Columns) -> CodedCells:
        """The codes of the texts that some records have, and where every record has which."""
        cells = columns[self.name]
        if not self._kind:
            self._kind.append(pl.Enum(self.texts))
        try:
            places = cells.texts.cast(self._kind[0]).to_physical().to_numpy()
        except pl.exceptions.PolarsError:
            raise InputError(CHANGED) from None
        return self.codes[places], cells.places
