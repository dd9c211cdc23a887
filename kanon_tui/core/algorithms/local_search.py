"""Local: a binary search on the levels of all attributes at once.

Its page, with naive code, a picture and a run: algorithms/local.html of the manual, which
`kanon-tui explain local` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.events import HALF_WAY, Picked, PointersMoved, PointerState
from kanon_tui.core.lattice.full_domain import PRE_PRUNE, FullDomainSearch
from kanon_tui.core.lattice.pre_pruning import only_roots
from kanon_tui.core.lattice.strings import Lattice
from kanon_tui.core.task.task import Line, RunContext, Steps, Task


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
    suits: ClassVar[str] = "many"
    paper: ClassVar[str] = "Morton, local optimisation (figure 5)"
    summary: ClassVar[str] = (
        "Moves all attributes half-way up or down together; a handful of tests for any number of "
        "attributes, a balanced answer but seldom the best"
    )
    twin: ClassVar[str] = ".twins.full_domain:local"
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True
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

    accept_root: bool = declared(False, "Publish the string of roots if nothing else is found")

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Move the pointers until they stand still."""
        search = yield from self.pre_pruned(task, context)
        pointers = Pointers(search.lattice)
        moving = True
        while moving:
            levels = pointers.levels
            search.generated += 1
            outcome = search.test_only(levels)
            says_something = levels != search.lattice.roots or not any(levels)
            if outcome.passes and (self.accept_root or says_something):
                search.record_passing(levels, outcome)
            search.watcher.pointers = pointers.state
            yield from search.report_test(levels, outcome, picked=Picked(HALF_WAY))
            moving = pointers.move(outcome.passes)
            if moving:
                search.watcher.pointers = pointers.state
                yield from search.report(PointersMoved(pointers.levels, outcome.passes))
        if not search.passing and tuple(pointers.levels) == search.lattice.roots and outcome.passes:
            raise NotReachedError(only_roots(task))
        yield from search.last_step()
        return search.answer()


class Pointers:
    """Per attribute a binary search on its levels, general to specific, all moving together."""

    def __init__(self, lattice: Lattice) -> None:
        self._heights = lattice.heights
        self._low = [0] * len(lattice.sizes)
        self._high = list(lattice.sizes)
        self._mid = self._between()

    @property
    def levels(self) -> tuple[int, ...]:
        """The string the pointers stand at."""
        return tuple(top - mid for top, mid in zip(self._heights, self._mid, strict=True))

    @property
    def state(self) -> PointerState:
        """The levels that are left for every attribute."""
        limits = zip(self._heights, self._low, self._high, strict=True)
        pairs = [(top - max(high - 1, low), top - low) for top, low, high in limits]
        specific, general = zip(*pairs, strict=True)
        return PointerState(specific, self.levels, general)

    def move(self, passed: bool) -> bool:
        """Move on from a string that passed or failed; False when no pointer moves."""
        if passed:
            self._low = self._mid
        else:
            self._high = self._mid
        before = self._mid
        self._mid = self._between()
        return before != self._mid

    def _between(self) -> list[int]:
        return [(low + high) // 2 for low, high in zip(self._low, self._high, strict=True)]
