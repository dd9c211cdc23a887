"""Differences between two states of a project, in words; they make a result stale.

Only what a run depends on counts: not the project's file, nor how the release is written.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from kanon_tui.core.project.project import AttributeSpec, Project, moved
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import short_list


def changes_since(before: Project, after: Project) -> list[str]:
    """Return differences such as `k 5 → 10` or `age: hierarchy, rules`; empty when equal."""
    if after.path is not None and before.path != after.path:
        before = moved(before, after.path)  # saved in another folder: compare paths from there
    return [*_settings(before, after), *_attributes(before, after)]


def staleness(result: FinishedRun, project: Project) -> str:
    """Return the changes since a result was made; empty for one that is up to date."""
    if result.project is None:
        return ""
    changes = changes_since(result.project, project)
    return short_list(changes, most=2) if changes else ""


def _settings(before: Project, after: Project) -> Iterator[str]:
    old, new = before.privacy, after.privacy
    if old.k != new.k:
        yield f"k {old.k:,} → {new.k:,}"
    if old.max_suppression != new.max_suppression:
        yield f"max suppression {old.max_suppression:g} → {new.max_suppression:g}"
    own = ("requirements", "personal_k", "risk", "subset_k", "subset_size")
    if any(getattr(old, name) != getattr(new, name) for name in own):
        yield "what is required beyond k"
    if before.algorithm.name != after.algorithm.name:
        yield f"algorithm {before.algorithm.name} → {after.algorithm.name}"
    elif before.algorithm.params != after.algorithm.params:
        yield f"parameters of {after.algorithm.name}"
    if before.seed != after.seed:
        yield f"seed {before.seed} → {after.seed}"
    if before.weights != after.weights:
        yield "weights"
    if before.rule_emphasis != after.rule_emphasis:
        yield "rule emphasis"
    if before.overlap != after.overlap:
        yield "overlap of ranges"
    if _reading(before) != _reading(after):
        yield "how the data is read"


def _reading(project: Project) -> dict[str, Any]:
    read = {each.name: getattr(project.data, each.name) for each in fields(project.data)}
    return {**read, "path": project.data_place}


def _attributes(before: Project, after: Project) -> Iterator[str]:
    for name in dict.fromkeys([*before.attributes, *after.attributes]):
        old, new = (_as_run(each.attributes.get(name)) for each in (before, after))
        if old == new:
            continue
        if old is None or new is None:
            yield f"{name}: {'new' if old is None else 'gone'}"
            continue
        words = [
            _WORDS.get(each.name, each.name)
            for each in fields(AttributeSpec)
            if getattr(old, each.name) != getattr(new, each.name)
        ]
        yield f"{name}: {', '.join(words)}"


def _as_run(spec: AttributeSpec | None) -> AttributeSpec | None:
    """Return an attribute as a run takes it: a survey weight is published or left out."""
    if spec is None or spec.role is not Role.WEIGHT:
        return spec
    return replace(spec, role=Role.OTHER if spec.publish_unique else Role.IDENTIFIER)


_WORDS = {"rv": "research values", "magvals": "MAGVals", "rule_emphasis": "rule emphasis"}
"""Names of fields on the screens, where they differ."""
