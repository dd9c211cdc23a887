"""Shares of sensitive values within classes, which several models are computed from.

All is counted on distinct (class, value) pairs, never on a classes × values table.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import TIE, Flags, Floats, Int64s
from kanon_tui.core.table.column import Column, GroupValues


def value_shares(groups: GroupValues) -> Floats:
    """Return for every (class, value) pair the share of the class's records that have the value."""
    return np.asarray(groups.records / groups.sizes[groups.group], dtype=np.float64)


def sums_per_class(groups: GroupValues, per_pair: Floats) -> Floats:
    """Return the sum over the values of every class; each class has at least one."""
    return np.asarray(np.add.reduceat(per_pair, groups.starts[:-1]), dtype=np.float64)


def highest_shares(groups: GroupValues, counted: Flags | None = None) -> Floats:
    """Return the share of the most frequent value of every class.

    `counted` says of which values.
    """
    shares = value_shares(groups)
    if counted is not None:
        shares = np.where(counted[groups.code], shares, 0.0)
    return np.asarray(np.maximum.reduceat(shares, groups.starts[:-1]), dtype=np.float64)


def present_shares(column: Column) -> Floats:
    """Return the share of every value among the records that have one; missing is the last code."""
    counts = column.counts[: column.missing]
    return np.asarray(counts / max(counts.sum(), 1), dtype=np.float64)


def equal_distances(groups: GroupValues, whole: Floats) -> Floats:
    """Return ½ Σ|p − q| of every class; the values that a class does not have add their q."""
    expected = whole[groups.code]
    apart = np.abs(value_shares(groups) - expected)
    return (1.0 + sums_per_class(groups, apart - expected)) / 2.0


def over_present(
    groups: GroupValues,
    column: Column,
    figures: Callable[[GroupValues], npt.NDArray[Any]],
    otherwise: float,
) -> npt.NDArray[Any]:
    """Return a figure of every class over the records with a value; `otherwise` where none has.

    A missing value is no value, so it must not make a class look more diverse than it is.
    """
    some = None if column.missing is None else groups.without(column.missing)
    if some is None:
        return figures(groups)
    there, present = some
    found = figures(present)
    everywhere = np.full(groups.count, otherwise, dtype=found.dtype)
    everywhere[there] = found
    return everywhere


def larger_of_both(
    groups: GroupValues, column: Column, figures: Callable[[GroupValues, Floats], npt.NDArray[Any]]
) -> npt.NDArray[Any]:
    """Return the larger of two figures of every class against the shares of the whole table.

    One counts missing as a value of its own (that it is missing may be what is sensitive), the
    other only the records that have a value (missing ones must not thin out the others).
    """
    of_present = over_present(groups, column, lambda g: figures(g, present_shares(column)), 0)
    return np.asarray(np.maximum(figures(groups, column.counts / column.counts.sum()), of_present))


def fewest_removed(groups: GroupValues, over: Floats, most: Floats) -> Int64s:
    """Return how many records must go from every class until a share that is `over` is at `most`.

    The share of a value, or of several, falls fastest when only records with such values go. Of s
    records with a share of most + over, r such are enough when r ≥ s · over / (1 − most).
    """
    needed = np.where(most < 1, groups.sizes * over / np.maximum(1 - most, TIE), 0.0)
    certain = np.ceil(needed - TIE * groups.sizes)
    return np.asarray(np.clip(certain, 0, groups.sizes), dtype=np.int64)
