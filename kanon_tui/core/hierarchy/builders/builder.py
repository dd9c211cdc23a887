"""The declaration of a builder, and what builders share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_tui.core.fields.declaration import Field, FieldType
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column, Kind


@dataclass(frozen=True)
class Builder:
    """A way to make a hierarchy from the values of a column."""

    name: str
    help: str
    kinds: tuple[Kind, ...]
    """The kinds of attributes it is for."""
    keys: tuple[Field, ...]
    build: Callable[[Column, Mapping[str, Any]], Hierarchy]


def lists_by_name(words: str, empty: bool = True) -> FieldType:
    """Return the type of a mapping from names to lists, both as written; `words` describe it.

    That names and members are texts is checked when they are used.
    """

    def read(located: LocatedValue) -> dict[Any, list[Any]]:
        if not isinstance(located.value, Mapping) or not located.value:
            raise located.refuse(f"{located.described} is not allowed here; write {words}")
        for name, members in located.value.items():
            if not isinstance(members, list | tuple) or not (members or empty):
                wrong = located.at(str(name), members)
                raise wrong.refuse(f"{wrong.described} is not allowed here; write {words}")
        return {name: list(members) for name, members in located.value.items()}

    return FieldType(words, read)


def members_of_groups(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the distinct members of every group, from pairs of a member and its group."""
    groups: dict[str, dict[str, None]] = {}
    for member, group in pairs:
        groups.setdefault(group, {})[member] = None
    return {group: list(members) for group, members in groups.items()}
