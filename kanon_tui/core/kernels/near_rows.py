"""Near rows of every row, from orders in which near ones often stand close together."""

from __future__ import annotations

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import Attributes
from kanon_tui.core.kernels.two_classes import pair_cost
from kanon_tui.core.numeric import Floats, Int32s

__all__ = ["look_along"]


@kernel
def look_along(
    attributes: Attributes,
    rates: Floats,
    rows: Int32s,
    order: Int32s,
    reach: int,
    near: Int32s,
    away: Floats,
) -> None:
    """Look at the rows within reach in an order, and keep the nearest, the first of equals first.

    `near` and `away` have as many of every row as there is room for, -1 and infinity where none is
    known; rows found along other orders stay where they are nearer.
    """
    most = near.shape[1]
    for place in range(len(order)):
        row = order[place]
        for other_place in range(max(place - reach, 0), min(place + reach + 1, len(order))):
            other = order[other_place]
            if other == row:
                continue
            distance = pair_cost(attributes, rates, rows[row], rows[other])
            if distance >= away[row, most - 1]:
                continue
            known = False
            for slot in range(most):
                known = known or near[row, slot] == other
            if known:
                continue
            slot = most - 1
            while slot > 0 and away[row, slot - 1] > distance:
                near[row, slot], away[row, slot] = near[row, slot - 1], away[row, slot - 1]
                slot -= 1
            near[row, slot], away[row, slot] = other, distance
