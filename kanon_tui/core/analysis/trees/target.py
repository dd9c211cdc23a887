"""The attribute that trees predict: its values, and how the records count among them.

A target may be published generalised, as Morton's were: `{<=50K|>50K}` may be either. Such a record
counts with its share in each value (`value_groups`). A target of more than ten numbers or dates is
cut in two at the median of the original.

`tells` finds attributes that determine the target, so that a tree which may ask about them asks
about little else: `income` tells `income_class`. An attribute determines the target when it leaves
at most a tenth of the errors that guessing the commonest value makes, in answers of ten records at
least, so that this is no accident. Answers are the values of a category (ten records on average)
and, for numbers and dates, as many stretches of the line as the target has values. Missing is a
value, too.

Reference: Morton, section "Adult Consensus Dataset", where salary is anonymised with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published_cells import CellReader
from kanon_tui.core.analysis.value_groups import ValueGroups
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.text import quoted_list

__all__ = ["Target", "original_target", "published_target", "tells"]


MOST_NUMBERS = 10
"""The most values of a numeric target that are told apart one by one."""
MOST_VALUES = 100


@dataclass(frozen=True, eq=False)
class Target:
    """The target of one table."""

    values: tuple[str, ...]
    shares: Floats
    """Cells × values: how a record with this cell counts; every row adds up to 1."""
    codes: npt.NDArray[np.int32]
    """Per record, an index into the cells."""

    @property
    def mixed(self) -> int:
        """The records whose cell covers several values."""
        return int(((self.shares > 0).sum(axis=1) > 1)[self.codes].sum())

    @cached_property
    def likeliest(self) -> Int64s:
        """Per record the value with its largest share; the first of several."""
        return np.asarray(self.shares.argmax(axis=1)[self.codes], dtype=np.int64)

    def counts(self, records: Int64s | slice = slice(None)) -> Floats:
        """Return the records per value; shares of records make them no whole numbers."""
        cells = np.bincount(self.codes[records], minlength=len(self.shares))
        return np.asarray(cells @ self.shares, dtype=np.float64)

    def parts(self, records: Int64s) -> tuple[Int64s, Int64s, Floats]:
        """Return these records in one part per value they cover.

        Place in `records`, value, share.
        """
        cells, values = np.nonzero(self.shares)
        covered = np.bincount(cells, minlength=len(self.shares))
        first = np.cumsum(covered) - covered
        own = self.codes[records]
        place = np.repeat(np.arange(len(own)), covered[own])
        within = np.arange(len(place)) - np.repeat(
            np.cumsum(covered[own]) - covered[own], covered[own]
        )
        part = first[own][place] + within
        return place, values[part].astype(np.int64), self.shares[cells[part], values[part]]


def original_target(reader: CellReader) -> Target:
    """Return the target as the original has it: every record is one of one value."""
    groups = _target_values(reader.column)
    return Target(groups.labels, groups.of_values, reader.column.codes)


def published_target(reader: CellReader, texts: Column, where: str) -> Target:
    """Return the target as a release has it; `where` names the release in messages."""
    groups = _target_values(reader.column)
    covered = groups.covered(reader.read(texts.values, where))
    lost = np.flatnonzero(covered.sum(axis=1) == 0)
    if len(lost):
        shown = quoted_list([texts.values[cell] for cell in lost.tolist()], 3)
        raise InputError(
            f"target: '{texts.name}' is {shown} in {where}, which covers no value of the data; "
            f"use the project with which the release was made"
        )
    return Target(groups.labels, covered / covered.sum(axis=1, keepdims=True), texts.codes)


def _target_values(column: Column) -> ValueGroups:
    """Return the values that are told apart, decided by the original alone."""
    if column.numbers is None:
        every = np.arange(len(column.values))
        return ValueGroups(column, _checked(column.name, column.values), every)
    missing = () if column.missing is None else (column.values[column.missing],)
    numbers = column.numbers[~np.isnan(column.numbers)]
    line, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    if len(line) <= MOST_NUMBERS:
        named = tuple(column.values[code] for code in first.tolist())
        labels, groups = _checked(column.name, (*named, *missing)), place
    else:
        reached = np.cumsum(column.counts[: len(numbers)])
        middle = np.searchsorted(reached, reached[-1] // 2, "right")
        median = max(numbers[middle], line[1])  # so that neither side is empty
        cut = column.values[int(first[np.searchsorted(line, median)])]
        labels = f"below {cut}", f"{cut} or more", *missing
        groups = (numbers >= median).astype(np.int64)
    last = np.full(len(missing), len(labels) - 1)
    return ValueGroups(column, labels, np.append(groups, last))


def _checked(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if not 2 <= len(values) <= MOST_VALUES:
        raise InputError(
            f"target: '{name}' has {len(values):,} values; choose an attribute with 2 to "
            f"{MOST_VALUES}"
        )
    return tuple(values)


RECORDS_PER_ANSWER = 10
ERRORS_LEFT = 0.1


def tells(column: Column, target: Target) -> bool:
    """Return whether an attribute of the original determines its target."""
    values = target.likeliest
    errors = len(values) - int(np.bincount(values).max())
    if column.numbers is None:
        answers = column.codes.astype(np.int64)
        if len(np.unique(answers)) * RECORDS_PER_ANSWER > len(values):
            return False
    else:
        answers = _stretches(column, values, len(target.values))
    pairs, counts = np.unique(answers * len(target.values) + values, return_counts=True)
    right = np.zeros(int(answers.max()) + 1, dtype=np.int64)
    np.maximum.at(right, pairs // len(target.values), counts)
    return errors > 0 and len(values) - int(right.sum()) <= ERRORS_LEFT * errors


def _stretches(column: Column, values: Int64s, most: int) -> Int64s:
    """Return the stretch of every record, cut so that they tell most about the target."""
    from sklearn.tree import DecisionTreeClassifier

    assert column.numbers is not None
    places = np.unique(column.numbers, return_inverse=True)[1]  # missing is one place, the last
    line = places[column.codes].reshape(-1, 1)
    tree = DecisionTreeClassifier(
        criterion="entropy",
        max_leaf_nodes=most + (column.missing is not None),
        min_samples_leaf=RECORDS_PER_ANSWER,
        random_state=0,
    )
    return np.asarray(tree.fit(line, values).apply(line), dtype=np.int64)
