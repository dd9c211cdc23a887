"""Values and labels that an ordinary YAML reader has turned into something else.

A project file keeps every word as text, but a specification may also come from Python or from
ordinary YAML, which reads `yes` as true, `1995-09-20` as a date and `01234` as the octal number
668. Values and labels must be texts: `text_of` refuses what cannot be turned back, and `misread`
finds out from the data where a number was once another text.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from kanon_tui.core.errors import InputError

__all__ = ["misread", "refuse_misread", "text_of"]


def text_of(value: Any, who: str) -> str:
    """A value or label as the text it was written as, refused where YAML has changed it."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        words = "yes, on and true" if value else "no, off and false"
        raise InputError(f"{who}: YAML reads {words} without quotes as a truth value; quote it")
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    if isinstance(value, datetime.date):
        raise InputError(
            f"{who}: YAML reads {value} without quotes as a date, not as a text; write '{value}'"
        )
    if value is None:
        raise InputError(f"{who}: YAML reads null, ~ and nothing at all as no value; quote it")
    raise InputError(f"{who}: '{value}' is not a text; write a text in quotes")


def misread(written: Iterable[Any], texts: Collection[str]) -> tuple[str, int] | None:
    """A text of the data that YAML has read as a number, with that number: `01234` as 668.

    Leading zeros make an octal number of digits, a colon (`12:30`) one to base sixty.
    """
    for number in written:
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            for text in (f"0{number:o}", f"{number // 60}:{number % 60:02}"):
                if text in texts:
                    return text, number
    return None


def refuse_misread(written: Iterable[Any], lost: Sequence[str], who: str) -> None:
    """Where values lack a row because YAML read them as numbers, say so."""
    found = misread(written, set(lost))
    if found:
        raise InputError(
            f"{who}: YAML reads {found[0]} without quotes as the number {found[1]}; quote it"
        )
