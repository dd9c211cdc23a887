"""Explain why a cell, an attribute or a suppressed record is published as it is.

`Reasons` answers for a cell (a record and an attribute), for an attribute as a whole, and for a
record that was suppressed; `levels` and `classes` are its two kinds, by the family of the
algorithm. Every change that is named was tried on the data: with it, and all else as it is, the
cell would have been finer. Nothing is run again; the cost is a few countings of the classes.

`GroupFigures` has a requirement's figure of every group of records. Where a group misses the bound,
its figure is the nearest bound that it keeps: the smallest change is found among the figures, not
by trying bounds. A bound that gives way is rounded to the loose side. Where it becomes one that
every class keeps, the requirement is as good as left out, and the sentences say so.

A record is suppressed together with all who could share a class with it. A clustering that keeps
MAGVals puts records into one class only where their MAGVals agree. The record goes where that
group is below k, or where it misses what is required beyond k. A change that makes the group large
and diverse enough publishes all of it: there is then always a class to merge with.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.measure import RuleKept
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.table.column import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import plural, shortened


@dataclass(frozen=True)
class Change:
    """One change to the set-up that would have kept more."""

    kind: str
    """k, suppression, requirement, level, attribute (leaving it out) or rule."""
    value: float
    """The k, share or number of records, bound, level or importance in question.

    A bound of 1 is kept by every class: the requirement is left out.
    """
    attribute: str
    """Whose requirement, level or rule, or which attribute to leave out; else empty."""
    sentence: str


@dataclass(frozen=True)
class Explanation:
    """The whole explanation of a cell, an attribute or a suppressed record."""

    question: str
    because: str
    """A clause that goes after 'because'; empty where nothing was generalised."""
    facts: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    rules: tuple[RuleKept, ...] = ()


HIDDEN_ALONE = (
    "fewer than k records look like it at the chosen levels, or its class misses what is required, "
    "and hiding this cell was the cheapest way found to keep the record"
)
"""Full-domain with single hidden cells."""


class Reasons(ABC):
    """Answers for one result; what is counted once is kept for the next question."""

    noun: ClassVar[str]
    """What sentences call those who could share a class with a suppressed record."""
    shared: ClassVar[str]
    """The property that these have in common, as a clause after 'with'."""
    left_over: ClassVar[str]
    """Why a record is suppressed whose group is large and diverse enough."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.task = result.task
        self.release = result.release
        self.k = result.task.k

    # -- questions

    def of_record(self, record: int, x: int) -> Explanation:
        """Return why this record's cell of quasi-identifier number x is published as it is."""
        if self.release.suppressed[record]:
            return self.of_suppressed(record)
        attribute = self.task.quasi[x]
        question = (
            f"Why is {attribute.name} {shortened(self.as_it_stood(record, x))} published as "
            f"{shortened(self.published(record, x))}?"
        )
        hidden = self.release.shown_classes(x)[record] < 0
        if hidden and self.result.grouping.levels is not None:
            return Explanation(question, HIDDEN_ALONE)
        facts = self._record_facts(record, x)
        if attribute.publishes_one_value:
            facts = (f"All members of a class get its {attribute.publish}.", *facts)
        return Explanation(
            question,
            self.in_short(record, x),
            facts,
            self._record_changes(record, x),
            self.rules(record, x),
        )

    @abstractmethod
    def of_attribute(self, x: int) -> Explanation:
        """Return why quasi-identifier number x is generalised this far over the whole table."""

    def of_suppressed(self, record: int) -> Explanation:
        """Return why a record is suppressed: too few could share its class, or they miss a bound.

        Changes are those that publish the group as it is, then those that make it larger.
        """
        k = self.k
        required = self.task.requirements
        alike = self._alike(record)
        group = np.flatnonzero(alike.all(axis=1))
        size = len(group)
        missed = missed_requirements(required, group)
        fault = fault_clause(figures.requirement for figures in missed)
        facts = [f"{self.release.suppressed.sum():,} of {self.task.n:,} records are suppressed."]
        changes: list[Change] = []
        if size < k:
            who = plural(size, "no other record has", f"only {size:,} records have")
            because = f"{who} {self.shared}, and k is {k:,}"
            if missed:
                facts.append(f"Such a class would also be one with {fault}.")
            elif size > 1:
                gain = f"its {self.noun} would be large enough"
                changes.append(Change("k", size, "", f"k = {size:,} instead of {k:,}: {gain}"))
        elif missed:
            because = f"the {size:,} records with {self.shared} would be a class with {fault}"
            if len(missed) == 1:
                to = float(missed[0].requirement.model.kept_by(missed[0].figures[0]))
                gain = f"its {self.noun} could be published"
                changes.append(requirement_change(missed[0].requirement, to, gain))
        else:
            because = self.left_over.format(k=k, algorithm=self.result.algorithm.name)
        if size < k or missed or self.result.grouping.levels is not None:
            for x in range(len(self.task.quasi)):
                other_records = np.flatnonzero(np.delete(alike, x, axis=1).all(axis=1))
                changes += self._with_others(record, x, other_records)
        return Explanation("Why is this record suppressed?", because, tuple(facts), tuple(changes))

    @abstractmethod
    def _alike(self, record: int) -> Flags:
        """Return records × attributes: whether the attribute lets both be in one class."""

    @abstractmethod
    def _with_others(self, record: int, x: int, other_records: Int64s) -> Iterator[Change]:
        """Yield the change of attribute x that joins a suppressed record to some others.

        `other_records` are the records that every other attribute lets be in one class with it.
        """

    @abstractmethod
    def because(self, record: int, x: int) -> str:
        """Return the short answer for a cell of a published record."""

    @abstractmethod
    def _record_facts(self, record: int, x: int) -> tuple[str, ...]: ...

    @abstractmethod
    def _record_changes(self, record: int, x: int) -> tuple[Change, ...]: ...

    @abstractmethod
    def _group_codes(self, record: int, x: int) -> npt.NDArray[np.integer]:
        """Return the values that the record's published cell of x stands for in this release."""

    # -- what both families say alike

    def rules(self, record: int, x: int) -> tuple[RuleKept, ...]:
        """Return the rules of an attribute, and whether the record's group keeps them."""
        if self.release.suppressed[record]:
            return ()
        bound = self.task.quasi[x].rules
        codes = self._group_codes(record, x)
        broken = bound.broken(codes, np.zeros(len(codes), dtype=np.int64), 1)[:, 0]
        return tuple(
            RuleKept(str(rule), rule.importance, not bad)
            for rule, bad in zip(bound.rules, broken.tolist(), strict=True)
        )

    def in_short(self, record: int, x: int) -> str:
        """Return the short answer, also where nothing but a coded end changed the cell."""
        clause = self.because(record, x)
        value = self.original(record, x)
        if clause or value not in self.task.quasi[x].column.coded_ends:
            return clause
        return f"all values that are {value} are published as one"

    def as_it_stood(self, record: int, x: int) -> str:
        """Return the cell as it is in the file, before its ends were coded."""
        column = self.task.quasi[x].column
        value = self.original(record, x)
        if value not in column.coded_ends:
            return value
        return str(self.task.table.frame[column.name][record])

    def original(self, record: int, x: int) -> str:
        """Return the value of the record as algorithms see it."""
        column = self.task.quasi[x].column
        return column.values[int(column.codes[record])]

    def published(self, record: int, x: int) -> str:
        """Return the cell as it is printed."""
        cells = self.release.cells[x]
        code = int(cells.codes[record])
        return cells.texts[code] if code >= 0 else HIDDEN

    def members(self, record: int) -> npt.NDArray[np.int64]:
        """Return the records of a record's class."""
        return np.flatnonzero(self.release.classes == self.release.classes[record])

    def like(self, record: int, x: int, level: int) -> Flags:
        """Return for every record whether it has this record's label of a level."""
        attribute = self.task.quasi[x]
        labels = attribute.hierarchy.maps[level]
        same: Flags = labels == labels[attribute.column.codes[record]]
        return same[attribute.column.codes]

    def is_enough(self, records: Int64s) -> bool:
        """Return whether some records could be a class: k of them, with all that is required."""
        large = len(records) >= self.k
        return large and not missed_requirements(self.task.requirements, records)

    def _raised(self, x: int, level: int, gain: str) -> Change:
        """Return the change that raises an attribute to a level, or leaves it out at the root."""
        attribute = self.task.quasi[x]
        levels = self.result.grouping.levels
        if levels is None or level == attribute.hierarchy.height:
            sentence = f"leaving out {attribute.name}: {gain}"
            return Change("attribute", level, attribute.name, sentence)
        sentence = f"{attribute.name} at level {level} instead of {levels[x]}: {gain}"
        return Change("level", level, attribute.name, sentence)

    @property
    def _requirements_clause(self) -> str:
        return " and what is required beyond it" if self.task.requirements else ""

    def _attribute_question(self, attribute: QuasiIdentifier) -> str:
        return f"Why is {attribute.name} generalised this far?"


