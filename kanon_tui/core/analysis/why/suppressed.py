"""Those with whom a suppressed record could be published, and why they are not enough.

Why a clustering that keeps MAGVals suppressed a record.

Records share a class only where their MAGVals agree, so that the group of those who share a
record's MAGVals is all it can get. The record goes where the group is below k, or where its class
misses what is required beyond k and so does the group as a whole. A change that makes the group
large and diverse enough publishes all of it: there is then always a class to merge with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.analysis.why.reasons import (
    Change,
    GroupFigures,
    Why,
    lacks_clause,
    missed_requirements,
)
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, plural

__all__ = ["SuppressedGroup", "explain_suppressed", "is_enough"]


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


def explain_suppressed(result: Result, record: int) -> Why:
    """Return why a clustering suppressed a record.

    Too few share its MAGVals, or they lack something.
    """
    alike = _sharing(result.task, record)
    group = SuppressedGroup(result, np.flatnonzero(alike.all(axis=1)), "group")
    if group.small:
        because = group.too_few("shares", "share", "its MAGVals")
    elif group.missed:
        because = (
            f"even all together the {count_of(group.size, 'record')} that share its MAGVals would "
            f"be a class with {group.lacks}"
        )
    else:
        return group.why(f"{result.algorithm.name} found no class for it")
    return group.why(because, *_left_out(result, alike))


def _left_out(result: Result, alike: Flags) -> Iterator[Change]:
    """Yield attributes whose MAGVals keep those apart who would be enough together."""
    task = result.task
    for x, attribute in enumerate(task.quasi):
        others = np.flatnonzero(np.delete(alike, x, axis=1).all(axis=1))
        if len(task.quasi) == 1 or not is_enough(result, others):
            continue
        sharing = count_of(len(others), "record")
        sentence = f"leaving out {attribute.name}: {sharing} would share its MAGVals"
        if task.requirements:
            sentence += " and keep what is required"
        yield Change("attribute", attribute.hierarchy.height, attribute.name, sentence)


def _sharing(task: Task, record: int) -> Flags:
    """Return records × attributes: whether the MAGVal is this record's."""
    alike = np.ones((task.n, len(task.quasi)), dtype=bool)
    for x, attribute in enumerate(task.quasi):
        hierarchy, codes = attribute.hierarchy, attribute.column.codes
        level = int(hierarchy.mark_levels[codes[record]])
        labels = hierarchy.maps[level]
        same = (labels == labels[codes[record]]) & (hierarchy.mark_levels == level)
        alike[:, x] = same[codes]
    return alike
