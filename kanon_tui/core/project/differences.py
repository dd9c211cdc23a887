"""The differences between two states of a project, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from kanon_tui.core.addresses import is_address
from kanon_tui.core.project.project import Project, project_to_mapping
from kanon_tui.core.text import shortened

_LONGEST = 30
ABSENT = object()
"""The value of a field that is not written."""


def differences(saved: Project, current: Project) -> list[str]:
    """Return a line like `privacy, k: 7 in the file, 5 here` for every field that differs.

    >>> from kanon_tui.core.project.project import project_from_mapping
    >>> both = [{"data": {"path": "a.csv"}, "privacy": {"k": k}} for k in (7, 5)]
    >>> differences(*map(project_from_mapping, both))
    ['privacy, k: 7 in the file, 5 here']
    """
    return [
        _sentence(", ".join(place[place[0] == "attributes" :]), *values)
        for place, values in changed_fields(saved, current).items()
    ]


Place = tuple[str, ...]
"""Where a field is: its section, its attribute if it is one's, and its name."""


def changed_fields(before: Project, after: Project) -> dict[Place, tuple[Any, Any]]:
    """Return both values of every field that differs, as files have them; `ABSENT` for none."""
    old, new = (dict(_fields(project_to_mapping(each))) for each in (before, after))
    both = {place: (old.get(place, ABSENT), new.get(place, ABSENT)) for place in {**old, **new}}
    return {place: values for place, values in both.items() if values[0] != values[1]}


def _fields(mapping: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield places and values of fields; a hierarchy or a list of rules is one value."""
    for section, content in mapping.items():
        if not isinstance(content, Mapping):
            yield (section,), content
            continue
        for name, value in content.items():
            if section == "attributes" and isinstance(value, Mapping):
                yield from (((section, name, field), one) for field, one in value.items())
            else:
                yield (section, name), value


def _sentence(name: str, saved: Any, current: Any) -> str:
    both = (saved, current)
    if any(isinstance(one, str) and is_address(one) for one in both):  # it may hold a password
        return f"{name}: not the same"
    if any(isinstance(one, Mapping | list) for one in both):
        if saved is ABSENT:
            return f"{name}: only here"
        return f"{name}: only in the file" if current is ABSENT else f"{name}: not the same"
    return f"{name}: {_words(saved)} in the file, {_words(current)} here"


def _words(value: Any) -> str:
    if value is ABSENT or value is None:
        return "nothing"
    return shortened(str(value), _LONGEST)
