"""A hierarchy while it is edited: its state for screens, and the effect of every edit.

A run needs a hierarchy that covers every value and is joined to the data (`BoundHierarchy`).
Whoever edits one needs more: the level table as it stands, the values that have no row, why it is
refused, what each level is worth, and where it comes from.

An edit is more than a new table: the MAGVals and the research values typed per level follow it. The
functions that make one return the fields of the attribute to change, as a project keeps them.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError, in_screen_words
from kanon_tui.core.hierarchy.builders.intervals import DATE_LEVELS
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, Hierarchy, Mark
from kanon_tui.core.hierarchy.specification import (
    build_hierarchy,
    default_hierarchy,
    default_specification,
    read_hierarchy_file,
    to_yaml_levels,
)
from kanon_tui.core.metrics.measure import LevelMeasures, level_measures
from kanon_tui.core.pipeline.prepare import (
    emphasis_of,
    published_column,
    quasi_identifier,
    weighted_columns,
)
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.task.task import QuasiIdentifier

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AttributeLine:
    """A quasi-identifier in a list: ✓ usable, ! not, · default, ~ nothing between value and `*`."""

    name: str
    mark: str
    height: int | None


def attribute_lines(session: Session) -> tuple[AttributeLine, ...]:
    """Return every quasi-identifier with the state of its hierarchy."""
    lines = []
    for name in session.names(Role.QUASI):
        try:
            attribute = session.quasi_identifier(name)
        except KanonError:
            lines.append(AttributeLine(name, "!", None))
        else:
            mark = "✓" if attribute.hierarchy_given else "·"
            mark = "~" if attribute.hierarchy.one_step else mark
            lines.append(AttributeLine(name, mark, attribute.hierarchy.height))
    return tuple(lines)


@dataclass(frozen=True, eq=False)
class HierarchyState:
    """The hierarchy of an attribute, usable or not."""

    name: str
    spec: AttributeSpec
    origin: str
    """The origin of the hierarchy, in words."""
    problem: str = ""
    """Why a run could not use it; empty when it could."""
    column: Column | None = None
    hierarchy: Hierarchy | None = None
    """None when there is no level table at all: a file that is not there, a builder that fails."""
    bound: BoundHierarchy | None = None
    levels: tuple[LevelMeasures, ...] = ()
    uncovered: tuple[str, ...] = ()
    uncovered_records: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    missing: str | None = None
    """The missing value, where it has no row of its own."""
    missing_records: int = 0
    order: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The rows of the hierarchy in the order of its tree."""
    records: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Per row of the hierarchy, its number of records."""

    @property
    def given(self) -> bool:
        """Whether the project gives a hierarchy; else a default is shown."""
        return self.spec.hierarchy is not None


def hierarchy_state(session: Session, name: str) -> HierarchyState:
    """Return the hierarchy that a run would use for an attribute, and its problems."""
    spec = session.attribute(name)
    empty = HierarchyState(name, spec, _origin(spec.hierarchy))
    try:
        attribute = _used(session, name)
        problem = ""
    except KanonError as error:
        attribute = None
        problem = in_screen_words(error)
    try:
        column = attribute.column if attribute else published_column(session.table, name, spec)
    except KanonError:
        return replace(empty, problem=problem)
    try:
        hierarchy, origin = level_table(spec, column, session.project.folder)
    except KanonError as error:
        return replace(empty, problem=problem or in_screen_words(error), column=column)
    rows = hierarchy.find_rows(column)
    covered = rows >= 0
    records = np.zeros(len(hierarchy.values), dtype=np.int64)
    np.add.at(records, rows[covered], column.counts[covered])
    uncovered = [code for code in np.flatnonzero(~covered).tolist() if code != column.missing]
    state = replace(
        empty, origin=origin, problem=problem, column=column, hierarchy=hierarchy,
        bound=attribute.hierarchy if attribute else None,
        levels=_measures(session, attribute) if attribute else (),
        uncovered=tuple(column.values[code] for code in uncovered),
        uncovered_records=column.counts[uncovered], order=hierarchy.tree_order, records=records,
    )  # fmt: skip
    if column.missing is None or covered[column.missing]:
        return state
    text = column.values[column.missing]
    count = int(column.counts[column.missing])
    return replace(state, missing=text, missing_records=count)


def level_preview(
    session: Session, name: str, hierarchy: Mapping[str, Any]
) -> tuple[QuasiIdentifier, tuple[LevelMeasures, ...]]:
    """Return an attribute and its levels with another hierarchy; raise if it cannot be used."""
    spec = replace(session.attribute(name), hierarchy=hierarchy, magvals=(), rv=None)
    column = published_column(session.table, name, spec)
    attribute = quasi_identifier(column, spec, _weight(session, name), session.project, [])
    return attribute, _measures(session, attribute)


def attribute_levels(
    session: Session, name: str
) -> tuple[QuasiIdentifier, tuple[LevelMeasures, ...]]:
    """Return an attribute as a run gets it, and its levels; raise if it cannot be used."""
    attribute = _used(session, name)
    return attribute, _measures(session, attribute)


def _used(session: Session, name: str) -> QuasiIdentifier:
    """Return the attribute as a run gets it.

    Where records with missing values are dropped that is the task's (of a table beyond memory none
    are dropped here: its values are counted, not its records); else the attribute by itself
    is the same, sooner, and also when another attribute keeps a run from starting.
    """
    if session.project.data.missing_policy == "drop" and session.source is None:
        with suppress(KanonError):
            return next(a for a in session.task().quasi if a.name == name)
    return replace(
        session.quasi_identifier(name),
        weight=_weight(session, name),
        rule_emphasis=emphasis_of(session.project, session.attribute(name)),
    )


def _weight(session: Session, name: str) -> float:
    names = session.names(Role.QUASI)
    project = session.project
    try:
        _, _, weights = weighted_columns(project, session.table, project.attributes)
    except KanonError:
        return 1.0 / len(names)
    return float(weights[names.index(name)])


def _measures(session: Session, attribute: QuasiIdentifier) -> tuple[LevelMeasures, ...]:
    privacy = session.project.privacy
    person = None
    for name in () if session.source is not None else session.names(Role.PERSON):
        person = session.table.column(name, Kind.CATEGORICAL)
    if person is not None and person.records != attribute.column.records:  # some are dropped
        person = session.task().person
    counted = attribute.column.records if person is None else len(person.values)
    return level_measures(attribute, privacy.k, privacy.allowed_suppressed(counted), person)


def level_table(spec: AttributeSpec, column: Column, folder: Path) -> tuple[Hierarchy, str]:
    """Return the level table with the marks that fit, and its origin in words."""
    if spec.hierarchy is None:
        hierarchy, note = default_hierarchy(column)
        return hierarchy, note.partition("; ")[2]
    hierarchy = build_hierarchy(spec.hierarchy, column, folder)
    return hierarchy.with_marks(placeable(hierarchy, spec.magvals)), _origin(spec.hierarchy)


def placeable(hierarchy: Hierarchy, marks: Sequence[str | Mark]) -> list[str | Mark]:
    """Return the marks that name a label of this hierarchy."""
    placeable_marks = []
    for mark in marks:
        try:
            hierarchy.with_marks([mark])
        except InputError:
            continue
        placeable_marks.append(mark)
    return placeable_marks


def _origin(spec: Mapping[str, Any] | None) -> str:
    """Return the origin of a hierarchy: `builder mask, from right`, `file zip.csv` …"""
    if spec is None:
        return "built by default"
    if "builder" in spec:
        keys = (f"{key} {value}" for key, value in spec.items() if key != "builder")
        return ", ".join([f"builder {spec['builder']}", *(k if len(k) < 60 else "…" for k in keys)])
    if "file" in spec:
        return f"file {spec['file']}"
    return f"UTD file {spec['utd']}" if "utd" in spec else "kept in the project"


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
    rv = state.spec.rv
    grown = hierarchy.height - state.hierarchy.height
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
    removed = []
    if len(marks) < len(old.magvals):
        removed.append(f"{len(old.magvals) - len(marks)} MAGVals whose labels are gone")
    if rv is None and old.rv is not None:
        removed.append("the research values typed for other levels")
    return {"hierarchy": spec, "magvals": marks, "rv": rv}, " and ".join(removed)


def imported(path: Path, attribute: str, column: Column, project: Project) -> dict[str, Any]:
    """Return the project's entry for a hierarchy file (`attribute` selects one of an .xml).

    The file itself where a project file can name it, relative to the project if it lies below; else
    (a level table in YAML, or a project that has no file yet) the levels that are in it.
    """
    path = path.resolve()
    spec = {}
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
