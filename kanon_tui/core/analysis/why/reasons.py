"""Explain why a cell, an attribute or a suppressed record is published as it is.

`Reasons` answers for a cell (a record and an attribute), for an attribute as a whole, and for a
record that was suppressed; `levels` and `classes` are its two kinds, by the family of the
algorithm. Every change that is named was tried on the data: with it, and all else as it is, the
cell would have been finer. Nothing is run again; the cost is a few countings of the classes.

`GroupFigures` has a requirement's figure of every group of records. Where a group misses the bound,
its figure is the nearest bound that it keeps: the smallest change is found among the figures, not
by trying bounds. A bound that gives way is rounded to the loose side. Where it becomes one that
every class keeps, the requirement is as good as left out, and the sentences say so.

`SuppressedGroup` has a suppressed record and all who could share a class with it. A clustering that
keeps MAGVals puts records into one class only where their MAGVals agree. The record goes where that
group is below k, or where it misses what is required beyond k. A change that makes the group large
and diverse enough publishes all of it: there is then always a class to merge with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.table.group_values import GroupValues
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
class RuleVerdict:
    """A data constraint rule and whether the record's group keeps it."""

    rule: str
    importance: float
    kept: bool


@dataclass(frozen=True)
class Why:
    """The whole explanation of a cell, an attribute or a suppressed record."""

    question: str
    because: str
    """A clause that goes after 'because'; empty where nothing was generalised."""
    facts: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    rules: tuple[RuleVerdict, ...] = ()


HIDDEN_ALONE = (
    "fewer than k records look like it at the chosen levels, or its class misses what is required, "
    "and hiding this cell was the cheapest way found to keep the record"
)
"""Full-domain with single hidden cells."""


class Reasons(ABC):
    """Answers for one result; what is counted once is kept for the next question."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.task = result.task
        self.release = result.release
        self.k = result.task.k

    # -- questions

    def of_record(self, record: int, x: int) -> Why:
        """Return why this record's cell of quasi-identifier number x is published as it is."""
        if self.release.suppressed[record]:
            return self.of_suppressed(record)
        attribute = self.task.quasi[x]
        asked = (
            f"Why is {attribute.name} {shortened(self.as_it_stood(record, x))} published as "
            f"{shortened(self.published(record, x))}?"
        )
        hidden = self.release.shown_classes(x)[record] < 0
        if hidden and self.result.grouping.levels is not None:
            return Why(asked, HIDDEN_ALONE)
        facts = self._record_facts(record, x)
        if attribute.publishes_one_value:
            facts = (f"All members of a class get its {attribute.publish}.", *facts)
        return Why(
            asked,
            self.in_short(record, x),
            facts,
            self._record_changes(record, x),
            self.rules(record, x),
        )

    @abstractmethod
    def of_attribute(self, x: int) -> Why:
        """Return why quasi-identifier number x is generalised this far over the whole table."""

    @abstractmethod
    def of_suppressed(self, record: int) -> Why:
        """Return why this record is not published."""

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

    def rules(self, record: int, x: int) -> tuple[RuleVerdict, ...]:
        """Return the rules of an attribute, and whether the record's group keeps them."""
        if self.release.suppressed[record]:
            return ()
        bound = self.task.quasi[x].rules
        codes = self._group_codes(record, x)
        broken = bound.broken(codes, np.zeros(len(codes), dtype=np.int64), 1)[:, 0]
        return tuple(
            RuleVerdict(str(rule), rule.importance, not bad)
            for rule, bad in zip(bound.rules, broken.tolist(), strict=True)
        )

    def in_short(self, record: int, x: int) -> str:
        """Return the short answer, also where nothing but a coded end changed the cell."""
        clause, value = self.because(record, x), self.original(record, x)
        if clause or value not in self.task.quasi[x].column.coded_ends:
            return clause
        return f"all values that are {value} are published as one"

    def as_it_stood(self, record: int, x: int) -> str:
        """Return the cell as it is in the file, before its ends were coded."""
        column, value = self.task.quasi[x].column, self.original(record, x)
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

    def _attribute_question(self, attribute: QuasiIdentifier) -> str:
        return f"Why is {attribute.name} generalised this far?"


