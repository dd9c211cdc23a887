"""Global: the passing string of highest research value, by halving the sorted list of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.full_domain.halving import Halving, list_all
from kanon_tui.core.full_domain.objective import SEEKS, declared_objective
from kanon_tui.core.full_domain.pre_pruning import lowest_levels
from kanon_tui.core.full_domain.search import Search
from kanon_tui.core.task.steps import Algorithm, Family, RunContext, Steps
from kanon_tui.core.task.task import Task

__all__ = ["GlobalSearch"]


@dataclass(frozen=True)
class GlobalSearch(Algorithm):
    """Global optimisation of the research value.

    Idea: of all strings that pass, publish the one that is worth most. The strings are sorted by
    research value; testing the one in the middle either finds a passing string, so that all of
    lower value are done with, or a failing one, so that all more specific strings are.

    Phases: drop the levels that fail alone (pre-pruning); make and sort all strings of the others;
    halve the list until it is empty. Of equally good strings (within 1e-9) the answer has the
    fewest attributes at the root, and of these the smallest level vector.

    Cost: strings take some 50 bytes each while they are sorted. Every test is one count of classes
    and one pass over the strings that are left. A failing test also follows one of the records that
    fail through all strings (see `passing`), so that tens of tests decide on thousands of strings.

    Departures: see `halving`, which also proves that the answer is the optimum.

    Reference: Morton, global optimisation of the utility metric (figures 3 and 4).
    """

    name: ClassVar[str] = "global"
    title: ClassVar[str] = "Global search"
    family: ClassVar[Family] = Family.FULL_DOMAIN
    paper: ClassVar[str] = "Morton, global optimisation (figure 4)"
    summary: ClassVar[str] = (
        "Finds the levels with the highest research value of all that pass; exact, for as many "
        "strings as fit into memory"
    )

    objective: str = declared_objective(SEEKS)
    memory: int = declared(1000, "Megabytes that the list of strings may take", low=1)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Pre-prune, then halve the list of all strings."""
        lowest, dropped = lowest_levels(task)
        search = Search(task, context, lowest, objective=self.objective)
        halving = Halving(search, list_all(search, self.memory, self.name))
        search.progress = lambda: halving.progress
        yield from search.tell_dropped(dropped)
        yield from halving.run()
        return search.answer()
