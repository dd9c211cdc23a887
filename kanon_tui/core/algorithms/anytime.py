"""Anytime: the best string within a budget, and a bound on how far it is from the optimum.

Its page, with naive code, a picture and a run: algorithms/anytime.html of the manual, which
`kanon-tui explain anytime` prints.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.events import DescentStarted
from kanon_tui.core.lattice.full_domain import PRE_PRUNE, FullDomainSearch
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.within_budget import Budget, Descent, Proof
from kanon_tui.core.task.task import Line, RunContext, Step, Steps, Task

_PATIENCE = 25  # moves without a better string after which a descent ends
_SHAKEN = 0.3  # the share of attributes that a restart moves at random


@dataclass(frozen=True)
class AnytimeSearch(FullDomainSearch):
    """Tabu search for a good string, then branch and bound for a proof.

    Idea: where strings are too many to list, a good one is still found by moving from string to
    string, and how good it is follows from bounds on whole boxes of strings.

    Phases: drop the levels that fail alone (pre-pruning). Descend from the string of roots, from
    the string that `datafly` stops at, and `restarts` times from the best string with some levels
    changed at random: each time move to the best neighbour, with one attribute at another level or
    one raised and one lowered, even where it is worse, until nothing better was found for a while.
    With what is left of the budget, find general strings that suppress too much, and divide all
    strings into boxes around them; what is more specific than one of them cannot be better (see
    `lattice.within_budget` for both).

    The answer is the best string tested, at any moment. It is proven optimal when no box is left;
    else the report gives the gap to the bound on the optimum.

    Cost: `tests` counts of classes. Descents take at most half of them and need a few thousand for
    two dozen attributes. Without a number the search makes 100,000 tests, and up to 300,000 as long
    as the gap closes at a pace that promises a proof, or 2 % at most. The same tests give the same
    answer on every machine; a limit in `seconds` does not.

    Reference: Glover, tabu search (1989); Land and Doig, branch and bound (1960).
    """

    name: ClassVar[str] = "anytime"
    title: ClassVar[str] = "Anytime search"
    suits: ClassVar[str] = "many"
    paper: ClassVar[str] = "none: tabu search (Glover 1989) with branch and bound"
    summary: ClassVar[str] = (
        "Finds a good string within a budget of tests and says how far it can be from the optimum; "
        "for more strings than any exact search can list"
    )
    twin: ClassVar[str] = ".twins.full_domain:optimum"
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        PRE_PRUNE,
        Line("descend from the roots, from the string of datafly, and from shaken best strings:"),
        Line("start a descent", 1, ("start",)),
        Line("move to the best neighbour that is not tabu", 1, ("test",)),
        Line("while a box of strings may have a better one than the best:"),
        Line(
            "divide the box of the highest bound at a string that suppresses too much",
            1,
            ("bound",),
        ),
        Line("publish the best string, with its gap to the highest bound"),
    )

    tests: int | None = declared(
        None, "Most tests; if not given 100,000, up to 300,000 while the gap closes", low=1
    )
    seconds: float | None = declared(
        None, "Seconds after which it stops, even if tests are left", above=0
    )
    restarts: int = declared(2, "Descents from the best string with some levels changed", low=0)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Descend from several strings, then prove as far as the budget goes."""
        search = yield from self.pre_pruned(task, context)
        budget = Budget(self.tests, self.seconds)
        proof = Proof(search, budget)
        search.bound = lambda: proof.bound
        search.progress = lambda: min(budget.used / budget.planned, 1.0)
        yield from self._descend(search, budget)
        yield from proof.run()
        if not search.candidates and proof.bound > -np.inf:
            raise NotReachedError(
                f"{self.name}: none of the {search.tested:,} strings that were tested passes, and "
                f"others are left; raise tests or seconds, or require less"
            )
        yield from search.last_step()
        return search.answer(proof.bound, why=budget.notes())

    def _descend(self, search: Search, budget: Budget) -> Iterator[Step]:
        """Descend from the roots, from the string of datafly and from shaken best strings."""
        descent = Descent(search, budget)
        lattice = search.lattice
        reserved = budget.left // 2
        budget.left = budget.left - budget.left // 2
        for number in range(2 + self.restarts):
            start = lattice.heights if number == 0 else _datafly_string(search)
            if number > 1 and search.candidates:
                shaken = descent.random.random(len(start)) < _SHAKEN
                drawn = descent.random.integers(lattice.lowest, np.array(lattice.heights) + 1)
                start = tuple(np.where(shaken, drawn, min(search.candidates).levels).tolist())
            if budget.spent and number:
                break
            yield from search.report(DescentStarted(tuple(start)))
            yield from descent.run(start, _PATIENCE)
        budget.left = max(budget.left, 0) + reserved


def _datafly_string(search: Search) -> tuple[int, ...]:
    """Return the string at which raising the attribute with most labels first passes."""
    levels = list(search.lattice.lowest)
    labels = search.frequency.coded.radix
    while not search.frequency.test(levels).passes:
        below = [a for a, top in enumerate(search.lattice.heights) if levels[a] < top]
        if not below:
            break
        levels[max(below, key=lambda a: int(labels[a, levels[a]]))] += 1
    return tuple(levels)
