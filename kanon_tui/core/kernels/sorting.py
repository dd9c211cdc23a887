"""Sorting inside kernels: numba has it too, and takes a second to compile it for every type."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kanon_tui.core.kernels.compiling import called_by_kernels, inner_kernel

__all__ = ["sort"]

_FEW = 16
"""So many values are sorted by moving each to its place."""
_DEEP = 128
"""Room for the ends of parts that wait: the longer part waits, so there are at most 64."""

_Number = TypeVar("_Number", np.int64, np.float64)


@inner_kernel
def sort(values: NDArray[_Number]) -> None:
    """Sort in place; none of the values is NaN."""
    waiting = np.empty(_DEEP, dtype=np.int64)
    waits, low, high = 0, 0, len(values) - 1
    while True:
        while high - low >= _FEW:
            first, last = _divide(values, low, high)
            if last - low > high - first:
                waiting[waits], waiting[waits + 1] = low, last
                low = first
            else:
                waiting[waits], waiting[waits + 1] = first, high
                high = last
            waits += 2
        for i in range(low + 1, high + 1):
            value = values[i]
            j = i - 1
            while j >= low and values[j] > value:
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
        if waits == 0:
            return
        waits -= 2
        low, high = waiting[waits], waiting[waits + 1]


@called_by_kernels
def _divide(values: NDArray[_Number], low: int, high: int) -> tuple[int, int]:
    """Move small values to the front: where large ones begin, and where small ones end."""
    one, two, three = values[low], values[(low + high) // 2], values[high]
    if one > two:
        one, two = two, one
    pivot = one if three < one else three if three < two else two
    first, last = low, high
    while first <= last:
        while values[first] < pivot:
            first += 1
        while values[last] > pivot:
            last -= 1
        if first <= last:
            values[first], values[last] = values[last], values[first]
            first, last = first + 1, last - 1
    return first, last
