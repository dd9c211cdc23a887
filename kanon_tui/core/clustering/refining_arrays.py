"""The arrays of refining: records in sorted order, their near records, memory for kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kanon_tui.core.clustering.boxes import line_places, values_of_sets
from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.kernels import refining as kernel
from kanon_tui.core.kernels.box_arrays import KIND, LINE, SET, UNIT, WEIGHT, Attributes
from kanon_tui.core.kernels.box_tree import Division, grow_tree
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.task.task import Grouping, Task

_PARTNERS = 12
_NEAR_CLASSES = 256  # that the partners are chosen from
_MOST_RECORDS = 4096
_PROPOSALS = 64
_WORK = 400_000  # of a batch: some hundredths of a second
_REFUSED = 4
_LANES, _CLASSES_PER_LANE = 4, 250  # most lanes, and the least classes of one


class RefiningArrays(NamedTuple):
    """The classes, and memory of one lane to propose changes in."""

    classes: kernel.RefinedClasses
    sides: kernel.TwoSides
    proposals: kernel.Proposals
    limits: kernel.RefineLimits


def refining_arrays(
    task: Task, attributes: Attributes, types: RecordTypes, near: Int32s, rules: int, magvals: bool
) -> list[RefiningArrays]:
    """Return the classes of the sorted records, once per lane: each has a `busy` of its own.

    With `magvals` groups of MAGVals stay apart.
    """
    most = min(max(_MOST_RECORDS, 4 * task.k), len(types.records))
    sizes = {"most": most, "attributes": len(task.quasi), "rules": rules}
    classes = _classes(task, types, near, magvals)
    sizes |= {"proposals": _PROPOSALS, "room": 4 * most, "near": _NEAR_CLASSES}
    lanes = int(np.clip((int(types.class_of.max()) + 1) // _CLASSES_PER_LANE, 1, _LANES))
    return [
        RefiningArrays(
            replace(classes, busy=np.zeros_like(classes.busy)),
            kernel.TwoSides.allocate(values=values_of_sets(task, attributes), **sizes),
            kernel.Proposals.allocate(slot=np.full(len(classes.size), -1, dtype=np.int32), **sizes),
            kernel.RefineLimits(task.k, _PARTNERS, most, _WORK),
        )
        for _ in range(lanes)
    ]


def _classes(task: Task, types: RecordTypes, near: Int32s, magvals: bool) -> kernel.RefinedClasses:
    """Return the classes as lists of records, with room for as many as there can be."""
    most = max(len(types.records) // task.k, int(types.class_of.max()) + 1)
    by_class = np.argsort(types.class_of, kind="stable").astype(np.int32)
    sorted_class = types.class_of[by_class]
    following = np.full(len(by_class), kernel.NO_RECORD, dtype=np.int32)
    same = sorted_class[1:] == sorted_class[:-1]
    following[by_class[:-1][same]] = by_class[1:][same]
    size = np.bincount(types.class_of, minlength=most).astype(np.int32)
    head = np.full(most, kernel.NO_RECORD, dtype=np.int32)
    first = np.flatnonzero(np.diff(sorted_class, prepend=-1))
    head[sorted_class[first]] = by_class[first]
    block = np.zeros(most, dtype=np.int32)
    if magvals:
        block[types.class_of] = group_by_magvals(task).number[types.records]
    return kernel.RefinedClasses.allocate(
        of=types.class_of.copy(),
        following=following,
        type_of=types.type_of,
        near=near,
        head=head,
        size=size,
        block=block,
        changed=np.ones(most, dtype=np.int64),
        refused=np.full((most, _REFUSED), kernel.NOBODY, dtype=np.int32),
    )


@dataclass(frozen=True, eq=False)
class RecordTypes:
    """The published records of a clustering, in an order that does not depend on the input's.

    Records of one *type* are alike in quasi-identifiers, hidden cells and the attributes of
    requirements. Types are sorted by their values, classes by the types of their records, and
    records by type and class: the same table in any order gives the same classes.
    """

    records: Int64s
    """Sorted place → record of the table."""
    type_of: Int32s
    """Per place its type, rising."""
    class_of: Int32s
    """Per place its class."""
    first: Int64s
    """Per type a record of the table."""
    row: Int64s
    """Per type its combination of quasi-identifiers, rising."""

    @classmethod
    def from_grouping(cls, task: Task, grouping: Grouping) -> RecordTypes:
        """Sort the records that are published."""
        published = np.flatnonzero(grouping.labels >= 0)
        quasi = [attribute.column.codes[published] for attribute in task.quasi]
        also = [requirement.column.codes[published] for requirement in task.requirements]
        if grouping.suppressed_cells is not None:
            also += list(grouping.suppressed_cells[published].T.astype(np.int32))
        columns = [*quasi, *also]
        distinct = collapse(columns)
        first = distinct.first
        order = np.lexsort(np.array([column[first] for column in reversed(columns)]))
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        types = rank[distinct.number]
        first = first[order]
        new_row = np.zeros(len(first), dtype=np.int64)
        for column in quasi:
            new_row[1:] |= column[first][1:] != column[first][:-1]
        classes = _sorted_classes(grouping.labels[published], types)
        by_type = np.lexsort((classes, types))
        return cls(
            published[by_type],
            types[by_type],
            classes[by_type],
            published[first],
            np.cumsum(new_row),
        )


def _sorted_classes(labels: Int32s, types: Int32s) -> Int32s:
    """Return the class of every record, renumbered so that it depends on types alone.

    `labels` and `types` have shape (records,).
    """
    number = np.unique(labels, return_inverse=True)[1]
    by_class = np.lexsort((types, number))
    starts = np.searchsorted(number[by_class], np.arange(int(number.max(initial=-1)) + 2))
    sorted_types = types[by_class].astype(">i4")  # bytes in this order compare like the numbers
    bounds = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    keys = [sorted_types[begin:end].tobytes() for begin, end in bounds]
    rank = np.empty(len(keys), dtype=np.int32)
    rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys), dtype=np.int32)
    return rank[number]


_TREES = 6
_REACH = 12
_NEAR = 16
_COPIES = 2


def near_records(attributes: Attributes, rows: Int32s, row_of: Int64s, seed: int) -> Int32s:
    """Return per record some near records, nearest first, -1 where there are no more.

    A tree that divides the rows again and again (`kernels.box_tree`) puts similar rows close
    together. Two near rows may still stand far apart on either side of an early cut, so a few trees
    are grown, in which attributes get random weights, by the seed. The nearest rows within reach,
    by the NCP of a class of two, are kept: O(trees · rows · (attributes · reach + log rows)).

    Records are sorted by their row, and `row_of` has the row of every record; `rows` has the values
    as kernels see them. A record looks at copies of itself first, and of a near row with several
    records at one of them, in turn.
    """
    near = np.full((len(rows), _NEAR), -1, dtype=np.int32)
    away = np.full((len(rows), _NEAR), np.inf)
    for order in _orders(attributes, rows, seed):
        kernel.look_along(attributes, np.ones(rows.shape[1]), rows, order, _REACH, near, away)
    starts = np.searchsorted(row_of, np.arange(len(rows) + 1))
    copies = np.diff(starts)
    place = np.arange(len(row_of)) - starts[row_of]
    neighbours = np.full((len(row_of), _COPIES + _NEAR), -1, dtype=np.int32)
    for i in range(_COPIES):
        has_copies = copies[row_of] > i + 1
        neighbours[has_copies, i] = (starts[row_of] + (place + i + 1) % copies[row_of])[has_copies]
    for i in range(_NEAR):
        row = near[row_of, i]
        has_row = row >= 0
        neighbours[has_row, _COPIES + i] = (starts[row] + place % copies[row])[has_row]
    return neighbours


def _orders(attributes: Attributes, rows: Int32s, seed: int) -> Iterator[Int32s]:
    """Yield orders of the rows in which near ones often stand close together."""
    facts = attributes.facts
    prices = attributes.prices
    numbers = np.flatnonzero(facts[:, KIND] == LINE)
    categories = facts[:, KIND] != LINE
    places = line_places(attributes, rows)
    labels = np.ascontiguousarray(rows[:, categories])
    apart = np.where(facts[:, KIND] == SET, 2 * prices[:, UNIT], prices[:, WEIGHT] / 2)[categories]
    chance = np.random.default_rng(seed)
    for tree in range(_TREES):
        matter = chance.uniform(0.2, 1.0, len(facts)) if tree else np.ones(len(facts))
        grown = grow_tree(
            places * matter[numbers],
            labels,
            Division(labels, np.outer(apart * matter[categories], [1.0, 0.0])),
            np.arange(len(rows), dtype=np.int32),
        )
        yield grown.row
