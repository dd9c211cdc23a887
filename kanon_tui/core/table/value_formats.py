"""Formats of numbers and dates: chosen for a file, detected in a column, or listed as readings.

A column has the format of its attribute (`format`) if that is given, else the format chosen for the
file if it reads every value, else the one that is detected in its values. Values that can be read
in two ways are refused, and the error names both.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import FieldType, declared, text, write_fields
from kanon_tui.core.fields.yaml_text import LocatedValue
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table import numbers
from kanon_tui.core.table.cell_codes import text_series, without_spaces
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.dates import DATE_FORMATS, date_pattern, date_text, parse_dates
from kanon_tui.core.table.numbers import NUMBER_FORMATS, PLAIN, NumberFormat
from kanon_tui.core.text import quoted_list

Format = str | NumberFormat
"""The format of values: a date format like `%d.%m.%Y`, or the marks of numbers."""

_FORMAT = (
    """a date format like '%d.%m.%Y', or the marks of numbers like {decimal: ",", thousands: "."}"""
)
_DATE_FORMAT = text("auto or a date format like '%d.%m.%Y'", empty=False)


def _read_format(located: LocatedValue) -> Format:
    if isinstance(located.value, dict):
        return numbers.read_number_format(located)
    return located.text(_FORMAT)


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
    return max(formats, key=lambda each: int((~np.isnan(read_texts(texts, each))).sum()))


def _formats_of(texts: pl.Series, formats: Iterable[AnyFormat]) -> tuple[AnyFormat, ...]:
    """Return the formats that read every text; of two that read the same the first."""
    if texts.len() > _SAMPLE:
        first = texts.head(_SAMPLE)
        formats = [each for each in formats if not np.isnan(read_texts(first, each)).any()]
    return tuple(each for each, read in _differing(texts, formats) if not np.isnan(read).any())


def _differing(texts: pl.Series, formats: Iterable[AnyFormat]) -> list[tuple[AnyFormat, Floats]]:
    """Return formats with what they read; of two that read the same the first."""
    found: list[tuple[AnyFormat, Floats]] = []
    for each in formats:
        read = read_texts(texts, each)
        if not any(np.array_equal(read, other, equal_nan=True) for _, other in found):
            found.append((each, read))
    return found


def number_formats(
    values: Iterable[str], preferred: Sequence[NumberFormat] = (), points_may_group: bool = False
) -> tuple[NumberFormat, ...]:
    """Return the formats that read every text as a number and differ in what they read.

    None: these are no numbers. One: this is it. Two: `1,234` is a thousand or a bit over one, and
    only a person can tell. Where one of the `preferred` reads all, the others are not asked. A
    point is a decimal point, unless `points_may_group`: then `1.234` alone has two readings too.
    """
    texts = text_series(values)
    first = map(without_spaces, texts.head(20).to_list())
    if not texts.len() or not all(map(_LIKE_A_NUMBER.fullmatch, first)):
        return ()
    found = _formats_of(texts, preferred)
    if found:
        return found
    if _formats_of(texts, [PLAIN]):
        pointed = texts.filter(texts.str.contains(".", literal=True)).str.strip_chars()
        if points_may_group and pointed.len() and pointed.str.contains(_POINT_MAY_GROUP).all():
            return PLAIN, NumberFormat(",", ".")
        return (PLAIN,)
    return _formats_of(texts, NUMBER_FORMATS[1:])


def date_formats(values: Iterable[str], preferred: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the formats that read every text as a date and differ in what they read.

    None: these are not dates. One: this is it. Two: `03/04/2020` is in April or in March, and
    only a person can tell. Where one of the `preferred` reads all, the others are not asked.
    """
    texts = text_series(values)
    found = _formats_of(texts, preferred) if texts.len() else ()
    if found or not texts.len() or not re.search("[0-9]{4}", texts[0]):
        return found  # every format has a full year
    if not texts.str.contains("[0-9]{4}").all():
        return ()
    return _formats_of(texts, (f for f in DATE_FORMATS if date_pattern(f).match(texts[0])))


def are_numbers(values: Iterable[str]) -> bool:
    """Return whether all texts are numbers of one format beyond doubt."""
    return len(number_formats(values)) == 1


