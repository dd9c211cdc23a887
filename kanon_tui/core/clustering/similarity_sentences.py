"""How values compare with those of the record that starts a class, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_tui.core.numeric import Floats
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import joined

if TYPE_CHECKING:
    from kanon_tui.core.kernels.cluster_centre import Contingency

__all__ = ["compared", "distance_text"]

_VALUES_NAMED = 3
_NEXT_TO_NOTHING = 1e-7


def compared(
    categories: Sequence[QuasiIdentifier],
    table: Contingency,
    distance: Floats,
    record: int,
    row: int,
    spatial: bool,
) -> str:
    """How far every attribute's values are from those of the record.

    ` By how often each nationality occurs among the 9 with gender Male, Japan (4) is 0.5 from US
    (4) and 1 from Iran (1). Of gender, Male is 1 from Female.`
    """
    measured = np.flatnonzero(table.chosen >= 0).tolist()
    words = [_by_frequency(categories, table, distance, record, row, y, spatial) for y in measured]
    for y in np.flatnonzero(table.chosen < 0).tolist():
        away, others = _others(categories, table, distance, record, y)
        if others:
            column = categories[y].column
            own = column.values[int(column.codes[record])]
            distances = [f"{distance_text(away[v])} from {column.values[v]}" for v in others]
            words.append(f" Of {column.name}, {own} is {joined(distances)}.")
    return "".join(words)


def distance_text(distance: float) -> str:
    """Three digits; of what distances that shrink have become, that it counts for nothing."""
    return "next to nothing" if 0 < distance < _NEXT_TO_NOTHING else f"{distance:.3g}"


def _by_frequency(
    categories: Sequence[QuasiIdentifier],
    table: Contingency,
    distance: Floats,
    record: int,
    row: int,
    y: int,
    spatial: bool,
) -> str:
    """An attribute with three values or more, compared by how often they occur."""
    group = int(table.chosen[y])
    where = _conditions(categories, table, row, y, spatial)
    total = f"{table.size[group]:,}"
    among = "with " + " and ".join(_named(a, record) for a in where) if where else "left"
    column = categories[y].column
    cells = slice(int(table.starts[group]), int(table.starts[group + 1]))
    counts = dict(zip(table.value[cells].tolist(), table.counts[cells].tolist(), strict=True))
    own = int(column.codes[record])
    away, others = _others(categories, table, distance, record, y)
    named = others if len(others) <= _VALUES_NAMED + 1 else others[:_VALUES_NAMED]
    distances = [
        f"{distance_text(away[v])} from {column.values[v]} ({counts.get(v, 0):,})" for v in named
    ]
    if len(named) < len(others):
        distances.append(f"further from {len(others) - len(named):,} other values")
    return (
        f" By how often each {column.name} occurs among the {total} {among}, "
        f"{column.values[own]} ({counts[own]:,}) is {joined(distances)}."
    )


def _others(
    categories: Sequence[QuasiIdentifier],
    table: Contingency,
    distance: Floats,
    record: int,
    y: int,
) -> tuple[Floats, list[int]]:
    """The distances of an attribute's values, and those other than the record's, nearest first."""
    values = slice(int(table.offsets[y]), int(table.offsets[y + 1]))
    away, own = distance[values], int(categories[y].column.codes[record])
    left = np.flatnonzero(table.counts[values] > 0)
    return away, [v for v in left[np.argsort(away[left], kind="stable")].tolist() if v != own]


def _conditions(
    categories: Sequence[QuasiIdentifier], table: Contingency, row: int, y: int, spatial: bool
) -> Sequence[QuasiIdentifier]:
    """The attributes that conditioned an attribute: its contexts lose one after the other."""
    contexts = table.cell[row, int(table.columns[y]) : int(table.columns[y + 1])]
    dropped = int(np.argmax(table.group[contexts] == table.chosen[y]))
    kept = len(contexts) - 1 - dropped
    return categories[:kept] if spatial else categories[y - kept : y]


def _named(attribute: QuasiIdentifier, record: int) -> str:
    return f"{attribute.name} {attribute.column.values[attribute.column.codes[record]]}"
