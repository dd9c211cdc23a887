"""Kinds and formats of values: numbers and dates as texts, formats chosen for a file or detected.

`1234.5`, `1.234,5`, `1 234,5` and `1'234.50` are numbers; a `NumberFormat` says which marks a
column writes them with. `1999-12-31`, `31.12.1999` and `12/31/1999` are dates, each with or without
a clock time.

A column has the format of its attribute (`format`) if that is given, else the format chosen for the
file if it reads every value, else the one that is detected in its values. Values that can be read
in two ways are refused, and the error names both.
"""

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache, cached_property
from typing import TypeVar

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, Value
from kanon_tui.core.fields.declaration import FieldType, declared, read_fields, text, write_fields
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.cell_codes import FEW, text_series, without_spaces
from kanon_tui.core.table.scaled_numbers import SAFE_DIGITS, ScaledNumbers


class Kind(StrEnum):
    """The kind of an attribute's values."""

    NUMERIC = "numeric"
    DATE = "date"
    CATEGORICAL = "categorical"

    @property
    def ordered(self) -> bool:
        """Whether values lie on a line, so that groups have a range."""
        return self is not Kind.CATEGORICAL


DECIMAL_MARKS = (".", ",")
THOUSANDS_MARKS = ("none", ".", ",", " ", "'")

_ALSO = {" ": " \u00a0\u2009\u202f", "'": "'\u2019"}  # variants of a space and an apostrophe
_MOST_DIGITS = 300
_PLAIN_TEXT = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class NumberFormat:
    """The marks of a number: before the decimals, and between the thousands."""

    decimal: str = declared(".", "The mark before the decimals", choices=DECIMAL_MARKS)
    thousands: str = declared(
        "none", "The mark between groups of three digits", choices=THOUSANDS_MARKS
    )

    def __str__(self) -> str:
        """Return an example number in this format: `1.234,5`."""
        return self.write("1234.5")

    @property
    def separator(self) -> str:
        """The text between two numbers of a range: no comma beside decimal commas."""
        return "; " if self.decimal == "," else ", "

    @cached_property
    def _pattern(self) -> str:
        decimal = re.escape(self.decimal)
        integer = "[0-9]+"
        if self.thousands != "none":
            integer = f"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{self._groups}[0-9]{{3}})+)"
        return rf"^[+-]?({integer}{decimal}?[0-9]*|{decimal}[0-9]+)([eE][+-]?[0-9]+)?$"

    @cached_property
    def _groups(self) -> str:
        """A regular expression for the characters that stand for the mark between thousands."""
        return f"[{re.escape(_ALSO.get(self.thousands, self.thousands))}]"

    def read(self, values: Iterable[str]) -> Floats:
        """Return the number each text stands for, nan where it stands for none.

        Read are integers and decimals with sign and exponent, spaces around them ignored; `NaN`
        and `inf` are words, not numbers.
        """
        series = text_series(values)
        if series.len() <= FEW:
            return self._read_few(series)
        texts = series.str.strip_chars()
        texts = texts.set(~texts.str.contains(self._pattern), None)
        if self.thousands != "none":
            texts = texts.str.replace_all(self._groups, "")
        if self.decimal != ".":
            texts = texts.str.replace(self.decimal, ".", literal=True)
        numbers = texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(writable=True)
        numbers[np.isinf(numbers)] = np.nan  # 1e999 is more than a double holds
        return numbers + 0.0  # so that -0 is 0 and sorts by its text

    def _read_few(self, texts: pl.Series) -> Floats:
        plain = map(self._plain, texts.to_list())
        numbers = np.array(
            [np.nan if plain_text is None else float(plain_text) for plain_text in plain],
            np.float64,
        )
        numbers[np.isinf(numbers)] = np.nan
        return numbers + 0.0

    def _plain(self, text: str) -> str | None:
        """Return a number as programs write it; None where the text is no number."""
        text = without_spaces(text)
        if not self._compiled.match(text):
            return None
        if self.thousands != "none":
            text = re.sub(self._groups, "", text)
        return text.replace(self.decimal, ".", 1)

    def exact(self, values: Iterable[str], numbers: Iterable[float]) -> list[Decimal]:
        """Return the numbers with all their digits; the doubles in `numbers` may have fewer.

        Numbers of hundreds of digits are taken as their doubles: nobody means them, and a table of
        them could fill the memory.
        """
        return [
            _exact(self._plain(text), number) for text, number in zip(values, numbers, strict=True)
        ]

    def scaled(self, values: Sequence[str], numbers: Iterable[float]) -> ScaledNumbers:
        """Return the numbers of texts as whole multiples of one power of ten, exactly.

        `numbers` are their doubles, as in `exact`.
        """
        quickly = self._scaled_quickly(values)
        if quickly is not None:
            return quickly
        return ScaledNumbers.from_decimals(self.exact(values, numbers))

    def _scaled_quickly(self, values: Sequence[str]) -> ScaledNumbers | None:
        """Return the same as `scaled` for plain numbers of few digits; None for others."""
        if len(values) <= FEW:
            return None
        texts = text_series(values).str.strip_chars()
        if not texts.str.contains(self._pattern).all():
            return None
        if self.thousands != "none":
            texts = texts.str.replace_all(self._groups, "")
        parts = texts.str.extract_groups(rf"^([+-]?[0-9]*){re.escape(self.decimal)}?([0-9]*)$")
        integers, fractions = parts.struct.unnest().get_columns()
        if integers.null_count() or fractions.null_count():
            return None
        is_zero = (integers + fractions).str.contains("^[+-]?0*$")
        places = fractions.str.len_bytes().set(is_zero, 0).max()
        decimals = int(places) if isinstance(places, int) else 0
        digits = integers.str.len_bytes().max()
        if not isinstance(digits, int) or digits + decimals > SAFE_DIGITS:
            return None
        units = (integers + fractions.str.slice(0, decimals).str.pad_end(decimals, "0")).cast(
            pl.Int64, strict=False
        )
        if units.null_count():
            return None
        return ScaledNumbers(units.to_numpy(), decimals)

    def as_range_end(self, text: str) -> str:
        """Return a number as the end of a range: `+7`, `.5`, `5.` and `1e2` are written plainly.

        Beside the two points of a range they could be misread: `[5...+7]`.
        """
        plain = self._plain(text)
        if plain is None or (text == without_spaces(text) and _PLAIN_TEXT.fullmatch(plain)):
            return text
        number = Decimal(plain)
        if not number:
            return "0"
        if abs(number.adjusted()) > _MOST_DIGITS:
            return plain.lstrip("+")
        return self.write(f"{number:f}")

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern.removesuffix("$") + r"\Z")

    def write(self, plain: str) -> str:
        """Return a number like `-16090.69` with these marks."""
        integer, point, decimals = plain.partition(".")
        if self.thousands != "none":
            integer = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", self.thousands, integer)
        return integer + (self.decimal + decimals if point else "")


