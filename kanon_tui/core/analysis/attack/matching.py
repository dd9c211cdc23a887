"""Which distinct rows of cells fit which distinct people.

Per attribute a matrix says which distinct cell covers which distinct known value; distinct people
against distinct rows of cells are then an AND of its bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.release.distinct_rows import number_rows

__all__ = ["DistinctRows", "fitting_pairs"]

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
    def of(cls, columns: Sequence[npt.NDArray[np.integer]]) -> DistinctRows:
        """By the codes of every record, attribute by attribute."""
        row_of = number_rows(columns)
        _, first = np.unique(row_of, return_index=True)
        codes = np.column_stack([column[first] for column in columns]).astype(np.int32)
        return cls(codes, row_of, np.bincount(row_of))


def fitting_pairs(
    cells: Sequence[ReadCells],
    rows: DistinctRows,
    known: DistinctRows,
    values: Sequence[Sequence[str]],
    unknown_fits: bool = True,
) -> Iterator[tuple[slice, Int64s, Int64s]]:
    """Pairs (person in the block, row that fits) for a block of people and of rows at a time.

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
    """Values × rows, eight rows to a byte: which rows have a cell that covers the value."""
    packed = np.empty((len(values), -(-len(codes) // 8)), dtype=np.uint8)
    step = max(1, _BLOCK // max(len(codes), len(cells.texts)))
    for start in range(0, len(values), step):
        covers = cells.covers(values[start : start + step], unknown_fits)
        packed[start : start + step] = np.packbits(covers[:, codes], axis=1)
    return packed
