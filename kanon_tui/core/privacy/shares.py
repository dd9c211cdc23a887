"""Shares of sensitive values within classes, which several models are computed from.

All is counted on distinct (class, value) pairs, never on a classes × values table.

People, not records: what classes show where a person may have several records.

With a column of the role *person* a class is its people, and each person's value counts once in a
class, however often she has it. For one record per person all of this is what it is without.

- k: distinct people per class. A person's records need not be in one class.
- distinct l, p: the most people of the class who can each be given a different one of their own
  values (a matching of people and values). A person with three diagnoses counts as one of l, and an
  attacker who knows the records of j people of the class still faces l − j values: nobody takes
  more than one away. Plain counting would let one person make a class diverse, to herself alone.
- α: the share of the people who have the value in any of their records there. The attacker may know
  which records belong together; the bound holds all the same.
- entropy l, t and the other models of shares: a person counts as one and is shared evenly among
  her distinct values in the class; in the whole table, among those she has there.

A missing value is no value: it counts only for a person who has no other in the class.

Merging. People only get more and a matching only grows when classes are merged, so that k, distinct
l and p are monotone. Shares are not: two classes that share people have fewer people together than
one by one, and what held in both may fail in their union. Searches then prune by k alone, and the
whole table as one class proves nothing (`ColumnRequirement.closed`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import TIE, Flags, Floats, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.table.column import Column, GroupValues


def value_shares(groups: GroupValues) -> Floats:
    """Return for every (class, value) pair the share of the class's records that have the value."""
    return np.asarray(groups.records / groups.sizes[groups.group], dtype=np.float64)


def sums_per_class(groups: GroupValues, per_pair: Floats) -> Floats:
    """Return the sum over the values of every class; each class has at least one."""
    return np.asarray(np.add.reduceat(per_pair, groups.starts[:-1]), dtype=np.float64)


def highest_shares(groups: GroupValues, counted: Flags | None = None) -> Floats:
    """Return the share of the most frequent value of every class.

    `counted` says of which values.
    """
    shares = value_shares(groups)
    if counted is not None:
        shares = np.where(counted[groups.code], shares, 0.0)
    return np.asarray(np.maximum.reduceat(shares, groups.starts[:-1]), dtype=np.float64)


def present_shares(column: Column) -> Floats:
    """Return the share of every value among the records that have one; missing is the last code."""
    counts = column.counts[: column.missing]
    return np.asarray(counts / max(counts.sum(), 1), dtype=np.float64)


def equal_distances(groups: GroupValues, table_shares: Floats) -> Floats:
    """Return ½ Σ|p − q| of every class; the values that a class does not have add their q."""
    expected = table_shares[groups.code]
    apart = np.abs(value_shares(groups) - expected)
    return (1.0 + sums_per_class(groups, apart - expected)) / 2.0


def over_present(
    groups: GroupValues,
    column: Column,
    figures: Callable[[GroupValues], npt.NDArray[Any]],
    otherwise: float,
) -> npt.NDArray[Any]:
    """Return a figure of every class over the records with a value; `otherwise` where none has.

    A missing value is no value, so it must not make a class look more diverse than it is.
    """
    with_values = None if column.missing is None else groups.without(column.missing)
    if with_values is None:
        return figures(groups)
    classes, present = with_values
    class_figures = figures(present)
    everywhere = np.full(groups.count, otherwise, dtype=class_figures.dtype)
    everywhere[classes] = class_figures
    return everywhere


def larger_of_both(
    groups: GroupValues, column: Column, figures: Callable[[GroupValues, Floats], npt.NDArray[Any]]
) -> npt.NDArray[Any]:
    """Return the larger of two figures of every class against the shares of the whole table.

    One counts missing as a value of its own (that it is missing may be what is sensitive), the
    other only the records that have a value (missing ones must not thin out the others).
    """
    of_present = over_present(groups, column, lambda g: figures(g, present_shares(column)), 0)
    return np.asarray(np.maximum(figures(groups, column.counts / column.counts.sum()), of_present))


