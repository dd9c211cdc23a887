"""Values that know their place, and words that are kept as they were written.

A `LocatedValue` is a value with its file and the keys that lead to it, from a file or from Python.
Its methods return what a reader needs (`text`, `whole_number`, `entries`) and refuse anything
else with one sentence: `census.yaml: attributes.age.weight: 'heavy' is not a number of at least 0`.
"""

import datetime
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from kanon_tui.core.errors import InputError, suggestion

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[-+]?\d+", re.ASCII)
_LONGEST_NUMBER = 300


class Plain(str):
    """A word that is written in the file without quotes."""

    __slots__ = ()


def as_number(text: str) -> int | float | None:
    """Return the number a word stands for, None if it is not one."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return int(text) if _WHOLE.fullmatch(text) else float(text)


def exact_number(text: str) -> int | float | str:
    """Return the number if it prints as the very same word, else the word itself.

    `64` and `0.5` are numbers; `01234`, `1.50` and `+3` stay text, because their digits matter.
    """
    number = as_number(text)
    return number if number is not None and str(number) == text else str(text)


@dataclass(frozen=True)
class LocatedValue:
    """A value, the file it is in and the keys that lead to it."""

    file: str
    key: str
    value: Any

    def refuse(self, why: str) -> InputError:
        """Return an error that names where the value stands."""
        return InputError(f"{self.file}: {self.key}: {why}" if self.key else f"{self.file}: {why}")

    def wrong(self, allowed: str) -> InputError:
        """Return an error that shows the value and what is allowed."""
        if isinstance(self.value, str) and not isinstance(self.value, Plain):
            return self.refuse(f"{self.described} in quotes is not {allowed}")
        return self.refuse(f"{self.described} is not {allowed}")

    @property
    def described(self) -> str:
        """The value in a few words."""
        if self.value is None:
            return "nothing"
        if isinstance(self.value, Mapping):
            return "a mapping"
        if isinstance(self.value, list | tuple):
            return "a list"
        text = str(self.value)
        return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"

    def at(self, name: str, value: Any) -> "LocatedValue":
        """Return a value below this one."""
        return LocatedValue(self.file, f"{self.key}.{name}" if self.key else name, value)

    # -- many values

    def entries(
        self, known_keys: Collection[str] | None = None, noun: str = "key"
    ) -> "dict[str, LocatedValue]":
        """Return the entries of a mapping; null counts as an empty one.

        With `known_keys` given, any other key is an error that names the nearest one.
        """
        if self.value is None:
            return {}
        if not isinstance(self.value, Mapping):
            form = f" with the {noun}s {', '.join(known_keys)}" if known_keys else " of names"
            raise self.refuse(f"{self.described} is not allowed here; write a mapping{form}")
        result = {}
        for name, value in self.value.items():
            entry = self.at(str(name), value)
            if known_keys is not None and name not in known_keys:
                hint = (
                    suggestion(str(name), known_keys)
                    if known_keys
                    else f"there are no {noun}s here"
                )
                raise entry.refuse(f"unknown {noun}; {hint}")
            result[entry._word(name)] = entry
        return result

    def items(self, what: str, length: int | None = None) -> "Iterator[LocatedValue]":
        """Yield the items of a list, counted from 1 in messages."""
        if not isinstance(self.value, list | tuple) or length not in (None, len(self.value)):
            raise self.refuse(f"{self.described} is not allowed here; write {what}")
        for number, value in enumerate(self.value, start=1):
            yield LocatedValue(self.file, f"{self.key}[{number}]", value)

    # -- one value

    def text(self, allowed: str = "a text") -> str:
        """Return a text as it was written."""
        if isinstance(self.value, Mapping | list | tuple):
            raise self.refuse(f"{self.described} is not allowed here; write {allowed}")
        if self.value is None:
            raise self.refuse(f"nothing is not {allowed}; put null, ~ or an empty text in quotes")
        return self._word(self.value)

    def _word(self, value: Any) -> str:
        if isinstance(value, str):
            return str(value)
        if isinstance(value, bool) or not isinstance(value, int | float | datetime.date):
            raise self.refuse(f"{value!r} is not a text; put it in quotes")
        return str(value)

    @property
    def as_number(self) -> int | float | None:
        """The number that is written here; None where it is none."""
        if isinstance(self.value, Plain):
            return as_number(self.value)
        if isinstance(self.value, bool) or not isinstance(self.value, Real):  # NumPy's are, too
            return None
        return int(self.value) if isinstance(self.value, Integral) else float(self.value)
