"""From a project and its table to a `Task`.

The columns of a task are coded as the project describes them, with hierarchies, rules and domains.
Everything a person can have got wrong (an unknown column, a value without a row in its hierarchy,
a rule about a value that does not occur, an option that would do nothing) is found here, before
anything runs.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from kanon_tui.core.errors import InputError, OnlyWithValues, check_known
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, DeferredHierarchy, Hierarchy
from kanon_tui.core.hierarchy.specification import build_hierarchy, default_hierarchy
from kanon_tui.core.numeric import Floats
from kanon_tui.core.pipeline.engine_choice import read_records
from kanon_tui.core.privacy.k_anonymity import personal_requirement
from kanon_tui.core.privacy.requirements import join_columns
from kanon_tui.core.privacy.t_closeness import HierarchicalTCloseness
from kanon_tui.core.project.guesses import project_of_data
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.column_coding import by_value, code_ends, coding_note, written_end
from kanon_tui.core.table.pseudonyms import KeyFile
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.value_formats import fitting_format
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.task.weights import attribute_weights
from kanon_tui.core.text import Note, count_of, joined, note

PROJECT_ENDINGS = (".yaml", ".yml", ".xml")


def as_project(project: Project | str | Path) -> Project:
    """Return a project: as it is, loaded from its file, or a new one for a data file."""
    if isinstance(project, Project):
        return project
    path = Path(project)
    if path.suffix.lower() in PROJECT_ENDINGS:
        return Project.load(path)
    return project_of_data(DataSource(path=str(path)))


def read_column(data: Project | Path, name: str, kind: str | None = None) -> Column:
    """Return a column of a data file, read with the settings of its project if there is one."""
    project = as_project(data)
    table = read_records(project)
    specs = project.completed(table).attributes
    check_known(name, specs, f"{project.title}: there is no column '{name}'")
    spec = specs[name]
    column_kind = Kind(kind) if kind is not None else spec.kind
    assert column_kind is not None, "a completed project knows every kind"
    return table.column(name, column_kind, fitting_format(column_kind, spec.format))


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
    hierarchical_requirements = [
        r for r in project.privacy.requirements if isinstance(r, HierarchicalTCloseness)
    ]
    if spec.hierarchy is not None and any(
        r.attribute in (name, None) for r in hierarchical_requirements
    ):
        hierarchy = build_hierarchy(spec.hierarchy, column, project.folder)
        present = slice(column.missing)  # missing is the last value
        levels = hierarchy.bind(column).maps[1:]
        ground = [labels for labels in levels if len(np.unique(labels[present])) > 1]
        column = replace(column, ground=tuple(ground))
    exact = project.data.distinct == "exact"
    return column if exact else by_value(column, table.missing_tokens)


def emphasis_of(project: Project, spec: AttributeSpec) -> float:
    """Return the rule emphasis of an attribute: its own, or else the project's."""
    return project.rule_emphasis if spec.rule_emphasis is None else spec.rule_emphasis


def weighted_columns(
    project: Project, table: Table, specs: Mapping[str, AttributeSpec]
) -> tuple[list[Column], tuple[Column, ...], Floats]:
    """Return the quasi-identifiers, the sensitive attributes, and the weights of the former."""
    quasi = {name: spec for name, spec in specs.items() if spec.role is Role.QUASI}
    columns = [published_column(table, name, spec) for name, spec in quasi.items()]
    sensitive = tuple(
        sensitive_column(table, name, specs[name], project)
        for name in table.names
        if specs[name].role is Role.SENSITIVE
    )
    typed = [spec.weight for spec in quasi.values()]
    return columns, sensitive, attribute_weights(columns, typed, project.weights, sensitive)


def quasi_identifier(
    column: Column, spec: AttributeSpec, weight: float, project: Project, built: list[Note]
) -> QuasiIdentifier:
    """Return an attribute with hierarchy, rules and domain; `built` gets notes on them."""
    folder = project.folder
    waits = _may_wait(column, spec)
    hierarchy, hierarchy_given = _hierarchy(
        _with_fewer_values(column) if waits else column, spec, folder, built
    )
    _check_recoding(column, spec, hierarchy_given)
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
    resolution = _resolution(column, spec)
    domain = _domain(column, spec)
    if max(map(abs, domain)) / min(resolution, 1.0) > _LARGEST:
        raise InputError(
            f"{column.name}: its values are too large, or lie too close together, to compute with "
            f"(more than {_LARGEST:g} units from 0); make it categorical"
        )
    rules = spec.rules.bind(column, bound)
    built.extend(rules.notes)
    return QuasiIdentifier(
        column=column,
        hierarchy=bound,
        hierarchy_given=hierarchy_given,
        rules=rules,
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
        rule_emphasis=emphasis_of(project, spec),
    )


_FOR_NUMBERS = ("range", "rounded", "mean", "median", "hierarchy")


_FOR_CATEGORIES = ("ancestor", "set", "mode")


def _check_recoding(column: Column, spec: AttributeSpec, hierarchy_given: bool) -> None:
    """Refuse options that have no effect on this attribute."""
    name = column.name
    ordered = column.kind.ordered
    allowed = _FOR_NUMBERS if ordered else _FOR_CATEGORIES
    if spec.publish is not None and spec.publish not in allowed:
        other_kinds = "categories" if ordered else "numbers and dates"
        raise InputError(
            f"{name}: publish: {spec.publish} is for {other_kinds}; this one is {column.kind}, so "
            f"choose {joined(allowed, 'or')}"
        )
    if spec.publish == "hierarchy" and not hierarchy_given:
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