def fewest_removed(groups: GroupValues, over: Floats, most: Floats) -> Int64s:
    """Return how many records must go from every class until a share that is `over` is at `most`.

    The share of a value, or of several, falls fastest when only records with such values go. Of s
    records with a share of most + over, r such are enough when r ≥ s · over / (1 − most).
    """
    needed = np.where(most < 1, groups.sizes * over / np.maximum(1 - most, TIE), 0.0)
    certain = np.ceil(needed - TIE * groups.sizes)
    return np.asarray(np.clip(certain, 0, groups.sizes), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _EachOnce(GroupValues):
    """Values counted once per person of a class; the size of a class is its people."""

    people: Int64s

    @property
    def sizes(self) -> Int64s:
        """People of every class: fewer than all pairs where somebody has several values."""
        return self.people

    def only(self, shown: Flags) -> tuple[Int64s, GroupValues]:
        """Return the pairs that are shown, without people who have no value among them."""
        classes, pairs = super().only(shown)
        hidden = np.bincount(self.group[~shown], self.records[~shown], minlength=self.count)
        people_left = (self.people - hidden.astype(np.int64))[classes]
        return classes, _EachOnce(pairs.count, pairs.group, pairs.code, pairs.records, people_left)


@dataclass(frozen=True, eq=False)
class PeopleValues:
    """The people of every class with their distinct values there, sorted by class and person."""

    count: int
    group: Int64s
    person: Int64s
    code: Int64s
    missing: int | None

    @classmethod
    def from_groups(
        cls, groups: GroupValues, person_of: Int64s, value_of: Int64s, missing: int | None
    ) -> PeopleValues:
        """Return the values of every class's people; combinations are numbered by person."""
        every_value = cls(
            groups.count, groups.group, person_of[groups.code], value_of[groups.code], missing
        )
        if missing is None:
            return every_value
        unsaid = (every_value.code == missing) & (
            every_value.values_of_holder[every_value.holder] > 1
        )
        if not unsaid.any():
            return every_value
        said_values = (
            every_value.group[~unsaid],
            every_value.person[~unsaid],
            every_value.code[~unsaid],
        )
        return cls(groups.count, *said_values, missing)

    @cached_property
    def _first(self) -> Flags:
        """Per pair whether it is the first of its person in its class."""
        changes = (np.diff(self.group) != 0) | (np.diff(self.person) != 0)
        return np.concatenate([np.ones(min(len(self.group), 1), dtype=bool), changes])

    @cached_property
    def holder(self) -> Int64s:
        """Per pair the number of its person, counted anew in every class."""
        return np.cumsum(self._first) - 1

    @cached_property
    def values_of_holder(self) -> Int64s:
        """Per person of a class the number of distinct values."""
        return np.bincount(self.holder)

    @cached_property
    def people(self) -> Int64s:
        """Distinct people of every class."""
        return np.bincount(self.group[self._first], minlength=self.count)

    @cached_property
    def shared(self) -> GroupValues:
        """Each person counted once, divided evenly among her values, as fractions in `records`."""
        return GroupValues(self.count, *self._summed(1.0 / self.values_of_holder[self.holder]))

    @cached_property
    def each(self) -> GroupValues:
        """The people of every class who have each value; a person counts for each of hers."""
        group, code, people = self._summed(np.ones(len(self.group)))
        return _EachOnce(self.count, group, code, people.astype(np.int64), self.people)

    def _summed(self, parts: Floats) -> tuple[Int64s, Int64s, npt.NDArray[Any]]:
        width = np.int64(self.code.max()) + 1 if len(self.code) else np.int64(1)
        pairs, place = np.unique(self.group * width + self.code, return_inverse=True)
        return pairs // width, pairs % width, np.bincount(place, weights=parts)

    @cached_property
    def matched(self) -> Int64s:
        """The most people of every class who can each have a different value of their own."""
        purpose = "counting the different values of people with several records"
        sparse = require("scipy.sparse", purpose)
        graphs = require("scipy.sparse.csgraph", purpose)
        shown = np.ones(len(self.code), dtype=bool)
        if self.missing is not None:
            shown = self.code != self.missing
        width = np.int64(self.code.max()) + 1 if len(self.code) else np.int64(1)
        values, value = np.unique((self.group * width + self.code)[shown], return_inverse=True)
        pairs = (np.ones(len(value), dtype=np.int8), (self.holder[shown], value))
        graph = sparse.csr_array(pairs, shape=(len(self.values_of_holder), len(values)))
        taken = graphs.maximum_bipartite_matching(graph, perm_type="column")
        return np.bincount(values[taken[taken >= 0]] // width, minlength=self.count)
