"""The linking attack: what somebody with a table of people learns from a release.

The outsider knows people by attributes such as age, sex and zip, and looks each of them up in the
published table: every record whose cells cover what is known may be that person's. One record that
fits is a person found; fewer than k are too few; and when all of them agree on a sensitive value,
it is disclosed with certainty, however many there are. The same is done with the original, which
shows what anonymising has changed.

Idea
  Work on distinct things only. Per attribute a matrix says which distinct cell covers which
  distinct known value; distinct people against distinct rows of cells are then an AND of its bits.

Cost
  O(distinct people · distinct rows · attributes / 8) bytes looked at, in blocks of bounded memory.

A missing sensitive value is no disclosure, though records that lack it do agree.

Reference: SBC, figures 1-1 and 1-2, table 1-1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published.coverage import Coverage, Reading, coverages
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import Table
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.recode import number_rows
from kanon_tui.core.task.task import Task

__all__ = ["Attack", "Linked", "linking_attack", "possible_values"]


_BLOCK = 1 << 22
"""How many (person, row) pairs are looked at together."""
_MOST_BYTES = 1 << 27
"""For the bits of all values that are known."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """Records collapsed to their distinct rows of codes."""

    codes: npt.NDArray[np.int32]
    """Distinct rows × attributes."""
    row_of: npt.NDArray[np.int32]
    """Per record the number of its row."""
    sizes: Int64s

    @classmethod
    def of(cls, columns: Sequence[npt.NDArray[np.integer]]) -> _Rows:
        row_of = number_rows(columns)
        _, first = np.unique(row_of, return_index=True)
        codes = np.column_stack([column[first] for column in columns]).astype(np.int32)
        return cls(codes, row_of, np.bincount(row_of))


@dataclass(frozen=True, eq=False)
class Linked:
    """What one table tells about the people; arrays are per person."""

    k: int
    matches: Int64s
    """How many records may be the person's."""
    disclosed_values: Mapping[str, Flags]
    """Per sensitive attribute: all those records agree on its value."""
    _readings: Sequence[Reading] = field(repr=False)
    _rows: _Rows = field(repr=False)
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

    def records_of(self, person: int) -> Int64s:
        """The numbers of the records that may be a person's, in table order."""
        fits = np.ones(len(self._rows.sizes), dtype=bool)
        for x, reading in enumerate(self._readings):
            fits &= reading.covers([self._known[x][person]])[0][self._rows.codes[:, x]]
        return np.flatnonzero(fits[self._rows.row_of])


@dataclass(frozen=True, eq=False)
class Attack:
    """The same people looked up in the original and in the release."""

    people: int
    on: tuple[str, ...]
    original: Linked
    release: Linked
    notes: tuple[str, ...]
    """What may have gone wrong with the join."""


def linking_attack(
    project: Project,
    task: Task,
    release: Table,
    external: Table,
    on: Sequence[str],
    release_name: str = "the release",
    external_name: str = "the external table",
) -> Attack:
    """Look the people of an external table up on the named attributes.

    The two names are for messages. Attributes may have any role, as long as they are published.
    """
    _check(task, release, external, on, release_name, external_name)
    cover = coverages(project, task, on)
    texts = {name: external.column(name, Kind.CATEGORICAL) for name in on}
    known = _Rows.of([texts[name].codes for name in on])
    values = [texts[name].values for name in on]
    people = [external.frame[name].to_list() for name in on]

    readings = [cover[name].read_values() for name in on]
    rows = _Rows.of([cover[name].column.codes for name in on])
    sides = [(readings, rows, task.table)]

    cells = [release.column(name, Kind.CATEGORICAL) for name in on]
    readings = [cover[n].read(c.values, release_name) for n, c in zip(on, cells, strict=True)]
    sides.append((readings, _Rows.of([column.codes for column in cells]), release))

    original, published = (
        _link(readings, rows, table, task, known, values, people) for readings, rows, table in sides
    )
    return Attack(
        people=external.height,
        on=tuple(on),
        original=original,
        release=published,
        notes=tuple(_notes(cover, values, external_name)),
    )


def possible_values(table: Table, name: str, records: Int64s) -> tuple[tuple[str, float], ...]:
    """The values of an attribute among some records with their shares, the commonest first.

    Records that lack it count as the value "".
    """
    column = table.column(name, Kind.CATEGORICAL)
    counts = np.bincount(column.codes[records], minlength=len(column.values))
    order = np.argsort(-counts, kind="stable")
    return tuple(
        ("" if code == column.missing else column.values[code], float(counts[code] / len(records)))
        for code in order[: np.count_nonzero(counts)].tolist()
    )


