"""Groups of an attribute's values, and how the cells of a table are spread over them.

A value is in one group. A published range, label or set is spread: it counts with equal shares in
all distinct values of the original that it covers, as somebody would count who knows the values
that occur and nothing else. `*` is spread over all of them.
"""

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.published_cells import ReadCells
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import Column


@dataclass(frozen=True, eq=False)
class ValueGroups:
    """The groups of one attribute; a missing value is the last group, alone."""

    column: Column
    labels: tuple[str, ...]
    group_of_value: Int64s
    """Per value of the column its group."""

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.column.name

    @property
    def ordered(self) -> bool:
        """Whether the groups lie on a line."""
        return self.column.numbers is not None

    @property
    def of_values(self) -> Floats:
        """Values × groups: 1 where the value is in the group."""
        return np.asarray(np.eye(len(self.labels))[self.group_of_value])

    def covered(self, cells: ReadCells, nearest: bool = False) -> Floats:
        """Return cells × groups: how many distinct values of the data a cell covers there.

        With `nearest` a number that does not occur counts as the closest one that does.
        """
        if self.ordered:
            return self._covered_numbers(cells, nearest)
        found = np.zeros((len(cells.missing), len(self.labels)))
        for some, shown in cells.shown_in_blocks(self.column.values):
            np.add.at(found.T, self.group_of_value[some], shown.astype(np.float64))
        return found

    def _covered_numbers(self, cells: ReadCells, nearest: bool) -> Floats:
        assert self.column.numbers is not None
        line, first_value = np.unique(self.column.numbers, return_index=True)
        line, first_value = line[~np.isnan(line)], first_value[~np.isnan(line)]
        upto = np.zeros((len(line) + 1, len(self.labels)))
        upto[np.arange(1, len(line) + 1), self.group_of_value[first_value]] = 1
        upto = upto.cumsum(axis=0)
        first, behind = cells.places(nearest)
        found = np.maximum(upto[behind] - upto[first], 0)
        found[cells.missing] = 0
        if self.column.missing is not None:
            found[cells.missing | cells.everything, -1] += 1
        return np.asarray(found, dtype=np.float64)
