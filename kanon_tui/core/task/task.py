"""The input of an algorithm: the coded table with hierarchies, rules, weights and privacy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.hierarchy.level_table import BoundHierarchy, Hierarchy
from kanon_tui.core.privacy.k_anonymity import personal_requirement, small_k_warning
from kanon_tui.core.privacy.requirements import (
    ColumnRequirement,
    PeopleRequirement,
    join_columns,
    k_in_people,
)
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.subsets import SubsetBound
from kanon_tui.core.table.column import Column, counted
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.table.profile import (
    RepeatedPeople,
    SinglingOut,
    repeated_people,
    singling_out_columns,
)
from kanon_tui.core.table.pseudonyms import KeyFile, pseudonym_column
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.rules import BoundRules
from kanon_tui.core.text import Note, Quotable, note

EVEN_EMPHASIS = 0.5
"""The `rule_emphasis` at which granularity and rules count alike."""


@dataclass(frozen=True, eq=False, repr=False)
class QuasiIdentifier:
    """A quasi-identifier with its hierarchy, rules, weight and domain."""

    column: Column
    hierarchy: BoundHierarchy
    """The hierarchy; a default one (intervals or flat) where the project gives none."""
    hierarchy_given: bool
    rules: BoundRules
    weight: float
    resolution: float
    """Numbers and dates: the width of one unit; 1 for categories."""
    domain: tuple[float, float]
    """Numbers and dates: smallest and largest value; (0, 0) for categories."""
    typed_research_values: tuple[float | None, ...] = ()
    """Typed research values, one per level; None keeps the computed one."""
    span: str = "domain"
    """The unit of a range's span: `domain` units, or `distinct` values of the table."""
    publish: str = ""
    """The `publish` setting of the project file; empty for the default of the kind."""
    max_width: float | None = None
    """Numbers and dates: the largest width of a range that breaks no limit."""
    max_level: int | None = None
    """Full-domain: the highest level that a search may choose; None for the root."""
    rule_emphasis: float = EVEN_EMPHASIS
    """The weight of rules against granularity in its research value: 0 none, 1 alone."""
    hierarchy_spec: Mapping[str, Any] | None = None
    """Its hierarchy as the project writes it; None for a default one."""
    typed_hierarchy: Hierarchy | None = None
    """The level table where it was written value by value: it reveals no data."""

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.column.name

    @property
    def ordered(self) -> bool:
        """Whether its values lie on a line (numbers, dates), not in a tree."""
        return self.column.kind.ordered and self.publish != "hierarchy"

    @property
    def limited(self) -> bool:
        """Whether a limit says how far its values may be generalised."""
        limits = self.max_width, self.max_level
        return bool(self.hierarchy.marks) or any(limit is not None for limit in limits)

    @property
    def publishes_ancestor(self) -> bool:
        """Whether a class publishes the label above its values, and not a range or a set."""
        listed = self.publish in ("set", "mode")
        return not self.ordered and self.hierarchy_given and not listed

    @property
    def publishes_observed_ends(self) -> bool:
        """Whether a class publishes a range from its smallest to its largest value."""
        return self.ordered and self.publish in ("", "range")

    @property
    def publishes_one_value(self) -> bool:
        """Whether all members of a class get one value, which need not be theirs."""
        return self.publish in ("mean", "median", "mode")

    @cached_property
    def units(self) -> npt.NDArray[np.float64]:
        """Numbers and dates: the place of every value, in units of span; nan for missing."""
        numbers = self.column.numbers
        assert numbers is not None, f"{self.name} has no numbers"
        if self.span == "domain":
            return numbers / self.resolution
        known = np.unique(numbers[~np.isnan(numbers)])
        return np.where(np.isnan(numbers), np.nan, np.searchsorted(known, numbers))

    @cached_property
    def unit_ends(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The first and the last unit that every value may stand for.

        That is its place, but for a coded end: it goes on to the end of the original.
        """
        column = self.column
        if column.coding is None:
            return self.units, self.units
        if self.span == "domain":
            return column.lowest / self.resolution, column.highest / self.resolution
        known = column.coding.original
        first = np.searchsorted(known, column.lowest).astype(np.float64)
        last = np.searchsorted(known, column.highest, "right") - 1.0
        missing = np.isnan(column.lowest)
        return np.where(missing, np.nan, first), np.where(missing, np.nan, last)

    @property
    def domain_width(self) -> float:
        """max − min of the attribute; 0 for categories and single-valued attributes."""
        return self.domain[1] - self.domain[0]

    @property
    def domain_span(self) -> float:
        """The span of the whole domain, with which a hidden cell counts."""
        if self.ordered and self.span == "distinct":
            return float(np.nanmax(self.unit_ends[1], initial=0.0)) + 1
        if self.ordered:
            return self.domain_width / self.resolution + 1
        return float(self.column.distinct)


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """The input of an algorithm: coded table, hierarchies, rules, weights and privacy."""

    table: Table
    quasi: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Column, ...]
    roles: dict[str, Role]
    """Role of every column, in the order of the table."""
    privacy: Privacy
    pseudonymised: tuple[str, ...] = ()
    """The identifiers that are published as pseudonyms."""
    key_file: KeyFile | None = None
    """The file with the key of the pseudonyms."""
    personal_k: Column | None = None
    """The k that each person asks for."""
    overlap: bool = True
    """Clusterings: whether published ranges of an attribute may overlap."""
    least_levels: tuple[int, ...] = ()
    """Full-domain: the lowest levels of a search; empty where all levels are searched."""
    counted_levels: tuple[int, ...] = ()
    """Counted rows: per quasi-identifier the level below which they do not tell values apart; a
    row then has some value with the same label. Empty where all values are told apart."""
    person: Column | None = None
    """The person of every record, where a person may have several."""
    seed: int = 0
    output: Output = field(default_factory=Output)
    dropped_missing: int = 0
    notes: tuple[Note, ...] = ()
    """Notes for the reader of any result."""
    built: tuple[Note, ...] = ()
    """Notes for the reader of a full-domain result: default hierarchies."""
    copies: npt.NDArray[np.int64] | None = None
    """The number of records that each row of the codes stands for; None: one each."""

    def __repr__(self) -> str:
        """Return a text without values: tracebacks, logs and notebooks show it."""
        return f"<Task of {self.n:,} records, {len(self.quasi)} quasi-identifiers, k = {self.k}>"

    @cached_property
    def n(self) -> int:
        """Number of records."""
        return self.table.height if self.copies is None else int(self.copies.sum())

    @property
    def rows(self) -> int:
        """The number of rows of the codes: records, or distinct tuples of a counted table."""
        return self.table.height if self.copies is None else len(self.copies)

    def records_in(self, rows: npt.NDArray[np.bool_]) -> int:
        """Return how many records some rows stand for."""
        return int(rows.sum() if self.copies is None else self.copies[rows].sum())

    @property
    def k(self) -> int:
        """The smallest class: the k asked for, or what a bound for the highest risk needs."""
        risk = self.privacy.risk
        return self.privacy.k if risk is None else max(self.privacy.k, risk.least_k(self.people))

    @property
    def release_risk(self) -> RiskBound | None:
        """A bound for the risk of the whole release, which no class can keep alone."""
        risk = self.privacy.risk
        return None if risk is None or risk.measure == "highest" else risk

    @cached_property
    def subsets(self) -> SubsetBound | None:
        """The k of every subset of some quasi-identifiers; None where none is required."""
        return SubsetBound.of(self.privacy.subset_size, self.privacy.subset_k, len(self.quasi))

    @property
    def beyond_k(self) -> bool:
        """Whether classes of k records are not enough."""
        return bool(self.requirements or self.release_risk or self.subsets)

    def sizes_of(self, classes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of people of every class, or of records where nobody has several."""
        there = classes >= 0
        if self.repeated is not None:
            codes = self.repeated.codes[there]
            return GroupValues.from_records(classes[there], codes, int(classes.max()) + 1).distinct
        return counted(classes[there], None if self.copies is None else self.copies[there])

    @cached_property
    def repeated(self) -> Column | None:
        """The person of every record, where some have several; None otherwise."""
        person = self.person
        return person if person is not None and len(person.values) < self.n else None

    @property
    def people(self) -> int:
        """The number of people; of records, where no column names the person."""
        return self.n if self.repeated is None else len(self.repeated.values)

    def count(self, records: npt.NDArray[np.bool_]) -> int:
        """Return how many people some records belong to."""
        if self.repeated is None:
            return self.records_in(records)
        return len(np.unique(self.repeated.codes[records]))

    @property
    def allowed_people(self) -> int:
        """The number of people who may lose records under `max_suppression`."""
        return self.privacy.allowed_suppressed(self.people)

    @property
    def allowed_suppressed(self) -> int:
        """The number of records that may be suppressed under `max_suppression`, at most."""
        return self.records_of(self.allowed_people)

    def records_of(self, people: int) -> int:
        """Return the most records that a number of people can have."""
        if self.repeated is None:
            return people
        most_first = np.sort(self.repeated.counts)[::-1]
        return int(most_first[: max(people, 0)].sum())

    @property
    def published_as_they_are(self) -> tuple[str, ...]:
        """The columns that are published unchanged, in the order of the table."""
        untouched = (Role.SENSITIVE, Role.OTHER)
        return tuple(name for name, role in self.roles.items() if role in untouched)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that are not published, in the order of the table."""
        return tuple(
            name
            for name, role in self.roles.items()
            if not role.published and name not in self.pseudonymised
        )

    @cached_property
    def pseudonyms(self) -> Mapping[str, pl.Series]:
        """The columns published as pseudonyms; the first access reads the key or makes one."""
        if self.key_file is None:
            return {}
        key, tokens = self.key_file.key(), self.table.missing_tokens
        return {
            name: pseudonym_column(self.table.texts(name), key, tokens)
            for name in self.pseudonymised
        }

    @property
    def _pseudonym_warnings(self) -> tuple[Note, ...]:
        return tuple(
            note(
                "{name}: published as pseudonyms. Who has the key file {file} can undo them: keep "
                "it apart from every release. The same key gives a person the same pseudonym in "
                "every release, so that releases can be joined",
                name=Quotable(name),
                file=Quotable(self.output.pseudonym_key),
            )
            for name in self.pseudonymised
        )

    def csv_format(self, path: Path) -> CsvFormat:
        """Return the format of a file: like the data, unless the project says otherwise."""
        facts = self.table.facts
        return self.output.csv.resolved(facts.csv if facts else None, path)

    @cached_property
    def singling_out(self) -> tuple[SinglingOut, ...]:
        """The columns that are published unchanged and single people out by themselves."""
        return singling_out_columns(self.table, self.published_as_they_are)

    @cached_property
    def suspected_person_column(self) -> RepeatedPeople | None:
        """A column that seems to number people with several records; None with a role person."""
        if self.person is not None:
            return None
        looked_at = [n for n, r in self.roles.items() if r in (Role.IDENTIFIER, Role.OTHER)]
        return repeated_people(self.table, looked_at)

    @property
    def warnings(self) -> tuple[Note, ...]:
        """Warnings for the reader of any result."""
        suspected = self.suspected_person_column
        return (
            *small_k_warning(self.k), *((suspected.warning,) if suspected else ()),
            *self.output.warnings, *self._pseudonym_warnings,
        )  # fmt: skip

    @cached_property
    def requirements(self) -> tuple[ColumnRequirement, ...]:
        """The requirements on every class beyond k."""
        in_people = () if self.repeated is None else (k_in_people(self.repeated, self.k),)
        return (*in_people, *self.sensitive_requirements, *self._personal_requirements)

    @cached_property
    def sensitive_requirements(self) -> tuple[ColumnRequirement, ...]:
        """The requirements on sensitive attributes."""
        joined = join_columns(self.privacy.requirements, self.sensitive, "privacy")
        return self.in_people(joined)

    def in_people(self, requirements: Sequence[ColumnRequirement]) -> tuple[ColumnRequirement, ...]:
        """Return requirements counted in people, where some have several records."""
        if self.repeated is None:
            return tuple(requirements)
        return PeopleRequirement.from_requirements(requirements, self.repeated)

    @property
    def _personal_requirements(self) -> tuple[ColumnRequirement, ...]:
        if self.personal_k is None:
            return ()
        return self.in_people([personal_requirement(self.personal_k)])

    @cached_property
    def codes(self) -> npt.NDArray[np.int32]:
        """Records × quasi-identifiers, one contiguous column per attribute."""
        columns = [attribute.column.codes for attribute in self.quasi]
        return np.asfortranarray(np.column_stack(columns))

    @cached_property
    def weights(self) -> npt.NDArray[np.float64]:
        """Weight of every quasi-identifier."""
        return np.array([attribute.weight for attribute in self.quasi])