def _exact(plain: str | None, number: float) -> Decimal:
    if plain is not None and len(plain) <= _MOST_DIGITS:
        decimal = Decimal(plain)
        if not decimal:
            return Decimal(0)
        if abs(decimal.adjusted()) <= _MOST_DIGITS:
            return decimal
    return Decimal(repr(float(number)))


PLAIN = NumberFormat()
NUMBER_FORMATS = (
    PLAIN,
    NumberFormat(","),
    NumberFormat(",", "."),
    NumberFormat(".", ","),
    NumberFormat(",", " "),
    NumberFormat(".", " "),
    NumberFormat(".", "'"),
    NumberFormat(",", "'"),
)
"""The formats in the order they are tried: of two that read the same numbers the first counts."""


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

_CLOCK = (
    r"[T ]+([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?"
    r"(?: *(?:Z|[+-][0-9]{2}:?[0-9]{2}))?$"
)
_ZONE = r" *(Z|[+-][0-9]{2}:?[0-9]{2})$"
_CLOCK_DIRECTIVES = ("%H", "%I", "%k", "%l", "%M", "%S", "%T", "%R", "%r")
_SECONDS_PER_DAY = 86_400


def parse_dates(values: Iterable[str], date_format: str) -> Floats:
    """Return the days since 1970-01-01 of each text, nan where it is no date of this format.

    A clock time after the date counts as a fraction of the day. A time zone is ignored: the date
    and time are taken as printed, so nothing moves to another day. Years have four digits
    (1000-9999), which keeps `%Y` from reading `01/02/20` as a date in the year 20.
    """
    texts = text_series(values).str.strip_chars()
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
        try:
            dates = texts.str.replace(_CLOCK, "").str.to_date(date_format, strict=False)
        except pl.exceptions.PolarsError:
            raise InputError(
                f"the date format '{date_format}' cannot be used; write one like '%d.%m.%Y'"
            ) from None
        years = dates.dt.year()
        days = dates.to_physical().cast(pl.Float64).to_numpy() + _fraction_of_day(texts)
    plausible = years.is_between(1000, 9999).fill_null(False).to_numpy()
    return np.where(plausible, days, np.nan)


