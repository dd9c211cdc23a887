"""A task as plain arrays, which is what clustering kernels work on.

Three ideas make the arrays small and the kernels simple:

- Records with equal quasi-identifiers behave alike, so they collapse to one *distinct row* with a
  count (`collapse`).
- A number or date becomes its place in the attribute's domain, 0 to 1, so that a difference of two
  places is already the normalised distance; a missing one is nan.
- height(lca)/height is the share of a hierarchy's levels (the root left out) on which values
  disagree, because values that agree on a level agree on every level above it. A hierarchy of
  height h is therefore h flat columns of weight 1/h, and a kernel need not know about trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels.box_arrays import WORD_BITS
from kanon_tui.core.kernels.box_tree import Division
from kanon_tui.core.numeric import Floats, Int32s, Int64s
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.task.task import QuasiIdentifier, Task

Scalar = TypeVar("Scalar", bound=np.generic)

_SHARED_BITS = 32
_RARE_BITS = 8
_ENDS = (WORD_BITS, _SHARED_BITS, _RARE_BITS)


@dataclass(frozen=True, eq=False)
class Distinct:
    """Records collapsed to distinct rows, which are numbered in order of first appearance."""

    number: Int32s
    """Per record the number of its distinct row."""
    records: Int32s
    """Record numbers, those of distinct row 0 first, rising inside each distinct row."""
    starts: Int32s
    """Where the records of each distinct row begin; one more entry marks the end."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def first(self) -> Int32s:
        """The first record of every distinct row."""
        return self.records[self.starts[:-1]]

    @property
    def counts(self) -> Int32s:
        """The number of records of every distinct row."""
        return np.diff(self.starts)

    def records_of(self, rows: Int32s) -> Int64s:
        """Return the records of some distinct rows, rising."""
        records_per_row = [
            self.records[self.starts[row] : self.starts[row + 1]] for row in rows.tolist()
        ]
        return np.sort(np.concatenate(records_per_row)).astype(np.int64)


def collapse(columns: Sequence[npt.NDArray[np.integer]]) -> Distinct:
    """Collapse records that agree on all these columns of codes (from 0 upwards)."""
    number = number_rows(columns)
    return Distinct(
        number,
        np.argsort(number, kind="stable").astype(np.int32),
        np.concatenate([[0], np.cumsum(np.bincount(number))]).astype(np.int32),
    )


def places(attribute: QuasiIdentifier) -> Floats:
    """Return the place of every number or date in its domain, 0 to 1, by code; nan for missing."""
    numbers = attribute.column.value_numbers
    width = attribute.domain_width
    return np.array((numbers - attribute.domain[0]) / (width or 1.0), dtype=np.float64)


def standard_scores(attribute: QuasiIdentifier) -> Floats:
    """Return every number or date, by code, in standard deviations of the table from its mean.

    A missing one lies as far beyond the largest as that is from the smallest.
    """
    column = attribute.column
    present = ~np.isnan(column.value_numbers)
    numbers = column.value_numbers[present]
    counts = column.counts[present]
    scores = np.zeros(len(column.values))
    if counts.sum() > 0:
        mean = np.average(numbers, weights=counts)
        deviation = np.sqrt(np.average((numbers - mean) ** 2, weights=counts))
        scores[present] = (numbers - mean) / (deviation or 1.0)
        scores[~present] = 2 * scores[present].max() - scores[present].min()
    return scores


