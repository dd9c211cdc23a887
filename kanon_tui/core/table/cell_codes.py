"""Cells of a column as its distinct texts and the place of every record's text among them.

What is done with a text (counting, reading, looking it up) is done once for each that occurs. A
record then costs one look-up of a small number.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.table.typed_columns import all_texts

FEW = 1000
"""Up to this many texts Python is faster than Polars; a table may have thousands of columns."""
_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
_WIDE = 4
"""Whole numbers are coded by a table if their range has fewer than this many numbers per record."""


def text_series(values: Iterable[str]) -> pl.Series:
    """Return texts as a Polars series; a series is returned as it is."""
    if isinstance(values, pl.Series):
        return values
    return pl.Series(list(values), dtype=pl.String)


def without_spaces(text: str) -> str:
    """Return a text without the white space around it that `strip_chars` of a series removes."""
    return text.strip(_SPACES)


def coded_series(name: str, texts: pl.Series) -> pl.Series:
    """Return distinct texts as a `pl.Enum` column, which stores them by number."""
    return texts.cast(pl.Enum(texts)).alias(name)


@dataclass(frozen=True, eq=False)
class Cells:
    """A column of some records as distinct texts and the place of every record's text."""

    texts: pl.Series
    """The distinct texts, all of which occur."""
    places: npt.NDArray[np.integer]
    """The place of each record's text among the texts, in the smallest type that holds it."""

    @classmethod
    def from_series(
        cls, column: pl.Series, who: str, days: Collection[str] | None = None
    ) -> "Cells":
        """Return the cells of a column of any type, printed as `all_texts` prints them."""
        if column.dtype in _WHOLE and not column.has_nulls() and len(column):
            numbers = column.to_numpy().astype(np.int64)
            low = int(numbers.min())
            if int(numbers.max()) - low < _WIDE * len(numbers):
                return cls._of_near_numbers(column, numbers - low, low, who)
        texts = column
        if column.dtype != pl.String or column.has_nulls():
            texts = all_texts(column.to_frame(), who, days).to_series()
        own = pl.Categories.random()
        coded = texts.cast(pl.Categorical(own))  # freed with the last column that uses it
        places = coded.to_physical().to_numpy()
        distinct = own.to_series().rename(column.name)
        return cls(distinct, places.astype(_smallest(len(distinct))))

    @classmethod
    def _of_near_numbers(cls, column: pl.Series, above: Int64s, low: int, who: str) -> Self:
        occur = np.flatnonzero(np.bincount(above))
        kind = _smallest(len(occur))
        place = np.zeros(int(occur[-1]) + 1, dtype=kind)
        place[occur] = np.arange(len(occur), dtype=kind)
        distinct = pl.Series(column.name, occur + low, dtype=column.dtype)
        return cls(all_texts(distinct.to_frame(), who).to_series(), place[above])

    def __len__(self) -> int:
        return len(self.places)

    @property
    def codes(self) -> Int32s:
        """The place of each record's text, as codes of columns are typed."""
        return self.places.astype(np.int32)

    @property
    def records(self) -> Int64s:
        """The number of records that have each text."""
        return np.bincount(self.places, minlength=len(self.texts))


Columns = Mapping[str, Cells]
"""The cells of some records by column."""


def records_in(columns: Columns) -> int:
    """Return the number of records of some columns."""
    return len(next(iter(columns.values()))) if columns else 0


def _smallest(count: int) -> type[np.unsignedinteger]:
    """Return the smallest unsigned type that holds `count` different places."""
    return np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32


def incomplete_rows(
    frame: pl.DataFrame, names: Iterable[str], missing_tokens: Sequence[str]
) -> Flags:
    """Return which records of texts have a missing token in one of the named columns."""
    found = np.zeros(frame.height, dtype=bool)
    for name in names:
        found |= frame[name].cast(pl.String).is_in(list(missing_tokens)).to_numpy()
    return found
