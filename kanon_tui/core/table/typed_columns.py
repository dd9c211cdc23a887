"""Typed columns of frames, databases and statistics files as texts, and texts as numbers again.

Every cell is printed as a person writes it: 34.0 as 34, 0.1 + 0.2 as 0.3, a gap as the empty text,
and moments that are all at midnight as days.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, check_known

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 200_000
"""The most columns of a table; a wider one would take minutes to open."""


class ColumnNamesError(InputError):
    """The error of columns without names of their own; `rename` would give them some."""

    def __init__(self, sentence: str, rename: Mapping[str, str]) -> None:
        super().__init__(sentence)
        self.rename = dict(rename)


def column_names(
    header: Sequence[str] | bool,
    width: int,
    file: str,
    rename: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the names of columns, each unique; numbered names where none are given.

    `rename` has new names. In it the second column called `Diagnose` is `Diagnose_2` and one
    without a name is `column_3`; where it does not name them, the columns are refused.
    """
    rename = rename or {}
    if isinstance(header, bool):
        header = [f"column_{place}" for place in range(1, width + 1)]
    if len(header) != width:
        raise InputError(
            f"{file} has {width} columns, but header names {len(header)}; name every column once"
        )
    names: dict[str, int] = {}
    wrong: dict[str, str] = {}
    for place, name in enumerate(header, 1):
        plain = unique_name = name if name.strip() else f"column_{place}"
        number = 1
        while unique_name in names or (number > 1 and unique_name in header):
            number += 1
            unique_name = f"{plain}_{number}"
        names[unique_name] = place
        if unique_name not in (name, *rename):
            same = f"columns {names[plain]} and {place} are both called '{name}'"
            wrong[unique_name] = same if name == plain else f"column {place} has no name"
    if wrong:
        first, why = next(iter(wrong.items()))
        raise ColumnNamesError(
            f"{file}: {why}; give every column a name of its own, in the first row, as a list for "
            f"header, or with data: {{rename: {{{first}: NEW NAME}}}}",
            {name: name for name in wrong},
        )
    for name in rename:
        check_known(name, names, f"{file}: data.rename: the data has no column '{name}'")
    renamed = [rename.get(name, name) for name in names]
    if len(set(renamed)) < width:
        twice = next(name for name in renamed if renamed.count(name) > 1)
        raise InputError(
            f"{file}: data.rename: two columns would be called '{twice}'; name one otherwise"
        )
    return renamed


def check_width(width: int, file: str) -> None:
    """Refuse a table that is too wide."""
    if width > MOST_COLUMNS:
        raise InputError(
            f"{file} has {width:,} columns, and Kanon reads {MOST_COLUMNS:,} at most; leave out "
            "columns that are not to be published, or turn the table if its records are columns"
        )


def check_size(frame: pl.DataFrame, who: str, where: str) -> None:
    """Refuse a table without columns or records."""
    if not frame.width or not frame.height:
        raise InputError(f"{who} has no {'columns' if not frame.width else 'records'}{where}")


def all_texts(frame: pl.DataFrame, who: str, days: Collection[str] | None = None) -> pl.DataFrame:
    """Return the cells of a frame as texts; null and NaN become the empty text.

    Moments are printed as days, without a clock, when all of a column are at midnight; `days` names
    these columns where the frame is not the whole table.
    """
    column_names(frame.columns, frame.width, who)
    return pl.DataFrame([_texts(column, who, days) for column in frame.iter_columns()])


def _texts(column: pl.Series, who: str, days: Collection[str] | None) -> pl.Series:
    kind = column.dtype
    if kind.is_nested():
        raise _not_a_cell(column.name, kind, who)
    if kind.is_float():
        column = column.fill_nan(None)
    if kind == pl.Datetime:
        midnight = (column.dt.time().drop_nulls() == time(0)).all()
        if days is not None:
            midnight = column.name in days
        column = column.dt.to_string("%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M:%S%.f")
    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        raise _not_a_cell(column.name, kind, who) from None


