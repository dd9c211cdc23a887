"""From a project to a `Task`.

Everything a person can have got wrong (an unknown column, a value without a row in its hierarchy,
a rule about a value that does not occur) is found here, before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.hierarchy.build import build_hierarchy, default_hierarchy
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, Hierarchy
from kanon_tui.core.privacy.k_anonymity import personal_requirement
from kanon_tui.core.privacy.requirements import join_columns
from kanon_tui.core.privacy.t_closeness import HierarchicalTCloseness
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.distinct_values import by_value
from kanon_tui.core.table.end_coding import code_ends, coding_note, written_end
from kanon_tui.core.table.pseudonyms import KeyFile
from kanon_tui.core.table.schema import Kind, Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.task.weights import attribute_weights
from kanon_tui.core.text import Note, count_of, joined, note

__all__ = [
    "coded_column", "emphasis_of", "prepare", "published_column", "quasi_identifier",
]  # fmt: skip


def prepare(project: Project, table: Table | None = None) -> Task:
    """Read the data (unless a table is given), join everything and check it."""
    if table is None:
        table = project.read_data()
    specs = project.completed(table, for_run=True).attributes
    roles = {name: _role(specs[name]) for name in table.names}
    quasi_names = [name for name in specs if roles[name] is Role.QUASI]
    if not quasi_names:
        raise InputError(
            f"{project.title}: no attribute has the role quasi; tag at least one, "
            f"for instance age: {{role: quasi}}",
            on_screen="no attribute is a quasi-identifier yet; on screen 2, press q on what an "
            "outsider may know, such as age",
        )
    dropped = 0
    if project.data.missing_policy == "drop":
        needed = [name for name in table.names if roles[name] is not Role.IDENTIFIER]
        table, dropped = table.drop_missing(needed)
    if table.height < project.privacy.k:
        raise InputError(
            f"{project.title}: k is {project.privacy.k} but the table has only {table.height:,} "
            f"records; choose k of at most {table.height:,}"
        )
    _check_coded(specs, roles)
    columns = [published_column(table, name, specs[name]) for name in quasi_names]
    weights = attribute_weights(columns, [specs[n].weight for n in quasi_names], project.weights)
    lost = (note("{n:,} records with missing values were dropped", n=dropped),) if dropped else ()
    ends = (coding_note(column) for column in columns)
    notes = (*lost, *(said for said in ends if said is not None))
    built: list[Note] = []
    quasi = tuple(
        replace(
            quasi_identifier(column, specs[column.name], weight, project.folder, built),
            rule_emphasis=emphasis_of(project, specs[column.name]),
        )
        for column, weight in zip(columns, weights, strict=True)
    )
    sensitive = tuple(
        counted_column(table, name, specs[name], project)
        for name in table.names
        if roles[name] is Role.SENSITIVE
    )
    join_columns(project.privacy.requirements, sensitive, f"{project.title}: privacy")
    return Task(
        table=table,
        quasi=quasi,
        sensitive=sensitive,
        roles=roles,
        privacy=project.privacy,
        pseudonymised=(coded := _pseudonymised(table, specs, roles)),
        key_file=KeyFile(project.folder / project.output.pseudonym_key) if coded else None,
        personal_k=_personal_k(project, table, specs, roles),
        person=_person(project, table, roles),
        overlap=project.overlap,
        seed=project.seed,
        output=project.output,
        dropped_missing=dropped,
        notes=notes,
        built=tuple(built),
    )


def _person(project: Project, table: Table, roles: Mapping[str, Role]) -> Column | None:
    """Whose record each is: the column of the role person, of which there is one at most."""
    names = [name for name, role in roles.items() if role is Role.PERSON]
    if not names:
        return None
    if len(names) > 1:
        raise InputError(
            f"{project.title}: {joined(names)} have the role person; give it to the one column "
            f"whose values tell whose a record is, and the others the role identifier"
        )
    column = by_value(table.column(names[0], Kind.CATEGORICAL), table.missing_tokens)
    if column.missing is not None:
        gone = int(column.counts[column.missing])
        raise InputError(
            f"{project.title}: {names[0]} has the role person, but "
            f"{count_of(gone, 'record has', 'records have')} no value in it, so that nobody can "
            f"tell whose they are; fill them in, or write data: {{missing: {{policy: drop}}}} to "
            f"leave such records out"
        )
    return column


def _pseudonymised(
    table: Table, specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]
) -> tuple[str, ...]:
    """The identifiers that are published in code."""
    coded = tuple(name for name in table.names if specs[name].identifier == "pseudonym")
    for name in coded:
        if roles[name] is not Role.IDENTIFIER:
            raise InputError(
                f"{name}: identifier: pseudonym is for identifiers, this one is {roles[name]}; "
                f"give it the role identifier or leave it out"
            )
    return coded


def _personal_k(
    project: Project, table: Table, specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]
) -> Column | None:
    name = project.privacy.personal_k
    if name is None:
        return None
    who = f"{project.title}: privacy: personal_k"
    if name not in roles:
        raise InputError(f"{who}: the data has no column '{name}'; {suggestion(name, roles)}")
    if roles[name] is Role.QUASI:
        raise InputError(
            f"{who}: '{name}' is quasi-identifying; give it the role identifier, which keeps it "
            f"out of the release"
        )
    format = specs[name].format if specs[name].kind is Kind.NUMERIC else None
    column = table.column(name, Kind.NUMERIC, format)
    personal_requirement(column)
    return column


def _role(spec: AttributeSpec) -> Role:
    assert spec.role is not None, "Project.completed fills in every role"
    return spec.role


def coded_column(table: Table, name: str, spec: AttributeSpec) -> Column:
    """The codes of an attribute, in the kind the project gives it."""
    assert spec.kind is not None, "Project.completed fills in every kind"
    return table.column(name, spec.kind, spec.format)


def published_column(table: Table, name: str, spec: AttributeSpec) -> Column:
    """The codes of a quasi-identifier, with its ends coded where the project asks for it."""
    return code_ends(coded_column(table, name, spec), spec.coded_bounds)


def _check_coded(specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]) -> None:
    for name, spec in specs.items():
        if spec.coded_bounds and name in roles and roles[name] is not Role.QUASI:
            key = "top" if spec.top is not None else "bottom"
            raise InputError(
                f"{name}: {key} is for quasi-identifiers, this one is {roles[name]}; give it the "
                f"role quasi or leave {key} out"
            )


def counted_column(table: Table, name: str, spec: AttributeSpec, project: Project) -> Column:
    """A sensitive attribute, its values told apart as the project says."""
    column = coded_column(table, name, spec)
    wanted = [r for r in project.privacy.requirements if isinstance(r, HierarchicalTCloseness)]
    if spec.hierarchy is not None and any(r.attribute in (name, None) for r in wanted):
        hierarchy = build_hierarchy(spec.hierarchy, column, project.folder)
        column = replace(column, ground=_ground(hierarchy.bind(column)))
    exact = project.data.distinct == "exact"
    return column if exact else by_value(column, table.missing_tokens)


def _ground(hierarchy: BoundHierarchy) -> tuple[npt.NDArray[np.integer], ...]:
    """The label of every value, level by level, up to where all present values meet."""
    present = slice(hierarchy.column.missing)  # missing is the last value
    between = [labels for labels in hierarchy.maps[1:] if len(np.unique(labels[present])) > 1]
    return tuple(between)


def emphasis_of(project: Project, spec: AttributeSpec) -> float:
    """The rule emphasis of an attribute: its own, or else the project's."""
    return project.rule_emphasis if spec.rule_emphasis is None else spec.rule_emphasis