@dataclass(frozen=True, eq=False)
class GroupFigures:
    """The figures of groups of records for one requirement."""

    requirement: ColumnRequirement
    figures: Floats
    missed: Flags
    """Per group whether the figure misses the bound."""


def figures_of_groups(
    requirements: Sequence[ColumnRequirement],
    groups: npt.NDArray[np.integer],
    count: int,
    records: Int64s | slice = slice(None),
) -> tuple[GroupFigures, ...]:
    """Return the figures of groups for every requirement; none of the groups may be empty.

    `groups` has the group of each of the `records`, -1 for those of none.
    """
    group_figures = []
    for requirement in requirements:
        values = GroupValues.from_records(groups, requirement.column.codes[records], count)
        figures = requirement.figures(values)
        group_figures.append(
            GroupFigures(requirement, figures, requirement.model.gaps(figures) > 0)
        )
    return tuple(group_figures)


def missed_requirements(
    requirements: Sequence[ColumnRequirement], records: Int64s
) -> tuple[GroupFigures, ...]:
    """Return the requirements that some records miss as one class."""
    together = np.zeros(len(records), dtype=np.int64)
    figures = figures_of_groups(requirements, together, 1, records)
    return tuple(group_figures for group_figures in figures if group_figures.missed[0])


def requirement_change(requirement: ColumnRequirement, bound: float, gain: str) -> Change:
    """Return the change `distinct l-diversity of diagnosis 2 instead of 3: …`, or without it."""
    sentence = f"{requirement.model.loosened(bound)}: {gain}"
    return Change("requirement", bound, requirement.column.name, sentence)


def fault_clause(requirements: Iterable[ColumnRequirement], between: str = " or with ") -> str:
    """Return the faults of classes as a clause that goes after 'with'."""
    return between.join(requirement.model.fault for requirement in requirements)
