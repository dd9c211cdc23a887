"""Types of fields: which values are allowed, how they are read and written.

A type says in words what is `allowed`, reads a `LocatedValue` (from a file, a form, the command
line or Python alike) and writes the value back as a project file shows it. What does not fit is
refused with one sentence: where it stands, what came, what is allowed.

A form that only one key has, such as the header of a table, is a `FieldType` beside the class that
declares the field.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import exact_number


@dataclass(frozen=True)
class FieldType:
    """The type of a field: which values are allowed, and how they are read and written."""

    allowed: str
    """The allowed values in words: `a whole number from 1 to 10`."""
    read: Callable[[LocatedValue], Any] = field(compare=False)
    """The reader, which raises an error that says what is allowed."""
    write: Callable[[Any], Any] = field(default=lambda value: value, compare=False)
    """The writer to the form of a project file: plain texts, numbers, lists and mappings."""
    name: str = ""
    """The name of a simple type, for programs: bool, int, float, str."""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    """Whether null (nothing) is a value."""


@dataclass(frozen=True)
class SeveralKeys:
    """The type of a field without a key of its own: it is written as keys of its section."""

    keys: tuple[str, ...]
    read: Callable[[Mapping[str, LocatedValue]], Any] = field(compare=False)
    """The reader, called with those of its keys that are given."""
    write: Callable[[Any], dict[str, Any]] = field(compare=False)


def switch() -> FieldType:
    """Return the type of true or false, also written yes, no, on and off."""
    return FieldType("true or false", LocatedValue.switch, name="bool")


def whole_number(low: int | None = None, high: int | None = None) -> FieldType:
    """Return the type of a whole number between two bounds: 5, not 5.0."""
    allowed = "a whole number" + _bounds(low, high)
    least, most = _or(low, -math.inf), _or(high, math.inf)
    return FieldType(
        allowed, lambda located: located.whole(allowed, least, most), name="int", low=low, high=high
    )


def number(
    low: float | None = None, high: float | None = None, above: float | None = None, words: str = ""
) -> FieldType:
    """Return the type of a finite number between two bounds, larger than `above`.

    `words` say what it is where that says more than its bounds: `a distance from 0 to 1`.
    """
    allowed = words or "a number" + _bounds(low, high)
    if above is not None and not words:
        allowed = f"a number above {above:g}" + (f", at most {high:g}" if high is not None else "")
    least, most, more = _or(low, -math.inf), _or(high, math.inf), _or(above, -math.inf)
    return FieldType(
        allowed,
        lambda located: located.number(allowed, least, most, more),
        plain_number,
        name="float",
        low=low,
        high=high,
    )


def plain_number(value: float) -> int | float:
    """Return a number without the `.0` of a whole number."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)


def text(
    words: str = "a text", empty: bool = True, fits: Callable[[str], bool] = lambda _: True
) -> FieldType:
    """Return the type of a text, kept exactly; digits that print back alike need no quotes.

    A text for which `fits` is false is refused.
    """

    def read(located: LocatedValue) -> str:
        written = located.text(words)
        if not (written or empty) or not fits(written):
            raise located.wrong(words)
        return written

    return FieldType(words, read, exact_number, name="str")


def lines() -> FieldType:
    """Return the type of several texts that a form shows one per line; empty lines are left out."""

    def read(located: LocatedValue) -> tuple[str, ...]:
        written = located.text("lines of text").splitlines()
        return tuple(line.strip() for line in written if line.strip())

    return FieldType("one on each line", read, "\n".join, name="lines")


def choice(choices: Collection[str]) -> FieldType:
    """Return the type of one of a few words."""
    return FieldType(
        "one of " + ", ".join(choices),
        lambda located: located.one_of(choices),
        name="str",
        choices=tuple(choices),
    )


def member_of(members: type[enum.Enum]) -> FieldType:
    """Return the type of a member of an enumeration, written as its value."""
    words = choice(tuple(member.value for member in members))
    return replace(
        words,
        read=lambda located: members(words.read(located)),
        write=lambda member: member.value,
    )


def optional(inner: FieldType) -> FieldType:
    """Return the type of a value or nothing: null, ~ or an empty entry."""
    return replace(
        inner,
        allowed=f"{inner.allowed} or nothing",
        read=lambda located: None if located.value is None else inner.read(located),
        write=lambda value: None if value is None else inner.write(value),
        optional=True,
    )


def automatic(inner: FieldType, allowed: str = "") -> FieldType:
    """Return the type of a value or the word auto; `allowed` are words for both."""
    allowed = allowed or f"{inner.allowed} or auto"

    def read(located: LocatedValue) -> Any:
        if located.value == "auto":
            return "auto"
        try:
            return inner.read(located)
        except InputError:
            raise located.wrong(allowed) from None

    return replace(
        inner,
        allowed=allowed,
        read=read,
        write=lambda value: value if value == "auto" else inner.write(value),
    )


def list_of(
    item: FieldType, words: str, length: int | None = None, empty: bool = True
) -> FieldType:
    """Return the type of a list of values of one type; `words` describe it in messages."""

    def read(located: LocatedValue) -> tuple[Any, ...]:
        items = tuple(item.read(entry) for entry in located.items(words, length))
        if not items and not empty:
            raise located.refuse(f"an empty list is not allowed here; write {words}")
        return items

    return FieldType(words, read, lambda values: [item.write(value) for value in values])


def mapping_of(item: FieldType, words: str) -> FieldType:
    """Return the type of values by name; names are texts and keep their order."""
    return FieldType(
        words,
        lambda located: {name: item.read(entry) for name, entry in located.entries().items()},
        lambda values: {exact_number(name): item.write(value) for name, value in values.items()},
    )


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return f" of at most {high:g}" if high is not None else ""
