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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from kanon_tui.core.analysis.published_cells import PublishedTable, ReadCells
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.table import Table

SELECTIVITY = 0.05
MOST_QUERIES = 1000
FEWEST_QUERIES = 100
_BUDGET = 50_000_000
"""Records that are looked at in all, before fewer queries are asked."""
_PATIENCE = 20
"""Draws per query that may select nobody."""


_Query = Mapping[str, Callable[[], Floats]]
"""By attribute a function that returns per cell how much of it is asked for."""


@dataclass(frozen=True)
class QueryErrors:
    """The relative errors of a workload."""

    queries: int
    selectivity: float
    median: float
    mean: float
    ninetieth: float


@dataclass(frozen=True, eq=False)
class _QueriedAttribute:
    """One attribute of both tables, to answer how much of every cell lies in a set of values.

    Values are the distinct numbers or days on a line, or the categories.
    """

    column: Column
    """The attribute in the original."""
    printed: Column
    """The attribute in the release."""
    cells: ReadCells

    @cached_property
    def place(self) -> Int64s:
        """Per value of the column its place among the values; those that are missing lie behind."""
        if self.column.numbers is None:
            return np.arange(len(self.column.values))
        return np.searchsorted(self.cells.attribute.line, self.column.numbers)

    @property
    def size(self) -> int:
        """The number of values."""
        ordered = self.column.numbers is not None
        return len(self.cells.attribute.line) if ordered else len(self.column.values)

    def draw(self, share: float, chance: np.random.Generator) -> Flags:
        """Return a random set of values: neighbours on a line, any in a tree."""
        n_values = min(self.size, max(1, round(share * self.size)))
        member = np.zeros(self.size + 1, dtype=bool)
        if self.column.numbers is not None:
            start = int(chance.integers(0, self.size - n_values + 1))
            member[start : start + n_values] = True
        else:
            member[chance.choice(self.size, n_values, replace=False)] = True
        return member

    def share(self, member: Flags) -> Floats:
        """Return per cell the share of the values it covers that is asked for."""
        if self.column.numbers is None:
            inside = self.cells.shown @ member[:-1]
            covered = self.cells.shown.sum(axis=1)
        else:
            first, behind = self.cells.places(nearest=True)
            upto = np.concatenate([[0], np.cumsum(member[:-1])])
            inside = upto[behind] - upto[first]
            covered = behind - first
            inside = np.where(self.cells.missing, 0, inside)
        shares: Floats = np.asarray(inside).ravel() / np.maximum(np.asarray(covered).ravel(), 1)
        return shares


def query_errors(
    release: PublishedTable,
    quasi: Sequence[str],
    read: tuple[Sequence[Column], Sequence[ReadCells]],
) -> QueryErrors | None:
    """Return the errors of a seeded workload on original and release; None if it selects nobody.

    `read` has the attributes that are asked for as `release.read` returns them.
    """
    original = release.task.table
    seed = release.task.seed
    every = {
        printed.name: _QueriedAttribute(cells.attribute.column, printed, cells)
        for printed, cells in zip(*read, strict=True)
    }
    attributes = {name: every[name] for name in (*quasi, *every) if every[name].size > 0}
    first = [name for name in quasi if name in attributes]
    if not first or not release.table.height:
        return None
    records = attributes[first[0]].column.records
    queries = min(MOST_QUERIES, max(FEWEST_QUERIES, _BUDGET // max(records, 1)))
    chance = np.random.default_rng(seed)
    errors: list[float] = []
    tries_left = queries * _PATIENCE
    while len(errors) < queries and tries_left > 0:
        needed = queries - len(errors)
        several = min(tries_left, needed + needed // 4)  # some may select nobody
        tries_left -= several
        sets = [_drawn(first, attributes, chance) for _ in range(several)]
        used = [
            attribute
            for name, attribute in attributes.items()
            if any(name in query for query in sets)
        ]
        counts = _sums(original, [attribute.column for attribute in used], [
            {name: partial(member[attributes[name].place].astype, np.float64)
             for name, member in query.items()} for query in sets
        ])  # fmt: skip
        estimates = _sums(release.table, [attribute.printed for attribute in used], [
            {name: partial(attributes[name].share, member) for name, member in query.items()}
            for query in sets
        ])  # fmt: skip
        selecting = counts > 0
        errors += (np.abs(estimates - counts)[selecting] / counts[selecting]).tolist()
    errors = errors[:queries]
    if not errors:
        return None
    return QueryErrors(
        len(errors),
        SELECTIVITY,
        float(np.median(errors)),
        float(np.mean(errors)),
        float(np.quantile(errors, 0.9)),
    )


def _drawn(
    quasi: Sequence[str],
    attributes: Mapping[str, _QueriedAttribute],
    chance: np.random.Generator,
) -> dict[str, Flags]:
    """Return a random query: sets of values of a quasi-identifier and of one or two others."""
    first_name = quasi[int(chance.integers(len(quasi)))]
    other_names = [name for name in attributes if name != first_name]
    more = min(len(other_names), int(chance.integers(1, 3)))
    chosen = [
        first_name,
        *(other_names[place] for place in chance.choice(len(other_names), more, replace=False)),
    ]
    share = SELECTIVITY ** (1 / len(chosen))
    return {name: attributes[name].draw(share, chance) for name in chosen}


def _sums(table: Table, columns: Sequence[Column], queries: Sequence[_Query]) -> Floats:
    """Return per query the sum over all records of the products of their shares, in one pass."""
    sums = np.zeros(len(queries))
    for block in table.coded_blocks(columns):
        codes = {
            column.name: column_codes for column, column_codes in zip(columns, block, strict=True)
        }
        for number, query in enumerate(queries):
            product = np.ones(len(block[0]))
            for name, shares in query.items():
                product *= shares()[codes[name]]
            sums[number] += product.sum()
    return sums