@dataclass(frozen=True, eq=False)
class GroupFigures:
    """The figures of groups of records for one requirement."""

    requirement: ColumnRequirement
    figures: Floats
    missed: Flags
    """Per group whether the figure misses the bound."""

    def change(self, gain: str) -> Change:
        """Return the loosening that lets a single group that misses the bound keep it."""
        to = float(self.requirement.model.kept_by(self.figures[0]))
        return requirement_change(self.requirement, to, gain)


def figures_of_groups(
    requirements: Sequence[ColumnRequirement],
    groups: npt.NDArray[np.integer],
    count: int,
    records: Int64s | slice = slice(None),
) -> tuple[GroupFigures, ...]:
    """Return the figures of groups for every requirement; none of the groups may be empty.

    `groups` has the group of each of the `records`, -1 for those of none.
    """
    found = []
    for each in requirements:
        values = GroupValues.from_records(groups, each.column.codes[records], count)
        figures = each.figures(values)
        found.append(GroupFigures(each, figures, each.model.gaps(figures) > 0))
    return tuple(found)


def missed_requirements(
    requirements: Sequence[ColumnRequirement], records: Int64s
) -> tuple[GroupFigures, ...]:
    """Return the requirements that some records miss as one class."""
    together = np.zeros(len(records), dtype=np.int64)
    figures = figures_of_groups(requirements, together, 1, records)
    return tuple(one for one in figures if one.missed[0])


def requirement_change(requirement: ColumnRequirement, bound: float, gain: str) -> Change:
    """Return the change `distinct l-diversity of diagnosis 2 instead of 3: …`, or without it."""
    sentence = f"{requirement.model.loosened(bound)}: {gain}"
    return Change("requirement", bound, requirement.column.name, sentence)


def lacks_clause(requirements: Iterable[ColumnRequirement], between: str = " or with ") -> str:
    """Return the faults of classes as a clause that goes after 'with'."""
    return between.join(requirement.model.fault for requirement in requirements)


QUESTION = "Why is this record suppressed?"


def is_enough(result: Result, records: Int64s) -> bool:
    """Return whether some records could be a class: k of them, with all that is required."""
    task = result.task
    return len(records) >= task.k and not missed_requirements(task.requirements, records)


@dataclass(frozen=True, eq=False)
class SuppressedGroup:
    """A suppressed record and all who share a class with it wherever they can."""

    result: Result
    records: Int64s
    noun: str
    """What the sentences call it: class or group."""

    @property
    def size(self) -> int:
        """The number of records, the suppressed one included."""
        return len(self.records)

    @cached_property
    def missed(self) -> tuple[GroupFigures, ...]:
        """The requirements that they miss as one class."""
        return missed_requirements(self.result.task.requirements, self.records)

    @property
    def lacks(self) -> str:
        """The faults of the group as a clause that goes after 'with'."""
        return lacks_clause(one.requirement for one in self.missed)

    @property
    def small(self) -> bool:
        """Whether they are fewer than k."""
        return self.size < self.result.task.k

    def why(self, because: str, *changes: Change) -> Why:
        """Return the explanation, with further changes after those of the group as it is."""
        task, suppressed = self.result.task, int(self.result.release.suppressed.sum())
        facts = [f"{suppressed:,} of {task.n:,} records are suppressed."]
        if self.small and self.missed:
            facts.append(f"Such a class would also be one with {self.lacks}.")
        return Why(QUESTION, because, tuple(facts), (*self._changes(), *changes))

    def too_few(self, verb: str, verbs: str, what: str) -> str:
        """Return `only 3 records share its MAGVals, and k is 5`."""
        who = plural(self.size, f"no other record {verb}", f"only {self.size:,} records {verbs}")
        return f"{who} {what}, and k is {self.result.task.k:,}"

    def _changes(self) -> Iterator[Change]:
        """Yield the changes that would let the group as it is be published."""
        k = self.result.task.k
        if 1 < self.size < k and not self.missed:
            sentence = f"k = {self.size:,} instead of {k:,}: its {self.noun} would be large enough"
            yield Change("k", self.size, "", sentence)
        if self.size >= k and len(self.missed) == 1:
            yield self.missed[0].change(f"its {self.noun} could be published")
