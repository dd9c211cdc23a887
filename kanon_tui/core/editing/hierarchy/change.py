"""What a change of a hierarchy means for the rest of its attribute.

An edit is more than a new table: the MAGVals and the research values typed per level follow it. The
functions here give the fields of the attribute to change, in the form a project keeps them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_tui.core.editing.hierarchy.state import HierarchyState, level_table, placeable
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.hierarchy.build import build_hierarchy, default_specification
from kanon_tui.core.hierarchy.builders.dates import DATE_LEVELS
from kanon_tui.core.hierarchy.files import read_hierarchy_file, to_yaml_levels
from kanon_tui.core.hierarchy.level_table import Hierarchy, Mark
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Column

ResearchValues = tuple[float | None, ...] | None


def check_still_usable(state: HierarchyState, hierarchy: Hierarchy) -> None:
    """Refuse an edit that makes groups of numbers overlap where they did not.

    A hierarchy that lacks rows, or was refused before, is still being worked on: its problem is
    shown, not held against the next edit.
    """
    assert state.column is not None
    refused_before = bool(state.problem) and not state.uncovered
    if not refused_before and not hierarchy.uncovered(state.column):
        hierarchy.bind(state.column)


def edited(state: HierarchyState, hierarchy: Hierarchy, level: int) -> dict[str, Any]:
    """Return the fields of an attribute whose hierarchy was edited by hand at a level.

    A level that was added lies above it, one that was removed is itself; the research values typed
    for the others stay with them.
    """
    assert state.hierarchy is not None
    assert state.column is not None
    rv, grown = state.spec.rv, hierarchy.height - state.hierarchy.height
    if rv is not None and grown > 0:
        rv = (*rv[: level + 1], None, *rv[level + 1 :])
    elif rv is not None and grown < 0:
        rv = (*rv[:level], *rv[level + 1 :])
    return {
        "hierarchy": {"levels": to_yaml_levels(hierarchy)},
        "magvals": _written(hierarchy),
        "rv": _fitting(rv, hierarchy, state.column),
    }


def replaced(
    state: HierarchyState, spec: Mapping[str, Any] | None, folder: Path
) -> tuple[dict[str, Any], str]:
    """Return the fields of an attribute with another hierarchy (None: default), and what is lost.

    MAGVals stay where their labels still exist, research values where there are as many levels.
    """
    assert state.column is not None
    old = state.spec
    hierarchy, _ = level_table(replace(old, hierarchy=spec), state.column, folder)
    marks = () if spec is None else tuple(placeable(hierarchy, old.magvals))
    rv = _fitting(old.rv, hierarchy, state.column)
    lost = []
    if len(marks) < len(old.magvals):
        lost.append(f"{len(old.magvals) - len(marks)} MAGVals whose labels are gone")
    if rv is None and old.rv is not None:
        lost.append("the research values typed for other levels")
    return {"hierarchy": spec, "magvals": marks, "rv": rv}, " and ".join(lost)


def imported(path: Path, attribute: str, column: Column, project: Project) -> dict[str, Any]:
    """Return the project's entry for a hierarchy file (`attribute` selects one of an .xml).

    The file itself where a project file can name it, relative to the project if it lies below; else
    (a level table in YAML, or a project that has no file yet) the levels that are in it.
    """
    path, spec = path.resolve(), {}
    match path.suffix.lower():
        case ".csv":
            spec = {"file": str(path)}
        case ".xml":
            spec = {"utd": str(path), "attribute": attribute}
    hierarchy = build_hierarchy(spec, column, path.parent) if spec else read_hierarchy_file(path)
    uncovered = hierarchy.uncovered(column)
    if len(uncovered) == len(column.values) - (column.missing is not None):
        raise InputError(
            f"{path.name}: it has none of the values of {column.name}; is it the right file?"
        )
    if not spec or project.path is None:
        return {"levels": to_yaml_levels(hierarchy)}
    folder = project.folder.resolve()
    if path.is_relative_to(folder):
        spec[next(iter(spec))] = path.relative_to(folder).as_posix()
    return spec


def _fitting(rv: ResearchValues, hierarchy: Hierarchy, column: Column) -> ResearchValues:
    """Return typed research values if they fit the levels and at least one is typed."""
    if rv is None or all(value is None for value in rv):
        return None
    try:
        height = hierarchy.bind(column).height
    except KanonError:
        height = hierarchy.height
    return rv if len(rv) == height + 1 else None


def with_mark_toggled(state: HierarchyState, nodes: Sequence[tuple[int, str]]) -> dict[str, Any]:
    """Return the fields of an attribute with MAGVals set on labels, or removed if all have one."""
    assert state.hierarchy is not None
    marks = {Mark(level, label) for level, label in nodes}
    if any(mark.level == state.hierarchy.height for mark in marks):
        raise InputError(
            "the root is the limit wherever no MAGVal is set, so it needs none; mark a label "
            "below it"
        )
    had = state.hierarchy.marks
    new = replace(state.hierarchy, marks=had - marks if marks <= had else had | marks)
    return {"hierarchy": spec_as_given(state), "magvals": _written(new)}


def spec_as_given(state: HierarchyState) -> Mapping[str, Any]:
    """Return the hierarchy as a project writes it; a default one becomes its builder."""
    if state.spec.hierarchy is not None:
        return state.spec.hierarchy
    assert state.column is not None
    spec = default_specification(state.column)
    usual = spec.get("levels") == list(DATE_LEVELS)
    return {"builder": spec["builder"]} if usual else spec


def _written(hierarchy: Hierarchy) -> tuple[str | Mark, ...]:
    """Return the marks as a project writes them: a label alone where it is unambiguous."""
    written: list[str | Mark] = []
    for mark in sorted(hierarchy.marks):
        try:
            alone = hierarchy.with_marks([mark.label]).marks == {mark}
        except InputError:
            alone = False
        written.append(mark.label if alone else mark)
    return tuple(written)
