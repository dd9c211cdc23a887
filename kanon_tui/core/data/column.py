"""A column of texts becomes integer codes, with numbers or days beside them.

The texts are what is published, so they are never rewritten: `01`, `1` and `1.0` stay three values.
Algorithms work on the codes, and a value's code is its rank, so that for numbers and dates
comparing codes compares the values themselves.

The work is done on the distinct texts, not on the cells: find them, sort them by what they mean,
and join the codes back. That costs O(n) hashing plus a sort of the distinct texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.data.schema import Kind
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.text import quoted_list

__all__ = [
    "DATE_FORMATS",
    "MISSING_TOKENS",
    "Column",
    "code_column",
    "date_formats",
    "parse_dates",
    "parse_numbers",
]

MISSING_TOKENS = ("", "?", "NA")

DATE_FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_COMMA_NUMBER = r"^[+-]?([0-9]+,?[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?$"
_MAYBE_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"  # 1,234: a thousand or a bit over one?
_CLOCK = (
    r"[T ]+([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?"
    r"(?: *(?:Z|[+-][0-9]{2}:?[0-9]{2}))?$"
)
_ZONE = r" *(Z|[+-][0-9]{2}:?[0-9]{2})$"
_CLOCK_DIRECTIVES = ("%H", "%I", "%k", "%l", "%M", "%S", "%T", "%R", "%r")
_SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute as codes: `values[codes[i]]` is the cell of record i.

    Missing cells are one value whatever token stood there: the last one, printed as the first
    token (in the order of the tokens) that occurs.
    """

    name: str
    kind: Kind
    codes: NDArray[np.int32]  # one per record, an index into values
    values: tuple[str, ...]  # distinct texts: by (number, text), categories by text; missing last
    numbers: Floats | None  # per value: the number, or days since 1970-01-01; nan for missing
    missing: int | None  # code of the missing value
    date_format: str | None = None  # how its dates are written
    decimal_comma: bool = False  # whether its numbers have a comma where others have a point

    def parse(self, texts: Iterable[str]) -> Floats:
        """The numbers (or days) these texts stand for in this column, nan where for none.

        Besides the column's own form, a decimal point and a date like 1995-09-20 are understood.
        """
        wanted = _series(texts)
        if self.kind is Kind.DATE:
            days = parse_dates(wanted, "%Y-%m-%d")
            if self.date_format is not None:
                own = parse_dates(wanted, self.date_format)
                days = np.where(np.isnan(own), days, own)
            return days
        if self.decimal_comma:
            wanted = wanted.str.replace(",", ".", literal=True)
        return parse_numbers(wanted)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every value."""
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each value."""
        return np.bincount(self.codes, minlength=len(self.values))


def code_column(
    texts: pl.Series,
    kind: Kind,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
    date_format: str | None = None,
    row_of: Callable[[int], int] = lambda record: record + 1,
) -> Column:
    """The codes of a column of texts; `row_of` turns a record's index into a row for messages.

    >>> code_column(pl.Series("age", ["40", "9", "?", "9.0"]), Kind.NUMERIC).values
    ('9', '9.0', '40', '?')
    """
    distinct = texts.unique()
    is_missing = distinct.is_in(list(missing_tokens))
    present = distinct.filter(~is_missing)
    missing_texts = set(distinct.filter(is_missing).to_list())

    table = pl.DataFrame({"text": present})
    if kind.ordered:
        if kind is Kind.NUMERIC:
            numbers = parse_numbers(present)
        else:
            date_format = date_format or _only_date_format(texts.name, present)
            numbers = parse_dates(present, date_format)
        unreadable = present.filter(np.isnan(numbers))
        if unreadable.len():
            raise _unreadable(texts, unreadable, kind, date_format, row_of)
        table = table.with_columns(number=numbers).sort("number", "text")
    else:
        table = table.sort("text")

    values = table["text"].to_list()
    codes = {"text": table["text"], "code": np.arange(len(values), dtype=np.int32)}
    lookup = pl.DataFrame(codes)
    missing = None
    if missing_texts:
        missing = len(values)
        values.append(next(token for token in missing_tokens if token in missing_texts))
        lookup = lookup.vstack(
            pl.DataFrame(
                {"text": sorted(missing_texts), "code": [missing] * len(missing_texts)},
                schema=lookup.schema,
            )
        )
    coded = texts.to_frame("text").join(lookup, on="text", how="left", maintain_order="left")
    return Column(
        name=texts.name,
        kind=kind,
        codes=coded["code"].to_numpy(writable=True),
        values=tuple(values),
        numbers=_with_missing(table["number"], missing) if kind.ordered else None,
        missing=missing,
        date_format=date_format if kind is Kind.DATE else None,
        decimal_comma=kind is Kind.NUMERIC and _decimal_comma(present.str.strip_chars()),
    )


def parse_numbers(values: Iterable[str]) -> Floats:
    """The number each text stands for, nan where it stands for none.

    Read are integers and decimals with sign and exponent, spaces around them ignored; `NaN` and
    `inf` are words, not numbers. The decimal sign is a point, or a comma when all the texts
    together leave no doubt: none has a point, and at least one has a comma that cannot group
    thousands (`1,5`, `0,125`). Thousands separators are never assumed: `1,234` alone is no number.
    """
    texts = _series(values).str.strip_chars()
    if _decimal_comma(texts):
        texts = texts.str.replace(",", ".", literal=True)
    readable = texts.str.contains(_NUMBER)
    numbers = texts.set(~readable, None).cast(pl.Float64, strict=False).fill_null(np.nan)
    found = numbers.to_numpy(writable=True)
    found[np.isinf(found)] = np.nan  # 1e999 is more than a double holds
    return found + 0.0  # so that -0 is 0 and sorts by its text


