"""Find which distinct rows of cells fit which distinct people.

Per attribute a matrix says which distinct cell covers which distinct known value; distinct people
against distinct rows of cells are then an AND of its bits. `counted_rows` counts the distinct rows
of a table in memory or in files; what is kept grows with the distinct rows, not with the records:

    rows = counted_rows(columns, beside)
    rows.sizes             # records of every distinct row
    rows.ends["disease"]        # per row the smallest and the largest code of a column beside

`PersonCounts` counts the people behind distinct records, where some people have several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.analysis.published_cells import PublishedTable, ReadCells
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.pipeline.tuple_counts import Packing
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task

_BLOCK = 1 << 22
"""The most (person, row) pairs that are looked at together."""
_MOST_BYTES = 1 << 27
"""For the bits of all values that are known."""


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Records collapsed to their distinct rows of codes."""

    codes: npt.NDArray[np.int32]
    """Distinct rows × attributes."""
    row_of: npt.NDArray[np.int32]
    """Per record the number of its row."""
    sizes: Int64s
    ends: Mapping[str, tuple[Int64s, Int64s]] = field(default_factory=dict)
    """By column beside them: per row the smallest and the largest of its codes."""

    @classmethod
    def from_codes(cls, columns: Sequence[npt.NDArray[np.integer]]) -> DistinctRows:
        """Return the distinct rows of records given by their codes, attribute by attribute."""
        row_of = number_rows(columns)
        _, first = np.unique(row_of, return_index=True)
        codes = np.column_stack([column[first] for column in columns]).astype(np.int32)
        return cls(codes, row_of, np.bincount(row_of))


