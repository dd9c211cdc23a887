"""What a project says of a hierarchy, checked as far as that needs no data.

A specification is a mapping: a builder with its keys, a file, a level table, or an attribute of a
UTD configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType
from kanon_tui.core.fields.yaml_text import Plain, as_number, exact_number
from kanon_tui.core.hierarchy.builders.contents import BUILDERS, SOURCES
from kanon_tui.core.hierarchy.builders.keys import read_keys

__all__ = ["HIERARCHY", "check_spec", "read_hierarchy", "read_specification"]

_TEXT_KEYS = ("builder", "file", "utd", "attribute", "from", "other")


def read_hierarchy(located: LocatedValue) -> dict[str, Any]:
    """What a person wrote for a hierarchy, checked as far as that needs no data."""
    if not isinstance(located.value, Mapping):
        raise located.refuse(
            f"{located.shown} is not allowed here; write a mapping like {{file: zip.csv}} or "
            f"{{builder: intervals, widths: [5, 10]}}"
        )
    spec = {
        key: p.text() if key in _TEXT_KEYS else _builder_value(p)
        for key, p in located.entries().items()
    }
    check_spec(spec, f"{located.file}: {located.key}" if located.key else located.file)
    return spec


def _builder_value(located: LocatedValue, numbers: bool = True) -> Any:
    """Numbers are numbers, except in level tables and groups, which hold values of the data."""
    if isinstance(located.value, Mapping):
        return {key: _builder_value(p, numbers=False) for key, p in located.entries().items()}
    if isinstance(located.value, list | tuple):
        return [_builder_value(item, numbers) for item in located.items("a list")]
    if numbers and isinstance(located.value, Plain):
        number = as_number(located.value)
        return str(located.value) if number is None else number
    if numbers:
        return located.value
    return located.text("a value or label")


def _write_hierarchy(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _written(value) for key, value in spec.items()}


def _written(value: Any, numbers: bool = True) -> Any:
    """Level tables and groups hold texts; anywhere else a text of digits stays one."""
    if isinstance(value, Mapping):
        return {exact_number(str(key)): _written(inner, False) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_written(item, numbers) for item in value]
    return exact_number(value) if isinstance(value, str) and not numbers else value


HIERARCHY = FieldType(
    "a mapping like {file: zip.csv} or {builder: intervals, widths: [5, 10]}",
    read_hierarchy,
    _write_hierarchy,
)
"""The hierarchy of an attribute, as a project writes it."""


def check_spec(spec: Mapping[str, Any], who: str) -> None:
    """Refuse unknown builders and keys, and values of the wrong type; needs no data."""
    read_specification(spec, who)


def read_specification(spec: Mapping[str, Any], who: str) -> tuple[str, dict[str, Any]]:
    """Which source a specification names, and its keys with their defaults."""
    if not isinstance(spec, Mapping):
        raise InputError(
            f"{who}: its hierarchy is '{spec}'; write a mapping such as {{builder: flat}} or "
            f"{{file: levels.csv}}"
        )
    told = [key for key in ("builder", "file", "utd") if key in spec]
    if len(told) > 1:
        raise InputError(f"{who}: its hierarchy has both {told[0]} and {told[1]}; keep one of them")
    if told == ["builder"]:
        name = spec["builder"]
        builder = BUILDERS.get(name) if isinstance(name, str) else None
        if builder is None:
            raise InputError(f"{who}: unknown builder '{name}'; {suggestion(str(name), BUILDERS)}")
        given = {key: value for key, value in spec.items() if key != "builder"}
        return "builder", read_keys(given, builder.keys, who, f"builder {name}")
    source = told[0] if told else "levels"
    if source not in spec:
        unknown = [str(key) for key in spec]
        known = ("builder", *SOURCES)
        hint = f"'{unknown[0]}': {suggestion(unknown[0], known)}" if unknown else "it is empty"
        raise InputError(
            f"{who}: its hierarchy names no builder, file, utd or levels ({hint}); "
            f"write for instance {{builder: flat}}"
        )
    return source, read_keys(spec, SOURCES[source], who, "its hierarchy")
