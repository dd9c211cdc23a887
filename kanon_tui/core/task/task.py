"""What an algorithm gets: the coded table with hierarchies, rules, weights and privacy.

`prepare` turns a project into a `Task`. Everything a person can have got wrong (an unknown
column, a value without a row in its hierarchy, a rule about a value that does not occur) is
found here, before anything runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_tui.core.data.column import Column
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import Table, read_table
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.build import build_hierarchy, default_hierarchy
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, Hierarchy
from kanon_tui.core.privacy.requirements import Bound, bind_all
from kanon_tui.core.project.project import AttributeSpec, Output, Privacy, Project
from kanon_tui.core.task.rules import BoundRules
from kanon_tui.core.task.steps import Pace
from kanon_tui.core.task.weights import attribute_weights

if TYPE_CHECKING:
    from kanon_tui.core.full_domain.shared_counts import SharedCounts

__all__ = ["QuasiIdentifier", "Task", "coded_column", "prepare", "quasi_identifier"]


@dataclass(frozen=True, eq=False)
class QuasiIdentifier:
    """A quasi-identifier with all that is known of it."""

    column: Column
    hierarchy: BoundHierarchy
    """Always there: a default one (intervals or flat) where the project gives none."""
    hierarchy_given: bool
    rules: BoundRules
    weight: float
    resolution: float
    """Numbers and dates: the width of one unit; 1 for categories."""
    domain: tuple[float, float]
    """Numbers and dates: smallest and largest value; (0, 0) for categories."""
    typed_research_values: tuple[float | None, ...] = ()
    """Research values by hand, one per level; None keeps the computed one."""

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.column.name

    @property
    def ordered(self) -> bool:
        """Whether its values lie on a line (numbers, dates)."""
        return self.column.kind.ordered

    @property
    def domain_width(self) -> float:
        """max − min of the attribute; 0 for categories and single-valued attributes."""
        return self.domain[1] - self.domain[0]

    @property
    def domain_span(self) -> float:
        """Span of the whole domain, which a hidden cell counts with."""
        if self.ordered:
            return self.domain_width / self.resolution + 1
        return float(len(self.column.values))


@dataclass(frozen=True, eq=False)
class Task:
    """Everything an algorithm may look at."""

    table: Table
    quasi: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Column, ...]
    roles: dict[str, Role]
    """Role of every column, in the order of the table."""
    privacy: Privacy
    seed: int = 0
    output: Output = field(default_factory=Output)
    dropped_missing: int = 0
    notes: tuple[str, ...] = ()
    """What a reader of any result should know."""
    built: tuple[str, ...] = ()
    """What a reader of a full-domain result should know: hierarchies that were made up."""
    pace: Pace = field(default_factory=Pace)
    shared: SharedCounts | None = None
    """What the runs of a sweep have counted, for full-domain searches."""

    @property
    def n(self) -> int:
        """Number of records."""
        return self.table.height

    @property
    def k(self) -> int:
        """The asked-for smallest class."""
        return self.privacy.k

    @property
    def allowed_suppressed(self) -> int:
        """How many records `max_suppression` lets go."""
        return int(np.floor(self.privacy.max_suppression * self.n + 1e-9))

    @cached_property
    def requirements(self) -> tuple[Bound, ...]:
        """What every class must keep of sensitive attributes, beyond k."""
        return bind_all(self.privacy.requirements, self.sensitive, "privacy")

    @cached_property
    def codes(self) -> npt.NDArray[np.int32]:
        """Records × quasi-identifiers, one contiguous column per attribute."""
        columns = [attribute.column.codes for attribute in self.quasi]
        return np.asfortranarray(np.column_stack(columns))

    @cached_property
    def weights(self) -> npt.NDArray[np.float64]:
        """Weight of every quasi-identifier."""
        return np.array([attribute.weight for attribute in self.quasi])


def prepare(project: Project, table: Table | None = None) -> Task:
    """Read the data (unless a table is given), join everything and check it."""
    if table is None:
        table = read_table(project.data_path, project.data.read_options)
    specs = project.completed(table).attributes
    roles = {name: _role(specs[name]) for name in table.names}
    quasi_names = [name for name in specs if roles[name] is Role.QUASI]
    if not quasi_names:
        raise InputError(
            f"{project.title}: no attribute has the role quasi; tag at least one, "
            f"for instance age: {{role: quasi}}"
        )
    dropped = 0
    if project.data.missing_policy == "drop":
        published = [name for name in table.names if roles[name] is not Role.IDENTIFIER]
        table, dropped = table.drop_missing(published)
    if table.height < project.privacy.k:
        raise InputError(
            f"{project.title}: k is {project.privacy.k} but the table has only {table.height:,} "
            f"records; choose k of at most {table.height:,}"
        )
    columns = [coded_column(table, name, specs[name]) for name in quasi_names]
    weights = attribute_weights(columns, [specs[n].weight for n in quasi_names], project.weights)
    notes = (f"{dropped:,} records with missing values were dropped",) if dropped else ()
    built: list[str] = []
    quasi = tuple(
        quasi_identifier(column, specs[column.name], weight, project.folder, built)
        for column, weight in zip(columns, weights, strict=True)
    )
    sensitive = tuple(
        coded_column(table, name, specs[name])
        for name in table.names
        if roles[name] is Role.SENSITIVE
    )
    bind_all(project.privacy.requirements, sensitive, f"{project.title}: privacy")
    return Task(
        table=table,
        quasi=quasi,
        sensitive=sensitive,
        roles=roles,
        privacy=project.privacy,
        seed=project.seed,
        output=project.output,
        dropped_missing=dropped,
        notes=notes,
        built=tuple(built),
    )


def _role(spec: AttributeSpec) -> Role:
    assert spec.role is not None, "Project.completed fills in every role"
    return spec.role


def coded_column(table: Table, name: str, spec: AttributeSpec) -> Column:
    """The codes of an attribute, in the kind the project gives it."""
    assert spec.kind is not None, "Project.completed fills in every kind"
    return table.column(name, spec.kind, spec.format)


def quasi_identifier(
    column: Column, spec: AttributeSpec, weight: float, folder: Path, built: list[str]
) -> QuasiIdentifier:
    """An attribute with its hierarchy, rules and numbers; `built` gets what was made up."""
    hierarchy, given = _hierarchy(column, spec, folder, built)
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
    )


def _hierarchy(
    column: Column, spec: AttributeSpec, folder: Path, built: list[str]
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
    observed = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
    if spec.domain is None:
        return observed
    low, high = (float(x) for x in column.parse([str(end) for end in spec.domain]))
    written = f"domain [{spec.domain[0]}, {spec.domain[1]}]"
    if np.isnan(low) or np.isnan(high) or low > high:
        raise InputError(
            f"{column.name}: {written} is not a rising pair; write [smallest, largest] like "
            f"the values of the data"
        )
    if len(present) and (low > observed[0] or high < observed[1]):
        raise InputError(
            f"{column.name}: {written} leaves out values of the data, which go from "
            f"{column.values[0]} to {column.values[len(present) - 1]}; widen it"
        )
    return low, high


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