def _link(
    readings: Sequence[Reading],
    rows: _Rows,
    table: Table,
    task: Task,
    known: _Rows,
    values: Sequence[Sequence[str]],
    people: Sequence[Sequence[str]],
) -> Linked:
    distinct = len(known.sizes)
    matches = np.zeros(distinct, dtype=np.int64)
    sensitive = [_Agreement.of(table, column.name, rows, distinct) for column in task.sensitive]
    for block, person, row in _fitting(readings, rows, known, values):
        matches[block] += np.bincount(person, rows.sizes[row], len(matches[block])).astype(np.int64)
        for each in sensitive:
            each.look(person + block.start, row)
    return Linked(
        k=task.k,
        matches=matches[known.row_of],
        disclosed_values={each.name: each.certain[known.row_of] for each in sensitive},
        _readings=readings,
        _rows=rows,
        _known=people,
    )


def _fitting(
    readings: Sequence[Reading], rows: _Rows, known: _Rows, values: Sequence[Sequence[str]]
) -> Iterator[tuple[slice, Int64s, Int64s]]:
    """Pairs (person in the block, row that fits) for a block of people and of rows at a time.

    What a value fits is one bit per row. A person's bits are those of all that is known of them,
    one AND per attribute, and mostly zeros, which are passed over eight at a time.
    """
    everything_known = sum(len(texts) for texts in values)
    width = max(8, 8 * _MOST_BYTES // everything_known)
    for first in range(0, len(rows.sizes), width):
        codes = rows.codes[first : first + width]
        bits = [
            _bits(r, texts, codes[:, x])
            for x, (r, texts) in enumerate(zip(readings, values, strict=True))
        ]
        step = max(1, _BLOCK // len(codes))
        for start in range(0, len(known.sizes), step):
            block = slice(start, min(start + step, len(known.sizes)))
            fits = bits[0][known.codes[block, 0]]
            for x in range(1, len(readings)):
                fits &= bits[x][known.codes[block, x]]
            eights = np.flatnonzero(fits)
            which, bit = np.nonzero(np.unpackbits(fits.ravel()[eights, None], axis=1))
            person, place = np.divmod(eights[which], fits.shape[1])
            yield block, person, first + 8 * place + bit


def _bits(
    reading: Reading, values: Sequence[str], codes: npt.NDArray[np.int32]
) -> npt.NDArray[np.uint8]:
    """Values × rows, eight rows to a byte: which rows have a cell that covers the value."""
    packed = np.empty((len(values), -(-len(codes) // 8)), dtype=np.uint8)
    step = max(1, _BLOCK // max(len(codes), len(reading.texts)))
    for start in range(0, len(values), step):
        covers = reading.covers(values[start : start + step])
        packed[start : start + step] = np.packbits(covers[:, codes], axis=1)
    return packed


@dataclass(frozen=True, eq=False)
class _Agreement:
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
    def of(cls, table: Table, name: str, rows: _Rows, people: int) -> _Agreement:
        """Nobody looked at yet."""
        column = table.column(name, Kind.CATEGORICAL)
        ends = [np.full(n, e) for n in (len(rows.sizes), people) for e in (len(column.values), -1)]
        np.minimum.at(ends[0], rows.row_of, column.codes)
        np.maximum.at(ends[1], rows.row_of, column.codes)
        return cls(name, -1 if column.missing is None else column.missing, *ends)

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


def _check(
    task: Task,
    release: Table,
    external: Table,
    on: Sequence[str],
    release_name: str,
    external_name: str,
) -> None:
    if not on:
        raise InputError("no attributes to join on are named; name at least one")
    for name in on:
        if on.count(name) > 1:
            raise InputError(f"'{name}' is named twice; name every attribute once")
        if name not in task.roles:
            raise InputError(f"the data has no column '{name}'; {suggestion(name, task.roles)}")
        if task.roles[name] is Role.IDENTIFIER:
            raise InputError(
                f"'{name}' is an identifier, which is never published; "
                f"join on attributes of the release"
            )
        for table, who in ((release, release_name), (external, external_name)):
            if name not in table.names:
                raise InputError(f"{who} has no column '{name}'; {suggestion(name, table.names)}")
    for column in task.sensitive:
        if column.name not in release.names:
            raise InputError(
                f"{release_name} has no column '{column.name}', which is sensitive in the "
                f"project; {suggestion(column.name, release.names)}"
            )


def _notes(
    cover: Mapping[str, Coverage], values: Sequence[Sequence[str]], who: str
) -> Iterator[str]:
    """A join that finds nobody looks like safety, so say where it cannot find anybody."""
    for (name, coverage), texts in zip(cover.items(), values, strict=True):
        column = coverage.column
        present = [t for t, gone in zip(texts, coverage.is_missing(texts), strict=True) if not gone]
        if column.numbers is not None:
            occurs = bool(np.isin(column.parse(present), column.numbers).any())
        else:
            occurs = not set(column.values).isdisjoint(present)
        if present and not occurs:
            yield f"{name}: no value of {who} occurs in the data; are they written in the same way?"
