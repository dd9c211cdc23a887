"""The differences between two states of a project, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from kanon_tui.core.addresses import is_address
from kanon_tui.core.project.project import Project, project_to_mapping
from kanon_tui.core.text import shortened

_LONGEST = 30
_NOTHING = object()


def differences(saved: Project, current: Project) -> list[str]:
    """Return a line like `privacy, k: 7 in the file, 5 here` for every field that differs.

    >>> from kanon_tui.core.project.project import project_from_mapping
    >>> both = [{"data": {"path": "a.csv"}, "privacy": {"k": k}} for k in (7, 5)]
    >>> differences(*map(project_from_mapping, both))
    ['privacy, k: 7 in the file, 5 here']
    """
    first, second = (dict(_fields(project_to_mapping(each))) for each in (saved, current))
    return [
        _sentence(name, first.get(name, _NOTHING), second.get(name, _NOTHING))
        for name in {**first, **second}
        if first.get(name, _NOTHING) != second.get(name, _NOTHING)
    ]


def _fields(mapping: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and values of fields; a hierarchy or a list of rules is one value."""
    for section, content in mapping.items():
        if not isinstance(content, Mapping):
            yield section, content
            continue
        for name, value in content.items():
            if section == "attributes" and isinstance(value, Mapping):
                yield from ((f"{name}, {field}", one) for field, one in value.items())
            else:
                yield f"{section}, {name}", value


def _sentence(name: str, saved: Any, current: Any) -> str:
    both = (saved, current)
    if any(isinstance(one, str) and is_address(one) for one in both):  # it may hold a password
        return f"{name}: not the same"
    if any(isinstance(one, Mapping | list) for one in both):
        if saved is _NOTHING:
            return f"{name}: only here"
        return f"{name}: only in the file" if current is _NOTHING else f"{name}: not the same"
    return f"{name}: {_words(saved)} in the file, {_words(current)} here"


def _words(value: Any) -> str:
    if value is _NOTHING or value is None:
        return "nothing"
    return shortened(str(value), _LONGEST)
