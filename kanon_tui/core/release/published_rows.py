"""The published rows: in which order they stand, and the table that they are.

A release has few different cells: those of a quasi-identifier are the texts of its classes, those
of a column that is published as it is are its values. So a cell is a number here, and the table is
made of columns that know their texts once (`pl.Enum`): a quarter of the memory of texts, and what
is counted, sorted and compared are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.release.distinct_rows import dense_ranks, order_of_rows
from kanon_tui.core.table.coded_texts import coded_series

__all__ = ["PublishedColumn", "rows_in_order", "text_ranks"]


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A column of the release; texts are different from one another."""

    name: str
    texts: pl.Series
    codes: Int32s
    """An index into the texts: per record, or of a quasi-identifier per kind of row."""
    of_rows: bool
    """Whether codes are per kind of row."""

    def cells(self, row_of: Int32s, records: Int64s) -> pl.Series:
        """The cells of some records; `row_of` has the kind of row of each."""
        cells = coded_series(self.name, self.texts)
        if self.of_rows:
            return cells.gather(self.codes.view(np.uint32)).gather(row_of.view(np.uint32))
        return cells.gather(self.codes[records].view(np.uint32))

    @property
    def ranks(self) -> npt.NDArray[np.integer]:
        """Where codes are: the place of the cell among the sorted texts."""
        ranks: npt.NDArray[np.integer] = text_ranks(self.texts)[self.codes]
        return ranks


def rows_in_order(
    columns: Sequence[PublishedColumn], row_of: Int32s, records: Int64s
) -> npt.NDArray[np.integer]:
    """The places of records in the order of their cells, the first column counting most.

    Quasi-identifiers that stand side by side are compared once per kind of row, not per record.
    """
    return order_of_rows(_key_columns(columns, row_of, records))


def _key_columns(
    columns: Sequence[PublishedColumn], row_of: Int32s, records: Int64s
) -> Iterator[npt.NDArray[np.integer]]:
    for of_rows, several in groupby(columns, lambda column: column.of_rows):
        if of_rows:
            yield dense_ranks([column.ranks for column in several])[row_of]
        else:
            for column in several:
                yield text_ranks(column.texts).astype(np.int32)[column.codes[records]]


def text_ranks(texts: pl.Series | Sequence[str]) -> Int64s:
    """The place of every text among the sorted ones, which are different from one another."""
    series = texts if isinstance(texts, pl.Series) else pl.Series(texts, dtype=pl.String)
    ranks = np.empty(series.len(), dtype=np.int64)
    ranks[series.arg_sort().to_numpy()] = np.arange(series.len())
    return ranks
