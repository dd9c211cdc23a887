"""The base class of full-domain searches, with what they declare in common."""

from collections.abc import Generator
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.objective import SEEKS, declared_objective
from kanon_tui.core.lattice.pre_pruning import (
    beyond_limits,
    highest_levels,
    levels_alone,
    lowest_levels,
)
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import Reason
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.task.task import Algorithm, Family, Line, RunContext, Step, Task, Wish

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
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True
    time_exponent: ClassVar[float] = 0.7  # a larger table needs no more tests
    bytes_per_record: ClassVar[int] = 24
    suits: ClassVar[str] = ""
    """Whether it is wished for where there are `few` strings or `many`; neither by default."""

    objective: str = declared_objective(SEEKS)
    limits: str = declared(
        "levels",
        "The limit of generalisation: the max_level of each attribute, or also the MAGVal of "
        "each value",
        choices=("levels", "magvals"),
        last=True,
    )

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return one level per column where the search suits so many strings."""
        strings = "many" if count_strings(task) > MOST_LISTED else "few"
        return (Wish.ONE_LEVEL,) if cls.suits == strings else ()

    def pre_pruned(
        self, task: Task, context: RunContext, objective: str = ""
    ) -> Generator[Step, None, Search]:
        """Drop the levels that fail alone; return the search among the strings of the others."""
        lowest, dropped = lowest_levels(task, highest_levels(task, self.limits))
        chosen = objective or self.objective
        search = Search(task, context, lowest, objective=chosen, limits=self.limits)
        yield from search.report_dropped(dropped)
        if search.lattice.limited:
            general = search.frequency.necessary.test(search.lattice.heights)
            if not general.passes:
                limits = search.names, search.lattice.heights, general.small
                raise NotReachedError(beyond_limits(*limits))
        return search


def string_figures(task: Task) -> dict[str, Any]:
    """Return the number of strings before and after pre-pruning, and the RV of both ends.

    The ends are the string of roots and the most specific one (Morton's tables 5 and 6).
    """
    tops = zip(task.quasi, highest_levels(task), strict=True)
    left = [
        sum(alone.passes and alone.level <= top for alone in levels_alone(attribute, task))
        for attribute, top in tops
    ]
    values = [level_research_values(attribute) for attribute in task.quasi]
    return {
        "all": count_strings(task),
        "after_pre_pruning": prod(left),
        "rv_roots": float(sum(own[-1] for own in values)),
        "rv_most_specific": float(sum(own[0] for own in values)),
    }


def count_strings(task: Task) -> int:
    """Return the number of strings of the whole lattice."""
    return prod(top + 1 for top in highest_levels(task))
