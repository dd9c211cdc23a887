"""The columns of a task as the project describes them: coded values, hierarchies, rules, domains.

Wrong settings of an attribute are refused here: an option that would do nothing, a domain that
leaves out values of the data, research values that do not fit the hierarchy.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.hierarchy.build import build_hierarchy, default_hierarchy
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, DeferredHierarchy, Hierarchy
from kanon_tui.core.privacy.t_closeness import HierarchicalTCloseness
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.distinct_values import by_value
from kanon_tui.core.table.end_coding import code_ends, written_end
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.value_formats import fitting_format
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import Note, joined

PROJECT_ENDINGS = (".yaml", ".yml", ".xml")


def as_project(project: Project | str | Path) -> Project:
    """Return a project: as it is, loaded from its file, or a new one for a data file."""
    if isinstance(project, Project):
        return project
    path = Path(project)
    if path.suffix.lower() in PROJECT_ENDINGS:
        return Project.load(path)
    return Project(data=DataSource(path=str(path)))


def read_column(data: Project | Path, name: str, kind: str | None = None) -> Column:
    """Return a column of a data file, read with the settings of its project if there is one."""
    project = as_project(data)
    table = project.read_data()
    spec = project.completed(table).attributes.get(name)
    if spec is None:
        raise InputError(
            f"{project.title}: there is no column '{name}'; {suggestion(name, table.names)}"
        )
    wanted = Kind(kind) if kind is not None else spec.kind
    assert wanted is not None, "a completed project knows every kind"
    return table.column(name, wanted, fitting_format(wanted, spec.format))


def coded_column(table: Table, name: str, spec: AttributeSpec) -> Column:
    """Return the codes of an attribute, in the kind that the project gives it."""
    assert spec.kind is not None, "Project.completed fills in every kind"
    return table.column(name, spec.kind, spec.format)


def published_column(table: Table, name: str, spec: AttributeSpec) -> Column:
    """Return the codes of a quasi-identifier, its ends coded where the project asks for it."""
    return code_ends(coded_column(table, name, spec), spec.coded_bounds)


def sensitive_column(table: Table, name: str, spec: AttributeSpec, project: Project) -> Column:
    """Return a sensitive attribute; values count as distinct as the project says."""
    column = coded_column(table, name, spec)
    wanted = [r for r in project.privacy.requirements if isinstance(r, HierarchicalTCloseness)]
    if spec.hierarchy is not None and any(r.attribute in (name, None) for r in wanted):
        hierarchy = build_hierarchy(spec.hierarchy, column, project.folder)
        column = replace(column, ground=_ground(hierarchy.bind(column)))
    exact = project.data.distinct == "exact"
    return column if exact else by_value(column, table.missing_tokens)


def _ground(hierarchy: BoundHierarchy) -> tuple[npt.NDArray[np.integer], ...]:
    """Return per level the label of every value, without the levels that have a single label."""
    present = slice(hierarchy.column.missing)  # missing is the last value
    between = [labels for labels in hierarchy.maps[1:] if len(np.unique(labels[present])) > 1]
    return tuple(between)


def emphasis_of(project: Project, spec: AttributeSpec) -> float:
    """Return the rule emphasis of an attribute: its own, or else the project's."""
    return project.rule_emphasis if spec.rule_emphasis is None else spec.rule_emphasis


def quasi_identifier(
    column: Column, spec: AttributeSpec, weight: float, folder: Path, built: list[Note]
) -> QuasiIdentifier:
    """Return an attribute with hierarchy, rules and domain; `built` gets notes on default ones."""
    waits = _may_wait(column, spec)
    hierarchy, given = _hierarchy(_thinned(column) if waits else column, spec, folder, built)
    _check_recoding(column, spec, given)
    if spec.max_level is not None and spec.max_level > hierarchy.height:
        raise InputError(
            f"{column.name}: max_level is {spec.max_level}, but its hierarchy has the levels 0 to "
            f"{hierarchy.height}; choose one of these or leave it out"
        )
    bound: BoundHierarchy
    if waits:
        bound = DeferredHierarchy(column, partial(_bind, column, spec, folder))
    else:
        bound = hierarchy.bind(column)
    resolution, domain = _resolution(column, spec), _domain(column, spec)
    if max(map(abs, domain)) / min(resolution, 1.0) > _LARGEST:
        raise InputError(
            f"{column.name}: its values are too large, or lie too close together, to compute with "
            f"(more than {_LARGEST:g} units from 0); make it categorical"
        )
    return QuasiIdentifier(
        column=column,
        hierarchy=bound,
        hierarchy_given=given,
        rules=spec.rules.bind(column),
        weight=float(weight),
        resolution=resolution,
        domain=domain,
        typed_research_values=_typed_research_values(column, spec, bound),
        hierarchy_spec=spec.hierarchy,
        typed_hierarchy=hierarchy if _is_typed(spec) else None,
        span=spec.span,
        publish=spec.publish or "",
        max_width=spec.max_width,
        max_level=spec.max_level,
    )


_FOR_NUMBERS = ("range", "rounded", "mean", "median", "hierarchy")


_FOR_CATEGORIES = ("ancestor", "set", "mode")


