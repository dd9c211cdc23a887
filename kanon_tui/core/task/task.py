"""The interface of algorithms: a task goes in, steps come out, a grouping is returned.

A `Task` is the coded table with hierarchies, rules, weights and privacy. An `Algorithm` is a
generator of `Step`s that returns a `Grouping`. It knows nothing of who runs it, prints nothing and
measures nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

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
from kanon_tui.core.processes.workers import Processes
from kanon_tui.core.table.column import Column, GroupValues, Role, counted
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.profile import (
    RepeatedPeople,
    SinglingOut,
    repeated_people,
    singling_out_columns,
)
from kanon_tui.core.table.pseudonyms import KeyFile, pseudonym_column
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.events import Event
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
        numbers = self.column.value_numbers
        if self.span == "domain":
            return numbers / self.resolution
        distinct = np.unique(numbers[~np.isnan(numbers)])
        return np.where(np.isnan(numbers), np.nan, np.searchsorted(distinct, numbers))

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
        original = column.coding.original
        first = np.searchsorted(original, column.lowest).astype(np.float64)
        last = np.searchsorted(original, column.highest, "right") - 1.0
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
        return SubsetBound.from_settings(
            self.privacy.subset_size, self.privacy.subset_k, len(self.quasi)
        )

    @property
    def beyond_k(self) -> bool:
        """Whether classes of k records are not enough."""
        return bool(self.requirements or self.release_risk or self.subsets)

    def sizes_of(self, classes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of people of every class, or of records where nobody has several."""
        if self.repeated is None:
            return self.records_of_classes(classes)
        count = int(classes.max()) + 1
        return GroupValues.from_records(classes, self.repeated.codes, count).distinct

    def records_of_classes(self, classes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of records of every class; rows of the class -1 are passed over."""
        published = classes >= 0
        return counted(classes[published], None if self.copies is None else self.copies[published])

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
        key = self.key_file.key()
        tokens = self.table.missing_tokens
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


FULL_SPEED = 10_000
"""Decisions per step at full speed: enough to cost little, few enough to cancel soon."""


class Family(StrEnum):
    """The two ways to generalise a table."""

    FULL_DOMAIN = "full-domain"  # one level per attribute, for all records
    CLUSTERING = "clustering"  # local recoding: every class finds its own ranges and labels


@dataclass(frozen=True, eq=False)
class Grouping:
    """The result of an algorithm: which records belong together, not how they are printed."""

    labels: npt.NDArray[np.int32]
    """Per record, the number of its group; -1 for a suppressed record."""
    levels: tuple[int, ...] | None = None
    """Full-domain: the level of every quasi-identifier."""
    suppressed_cells: npt.NDArray[np.bool_] | None = None
    """Records × quasi-identifiers: cells hidden one by one (only `udc-suppress`)."""
    stretches: tuple[npt.NDArray[np.int32] | None, ...] | None = None
    """Clusterings without overlap: per quasi-identifier that publishes ranges, in which stretch of
    its line every value code lies. A class publishes the whole stretch, or `*` over several."""
    search: Mapping[str, Any] = field(default_factory=dict)
    """Figures of the search for the report."""
    notes: tuple[Note, ...] = ()
    """Notes for the reader of the result, such as 'not proven optimal'."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event of an algorithm, with the state of the run after it."""

    event: Event
    counters: Mapping[str, float] = field(default_factory=dict)
    """Running totals such as generated, pruned, tested, clusters, merges."""
    progress: float | None = None
    """Share of the work that is done, 0 to 1, where it is known."""
    keep: Callable[[], Grouping] | None = None
    """Returns the best grouping so far, which a cancel keeps."""

    @property
    def kind(self) -> str:
        """A word for the decision: cut, raise, test, prune, merge, grow, suppress …"""
        return self.event.kind


Steps = Generator[Step, None, Grouping]


def map_steps(change: Callable[[Step], Step], steps: Steps) -> Steps:
    """Run steps, yielding what `change` makes of each one, and return their grouping."""
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            grouping: Grouping = stop.value
            return grouping
        yield change(step)


@dataclass(eq=False)
class RunContext:
    """Settings and helpers that a run gives an algorithm; ``kn.RunContext(1)`` for every decision.

    Runs on the same records that get the same context share their counts.
    """

    decisions_per_step: int = FULL_SPEED
    """How many decisions one step may stand for. Whoever drives the run may change it between
    steps; the answer never depends on it."""
    watched: bool = False
    """Whether pictures are shown: events then carry what these are drawn from."""
    shared: dict[Hashable, Any] = field(default_factory=dict)
    """What runs on the same records can share. Who puts something there has a function that finds
    it again, such as `lattice.frequency.shared_counts`."""
    helpers: Callable[..., Processes] = Processes
    """Makes the helpers that work on parts of a search, on this machine or a cluster."""


@dataclass(frozen=True)
class Line:
    """A line of an algorithm's pseudo-code, and the steps that are instances of it."""

    text: str
    depth: int = 0
    """How far the line is indented."""
    kinds: tuple[str, ...] = ()
    """The kinds of steps that the line stands for."""
    causes: tuple[str, ...] = ()
    """Of events that have a cause only those with one of these; empty for all."""

    def fits(self, step: Step) -> bool:
        """Return whether a step is an instance of this line."""
        if step.kind not in self.kinds:
            return False
        cause = step.event.cause
        return not self.causes or not cause or cause in self.causes


class Wish(StrEnum):
    """A property of a release that an algorithm can be recommended for."""

    ONE_LEVEL = "one level per column"
    LEAST_LOSS = "least loss"
    RULES = "rules kept"
    MAGVALS = "MAGVals respected"


class Algorithm(ABC):
    """A way to k-anonymise a table. Subclasses are frozen dataclasses: fields are parameters.

    The class attributes are everything that forms, commands, advice, pictures and documents know
    about an algorithm; a new algorithm is added nowhere else.
    """

    name: ClassVar[str]
    """The name in projects and on the command line."""
    title: ClassVar[str]
    family: ClassVar[Family]
    paper: ClassVar[str]
    summary: ClassVar[str]
    """One line: how it works and when to choose it."""
    sample: ClassVar[str] = ""
    """The name of the bundled sample that shows it best."""
    pseudo_code: ClassVar[tuple[Line, ...]] = ()
    twin: ClassVar[str] = ""
    """Where its naive twin is, as `module:function`: a slow function of a task that returns the
    classes as lists of records, or the levels. The manual prints it, and tests compare with it."""
    pictures: ClassVar[tuple[str, ...]] = ()
    """Names of pictures in `teaching.picture_registry.PICTURES`, the first one shown first. Every
    algorithm also has those of class sizes and of the progress of its figures."""
    terms: ClassVar[tuple[str, ...]] = ()
    """Words in `teaching.glossary.GLOSSARY` that its sentences use besides those of its family."""
    works_on_counted_rows: ClassVar[bool] = False
    """Whether it can run on distinct rows with counts, as a table larger than memory gives them."""
    spares_records: ClassVar[bool] = False
    """Whether it may suppress some records of a class and keep others that are equal to them."""
    pre_prunes: ClassVar[bool] = False
    """Whether it begins at the lowest levels that pass alone and looks at none below them."""
    seeks_rv: ClassVar[bool] = False
    """Whether it chooses by research value, unless its `objective` says otherwise."""
    keeps_magvals: ClassVar[bool] = False
    """Whether no value is ever generalised beyond its MAGVal, at the price of suppression."""
    always_suppresses: ClassVar[bool] = False
    """Whether it may suppress records even where `max_suppression` is 0."""
    time_exponent: ClassVar[float] = 1.0
    """The power of the number of records with which its time grows (see docs/benchmarks.md)."""
    bytes_per_record: ClassVar[int] = 60
    """Working memory per record, besides the codes of the quasi-identifiers."""
    bytes_per_string: ClassVar[int] = 0
    """Working memory per string that pre-pruning leaves, besides one byte per attribute; 0 where
    strings are not listed."""

    recommended_for: ClassVar[tuple[Wish, ...]] = ()
    """The wishes that it can be recommended for on every table."""

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return the wishes that the algorithm can be recommended for on this task."""
        return cls.recommended_for

    @abstractmethod
    def steps(self, task: Task, context: RunContext) -> Steps:
        """Yield a step per decision and return the grouping."""
