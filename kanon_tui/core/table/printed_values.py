"""Values of typed files and databases as the texts that a person sees there.

34.0 is printed as 34, 0.1 + 0.2 as 0.3, a gap as the empty text. `without_clocks` leaves out the
time of day where all moments of a column are at midnight.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from uuid import UUID

import polars as pl

from kanon_tui.core.errors import InputError

__all__ = ["number_text", "printed_column", "without_clocks"]

_EXACT = 2**53
_DIGITS, _SINGLE_DIGITS = 15, 7
_MIDNIGHT = r"^(\d{4}-\d\d-\d\d) 00:00:00$"
_MOMENT = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


def printed_column(
    values: Sequence[object], name: str, who: str, single: bool = False
) -> pl.Series:
    """Values as texts; `single` says that numbers have no more digits than a short float.

    `name` and `who`, the column and its file, are for the refusal of what is no cell.
    """
    if set(map(type, values)) <= {str, type(None)}:
        return pl.Series(values, dtype=pl.String).fill_null("")
    known: dict[object, str] = {}
    texts = []
    for value in values:
        try:
            key = (type(value), value)  # 1, 1.0 and True are one key otherwise
            text = known.get(key)
        except TypeError:  # a list, a mapping
            raise _no_cell(name, value, who) from None
        if text is None:
            text = known[key] = _printed(value, single, name, who)
        texts.append(text)
    return pl.Series(texts, dtype=pl.String)


def without_clocks(column: pl.Series) -> pl.Series:
    """Days without a clock, where all moments of a column of texts are at midnight."""
    moments = column.str.contains(_MOMENT)
    if not moments.any() or not (column.str.contains(_MIDNIGHT) | ~moments).all():
        return column
    return column.str.replace(_MIDNIGHT, "$1")


def _printed(value: object, single: bool, name: str, who: str) -> str:
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
    raise _no_cell(name, value, who)


def number_text(number: float, digits: int = _DIGITS) -> str:
    """`34`, `12.5`, `0.0000001`: plain digits, no more than a person is shown; no number is ``."""
    if number != number or number in (float("inf"), float("-inf")):
        return ""
    if number == int(number) and abs(number) < _EXACT:
        return str(int(number))
    return format(Decimal(f"{number:.{digits}g}"), "f")


def _no_cell(name: str, value: object, who: str) -> InputError:
    return InputError(
        f"{who}: column '{name}' holds {type(value).__name__} values, which are no cells of a "
        "table; turn it into text, numbers or dates"
    )