def _decimal_comma(texts: pl.Series) -> bool:
    commas = texts.filter(texts.str.contains(",", literal=True))
    if not commas.len() or texts.str.contains(".", literal=True).any():
        return False
    return bool(
        commas.str.contains(_COMMA_NUMBER).all() and not commas.str.contains(_MAYBE_THOUSANDS).all()
    )


def parse_dates(values: Iterable[str], date_format: str) -> Floats:
    """Days since 1970-01-01 of each text, nan where it is no date of this format.

    A clock time after the date counts as a fraction of the day. A time zone is ignored: the date
    and time are taken as printed, so nothing moves to another day. Years have four digits
    (1000-9999), which keeps `%Y` from reading `01/02/20` as a date in the year 20.
    """
    texts = _series(values).str.strip_chars()
    if any(directive in date_format for directive in _CLOCK_DIRECTIVES):
        if date_format.endswith("%z"):
            date_format = date_format.removesuffix("%z").rstrip()
            texts = texts.str.replace(_ZONE, "")
        try:
            moments = texts.str.to_datetime(date_format, strict=False, time_unit="us")
        except pl.exceptions.PolarsError:
            raise InputError(
                f"the date format '{date_format}' cannot be used; "
                "write one like '%Y-%m-%d %H:%M:%S' (hours need minutes)"
            ) from None
        moments = moments.dt.replace_time_zone(None)
        years = moments.dt.year()
        days = moments.dt.timestamp("us").to_numpy() / (_SECONDS_PER_DAY * 1e6)
    else:
        dates = texts.str.replace(_CLOCK, "").str.to_date(date_format, strict=False)
        years = dates.dt.year()
        days = dates.to_physical().cast(pl.Float64).to_numpy() + _fraction_of_day(texts)
    plausible = years.is_between(1000, 9999).fill_null(False).to_numpy()
    return np.where(plausible, days, np.nan)


def _fraction_of_day(texts: pl.Series) -> Floats:
    """How much of the day has passed at the clock time that ends each text, 0 if none does."""
    clock = texts.str.extract_groups(_CLOCK).struct.unnest()
    hours, minutes, seconds = clock.cast(pl.Float64).fill_null(0.0)
    return (hours * 3600 + minutes * 60 + seconds).to_numpy() / _SECONDS_PER_DAY


def date_formats(values: Iterable[str]) -> tuple[str, ...]:
    """The formats that read every text as a date and differ in what they read.

    None: these are not dates. One: this is it. Two: `03/04/2020` is in April or in March, and
    only a person can tell.
    """
    texts = _series(values)
    if not texts.len() or not texts.str.contains("[0-9]{4}").all():  # every format has a full year
        return ()
    found: list[tuple[str, Floats]] = []
    for date_format in DATE_FORMATS:
        if np.isnan(parse_dates(texts.head(50), date_format)).any():
            continue
        days = parse_dates(texts, date_format)
        if not np.isnan(days).any() and not any(np.array_equal(days, d) for _, d in found):
            found.append((date_format, days))
    return tuple(date_format for date_format, _ in found)


def _only_date_format(name: str, present: pl.Series) -> str:
    """The one date format of a column, or an error that says why there is none."""
    formats = date_formats(present)
    if len(formats) > 1:
        raise InputError(
            f"{name}: {quoted_list(sorted(present)[:1])} and all other dates can be read as "
            f"{' or as '.join(formats)}; set format to the right one"
        )
    # Without a format that reads all, the most frequent spelling shows which values are amiss.
    return formats[0] if formats else _closest_format(present)


def _closest_format(present: pl.Series) -> str:
    readable = {f: int((~np.isnan(parse_dates(present, f))).sum()) for f in DATE_FORMATS}
    return max(readable, key=lambda date_format: readable[date_format])


def _unreadable(
    texts: pl.Series,
    unreadable: pl.Series,
    kind: Kind,
    date_format: str | None,
    row_of: Callable[[int], int],
) -> InputError:
    at_fault = texts.is_in(unreadable.to_list())
    first = at_fault.arg_max() or 0
    several = unreadable.len() > 1
    what = "numbers" if several else "a number"
    if kind is Kind.DATE:
        what = f"{'dates' if several else 'a date'} of the format {date_format}"
    where = f"{'first ' if at_fault.sum() > 1 else ''}in row {row_of(first):,}"
    shown = quoted_list(texts.filter(at_fault).unique(maintain_order=True))
    remedy = "set format, " if kind is Kind.DATE else ""
    return InputError(
        f"{texts.name}: {shown} {'are' if several else 'is'} not {what} ({where}); {remedy}"
        f"set kind: categorical, or add {'them' if several else 'it'} to the missing tokens"
    )


def _with_missing(numbers: pl.Series, missing: int | None) -> Floats:
    found = numbers.cast(pl.Float64).to_numpy()
    return found.copy() if missing is None else np.append(found, np.nan)


def _series(values: Iterable[str]) -> pl.Series:
    if isinstance(values, pl.Series):
        return values
    return pl.Series(list(values), dtype=pl.String)
