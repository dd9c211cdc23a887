"""Differences between two states of a project, in words; they make a result stale.

Only what a run depends on counts: not the project's file, nor how the release is written.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from kanon_tui.core.project.differences import ABSENT, changed_fields
from kanon_tui.core.project.project import AttributeSpec, Project, moved
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import short_list

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
    settings, attributes, reading = list[str](), dict[str, list[str]](), list[str]()
    old, new = before.attributes, after.attributes
    names = {name for name in {**old, **new} if old.get(name) != new.get(name)}
    for place, values in changed_fields(_as_run(before, names), _as_run(after, names)).items():
        section, *fields = place
        if section == "attributes":
            words = [_WORDS.get(each, each.replace("_", " ")) for each in fields[1:]]
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
    """

    def role(spec: AttributeSpec) -> AttributeSpec:
        if spec.role is not Role.WEIGHT:
            return spec
        return replace(spec, role=Role.OTHER if spec.publish_unique else Role.IDENTIFIER)

    attributes = {name: role(spec) for name, spec in project.attributes.items() if name in names}
    return replace(project, attributes=attributes)
