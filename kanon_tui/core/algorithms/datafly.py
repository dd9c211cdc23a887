"""Datafly: raise the attribute with most values until few records stand out, and drop those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.full_domain.pre_pruning import no_string, refuse_if_hopeless
from kanon_tui.core.full_domain.search import Search
from kanon_tui.core.task.steps import Algorithm, Family, RunContext, Steps
from kanon_tui.core.task.task import Task

__all__ = ["Datafly"]


@dataclass(frozen=True)
class Datafly(Algorithm):
    """Greedy generalisation of the attribute with most distinct values, then suppression.

    Idea: the attribute that takes most values is the one that tells records apart best. Raise it by
    one level, count again, and go on until the records in classes smaller than k are k or fewer;
    those are suppressed. With a `max_suppression` above 0 the limit is that share of the records
    instead of k.

    Each round: count the records in classes smaller than k; if they are few enough, suppress them
    and stop; else raise, among the attributes below their root, the one with most distinct labels
    (the first of equals).

    Cost: one count of the classes per level raised, each rolled up from the one before.

    Departures: a release of no records is none, so that where suppression would take every record
    generalisation goes on. The paper's rule lets up to k records go even at `max_suppression` 0.

    Reference: Sweeney, Guaranteeing anonymity when sharing medical data, the Datafly system (1997),
    as walked through by SBC, section 2.5 (tables 2-7 to 2-9).
    """

    name: ClassVar[str] = "datafly"
    title: ClassVar[str] = "Datafly"
    family: ClassVar[Family] = Family.FULL_DOMAIN
    paper: ClassVar[str] = "Sweeney 1997; SBC section 2.5"
    summary: ClassVar[str] = (
        "Raises the attribute with most distinct values, level by level, and suppresses the last "
        "few records; quick, but generalises more than needed"
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Raise until the rest may be suppressed."""
        limit = task.allowed_suppressed if task.privacy.max_suppression > 0 else task.k
        refuse_if_hopeless(task, limit)
        search = Search(task, context, [0] * len(task.quasi), allowed=limit)
        levels = [0] * len(task.quasi)
        while True:
            search.generated += 1
            outcome = search.test(levels)
            yield from search.tell_test(levels, outcome)
            if outcome.passes:
                break
            distinct = {
                x: len(attribute.hierarchy.labels[levels[x]])
                for x, attribute in enumerate(task.quasi)
                if levels[x] < attribute.hierarchy.height
            }
            if not distinct:
                raise NotReachedError(no_string(task))
            x = max(distinct, key=lambda y: distinct[y])
            levels[x] += 1
            after = len(task.quasi[x].hierarchy.labels[levels[x]])
            yield from search.tell(
                "raise",
                "Raise {attribute}, the attribute with most distinct values, to level {level}: "
                + (
                    "still {after:,}." if after == distinct[x] else "{distinct:,} become {after:,}."
                ),
                attribute=task.quasi[x].name,
                distinct=distinct[x],
                level=levels[x],
                after=after,
            )
        if outcome.small:
            yield from search.tell(
                "suppress",
                (
                    "Suppress the {small:,} records in classes"
                    if outcome.small > 1
                    else "Suppress the one record in a class"
                )
                + " below {k}"
                + (" or with {lack}." if outcome.missed is not None else "."),
                small=outcome.small,
                k=task.k,
                lack=outcome.missed,
            )
        return search.grouping(levels, search.notes(levels))