def quasi_identifier(
    column: Column, spec: AttributeSpec, weight: float, folder: Path, built: list[Note]
) -> QuasiIdentifier:
    """An attribute with its hierarchy, rules and numbers; `built` gets what was made up."""
    hierarchy, given = _hierarchy(column, spec, folder, built)
    _check_recoding(column, spec, given)
    bound = hierarchy.bind(column)
    return QuasiIdentifier(
        column=column,
        hierarchy=bound,
        hierarchy_given=given,
        rules=spec.rules.bind(column),
        weight=float(weight),
        resolution=_resolution(column, spec),
        domain=_domain(column, spec),
        typed_research_values=_typed_research_values(column, spec, bound),
        hierarchy_spec=spec.hierarchy,
        typed_hierarchy=hierarchy if _is_typed(spec) else None,
        span=spec.span,
        publish=spec.publish or "",
        max_width=spec.max_width,
    )


_FOR_NUMBERS = ("range", "mean", "median", "hierarchy")
_FOR_CATEGORIES = ("ancestor", "set", "mode")


def _check_recoding(column: Column, spec: AttributeSpec, given: bool) -> None:
    """Options that do nothing are refused."""
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


def _is_typed(spec: AttributeSpec) -> bool:
    """Whether somebody wrote the hierarchy value by value; a builder takes values of the data."""
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
    hierarchy, said = default_hierarchy(column)
    built.append(said)
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
    if column.coding is not None:  # what is hidden behind its ends belongs to it
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
    """An end of the domain: a number as it is, a text as the column writes its values."""
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