def fitting_pairs(
    cells: Sequence[ReadCells],
    rows: DistinctRows,
    known: DistinctRows,
    values: Sequence[Sequence[str]],
    unknown_fits: bool = True,
) -> Iterator[tuple[slice, Int64s, Int64s]]:
    """Yield pairs (person in the block, row that fits) for a block of people and of rows at a time.

    What a value fits is one bit per row. A person's bits are those of all that is known of them,
    one AND per attribute, and mostly zeros, which are passed over eight at a time. `unknown_fits`:
    a missing value fits every cell.
    """
    everything_known = sum(len(texts) for texts in values)
    width = max(8, 8 * _MOST_BYTES // max(1, everything_known))
    for first in range(0, len(rows.sizes), width):
        codes = rows.codes[first : first + width]
        bits = [
            _bits(read, texts, codes[:, x], unknown_fits)
            for x, (read, texts) in enumerate(zip(cells, values, strict=True))
        ]
        step = max(1, _BLOCK // len(codes))
        for start in range(0, len(known.sizes), step):
            block = slice(start, min(start + step, len(known.sizes)))
            fits = bits[0][known.codes[block, 0]]
            for x in range(1, len(cells)):
                fits &= bits[x][known.codes[block, x]]
            eights = np.flatnonzero(fits)
            which, bit = np.nonzero(np.unpackbits(fits.ravel()[eights, None], axis=1))
            person, place = np.divmod(eights[which], fits.shape[1])
            yield block, person, first + 8 * place + bit


def _bits(
    cells: ReadCells, values: Sequence[str], codes: npt.NDArray[np.int32], unknown_fits: bool
) -> npt.NDArray[np.uint8]:
    """Return values × rows, eight rows to a byte: which rows have a cell that covers the value."""
    packed = np.empty((len(values), -(-len(codes) // 8)), dtype=np.uint8)
    step = max(1, _BLOCK // max(len(codes), len(cells.texts)))
    for start in range(0, len(values), step):
        covers = cells.covers(values[start : start + step], unknown_fits)
        packed[start : start + step] = np.packbits(covers[:, codes], axis=1)
    return packed


@dataclass(frozen=True, eq=False)
class Covering:
    """Pairs of a distinct record and a distinct published row that fits it."""

    record: Int64s
    row: Int64s
    records: DistinctRows
    rows: DistinctRows

    @property
    def neighbours(self) -> tuple[list[Int64s], list[Int64s]]:
        """Per record the rows that fit it, and per row the records that it fits."""
        return (
            lists_by_key(self.record, self.row, len(self.records.sizes)),
            lists_by_key(self.row, self.record, len(self.rows.sizes)),
        )


@dataclass(frozen=True, eq=False)
class PublishedRows:
    """The distinct rows of some columns of a release, their cells understood."""

    columns: Sequence[Column]
    cells: Sequence[ReadCells]
    rows: DistinctRows
    check: Callable[[int, int], object]
    """Called with the work done and all of it; raises where somebody cancelled."""

    @classmethod
    def from_table(cls, published: PublishedTable, names: Sequence[str]) -> PublishedRows:
        """Read some columns of a published table in memory or in files."""
        columns, cells = published.read(names)
        rows = counted_rows(columns)
        return cls(columns, cells, rows, published.check)

    def only(self, names: Sequence[str]) -> PublishedRows:
        """Return the same rows by some of the columns alone."""
        places = [[column.name for column in self.columns].index(name) for name in names]
        rows = DistinctRows(self.rows.codes[:, places], self.rows.row_of, self.rows.sizes)
        columns = [self.columns[x] for x in places]
        cells = [self.cells[x] for x in places]
        return PublishedRows(columns, cells, rows, self.check)

    def covering(self, known: DistinctRows, values: Sequence[Sequence[str]]) -> Covering:
        """Return which rows fit distinct records."""
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]  # a release may be empty
        for block, person, row in fitting_pairs(self.cells, self.rows, known, values, False):
            found.append((block.start + person, row))
            self.check(block.stop, len(known.sizes))
        record, row = (np.concatenate(each) for each in zip(*found, strict=True))
        return Covering(record, row, known, self.rows)

    def covering_of(self, table: Table) -> Covering:
        """Return which rows fit the records of a table in memory."""
        columns = [table.column(column.name, Kind.CATEGORICAL) for column in self.columns]
        known = DistinctRows.from_codes([column.codes for column in columns])
        return self.covering(known, [column.values for column in columns])


def lists_by_key(keys: npt.NDArray[np.integer], values: Int64s, count: int) -> list[Int64s]:
    """Return the values of every key, in rising order."""
    order = np.lexsort((values, keys))
    return np.split(values[order], np.searchsorted(keys[order], np.arange(1, count)))


def pairs_matrix(
    first: npt.NDArray[np.integer], second: npt.NDArray[np.integer], shape: tuple[int, int]
) -> Any:
    """Return a sparse matrix with a number above 0 for every pair that occurs."""
    sparse = require("scipy.sparse", "an attack by matching")
    return sparse.csr_matrix((np.ones(len(first), dtype=np.int64), (first, second)), shape)


def people_of_rows(rows: DistinctRows, person: Column) -> Any:
    """Return distinct rows of the original × people, sparse: above 0 where the person has it."""
    return pairs_matrix(rows.row_of, person.codes, (len(rows.sizes), len(person.values)))


@dataclass(frozen=True, eq=False)
class PersonCounts:
    """Counts of the people behind sets of distinct records."""

    records: DistinctRows
    person: Column | None
    """The person of every record, where some have several records."""

    @cached_property
    def owners(self) -> Any:
        """Distinct records × people, sparse."""
        assert self.person is not None
        return people_of_rows(self.records, self.person)

    @property
    def each(self) -> Int64s:
        """The number of people who have each distinct record."""
        every = np.arange(len(self.records.sizes))
        return self.count_groups(every, every, len(every))

    def count(self, records: Int64s) -> int:
        """Return how many people have one of these distinct records."""
        return int(self.count_groups(np.zeros_like(records), records, 1)[0])

    def count_groups(self, group: Int64s, record: Int64s, groups: int) -> Int64s:
        """Return the number of people in each group, given as pairs (group, distinct record)."""
        if self.person is None:
            counted = np.bincount(group, weights=self.records.sizes[record], minlength=groups)
            return counted.astype(np.int64)
        pairs = pairs_matrix(group, record, (groups, len(self.records.sizes)))
        return np.asarray((pairs @ self.owners).getnnz(axis=1), dtype=np.int64)

    def fewest(self, of_record: Int64s) -> Int64s:
        """Return a count of distinct records per record, or the fewest of each person's.

        A 0 says nothing: it remains only where all of somebody's records have it.
        """
        counts = of_record[self.records.row_of]
        if self.person is None:
            return counts
        nothing = np.iinfo(np.int64).max
        fewest = np.full(len(self.person.values), nothing, dtype=np.int64)
        np.minimum.at(fewest, self.person.codes, np.where(counts > 0, counts, nothing))
        return np.where(fewest == nothing, 0, fewest)


def counted_rows(columns: Sequence[Column], beside: Sequence[Column] = ()) -> DistinctRows:
    """Count the distinct rows of these columns; one `beside` may be counted in values."""
    packing = Packing.for_sizes([len(column.values) for column in columns])
    keys = [str(word) for word in range(packing.words)]
    ends = {f"{end} {x}": (end, x) for x in range(len(beside)) for end in ("min", "max")}
    extremes = [getattr(pl.col(name), end)() for name, (end, _) in ends.items()]
    own = [column.codes for column in columns]
    rows = packing.pack_frame(own).with_columns(
        pl.Series(name, beside[x].codes) for name, (_, x) in ends.items()
    )
    records = pl.len().cast(pl.Int64).alias("records")
    distinct = rows.group_by(keys, maintain_order=True).agg(*extremes, records)
    words = [distinct[key].to_numpy() for key in keys]
    codes = np.column_stack([packing.unpack(words, x) for x in range(len(columns))])
    bounds = {name: distinct[name].to_numpy() for name in ends}
    by_name = {
        column.name: (bounds[f"min {x}"], bounds[f"max {x}"]) for x, column in enumerate(beside)
    }
    return DistinctRows(codes, number_rows(own), distinct["records"].to_numpy(), by_name)


def quasi_rows(task: Task) -> DistinctRows:
    """Return the distinct rows of the quasi-identifiers of the original."""
    return counted_rows([attribute.column for attribute in task.quasi])
