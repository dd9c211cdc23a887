"""How values compare with those of the record that starts a class, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_tui.core.numeric import Floats
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import joined

if TYPE_CHECKING:
    from kanon_tui.core.kernels.contingency import Contingency

__all__ = ["compared"]

_VALUES_NAMED = 3


def compared(
    categories: Sequence[QuasiIdentifier],
    table: Contingency,
    distance: Floats,
    record: int,
    row: int,
    spatial: bool,
) -> str:
    """The first attribute with three values or more, and which others were compared likewise.

    ` By how often each nationality occurs among the 9 with gender Male, Japan (4) is 0.5 from US
    (4) and 1 from Iran (1).`
    """
    measured = np.flatnonzero(table.chosen >= 0).tolist()
    if not measured:
        return ""
    y = measured[0]
    group = int(table.chosen[y])
    where = _conditions(categories, table, row, y, spatial)
    total = f"{table.size[group]:,}"
    among = "with " + " and ".join(_named(a, record) for a in where) if where else "left"

    column = categories[y].column
    cells = slice(int(table.starts[group]), int(table.starts[group + 1]))
    counts = dict(zip(table.value[cells].tolist(), table.counts[cells].tolist(), strict=True))
    values = slice(int(table.offsets[y]), int(table.offsets[y + 1]))
    away, own = distance[values], int(column.codes[record])
    left = np.flatnonzero(table.counts[values] > 0)
    others = [v for v in left[np.argsort(away[left], kind="stable")].tolist() if v != own]
    named = others if len(others) <= _VALUES_NAMED + 1 else others[:_VALUES_NAMED]
    distances = [f"{away[v]:.3g} from {column.values[v]} ({counts.get(v, 0):,})" for v in named]
    if len(named) < len(others):
        distances.append(f"further from {len(others) - len(named):,} other values")
    words = (
        f" By how often each {column.name} occurs among the {total} {among}, "
        f"{column.values[own]} ({counts[own]:,}) is {joined(distances)}."
    )
    if len(measured) > 1:
        words += f" Compared likewise: {joined([categories[y].name for y in measured[1:]])}."
    return words


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
