"""Look the people of an outsider's table up in the original and in a release.

The outsider knows people by attributes such as age, sex and zip, and looks each of them up in the
published table: every record whose cells cover what is known may be that person's. One record that
fits is a person found; fewer than k are too few; and when all of them agree on a sensitive value,
it is disclosed with certainty, however many there are. The same is done with the original, which
shows what anonymising has changed. A missing sensitive value is no disclosure, though records that
lack it do agree.

Where people have several records (role person), those who may be meant are counted as people: in
the original by whose records fit, in the release by who has a record that the fitting rows cover.

Cost: distinct people against distinct rows of cells (`matching`), O(people · rows · attributes / 8)
bytes looked at, in blocks of bounded memory.

Reference: SBC, figures 1-1 and 1-2, table 1-1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from kanon_tui.core.analysis.attack.matching import (
    DistinctRows,
    counted_rows,
    fitting_pairs,
    pairs_matrix,
    people_of_rows,
    quasi_rows,
)
from kanon_tui.core.analysis.attack.two_releases import covering_rows
from kanon_tui.core.analysis.published_cells import (
    CellReader,
    PublishedTable,
    ReadCells,
    check_column,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.column_coding import by_value
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task


@dataclass(frozen=True, eq=False, repr=False)
class Linked:
    """The people looked up in one table; arrays are per person."""

    k: int
    matches: Int64s
    """How many records may be the person's; how many people, where some have several."""
    disclosed_values: Mapping[str, Flags]
    """By sensitive attribute, per person whether all records that fit agree on its value."""
    _table: Table
    _columns: Sequence[Column]
    """The attributes that people are looked up by, as the table has them."""
    _cells: Sequence[ReadCells]
    _external: Table
    """The outsider's table, with a record for each person."""

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
        """Per person whether some sensitive value is certain."""
        flags = np.zeros(len(self.matches), dtype=bool)
        for value in self.disclosed_values.values():
            flags |= value
        return flags

    @property
    def disclosed(self) -> int:
        """People of whom some sensitive value is certain."""
        return int(self.disclosed_people.sum())

    def look_up(self, person: int) -> FittingRecords:
        """Return the records that may be a person's, in one pass over the table."""
        known = [self._external.frame[column.name][person] for column in self._columns]
        fits = [c.covers([text])[0] for c, text in zip(self._cells, known, strict=True)]
        sensitive = [self._table.column(name, Kind.CATEGORICAL) for name in self.disclosed_values]
        counts = [np.zeros(len(column.values), dtype=np.int64) for column in sensitive]
        found = [np.zeros(0, dtype=np.int64)]
        before = 0
        for block in self._table.coded_blocks([*self._columns, *sensitive]):
            own = block[: len(fits)]
            flags = np.logical_and.reduce([f[codes] for f, codes in zip(fits, own, strict=True)])
            found.append(before + np.flatnonzero(flags))
            before += len(flags)
            for counted, codes in zip(counts, block[len(fits) :], strict=True):
                counted += np.bincount(codes[flags], minlength=len(counted))
        values = {
            c.name: _with_shares(c, counted) for c, counted in zip(sensitive, counts, strict=True)
        }
        return FittingRecords(np.concatenate(found), values)


@dataclass(frozen=True, eq=False, repr=False)
class FittingRecords:
    """The records of a table that may be one person's."""

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
    external: Table,
    table: Table,
    columns: Sequence[Column],
    cells: Sequence[ReadCells],
    task: Task,
    whose: Callable[[DistinctRows], Any] | None = None,
) -> Linked:
    """Look the people of an external table up in the columns of another.

    `whose` returns distinct rows × people, sparse, where people are counted instead of records.
    """
    texts = [external.column(column.name, Kind.CATEGORICAL) for column in columns]
    known = DistinctRows.from_codes([each.codes for each in texts])
    values = [text.values for text in texts]
    distinct = len(known.sizes)
    matches = np.zeros(distinct, dtype=np.int64)
    beside = [table.column(column.name, Kind.CATEGORICAL) for column in task.sensitive]
    for x, column in enumerate(task.sensitive):
        if column.spellings is not None:  # spellings of one value agree
            beside[x] = by_value(beside[x], table.missing_tokens)
    rows = counted_rows(columns, beside)
    lowest = {column.name: np.full(distinct, len(column.values)) for column in beside}
    highest = {column.name: np.full(distinct, -1) for column in beside}
    pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for block, person, row in fitting_pairs(cells, rows, known, values):
        matches[block] += np.bincount(person, rows.sizes[row], len(matches[block])).astype(np.int64)
        for name, (low, high) in rows.ends.items():
            np.minimum.at(lowest[name], person + block.start, low[row])
            np.maximum.at(highest[name], person + block.start, high[row])
        if whose is not None:
            pairs.append((person + block.start, row))
    if whose is not None:
        matches = np.minimum(matches, _people(pairs, distinct, whose(rows)))
    return Linked(
        k=task.k,
        matches=matches[known.row_of],
        disclosed_values={
            column.name: (
                (lowest[column.name] == highest[column.name])
                & (lowest[column.name] != (-1 if column.missing is None else column.missing))
            )[known.row_of]
            for column in beside
        },
        _table=table,
        _columns=columns,
        _cells=cells,
        _external=external,
    )


