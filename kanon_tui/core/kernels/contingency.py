"""Contingency tables: how often values occur among the records left, and how far apart that is.

The table counts the values of every category, and the values within every context that may
condition them. Only combinations that occur are counted, so it is linear in the records, and a
record that leaves changes one cell per context. Measuring from a row costs one pass over all
values.

The twin in `tests/core/algorithms/twins/similarity.py` counts the records again each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel
from kanon_tui.core.kernels.sorting import sort
from kanon_tui.core.numeric import Floats, Int32s, Int64s

__all__ = ["Contingency", "count", "measure", "new_contingency"]


class Contingency(NamedTuple):
    """Counts of the records left, per *cell*: a value of an attribute within a group of records.

    Categories stand in order of rising cardinality. A *context* divides the records into groups,
    by other attributes' values; every attribute has a context that is just one group, all records.
    Cells of these whole contexts come first, one per value, so that they also number the values.
    """

    offsets: Int64s
    """Where the values of each attribute begin."""
    missing: Int64s
    """Per attribute the cell of its missing value, -1 without one."""
    present: Int64s
    """Per attribute how many different values, missing left aside, are left."""
    columns: Int64s
    """Where the contexts of each attribute begin; the last one is the whole."""
    cell: Int32s
    """Rows × contexts; -1 where the group never had k records."""
    group: Int32s
    """Per cell; group y is all records of attribute y."""
    value: Int32s
    counts: Int32s
    starts: Int64s
    """Per group where its cells begin, in order of value; one more entry marks the end."""
    size: Int64s
    """Per group how many records are left."""
    chosen: Int64s
    """Per attribute the group that conditioned it last, -1 when nothing had to be counted."""


@inner_kernel
def count(table: Contingency, row: int, by: int) -> None:
    """One record of this row leaves (-1) or comes back (1)."""
    for c in range(table.cell.shape[1]):
        cell = table.cell[row, c]
        if cell < 0:
            continue
        group = table.group[cell]
        table.counts[cell] += by
        table.size[group] += by
        if cell < table.offsets[-1] and cell != table.missing[group]:
            if by < 0 and table.counts[cell] == 0:
                table.present[group] -= 1
            elif by > 0 and table.counts[cell] == 1:
                table.present[group] += 1


@inner_kernel
def _similarity_order(table: Contingency, y: int, group: int, own: int) -> Int32s:
    """The other values left, the most similar first: their counts in the group differ least.

    Values that the group does not hold differ by as much as its own count, so only the values it
    holds are sorted; the others are merged in between.
    """
    values, counts, missing = table.value, table.counts, table.missing[y] - table.offsets[y]
    offset, width = table.offsets[y], table.offsets[y + 1] - table.offsets[y]
    begin, end = table.starts[group], table.starts[group + 1]
    own_count = 0
    for cell in range(begin, end):
        if values[cell] == own:
            own_count = counts[cell]
    in_group = np.zeros(width, dtype=np.bool_)
    keys = np.empty(end - begin, dtype=np.int64)
    size = 0
    for cell in range(begin, end):
        value = values[cell]
        if counts[cell] > 0 and value != own and value != missing:
            in_group[value] = True
            keys[size] = abs(counts[cell] - own_count) * width + value
            size += 1
    in_group[own] = True
    keys = keys[:size]
    sort(keys)
    order = np.empty(table.present[y] - 1, dtype=np.int32)
    place, j = 0, 0
    for value in range(width):
        if in_group[value] or value == missing or counts[offset + value] == 0:
            continue
        while j < size and keys[j] < own_count * width + value:
            order[place] = keys[j] % width
            place, j = place + 1, j + 1
        order[place] = value
        place += 1
    while j < size:
        order[place] = keys[j] % width
        place, j = place + 1, j + 1
    return order


@inner_kernel
def measure(table: Contingency, row: int, k: int, spatial: bool, distance: Floats) -> None:
    """Set the distance of every value (a cell of the whole) from those of a row."""
    below = 1.0  # smallest distance of the attribute below
    for y in range(len(table.missing)):
        offset, after = table.offsets[y], table.offsets[y + 1]
        own = table.cell[row, table.columns[y + 1] - 1] - offset
        distance[offset:after] = 1.0
        distance[offset + own] = 0.0
        table.chosen[y] = -1
        if table.present[y] > 2 and offset + own != table.missing[y]:
            group = y
            for c in range(table.columns[y], table.columns[y + 1]):
                cell = table.cell[row, c]
                if cell >= 0 and table.size[table.group[cell]] >= k:
                    group = table.group[cell]
                    break
            table.chosen[y] = group
            order = _similarity_order(table, y, group, own)
            others = len(order)
            for place in range(others - 1, -1, -1):
                if spatial:
                    below /= others
                    distance[offset + order[place]] = below
                else:
                    distance[offset + order[place]] = (place + 1) / others
        else:
            below = 1.0


def new_contingency(
    codes: Sequence[Int32s],
    missing: Sequence[int | None],
    records: Int32s,
    k: int,
    spatial: bool,
) -> Contingency:
    """The table over rows of codes, one array per category, that stand for so many records each.

    Contexts of a category: the value of the category before it or, with `spatial`, the values of
    all categories before it, and of all but the last, and so on.
    """
    whole = np.zeros(len(records), dtype=np.int64)
    contexts: list[list[Int64s]] = []
    prefixes: list[Int64s] = []
    for y in range(len(codes)):
        contexts.append(prefixes[::-1] if spatial else prefixes[-1:])
        before = prefixes[-1] if prefixes and spatial else whole
        keys = before * (int(codes[y].max()) + 1) + codes[y]
        prefixes.append(np.unique(keys, return_inverse=True)[1].astype(np.int64))

    cell = np.full((len(records), sum(map(len, contexts)) + len(codes)), -1, dtype=np.int32)
    columns = np.cumsum([0, *(len(own) + 1 for own in contexts)])
    jobs = [(y, int(columns[y + 1]) - 1, whole) for y in range(len(codes))]
    jobs += [
        (y, int(columns[y]) + c, context)
        for y, own in enumerate(contexts)
        for c, context in enumerate(own)
    ]
    groups, values, counts = [], [], []
    cells = group = 0
    for y, column, context in jobs:
        large = np.bincount(context, weights=records)[context] >= k
        width = int(codes[y].max()) + 1
        keys = context[large] * width + codes[y][large]
        pairs, number = np.unique(keys, return_inverse=True)
        cell[large, column] = cells + number
        in_group, group_of = np.unique(pairs // width, return_inverse=True)
        groups.append(group + group_of)
        values.append(pairs % width)
        counts.append(np.bincount(number, weights=records[large], minlength=len(pairs)))
        cells += len(pairs)
        group += len(in_group)
    offsets = np.cumsum([0, *(int(own.max()) + 1 for own in codes)])
    all_groups = np.concatenate([*groups, np.zeros(0, dtype=np.int64)]).astype(np.int32)
    all_counts = np.concatenate([*counts, np.zeros(0)]).astype(np.int32)
    absent = [own is not None for own in missing]
    return Contingency(
        offsets=offsets,
        missing=np.array(
            [-1 if own is None else offsets[y] + own for y, own in enumerate(missing)],
            dtype=np.int64,
        ),
        present=np.diff(offsets) - np.array(absent, dtype=np.int64),
        columns=columns,
        cell=cell,
        group=all_groups,
        value=np.concatenate([*values, np.zeros(0, dtype=np.int64)]).astype(np.int32),
        counts=all_counts,
        starts=np.searchsorted(all_groups, np.arange(group + 1)).astype(np.int64),
        size=np.bincount(all_groups, weights=all_counts, minlength=group).astype(np.int64),
        chosen=np.full(len(codes), -1, dtype=np.int64),
    )
