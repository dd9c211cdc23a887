"""Types of arrays, and the tolerance with which scores are equal."""

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
