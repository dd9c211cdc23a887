"""What machine code depends on in the arguments of a kernel: their types, not their values.

numba says the same of the same kinds. It knows many more types; those are compared by their class.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["Kinds", "kinds_of"]

Kinds = tuple[Any, ...]
"""Compares and hashes; `repr` is the same in every process."""

_NUMBERS: dict[type, Any] = {
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    bool: np.dtype(np.bool_),
}
_IN_ROWS = 0x1
_AS_ROWS_OR_NOT = 0x501
_AS_COLUMNS_OR_NOT = 0x503
"""Flags of an array: by rows (C), by columns (Fortran), aligned, writeable."""


def kinds_of(arguments: Iterable[Any]) -> Kinds:
    """The kind of every argument."""
    return tuple([_kind(each) for each in arguments])


def _kind(value: Any) -> Any:
    class_ = type(value)
    if class_ is np.ndarray:
        flags = value.flags.num
        mask = _AS_ROWS_OR_NOT if flags & _IN_ROWS else _AS_COLUMNS_OR_NOT
        return value.dtype, value.ndim, flags & mask
    if class_ in _NUMBERS:
        return _NUMBERS[class_]
    if isinstance(value, tuple):
        return class_, kinds_of(value)
    return value.dtype if isinstance(value, np.generic) else class_
