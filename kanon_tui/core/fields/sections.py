"""A section of a project file: the declared fields of a class as the keys of a mapping.

`read_fields` makes an object of a mapping, `write_fields` a mapping of an object. A field is a key
of the mapping, a key that lies deeper (`missing.tokens`), or several keys at once (`SeveralKeys`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from kanon_tui.core.fields.declaration import Field, declarations_of
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType, SeveralKeys

T = TypeVar("T")


def section(owner: type[Any]) -> FieldType:
    """Return the type of a field that holds an object with declared fields."""
    keys = ", ".join(dict.fromkeys(key.partition(".")[0] for key in keys_of(owner)))
    return FieldType(
        f"a mapping with the keys {keys}", lambda located: read_fields(owner, located), write_fields
    )


def inlined(owner: type[Any]) -> SeveralKeys:
    """Return the type of a field whose object's keys stand beside the other keys of the section."""
    return SeveralKeys(
        keys_of(owner), lambda entries: _construct(owner, entries, None), write_fields
    )


def keys_of(owner: type[Any]) -> tuple[str, ...]:
    """Return every key that an object of this class is written to."""
    keys: list[str] = []
    for declared in declarations_of(owner).values():
        keys += [declared.key or declared.name] if isinstance(declared, Field) else declared.keys
    return tuple(keys)


def _former_keys(owner: type[Any]) -> tuple[str, ...]:
    """Return the keys of older files that an object of this class is also read from."""
    fields = declarations_of(owner).values()
    return tuple(key for f in fields if isinstance(f, Field) for key, _ in f.formerly)


def read_fields(owner: type[T], located: LocatedValue, also: Iterable[str] = ()) -> T:
    """Return an object from a mapping; refuse unknown keys, except those in `also`."""
    keys = (*also, *keys_of(owner), *_former_keys(owner))
    return _construct(owner, read_entries(located, keys), located)


def read_entries(located: LocatedValue, keys: Iterable[str]) -> dict[str, LocatedValue]:
    """Return the given entries of some keys; `missing.tokens` stands in the mapping `missing`."""
    deeper: dict[str, list[str]] = {}
    for key in keys:
        first, _, rest = key.partition(".")
        deeper.setdefault(first, []).extend([rest] if rest else [])
    entries: dict[str, LocatedValue] = {}
    for name, entry in located.entries(deeper).items():
        inner = read_entries(entry, deeper[name]) if deeper[name] else {"": entry}
        entries |= {f"{name}.{key}" if key else name: value for key, value in inner.items()}
    return entries


def _construct(
    owner: type[T], entries: Mapping[str, LocatedValue], located: LocatedValue | None
) -> T:
    values: dict[str, Any] = {}
    for name, declared in declarations_of(owner).items():
        if isinstance(declared, SeveralKeys):
            values[name] = declared.read(
                {key: entries[key] for key in declared.keys if key in entries}
            )
            continue
        key = declared.key or name
        former = [(old, old_type) for old, old_type in declared.formerly if old in entries]
        if former and key in entries:
            old = former[0][0]
            raise entries[old].refuse(f"{old} is the older word for {key}; keep {key} alone")
        if key in entries:
            values[name] = declared.read(entries[key])
        elif former:
            old, old_type = former[0]
            values[name] = old_type.read(entries[old])
        elif declared.required and located is not None:
            raise located.refuse(f"the key {key} is missing; write {declared.required}")
    return owner(**values)


def write_fields(value: Any) -> dict[str, Any]:
    """Return an object as a mapping; default values are left out."""
    written: dict[str, Any] = {}
    for name, declared in declarations_of(type(value)).items():
        own = getattr(value, name)
        if isinstance(declared, SeveralKeys):
            _merge(written, declared.write(own))
        elif declared.always or declared.required or own != declared.default:
            first, _, rest = (declared.key or name).partition(".")
            shown = declared.write(own)
            _merge(written, {first: {rest: shown} if rest else shown})
    return written


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add entries; two mappings under one key become one."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
