"""Find which distinct rows of cells fit which distinct people.

Per attribute a matrix says which distinct cell covers which distinct known value; distinct people
against distinct rows of cells are then an AND of its bits. `counted_rows` counts the distinct rows
of a table in memory or in files; what is kept grows with the distinct rows, not with the records:

    counted = counted_rows(table, columns, beside)
    counted.rows.sizes             # records of every distinct row
    counted.ends["disease"]        # per row the smallest and the largest code of a column beside

`PersonCounts` counts the people behind distinct records, where some people have several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published_cells import ReadCells
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.distinct_values import CountedColumn
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex

__all__ = [
    "CountedRows",
    "DistinctRows",
    "PersonCounts",
    "counted_rows",
    "fitting_pairs",
    "lists_by_key",
    "people_of_rows",
]


_BLOCK = 1 << 22
"""How many (person, row) pairs are looked at together."""
_MOST_BYTES = 1 << 27
"""For the bits of all values that are known."""


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Records collapsed to their distinct rows of codes."""

    codes: npt.NDArray[np.int32]
    """Distinct rows × attributes."""
    _row_of: npt.NDArray[np.int32] | None
    sizes: Int64s

    @property
    def in_memory(self) -> bool:
        """Whether it is known which row every record has."""
        return self._row_of is not None

    @property
    def row_of(self) -> npt.NDArray[np.int32]:
        """Per record the number of its row, of a table in memory."""
        assert self._row_of is not None, "records that are read in pieces have no numbers here"
        return self._row_of

    @classmethod
    def from_codes(cls, columns: Sequence[npt.NDArray[np.integer]]) -> DistinctRows:
        """Return the distinct rows of records given by their codes, attribute by attribute."""
        row_of = number_rows(columns)
        _, first = np.unique(row_of, return_index=True)
        codes = np.column_stack([column[first] for column in columns]).astype(np.int32)
        return cls(codes, row_of, np.bincount(row_of))

    @classmethod
    def from_columns(cls, table: Table, names: Sequence[str]) -> DistinctRows:
        """Return the distinct rows of some columns of a table in memory."""
        return cls.from_codes([table.column(name, Kind.CATEGORICAL).codes for name in names])


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
    width = max(8, 8 * _MOST_BYTES // everything_known)
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


def lists_by_key(keys: Int64s, values: Int64s, count: int) -> list[Int64s]:
    """Return the values of every key, in rising order."""
    order = np.lexsort((values, keys))
    return np.split(values[order], np.searchsorted(keys[order], np.arange(1, count)))


def people_of_rows(rows: DistinctRows, person: Column) -> list[Int64s]:
    """Return for every distinct row of the original the people who have it."""
    pairs = np.unique(np.stack([rows.row_of, person.codes]), axis=1).astype(np.int64)
    return lists_by_key(pairs[0], pairs[1], len(rows.sizes))


@dataclass(frozen=True, eq=False)
class PersonCounts:
    """Counts of the people behind sets of distinct records."""

    records: DistinctRows
    person: Column | None
    """Whose every record is, where some have several."""
    owners: Sequence[Int64s]
    """Per distinct record the people who have it; empty where people have one record each."""

    @classmethod
    def from_records(cls, records: DistinctRows, person: Column | None) -> PersonCounts:
        """Return the counts for these records.

        `person` is None where people have one record each.
        """
        return cls(records, person, () if person is None else people_of_rows(records, person))

    @property
    def each(self) -> Int64s:
        """The number of people who have each distinct record."""
        if self.person is None:
            return self.records.sizes
        return np.array([len(own) for own in self.owners], dtype=np.int64)

    def count(self, records: Int64s) -> int:
        """Return how many people have one of these distinct records."""
        if self.person is None:
            return int(self.records.sizes[records].sum())
        return len(np.unique(np.concatenate([self.owners[one] for one in records.tolist()])))

    def count_groups(self, group: Int64s, record: Int64s, groups: int) -> Int64s:
        """Return the number of people in each group, given as pairs (group, distinct record)."""
        if self.person is None:
            counted = np.bincount(group, weights=self.records.sizes[record], minlength=groups)
            return counted.astype(np.int64)
        whose = np.concatenate([self.owners[one] for one in record.tolist()])
        pair = np.repeat(group, self.each[record]) * len(self.person.values) + whose
        return np.bincount(np.unique(pair) // len(self.person.values), minlength=groups)

    @property
    def copies(self) -> Int64s | None:
        """The people behind each entry of `fewest`; None where an entry is one person."""
        return None if self.records.in_memory else self.records.sizes

    def fewest(self, of_record: Int64s) -> Int64s:
        """Return a count of distinct records per record in memory, or the fewest of each person's.

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


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Distinct rows, and what columns beside them have there."""

    rows: DistinctRows
    ends: Mapping[str, tuple[Int64s, Int64s]]
    """By column beside: per row the smallest and the largest of its codes."""


def counted_rows(
    table: Table, columns: Sequence[Column], beside: Sequence[Column] = ()
) -> CountedRows:
    """Count the distinct rows of these columns; one `beside` may be counted in values."""
    packing = Packing.for_sizes([len(column.values) for column in columns])
    index = TupleIndex(packing.words)
    sizes = np.zeros(0, dtype=np.int64)
    most = {column.name: len(column.values) for column in beside}
    ends = {name: (np.zeros(0, np.int64), np.zeros(0, np.int64)) for name in most}
    row_of: list[Int32s] = []
    spelt = [_spelt(column) for column in beside]
    for block in table.coded_blocks([*columns, *spelt]):
        own = block[: len(columns)]
        places = index.add(packing.pack(own))
        table.check_rows(len(index))
        sizes = _grown(sizes, len(index), 0)
        sizes += np.bincount(places, minlength=len(index))
        for column, codes in zip(beside, block[len(columns) :], strict=True):
            if isinstance(column, CountedColumn):
                codes = np.array(column.counted, dtype=np.int32)[codes]
            low, high = ends[column.name]
            low, high = _grown(low, len(index), most[column.name]), _grown(high, len(index), -1)
            np.minimum.at(low, places, codes)
            np.maximum.at(high, places, codes)
            ends[column.name] = low, high
        if len(row_of) < 2:
            row_of.append(places)
    words = index.words()
    distinct = [packing.unpack(words, x) for x in range(len(columns))]
    rows = DistinctRows(
        np.column_stack(distinct).astype(np.int32),
        row_of[0] if len(row_of) == 1 else None,
        sizes,
    )
    return CountedRows(rows, ends)


def _spelt(column: Column) -> Column:
    """Return the column as it is spelt in the table."""
    if isinstance(column, CountedColumn) and column.spelt is not None:
        return column.spelt
    return column


def _grown(counts: Int64s, size: int, filled: int) -> Int64s:
    more = np.full(size - len(counts), filled, dtype=np.int64)
    return np.concatenate([counts, more])
