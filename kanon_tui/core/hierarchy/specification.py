"""What a project says of a hierarchy, checked as far as that needs no data.

A specification is a mapping: a builder with its keys, a file, a level table, or an attribute of a
UTD configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kanon_tui.core.errors import suggestion
from kanon_tui.core.fields.declaration import Field, read_given
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType
from kanon_tui.core.fields.yaml_text import Plain, as_number, exact_number
from kanon_tui.core.hierarchy.builders.contents import BUILDERS, SOURCES

__all__ = ["HIERARCHY", "read_hierarchy", "read_specification"]

_LIKE = "a mapping like {file: zip.csv} or {builder: intervals, widths: [5, 10]}"


def read_specification(located: LocatedValue) -> tuple[str, dict[str, Any]]:
    """Which source a specification names, and the value of every key, given or default."""
    source, fields, keys = _declared(located)
    defaults = {field.name: field.default for field in fields}
    return source, defaults | read_given(fields, keys)


def read_hierarchy(located: LocatedValue) -> dict[str, Any]:
    """What a person wrote for a hierarchy, checked as far as that needs no data."""
    read_specification(located)
    _, fields, _ = _declared(located)
    texts = {"builder", *(field.name for field in fields if field.type.name == "str")}
    return {
        key: entry.text() if key in texts else _as_written(entry)
        for key, entry in located.entries().items()
    }


def _declared(located: LocatedValue) -> tuple[str, tuple[Field, ...], LocatedValue]:
    """The source a specification names, the keys it declares, and those that are given."""
    spec = located.value
    if not isinstance(spec, Mapping):
        raise located.refuse(f"{located.shown} is not allowed here; write {_LIKE}")
    sources = [key for key in ("builder", "file", "utd") if key in spec]
    if len(sources) > 1:
        raise located.refuse(
            f"its hierarchy has both {sources[0]} and {sources[1]}; keep one of them"
        )
    if sources == ["builder"]:
        name = spec["builder"]
        if not isinstance(name, str) or name not in BUILDERS:
            raise located.refuse(f"unknown builder '{name}'; {suggestion(str(name), BUILDERS)}")
        given = {key: value for key, value in spec.items() if key != "builder"}
        return "builder", BUILDERS[name].keys, replace(located, value=given)
    source = sources[0] if sources else "levels"
    if source not in spec:
        unknown = [str(key) for key in spec]
        known = ("builder", *SOURCES)
        hint = f"'{unknown[0]}': {suggestion(unknown[0], known)}" if unknown else "it is empty"
        raise located.refuse(
            f"its hierarchy names no builder, file, utd or levels ({hint}); "
            f"write for instance {{builder: flat}}"
        )
    return source, SOURCES[source], located


def _as_written(located: LocatedValue, numbers: bool = True) -> Any:
    """Numbers are numbers, except in level tables and groups, which hold values of the data."""
    if isinstance(located.value, Mapping):
        return {key: _as_written(entry, numbers=False) for key, entry in located.entries().items()}
    if isinstance(located.value, list | tuple):
        return [_as_written(item, numbers) for item in located.items("a list")]
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


HIERARCHY = FieldType(_LIKE, read_hierarchy, _write_hierarchy)
"""The hierarchy of an attribute, as a project writes it."""
