"""Equality of values: when two cells are the same value, however they are spelt.

An attacker reads `HIV`, `hiv ` and `HIV` with a non-breaking space as one diagnosis, `100`, `100.0`
and `1e2` as one wage. So diversity is counted in values, not in spellings:

- numbers and dates are the same where they are the same number or moment;
- texts are the same where they look the same to a reader who does not mind capitals: compatible
  forms are one (Unicode NFKC: full width, ligatures, non-breaking spaces), so are capitals and
  small letters (casefold: `ß` and `ss`), runs of white space count as one space, spaces around and
  characters that cannot be seen do not count. Accents do count: `Röte` is not `Rote`;
- a text that is a number is the same as another spelling of the number, in any column;
- a text that is the same as a missing token is missing.

This is for counting. What is published is always the text that stood in the input.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

import numpy as np

from kanon_tui.core.table.column import Column, counted

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


@dataclass(frozen=True, eq=False)
class CountedColumn(Column):
    """A column in which all spellings of a value have one code; `values` has one of them each."""

    spelt: Column | None = None
    """The column as it is spelt."""
    missing_tokens: tuple[str, ...] = ()
    counted: tuple[int, ...] = ()
    """The code of every value of `spelt`."""

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every spelling."""
        assert self.spelt is not None
        return dict(zip(self.spelt.values, self.counted, strict=True))


def by_value(column: Column, missing_tokens: Sequence[str]) -> CountedColumn:
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
    kept, missing = list(firsts.values()), None
    if any(gaps):
        missing = len(kept)
        kept.append(gaps.index(True) if column.missing is None else column.missing)
    new_code, counts = np.array(codes, dtype=np.int32), column.value_counts
    merged = replace(
        column.with_values(np.array(kept, dtype=np.int64), new_code[column.codes]),
        missing=missing,
        value_counts=None if counts is None else counted(new_code, counts, len(kept)),
        coding=None,
    )
    known: dict[str, Any] = {each.name: getattr(merged, each.name) for each in fields(Column)}
    return CountedColumn(
        **known, spelt=column, missing_tokens=tuple(missing_tokens), counted=tuple(codes)
    )


def value_key(text: str) -> Decimal | str:
    """Return a key that is equal for all spellings of the same value."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold()
        text = unicodedata.normalize("NFKC", text)
        seen = (c for c in text if unicodedata.category(c) != "Cf")
        text = _UNSEEN.sub("", "".join(seen)).replace("\u2212", "-")
    text = " ".join(text.casefold().split())
    if _NUMBER.fullmatch(text):
        try:
            return Decimal(text)
        except InvalidOperation:  # an exponent that no number has
            return text
    return text