def from_pandas(data: pd.DataFrame) -> pl.DataFrame:
    """Return a pandas frame as a Polars frame."""
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        raise InputError(f"a table must be a Polars or pandas frame, not {type(data).__name__}")
    names = column_names(
        [str(name) for name in data.columns], data.shape[1], "the frame"
    )  # refuses equal names
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
        present_numbers = numbers[~missing]
        exact = (present_numbers % 1 == 0) & (np.abs(present_numbers) < 2**53)
        integers = kind == "f" and missing.any() and exact.all()
        column = pl.Series(name, numbers, nan_to_null=True)
        # pandas turns integers into floats to hold a gap: 39.0 was 39 in the file.
        return column.cast(pl.Int64, strict=False) if integers else column
    if isinstance(cells.dtype, np.dtype) and kind == "M":
        return pl.Series(name, cells.to_numpy().astype("datetime64[us]"))
    objects = cells.to_numpy(dtype=object)
    texts = [None if gap else str(cell) for cell, gap in zip(objects, missing, strict=True)]
    return pl.Series(name, texts, dtype=pl.String)


_EXACT = 2**53
_DIGITS = 15
_SINGLE_DIGITS = 7
_MIDNIGHT = r"^(\d{4}-\d\d-\d\d) 00:00:00$"
_MOMENT = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


def printed_column(
    values: Sequence[object], name: str, who: str, single: bool = False
) -> pl.Series:
    """Return values as texts; `single` limits numbers to the digits of a single-precision float.

    `name` and `who`, the column and its file, are for the refusal of what is no cell.
    """
    if set(map(type, values)) <= {str, type(None)}:
        return pl.Series(values, dtype=pl.String).fill_null("")
    printed_texts: dict[object, str] = {}
    texts = []
    for value in values:
        try:
            key = (type(value), value)  # without the type 1, 1.0 and True would be one key
            text = printed_texts.get(key)
        except TypeError:  # a list, a mapping
            raise _not_a_cell(name, type(value).__name__, who) from None
        if text is None:
            text = printed_texts[key] = _value_text(value, single, name, who)
        texts.append(text)
    return pl.Series(texts, dtype=pl.String)


def without_clocks(column: pl.Series) -> pl.Series:
    """Return texts without clock times where all moments of the column are at midnight."""
    moments = column.str.contains(_MOMENT)
    if not moments.any() or not (column.str.contains(_MIDNIGHT) | ~moments).all():
        return column
    return column.str.replace(_MIDNIGHT, "$1")


def _value_text(value: object, single: bool, name: str, who: str) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return number_text(value, _SINGLE_DIGITS if single else _DIGITS)
        case Decimal():
            return format(value, "f") if value.is_finite() else ""
        case datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")  # as printed, not moved
        case date() | time():
            return value.isoformat()
        case UUID():
            return str(value)
    raise _not_a_cell(name, type(value).__name__, who)


def number_text(number: float, digits: int = _DIGITS) -> str:
    """Return `34`, `12.5` or `0.0000001`: plain digits, at most `digits`; empty for nan."""
    if number != number or number in (float("inf"), float("-inf")):
        return ""
    if number == int(number) and abs(number) < _EXACT:
        return str(int(number))
    return format(Decimal(f"{number:.{digits}g}"), "f")


def _not_a_cell(name: str, kind: object, who: str) -> InputError:
    return InputError(
        f"{who}: column '{name}' holds {kind} values, which are no cells of a table; turn it into "
        "text, numbers or dates"
    )


_PLAIN_NUMBER = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]*[1-9])?$"
_MOST_DIGITS = 15


def numbers_of(column: pl.Series) -> pl.Series | None:
    """Return a column as numbers, null where a cell is empty; None unless all others are numbers.

    Only plain ones that print as they stood: `007`, `1.50`, `1e3` and what has more than 15 digits
    stay texts, so nothing that is read back differs from the release.
    """
    filled = column.filter(column != "")
    if not filled.len() or not filled.str.contains(_PLAIN_NUMBER).all():
        return None
    if (filled.str.count_matches("[0-9]") > _MOST_DIGITS).any() or (filled == "-0").any():
        return None
    kind = pl.Float64 if filled.str.contains(".", literal=True).any() else pl.Int64
    return column.replace("", None).cast(kind)


def with_numbers(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of texts with its columns of numbers as numbers (see `numbers_of`)."""
    typed = (numbers_of(column) for column in table.iter_columns())
    return table.with_columns(column for column in typed if column is not None)
