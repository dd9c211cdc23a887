"""The records that all published columns together single out.

k speaks of the quasi-identifiers. Columns of the role *other* are published as they are, and an
outsider who knows them as well may find a person whose class has k records. So rows are compared by
their class and all these columns together. Sensitive columns are counted apart: that the values of
a class differ is what l-diversity asks for, and nobody is taken to know them beforehand. Pseudonyms
are left aside: they differ on purpose, and nobody without the key knows one.

With a person column people are counted: a person is unique with a row that only she has, and below
k with one that fewer than k people have.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.release.distinct_rows import number_rows, row_keys
from kanon_tui.core.table.cell_codes import Cells
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import Task

Codes = npt.NDArray[np.integer]
"""The code of a column in every published row."""


@dataclass(frozen=True)
class AtRisk:
    """Records, or people where some have several, that few others are like."""

    unique: int
    """Those that nobody else is like."""
    below_k: int
    """Those in groups of fewer than k, the unique ones included."""


@dataclass(frozen=True)
class ColumnContribution:
    """The unique records that one of the columns beside the quasi-identifiers brings."""

    name: str
    left: AtRisk
    """The records that would be at risk if it were left out."""
    spared: int
    """Unique records that would then not be unique any more; 0 where other columns say the same."""
    alone: int
    """The records that are unique by the quasi-identifiers and this column alone."""


MOST_CONTRIBUTIONS = 60
"""The most columns whose contributions are counted: those with the most different values."""


@dataclass(frozen=True)
class ComparedColumns:
    """The published columns by what is known of them, each in published order."""

    covered: tuple[str, ...]
    """The quasi-identifiers, which k covers."""
    unchanged: tuple[str, ...]
    """The columns that are published as they are, without the sensitive ones."""
    sensitive: tuple[str, ...]

    @classmethod
    def from_task(cls, task: Task) -> Self:
        """Return the published columns of a task; pseudonyms are left aside."""
        by_role = {
            role: tuple(name for name, its_role in task.roles.items() if its_role is role)
            for role in (Role.QUASI, Role.OTHER, Role.SENSITIVE)
        }
        return cls(by_role[Role.QUASI], by_role[Role.OTHER], by_role[Role.SENSITIVE])

    @property
    def number(self) -> int:
        """The number of columns."""
        return len(self.covered) + len(self.unchanged) + len(self.sensitive)


@dataclass(frozen=True)
class AllColumns:
    """The records at risk by all published columns together."""

    columns: ComparedColumns
    total: int
    """Published records, or people where some have several."""
    in_people: bool
    but_sensitive: AtRisk
    """By the quasi-identifiers and the unchanged columns."""
    together: AtRisk
    """By these and the sensitive columns."""


@dataclass(frozen=True, eq=False)
class PublishedCodes:
    """The published rows as codes, to compare them by several columns together."""

    columns: ComparedColumns
    k: int
    classes: Codes
    """Per row, the number of its class."""
    unchanged: Mapping[str, Codes]
    sensitive: Mapping[str, Codes]
    person: Codes | None = None
    """Per row, the person whose it is, where some have several."""

    def count(self) -> AllColumns:
        """Return the records at risk by all columns together."""
        keys = row_keys([self.classes, *self.unchanged.values()])
        but_sensitive = at_risk(keys, self.k, self.person)
        total = len(keys)
        if self.person is not None:
            total = len(np.unique(self.person))
        together = but_sensitive
        if self.sensitive and but_sensitive.unique < total:  # else all are unique in any case
            together = at_risk(row_keys([keys, *self.sensitive.values()]), self.k, self.person)
        in_people = self.person is not None
        return AllColumns(self.columns, total, in_people, but_sensitive, together)

    def without(self, names: Collection[str]) -> Self:
        """Return the rows without some of the unchanged columns."""
        columns_left = {name: codes for name, codes in self.unchanged.items() if name not in names}
        columns = replace(self.columns, unchanged=tuple(columns_left))
        return replace(self, columns=columns, unchanged=columns_left)

    def contributions(self, unique: int) -> tuple[ColumnContribution, ...]:
        """Return what leaving out each unchanged column would spare, the most helpful first.

        `unique` is the number of unique records with all of these columns.
        """
        sizes = {name: int(codes.max(initial=0)) for name, codes in self.unchanged.items()}
        contributions = []
        for left_out in most_varied(sizes, MOST_CONTRIBUTIONS):
            other_codes = [codes for name, codes in self.unchanged.items() if name != left_out]
            at_risk_then = at_risk(row_keys([self.classes, *other_codes]), self.k, self.person)
            keys = row_keys([self.classes, self.unchanged[left_out]])
            alone = at_risk(keys, self.k, self.person).unique
            spared = unique - at_risk_then.unique
            contributions.append(ColumnContribution(left_out, at_risk_then, spared, alone))
        return most_helpful_first(contributions)


def count_all_columns(
    published: pl.DataFrame,
    covered: Sequence[str],
    sensitive: Sequence[str] = (),
    k: int = 1,
    person: str | None = None,
) -> AllColumns:
    """Return the records at risk in a published table of texts, whoever made it.

    `covered` are its quasi-identifiers. `person` names the column that says whose a row is.
    """
    codes = {name: Cells.from_series(published[name], name).places for name in published.columns}
    whose = None if person is None else codes.pop(person)
    named_columns = {*covered, *sensitive}
    compared = ComparedColumns(
        tuple(covered), tuple(name for name in codes if name not in named_columns), tuple(sensitive)
    )
    return PublishedCodes(
        compared,
        k,
        number_rows([codes[name] for name in covered]),
        {name: codes[name] for name in compared.unchanged},
        {name: codes[name] for name in sensitive},
        whose,
    ).count()


def most_varied(sizes: Mapping[str, int], most: int) -> list[str]:
    """Return the columns with the most values, at most so many, in their order."""
    varied = set(sorted(sizes, key=lambda name: -sizes[name])[:most])
    return [name for name in sizes if name in varied]


def most_helpful_first(
    contributions: Sequence[ColumnContribution],
) -> tuple[ColumnContribution, ...]:
    """Return contributions by what leaving them out spares, then by what they give away alone."""
    return tuple(
        sorted(contributions, key=lambda contribution: (-contribution.spared, -contribution.alone))
    )


def at_risk(keys: Int64s, k: int, person: Codes | None = None) -> AtRisk:
    """Return the rows at risk, of which equal ones have equal keys; with `person` the people."""
    if person is None:
        sizes = pl.DataFrame({"key": keys}).group_by("key").len()["len"].to_numpy()
        return AtRisk(int((sizes == 1).sum()), int(sizes[sizes < k].sum()))
    pairs = pl.DataFrame({"key": keys, "person": person}).unique()
    pairs = pairs.with_columns(people=pl.len().over("key"))
    unique = pairs.filter(pl.col("people") == 1)["person"].n_unique()
    below = pairs.filter(pl.col("people") < k)["person"].n_unique()
    return AtRisk(unique, below)
