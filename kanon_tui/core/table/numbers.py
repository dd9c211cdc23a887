"""Numbers as texts: `1234.5`, `1.234,5`, `1 234,5`, `1'234.50`.

A `NumberFormat` says which marks a column writes its numbers with.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
import polars as pl

from kanon_tui.core.fields.declaration import declared, read_fields
from kanon_tui.core.fields.yaml_text import LocatedValue
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.cell_codes import FEW, text_series, without_spaces

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
