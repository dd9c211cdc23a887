"""Datafly: raise the attribute with most values, then suppress the few records left over.

Its page, with naive code, a picture and a run: algorithms/datafly.html of the manual, which
`kanon-tui explain datafly` prints.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.lattice.events import AttributeRaised, RecordsSuppressed, WentOn
from kanon_tui.core.lattice.frequency import Outcome
from kanon_tui.core.lattice.full_domain import FullDomainSearch
from kanon_tui.core.lattice.objective import declared_objective
from kanon_tui.core.lattice.pre_pruning import (
    beyond_limits,
    least_levels,
    no_string,
    refuse_if_hopeless,
)
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import PassingString
from kanon_tui.core.numeric import TIE, Int32s, Int64s
from kanon_tui.core.table.column import counted
from kanon_tui.core.task.task import Line, RunContext, Step, Steps, Task


@dataclass(frozen=True)
class Datafly(FullDomainSearch):
    """Greedy generalisation of the attribute with most distinct values, then suppression.

    Idea: the attribute that takes most values is the one that tells records apart best. Raise it by
    one level, count again, and go on until the records in classes smaller than k are k or fewer;
    those are suppressed. With a `max_suppression` above 0 the limit is that share of the records
    instead of k, and generalisation goes on as long as a higher level can lose less than it saves
    by suppressing fewer records: of the strings on the way that pass, the one of least loss (or the
    best by `objective`) is published.

    Each round: count the records in classes smaller than k; if they are few enough, suppress them
    and stop; else raise, among the attributes below their root, the one with most distinct labels
    (the first of equals).

    Complementary suppression: no record is suppressed, or at least k are, since the absence of
    fewer would single them out. Where fewer are left over, the smallest class that
    keeps k without them gives its last records; where none can, the records of the smallest class
    join them as a whole. When that is more than the limit allows, generalisation goes on.

    Cost: one count of the classes per level raised, each rolled up from the one before.

    With an `objective` the attribute that costs least of it is raised instead: no longer Sweeney's
    choice, but as quick, and often with less lost.

    Departures: a release of no records is none, so that where suppression would take every record
    generalisation goes on. The paper's rule lets up to k records go even at `max_suppression` 0.
    Where more than k is required of a class, it joins those suppressed as a whole or not at all.

    Reference: Sweeney, Guaranteeing anonymity when sharing medical data, the Datafly system (1997),
    as walked through by SBC, section 2.5 (tables 2-7 to 2-9).
    """

    spares_records: ClassVar[bool] = True
    name: ClassVar[str] = "datafly"
    title: ClassVar[str] = "Datafly"
    paper: ClassVar[str] = "Sweeney 1997; SBC section 2.5"
    summary: ClassVar[str] = (
        "Raises the attribute with most distinct values, level by level, and suppresses the last "
        "few records; quick, but generalises more than needed"
    )
    sample: ClassVar[str] = "datafly"
    twin: ClassVar[str] = ".twins.full_domain:datafly"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("every attribute is at level 0"),
        Line("repeat:"),
        Line("count the records in classes smaller than k", 1, ("test",)),
        Line("few enough: stop", 1),
        Line("raise the attribute with most distinct values", 1, ("raise", "go on")),
        Line("suppress the records that are left in small classes", 0, ("suppress",)),
    )
    always_suppresses: ClassVar[bool] = True

    objective: str = declared_objective(
        "Which attribute is raised: the one with most distinct values, or the one that costs least "
        "of research value, NCP, classes (by labels) or information loss",
        "values",
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Raise until the rest may be suppressed."""
        may_suppress = task.privacy.max_suppression > 0
        limit = task.allowed_people if may_suppress else task.k
        refuse_if_hopeless(task, limit)
        by_values = "loss" if may_suppress else "rv"
        objective = by_values if self.objective == "values" else self.objective
        lowest = least_levels(task)
        search = Search(task, context, lowest, limit, objective, self.limits)
        levels = list(lowest)
        best: tuple[PassingString, Outcome, Int64s] | None = None
        while best is None or search.objective.sum(levels) > best[0].value + TIE:
            search.generated += 1
            outcome = search.test_only(levels)
            joining: Int64s | None = np.empty(0, dtype=np.int64)
            if outcome.passes and outcome.small:
                labels = search.frequency.labels(levels, search.tuple_of)
                if task.count(labels < 0) < task.k:
                    joining = _joining(labels, task, min(limit, task.people - 1))
            if outcome.passes and joining is not None:
                passing = search.passing_string(levels, outcome)
                if not len(joining):  # else a cancelled run would suppress fewer than k
                    search.record_passing(levels, outcome, passing.value)
                if best is None or passing.value > best[0].value + TIE:
                    best = passing, outcome, joining
            yield from search.report_test(levels, outcome)
            if best is not None and (not may_suppress or tuple(levels) == search.lattice.heights):
                break
            if outcome.passes:
                yield from search.report(WentOn(may_lose_less=joining is not None))
            yield from self._raise(search, levels)
        string = best[0].levels
        outcome = best[1]
        joining = best[2]
        if outcome.small:
            more_records = len(joining)
            yield from search.report(
                RecordsSuppressed(string, outcome.small, more_records, outcome.missed)
            )
        if len(joining):
            search.record_passing(string, outcome, best[0].value)
        grouping = search.grouping(string, search.notes(string))
        if len(joining):
            new_labels = grouping.labels.copy()
            new_labels[joining] = -1
            _, numbers = np.unique(new_labels, return_inverse=True)  # -1 is the first of them
            grouping = replace(grouping, labels=(numbers - 1).astype(np.int32))
        return grouping

    def _raise(self, search: Search, levels: list[int]) -> Iterator[Step]:
        """Raise the attribute with most distinct labels, or that costs least, by one level."""
        quasi = search.task.quasi
        distinct = {
            x: len(attribute.hierarchy.labels[levels[x]])
            for x, attribute in enumerate(quasi)
            if levels[x] < search.lattice.heights[x]
        }
        if not distinct and search.lattice.limited:
            limits = search.names, search.lattice.heights
            raise NotReachedError(beyond_limits(*limits, search.frequency.test(levels).small))
        if not distinct:
            raise NotReachedError(no_string(search.task))
        scores = {y: float(count) for y, count in distinct.items()}
        if self.objective != "values":
            bounds = search.objective.bounds
            scores = {y: float(bounds[y][levels[y] + 1] - bounds[y][levels[y]]) for y in distinct}
        x = min(y for y in scores if scores[y] >= max(scores.values()) - TIE)
        levels[x] += 1
        after = len(quasi[x].hierarchy.labels[levels[x]])
        yield from search.report(
            AttributeRaised(x, tuple(levels), distinct[x], after, self.objective, scores)
        )


def _joining(labels: Int32s, task: Task, allowed: int) -> Int64s | None:
    """Return the records to suppress besides fewer than k; None where that would be too many.

    `labels` gives the class of every record, -1 for those already suppressed. Where people may have
    several records, those who are suppressed are counted as people.
    """
    published = labels >= 0
    sizes = counted(labels[published], None if task.copies is None else task.copies[published])
    needed = task.k - task.count(labels < 0)
    can_spare = np.flatnonzero(sizes - needed >= task.k)
    if len(can_spare) and not task.requirements and task.k <= allowed:
        smallest = int(can_spare[sizes[can_spare].argmin()])
        if task.copies is not None:
            raise InputError(
                "datafly would suppress single records of a class, which is not possible when "
                "records are counted; use --engine memory, or choose global"
            )
        return np.flatnonzero(labels == smallest)[-needed:]
    smallest = int(sizes.argmin())
    together = (labels < 0) | (labels == smallest)
    if task.count(together) > allowed or together.all():
        return None
    return np.flatnonzero(labels == smallest)
