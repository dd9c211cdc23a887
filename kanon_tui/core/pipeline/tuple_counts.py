"""The distinct tuples of a table with their numbers of records: what searches work on.

Tuples stand in the order of their first records, so that searches meet them as they would meet the
records of a table in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.numeric import Int32s, Int64s, Words
from kanon_tui.core.table.cell_codes import complete_records, records_in
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex
from kanon_tui.core.table.value_counts import Encoder

__all__ = ["TupleCounting", "Tuples", "count_tuples", "merge_tuples"]


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


class Tuples:
    """Distinct tuples, as words, with the records that have them."""

    def __init__(self, words: int) -> None:
        self._index = TupleIndex(words)
        self._copies: Int64s = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def words(self) -> list[Words]:
        """The tuples in the order of their first records."""
        return self._index.words()

    @property
    def copies(self) -> Int64s:
        """How many records have each."""
        return self._copies[: len(self)]

    def add(self, words: Sequence[Words], copies: Int64s | None = None) -> None:
        """Count records, or distinct tuples that so many of them have."""
        places = self._index.add(words)
        if len(self._copies) < len(self):
            more = np.zeros(max(len(self), 2 * len(self._copies)), dtype=np.int64)
            more[: len(self._copies)] = self._copies
            self._copies = more
        if copies is None:
            self._copies[: len(self)] += np.bincount(places, minlength=len(self))
        else:
            self._copies[places] += copies

    def codes(self, packing: Packing, names: Sequence[str]) -> Mapping[str, Int32s]:
        """By the name of a column its code in every tuple."""
        words = self.words
        return {name: packing.unpack(words, place) for place, name in enumerate(names)}


def count_tuples(counting: TupleCounting, piece: int) -> Tuples:
    """The tuples of one piece."""
    source, packing = counting.source, counting.packing
    found = Tuples(packing.words)
    for columns in source.columns_of(source.pieces[piece], counting.read_names):
        kept = complete_records(columns, counting.complete, counting.missing_tokens)
        coded = [encoder.coded(kept) for encoder in counting.encoders]
        found.add(packing.pack_cells(records_in(kept), coded))
    return found


def merge_tuples(several: Sequence[Tuples]) -> Tuples:
    """The tuples of several pieces together, in the order of these; the first takes in the rest."""
    whole, *others = several
    for each in others:
        whole.add(each.words, each.copies)
    return whole
