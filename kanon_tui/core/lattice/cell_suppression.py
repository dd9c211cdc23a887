"""Cells hidden one by one, where a string would suppress whole records.

A string leaves records in classes that miss k. With `suppress: cells` they are published all the
same, with as few `*` as this finds: a `*` costs the weight of its attribute. A printed `*` is a
value of its own: the records that print (20-29, *) must be k among themselves. That can be proven
from the printed cells. Read as a wildcard, a record with `*` also resembles those with any value in
its place, which needs fewer `*`, but somebody who knows the value can often exclude them.

Idea: the ways to hide, all sets of attributes, are taken from cheap to dear. With each, the records
still left are grouped by what remains visible; a group that holds keeps its way. What is left when
everything has been hidden, fewer than k records, is suppressed.

Bound: whatever is hidden of a record, at least k records of the table must agree with it in the
rest. So it costs at least the cheapest way with that property, and no solution costs less than the
sum of these over the records.

Cost: O(2^attributes · distinct rows); beyond twelve attributes only sets of up to three, and all.

Reference: Aggarwal et al., anonymizing tables (2005; the problem is NP-hard); Templ, Kowarik and
Meindl, sdcMicro (2015), whose localSuppression counts `*` as a wildcard.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.requirements import groups_that_hold
from kanon_tui.core.release.distinct_rows import dense_ranks
from kanon_tui.core.task.task import Grouping, Steps, Task
from kanon_tui.core.text import note

_ALL_SETS = 12
_FEW = 3


def hidden_cell_steps(steps: Steps, task: Task) -> Steps:
    """Run a search, and hide single cells instead of suppressing records."""
    _check(task)
    grouping = yield from steps
    return with_hidden_cells(task, grouping)


def _check(task: Task) -> None:
    if task.copies is not None:
        raise InputError("suppress: cells needs all records in memory; run it with engine memory")
    if task.person is not None:
        raise InputError(
            "suppress: cells counts records, and a column has the role person; use suppress: "
            "records"
        )
    for attribute in task.quasi:
        if attribute.publishes_one_value:
            raise InputError(
                f"{attribute.name}: publish: {attribute.publish} gives a class one value, so that "
                f"no cell of it can be hidden alone; use suppress: records"
            )


def with_hidden_cells(task: Task, grouping: Grouping) -> Grouping:
    """Return the grouping with suppressed records kept where hiding single cells is enough."""
    lost = np.flatnonzero(grouping.labels < 0)
    if grouping.levels is None or not len(lost):
        return grouping
    shown = np.column_stack(
        [
            attribute.hierarchy.maps[level][attribute.column.codes]
            for attribute, level in zip(task.quasi, grouping.levels, strict=True)
        ]
    )
    free = [
        x
        for x, level in enumerate(grouping.levels)
        if set(task.quasi[x].hierarchy.labels[level]) != {HIDDEN}
    ]
    weights = task.weights
    hidden = np.zeros(shown.shape, dtype=bool)
    labels = grouping.labels.copy()
    number = int(labels.max(initial=-1)) + 1
    remaining_records = lost
    for way in _ways(free, weights):
        if len(remaining_records) < task.k:
            break
        shown_columns = [x for x in range(shown.shape[1]) if x not in way]
        groups = _groups(shown[remaining_records][:, shown_columns])
        keep = _holds(task, remaining_records, groups)[groups]
        rescued_records = remaining_records[keep]
        if len(rescued_records):
            for x in way:
                hidden[rescued_records, x] = True
            fresh, place = np.unique(groups[keep], return_inverse=True)
            labels[rescued_records] = number + place
            number += len(fresh)
            remaining_records = remaining_records[~keep]
    cost = float((hidden @ weights).sum()) + len(remaining_records) * float(weights[free].sum())
    bound = float(_least_costs(shown, lost, free, weights, task.k).sum())
    cells = int(hidden.sum())
    rescued_count = len(lost) - len(remaining_records)
    kept_note = note(
        "suppress: cells keeps {kept:,} of {lost:,} records that would be suppressed, with "
        "{cells:,} cells hidden (by weight {cost:.4g}; no way costs less than {bound:.4g})",
        kept=rescued_count, lost=len(lost), cells=cells, cost=cost, bound=bound,
    )  # fmt: skip
    counts = {"records": rescued_count, "cells": cells, "cost": cost, "bound": bound}
    return replace(
        grouping,
        labels=labels,
        suppressed_cells=hidden,
        search={**grouping.search, "hidden_cells": counts},
        notes=(*grouping.notes, kept_note),
    )


def _ways(free: list[int], weights: Floats) -> Iterator[tuple[int, ...]]:
    """Yield sets of attributes to hide by rising cost, of equal ones the smaller first."""
    sizes = range(1, len(free) + 1) if len(free) <= _ALL_SETS else (*range(1, _FEW + 1), len(free))
    ways = [way for size in sizes for way in combinations(free, size)]
    ways.sort(key=lambda way: (float(weights[list(way)].sum()), len(way), way))
    yield from ways


def _groups(rows: np.ndarray) -> Int64s:
    """Return the number of every row of codes among the distinct rows; 0 without columns."""
    constant = np.zeros(len(rows), dtype=np.int32)
    return dense_ranks([constant, *rows.T]).astype(np.int64)


def _holds(task: Task, records: Int64s, groups: Int64s) -> Flags:
    """Return per group whether it has k records and meets the requirements beyond k."""
    sizes = np.bincount(groups)
    return groups_that_hold(task.requirements, groups, records, len(sizes)) & (sizes >= task.k)


def _least_costs(
    shown: np.ndarray, lost: Int64s, free: list[int], weights: Floats, k: int
) -> Floats:
    """Return per suppressed record a lower bound on the cost of keeping it."""
    tuples, first, of, counts = np.unique(
        _groups(shown), return_index=True, return_inverse=True, return_counts=True
    )
    rows = shown[first]
    lost_tuples = np.unique(of[lost])
    least = np.full(len(tuples), np.inf)
    for way in _ways(free, weights):
        open_still = lost_tuples[np.isinf(least[lost_tuples])]
        if not len(open_still):
            break
        groups = _groups(rows[:, [x for x in range(shown.shape[1]) if x not in way]])
        sizes = np.bincount(groups, weights=counts)
        enough = open_still[sizes[groups[open_still]] >= k]
        least[enough] = float(weights[list(way)].sum())
    if len(free) > _ALL_SETS:
        # Ways between the few and all were not looked at: the cheapest of them bounds the rest.
        between = float(np.sort(weights[free])[: _FEW + 1].sum())
        least = np.minimum(least, np.where(least == weights[free].sum(), between, least))
    least[np.isinf(least)] = float(weights[free].sum())
    return least[of[lost]]
