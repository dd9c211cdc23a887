"""Tables in memory: every cell is a text, exactly as it stood in the file; and their codes.

Coding a column gives every text a number, in the order of its kind, and refuses texts that cannot
be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.errors import InputError, Values, check_known
from kanon_tui.core.numeric import Floats, Int32s, random_words
from kanon_tui.core.table.cell_codes import (
    FEW,
    Cells,
    coded_series,
    codes_of_places,
    incomplete_rows,
    taken,
)
from kanon_tui.core.table.column import MISSING_TOKENS, Column, Kind
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.formats import FormatName
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import Dialect
from kanon_tui.core.table.typed_columns import all_texts, check_size, from_pandas
from kanon_tui.core.table.value_formats import PLAIN, Format, NumberFormat, ValueFormats, read_texts


def _in_exact_order(table: pl.DataFrame, format: NumberFormat) -> pl.DataFrame:
    """Sort numbers that a double cannot tell apart, such as those beyond 2^53, by all digits."""
    numbers = table["number"].to_numpy()
    alike = np.flatnonzero(np.diff(numbers) == 0)
    if not len(alike):
        return table
    places = np.unique(np.concatenate([alike, alike + 1]))
    texts = table["text"].gather(places).to_list()
    doubles = numbers[places].tolist()
    exact = format.exact(texts, doubles)
    order = np.arange(table.height)
    order[places] = [
        place for *_, place in sorted(zip(doubles, exact, texts, places.tolist(), strict=True))
    ]
    return table[order]


def _numbers(name: str, present: pl.Series, kind: Kind, format: Format) -> Floats:
    if isinstance(format, NumberFormat) is not (kind is Kind.NUMERIC):
        its = "of numbers" if isinstance(format, NumberFormat) else f"'{format}', for dates"
        raise InputError(
            f"{name}: its format is {its}, while its kind is {kind}; change one of them"
        )
    return read_texts(present, format)


def _unreadable_values(name: str, unreadable: pl.Series, format: Format, where: str) -> InputError:
    """Return the error for values that are no numbers or dates; `where` names a row with one."""
    several = unreadable.len() > 1
    values = Values(unreadable.to_list())
    dates = isinstance(format, str)
    what = ("dates" if several else "a date") if dates else ("numbers" if several else "a number")
    if format != PLAIN:
        what += f" of the format {format}" if dates else f" written like {format}"
    return InputError(
        f"{name}: {values} {'are' if several else 'is'} not {what} ({where}); "
        f"set format, set kind: categorical, or add {'them' if several else 'it'} to the missing "
        f"tokens"
    )


if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class FileFacts:
    """Facts about a data file; those of a text are None for other formats."""

    format: FormatName
    compression: str | None
    bytes: int
    header: bool | None = None
    dialect: Dialect | None = None
    csv: CsvFormat | None = None
    part: str | None = None  # the sheet or table that was read
    parts: tuple[str, ...] = ()  # all sheets or tables of the file
    skipped: int = 0  # lines before the header


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Records of texts; no cell is null, and a missing one holds one of the missing tokens."""

    frame: pl.DataFrame
    facts: FileFacts | None = None
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    formats: ValueFormats = field(default_factory=ValueFormats)  # how numbers, dates are written
    kept: NDArray[np.int64] | None = None  # after `drop_missing`: where each record stood before
    given_up: frozenset[str] = field(default=frozenset(), repr=False, kw_only=True)
    """Columns of which nothing is published and whose values were too many to keep."""
    spill: Path | None = field(default=None, repr=False, kw_only=True)
    """The folder for arrays of one number per record; None keeps them in memory."""
    # Coding a column of a large table takes a while, and screens ask for the same one repeatedly.
    _coded: dict[tuple[str, Kind, Format | None], Column] = field(
        init=False, repr=False, default_factory=dict
    )

    @classmethod
    def from_file(
        cls, frame: pl.DataFrame, facts: FileFacts, options: ReadOptions, **more: Any
    ) -> Self:
        """Return the table in a file that was read with these options.

        In a file cut by semicolons, whose decimal mark is mostly the comma, `1.234` may be 1234.
        """
        semicolons = facts.csv is not None and facts.csv.delimiter == ";"
        formats = replace(options.formats, points_may_group=semicolons)
        return cls(frame, facts, options.missing_tokens, formats, **more)

    def __repr__(self) -> str:
        """Describe the table without a value: tracebacks, logs and notebooks show it."""
        return (
            f"<{type(self).__name__} of {self.height:,} records and {self.frame.width:,} columns>"
        )

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns in file order, kept since a frame makes the list each time."""
        return self.frame.columns

    @cached_property
    def name_set(self) -> frozenset[str]:
        """The set of the names of the columns."""
        return frozenset(self.names)

    @property
    def height(self) -> int:
        """The number of records."""
        return self.frame.height

    def row_of(self, record: int) -> int:
        """Return the row of the file, as a spreadsheet numbers it, in which a record stands."""
        before = record if self.kept is None else int(self.kept[record])
        if self.facts is None:
            return before + 1
        return before + self.facts.skipped + (2 if self.facts.header else 1)

    def texts(self, name: str) -> pl.Series:
        """Return the cells of a column as texts, also of a packed table (`packed`)."""
        self._check_names([name])
        return self.frame[name].cast(pl.String)

    def column(self, name: str, kind: Kind, format: Format | None = None) -> Column:
        """Return one attribute as codes; the format of a category is ignored."""
        self._check_names([name])
        key = (name, kind, format if kind.ordered else None)
        if key not in self._coded:
            self._coded[key] = self._code(*key)
        return self._coded[key]

    def _code(self, name: str, kind: Kind, format: Format | None) -> Column:
        """Return a column as codes."""
        cells = Cells.from_series(self.frame[name], name)
        column, texts, codes = self._code_values(cells.texts, kind, format)
        places = cells.texts.cast(pl.Enum(texts)).to_physical().to_numpy()
        return replace(column, codes=codes_of_places(codes[places], cells.places, self.spill))

    def _code_values(
        self, distinct: pl.Series, kind: Kind, format: Format | None
    ) -> tuple[Column, pl.Series, Int32s]:
        """Return a column of distinct texts, without records; and all texts with their codes."""
        name = distinct.name
        is_missing = distinct.is_in(list(self.missing_tokens))
        present = distinct.filter(~is_missing)
        missing_texts = set(distinct.filter(is_missing).to_list())

        table = pl.DataFrame({"text": present})
        if kind.ordered:
            format = format or self.formats.only(name, present, kind)
            numbers = _numbers(name, present, kind, format)
            unreadable = present.filter(np.isnan(numbers))
            if unreadable.len():
                raise self._refuse(unreadable, format)
            table = table.with_columns(number=numbers).sort("number", "text")
            if isinstance(format, NumberFormat):
                table = _in_exact_order(table, format)
        else:
            table = table.sort("text")

        values = table["text"].to_list()
        texts = table["text"]
        codes = np.arange(len(values), dtype=np.int32)
        missing = None
        if missing_texts:
            missing = len(values)
            values.append(next(token for token in self.missing_tokens if token in missing_texts))
            texts = pl.concat([texts, pl.Series(sorted(missing_texts))])
            codes = np.append(codes, np.full(len(missing_texts), missing, dtype=np.int32))
        per_value: Floats | None = None
        if kind.ordered:
            per_value = np.append(table["number"].to_numpy(), [np.nan] * (missing is not None))
        column = Column(
            name=name,
            kind=kind,
            codes=np.empty(0, dtype=np.int32),
            values=tuple(values),
            numbers=per_value,
            missing=missing,
            date_format=format if isinstance(format, str) and kind is Kind.DATE else None,
            number_format=format if isinstance(format, NumberFormat) else PLAIN,
        )
        return column, texts, codes

    def _refuse(self, unreadable: pl.Series, format: Format) -> InputError:
        """Return the error for values that cannot be read."""
        return self._first_unreadable([self.texts(unreadable.name)], unreadable, format)

    def _first_unreadable(
        self, blocks: Iterable[pl.Series], unreadable: pl.Series, format: Format
    ) -> InputError:
        """Return the error for texts that are no numbers or dates, with the first row of one."""
        before = 0
        first = 0
        unreadable_cells = 0
        texts = unreadable.to_list()
        shown: dict[str, None] = {}
        for cells in blocks:
            at_fault = cells.is_in(texts)
            if not unreadable_cells and at_fault.any():
                first = before + (at_fault.arg_max() or 0)
            unreadable_cells += int(at_fault.sum())
            shown |= dict.fromkeys(cells.filter(at_fault).to_list())
            before += cells.len()
        where = f"{'first ' if unreadable_cells > 1 else ''}in row {self.row_of(first):,}"
        values = pl.Series(list(shown), dtype=pl.String)
        return _unreadable_values(unreadable.name, values, format, where)

    def coded_texts(self, name: str) -> Cells:
        """Return the cells of a column coded as they stood; an attribute's codes are used again."""
        for (coded_name, _, _), column in self._coded.items():
            if coded_name == name and column.keeps_every_text(self.frame[name]):
                return Cells(pl.Series(column.values, dtype=pl.String), column.codes)
        return Cells.from_series(self.frame[name], name)

    def coded_blocks(self, columns: Sequence[Column]) -> Iterator[tuple[Int32s, ...]]:
        """Yield the codes of these columns, which are one block."""
        yield tuple(column.codes for column in columns)

    def rows_at(self, records: NDArray[np.int64], names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the records with these numbers, which rise."""
        return self.frame[records].select(names)

    def first_rows(self, most: int, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of the first records, at most so many."""
        return self.frame.head(most).select(names).cast(pl.String)

    def present_values(self, name: str) -> tuple[pl.Series, int]:
        """Return the distinct values of a column that are not missing, and the number of cells."""
        tokens = list(self.missing_tokens)
        if self.frame.height > FEW:
            counts = self.occurrences(name)
            present = counts.filter(~counts["value"].is_in(tokens))
            return present["value"].alias(name), int(present["records"].sum())
        cells = [text for text in self.texts(name).to_list() if text not in tokens]
        return pl.Series(name, list(dict.fromkeys(cells)), dtype=pl.String), len(cells)

    def occurrences(self, name: str) -> pl.DataFrame:
        """Return every `value` of a column with the number of `records` that have it."""
        self._check_names([name])
        cells = self.frame[name]
        if not isinstance(cells.dtype, pl.Enum):
            return cells.alias("value").value_counts(name="records")
        coded = Cells.from_series(cells, name)
        return pl.DataFrame({"value": coded.texts, "records": coded.records})

    def missing_cells(self) -> dict[str, int]:
        """Return the number of missing cells of each column."""
        tokens = self.missing_tokens
        return {name: int(incomplete_rows(self.frame, [name], tokens).sum()) for name in self.names}

    def shuffled(self) -> Table:
        """Return the table with its records in an order by chance, which no seed repeats."""
        return self.take(np.argsort(random_words(self.height)))

    def take(self, records: NDArray[np.int64]) -> Self:
        """Return the table of some records, in this order."""
        columns = [taken(column, records, self.spill) for column in self.frame.iter_columns()]
        kept_rows = records if self.kept is None else self.kept[records]
        return replace(self, frame=pl.DataFrame(columns), kept=kept_rows)

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """Return the table without records in which one of these is missing, and their number."""
        columns = list(columns)
        self._check_names(columns)
        missing = incomplete_rows(self.frame, columns, self.missing_tokens)
        if not missing.any():
            return self, 0
        return self.take(np.flatnonzero(~missing)), int(missing.sum())

    def _check_names(self, names: Iterable[str]) -> None:
        for name in names:
            check_known(name, self.name_set, f"no column is called '{name}'")
            if name in self.given_up:
                raise InputError(
                    f"{name}: it has too many values to keep, and as an identifier nothing of it "
                    "is published; give it another role, so that it is read again"
                )


def code_column(
    texts: pl.Series,
    kind: Kind,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
    format: Format | None = None,
) -> Column:
    """Code a column of texts; without a `format` it is found from them.

    >>> code_column(pl.Series("age", ["40", "9", "?", "9.0"]), Kind.NUMERIC).values
    ('9', '9.0', '40', '?')
    """
    table = Table(texts.to_frame(), None, tuple(missing_tokens))
    return table.column(texts.name, kind, format)


def as_frame(
    data: pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | Mapping[str, Sequence[Any]],
) -> pl.DataFrame:
    """Return a table as a Polars frame: of Polars, pandas, Arrow, or lists by column name.

    Arrow tables are taken through the PyCapsule interface, which PyArrow, DuckDB and others have.
    """
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, Mapping):
        return _frame_of_lists(data)
    if hasattr(data, "__arrow_c_stream__") and not type(data).__module__.startswith("pandas"):
        return pl.DataFrame(data)
    return from_pandas(data)


