"""What the figures of one table are made of, counted in one pass over its records.

Records come some at a time (`Table.coded_blocks`): all at once from a table in memory, piece by
piece from one that is in its files. What is kept of them does not grow with their number.

  cells     per attribute how many records have each cell
  joints    per pair of attributes the shares of the records in all pairs of groups; a record is
            spread over those that its two cells cover, independently
  weights   per number and grouping how much of the records with each cell is in every group

Cost: O(records) per attribute, pair, and number by grouping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kanon_tui.core.analysis.utility.spread import Spread
from kanon_tui.core.numeric import Floats, Int32s, Int64s
from kanon_tui.core.table.table import Table

__all__ = ["Tally", "present_cells", "tally"]


@dataclass(frozen=True, eq=False)
class Tally:
    """One table in numbers; attributes by their places among the spreads."""

    spreads: Sequence[Spread]
    records: int
    cells: Sequence[Int64s]
    joints: Mapping[tuple[int, int], Floats]
    weights: Mapping[tuple[int, int], Floats]

    def distribution(self, x: int) -> Floats:
        """The share of the records in every group of an attribute."""
        return np.asarray(self.cells[x] @ self.spreads[x].shares / max(self.records, 1))


def tally(table: Table, spreads: Sequence[Spread], numbers: Sequence[tuple[int, int]]) -> Tally:
    """Count all attributes and pairs; `numbers` are places of a number and of its grouping."""
    records = 0
    cells = [np.zeros(len(each.shares), dtype=np.int64) for each in spreads]
    groups = [each.shares.shape[1] for each in spreads]
    pairs = list(combinations(range(len(spreads)), 2))
    joints = {(x, y): np.zeros((groups[x], groups[y])) for x, y in pairs}
    weights = {(x, by): np.zeros((len(spreads[x].shares), groups[by])) for x, by in numbers}
    for block in table.coded_blocks([each.column for each in spreads]):
        records += len(block[0])
        some = [_Some.of(codes, each) for codes, each in zip(block, spreads, strict=True)]
        for counted, one in zip(cells, some, strict=True):
            counted[one.present] += np.bincount(one.codes, minlength=len(one.present))
        for x, y in pairs:
            joints[x, y] += some[x].shares.T @ _spread_over(some[x], some[y])
        for x, by in numbers:
            weights[x, by][some[x].present] += _spread_over(some[x], some[by])
    shares = {pair: joint / max(records, 1) for pair, joint in joints.items()}
    return Tally(spreads, records, cells, shares, weights)


@dataclass(frozen=True, eq=False)
class _Some:
    """An attribute of some records: the cells that occur among them."""

    present: Int64s
    codes: Int64s
    """Per record which of these it has."""
    shares: Floats

    @classmethod
    def of(cls, codes: Int32s, spread: Spread) -> _Some:
        present, own = present_cells(codes, len(spread.shares))
        return cls(present, own, spread.shares[present])


def _spread_over(one: _Some, other: _Some) -> Floats:
    """Cells of the one × groups of the other: how much of the records is there."""
    from scipy.sparse import csr_matrix

    counts = csr_matrix(
        (np.ones(len(one.codes)), (one.codes, other.codes)),
        (len(one.present), len(other.present)),
    )
    return np.asarray(counts @ other.shares, dtype=np.float64)


def present_cells(codes: Int32s, cells: int) -> tuple[Int64s, Int64s]:
    """Which of the cells occur among some records, rising, and which of them each record has."""
    occurs = np.bincount(codes, minlength=cells) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]
