"""Morton's buckets: records counted by conditions that their cells certainly meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kanon_tui.core.analysis.published_cells import ReadCells
from kanon_tui.core.analysis.trees.features import TreeTable
from kanon_tui.core.numeric import Flags


@dataclass(frozen=True)
class Condition:
    """What an attribute must be: `Condition("age", "<", "28")`."""

    attribute: str
    sign: Literal["<", ">=", "=", "!="]
    value: str


@dataclass(frozen=True)
class Bucket:
    """The records that certainly meet some conditions."""

    records: int
    shares: Mapping[str, float]
    """How they divide among the values of the target."""


def bucket(table: TreeTable, conditions: Sequence[Condition]) -> Bucket:
    """Count the records whose cells leave no doubt: all that they cover meets every condition."""
    meets = np.ones(table.records, dtype=bool)
    for condition in conditions:
        cells = table.cells[condition.attribute]
        meets &= _certainly(cells, condition)[table.codes[condition.attribute]]
    records = int(meets.sum())
    counts = table.target.counts(np.flatnonzero(meets))
    shares = {
        value: float(count) / records
        for value, count in zip(table.target.values, counts, strict=True)
        if count
    }
    return Bucket(records, shares)


def _certainly(cells: ReadCells, condition: Condition) -> Flags:
    column = cells.attribute.column
    sure = ~(cells.everything | cells.partly | cells.missing)
    if column.kind.ordered:
        value = column.parse([condition.value])[0]
        met = {
            "<": cells.high < value,
            ">=": cells.low >= value,
            "=": (cells.low == value) & (cells.high == value),
            "!=": (cells.high < value) | (cells.low > value),
        }[condition.sign]
        return np.asarray(met & sure, dtype=bool)
    may_be = cells.shows([condition.value])[0]
    if condition.sign == "!=":
        return np.asarray(~may_be & sure, dtype=bool)
    others = cells.shows([v for v in column.values if v != condition.value]).any(axis=0)
    return np.asarray(may_be & ~others & sure, dtype=bool)