def _frame_of_lists(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        first, length = next(iter(lengths.items()))
        other_name, other_length = next(item for item in lengths.items() if item[1] != length)
        raise InputError(
            f"the frame: column '{first}' has {length:,} cells and column '{other_name}' "
            f"{other_length:,}; give every column one cell per record"
        )
    try:
        return pl.DataFrame(dict(columns), strict=False)
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise InputError(
            f"the frame: its columns cannot be read ({type(error).__name__}); "
            "give lists of numbers, texts or dates by column name"
        ) from None


def as_table(
    data: pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | Table | Mapping[str, Any],
    missing_tokens: Sequence[str] | None = None,
) -> Table:
    """Return a table from a frame; null and NaN become the empty text."""
    if isinstance(data, Table):
        tokens = data.missing_tokens if missing_tokens is None else tuple(missing_tokens)
        return replace(data, missing_tokens=tokens)
    frame = all_texts(as_frame(data), "the frame")
    check_size(frame, "the frame", "")
    return Table(frame, None, MISSING_TOKENS if missing_tokens is None else tuple(missing_tokens))


def packed(table: Table) -> Table:
    """Return the table with its coded attributes as `pl.Enum` columns, which need less memory."""
    columns = {column.name: column for column in table.frame.iter_columns()}
    for (name, _, _), column in table._coded.items():
        if columns[name].dtype == pl.String and column.keeps_every_text(columns[name]):
            values = coded_series(name, pl.Series(column.values, dtype=pl.String))
            columns[name] = values.gather(column.codes.view(np.uint32))
    packed_table = replace(table, frame=pl.DataFrame(list(columns.values())))
    packed_table._coded.update(table._coded)
    return packed_table
