"""Equality and order of rows of coded columns.

A row becomes one number: its codes are the digits, the first column counting most. Equal rows have
equal numbers, smaller rows smaller ones. Where the digits do not fit into 62 bits, what there is so
far is replaced by its rank among the distinct ones, of which there are no more than rows.

Numbers are told apart by a table of all that there could be, where that is no longer than a few
times the rows, and else by hashing, on all cores; only the distinct ones are sorted.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.numeric import Int64s

_ROOM = 2**62
_BITS = 63  # bits of a non-negative int64
_DENSE = 4  # largest lookup table, in entries per row


def number_rows(columns: Iterable[npt.NDArray[np.integer]]) -> npt.NDArray[np.int32]:
    """Return per row the number of its distinct row, in order of first appearance."""
    keys = pl.DataFrame({"key": row_keys(columns)})
    return _places(keys, keys.unique(maintain_order=True))


def dense_ranks(columns: Iterable[npt.NDArray[np.integer]]) -> npt.NDArray[np.int32]:
    """Return per row the number of smaller distinct rows, the first column counting most."""
    return _ranks(*_keys(columns))


def order_of_rows(columns: Iterable[npt.NDArray[np.integer]]) -> Int64s:
    """Return the row numbers sorted by row, equal rows in their order."""
    keys, size = _keys(columns)
    bits = len(keys).bit_length()
    if (size - 1).bit_length() + bits > _BITS:
        return np.argsort(keys, kind="stable")
    keys <<= bits  # sorting key and place as one number is four times as fast as argsort
    keys |= np.arange(len(keys))
    keys.sort()
    keys &= (1 << bits) - 1
    return keys


def row_keys(columns: Iterable[npt.NDArray[np.integer]]) -> Int64s:
    """Return a key per row; keys compare like rows."""
    return _keys(columns)[0]


def _keys(columns: Iterable[npt.NDArray[np.integer]]) -> tuple[Int64s, int]:
    """Return a key per row, and a number larger than all keys."""
    keys: Int64s | None = None
    size = 1
    for column in columns:
        if len(column) == 0:
            return np.empty(0, dtype=np.int64), 1
        low = int(column.min())
        width = int(column.max()) - low + 1
        if keys is None:
            keys = column.astype(np.int64)
            size = width
        else:
            if size * width >= _ROOM:
                keys = _ranks(keys, size).astype(np.int64)
                size = int(keys.max()) + 1
            keys *= width
            keys += column
            size *= width
        if low:
            keys -= low
    assert keys is not None, "a release has columns"
    return keys, size


def _ranks(keys: Int64s, size: int) -> npt.NDArray[np.int32]:
    if size <= _DENSE * len(keys):
        is_present = np.zeros(size, dtype=bool)
        is_present[keys] = True
        upto = np.cumsum(is_present, dtype=np.int32)
        upto -= 1
        return upto[keys]
    rows = pl.DataFrame({"key": keys})
    return _places(rows, rows.unique().sort("key"))


def _places(rows: pl.DataFrame, distinct: pl.DataFrame) -> npt.NDArray[np.int32]:
    """Return per row the place of its key among the distinct ones."""
    numbered = distinct.with_row_index("place")
    joined_rows = rows.join(numbered, on="key", how="left", nulls_equal=True, maintain_order="left")
    return joined_rows["place"].to_numpy().astype(np.int32)