def parse_numbers(values: Iterable[str]) -> Floats:
    """Return the number each text stands for, nan where it stands for none.

    The marks are those that all the texts together leave no doubt of: `1,5` is one and a half,
    while `1,234` alone is no number.
    """
    texts = text_series(values)
    formats = number_formats(texts)
    if len(formats) > 1:
        return PLAIN.read(texts)
    return (formats[0] if formats else closest_format(texts, NUMBER_FORMATS)).read(texts)


@dataclass(frozen=True)
class ValueFormats:
    """The formats of a file's columns; what is `auto` is detected column by column."""

    decimal: str = declared(
        "auto", "The mark before the decimals of numbers", choices=("auto", *numbers.DECIMAL_MARKS)
    )
    thousands: str = declared(
        "auto",
        "The mark between groups of three digits of numbers",
        choices=("auto", *numbers.THOUSANDS_MARKS),
    )
    dates: str = declared("auto", "How dates are written", type=_DATE_FORMAT)
    points_may_group: bool = False
    """Whether `1.234` alone may be a thousand: so in files cut by semicolons, whose decimal mark
    is mostly the comma."""

    @property
    def chosen_numbers(self) -> tuple[NumberFormat, ...]:
        """The number formats that were chosen; none if nothing was."""
        if (self.decimal, self.thousands) == ("auto", "auto"):
            return ()
        return tuple(
            each
            for each in (*NUMBER_FORMATS, NumberFormat(self.decimal, self.thousands))
            if self.decimal in ("auto", each.decimal) and self.thousands in ("auto", each.thousands)
        )

    @property
    def chosen_dates(self) -> tuple[str, ...]:
        """The date format that was chosen; none if nothing was."""
        return () if self.dates == "auto" else (self.dates,)

    def of_numbers(self, texts: pl.Series) -> tuple[NumberFormat, ...]:
        """Return the formats that read every text as a number and differ in what they read."""
        return number_formats(texts, self.chosen_numbers, self.points_may_group)

    def of_dates(self, texts: pl.Series) -> tuple[str, ...]:
        """Return the formats that read every text as a date and differ in what they read."""
        return date_formats(texts, self.chosen_dates)

    def only(self, name: str, present: pl.Series, kind: Kind) -> Format:
        """Return the one format of a column, or raise an error that says why there is none.

        Without a format that reads all, the one that reads most shows which values are amiss.
        """
        formats: tuple[Format, ...]
        formats = self.of_dates(present) if kind is Kind.DATE else self.of_numbers(present)
        if len(formats) > 1:
            what = "dates" if kind is Kind.DATE else "numbers"
            raise InputError(
                f"{name}: {quoted_list(sorted(present)[:1])} and all other {what} can be read as "
                f"{' or as '.join(map(str, formats))}; set format to the right one"
            )
        if formats:
            return formats[0]
        if kind is Kind.DATE:
            return closest_format(present, (*self.chosen_dates, *DATE_FORMATS))
        return closest_format(present, (*self.chosen_numbers, *NUMBER_FORMATS))


def fitting_format(kind: Kind | None, given: Format | None) -> Format | None:
    """Return the format if it is one of this kind, else None."""
    wanted = str if kind is Kind.DATE else NumberFormat if kind is Kind.NUMERIC else ()
    return given if isinstance(given, wanted) else None


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
    found: list[Reading] = []
    formats: dict[Kind, Sequence[Format]] = {Kind.NUMERIC: NUMBER_FORMATS, Kind.DATE: DATE_FORMATS}
    for kind, known in formats.items():
        for format, read in _differing(values, known):
            found.append(Reading(kind, format, int((~np.isnan(read)).sum()), values.len()))
    ordered = sorted((each for each in found if each.read), key=lambda each: -each.read)
    return (*ordered, Reading(Kind.CATEGORICAL, None, values.len(), values.len()))


def parsed(
    texts: pl.Series, missing_tokens: tuple[str, ...], kind: Kind, format: Format | None, most: int
) -> Parsed:
    """Return examples of what a kind and format make of a column, and what they cannot read."""
    values = _present(texts, missing_tokens)
    if not kind.ordered or format is None:
        shown = tuple((value, "as it is") for value in values.head(most))
        return Parsed(shown, values.len(), 0, ())
    found = read_texts(values, format)
    unread = values.filter(np.isnan(found))
    examples = [
        (value, _text(number, kind))
        for value, number in zip(values.head(SAMPLE), found[:SAMPLE].tolist(), strict=True)
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