def _fraction_of_day(texts: pl.Series) -> Floats:
    """Return the fraction of the day at the clock time that ends each text, 0 without one."""
    if not texts.str.contains(":", literal=True).any():
        return np.zeros(texts.len())
    clock = texts.str.extract_groups(_CLOCK).struct.unnest()
    hours, minutes, seconds = clock.cast(pl.Float64).fill_null(0.0)
    return (hours * 3600 + minutes * 60 + seconds).to_numpy() / _SECONDS_PER_DAY


@cache
def date_pattern(date_format: str) -> re.Pattern[str]:
    """Return a pattern that every text of a format begins with, to skip formats quickly."""
    day = r"\s*\d{1,2}(?!\d)"
    month = r"\s*\w+"
    parts = {"%Y": r"\s*[+-]?\d{4,}", "%m": day, "%d": day, "%b": month, "%B": month}
    pattern = re.escape(date_format).replace("\\ ", r"\s*")
    for directive, part in parts.items():
        pattern = pattern.replace(re.escape(directive), part)
    return re.compile(pattern)


def date_text(day: int, date_format: str | None) -> str:
    """Return a day, counted from 1970-01-01, as a column with this format writes it."""
    date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    if date_format is None or any(
        directive in date_format for directive in (*_CLOCK_DIRECTIVES, "%y")
    ):
        return date.isoformat()
    return date.strftime(date_format)


Format = str | NumberFormat
"""The format of values: a date format like `%d.%m.%Y`, or the marks of numbers."""

_FORMAT = (
    """a date format like '%d.%m.%Y', or the marks of numbers like {decimal: ",", thousands: "."}"""
)
_DATE_FORMAT = text("auto or a date format like '%d.%m.%Y'", empty=False)


def _read_format(located: LocatedValue) -> Format:
    if not isinstance(located.value, dict):
        return located.text(_FORMAT)
    number_format = read_fields(NumberFormat, located)
    if number_format.decimal == number_format.thousands:
        raise located.refuse(
            f"'{number_format.decimal}' cannot be the mark of decimals and of thousands; "
            "write thousands: none or another mark"
        )
    return number_format


FORMAT = FieldType(
    _FORMAT,
    _read_format,
    lambda value: text().write(value) if isinstance(value, str) else write_fields(value),
)
"""The format of an attribute, as a project writes it."""


AnyFormat = TypeVar("AnyFormat", bound=Format)
_SAMPLE = 50
_LIKE_A_NUMBER = re.compile(r"[+-]?[0-9.,][0-9.,eE+'\u2019 \u00a0\u2009\u202f-]*")
_POINT_MAY_GROUP = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"


def read_texts(texts: Iterable[str], format: Format) -> Floats:
    """Return the number or day that each text stands for, nan where it stands for none."""
    return format.read(texts) if isinstance(format, NumberFormat) else parse_dates(texts, format)


def closest_format(texts: pl.Series, formats: Iterable[AnyFormat]) -> AnyFormat:
    """Return the format that reads most of these texts; it shows what is wrong with the others."""
    return max(
        formats, key=lambda text_format: int((~np.isnan(read_texts(texts, text_format))).sum())
    )


def _formats_of(texts: pl.Series, formats: Iterable[AnyFormat]) -> tuple[AnyFormat, ...]:
    """Return the formats that read every text; of two that read the same the first."""
    if texts.len() > _SAMPLE:
        first = texts.head(_SAMPLE)
        formats = [
            text_format
            for text_format in formats
            if not np.isnan(read_texts(first, text_format)).any()
        ]
    return tuple(
        text_format for text_format, read in _differing(texts, formats) if not np.isnan(read).any()
    )