def _check_recoding(column: Column, spec: AttributeSpec, given: bool) -> None:
    """Refuse options that have no effect on this attribute."""
    name, ordered = column.name, column.kind.ordered
    allowed = _FOR_NUMBERS if ordered else _FOR_CATEGORIES
    if spec.publish is not None and spec.publish not in allowed:
        others = "categories" if ordered else "numbers and dates"
        raise InputError(
            f"{name}: publish: {spec.publish} is for {others}; this one is {column.kind}, so "
            f"choose {joined(allowed, 'or')}"
        )
    if spec.publish == "hierarchy" and not given:
        raise InputError(f"{name}: publish is hierarchy, but it has no hierarchy; give it one")
    if spec.max_width is not None and not ordered:
        raise InputError(f"{name}: max_width is for numbers and dates; mark labels with magvals")
    if spec.span == "distinct" and not ordered:
        raise InputError(f"{name}: span is for numbers and dates; leave it out")


_MANY_VALUES = 5_000
_LARGEST = 1e100
"""Units that can be added up and squared for all records without an overflow."""
_CHECKED_VALUES = 1_000


def _may_wait(column: Column, spec: AttributeSpec) -> bool:
    """Return whether the hierarchy may be built later: its labels are many and few ask for them.

    Mistakes in its description are found on some of the values.
    """
    limited = spec.magvals or spec.max_level is not None
    described = limited or spec.rv is not None or spec.publish == "hierarchy"
    numbers = column.kind is Kind.NUMERIC and column.coding is None and not _is_typed(spec)
    return numbers and not described and len(column.values) > _MANY_VALUES


def _thinned(column: Column) -> Column:
    """Return a column with some of the values, the first and the last among them."""
    present = len(column.values) - (column.missing is not None)
    kept = np.linspace(0, present - 1, _CHECKED_VALUES).astype(np.int64)
    if column.missing is not None:
        kept = np.append(kept, column.missing)
    return replace(column.with_values(kept, np.arange(len(kept))), copies=None)


def _bind(column: Column, spec: AttributeSpec, folder: Path) -> BoundHierarchy:
    return _hierarchy(column, spec, folder, [])[0].bind(column)


def _is_typed(spec: AttributeSpec) -> bool:
    """Return whether the hierarchy was written value by value, not built from the data."""
    return spec.hierarchy is not None and "builder" not in spec.hierarchy


def _hierarchy(
    column: Column, spec: AttributeSpec, folder: Path, built: list[Note]
) -> tuple[Hierarchy, bool]:
    if spec.hierarchy is not None:
        hierarchy = build_hierarchy(spec.hierarchy, column, folder)
        return hierarchy.with_marks(spec.magvals, column.name), True
    if spec.magvals:
        raise InputError(
            f"{column.name}: it has magvals but no hierarchy to mark; give it a hierarchy"
        )
    hierarchy, note = default_hierarchy(column)
    built.append(note)
    return hierarchy, False


def _resolution(column: Column, spec: AttributeSpec) -> float:
    if spec.resolution is not None:
        return spec.resolution
    if column.numbers is None or column.kind is Kind.DATE:
        return 1.0
    numbers = np.unique(column.numbers[~np.isnan(column.numbers)])
    if len(numbers) < 2 or (numbers == np.round(numbers)).all():
        return 1.0
    return float(np.diff(numbers).min())


def _domain(column: Column, spec: AttributeSpec) -> tuple[float, float]:
    if column.numbers is None:
        if spec.domain is not None:
            raise InputError(f"{column.name}: domain is for numbers and dates; leave it out")
        return 0.0, 0.0
    present = column.numbers[~np.isnan(column.numbers)]
    if column.coding is not None:  # values behind coded ends belong to the domain
        present = column.coding.original
    observed = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
    if spec.domain is None:
        return observed
    low, high = (_end(column, end) for end in spec.domain)
    written = f"domain [{spec.domain[0]}, {spec.domain[1]}]"
    if np.isnan(low) or np.isnan(high) or low > high:
        raise InputError(
            f"{column.name}: {written} is not a rising pair; write [smallest, largest] like "
            f"the values of the data"
        )
    if len(present) and (low > observed[0] or high < observed[1]):
        raise InputError(
            f"{column.name}: {written} leaves out values of the data, which go from "
            f"{' to '.join(written_end(column, end) for end in observed)}; widen it"
        )
    for key in ("bottom", "top"):
        bound = None if column.coding is None else getattr(column.coding, key)
        if bound is not None and not low <= bound <= high:
            raise InputError(
                f"{column.name}: {key} {getattr(spec, key)} lies outside its {written}; move one "
                f"of them"
            )
    return low, high


def _end(column: Column, written: int | float | str) -> float:
    """Return an end of the domain as a number; a text is parsed like the values of the column."""
    if isinstance(written, str) or column.kind is Kind.DATE:
        return float(column.parse([str(written)])[0])
    return float(written)


def _typed_research_values(
    column: Column, spec: AttributeSpec, bound: BoundHierarchy
) -> tuple[float | None, ...]:
    if spec.rv is None:
        return ()
    if len(spec.rv) != bound.height + 1:
        raise InputError(
            f"{column.name}: rv has {len(spec.rv)} values, its hierarchy has {bound.height + 1} "
            f"levels; give one per level, from level 0 to the root"
        )
    return spec.rv
