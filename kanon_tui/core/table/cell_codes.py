"""Cells of a column as its distinct texts and the place of every record's text among them.

What is done with a text (counting, reading, looking it up) is done once for each that occurs. A
record then costs one look-up of a small number.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.table.atomic_files import writing_errors
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
    def from_series(cls, column: pl.Series, who: str, days: Collection[str] | None = None) -> Cells:
        """Return the cells of a column of any type, printed as `all_texts` prints them."""
        if isinstance(column.dtype, pl.Enum):
            return cls._of_coded(column, column.dtype.categories)
        if column.dtype in _WHOLE and not column.has_nulls() and len(column):
            numbers = column.to_numpy().astype(np.int64)
            low = int(numbers.min())
            if int(numbers.max()) - low < _WIDE * len(numbers):
                return cls._of_near_numbers(column, numbers - low, low, who)
        texts = column
        if column.dtype != pl.String or column.has_nulls():
            texts = all_texts(column.to_frame(), who, days).to_series()
        categories = pl.Categories.random()
        coded = texts.cast(pl.Categorical(categories))  # freed with the last column that uses it
        places = coded.to_physical().to_numpy()
        distinct = categories.to_series().rename(column.name)
        return cls(distinct, places.astype(_smallest(len(distinct))))

    @classmethod
    def _of_coded(cls, column: pl.Series, texts: pl.Series) -> Self:
        """Return the cells of a coded column; its numbers stay where they are."""
        places = column.to_physical().to_numpy()
        is_present = counts_of_codes(places, texts.len()) > 0
        if is_present.all():
            return cls(texts.alias(column.name), places)
        number = np.cumsum(is_present, dtype=_smallest(texts.len())) - 1
        return cls(texts.filter(pl.Series(is_present)).alias(column.name), number[places])

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
        return counts_of_codes(self.places, len(self.texts))


_NARROW = ((0xFF, np.uint8), (0xFFFF, np.uint16))
"""The most texts of a column that Polars numbers by each type; beyond, by 32 bits."""
Codes = npt.NDArray[np.integer]
SLICE = 1 << 20
"""Records of which numbers are copied at a time between memory and files."""


def narrowest(count: int) -> type[np.unsignedinteger]:
    """Return the type by which Polars numbers so many distinct texts."""
    return next((number for most, number in _NARROW if count <= most), np.uint32)


class NumberArray:
    """Numbers, one per record, that are appended in pieces and read as one array."""

    def __init__(self, folder: Path | None, number: npt.DTypeLike) -> None:
        """Take the folder of the file, or None for memory, and the type of the numbers."""
        self.type = np.dtype(number)
        self._folder = folder
        self._length = 0
        self._parts: list[Codes] = []
        self._file: IO[bytes] | None = None
        if folder is not None:
            with writing_errors(folder):
                self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115

    def append(self, numbers: Codes) -> None:
        """Append numbers, which must fit into the type."""
        numbers = np.ascontiguousarray(numbers, dtype=self.type)
        self._length += len(numbers)
        if self._file is None:
            self._parts.append(numbers)
            return
        assert self._folder is not None
        with writing_errors(self._folder):
            unwritten = numbers.view(np.uint8).data
            while len(unwritten):
                unwritten = unwritten[self._file.write(unwritten) :]

    def array(self) -> Codes:
        """Return all numbers as one array, in memory or mapped from the file."""
        if not self._length:
            return np.empty(0, dtype=self.type)
        if self._file is None:
            self._parts = [np.concatenate(self._parts)]
            return self._parts[0]
        return np.asarray(np.memmap(self._file, self.type, "r", shape=(self._length,)))

    def widened(self, number: npt.DTypeLike) -> NumberArray:
        """Return the same numbers in a wider type."""
        wider = NumberArray(self._folder, number)
        numbers = self.array()
        for piece in slices_of(self._length):
            wider.append(numbers[piece])
        return wider


def codes_of_places(codes: Int32s, places: Codes, folder: Path | None) -> Int32s:
    """Return the code of every record, given the code of every text and the records' texts."""
    if folder is None:
        return codes[places]
    numbers = NumberArray(folder, np.int32)
    for piece in slices_of(len(places)):
        numbers.append(codes[places[piece]])
    return numbers.array().astype(np.int32, copy=False)


def taken(column: pl.Series, rows: npt.NDArray[np.int64], folder: Path | None) -> pl.Series:
    """Return some records of a column, in this order."""
    if folder is None or not isinstance(column.dtype, pl.Enum):
        return column.gather(rows)
    places = column.to_physical().to_numpy()
    numbers = NumberArray(folder, places.dtype)
    for piece in slices_of(len(rows)):
        numbers.append(places[rows[piece]])
    return pl.Series(column.name, numbers.array()).cat.to(column.dtype)


def slices_of(length: int) -> Iterator[slice]:
    """Yield slices of `SLICE` records that cover so many."""
    for begin in range(0, length, SLICE):
        yield slice(begin, min(begin + SLICE, length))


def counts_of_codes(codes: Codes, least: int = 0) -> Int64s:
    """Return how many records have each code; narrow codes are not widened all at once."""
    counts = np.zeros(least, dtype=np.int64)
    for piece in slices_of(len(codes)):
        summed = np.bincount(codes[piece], minlength=len(counts))
        summed[: len(counts)] += counts
        counts = summed
    return counts


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
    is_incomplete = np.zeros(frame.height, dtype=bool)
    for name in names:
        cells = frame[name]
        if isinstance(cells.dtype, pl.Enum):
            tokens = cells.dtype.categories.is_in(list(missing_tokens)).to_numpy()
            is_incomplete |= tokens[cells.to_physical().to_numpy()]
        else:
            is_incomplete |= cells.is_in(list(missing_tokens)).to_numpy()
    return is_incomplete
