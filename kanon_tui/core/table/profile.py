"""What one column of a table looks like: counts, and a small histogram or its commonest values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.table.column import Column

__all__ = ["ColumnProfile", "profile"]


@dataclass(frozen=True)
class ColumnProfile:
    """The facts the data screen shows of a column."""

    name: str
    kind: str
    records: int
    distinct: int
    missing: int
    unique: int
    """Values that only one record has: the share of people this column alone gives away."""
    lowest: str | None
    highest: str | None
    histogram: tuple[int, ...]
    """Numbers and dates: records in equal-width bins from lowest to highest."""
    top: tuple[tuple[str, int], ...]
    """The commonest values and their records."""


def profile(column: Column, bins: int = 24, top: int = 8) -> ColumnProfile:
    """Profile a coded column; missing cells are counted apart from the values."""
    counts = column.counts.copy()
    missing = 0
    if column.missing is not None:
        missing = int(counts[column.missing])
        counts = counts[: column.missing]
    order = np.argsort(-counts, kind="stable")[:top]
    lowest = highest = None
    histogram: tuple[int, ...] = ()
    if column.numbers is not None and len(counts):
        numbers = column.numbers[: len(counts)]
        lowest, highest = column.values[0], column.values[len(counts) - 1]
        heights, _ = np.histogram(numbers, bins=min(bins, len(counts)), weights=counts)
        histogram = tuple(int(height) for height in heights)
    return ColumnProfile(
        name=column.name,
        kind=str(column.kind),
        records=len(column.codes),
        distinct=len(counts),
        missing=missing,
        unique=int((counts == 1).sum()),
        lowest=lowest,
        highest=highest,
        histogram=histogram,
        top=tuple((column.values[code], int(counts[code])) for code in order),
    )
