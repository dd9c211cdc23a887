"""How identifying the quasi-identifiers of a table are, together and one by one.

A record is unique when no other has the same quasi-identifiers; it stands below k when fewer
than k records share them. Leaving an attribute out, or raising it to a level of its hierarchy,
shows what it contributes. Cost: one grouping of the records per question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.data.column import Column
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["Contribution", "Risk", "UniqueAtLevel", "alone_identifies", "risk"]


@dataclass(frozen=True)
class UniqueAtLevel:
    """The unique records that would be left if one attribute were generalised to a level."""

    name: str
    level: int
    unique: int


@dataclass(frozen=True)
class Contribution:
    """The records at risk that would be left if one attribute were dropped."""

    name: str
    unique: int
    below_k: int


@dataclass(frozen=True)
class Risk:
    """Unique records and records in classes below k, now and without each attribute."""

    records: int
    k: int
    unique: int
    below_k: int
    without: tuple[Contribution, ...]
    """Most helpful first."""
    unique_at_levels: tuple[UniqueAtLevel, ...]
    """For the attribute that contributes most: each level of its hierarchy below the root."""


def risk(quasi: Sequence[QuasiIdentifier], records: int, k: int) -> Risk:
    """Measure a table as it is, and what single changes would do to it."""
    columns = [attribute.column.codes for attribute in quasi]
    unique, below = _counts(columns, records, k)
    without = sorted(
        (
            Contribution(attribute.name, *_counts(columns[:x] + columns[x + 1 :], records, k))
            for x, attribute in enumerate(quasi)
        ),
        key=lambda c: (c.below_k, c.unique),
    )
    at_levels: list[UniqueAtLevel] = []
    if without and unique:
        worst = next(x for x, a in enumerate(quasi) if a.name == without[0].name)
        hierarchy = quasi[worst].hierarchy
        for level in range(1, hierarchy.height):
            changed = list(columns)
            changed[worst] = hierarchy.maps[level][columns[worst]]
            at_levels.append(
                UniqueAtLevel(quasi[worst].name, level, _counts(changed, records, k)[0])
            )
    return Risk(records, k, unique, below, tuple(without), tuple(at_levels))


def alone_identifies(column: Column) -> float:
    """Share of the records that the value of this one attribute tells from all others."""
    return float((column.counts == 1).sum() / max(len(column.codes), 1))


def _counts(columns: Sequence[npt.NDArray[np.integer]], records: int, k: int) -> tuple[int, int]:
    """Unique records, and records in classes below k."""
    if not columns:
        return (1 if records == 1 else 0), (records if records < k else 0)
    frame = pl.DataFrame({str(i): column for i, column in enumerate(columns)})
    sizes = frame.group_by(frame.columns).len(name="size")["size"].to_numpy()
    return int((sizes == 1).sum()), int(sizes[sizes < k].sum())