def _with_fewer_values(column: Column) -> Column:
    """Return a column with some of the values, the first and the last among them."""
    kept_codes = np.linspace(0, column.present - 1, _CHECKED_VALUES).astype(np.int64)
    if column.missing is not None:
        kept_codes = np.append(kept_codes, column.missing)
    return replace(column.with_values(kept_codes, np.arange(len(kept_codes))), copies=None)


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
        ends = " to ".join(written_end(column, end) for end in observed)
        present_range = OnlyWithValues(f", which go from {ends}")
        raise InputError(
            f"{column.name}: {written} leaves out values of the data{present_range}; widen it"
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


_BY_CHANCE = note(
    "ties: random: clusterings choose among equally good records by chance, so that this run "
    "cannot be repeated; searches by values alone, such as mondrian and full-domain ones, stay"
)


def prepare(project: Project, table: Table | None = None) -> Task:
    """Return the task of a project: its table joined with hierarchies, rules and requirements.

    Without a table the data of the project is read.
    """
    return _joined(project, read_records(project) if table is None else table)


def with_notes(task: Task, notes: tuple[Note, ...]) -> Task:
    """Return a task with further notes for the reader of its results, before its own."""
    return replace(task, notes=(*notes, *task.notes)) if notes else task


def _joined(project: Project, table: Table) -> Task:
    """Return the task of a project, joined and checked; of a counted table without its tuples."""
    specs = project.completed(table, for_run=True).attributes
    roles = {name: _role(specs[name]) for name in table.names}
    if Role.QUASI not in roles.values():
        raise InputError(
            f"{project.title}: no attribute has the role quasi; give it to at least "
            f"one, for instance age: {{role: quasi}}",
            on_screen="no attribute is a quasi-identifier yet; on screen 2, press q on what an "
            "outsider may know, such as age",
        )
    dropped = 0
    if project.data.missing_policy == "drop":
        spared = (Role.IDENTIFIER, Role.WEIGHT)
        needed = [name for name in table.names if roles[name] not in spared]
        table, dropped = table.drop_missing(needed)
    _check_privacy(project, table.height)
    by_chance = project.privacy.ties == "random"
    if by_chance:
        table = table.shuffled()
    _check_coded(specs, roles)
    columns, sensitive, weights = weighted_columns(project, table, specs)
    notes = [end_note for end_note in map(coding_note, columns) if end_note is not None]
    if dropped:
        notes.insert(0, note("{n:,} records with missing values were dropped", n=dropped))
    if by_chance:
        notes.append(_BY_CHANCE)
    built: list[Note] = []
    quasi = tuple(
        quasi_identifier(column, specs[column.name], weight, project, built)
        for column, weight in zip(columns, weights, strict=True)
    )
    for attribute in quasi:
        if attribute.publish == "rounded" and not project.overlap:
            raise InputError(
                f"{attribute.name}: publish: rounded widens ranges, but overlap: false keeps them "
                f"apart; leave out one of them"
            )
    join_columns(project.privacy.requirements, sensitive, f"{project.title}: privacy")
    return Task(
        table=table,
        quasi=quasi,
        sensitive=sensitive,
        roles=roles,
        privacy=replace(project.privacy, ties="first"),  # from here on, of the mixed records
        pseudonymised=(coded := _pseudonymised(table, specs, roles)),
        key_file=KeyFile(project.folder / project.output.pseudonym_key) if coded else None,
        personal_k=_personal_k(project, table, specs, roles),
        person=_person(project, table, roles),
        overlap=project.overlap,
        seed=project.seed,
        output=project.output,
        dropped_missing=dropped,
        notes=tuple(notes),
        built=tuple(built),
    )


def _check_privacy(project: Project, records: int) -> None:
    """Refuse a k that so many records cannot have, and options that exclude each other."""
    privacy = project.privacy
    if privacy.ties == "random" and project.output.order == "input":
        raise InputError(
            f"{project.title}: ties: random mixes the records, but output: {{order: input}} "
            f"publishes them as they stand in the file; leave out one of them"
        )
    most = max(privacy.k, privacy.subset_k or 0)
    risk = privacy.risk
    least = most if risk is None else max(most, risk.least_k(records))
    if records < least:
        needs = f"k is {most}" if least == most else f"{risk} needs a k of {least:,}"
        raise InputError(
            f"{project.title}: {needs} but the table has only {records:,} "
            f"records; choose k of at most {records:,}{', or a higher risk' * (least > most)}"
        )
    if privacy.subset_k is not None and privacy.suppress == "cells":
        raise InputError(
            f"{project.title}: privacy: subset_k cannot be kept where single cells are hidden; "
            f"leave it out, or write suppress: records"
        )


def _person(project: Project, table: Table, roles: Mapping[str, Role]) -> Column | None:
    """Return the column that has the role person; None where there is none."""
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
        missing = int(column.counts[column.missing])
        raise InputError(
            f"{project.title}: {names[0]} has the role person, but "
            f"{count_of(missing, 'record has', 'records have')} no value in it, so that nobody can "
            f"tell whose they are; fill them in, or write data: {{missing: {{policy: drop}}}} to "
            f"leave such records out"
        )
    return column


def _pseudonymised(
    table: Table, specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]
) -> tuple[str, ...]:
    """Return the identifiers that are published as pseudonyms."""
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
    check_known(name, roles, f"{who}: the data has no column '{name}'")
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
    publishes_weight = spec.role is Role.WEIGHT and spec.publish_unique
    return Role.OTHER if publishes_weight else spec.role


def _check_coded(specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]) -> None:
    for name, spec in specs.items():
        if spec.coded_bounds and name in roles and roles[name] is not Role.QUASI:
            key = "top" if spec.top is not None else "bottom"
            raise InputError(
                f"{name}: {key} is for quasi-identifiers, this one is {roles[name]}; give it the "
                f"role quasi or leave {key} out"
            )
