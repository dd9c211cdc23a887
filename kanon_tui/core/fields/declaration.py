"""A parameter is declared once; forms, flags, YAML and docs read the declaration.

    @dataclass(frozen=True)
    class Mondrian(Algorithm):
        relaxed: bool = parameter(False, "Ties of the median may go to either side")

`parameters_of` lists the declarations of an algorithm, `with_parameters` makes one from values that
came from a file or a form, and refuses what does not fit with one sentence.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kanon_tui.core.errors import InputError, suggestion

__all__ = ["Parameter", "parameter", "parameters_of", "parse_text", "with_parameters"]

T = TypeVar("T")
_TYPE_NAMES = {bool: "bool", int: "int", float: "float", str: "str"}


@dataclass(frozen=True)
class Parameter:
    """One declared parameter of an algorithm."""

    name: str
    type: str
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] | None = None
    optional: bool = False
    """Whether null (nothing) is a value."""

    @property
    def allowed(self) -> str:
        """What may be given, in words: `a whole number from 1 to 10`."""
        if self.choices:
            words = "one of " + ", ".join(self.choices)
        elif self.type == "bool":
            words = "true or false"
        else:
            words = {"int": "a whole number", "float": "a number", "str": "text"}[self.type]
            if self.low is not None and self.high is not None:
                words += f" from {self.low:g} to {self.high:g}"
            elif self.low is not None:
                words += f" of at least {self.low:g}"
            elif self.high is not None:
                words += f" of at most {self.high:g}"
        return words + (" or nothing" if self.optional else "")

    def check(self, value: Any, who: str) -> Any:
        """The value in the declared type, or an error that says what is allowed."""
        if value is None and self.optional:
            return None
        if self.type == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        fits = _TYPE_NAMES.get(type(value)) == self.type
        fits = fits and (not self.choices or value in self.choices)
        fits = fits and (self.low is None or value >= self.low)
        fits = fits and (self.high is None or value <= self.high)
        if not fits:
            shown = "nothing" if value is None else f"'{value}'"
            raise InputError(f"{who}: parameter {self.name} is {shown}; it must be {self.allowed}")
        return value


def parameter(
    default: T,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | None = None,
) -> T:
    """Declare a field of an algorithm as a parameter a person may set."""
    metadata = {"help": help, "low": low, "high": high, "choices": choices}
    field: T = dataclasses.field(default=default, metadata=metadata)
    return field


def parameters_of(algorithm: type[Any]) -> tuple[Parameter, ...]:
    """The declared parameters of an algorithm class, in order."""
    hints = typing.get_type_hints(algorithm)
    result = []
    for field in dataclasses.fields(algorithm):
        kind = hints[field.name]
        optional = isinstance(kind, types.UnionType) and type(None) in kind.__args__
        if optional:
            kind = next(arg for arg in kind.__args__ if arg is not type(None))
        choices = field.metadata["choices"]
        result.append(
            Parameter(
                name=field.name,
                type=_TYPE_NAMES[kind],
                default=field.default,
                help=field.metadata["help"],
                low=field.metadata["low"],
                high=field.metadata["high"],
                choices=tuple(choices) if choices else None,
                optional=optional,
            )
        )
    return tuple(result)


def with_parameters(algorithm: type[T], values: Mapping[str, Any], who: str) -> T:
    """An algorithm with these parameter values; the rest keep their defaults."""
    known = {p.name: p for p in parameters_of(algorithm)}
    checked = {}
    for name, value in values.items():
        if name not in known:
            hint = suggestion(name, known) if known else "it takes no parameters"
            raise InputError(f"{who}: unknown parameter '{name}'; {hint}")
        checked[name] = known[name].check(value, who)
    return algorithm(**checked)


def parse_text(declared: Parameter, text: str, who: str) -> Any:
    """A value typed as text (`--set relaxed=true`, an input field) in the declared type."""
    stripped = text.strip()
    if declared.optional and stripped.lower() in ("", "none", "null"):
        return None
    try:
        if declared.type == "bool":
            value: Any = {"true": True, "yes": True, "false": False, "no": False}[stripped.lower()]
        elif declared.type == "int":
            value = int(stripped)
        elif declared.type == "float":
            value = float(stripped)
        else:
            value = text
    except (KeyError, ValueError):
        value = text
    return declared.check(value, who)
