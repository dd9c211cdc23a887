"""From the texts of a column to codes, and the refusal of texts that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.cell_codes import Cells, Columns
from kanon_tui.core.table.column import CHANGED, MISSING_TOKENS, Column, Kind
from kanon_tui.core.table.numbers import PLAIN, NumberFormat
from kanon_tui.core.table.value_formats import Format, ValueFormats, read_texts
from kanon_tui.core.text import quoted_list


def code_column(
    texts: pl.Series,
    kind: Kind,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
    format: Format | None = None,
    formats: ValueFormats = ValueFormats(),  # noqa: B008
    row_of: Callable[[int], int] = lambda record: record + 1,
) -> Column:
    """Code a column of texts; `row_of` turns a record's index into a row number for messages.

    Without a `format` it is found from the texts, in the light of what `formats` says of the file.

    >>> code_column(pl.Series("age", ["40", "9", "?", "9.0"]), Kind.NUMERIC).values
    ('9', '9.0', '40', '?')
    """

    def refuse(unreadable: pl.Series, format: Format) -> InputError:
        return first_unreadable([texts], unreadable, format, row_of)

    cells = Cells.from_series(texts, texts.name)
    column, encoder = code_values(cells.texts, kind, missing_tokens, format, formats, refuse)
    return replace(column, codes=encoder.codes_of(cells.texts)[cells.places])


@dataclass(frozen=True, eq=False, repr=False)
class Encoder:
    """A mapping from the texts of a column to codes."""

    name: str
    texts: pl.Series
    """Every text that occurs, missing tokens included."""
    codes: NDArray[np.int32]
    """The code of every text."""
    size: int
    """The number of codes."""

    def __getstate__(self) -> dict[str, object]:
        """Return the fields without the Polars type, which is quickly made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def _kind(self) -> pl.Enum:
        return pl.Enum(self.texts)

    def codes_of(self, texts: pl.Series) -> NDArray[np.int32]:
        """Return the codes of texts, all of which must be known."""
        try:
            places = texts.cast(self._kind).to_physical()
        except pl.exceptions.PolarsError:
            raise InputError(CHANGED) from None
        return np.asarray(self.codes[places.to_numpy()], dtype=np.int32)

    def encode(self, columns: Columns) -> NDArray[np.int32]:
        """Return the codes of some records."""
        cells = columns[self.name]
        return np.asarray(self.codes_of(cells.texts)[cells.places], dtype=np.int32)

    def mapped(self, codes: Sequence[int] | NDArray[np.int32], size: int) -> Encoder:
        """Return the encoder with another code, of `size`, for each of its codes."""
        return replace(self, codes=np.asarray(codes, dtype=np.int32)[self.codes], size=size)


def code_values(
    distinct: pl.Series,
    kind: Kind,
    missing_tokens: Sequence[str],
    format: Format | None,
    formats: ValueFormats,
    refuse: Callable[[pl.Series, Format], InputError],
) -> tuple[Column, Encoder]:
    """Return a column of distinct texts, without records, and its encoder.

    `refuse` makes the error for texts that cannot be read.
    """
    name = distinct.name
    is_missing = distinct.is_in(list(missing_tokens))
    present = distinct.filter(~is_missing)
    missing_texts = set(distinct.filter(is_missing).to_list())

    table = pl.DataFrame({"text": present})
    if kind.ordered:
        format = format or formats.only(name, present, kind)
        numbers = _numbers(name, present, kind, format)
        unreadable = present.filter(np.isnan(numbers))
        if unreadable.len():
            raise refuse(unreadable, format)
        table = table.with_columns(number=numbers).sort("number", "text")
        if isinstance(format, NumberFormat):
            table = _in_exact_order(table, format)
    else:
        table = table.sort("text")

    values = table["text"].to_list()
    texts, codes = table["text"], np.arange(len(values), dtype=np.int32)
    missing = None
    if missing_texts:
        missing = len(values)
        values.append(next(token for token in missing_tokens if token in missing_texts))
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
    return column, Encoder(name, texts, codes, len(values))


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


def first_unreadable(
    blocks: Iterable[pl.Series], unreadable: pl.Series, format: Format, row_of: Callable[[int], int]
) -> InputError:
    """Return the error for texts of a column that are no numbers or dates, with the first row."""
    before, first, found, texts = 0, 0, 0, unreadable.to_list()
    shown: dict[str, None] = {}
    for cells in blocks:
        at_fault = cells.is_in(texts)
        if not found and at_fault.any():
            first = before + (at_fault.arg_max() or 0)
        found += int(at_fault.sum())
        shown |= dict.fromkeys(cells.filter(at_fault).to_list())
        before += cells.len()
    where = f"{'first ' if found > 1 else ''}in row {row_of(first):,}"
    values = pl.Series(list(shown), dtype=pl.String)
    return unreadable_values(unreadable.name, values, format, where)


def unreadable_values(name: str, unreadable: pl.Series, format: Format, where: str) -> InputError:
    """Return the error for values that are no numbers or dates; `where` names a row with one."""
    several = unreadable.len() > 1
    dates = isinstance(format, str)
    what = ("dates" if several else "a date") if dates else ("numbers" if several else "a number")
    if format != PLAIN:
        what += f" of the format {format}" if dates else f" written like {format}"
    return InputError(
        f"{name}: {quoted_list(unreadable)} {'are' if several else 'is'} not {what} ({where}); "
        f"set format, set kind: categorical, or add {'them' if several else 'it'} to the missing "
        f"tokens"
    )
