"""Measure how identifying the quasi-identifiers of a table are, together and one by one.

A record is unique when no other has the same quasi-identifiers; it stands below k when fewer
than k records share them. Leaving an attribute out, or raising it to a level of its hierarchy,
shows what it contributes. Cost: one grouping of the records per question.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.release.distinct_rows import row_keys
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.task import QuasiIdentifier


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
    """Records, or people where some have several; so are the other counts."""
    k: int
    unique: int
    below_k: int
    without: tuple[Contribution, ...]
    """Most helpful first."""
    unique_at_levels: tuple[UniqueAtLevel, ...]
    """For the attribute that contributes most: each level of its hierarchy below the root."""
    in_people: bool = False


def risk(
    quasi: Sequence[QuasiIdentifier], records: int, k: int, person: Column | None = None
) -> Risk:
    """Measure a table as it is, and what single changes would do to it.

    With `person`, which says whose each record is, people are counted: one is unique with a record
    that only she has, and below k with one that fewer than k people have.
    """
    columns: list[npt.NDArray[np.integer]] = [attribute.column.codes for attribute in quasi]
    copies = quasi[0].column.copies if quasi else None
    whose = None if person is None else person.codes
    people = records if person is None else len(person.values)

    def counts(columns: Sequence[npt.NDArray[np.integer]]) -> tuple[int, int]:
        """Return the unique and those below k: records, or people with such a record."""
        alike = people_alike(columns or [np.zeros(records, np.int32)], whose, copies)
        unique, below = alike == 1, alike < k
        if whose is not None:
            return len(np.unique(whose[unique])), len(np.unique(whose[below]))
        if copies is not None:
            return int(copies[unique].sum()), int(copies[below].sum())
        return int(unique.sum()), int(below.sum())

    unique, below = counts(columns)
    without = sorted(
        (
            Contribution(attribute.name, *counts(columns[:x] + columns[x + 1 :]))
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
            at_levels.append(UniqueAtLevel(quasi[worst].name, level, counts(changed)[0]))
    return Risk(people, k, unique, below, tuple(without), tuple(at_levels), person is not None)


def alone_identifies(column: Column) -> float:
    """Return the share of the records that this one attribute tells from all others."""
    return float((column.counts == 1).sum() / max(column.records, 1))


def people_alike(
    columns: Sequence[npt.NDArray[np.integer]],
    whose: npt.NDArray[np.integer] | None = None,
    copies: npt.NDArray[np.integer] | None = None,
) -> Int64s:
    """Return for every row how many records have its codes; with `whose`, how many people.

    In a counted table a row stands for so many `copies`.
    """
    rows = pl.DataFrame({"key": row_keys(columns)})
    size = pl.len()
    if whose is not None:
        rows, size = rows.with_columns(who=whose), pl.col("who").n_unique()
    elif copies is not None:
        rows, size = rows.with_columns(copies=copies), pl.sum("copies")
    return rows.select(size.over("key").cast(pl.Int64)).to_series().to_numpy()
