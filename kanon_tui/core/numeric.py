"""Types of arrays, the tolerance with which scores are equal, and order by chance."""

from secrets import token_bytes

import numpy as np
import numpy.typing as npt

TIE = 1e-9
"""Scores that differ by less are equal; the lowest row, the first cluster or attribute wins."""

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
"""Sets as bits, 64 to a word."""


def random_words(count: int) -> Words:
    """Return random words from the operating system, which no seed repeats."""
    return np.frombuffer(token_bytes(8 * count), dtype=np.uint64)
