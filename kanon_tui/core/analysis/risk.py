"""Measure how identifying the quasi-identifiers of a table are, together and one by one.

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
    columns = [attribute.column.codes for attribute in quasi]
    copies = quasi[0].column.copies if quasi else None
    whose = None if person is None else person.codes
    people = records if person is None else len(person.values)

    def counts(columns: Sequence[npt.NDArray[np.integer]]) -> tuple[int, int]:
        return _counts(columns, whose, records, k, copies)

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


def _counts(
    columns: Sequence[npt.NDArray[np.integer]],
    whose: npt.NDArray[np.integer] | None,
    records: int,
    k: int,
    copies: npt.NDArray[np.int64] | None = None,
) -> tuple[int, int]:
    """Return unique records and those in classes below k; with `whose`, people with such a record.

    In a counted table a row stands for so many `copies`.
    """
    if whose is None:
        if not columns:
            return int(records == 1), records if records < k else 0
        rows = pl.DataFrame({"key": row_keys(columns)})
        if copies is None:
            sizes = rows.group_by("key").len()["len"]
        else:
            sizes = rows.with_columns(copies=copies).group_by("key").agg(pl.sum("copies"))["copies"]
        return int((sizes == 1).sum()), int(sizes.filter(sizes < k).sum())
    frame = pl.DataFrame({str(i): column for i, column in enumerate(columns)} | {"who": whose})
    names = frame.columns[:-1]
    size = pl.col("who").n_unique()
    counts = frame.with_columns(size=size.over(names) if names else size)
    counted = [counts.filter(pl.col("size") < below)["who"].n_unique() for below in (2, k)]
    return counted[0], counted[1]
