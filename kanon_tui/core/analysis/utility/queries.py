"""How wrong counts become: random COUNT queries answered from the release.

A query asks how many records have values in random sets of two or three attributes, one of them a
quasi-identifier at least, like "age 31 to 47 and flu yes". A set holds so many distinct values of
the original that a query is expected to select a share `selectivity` of all combinations: numbers
and dates a run of neighbours, categories any. The original counts; the release estimates:

  estimate = Σ over records of Π over attributes of (covered and asked for) / covered

with what a cell covers spread over the distinct values of the original. A query that selects
nobody in the original has no relative error and is drawn again.

  error = |estimate − count| / count; told are the median, the mean and the 90th percentile

References: Xiao, Tao, Anatomy: Simple and Effective Privacy Preservation, VLDB 2006, section 6
(workload and error); LeFevre, DeWitt, Ramakrishnan, Workload-Aware Anonymization, KDD 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.analysis.published_cells import CellReader, ReadCells
from kanon_tui.core.analysis.utility.tally import present_cells
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table

__all__ = ["QueryErrors", "query_errors"]

SELECTIVITY = 0.05
MOST_QUERIES, FEWEST_QUERIES = 1000, 100
_BUDGET = 50_000_000
"""Records that are looked at in all, before fewer queries are asked."""
_PATIENCE = 20
"""Draws per query that may select nobody."""


_Sets = Mapping[str, Int64s]
"""A query: by attribute the values that are asked for."""
_Shares = Callable[[Int64s], Floats]
"""By cells that occur how much of each is asked for."""


@dataclass(frozen=True)
class QueryErrors:
    """The relative errors of a workload."""

    queries: int
    selectivity: float
    median: float
    mean: float
    ninetieth: float


@dataclass(frozen=True, eq=False)
class _Asked:
    """One attribute of both tables, to answer how much of every cell lies in a set of values."""

    reader: CellReader
    printed: Column
    """The attribute in the release."""
    cells: ReadCells
    line: Floats | None
    """Numbers and dates: the distinct ones, rising."""

    @classmethod
    def from_reader(cls, reader: CellReader, release: Table, where: str) -> _Asked:
        column = reader.column
        printed = release.column(column.name, Kind.CATEGORICAL)
        line = None if column.numbers is None else reader.line
        return cls(reader, printed, reader.read(printed.values, where), line)

    @cached_property
    def covered(self) -> Floats:
        """Per cell the number of distinct values it covers."""
        return np.maximum(self._inside(np.arange(self.size), slice(None)), 1e-300)

    @property
    def size(self) -> int:
        return len(self.reader.column.values) if self.line is None else len(self.line)

    def drawn(self, share: float, chance: np.random.Generator) -> Int64s:
        """Return a random set of values: neighbours on a line, any in a tree."""
        many = min(self.size, max(1, round(share * self.size)))
        if self.line is not None:
            start = int(chance.integers(0, self.size - many + 1))
            return np.arange(start, start + many)
        return np.sort(chance.choice(self.size, many, replace=False))

    def selects(self, asked: Int64s) -> _Shares:
        """Return a function from values of the original to whether they are asked for."""
        column = self.reader.column
        if self.line is None or column.numbers is None:
            return lambda codes: np.isin(codes, asked).astype(np.float64)
        numbers, low, high = column.numbers, self.line[asked[0]], self.line[asked[-1]]
        return lambda codes: np.asarray(
            (numbers[codes] >= low) & (numbers[codes] <= high), dtype=np.float64
        )

    def share(self, asked: Int64s) -> _Shares:
        """Return a function from cells to the share of what they cover that is asked for."""
        if self.line is not None:
            return lambda cells: self._of_covered(self._numbers_inside(asked, cells), cells)
        every = self._of_covered(self._inside(asked, slice(None)), slice(None))
        return lambda cells: every[cells]

    def _of_covered(self, inside: Floats, cells: Int64s | slice) -> Floats:
        return np.minimum(inside / self.covered[cells], 1.0)

    def _inside(self, asked: Int64s, cells: Int64s | slice) -> Floats:
        if self.line is not None:
            return self._numbers_inside(asked, cells)
        values = [self.reader.column.values[value] for value in asked.tolist()]
        return self.cells.count_shown(values)[cells].astype(np.float64)

    def _numbers_inside(self, asked: Int64s, cells: Int64s | slice) -> Floats:
        missing = self.cells.missing[cells]
        if not len(asked):
            return np.zeros(len(missing))
        low, high = (ends[cells] for ends in self._ends)
        inside = np.minimum(high, asked[-1] + 1) - np.maximum(low, asked[0])
        inside[missing] = 0
        return np.asarray(np.maximum(inside, 0), dtype=np.float64)

    @cached_property
    def _ends(self) -> tuple[Int64s, Int64s]:
        """Numbers and dates: per cell where on the line it begins, and the place behind it."""
        return self.cells.places(nearest=True)


def query_errors(
    readers: Mapping[str, CellReader],
    quasi: Sequence[str],
    others: Sequence[str],
    tables: tuple[Table, Table],
    seed: int,
    queries: int | None = None,
    selectivity: float = SELECTIVITY,
    where: str = "the release",
) -> QueryErrors | None:
    """Return the errors of a seeded workload on original and release; None if it selects nobody."""
    original, release = tables
    asked = {name: _Asked.from_reader(readers[name], release, where) for name in (*quasi, *others)}
    names = [name for name in asked if asked[name].size > 0]
    first = [name for name in quasi if name in names]
    if not first or not release.height:
        return None
    if queries is None:
        records = readers[first[0]].column.records
        queries = min(MOST_QUERIES, max(FEWEST_QUERIES, _BUDGET // max(records, 1)))
    chance = np.random.default_rng(seed)
    errors: list[float] = []
    left = queries * _PATIENCE
    while len(errors) < queries and left > 0:
        wanted = queries - len(errors)
        several = min(left, wanted + wanted // 4)  # some may select nobody
        left -= several
        sets = [_drawn(first, names, asked, selectivity, chance) for _ in range(several)]
        used = {name: asked[name] for name in names if any(name in one for one in sets)}
        columns = [each.reader.column for each in used.values()]
        counts = _sums(original, columns, [
            {name: used[name].selects(values) for name, values in one.items()} for one in sets
        ])  # fmt: skip
        columns = [each.printed for each in used.values()]
        estimates = _sums(release, columns, [
            {name: used[name].share(values) for name, values in one.items()} for one in sets
        ])  # fmt: skip
        some = counts > 0
        errors += (np.abs(estimates - counts)[some] / counts[some]).tolist()
    errors = errors[:queries]
    if not errors:
        return None
    return QueryErrors(
        len(errors),
        selectivity,
        float(np.median(errors)),
        float(np.mean(errors)),
        float(np.quantile(errors, 0.9)),
    )


def _drawn(
    quasi: Sequence[str],
    names: Sequence[str],
    asked: Mapping[str, _Asked],
    selectivity: float,
    chance: np.random.Generator,
) -> _Sets:
    """Return a random query."""
    chosen = _attributes(quasi, names, chance)
    share = selectivity ** (1 / len(chosen))
    return {name: asked[name].drawn(share, chance) for name in chosen}


def _sums(
    table: Table, columns: Sequence[Column], queries: Sequence[Mapping[str, _Shares]]
) -> Floats:
    """Return per query the sum over all records of the products of their shares, in one pass."""
    sums = np.zeros(len(queries))
    for block in table.coded_blocks(columns):
        cells = {
            column.name: present_cells(codes, len(column.values))
            for column, codes in zip(columns, block, strict=True)
        }
        for number, query in enumerate(queries):
            product = np.ones(len(block[0]))
            for name, shares in query.items():
                present, place = cells[name]
                product *= shares(present)[place]
            sums[number] += product.sum()
    return sums


def _attributes(
    quasi: Sequence[str], names: Sequence[str], chance: np.random.Generator
) -> list[str]:
    """Return a quasi-identifier and one or two more attributes."""
    one = quasi[int(chance.integers(len(quasi)))]
    others = [name for name in names if name != one]
    more = min(len(others), int(chance.integers(1, 3)))
    return [one, *(others[place] for place in chance.choice(len(others), more, replace=False))]
