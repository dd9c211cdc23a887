"""Differences between two states of a project, in words: in its file, and since a result was made.

Of the changes that make a result stale only those count that a run depends on: not the project's
file, nor how the release is written.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kanon_tui.core.addresses import is_address
from kanon_tui.core.project.project import AttributeSpec, Project, moved, project_to_mapping
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import short_list, shortened

SETTINGS = ("privacy", "algorithm", "seed", "weights", "rule_emphasis", "overlap")
"""The sections of a project that a run depends on, beside data and attributes."""
SCALARS = ("k", "max_suppression", "suppress", "ties")
"""Settings of privacy that are named; all others are requirements beyond k."""
_WORDS = {
    ("algorithm", "name"): "algorithm", ("algorithm", "params"): "parameters of the algorithm",
    "rv": "research values", "magvals": "MAGVals",
}  # fmt: skip
"""Fields whose words on the screens are others than their names."""


def changes_since(before: Project, after: Project) -> list[str]:
    """Return differences such as `k 5 → 10` or `age: hierarchy, rules`; empty when equal."""
    if after.path is not None and before.path != after.path:
        before = moved(before, after.path)  # saved in another folder: compare paths from there
    settings = list[str]()
    attributes = dict[str, list[str]]()
    reading = list[str]()
    old = before.attributes
    new = after.attributes
    names = {name for name in {**old, **new} if old.get(name) != new.get(name)}
    for place, values in changed_fields(_as_run(before, names), _as_run(after, names)).items():
        section, *fields = place
        if section == "attributes":
            words = [_WORDS.get(field, field.replace("_", " ")) for field in fields[1:]]
            attributes.setdefault(fields[0], []).extend(words)
        elif section == "data":
            reading = ["how the data is read"]
        elif section in SETTINGS:
            name = _WORDS.get(place, place[-1].replace("_", " "))
            models = section == "privacy" and fields[0] not in SCALARS
            settings.append("what is required beyond k" if models else name + _values(*values))
    changed = [f"{name}: {', '.join(fields)}" for name, fields in attributes.items()]
    return [*dict.fromkeys(settings), *reading, *changed]


def _values(before: Any, after: Any) -> str:
    """Return ` 5 → 10`; nothing where one is not written or is no single value."""
    if ABSENT in (before, after) or not isinstance(before, str | int | float):
        return ""
    return f" {before:,} → {after:,}" if isinstance(before, int) else f" {before} → {after}"


def staleness(result: FinishedRun, project: Project) -> str:
    """Return the changes since a result was made; empty for one that is up to date."""
    if result.project is None:
        return ""
    changes = changes_since(result.project, project)
    return short_list(changes, most=2) if changes else ""


def _as_run(project: Project, names: Collection[str]) -> Project:
    """Return a project with some attributes, as a run takes them.

    A survey weight is published or left out. Large hierarchies of other attributes are not written.
    Saving makes the path of the data relative, which is no change.
    """

    def role(spec: AttributeSpec) -> AttributeSpec:
        if spec.role is not Role.WEIGHT:
            return spec
        return replace(spec, role=Role.OTHER if spec.publish_unique else Role.IDENTIFIER)

    attributes = {name: role(spec) for name, spec in project.attributes.items() if name in names}
    data = replace(project.data, path=project.data_place)
    return replace(project, attributes=attributes, data=data)


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
    old, new = (dict(_fields(project_to_mapping(project))) for project in (before, after))
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
                yield from (
                    ((section, name, field), field_value) for field, field_value in value.items()
                )
            else:
                yield (section, name), value


def _sentence(name: str, saved: Any, current: Any) -> str:
    both = (saved, current)
    # an address may hold a password
    if any(isinstance(field_value, str) and is_address(field_value) for field_value in both):
        return f"{name}: not the same"
    if any(isinstance(field_value, Mapping | list) for field_value in both):
        if saved is ABSENT:
            return f"{name}: only here"
        return f"{name}: only in the file" if current is ABSENT else f"{name}: not the same"
    return f"{name}: {_words(saved)} in the file, {_words(current)} here"


def _words(value: Any) -> str:
    if value is ABSENT or value is None:
        return "nothing"
    return shortened(str(value), _LONGEST)
