"""Records that are near every record, found along a few orders of the table.

A tree that divides the rows again and again (`kernels.box_tree`) puts rows close together that are
much alike. Two near rows may still stand far apart on either side of an early cut, so that a few
trees are grown, in which attributes matter more or less by chance; chance comes from the seed. The
nearest of the rows within reach, by the NCP of a class of two, are kept.

Cost: O(trees · rows · (attributes · reach + log rows)).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_tui.core.clustering.boxes import line_places
from kanon_tui.core.kernels.box_arrays import KIND, LINE, SET, UNIT, WEIGHT, Attributes
from kanon_tui.core.kernels.box_tree import Division, grow_tree
from kanon_tui.core.kernels.refining import look_along
from kanon_tui.core.numeric import Int32s, Int64s

__all__ = ["near_records"]

_TREES = 6
_REACH = 12
_NEAR = 16
_COPIES = 2


def near_records(attributes: Attributes, rows: Int32s, row_of: Int64s, seed: int) -> Int32s:
    """Per record some near ones, nearest first, -1 where there are no more.

    Records are sorted by their row, and `row_of` has the row of every record; `rows` has the values
    as kernels see them. A record looks at copies of itself first, and of a near row with several
    records at one of them, in turn.
    """
    near = np.full((len(rows), _NEAR), -1, dtype=np.int32)
    away = np.full((len(rows), _NEAR), np.inf)
    for order in _orders(attributes, rows, seed):
        look_along(attributes, np.ones(rows.shape[1]), rows, order, _REACH, near, away)
    starts = np.searchsorted(row_of, np.arange(len(rows) + 1))
    copies = np.diff(starts)
    place = np.arange(len(row_of)) - starts[row_of]
    found = np.full((len(row_of), _COPIES + _NEAR), -1, dtype=np.int32)
    for i in range(_COPIES):
        many = copies[row_of] > i + 1
        found[many, i] = (starts[row_of] + (place + i + 1) % copies[row_of])[many]
    for i in range(_NEAR):
        row = near[row_of, i]
        known = row >= 0
        found[known, _COPIES + i] = (starts[row] + place % copies[row])[known]
    return found


def _orders(attributes: Attributes, rows: Int32s, seed: int) -> Iterator[Int32s]:
    """Orders of the rows in which near ones often stand close together."""
    facts, prices = attributes.facts, attributes.prices
    numbers, categories = np.flatnonzero(facts[:, KIND] == LINE), facts[:, KIND] != LINE
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
