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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.analysis.published.cell_reader import CellReader
from kanon_tui.core.analysis.published.range_reading import end_of_range
from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.data.table import Table
from kanon_tui.core.numeric import Floats, Int32s, Int64s

__all__ = ["QueryErrors", "query_errors"]

SELECTIVITY = 0.05
MOST_QUERIES, FEWEST_QUERIES = 1000, 100
_BUDGET = 50_000_000
"""Records that are looked at in all, before fewer queries are asked."""
_PATIENCE = 20
"""Draws per query that may select nobody."""
_BLOCK = 1 << 22


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
    cells: ReadCells
    codes: Int32s
    line: Floats | None
    """Numbers and dates: the distinct ones, rising."""

    @classmethod
    def of(cls, reader: CellReader, release: Table, where: str) -> _Asked:
        column = reader.column
        printed = release.column(column.name, Kind.CATEGORICAL)
        cells = reader.read(printed.values, where)
        line = None
        if column.numbers is not None:
            line = np.unique(column.numbers[~np.isnan(column.numbers)])
        return cls(reader, cells, printed.codes, line)

    @cached_property
    def covered(self) -> Floats:
        """Per cell the number of distinct values it covers."""
        return np.maximum(self._inside(np.arange(self.size)), 1e-300)

    @property
    def size(self) -> int:
        return len(self.reader.column.values) if self.line is None else len(self.line)

    def drawn(self, share: float, chance: np.random.Generator) -> Int64s:
        """A random set of values: neighbours on a line, any in a tree."""
        many = min(self.size, max(1, round(share * self.size)))
        if self.line is not None:
            start = int(chance.integers(0, self.size - many + 1))
            return np.arange(start, start + many)
        return np.sort(chance.choice(self.size, many, replace=False))

    def selects(self, asked: Int64s) -> Floats:
        """Per value of the original whether it is asked for."""
        column = self.reader.column
        if self.line is None or column.numbers is None:
            flags = np.zeros(len(column.values))
            flags[asked] = 1
            return flags
        low, high = self.line[asked[0]], self.line[asked[-1]]
        return np.asarray((column.numbers >= low) & (column.numbers <= high), dtype=np.float64)

    def share(self, asked: Int64s) -> Floats:
        """Per cell the share of what it covers that is asked for."""
        return np.minimum(self._inside(asked) / self.covered, 1.0)

    def _inside(self, asked: Int64s) -> Floats:
        if self.line is not None:
            return self._numbers_inside(asked)
        values = [self.reader.column.values[value] for value in asked.tolist()]
        found = np.zeros(len(self.cells.missing))
        step = max(1, _BLOCK // max(len(found), 1))
        for start in range(0, len(values), step):
            found += self.cells.shows(values[start : start + step]).sum(axis=0)
        return found

    def _numbers_inside(self, asked: Int64s) -> Floats:
        assert self.line is not None
        if not len(asked):
            return np.zeros(len(self.cells.missing))
        low = np.searchsorted(self.line, self.cells.low)
        high = np.searchsorted(
            self.line, end_of_range(self.cells.high, self.reader.column), "right"
        )
        between = (low >= high) & ~self.cells.missing
        nearest = np.abs(self.line[None, :] - self.cells.low[between, None]).argmin(axis=1)
        low[between], high[between] = nearest, nearest + 1
        inside = np.minimum(high, asked[-1] + 1) - np.maximum(low, asked[0])
        inside[self.cells.missing] = 0
        return np.asarray(np.maximum(inside, 0), dtype=np.float64)


def query_errors(
    readers: Mapping[str, CellReader],
    quasi: Sequence[str],
    others: Sequence[str],
    release: Table,
    seed: int,
    queries: int | None = None,
    selectivity: float = SELECTIVITY,
    where: str = "the release",
) -> QueryErrors | None:
    """The errors of a seeded workload; None where no query selects anybody."""
    asked = {name: _Asked.of(readers[name], release, where) for name in (*quasi, *others)}
    names = [name for name in asked if asked[name].size > 0]
    first = [name for name in quasi if name in names]
    if not first or not release.height:
        return None
    records = len(readers[first[0]].column.codes)
    if queries is None:
        queries = min(MOST_QUERIES, max(FEWEST_QUERIES, _BUDGET // max(records, 1)))
    chance = np.random.default_rng(seed)
    errors: list[float] = []
    for _ in range(queries * _PATIENCE):
        if len(errors) == queries:
            break
        chosen = _attributes(first, names, chance)
        share = selectivity ** (1 / len(chosen))
        sets = {name: asked[name].drawn(share, chance) for name in chosen}
        count, estimate = np.ones(records), np.ones(release.height)
        for name, values in sets.items():
            count *= asked[name].selects(values)[readers[name].column.codes]
            estimate *= asked[name].share(values)[asked[name].codes]
        if actual := float(count.sum()):
            errors.append(abs(float(estimate.sum()) - actual) / actual)
    if not errors:
        return None
    return QueryErrors(
        len(errors),
        selectivity,
        float(np.median(errors)),
        float(np.mean(errors)),
        float(np.quantile(errors, 0.9)),
    )


def _attributes(
    quasi: Sequence[str], names: Sequence[str], chance: np.random.Generator
) -> list[str]:
    """A quasi-identifier and one or two more attributes."""
    one = quasi[int(chance.integers(len(quasi)))]
    others = [name for name in names if name != one]
    more = min(len(others), int(chance.integers(1, 3)))
    return [one, *(others[place] for place in chance.choice(len(others), more, replace=False))]
