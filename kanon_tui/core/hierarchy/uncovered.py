"""Where values that a hierarchy does not cover can go: rows for `edit.add_rows`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column

__all__ = ["closest", "nearest_rows", "own_rows", "rows_like"]

MOST_COMPARED = 2_000
"""Looking for alike texts takes a while; with more than this it would be felt."""


def rows_like(
    hierarchy: Hierarchy, values: Iterable[str], example: str
) -> dict[str, tuple[str, ...]]:
    """Rows that put values where another value is."""
    if example not in hierarchy.values:
        raise InputError(f"'{example}' has no row either; choose a value that has one")
    labels = hierarchy.rows[hierarchy.values.index(example)][1:]
    return dict.fromkeys(values, labels)


def own_rows(hierarchy: Hierarchy, values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Rows that keep every value itself on all levels below the root."""
    root = hierarchy.rows[0][-1:]
    between = range(1, hierarchy.height)
    taken = {label: level for level in between for label in hierarchy.labels(level)}
    rows = {}
    for value in values:
        if value in taken:
            raise InputError(
                f"'{value}' is also a label of level {taken[value]}, so it would not stay by "
                f"itself; rename that label, or put the value under one"
            )
        rows[value] = (*[value] * len(between), *root)
    return rows


def closest(value: str, known: Sequence[str], most: int = 5) -> list[str]:
    """All known texts, those that look most like the value first (if there are not too many)."""
    few = known if len(known) <= MOST_COMPARED else ()
    alike = difflib.get_close_matches(value, few, n=most, cutoff=0.5)
    return [*alike, *(text for text in known if text not in alike)]


def nearest_rows(
    hierarchy: Hierarchy, column: Column, values: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """For numbers and dates: rows with the labels of the nearest value that has a row."""
    numbers = column.parse(hierarchy.values)
    readable = np.flatnonzero(~np.isnan(numbers))
    if not column.kind.ordered or not len(readable):
        raise InputError(f"{column.name}: its values have no order, so none is nearest")
    order = readable[np.argsort(numbers[readable], kind="stable")]
    line = numbers[order]
    rows = {}
    for value, number in zip(values, column.parse(values).tolist(), strict=True):
        right = min(int(np.searchsorted(line, number)), len(line) - 1)
        left = max(right - 1, 0)
        near = left if number - line[left] <= abs(line[right] - number) else right
        rows[value] = hierarchy.rows[int(order[near])][1:]
    return rows
