"""Local: a binary search on the levels of all attributes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.full_domain import (
    MOST_LISTED,
    PRE_PRUNE,
    FullDomainSearch,
    count_strings,
)
from kanon_tui.core.lattice.pointers import HALF_WAY, Pointers
from kanon_tui.core.lattice.pre_pruning import lowest_levels, only_roots
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.task.steps import Line, RunContext, Steps, Wish
from kanon_tui.core.task.task import Task

__all__ = ["LocalSearch"]


@dataclass(frozen=True)
class LocalSearch(FullDomainSearch):
    """Local optimisation of the research value.

    Idea: treat the attributes alike. Each has a pointer to one of its levels; together the pointers
    are a string. When it passes, every pointer moves half of the way to its most specific level,
    when it fails, half of the way to its most general one, until no pointer moves any more.

    Phases: drop the levels that fail alone (pre-pruning); move the pointers. The answer is the best
    passing string found, which need not be the best there is: `global` finds that. Pointers that
    only ever fail end at the roots. The string of roots says nothing, so that it is no answer: the
    search then says that none was found, as Morton's table 6 leaves the place blank. With
    `accept_root` it is an answer.

    Cost: about log2 of the tallest hierarchy's levels tests, however many attributes there are.

    Reference: Morton, local optimisation of the utility metric (figure 5).
    """

    name: ClassVar[str] = "local"
    title: ClassVar[str] = "Local search"
    paper: ClassVar[str] = "Morton, local optimisation (figure 5)"
    summary: ClassVar[str] = (
        "Moves all attributes half-way up or down together; a handful of tests for any number of "
        "attributes, a balanced answer but seldom the best"
    )
    pictures: ClassVar[tuple[str, ...]] = ("pointers", "lattice")
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        PRE_PRUNE,
        Line("per attribute: what is left are all its levels"),
        Line("repeat until no attribute moves:"),
        Line("test the string half-way in every attribute", 1, ("test",)),
        Line("passes: keep the more specific half of the levels", 1),
        Line("fails: keep the more general half of the levels", 1),
        Line("move every attribute half-way in what is left", 1, ("move",)),
        Line("publish the best string that passed"),
    )
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True

    accept_root: bool = declared(
        False, "Publish every attribute at its root where nothing else is found"
    )

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return one level per column where there are too many strings to list."""
        return (Wish.ONE_LEVEL,) if count_strings(task) > MOST_LISTED else ()

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Move the pointers until they stand still."""
        lowest, dropped = lowest_levels(task)
        search = Search(task, context, lowest, objective=self.objective)
        yield from search.tell_dropped(dropped)
        pointers = Pointers(lowest, search.space.heights)
        moving = True
        while moving:
            levels = pointers.levels
            search.generated += 1
            outcome = search.count(levels)
            if outcome.passes and (self.accept_root or _says_something(levels, search)):
                search.record_passing(levels, outcome)
            search.told.note(pointers=pointers.state)
            yield from search.tell_test(levels, outcome, why=HALF_WAY)
            moving = pointers.move(outcome.passes)
            if moving:
                search.told.note(pointers=pointers.state)
                yield from search.tell(
                    "move",
                    "Every attribute moves half-way to its more {direction} levels: {string}.",
                    direction="specific" if outcome.passes else "general",
                    string=search.text(pointers.levels),
                )
        if not search.passing and tuple(pointers.levels) == search.space.heights and outcome.passes:
            raise NotReachedError(only_roots(task))
        return search.answer()


def _says_something(levels: Sequence[int], search: Search) -> bool:
    """Whether a string has an attribute below its root, or there is nothing above its values."""
    heights = search.space.heights
    return tuple(levels) != heights or not any(heights)
