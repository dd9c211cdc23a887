"""How many are behind distinct records: records, or people where some have several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.attack.matching import DistinctRows
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column

__all__ = ["Heads", "lists_by_key", "people_of_rows"]


def lists_by_key(keys: Int64s, values: Int64s, count: int) -> list[Int64s]:
    """The values of every key, in rising order."""
    order = np.lexsort((values, keys))
    return np.split(values[order], np.searchsorted(keys[order], np.arange(1, count)))


def people_of_rows(rows: DistinctRows, person: Column) -> list[Int64s]:
    """Whose records the rows of the original are."""
    pairs = np.unique(np.stack([rows.row_of, person.codes]), axis=1).astype(np.int64)
    return lists_by_key(pairs[0], pairs[1], len(rows.sizes))


@dataclass(frozen=True, eq=False)
class Heads:
    """Counts those behind sets of distinct records."""

    records: DistinctRows
    person: Column | None
    """Whose every record is, where some have several."""
    owners: Sequence[Int64s]
    """Per distinct record the people who have it; empty where people have one record each."""

    @classmethod
    def of(cls, records: DistinctRows, person: Column | None) -> Heads:
        """`person` is None where people have one record each."""
        return cls(records, person, () if person is None else people_of_rows(records, person))

    @property
    def each(self) -> Int64s:
        """Of every distinct record how many have it."""
        if self.person is None:
            return self.records.sizes
        return np.array([len(own) for own in self.owners], dtype=np.int64)

    def count(self, records: Int64s) -> int:
        """How many have one of these distinct records."""
        if self.person is None:
            return int(self.records.sizes[records].sum())
        return len(np.unique(np.concatenate([self.owners[one] for one in records.tolist()])))

    def count_groups(self, group: Int64s, record: Int64s, groups: int) -> Int64s:
        """How many are in each of some groups of distinct records, given as pairs."""
        if self.person is None:
            counted = np.bincount(group, weights=self.records.sizes[record], minlength=groups)
            return counted.astype(np.int64)
        whose = np.concatenate([self.owners[one] for one in record.tolist()])
        pair = np.repeat(group, self.each[record]) * len(self.person.values) + whose
        return np.bincount(np.unique(pair) // len(self.person.values), minlength=groups)

    @property
    def copies(self) -> Int64s | None:
        """How many there are of each that `fewest` tells of, where these are alike; None: one."""
        return None if self.records.in_memory else self.records.sizes

    def fewest(self, of_record: Int64s) -> Int64s:
        """What distinct records have, per record in memory; of people the fewest of theirs.

        A 0 says nothing: it remains only where all of somebody's records have it.
        """
        if not self.records.in_memory:
            return of_record
        counts = of_record[self.records.row_of]
        if self.person is None:
            return counts
        nothing = np.iinfo(np.int64).max
        fewest = np.full(len(self.person.values), nothing, dtype=np.int64)
        np.minimum.at(fewest, self.person.codes, np.where(counts > 0, counts, nothing))
        return np.where(fewest == nothing, 0, fewest)
