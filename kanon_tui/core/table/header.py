"""The names of columns: given, in the first record, or made where there are none.

A first column without a name holds the names of rows, as R and pandas write them: `write.csv` and
`to_csv` leave its name empty, `write.table` leaves even its place in the first record out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kanon_tui.core.table.dates import date_formats
from kanon_tui.core.table.frames import column_names
from kanon_tui.core.table.numbers import are_numbers

__all__ = ["Header", "find_header", "has_header"]

Records = Sequence[Sequence[str]]
_COLUMNS_LOOKED_AT = 200  # of the many a table can have, evenly spread, to tell names from values


@dataclass(frozen=True)
class Header:
    """What columns are called, and how their names stand in a file."""

    names: list[str]
    first_record: bool
    """Whether the first record holds the names."""
    one_short: bool = False
    """Whether it has no place for the first of them."""


def find_header(
    sample: Records,
    chosen: bool | Literal["auto"] | Sequence[str],
    missing_tokens: Sequence[str],
    file: str,
) -> Header:
    """The names of the columns of which these are the first records, as far as they are chosen."""
    first, below = sample[0], sample[1:]
    completed = ["", *first]
    if _row_names_stand_below(first, below) and (
        chosen is True or (chosen == "auto" and has_header([completed, *below], missing_tokens))
    ):
        names = column_names(_header_names(completed), len(completed), file)
        return Header(names, True, one_short=True)
    if chosen == "auto":
        chosen = has_header(sample, missing_tokens)
    given = _header_names(first) if chosen is True else chosen
    assert given != "auto"
    return Header(column_names(given, len(first), file), chosen is True)


def _row_names_stand_below(first: Sequence[str], below: Records) -> bool:
    """Whether every record has one cell more than the first, and begins with a name of its own.

    A last cell that is always empty is a delimiter too many instead.
    """
    return (
        bool(below)
        and all(len(record) == len(first) + 1 for record in below)
        and len({record[0] for record in below}) == len(below)
        and any(record[-1] for record in below)
    )


def _header_names(row: Sequence[str]) -> list[str]:
    """The names in a header; `a, b, c` are typed with layout even above records without it."""
    first, *others = row
    if all(name.startswith(" ") for name in others):
        others = [name.lstrip(" ") for name in others]
    if not first.strip() and others:
        first = "column_1"
        while first in others:
            first += "_"
    return [first, *others]


def has_header(records: Records, missing_tokens: Sequence[str]) -> bool:
    """Whether the first record holds names rather than values.

    A number or date on top of a column speaks against it, a word on top of numbers or dates for
    it. When all columns are words, it holds values if most of them occur again below.
    """
    first, below = records[0], [record for record in records[1:] if len(record) == len(records[0])]
    names = values = repeated = 0
    places = range(0, len(first), -(-len(first) // _COLUMNS_LOOKED_AT))
    for place in places:
        cell = first[place]
        others = [record[place] for record in below if record[place] not in missing_tokens]
        if _number_or_date([cell]):
            values += 1
        elif cell in others:
            repeated += 1
        elif cell not in missing_tokens and _number_or_date(others):
            names += 1
    if names or values:
        return names >= values
    return repeated * 2 <= len(places)


def _number_or_date(texts: Sequence[str]) -> bool:
    return are_numbers(texts) or bool(date_formats(texts))
