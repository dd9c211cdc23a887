"""Hybrid: local search to get near quickly, global search on what is left.

Its page, with naive code, a picture and a run: algorithms/hybrid.html of the manual, which
`kanon-tui explain hybrid` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.algorithms.local_search import Pointers
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.events import HALF_WAY
from kanon_tui.core.lattice.full_domain import HALVE, LIST_ALL, PRE_PRUNE, FullDomainSearch
from kanon_tui.core.lattice.halving import Halving, list_all
from kanon_tui.core.task.task import Line, RunContext, Steps, Task


@dataclass(frozen=True)
class HybridSearch(FullDomainSearch):
    """Local search that prunes the list of all strings, then global search on the rest.

    Idea: the few tests of `local` lead quickly to a passing string of good value, and each of them
    prunes the sorted list as a test of `global` does. Global search then starts from a shorter list
    and ends at the same answer.

    Phases: drop the levels that fail alone (pre-pruning); make and sort all strings of the others;
    move the pointers of `local`, pruning the list, until they stand still or point to a string that
    was already dropped; halve what is left.

    Cost: as `global`. Whether the head start saves tests depends on the data.

    Reference: Morton, hybrid utility algorithm.
    """

    name: ClassVar[str] = "hybrid"
    title: ClassVar[str] = "Hybrid search"
    paper: ClassVar[str] = "Morton, hybrid utility algorithm"
    summary: ClassVar[str] = (
        "Starts like local and ends like global: the same exact answer, with a passing string to "
        "show early"
    )
    twin: ClassVar[str] = ".twins.full_domain:optimum"
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        PRE_PRUNE,
        LIST_ALL,
        Line("move as local does, pruning the list with every test"),
        *HALVE,
    )
    bytes_per_string: ClassVar[int] = 16

    memory: int = declared(1000, "Memory limit of the list of strings, in megabytes", low=1)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Pre-prune, move the pointers, then halve what is left."""
        search = yield from self.pre_pruned(task, context)
        halving = Halving(search, list_all(search, self.memory, self.name))
        search.progress = lambda: halving.progress
        search.bound = lambda: halving.bound
        pointers = Pointers(search.lattice)
        moving = True
        while moving and search.lattice.code(pointers.levels) in halving.strings:
            search.watcher.pointers = pointers.state
            passes = yield from halving.test(pointers.levels, HALF_WAY)
            moving = pointers.move(passes)
        yield from halving.run()
        yield from search.last_step()
        return search.answer(halving.bound)
