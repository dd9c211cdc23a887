"""A value with its place: the file and the keys that lead to it.

Whoever reads a section asks for what it needs (`text`, `whole`, `one_of`, `entries`), and
anything else is refused with one sentence that names the file and the full key: `census.yaml:
attributes.age.weight: 'heavy' is not a number of at least 0`.

Values come from `yaml_text.parse`, where unquoted words are `Plain` text, or from a mapping made
in Python, where numbers are numbers.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.yaml_text import Plain, as_number

_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


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
            return self.refuse(f"{self.shown} in quotes is not {allowed}")
        return self.refuse(f"{self.shown} is not {allowed}")

    @property
    def shown(self) -> str:
        """The value in a few words."""
        if self.value is None:
            return "nothing"
        if isinstance(self.value, Mapping):
            return "a mapping"
        if isinstance(self.value, list | tuple):
            return "a list"
        text = str(self.value)
        return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"

    def at(self, name: str, value: Any) -> LocatedValue:
        """Return a value below this one."""
        return LocatedValue(self.file, f"{self.key}.{name}" if self.key else name, value)

    # -- many values

    def entries(
        self, known: Collection[str] | None = None, noun: str = "key"
    ) -> dict[str, LocatedValue]:
        """Return the entries of a mapping; null counts as an empty one.

        With `known` given, any other key is an error that names the nearest one.
        """
        if self.value is None:
            return {}
        if not isinstance(self.value, Mapping):
            form = f" with the {noun}s {', '.join(known)}" if known else " of names"
            raise self.refuse(f"{self.shown} is not allowed here; write a mapping{form}")
        result = {}
        for name, value in self.value.items():
            entry = self.at(str(name), value)
            if known is not None and name not in known:
                hint = suggestion(str(name), known) if known else f"there are no {noun}s here"
                raise entry.refuse(f"unknown {noun}; {hint}")
            result[entry._word(name)] = entry
        return result

    def items(self, what: str, length: int | None = None) -> Iterator[LocatedValue]:
        """Yield the items of a list, counted from 1 in messages."""
        if not isinstance(self.value, list | tuple) or length not in (None, len(self.value)):
            raise self.refuse(f"{self.shown} is not allowed here; write {what}")
        for number, value in enumerate(self.value, start=1):
            yield LocatedValue(self.file, f"{self.key}[{number}]", value)

    # -- one value

    def text(self, allowed: str = "a text") -> str:
        """Return a text as it was written."""
        if isinstance(self.value, Mapping | list | tuple):
            raise self.refuse(f"{self.shown} is not allowed here; write {allowed}")
        if self.value is None:
            raise self.refuse(f"nothing is not {allowed}; put null, ~ or an empty text in quotes")
        return self._word(self.value)

    def _word(self, value: Any) -> str:
        if isinstance(value, str):
            return str(value)
        if isinstance(value, bool) or not isinstance(value, int | float | datetime.date):
            raise self.refuse(f"{value!r} is not a text; put it in quotes")
        return str(value)

    def number(
        self, allowed: str, low: float = -math.inf, high: float = math.inf, above: float = -math.inf
    ) -> float:
        """Return a finite number from `low` to `high`, larger than `above`."""
        value = self._as_number()
        fits = value is not None and math.isfinite(value) and low <= value <= high and value > above
        if value is None or not fits:
            raise self.wrong(allowed)
        return float(value)

    def whole(self, allowed: str, low: float = -math.inf, high: float = math.inf) -> int:
        """Return a whole number from `low` to `high`."""
        value = self._as_number()
        if not isinstance(value, int) or not low <= value <= high or abs(value) >= 2**63:
            raise self.wrong(allowed)
        return value

    def _as_number(self) -> int | float | None:
        if isinstance(self.value, Plain):
            return as_number(self.value)
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        return self.value if is_number else None

    def switch(self) -> bool:
        """Return true or false."""
        value = self.value
        if isinstance(value, Plain):
            value = _SWITCHES.get(value.lower())
        if not isinstance(value, bool):
            raise self.wrong("true or false")
        return value

    def one_of(self, choices: Collection[str]) -> str:
        """Return the value, which must be one of a few words."""
        word = self.text("one of " + ", ".join(choices))
        if word not in choices:
            raise self.refuse(f"{self.shown} is not one of its values; {suggestion(word, choices)}")
        return word