def _differing(texts: pl.Series, formats: Iterable[AnyFormat]) -> list[tuple[AnyFormat, Floats]]:
    """Return formats with what they read; of two that read the same the first."""
    differing: list[tuple[AnyFormat, Floats]] = []
    for text_format in formats:
        read = read_texts(texts, text_format)
        if not any(
            np.array_equal(read, earlier_read, equal_nan=True) for _, earlier_read in differing
        ):
            differing.append((text_format, read))
    return differing


@dataclass(frozen=True)
class ValueFormats:
    """The formats of a file's columns; what is `auto` is detected column by column."""

    decimal: str = declared(
        "auto", "The mark before the decimals of numbers", choices=("auto", *DECIMAL_MARKS)
    )
    thousands: str = declared(
        "auto",
        "The mark between groups of three digits of numbers",
        choices=("auto", *THOUSANDS_MARKS),
    )
    dates: str = declared("auto", "How dates are written", type=_DATE_FORMAT)
    points_may_group: bool = False
    """Whether `1.234` alone may be a thousand: so in files cut by semicolons, whose decimal mark
    is mostly the comma."""

    @property
    def _numbers(self) -> tuple[NumberFormat, ...]:
        """The number formats that were chosen; none if nothing was."""
        if (self.decimal, self.thousands) == ("auto", "auto"):
            return ()
        return tuple(
            number_format
            for number_format in (*NUMBER_FORMATS, NumberFormat(self.decimal, self.thousands))
            if self.decimal in ("auto", number_format.decimal)
            and self.thousands in ("auto", number_format.thousands)
        )

    @property
    def _dates(self) -> tuple[str, ...]:
        """The date format that was chosen; none if nothing was."""
        return () if self.dates == "auto" else (self.dates,)

    def known(self, kind: Kind) -> tuple[Format, ...]:
        """Return the formats of numbers or dates, those that were chosen first."""
        if kind is Kind.DATE:
            return (*self._dates, *DATE_FORMATS)
        return (*self._numbers, *NUMBER_FORMATS)

    def of_numbers(self, values: Iterable[str]) -> tuple[NumberFormat, ...]:
        """Return the formats that read every text as a number and differ in what they read.

        None: these are no numbers. One: this is it. Two: `1,234` is a thousand or a bit over one,
        and only a person can tell. Where a chosen one reads all, the others are not asked. A point
        is a decimal point, unless `points_may_group`: then `1.234` alone has two readings too.
        """
        texts = text_series(values)
        first = map(without_spaces, texts.head(20).to_list())
        if not texts.len() or not all(map(_LIKE_A_NUMBER.fullmatch, first)):
            return ()
        number_formats = _formats_of(texts, self._numbers)
        if number_formats:
            return number_formats
        if _formats_of(texts, [PLAIN]):
            pointed = texts.filter(texts.str.contains(".", literal=True)).str.strip_chars()
            may_group = pointed.len() and pointed.str.contains(_POINT_MAY_GROUP).all()
            if self.points_may_group and may_group:
                return PLAIN, NumberFormat(",", ".")
            return (PLAIN,)
        return _formats_of(texts, NUMBER_FORMATS[1:])

    def of_dates(self, values: Iterable[str]) -> tuple[str, ...]:
        """Return the formats that read every text as a date and differ in what they read.

        None: these are not dates. One: this is it. Two: `03/04/2020` is in April or in March, and
        only a person can tell. Where the chosen one reads all, the others are not asked.
        """
        texts = text_series(values)
        date_formats = _formats_of(texts, self._dates) if texts.len() else ()
        if date_formats or not texts.len() or not re.search("[0-9]{4}", texts[0]):
            return date_formats  # every format has a full year
        if not texts.str.contains("[0-9]{4}").all():
            return ()
        return _formats_of(texts, (f for f in DATE_FORMATS if date_pattern(f).match(texts[0])))

    def only(self, name: str, present: pl.Series, kind: Kind) -> Format:
        """Return the one format of a column, or raise an error that says why there is none.

        Without a format that reads all, the one that reads most shows which values are amiss.
        """
        formats: tuple[Format, ...]
        formats = self.of_dates(present) if kind is Kind.DATE else self.of_numbers(present)
        if len(formats) > 1:
            what = "dates" if kind is Kind.DATE else "numbers"
            raise InputError(
                f"{name}: {Value(min(present), 'the first')} and all other {what} can be read as "
                f"{' or as '.join(map(str, formats))}; set format to the right one"
            )
        return formats[0] if formats else closest_format(present, self.known(kind))