def ranks(attribute: QuasiIdentifier) -> Int32s:
    """Return the rank of every value code on the line along which its attribute is cut.

    Numbers and dates stand in their own order, texts of one number (`9`, `9.0`) on the same rank;
    categories in the order of a given hierarchy, else as text. Missing is the last one.
    """
    column = attribute.column
    if column.numbers is not None:
        steps = np.diff(column.numbers, prepend=column.numbers[:1]) != 0  # nan differs from all
        steps[:1] = False
        return np.cumsum(steps, dtype=np.int32)
    if attribute.hierarchy_given:
        return attribute.hierarchy.order.astype(np.int32)
    return np.arange(len(column.values), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Features:
    """The distinct rows of a task, ready for distances and information loss.

    With p numbers (and dates) and all categorical hierarchies flattened to f columns:
    """

    distinct: Distinct
    places: Floats
    """Distinct rows × p: where each number lies in its domain, nan for missing; or its score."""
    labels: Int32s
    """Distinct rows × f: label numbers, the levels of one attribute side by side. Boxes know labels
    by their number modulo 64; of more than 64 labels the most frequent share theirs with none."""
    label_weights: Floats
    """Per flattened column what a disagreement costs: 1 / height of its hierarchy."""
    ordered: tuple[int, ...]
    """Which quasi-identifiers the p columns of `places` are."""
    flattened: tuple[int, ...]
    """Which quasi-identifier each of the f columns of `labels` belongs to."""

    @classmethod
    def from_task(
        cls, task: Task, also: Sequence[npt.NDArray[np.integer]] = (), standard: bool = False
    ) -> Features:
        """Return the features of a task; records that differ in `also` do not collapse.

        Numbers are places in their domains, or standard scores.
        """
        distinct = collapse([*(attribute.column.codes for attribute in task.quasi), *also])
        first = distinct.first
        ordered = []
        flattened = []
        weights = []
        all_places = []
        all_labels = []
        for x, attribute in enumerate(task.quasi):
            codes = attribute.column.codes[first]
            if attribute.ordered:
                ordered.append(x)
                place = standard_scores if standard else places
                all_places.append(place(attribute)[codes])
                continue
            height = attribute.hierarchy.height
            for mapping in attribute.hierarchy.maps[:height]:
                flattened.append(x)
                weights.append(1.0 / height)
                all_labels.append(_with_own_bits(mapping[codes]))
        return cls(
            distinct,
            _side_by_side(all_places, len(first), np.float64),
            _side_by_side(all_labels, len(first), np.int32),
            np.array(weights, dtype=np.float64),
            tuple(ordered),
            tuple(flattened),
        )


def by_agreement(labels: Int32s, weights: Floats) -> Division:
    """Return a `Division` of rows into a tree of boxes, first by labels that many rows share.

    A label that few rows have, say a zip code, costs a search the same in nearly every branch.
    Divided by zip code first, each branch would have rows of every kind, and all would have to be
    searched. So a category matters more the more often rows of the branch agree in it, and labels
    stand in order of frequency: rows with rare ones stay together and are divided by other columns.
    """
    order = [frequency_ranks(column)[0][column] for column in labels.T]
    agreeing = np.column_stack([np.zeros(len(weights)), 4.0 * weights])
    return Division(_side_by_side(order, len(labels), np.int32), agreeing)


def division_weights(labels: Int32s, weights: Floats) -> Floats:
    """Return the weight of each category when rows are divided by how much they differ.

    As in `by_agreement` categories in which rows often agree come first, but in all branches.
    """
    agree = np.array([np.sum((np.bincount(column) / len(labels)) ** 2) for column in labels.T])
    differ = 1.0 - agree  # by which a tree multiplies the weight
    division = np.zeros(len(weights))
    np.divide(2.0 * weights * agree, differ, out=division, where=differ > 0)
    return division


def shared_bits(labels: Int32s) -> Int32s:
    """Return per category of `Features.labels` how many of a word's first bits labels share."""
    return np.array([_SHARED_BITS * (column.max() >= WORD_BITS) for column in labels.T], np.int32)


def _with_own_bits(labels: Int32s) -> Int32s:
    """Number labels anew, if a word has not enough bits, so that the most frequent have their own.

    So a box knows when all its rows have a frequent label. Rare labels share bits with rare ones.
    """
    rank, frequent = frequency_ranks(labels)
    if len(rank) <= WORD_BITS:
        return labels
    own_bits = WORD_BITS - _SHARED_BITS
    parts = np.split(np.arange(len(rank)), [own_bits, max(frequent, own_bits)])
    numbers = []
    for part, bit, end in zip(parts, (_SHARED_BITS, _RARE_BITS, 0), _ENDS, strict=True):
        block, place = np.divmod(part - part[:1], end - bit)
        numbers.append(WORD_BITS * block + bit + place)
    return np.concatenate(numbers)[rank][labels].astype(np.int32)


def with_other_bits(labels: Int32s) -> tuple[Int32s, Int32s]:
    """Return the labels with further columns of 64 labels, in which frequent labels are apart that
    share a bit; and per column the one that tells labels apart that share their bit in it.

    In a further column all labels that have a bit of their own, and all rare ones, are 0.
    """
    columns = list(labels.T)
    again = list(range(labels.shape[1]))
    own_bits = WORD_BITS - _SHARED_BITS
    for y, column in enumerate(labels.T):
        rank, frequent = frequency_ranks(column)
        if len(rank) > WORD_BITS and frequent > WORD_BITS - _RARE_BITS:
            bit = 1 + (rank - own_bits) * (WORD_BITS - 1) // (frequent - own_bits)
            again[y] = len(columns)
            again.append(len(columns))
            columns.append(np.where((rank < own_bits) | (rank >= frequent), 0, bit)[column])
    return _side_by_side(columns, len(labels), np.int32), np.array(again, dtype=np.int32)


def _side_by_side(
    columns: Sequence[npt.NDArray[Scalar]], height: int, dtype: type[Scalar]
) -> npt.NDArray[Scalar]:
    """Return the columns as a table in row order, also when there are none."""
    return np.ascontiguousarray(np.array(columns, dtype=dtype).reshape(len(columns), height).T)


MOST_ROWS = 64
"""A value that more rows have is frequent."""


def frequency_ranks(codes: Int32s) -> tuple[Int64s, int]:
    """Return the rank of every value, the most frequent first, and how many values are frequent.

    A box knows the values of its rows as bits of a word. Of a rare value the rows that have it are
    listed instead: a search looks at them one by one, and may then assume in the tree of boxes that
    no row has it. The frequent values are few enough to have a bit each, or nearly.
    """
    counts = np.bincount(codes)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank, int((counts > MOST_ROWS).sum())


def rows_of_rare_values(columns: Iterable[tuple[Int32s, int]]) -> tuple[Int32s, Int32s]:
    """Return per value of all columns where its rows begin, and these rows.

    A column is the value of every row and how many values there are. A frequent value has no rows,
    and so have all values of a column whose values have a bit each.
    """
    counts = [np.zeros(1, dtype=np.int64)]
    rows = [np.zeros(0, dtype=np.int64)]
    for codes, values in columns:
        rows_per_value = np.bincount(codes, minlength=values)
        rare = (rows_per_value <= MOST_ROWS) & (values > WORD_BITS)
        counts.append(np.where(rare, rows_per_value, 0))
        if rare.any():
            order = np.argsort(codes, kind="stable")
            rows.append(order[rare[codes[order]]])
    return np.cumsum(np.concatenate(counts)).astype(np.int32), np.concatenate(rows).astype(np.int32)


def rows_of_rare_labels(labels: Int32s) -> tuple[Int32s, Int32s, Int32s]:
    """Return where the labels of each column begin, then what `rows_of_rare_values` gives."""
    counts = [int(column.max()) + 1 for column in labels.T]
    begins = np.cumsum([0, *counts]).astype(np.int32)
    return begins, *rows_of_rare_values(zip(labels.T, counts, strict=True))


_TOGETHER = 5


class Diagonals(NamedTuple):
    """The signed sums of all rows."""

    sums: Floats
    """Rows × sums; of a sum and its negative only one."""
    begins: Int32s
    """Where the sums of each group of numbers begin, counted with the numbers before them; one more
    entry marks the end."""
    stand_in: Floats
    """Per number the place of a missing one."""


def diagonals(places: Floats) -> Diagonals:
    """Return the signed sums of numbers, given their places (nan: missing).

    The distance of two rows along their numbers is Σ |a − b|, the largest of all sums Σ ±(a − b).
    So the lowest and highest of every signed sum say exactly how far the furthest row of a tree's
    node is, where the corners of its box only say how far a row could be. The sums of m numbers
    are 2^(m−1) columns, so only a few numbers are summed together; the distances of the groups are
    added. A missing number is replaced by the end of its range that rows are further from.
    """
    numbers = places.shape[1]
    stand_in = np.array([_end_further_away(column) for column in places.T], dtype=np.float64)
    filled = np.where(np.isnan(places), stand_in, places)
    sums = []
    begins = [numbers]
    for start in range(0, numbers, _TOGETHER):
        first, *further_columns = filled.T[start : start + _TOGETHER]
        for signs in product((1.0, -1.0), repeat=len(further_columns)):
            sums.append(
                sum((s * column for s, column in zip(signs, further_columns, strict=True)), first)
            )
        begins.append(numbers + len(sums))
    table = np.array(sums, dtype=np.float64).reshape(len(sums), len(places))
    return Diagonals(np.ascontiguousarray(table.T), np.array(begins, dtype=np.int32), stand_in)


def _end_further_away(column: Floats) -> float:
    """Return the lowest or highest place of a number, whichever is further from the mean."""
    present = column[~np.isnan(column)]
    if not len(present):
        return 0.0
    low = float(present.min())
    high = float(present.max())
    return high if present.mean() < (low + high) / 2 else low
