"""People looked up in one table: who is found, and what is disclosed of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kanon_tui.core.analysis.attack.counted_rows import counted_rows
from kanon_tui.core.analysis.attack.heads import lists_by_key
from kanon_tui.core.analysis.attack.matching import DistinctRows, fitting_pairs
from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.distinct_values import CountedColumn, by_value
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task

__all__ = ["FittingRecords", "Linked", "link"]


@dataclass(frozen=True, eq=False, repr=False)
class Linked:
    """What one table tells about the people; arrays are per person."""

    k: int
    matches: Int64s
    """How many records may be the person's; how many people, where some have several."""
    disclosed_values: Mapping[str, Flags]
    """Per sensitive attribute: all those records agree on its value."""
    _table: Table = field(repr=False)
    _columns: Sequence[Column] = field(repr=False)
    """The attributes that people are looked up by, as the table has them."""
    _cells: Sequence[ReadCells] = field(repr=False)
    _known: Sequence[Sequence[str]] = field(repr=False)
    """What is known of each person: per attribute the texts."""

    @property
    def found(self) -> int:
        """People with at least one record that fits."""
        return int((self.matches > 0).sum())

    @property
    def unique(self) -> int:
        """People with exactly one: re-identified if they are in the table at all."""
        return int((self.matches == 1).sum())

    @property
    def below_k(self) -> int:
        """People with at least one but fewer than k."""
        return int(((self.matches > 0) & (self.matches < self.k)).sum())

    @cached_property
    def disclosed_people(self) -> Flags:
        """Whether some sensitive value of the person is certain."""
        flags = np.zeros(len(self.matches), dtype=bool)
        for each in self.disclosed_values.values():
            flags |= each
        return flags

    @property
    def disclosed(self) -> int:
        """People of whom some sensitive value is certain."""
        return int(self.disclosed_people.sum())

    def look_up(self, person: int) -> FittingRecords:
        """The records that may be a person's, in one pass over the table."""
        fits = [
            cells.covers([known[person]])[0]
            for cells, known in zip(self._cells, self._known, strict=True)
        ]
        told = [self._table.column(name, Kind.CATEGORICAL) for name in self.disclosed_values]
        counts = [np.zeros(len(column.values), dtype=np.int64) for column in told]
        found, before = [np.zeros(0, dtype=np.int64)], 0
        for block in self._table.coded_blocks([*self._columns, *told]):
            own = block[: len(fits)]
            flags = np.logical_and.reduce([f[codes] for f, codes in zip(fits, own, strict=True)])
            found.append(before + np.flatnonzero(flags))
            before += len(flags)
            for counted, codes in zip(counts, block[len(fits) :], strict=True):
                counted += np.bincount(codes[flags], minlength=len(counted))
        values = {c.name: _with_shares(c, counted) for c, counted in zip(told, counts, strict=True)}
        return FittingRecords(np.concatenate(found), values)


@dataclass(frozen=True, eq=False, repr=False)
class FittingRecords:
    """What a table tells of one person."""

    records: Int64s
    """Their numbers in the table, rising."""
    values: Mapping[str, Sequence[tuple[str, float]]]
    """Per sensitive attribute their values with their shares, the commonest first.

    Records that lack it count as the value "".
    """


def _with_shares(column: Column, counts: Int64s) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-counts, kind="stable")
    records = max(int(counts.sum()), 1)
    return tuple(
        ("" if code == column.missing else column.values[code], float(counts[code] / records))
        for code in order[: np.count_nonzero(counts)].tolist()
    )


def link(
    columns: Sequence[Column],
    cells: Sequence[ReadCells],
    table: Table,
    task: Task,
    known: DistinctRows,
    values: Sequence[Sequence[str]],
    people: Sequence[Sequence[str]],
    whose: Callable[[DistinctRows], Sequence[Int64s]] | None = None,
) -> Linked:
    """Look distinct people up in a table; `known` numbers their `values`.

    With `whose`, which has the people of every row, people are counted and not records.
    """
    distinct = len(known.sizes)
    matches = np.zeros(distinct, dtype=np.int64)
    beside = [
        _sensitive(table, column.name, isinstance(column, CountedColumn))
        for column in task.sensitive
    ]
    counted = counted_rows(table, columns, beside)
    rows = counted.rows
    sensitive = [Agreement.of(column, counted.ends[column.name], distinct) for column in beside]
    pairs: list[tuple[Int64s, Int64s]] = []
    for block, person, row in fitting_pairs(cells, rows, known, values):
        matches[block] += np.bincount(person, rows.sizes[row], len(matches[block])).astype(np.int64)
        for each in sensitive:
            each.look(person + block.start, row)
        if whose is not None:
            pairs.append((person + block.start, row))
    if whose is not None:
        matches = np.minimum(matches, _people(pairs, distinct, whose(rows)))
    return Linked(
        k=task.k,
        matches=matches[known.row_of],
        disclosed_values={each.name: each.certain[known.row_of] for each in sensitive},
        _table=table,
        _columns=columns,
        _cells=cells,
        _known=people,
    )


def _sensitive(table: Table, name: str, by_values: bool) -> Column:
    """A sensitive attribute of a table; by values, spellings of one value agree."""
    column: Column = table.column(name, Kind.CATEGORICAL)
    return by_value(column, table.missing_tokens) if by_values else column


def _people(pairs: Sequence[tuple[Int64s, Int64s]], count: int, whose: Sequence[Int64s]) -> Int64s:
    """How many different people are behind the rows that fit each of those looked up."""
    nobody = np.zeros(0, dtype=np.int64)
    looked_up = np.concatenate([nobody, *(person for person, _ in pairs)])
    rows = lists_by_key(looked_up, np.concatenate([nobody, *(row for _, row in pairs)]), count)
    counted: dict[bytes, int] = {}
    found = np.zeros(count, dtype=np.int64)
    for number, own in enumerate(rows):
        key = own.tobytes()
        if key not in counted:
            everybody = np.concatenate([nobody, *(whose[row] for row in own.tolist())])
            counted[key] = len(np.unique(everybody))
        found[number] = counted[key]
    return found


@dataclass(frozen=True, eq=False)
class Agreement:
    """Whether all records that fit a person have the same value of a sensitive attribute."""

    name: str
    missing: int
    low: Int64s
    """Per row: the smallest code among its records."""
    high: Int64s
    lowest: Int64s
    """Per person: the smallest code among the rows looked at."""
    highest: Int64s

    @classmethod
    def of(cls, column: Column, ends: tuple[Int64s, Int64s], people: int) -> Agreement:
        """Nobody looked at yet; `ends` are the smallest and largest codes of every row."""
        nobody = np.full(people, len(column.values)), np.full(people, -1)
        return cls(column.name, -1 if column.missing is None else column.missing, *ends, *nobody)

    def look(self, person: Int64s, row: Int64s) -> None:
        """Take pairs into account; persons rise."""
        if len(person):
            starts = np.flatnonzero(np.diff(person, prepend=-1))
            some = person[starts]
            lowest = np.minimum.reduceat(self.low[row], starts)
            highest = np.maximum.reduceat(self.high[row], starts)
            self.lowest[some] = np.minimum(self.lowest[some], lowest)
            self.highest[some] = np.maximum(self.highest[some], highest)

    @property
    def certain(self) -> Flags:
        """Per person: there is one value, and it is not the missing one."""
        return np.asarray((self.lowest == self.highest) & (self.lowest != self.missing))
