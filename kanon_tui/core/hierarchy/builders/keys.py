"""The keys a hierarchy builder takes, declared once, and how what was written for them is read.

A `Key` says in words what may be written and has a reader that gives the value in its proper type
or a `ValueError`, so that the project loader, the command line and a form refuse the same things
with the same sentence. Nothing here looks at data.

Specifications come from a project file, where every word is still text, or from Python and ordinary
YAML, which reads some texts as something else: `yes` as true, `1995-09-20` as a date, `01234` as
the octal number 668. Values and labels must be texts, so `text_of` refuses what cannot be turned
back, and `misread` finds out from the data where a number was once another text.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.yaml_text import as_number

__all__ = [
    "MOST_BINS",
    "Key",
    "Point",
    "exact",
    "list_of",
    "misread",
    "one_of",
    "read_bins",
    "read_groups",
    "read_keys",
    "read_level_table",
    "read_point",
    "read_text",
    "read_width",
    "text_of",
    "whole_number",
]

Point = Decimal | datetime.date | str
"""A place on the line of a column's values: a number, a date, or a text that only it can read."""

MOST_BINS = 10_000

Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class Key:
    """One key of a builder."""

    name: str
    help: str
    allowed: str
    """What may be written, in words: `a whole number of at least 2`."""
    read: Reader
    default: Any = None
    choices: tuple[str, ...] = ()
    required: bool = False
    excludes: tuple[str, ...] = ()
    """Keys that cannot stand beside it."""


def read_keys(
    given: Mapping[str, Any], keys: Iterable[Key], who: str, owner: str
) -> dict[str, Any]:
    """The value of every key, its default where it is not given.

    Refused are keys that `owner` does not have, values that do not fit and required keys left out.
    """
    known = {key.name: key for key in keys}
    for name in given:
        if name not in known:
            hint = suggestion(str(name), known) if known else "it takes no keys"
            raise InputError(f"{who}: {owner} has no key '{name}'; {hint}")
    values = {}
    for key in known.values():
        if key.name in given:
            beside = [name for name in key.excludes if name in given]
            if beside:
                raise InputError(
                    f"{who}: {owner} has both {key.name} and {beside[0]}; keep one of them"
                )
            try:
                values[key.name] = key.read(given[key.name])
            except ValueError:
                raise InputError(
                    f"{who}: {key.name} of {owner} is {_shown(given[key.name])}; "
                    f"it must be {key.allowed}"
                ) from None
        elif key.required:
            raise InputError(f"{who}: {owner} needs the key {key.name}: {key.allowed}")
        else:
            values[key.name] = key.default
    return values


# --- readers: the value in its type, or a ValueError ----------------------------------------------


def exact(number: float) -> Decimal:
    """The decimal a float was written as: the shortest one that reads back as the same float."""
    return Decimal(int(number)) if number == int(number) else Decimal(repr(float(number)))


def read_number(value: Any) -> Decimal:
    """A finite number, or a text that is one."""
    number = as_number(value) if isinstance(value, str) else value
    if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
        raise ValueError
    return exact(number)


def read_width(value: Any) -> Decimal:
    """A number above 0."""
    width = read_number(value)
    _only(width, lambda number: number > 0)
    return width


def whole_number(low: int, high: float = math.inf) -> Reader:
    """A whole number from `low` to `high`."""

    def read(value: Any) -> int:
        number = _only(
            read_number(value), lambda n: low <= n <= high and n == n.to_integral_value()
        )
        return int(number)

    return read


def read_point(value: Any) -> Point:
    """A number, a date, or a text that may be one in the format of a column."""
    if isinstance(value, datetime.date):
        return value
    if isinstance(value, str) and as_number(value) is None:
        return str(value)
    return read_number(value)


def read_text(value: Any) -> str:
    """A text that is not empty."""
    return str(_only(value, lambda text: isinstance(text, str) and text != ""))


def one_of(choices: tuple[str, ...]) -> Reader:
    """One of a few words."""
    return lambda value: str(_only(value, lambda word: word in choices))


def list_of(item: Reader) -> Callable[[Any], list[Any]]:
    """A list with at least one item, each read by `item`."""

    def read(value: Any) -> list[Any]:
        return [item(x) for x in _only(value, lambda v: isinstance(v, list | tuple) and len(v) > 0)]

    return read


def read_bins(value: Any) -> list[int]:
    """Numbers of bins, each smaller than the one before."""
    bins = list_of(whole_number(2, MOST_BINS))(value)
    _only(bins, lambda counts: all(a > b for a, b in pairwise(counts)))
    return bins


def read_groups(value: Any) -> dict[Any, list[Any]]:
    """A level of named groups: a mapping from the name of a group to the list of its members."""
    _only(value, lambda level: isinstance(level, Mapping) and len(level) > 0)
    return {name: list_of(lambda member: member)(members) for name, members in value.items()}


def read_level_table(value: Any) -> dict[Any, list[Any]]:
    """A mapping from every value to the list of its labels; a list may be empty (one value)."""
    _only(value, lambda table: isinstance(table, Mapping) and len(table) > 0)
    return {
        text: list(_only(labels, lambda v: isinstance(v, list | tuple)))
        for text, labels in value.items()
    }


def _only(value: Any, fits: Callable[[Any], bool]) -> Any:
    if not fits(value):
        raise ValueError
    return value


# --- texts that YAML has read as something else ---------------------------------------------------


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
    raise InputError(f"{who}: {_shown(value)} is not a text; write a text in quotes")


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


def _shown(value: Any) -> str:
    text = str(value)
    return "nothing" if value is None else f"'{text[:60]}{'…' if len(text) > 60 else ''}'"
