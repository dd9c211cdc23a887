"""Numbers as texts: `1234.5`, `1.234,5`, `1 234,5`, `1'234.50`.

A `NumberFormat` says which marks a column writes its numbers with. `number_formats` finds the
format of a column from all its texts together; where two readings are left, as for `1,234`, it
gives both and a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
import polars as pl

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.sections import read_fields
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.cell_codes import FEW, text_series, without_spaces

__all__ = [
    "DECIMAL_MARKS", "NUMBER_FORMATS", "PLAIN", "THOUSANDS_MARKS", "NumberFormat",
    "are_numbers", "closest_number_format", "number_formats", "parse_numbers",
    "read_number_format",
]  # fmt: skip

DECIMAL_MARKS = (".", ",")
THOUSANDS_MARKS = ("none", ".", ",", " ", "'")

_ALSO = {" ": " \u00a0\u2009\u202f", "'": "'\u2019"}  # variants of a space and an apostrophe
_SAMPLE = 50
_MOST_DIGITS = 300
_PLAIN_TEXT = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_LIKE_A_NUMBER = re.compile(r"[+-]?[0-9.,][0-9.,eE+'\u2019 \u00a0\u2009\u202f-]*")
_POINT_MAY_GROUP = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"


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
        whole = "[0-9]+"
        if self.thousands != "none":
            whole = f"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{self._groups}[0-9]{{3}})+)"
        return rf"^[+-]?({whole}{decimal}?[0-9]*|{decimal}[0-9]+)([eE][+-]?[0-9]+)?$"

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
        found = texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(writable=True)
        found[np.isinf(found)] = np.nan  # 1e999 is more than a double holds
        return found + 0.0  # so that -0 is 0 and sorts by its text

    def _read_few(self, texts: pl.Series) -> Floats:
        found = np.full(texts.len(), np.nan)
        for place, text in enumerate(texts.to_list()):
            plain = self._plain(text)
            if plain is not None:
                found[place] = float(plain)
        found[np.isinf(found)] = np.nan
        return found + 0.0

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

    def shown(self, text: str) -> str:
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
        whole, point, decimals = plain.partition(".")
        if self.thousands != "none":
            whole = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", self.thousands, whole)
        return whole + (self.decimal + decimals if point else "")


def _exact(plain: str | None, number: float) -> Decimal:
    if plain is not None and len(plain) <= _MOST_DIGITS:
        found = Decimal(plain)
        if not found:
            return Decimal(0)
        if abs(found.adjusted()) <= _MOST_DIGITS:
            return found
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


def read_number_format(located: LocatedValue) -> NumberFormat:
    """Read the marks of numbers from a project: `{decimal: ",", thousands: "."}`."""
    found = read_fields(NumberFormat, located)
    if found.decimal == found.thousands:
        raise located.refuse(
            f"'{found.decimal}' cannot be the mark of decimals and of thousands; "
            "write thousands: none or another mark"
        )
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
    found = _readings(texts, preferred)
    if found:
        return found
    if not np.isnan(PLAIN.read(texts)).any():
        if points_may_group and _points_group(texts):
            return PLAIN, NumberFormat(",", ".")
        return (PLAIN,)
    return _readings(texts, NUMBER_FORMATS[1:])


def _points_group(texts: pl.Series) -> bool:
    """Return whether there are points and each could stand between thousands."""
    pointed = texts.filter(texts.str.contains(".", literal=True)).str.strip_chars()
    return bool(pointed.len()) and bool(pointed.str.contains(_POINT_MAY_GROUP).all())


def _readings(texts: pl.Series, formats: Sequence[NumberFormat]) -> tuple[NumberFormat, ...]:
    found: list[tuple[NumberFormat, Floats]] = []
    for each in formats:
        if texts.len() > FEW and np.isnan(each.read(texts.head(_SAMPLE))).any():
            continue
        numbers = each.read(texts)
        if not np.isnan(numbers).any() and not any(np.array_equal(numbers, n) for _, n in found):
            found.append((each, numbers))
    return tuple(each for each, _ in found)


def closest_number_format(
    values: Iterable[str], preferred: Sequence[NumberFormat] = ()
) -> NumberFormat:
    """Return the format that reads most of these texts; it shows what is wrong with the others."""
    texts = text_series(values)
    formats = dict.fromkeys([*preferred, *NUMBER_FORMATS])
    readable = {each: int((~np.isnan(each.read(texts))).sum()) for each in formats}
    return max(readable, key=lambda each: readable[each])


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
    return (formats[0] if formats else closest_number_format(texts)).read(texts)
