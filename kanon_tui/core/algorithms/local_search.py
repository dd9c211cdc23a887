"""Local: a binary search on the levels of all attributes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.full_domain.pointers import Pointers
from kanon_tui.core.full_domain.pre_pruning import lowest_levels
from kanon_tui.core.full_domain.search import Search
from kanon_tui.core.task.steps import Algorithm, Family, RunContext, Steps
from kanon_tui.core.task.task import Task

__all__ = ["LocalSearch"]


@dataclass(frozen=True)
class LocalSearch(Algorithm):
    """Local optimisation of the research value.

    Idea: treat the attributes alike. Each has a pointer to one of its levels; together the pointers
    are a string. When it passes, every pointer moves half of the way to its most specific level,
    when it fails, half of the way to its most general one, until no pointer moves any more.

    Phases: drop the levels that fail alone (pre-pruning); move the pointers. The answer is the best
    passing string found, which need not be the best there is: `global` finds that. There is always
    one, because pointers that only ever fail end at the roots.

    Cost: about log2 of the tallest hierarchy's levels tests, however many attributes there are.

    Reference: Morton, local optimisation of the utility metric (figure 5).
    """

    name: ClassVar[str] = "local"
    title: ClassVar[str] = "Local search"
    family: ClassVar[Family] = Family.FULL_DOMAIN
    paper: ClassVar[str] = "Morton, local optimisation (figure 5)"
    summary: ClassVar[str] = (
        "Moves all attributes half-way up or down together; a handful of tests for any number of "
        "attributes, a balanced answer but seldom the best"
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Move the pointers until they stand still."""
        lowest, dropped = lowest_levels(task)
        search = Search(task, context, lowest)
        yield from search.tell_dropped(dropped)
        pointers = Pointers(lowest, search.space.heights)
        moving = True
        while moving:
            levels = pointers.levels
            search.generated += 1
            outcome = search.test(levels)
            yield from search.tell_test(levels, outcome)
            moving = pointers.move(outcome.passes)
            if moving:
                yield from search.tell(
                    "move",
                    "Every attribute moves half-way to its more {direction} levels: {string}.",
                    direction="specific" if outcome.passes else "general",
                    string=search.text(pointers.levels),
                )
        return search.answer()