def parse_numbers(values: Iterable[str]) -> Floats:
    """Return the number each text stands for, nan where it stands for none.

    The marks are those that all the texts together leave no doubt of: `1,5` is one and a half,
    while `1,234` alone is no number.
    """
    texts = text_series(values)
    formats = ValueFormats().of_numbers(texts)
    if len(formats) > 1:
        return PLAIN.read(texts)
    return (formats[0] if formats else closest_format(texts, NUMBER_FORMATS)).read(texts)


def fitting_format(kind: Kind | None, text_format: Format | None) -> Format | None:
    """Return the format if it is one of this kind, else None."""
    format_type = str if kind is Kind.DATE else NumberFormat if kind is Kind.NUMERIC else ()
    return text_format if isinstance(text_format, format_type) else None


SAMPLE = 5_000
"""The most different values that `readings` looks at; `parsed` counts them all."""
_CENTURY_END = 10_956  # 1999-12-31, whose day, month and year differ


@dataclass(frozen=True)
class Reading:
    """A kind with its format, and how much of a sample it can read."""

    kind: Kind
    format: Format | None
    read: int
    sample: int

    @property
    def title(self) -> str:
        """A name with an example: `numeric 1.234,5`, `date 31.12.1999`."""
        if self.format is None:
            return str(self.kind)
        if isinstance(self.format, str):
            return f"{self.kind} {date_text(_CENTURY_END, self.format)} ({self.format})"
        return f"{self.kind} {self.format}"


@dataclass(frozen=True)
class Parsed:
    """Examples of a column's values under one kind and format, and what cannot be read."""

    examples: tuple[tuple[str, str], ...]
    """Values, each with its reading."""
    distinct: int
    unread: int
    """The number of different values that cannot be read."""
    unread_examples: tuple[str, ...]


def readings(texts: pl.Series, missing_tokens: tuple[str, ...]) -> tuple[Reading, ...]:
    """Return every way to read at least one value, the most successful first and texts last.

    Of two that read the same numbers the simpler one is given.
    """
    values = _present(texts, missing_tokens).head(SAMPLE)
    successful = [
        Reading(kind, format, int((~np.isnan(read)).sum()), values.len())
        for kind in (Kind.NUMERIC, Kind.DATE)
        for format, read in _differing(values, ValueFormats().known(kind))
    ]
    ordered = sorted(
        (reading for reading in successful if reading.read), key=lambda reading: -reading.read
    )
    return (*ordered, Reading(Kind.CATEGORICAL, None, values.len(), values.len()))


def parsed(
    texts: pl.Series, missing_tokens: tuple[str, ...], kind: Kind, format: Format | None, most: int
) -> Parsed:
    """Return examples of what a kind and format make of a column, and what they cannot read."""
    values = _present(texts, missing_tokens)
    if not kind.ordered or format is None:
        shown = tuple((value, "as it is") for value in values.head(most))
        return Parsed(shown, values.len(), 0, ())
    numbers = read_texts(values, format)
    unread = values.filter(np.isnan(numbers))
    examples = [
        (value, _text(number, kind))
        for value, number in zip(values.head(SAMPLE), numbers[:SAMPLE].tolist(), strict=True)
        if number == number
    ]
    return Parsed(
        tuple(examples[:most]), values.len(), unread.len(), tuple(unread.head(3).to_list())
    )


def _present(texts: pl.Series, missing_tokens: tuple[str, ...]) -> pl.Series:
    distinct = texts.unique(maintain_order=True)
    return distinct.filter(~distinct.is_in(list(missing_tokens)))


def _text(number: float, kind: Kind) -> str:
    """Return a number in plain digits, a date as 1999-12-31 with its clock time if it has one."""
    if kind is Kind.NUMERIC:
        return f"{number:.15g}"
    day = int(np.floor(number))
    seconds = round((number - day) * 86_400)
    clock = f" {seconds // 3600:02}:{seconds // 60 % 60:02}" if seconds else ""
    return date_text(day, None) + clock
