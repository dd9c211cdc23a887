"""Inner loops, compiled by numba: plain arrays in, plain arrays out, without the interpreter lock.

A kernel does one decision of its algorithm, or a bounded batch, per call, so that whoever runs the
algorithm can pause or cancel between calls. Importing a kernel's module imports numba: algorithms
do so inside `steps`, and `warmup` compiles everything ahead of time.

Kernels should see few types, because each combination is compiled on its own: int32 codes, float64
numbers, C-contiguous arrays that may be written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

__all__ = ["Flags", "Floats", "Ints", "Longs", "kernel", "part_of_kernel"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function when it is first called, and keep the machine code on disk.

    numba keeps it beside the module, or in the user's cache directory where the package cannot be
    written to. Where neither can be, it is compiled again in every process.
    """
    return _compiled(function, forceinline=False)


def part_of_kernel(function: Function) -> Function:
    """Compile a small function into every kernel that calls it.

    Worth it for what runs millions of times. Such a function should take arrays, not tuples of
    arrays: an array that comes out of a tuple is counted as one more reference, each time.
    """
    return _compiled(function, forceinline=True)


def _compiled(function: Function, forceinline: bool) -> Function:
    from numba import njit

    try:
        made = njit(cache=True, nogil=True, forceinline=forceinline)(function)
    except RuntimeError:  # no place for a cache
        made = njit(nogil=True, forceinline=forceinline)(function)
    return cast(Function, made)
