"""The caller's frame beside its release: the types of columns that are published as they were."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.table import as_frame
from kanon_tui.core.table.typed_columns import all_texts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class InputFrame:
    """A table as it was given in Python."""

    original: Any
    """The frame itself: of pandas, Polars, PyArrow or another library."""

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The frame as Polars has it."""
        return as_frame(self.original)

    @property
    def is_pandas(self) -> bool:
        """Whether the frame is one of pandas, whose types and index only pandas knows."""
        return type(self.original).__module__.partition(".")[0] == "pandas"

    def has_numbers(self, name: str) -> bool:
        """Return whether a column holds numbers."""
        return self.cells.schema[name].is_numeric()

    def unchanged(self, texts: pl.Series, rows: Int64s) -> pl.Series | None:
        """Return the cells of rows with their type, if these are their texts; else None.

        The column of the frame is found by the name of the texts.
        """
        if texts.name not in self.cells.columns or len(texts) != len(rows):
            return None
        column = self.cells[texts.name]
        printed = all_texts(column.to_frame(), "the frame").to_series().gather(rows)
        return column.gather(rows) if printed.equals(texts) else None

    def pandas_column(self, name: str, rows: Int64s) -> pd.Series | None:
        """Return the cells of rows as pandas holds them; None where the frame is not of pandas."""
        if not self.is_pandas:
            return None
        place = [str(label) for label in self.original.columns].index(name)
        column: pd.Series = self.original.iloc[rows, place]
        return column

    def index_of(self, rows: Int64s) -> Any:
        """Return the labels of rows: those of a pandas index, else their numbers."""
        return self.original.index[rows] if self.is_pandas else rows


def as_pandas(column: pl.Series) -> pd.Series:
    """Return a column of Polars as a column of pandas, without PyArrow."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        in_utc = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        zoned = pd.Series(in_utc).dt.tz_localize("UTC").dt.tz_convert(kind.time_zone)
        return zoned.rename(column.name)
    if isinstance(kind, pl.Enum):
        labels = kind.categories.to_list()
        return pd.Series(pd.Categorical(column.to_list(), labels, ordered=True), name=column.name)
    if isinstance(kind, pl.Categorical):
        return pd.Series(pd.Categorical(column.to_list()), name=column.name)
    if kind.is_integer() and column.null_count():
        return pd.Series(column.to_list(), name=column.name, dtype=_nullable_name(kind))
    if kind == pl.Boolean and column.null_count():
        return pd.Series(column.to_list(), name=column.name, dtype="boolean")
    return pd.Series(column.to_numpy(), name=column.name)


def _nullable_name(kind: pl.DataType) -> str:
    """Return the name of the type of pandas that holds these whole numbers and gaps."""
    name = str(kind)
    return name if name.removeprefix("U") in ("Int8", "Int16", "Int32", "Int64") else "object"
