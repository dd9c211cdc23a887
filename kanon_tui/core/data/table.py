"""A data file or a frame becomes a `Table`: every cell a text, exactly as it stood."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.data.column import MISSING_TOKENS, Column, code_column
from kanon_tui.core.data.content import Compression, load, too_large
from kanon_tui.core.data.csv_format import CsvFormat, Quoting, line_end_of, quoting_of
from kanon_tui.core.data.csv_text import parse_csv
from kanon_tui.core.data.encoding import to_utf8
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.data.sniffing import detect_dialect, first_records, has_header
from kanon_tui.core.data.value_formats import Format, ValueFormats
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.reading import usual_limit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FileFacts", "Table", "as_table", "is_parquet", "read_table", "table_of_text"]

MOST_COLUMNS = 200_000
"""No table of people is wider; one that is would take minutes to open, column by column."""
_BYTES_PER_CELL = 16  # of a text in a Polars column, besides its letters


@dataclass(frozen=True)
class FileFacts:
    """What a data file turned out to be; the last seven are None for Parquet."""

    format: Literal["csv", "tsv", "parquet"]
    compression: Compression | None
    bytes: int
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    quote: str | None = None
    space_after_delimiter: bool | None = None
    line_end: str | None = None
    quoting: Quoting | None = None

    @property
    def csv(self) -> CsvFormat | None:
        """How the file is written, where it is a text."""
        if self.delimiter is None or self.encoding is None:
            return None
        quote = self.quote if self.quote in ('"', "'") else '"'
        return CsvFormat(
            self.delimiter,
            self.encoding,
            self.line_end or "\n",
            quote,
            self.quoting or "necessary",
        )


@dataclass(frozen=True, eq=False)
class Table:
    """Records of texts; nothing is null, and a missing cell holds one of the missing tokens."""

    frame: pl.DataFrame
    facts: FileFacts | None = None
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    formats: ValueFormats = field(default_factory=ValueFormats)  # how numbers, dates are written
    kept: NDArray[np.int64] | None = None  # after `drop_missing`: where each record stood before
    # Coding a column takes a while on a large table, and screens ask for the same one again.
    _coded: dict[tuple[str, Kind, Format | None], Column] = field(
        init=False, repr=False, default_factory=dict
    )

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns, in file order; a frame makes them anew whenever it is asked."""
        return self.frame.columns

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of the columns, to look one up."""
        return frozenset(self.names)

    @property
    def height(self) -> int:
        """The number of records."""
        return self.frame.height

    def row_of(self, record: int) -> int:
        """The row of the file, as a spreadsheet numbers it, in which a record stands."""
        before = record if self.kept is None else int(self.kept[record])
        return before + (2 if self.facts and self.facts.header else 1)

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """One attribute as codes; a category has no use for a format."""
        self._check_names([name])
        key = (name, kind, format if kind.ordered else None)
        if key not in self._coded:
            texts = self.frame[name]
            self._coded[key] = code_column(
                texts, kind, self.missing_tokens, key[2], self.formats, self.row_of
            )
        return self._coded[key]

    def missing_cells(self) -> dict[str, int]:
        """How many cells of each column are missing."""
        counts = self.frame.select(pl.all().is_in(list(self.missing_tokens)).sum())
        return {name: int(count) for name, count in zip(self.names, counts.row(0), strict=True)}

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """The records in which none of these columns is missing, and how many were dropped."""
        columns = list(columns)
        self._check_names(columns)
        if not columns:
            return self, 0
        tokens = list(self.missing_tokens)
        cells = self.frame.select(self.frame[name] for name in columns)  # a name is no pattern
        complete = cells.select(~pl.any_horizontal(pl.all().is_in(tokens))).to_series()
        dropped = self.height - int(complete.sum())
        if not dropped:
            return self, 0
        places = np.arange(self.height) if self.kept is None else self.kept
        kept = places[complete.to_numpy()]
        return replace(self, frame=self.frame.filter(complete), kept=kept), dropped

    def _check_names(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.known:
                raise InputError(f"no column is called '{name}'; {suggestion(name, self.names)}")


# -------------------------------------------------------------------------------------- files
def read_table(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008
    """Read a CSV, TSV or Parquet file; CSV and TSV may be compressed with gzip or zstd."""
    path = Path(path)
    data, compression, size = load(path, options.limit)
    if is_parquet(data, path):
        frame = _all_texts(_parquet(data, path, options.limit), path.name)
        _check_size(frame, path.name, "")
        return Table(
            frame,
            FileFacts("parquet", compression, size),
            options.missing_tokens,
            options.formats,
        )

    text, encoding = to_utf8(data, options.encoding, path.name)
    del data
    return table_of_text(
        text, options, path, FileFacts("csv", compression, size, encoding=encoding)
    )


def is_parquet(data: bytes, path: Path) -> bool:
    """Whether the content of a file is Parquet, or should be by its name."""
    return data.startswith(b"PAR1") or path.suffix.lower() == ".parquet"


def table_of_text(text: bytes, options: ReadOptions, path: Path, facts: FileFacts) -> Table:
    """The table in a text; `facts` are what is known of the file so far."""
    dialect = detect_dialect(
        text, options.delimiter, options.quote, options.space_after_delimiter, path.name
    )
    sample = first_records(text, dialect)
    if not sample:
        raise InputError(f"{path.name} holds only blank lines; it needs at least one record")
    _check_width(len(sample[0]), path.name)
    header = options.header
    if header == "auto":
        header = has_header(sample, options.missing_tokens)
    line_end, quoting = line_end_of(text), quoting_of(text, dialect)
    cells = parse_csv(text, dialect, len(sample[0]), path.name)
    del text
    named = header is True
    frame = cells.slice(1) if named else cells
    frame.columns = _names(_first_row(cells) if named else header, cells.width, path.name)
    _check_size(frame, path.name, " below its header; if the first row is data, set header: false")
    facts = replace(
        facts,
        format="tsv" if dialect.delimiter == "\t" else "csv",
        delimiter=dialect.delimiter,
        header=named,
        quote=dialect.quote or "none",
        space_after_delimiter=dialect.spaces,
        line_end=line_end,
        quoting=quoting,
    )
    formats = replace(options.formats, points_may_group=dialect.delimiter == ";")
    return Table(frame, facts, options.missing_tokens, formats)


def _parquet(data: bytes, path: Path, limit: int | Literal["auto"]) -> pl.DataFrame:
    """All columns; a few bytes can stand for billions of cells, so these are counted first."""
    allowed = usual_limit() if limit == "auto" else limit
    try:
        file = pl.scan_parquet(io.BytesIO(data))
        width = len(file.collect_schema())
        _check_width(width, path.name)
        cells = width * int(file.select(pl.len()).collect().item())
        if cells * _BYTES_PER_CELL > allowed:
            raise too_large(path, allowed, limit == "auto")
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise InputError(
            f"{path.name} is not a readable Parquet file; get a whole copy, or rename it if it is "
            "CSV"
        ) from None


def _first_row(cells: pl.DataFrame) -> Sequence[str]:
    """The names in a header; `a, b, c` are typed with layout even above records without it."""
    first, *others = cells.row(0)
    if all(name.startswith(" ") for name in others):
        others = [name.lstrip(" ") for name in others]
    return [first, *others]


def _names(given: Sequence[str] | bool, width: int, file: str) -> list[str]:
    if isinstance(given, bool):
        return [f"column_{place}" for place in range(1, width + 1)]
    if len(given) != width:
        raise InputError(
            f"{file} has {width} columns, but header names {len(given)}; name every column once"
        )
    seen: dict[str, int] = {}
    for place, name in enumerate(given, 1):
        if not name.strip():
            raise InputError(
                f"{file}: column {place} has no name; give every column one, "
                "in the first row or as a list for header"
            )
        if name in seen:
            raise InputError(
                f"{file}: columns {seen[name]} and {place} are both called '{name}'; "
                "give every column a name of its own"
            )
        seen[name] = place
    return list(given)


def _check_width(width: int, file: str) -> None:
    if width > MOST_COLUMNS:
        raise InputError(
            f"{file} has {width:,} columns, and Kanon reads {MOST_COLUMNS:,} at most; leave out "
            "columns that are not to be published, or turn the table if its records are columns"
        )


def _check_size(frame: pl.DataFrame, who: str, where: str) -> None:
    if not frame.width or not frame.height:
        raise InputError(f"{who} has no {'columns' if not frame.width else 'records'}{where}")


# ------------------------------------------------------------------------------------- frames
def as_table(
    data: pl.DataFrame | pd.DataFrame | Table, missing_tokens: Sequence[str] | None = None
) -> Table:
    """A table from a Polars or pandas frame; null and NaN become the empty text."""
    if isinstance(data, Table):
        tokens = data.missing_tokens if missing_tokens is None else tuple(missing_tokens)
        return replace(data, missing_tokens=tokens)
    if not isinstance(data, pl.DataFrame):
        data = _from_pandas(data)
    frame = _all_texts(data, "the frame")
    _check_size(frame, "the frame", "")
    return Table(frame, None, MISSING_TOKENS if missing_tokens is None else tuple(missing_tokens))


def _all_texts(frame: pl.DataFrame, who: str) -> pl.DataFrame:
    _names(frame.columns, frame.width, who)
    return pl.DataFrame([_texts(column, who) for column in frame.iter_columns()])


def _texts(column: pl.Series, who: str) -> pl.Series:
    """Cells printed as a person writes them: days without a clock when all are at midnight."""
    kind = column.dtype
    refusal = InputError(
        f"{who}: column '{column.name}' holds {kind} values, which are no cells of a table; "
        "turn it into text, numbers or dates"
    )
    if kind.is_nested():
        raise refusal
    if kind.is_float():
        column = column.fill_nan(None)
    if kind == pl.Datetime:
        midnight = (column.dt.time().drop_nulls() == time(0)).all()
        column = column.dt.to_string("%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M:%S%.f")
    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        raise refusal from None


def _from_pandas(data: pd.DataFrame) -> pl.DataFrame:
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        raise InputError(f"a table must be a Polars or pandas frame, not {type(data).__name__}")
    names = _names([str(name) for name in data.columns], data.shape[1], "the frame")  # no doubles
    series = [data.iloc[:, place] for place in range(data.shape[1])]
    return pl.DataFrame([_pandas_cells(n, s) for n, s in zip(names, series, strict=True)])


def _pandas_cells(name: str, cells: pd.Series) -> pl.Series:
    import pandas as pd

    missing = cells.isna().to_numpy()
    if isinstance(cells.dtype, pd.DatetimeTZDtype):
        cells = cells.dt.tz_localize(None)  # as printed, not moved to another zone
    kind = getattr(cells.dtype, "kind", "O")
    if isinstance(cells.dtype, np.dtype) and kind in "biuf":
        numbers = cells.to_numpy()
        given = numbers[~missing]
        exact = (given % 1 == 0) & (np.abs(given) < 2**53)
        whole = kind == "f" and missing.any() and exact.all()
        column = pl.Series(name, numbers, nan_to_null=True)
        # pandas turns integers into floats to hold a gap: 39.0 was 39 in the file.
        return column.cast(pl.Int64, strict=False) if whole else column
    if isinstance(cells.dtype, np.dtype) and kind == "M":
        return pl.Series(name, cells.to_numpy().astype("datetime64[us]"))
    objects = cells.to_numpy(dtype=object)
    texts = [None if gap else str(cell) for cell, gap in zip(objects, missing, strict=True)]
    return pl.Series(name, texts, dtype=pl.String)
