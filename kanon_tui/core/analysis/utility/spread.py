"""How the records of a table count among the groups of an attribute.

A value is in one group. A published range, label or set is spread: it counts with equal shares in
all distinct values of the original that it covers, as somebody would count who knows the values
that occur and nothing else. `*` is spread over all of them. A published value that does not occur
in the original (a mean) counts where the nearest one that does stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.published.cell_reader import CellReader
from kanon_tui.core.analysis.published.range_reading import end_of_range
from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.analysis.utility.axis import Axis
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table

__all__ = ["Spread", "original_spread", "release_spread"]

_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class Spread:
    """One attribute of one table in the groups of its axis."""

    axis: Axis
    column: Column
    """Its cells, as the table has them."""
    shares: Floats
    """Cells × groups: how a record with this cell counts; every row adds up to 1."""
    means: Floats | None
    """Numbers: per cell the mean of the values it covers; nan where it is missing."""


def original_spread(reader: CellReader, axis: Axis) -> Spread:
    """The attribute as the original has it: every record is in one group."""
    column = reader.column
    shares = np.zeros((len(column.values), len(axis.labels)))
    shares[np.arange(len(column.values)), axis.group_of_value] = 1.0
    return Spread(axis, column, shares, column.numbers)


def release_spread(reader: CellReader, axis: Axis, release: Table, where: str) -> Spread:
    """The attribute as a release has it; `where` names the release in messages."""
    printed = release.column(axis.name, Kind.CATEGORICAL)
    cells = reader.read(printed.values, where)
    if axis.ordered:
        covered, means = _covered_numbers(cells, axis)
    else:
        covered, means = _covered_texts(cells, axis), None
    lost = covered.sum(axis=1) == 0
    covered[lost] = np.bincount(axis.group_of_value, minlength=len(axis.labels))
    return Spread(axis, printed, covered / covered.sum(axis=1, keepdims=True), means)


def _covered_numbers(cells: ReadCells, axis: Axis) -> tuple[Floats, Floats]:
    """Cells × groups: how many distinct numbers a cell covers there; and the mean of them."""
    column = axis.column
    assert column.numbers is not None
    present = ~np.isnan(column.numbers)
    line, first = np.unique(column.numbers[present], return_index=True)
    groups = axis.group_of_value[present][first]
    found = np.zeros((len(cells.missing), len(axis.labels)))
    means = np.full(len(cells.missing), np.nan)
    if not len(line):
        found[cells.missing | cells.everything, -1] = 1
        return found, means
    low = np.searchsorted(line, cells.low)
    high = np.searchsorted(line, end_of_range(cells.high, column), "right")
    between = (low >= high) & ~cells.missing  # a value that does not occur: the nearest that does
    nearest = np.abs(line[None, :] - cells.low[between, None]).argmin(axis=1)
    low[between], high[between] = nearest, nearest + 1
    before = np.zeros((len(line) + 1, len(axis.labels)))
    before[np.arange(1, len(line) + 1), groups] = 1
    before = before.cumsum(axis=0)
    known = ~cells.missing
    found[known] = before[high[known]] - before[low[known]]
    sums = np.concatenate([[0.0], line.cumsum()])
    means[known] = (sums[high[known]] - sums[low[known]]) / (high[known] - low[known])
    means[between] = cells.low[between]
    if column.missing is not None:
        found[cells.missing | cells.everything, axis.group_of_value[column.missing]] += 1
    return found, means


def _covered_texts(cells: ReadCells, axis: Axis) -> Floats:
    values = axis.column.values
    found = np.zeros((len(cells.missing), len(axis.labels)))
    step = max(1, _BLOCK // max(len(cells.missing), 1))
    for start in range(0, len(values), step):
        shown = cells.shows(values[start : start + step])
        np.add.at(found.T, axis.group_of_value[start : start + step], shown.astype(np.float64))
    return found


def spreads(
    readers: Mapping[str, CellReader], axes: Sequence[Axis], release: Table, where: str
) -> list[tuple[Spread, Spread]]:
    """Original and release of every axis."""
    return [
        (
            original_spread(readers[axis.name], axis),
            release_spread(readers[axis.name], axis, release, where),
        )
        for axis in axes
    ]
