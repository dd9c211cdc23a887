"""The base class of full-domain searches, with what they declare in common."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from kanon_tui.core.lattice.objective import SEEKS, declared_objective
from kanon_tui.core.lattice.pre_pruning import lowest_levels
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.string_facts import Reason
from kanon_tui.core.task.steps import Algorithm, Family, Line, RunContext, Step
from kanon_tui.core.task.task import Task

__all__ = ["HALVE", "LIST_ALL", "MOST_LISTED", "PRE_PRUNE", "FullDomainSearch", "count_strings"]

MOST_LISTED = 1_000_000
"""Strings of the largest lattice that a search which lists them all is recommended for."""

_FAIL_TOO = (Reason.BELOW, Reason.SMALL_CLASS)
_NOT_NEEDED = (Reason.WORTH_LESS, Reason.LOSES_TIE, Reason.NO_BETTER)
PRE_PRUNE = Line("drop every level that fails alone", kinds=("pre-prune",))
LIST_ALL = Line("list all strings, sorted by RV")
HALVE = (
    Line("while the list has strings:"),
    Line("test the string in its middle", 1, ("test",)),
    Line("passes: drop all that are worth no more", 1, ("prune", "accept"), reasons=_NOT_NEEDED),
    Line("fails: drop all that are more specific", 1, ("prune",), reasons=_FAIL_TOO),
    Line("publish the passing string that is worth most"),
)


@dataclass(frozen=True)
class FullDomainSearch(Algorithm):
    """An algorithm that publishes every attribute at one level; it looks for a string."""

    family: ClassVar[Family] = Family.FULL_DOMAIN
    sample: ClassVar[str] = "race-rules"
    pictures: ClassVar[tuple[str, ...]] = ("lattice",)
    works_on_counted_rows: ClassVar[bool] = True
    time_exponent: ClassVar[float] = 0.7  # a larger table needs no more tests
    bytes_per_record: ClassVar[int] = 24

    objective: str = declared_objective(SEEKS)

    def pre_pruned(
        self, task: Task, context: RunContext, objective: str = ""
    ) -> Generator[Step, None, Search]:
        """Drop the levels that fail alone; return the search among the strings of the others."""
        lowest, dropped = lowest_levels(task)
        search = Search(task, context, lowest, objective=objective or self.objective)
        yield from search.tell_dropped(dropped)
        return search


def count_strings(task: Task) -> int:
    """Return the number of strings of the whole lattice."""
    return prod(attribute.hierarchy.height + 1 for attribute in task.quasi)
