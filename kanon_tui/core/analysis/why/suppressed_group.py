"""Those with whom a suppressed record could be published, and why they are not enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kanon_tui.core.analysis.why.reasons import Change, Why
from kanon_tui.core.analysis.why.requirements import (
    GroupFigures,
    lacks_clause,
    missed_requirements,
)
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.text import plural

__all__ = ["SuppressedGroup", "is_enough"]

QUESTION = "Why is this record suppressed?"


def is_enough(result: Result, records: Int64s) -> bool:
    """Whether some records could be a class: k of them, with all that is required."""
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
        """How many they are, the record itself included."""
        return len(self.records)

    @cached_property
    def missed(self) -> tuple[GroupFigures, ...]:
        """What they miss of the requirements as one class."""
        return missed_requirements(self.result.task.requirements, self.records)

    @property
    def lacks(self) -> str:
        """What they lack, as a clause that goes after 'with'."""
        return lacks_clause(one.requirement for one in self.missed)

    @property
    def small(self) -> bool:
        """Whether they are fewer than k."""
        return self.size < self.result.task.k

    def why(self, because: str, *changes: Change) -> Why:
        """The explanation, with further changes after those of the group as it is."""
        task, suppressed = self.result.task, int(self.result.release.suppressed.sum())
        facts = [f"{suppressed:,} of {task.n:,} records are suppressed."]
        if self.small and self.missed:
            facts.append(f"Such a class would also be one with {self.lacks}.")
        return Why(QUESTION, because, tuple(facts), (*self._changes(), *changes))

    def too_few(self, verb: str, verbs: str, what: str) -> str:
        """`only 3 records share its MAGVals, and k is 5`."""
        who = plural(self.size, f"no other record {verb}", f"only {self.size:,} records {verbs}")
        return f"{who} {what}, and k is {self.result.task.k:,}"

    def _changes(self) -> Iterator[Change]:
        """What would let the group as it is be published."""
        k = self.result.task.k
        if 1 < self.size < k and not self.missed:
            sentence = f"k = {self.size:,} instead of {k:,}: its {self.noun} would be large enough"
            yield Change("k", self.size, "", sentence)
        if self.size >= k and len(self.missed) == 1:
            yield self.missed[0].change(f"its {self.noun} could be published")
