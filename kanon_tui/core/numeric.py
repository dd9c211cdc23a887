"""Types of arrays, the tolerance with which scores are equal, sums, and order by chance."""

from collections.abc import Iterable
from functools import reduce
from operator import add
from secrets import token_bytes
from typing import Annotated

import numpy as np
import numpy.typing as npt

TIE = 1e-9
"""Scores that differ by less are equal; the lowest row, the first cluster or attribute wins."""

# The element stands beside the type: kernels read it there, whatever NumPy makes of its aliases.
Int32s = Annotated[npt.NDArray[np.int32], np.int32]
Int64s = Annotated[npt.NDArray[np.int64], np.int64]
Floats = Annotated[npt.NDArray[np.float64], np.float64]
Flags = Annotated[npt.NDArray[np.bool_], np.bool_]
Bytes = Annotated[npt.NDArray[np.uint8], np.uint8]
Words = Annotated[npt.NDArray[np.uint64], np.uint64]
"""Sets as bits, 64 to a word."""


def sum_in_order(numbers: Iterable[float]) -> float:
    """Return the sum of numbers, rounded after each: `sum` does so only before Python 3.12."""
    return reduce(add, numbers, 0.0)


def random_words(count: int) -> Words:
    """Return random words from the operating system, which no seed repeats."""
    return np.frombuffer(token_bytes(8 * count), dtype=np.uint64)
