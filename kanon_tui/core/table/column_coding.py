"""Columns with other codes: coded ends, and one code for all spellings of a value.

Top and bottom coding: a column has one value for all that lies at or above `top`, `>=90`, and one
for all at or below `bottom`, `<=18`. The number of such a value is the bound: distances, ranges and
built hierarchies take it for that. What it hides is kept beside it, so that figures count the whole
stretch from the bound to the end of the original, and a release never looks better for being coded.

Equality of values: an attacker reads `HIV`, `hiv ` and `HIV` with a non-breaking space as one
diagnosis, `100`, `100.0` and `1e2` as one wage. So diversity is counted in values, not in
spellings:

- numbers and dates are the same where they are the same number or moment;
- texts are the same where they look the same to a reader who does not mind capitals: compatible
  forms are one (Unicode NFKC: full width, ligatures, non-breaking spaces), so are capitals and
  small letters (casefold: `ß` and `ss`), runs of white space count as one space, spaces around and
  characters that cannot be seen do not count. Accents do count: `Röte` is not `Rote`;
- a text that is a number is the same as another spelling of the number, in any column;
- a text that is the same as a missing token is missing.

This is for counting. What is published is always the text that stood in the input.

Reference: Hundepool et al., Statistical Disclosure Control (2012), on top and bottom coding.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

import numpy as np

from kanon_tui.core.errors import THOSE_OF_DATA, InputError, Value
from kanon_tui.core.table.column import Column, EndCoding, Kind, Spellings, counted
from kanon_tui.core.table.value_formats import date_text
from kanon_tui.core.text import Note, Quotable, count_of, note

Bound = int | float | str


@dataclass(frozen=True)
class CodedBounds:
    """The bounds of an attribute as a project or a mapping writes them."""

    top: Bound | None = None
    bottom: Bound | None = None

    def __bool__(self) -> bool:
        return self.top is not None or self.bottom is not None


def code_ends(column: Column, bounds: CodedBounds) -> Column:
    """Return the column with one value for each coded end; itself where there is no bound."""
    if not bounds:
        return column
    if column.numbers is None:
        key = "top" if bounds.top is not None else "bottom"
        raise InputError(
            f"{column.name}: {key} is for numbers and dates, this one is {column.kind}; leave it "
            f"out, or set its kind"
        )
    top, bottom = (_number(column, key, getattr(bounds, key)) for key in ("top", "bottom"))
    if top is not None and bottom is not None and bottom >= top:
        raise InputError(
            f"{column.name}: bottom {bounds.bottom} is not below top {bounds.top}; all values "
            f"would be coded, so move them apart"
        )
    return _coded(column, top, bottom)


def bounds_of(column: Column) -> CodedBounds:
    """Return the bounds of a coded column, written as its values are."""
    coding = column.coding
    ends = (None, None) if coding is None else (coding.top, coding.bottom)
    return CodedBounds(*(None if end is None else written_end(column, end) for end in ends))


def coding_note(column: Column) -> Note | None:
    """Return the note on how many records are published as an end; None without coding."""
    coding = column.coding
    if coding is None:
        return None
    ends = [text for text in (coding.bottom_text, coding.top_text) if text is not None]
    records = {text: column.counts[column.code_of[text]] for text in ends if text in column.code_of}
    counts = [f"{count_of(int(records.get(text, 0)), 'record')} as {text}" for text in ends]
    return note(
        "{name}: coded at its ends, {counts}; figures count such a value as all from its bound to "
        "the end of the data",
        name=Quotable(column.name),
        counts=Quotable(" and ".join(counts)),
    )


def _number(column: Column, key: str, written: Bound | None) -> float | None:
    """Return a bound as a number, or as a day."""
    if written is None:
        return None
    is_date = column.kind is Kind.DATE
    number = float(written) if not is_date and not isinstance(written, str) else np.nan
    if np.isnan(number):
        number = float(column.parse([str(written)])[0])
    if np.isnan(number):
        like = f"; write one like {Value(column.values[0], THOSE_OF_DATA)}" if column.values else ""
        raise InputError(
            f"{column.name}: {key} '{written}' is not a {'date' if is_date else 'number'}{like}"
        )
    return float(np.floor(number)) if is_date else number


def _coded(column: Column, top: float | None, bottom: float | None) -> Column:
    numbers = column.value_numbers
    places = np.floor(numbers) if column.kind is Kind.DATE else numbers
    above = places >= (np.inf if top is None else top)
    below = places <= (-np.inf if bottom is None else bottom)
    top_text = None if top is None else f">={written_end(column, top)}"
    bottom_text = None if bottom is None else f"<={written_end(column, bottom)}"
    # One number for all values of an end: values stay between the bottom and the top, missing last.
    end = len(numbers)
    gap = "" if column.missing is None else column.values[column.missing]
    number = np.arange(end)
    number[above], number[below], number[np.isnan(numbers)] = end, -1, end + 1
    present_numbers, codes = np.unique(number, return_inverse=True)
    texts = [*column.values, top_text or "", gap, bottom_text or ""]
    values = tuple(texts[place] for place in present_numbers.tolist())
    new_code = codes.astype(np.int32)
    coding = EndCoding(
        top=top,
        bottom=bottom,
        top_text=top_text,
        bottom_text=bottom_text,
        new_code=new_code,
        covered=np.bincount(new_code, minlength=len(values)),
        original=np.unique(numbers[~np.isnan(numbers)]),
    )
    value_counts = column.value_counts
    return replace(
        column,
        codes=new_code[column.codes],
        values=values,
        numbers=np.array([*numbers, top, np.nan, bottom], dtype=np.float64)[present_numbers],
        missing=None if column.missing is None else len(values) - 1,
        coding=coding,
        value_counts=None if value_counts is None else counted(new_code, value_counts, len(values)),
    )


def written_end(column: Column, bound: float) -> str:
    """Return a number, or a day, as the column writes its values."""
    if column.kind is Kind.DATE:
        return date_text(int(bound), column.date_format)
    exact = Decimal(int(bound)) if bound == int(bound) else Decimal(repr(bound))
    return column.number_format.write(f"{exact:f}")


_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def by_value(column: Column, missing_tokens: Sequence[str]) -> Column:
    """Return the column with one code for all spellings of a value."""
    if column.numbers is not None:
        keys: list[object] = [float(number) for number in column.numbers]
    else:
        keys = [value_key(text) for text in column.values]
    tokens = {value_key(token) for token in missing_tokens}
    gaps = [
        code == column.missing or (column.numbers is None and key in tokens)
        for code, key in enumerate(keys)
    ]
    firsts: dict[object, int] = {}
    for code, key in enumerate(keys):
        if not gaps[code]:
            firsts.setdefault(key, code)
    number = {key: place for place, key in enumerate(firsts)}
    codes = [len(firsts) if gap else number[key] for key, gap in zip(keys, gaps, strict=True)]
    kept_codes = list(firsts.values())
    missing = None
    if any(gaps):
        missing = len(kept_codes)
        kept_codes.append(gaps.index(True) if column.missing is None else column.missing)
    new_code = np.array(codes, dtype=np.int32)
    counts = column.value_counts
    return replace(
        column.with_values(np.array(kept_codes, dtype=np.int64), new_code[column.codes]),
        missing=missing,
        value_counts=None if counts is None else counted(new_code, counts, len(kept_codes)),
        coding=None,
        spellings=Spellings(column, tuple(missing_tokens), tuple(codes)),
    )


def value_key(text: str) -> Decimal | str:
    """Return a key that is equal for all spellings of the same value."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold()
        text = unicodedata.normalize("NFKC", text)
        visible = (c for c in text if unicodedata.category(c) != "Cf")
        text = _UNSEEN.sub("", "".join(visible)).replace("\u2212", "-")
    text = " ".join(text.casefold().split())
    if _NUMBER.fullmatch(text):
        try:
            return Decimal(text)
        except InvalidOperation:  # an exponent that no number has
            return text
    return text