def _people(pairs: Sequence[tuple[Int64s, Int64s]], count: int, whose: Any) -> Int64s:
    """Return how many different people are behind the rows that fit each person looked up."""
    looked_up, row = (np.concatenate(each) for each in zip(*pairs, strict=True))
    fits = pairs_matrix(looked_up, row, (count, whose.shape[0]))
    return np.asarray((fits @ whose).getnnz(axis=1), dtype=np.int64)


def people_covered_by(release: PublishedTable, rows: DistinctRows, person: Column) -> Any:
    """Return rows of a release × people, sparse: who has a record that the row's cells cover.

    A release does not say whose its rows are. Where classes do not overlap, these are its people
    and those who were suppressed.
    """
    records = quasi_rows(release.task)
    found = covering_rows(release, records)
    published = len(found.rows.sizes)
    distinct = len(records.sizes)
    parts = pairs_matrix(rows.row_of, found.rows.row_of, (len(rows.sizes), published))
    covered = pairs_matrix(found.row, found.record, (published, distinct))
    return parts @ covered @ people_of_rows(records, person)


@dataclass(frozen=True, eq=False)
class Attack:
    """A linking attack: the people of an external table looked up in original and release."""

    people: int
    original: Linked
    release: Linked
    notes: tuple[str, ...]
    """Sentences on what may have gone wrong with the join."""

    def section(self) -> Section:
        """Return the counts of both tables as a section, with notes."""
        both = (self.original, self.release)
        rows = [
            [words, *(f"{count:,} {count / max(self.people, 1):>7.1%}" for count in counts)]
            for words, counts in {
                "have a record that fits": [side.found for side in both],
                "have exactly one, and are found": [side.unique for side in both],
                f"have fewer than k = {self.release.k:,}": [side.below_k for side in both],
                "have a sensitive value revealed": [side.disclosed for side in both],
            }.items()
        ]
        notes = [f"note: {note}" for note in self.notes]
        if not self.release.disclosed_values:
            notes.append("note: no attribute is sensitive, so no value can be disclosed")
        columns = (f"of {self.people:,} people", "original", "release")
        return Section("Linking attack", (), columns, rows, notes)


def linking_attack(
    release: PublishedTable,
    external: Table,
    on: Sequence[str],
    external_name: str = "the external table",
) -> Attack:
    """Look the people of an external table up on the named attributes.

    The name is for messages. Attributes may have any role, as long as they are published.
    """
    _check(release, external, on, external_name)
    task = release.task
    columns, cells = release.read(on)
    before = [cell.attribute.column for cell in cells]
    values_as_cells = [each.attribute.read_values() for each in cells]
    person = task.repeated
    whose = None
    behind = None
    if person is not None:
        whose = partial(people_of_rows, person=person)
        behind = partial(people_covered_by, release, person=person)
    return Attack(
        people=external.height,
        original=link(external, task.table, before, values_as_cells, task, whose),
        release=link(external, release.table, columns, cells, task, behind),
        notes=tuple(_notes([each.attribute for each in cells], external, external_name)),
    )


def _check(release: PublishedTable, external: Table, on: Sequence[str], called: str) -> None:
    if not on:
        raise InputError("no attributes to join on are named; name at least one")
    for name in on:
        if on.count(name) > 1:
            raise InputError(f"'{name}' is named twice; name every attribute once")
        release.check_attribute(name, "join on attributes of the release")
        check_column(name, external.names, called)
    for column in release.task.sensitive:
        what = ", which is sensitive in the project"
        check_column(column.name, release.table.names, release.name, what)


def _notes(readers: Sequence[CellReader], external: Table, called: str) -> Iterator[str]:
    """Yield sentences on attributes that find nobody: an empty join would look like safety."""
    for reader in readers:
        column = reader.column
        texts = external.column(column.name, Kind.CATEGORICAL).values
        present = [t for t, gone in zip(texts, reader.is_missing(texts), strict=True) if not gone]
        if column.numbers is not None:
            occurs = bool(np.isin(column.parse(present), column.numbers).any())
        else:
            occurs = not set(column.values).isdisjoint(present)
        if present and not occurs:
            yield (
                f"{column.name}: no value of {called} occurs in the data; are they written in the "
                "same way?"
            )
