"""Distributed: the answer of global for more strings than memory holds, part by part.

Its page, with naive code, a picture and a run: algorithms/distributed.html of the manual, which
`kanon-tui explain distributed` prints.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.events import (
    DESCENT,
    IN_PART,
    NEIGHBOUR,
    PART,
    WORTH_LESS,
    GoodStringSought,
    ListMade,
    SpaceSplit,
)
from kanon_tui.core.lattice.full_domain import HALVE, PRE_PRUNE, FullDomainSearch
from kanon_tui.core.lattice.halving import Halving
from kanon_tui.core.lattice.parts import AllStrings, PartSolver, split
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import NodeList
from kanon_tui.core.lattice.within_budget import Budget, Descent
from kanon_tui.core.numeric import TIE, Words
from kanon_tui.core.task.task import Line, RunContext, Step, Steps, Task
from kanon_tui.core.text import Quotable, note

_FEW_COMBINATIONS = 1_000_000  # that many are listed at once rather than combined part by part
_HEAD_START = 2_000  # tests for a good string to begin with


@dataclass(frozen=True)
class DistributedSearch(FullDomainSearch):
    """Global search over parts of the attributes.

    Idea: a string passes only if its part in every subset of the attributes passes. So split the
    attributes into parts with few strings, find every passing string of each part, and combine
    only those: of a space of 10^15 strings a small share is ever written down.

    Phases: drop the levels that fail alone (pre-pruning). Find a good passing string by a
    descent from the roots, as in `anytime`. Split the attributes, in
    order, into parts of at most `part` strings, and find the passing strings of every part, each in
    a process of its own. While their combinations are many, combine the parts two by two and keep
    what passes, again in processes. Halve the list of the last combinations as `global` does. The
    good string at the start bounds the rest: a part's string is dropped when even the best strings
    of the other parts do not make it worth as much. Where all strings are one part, this is
    `global` with a head start.

    Cost: lists of strings keep to `memory`; longer ones are searched piece by piece. Time depends
    on how many strings of the parts pass, and is exponential at worst.

    Departures: the thesis combines all parts at once and knows no good string in advance. The
    answer is that of `global` for any number of workers and any size of parts.

    Reference: Morton, distributed version of the global optimisation.
    """

    name: ClassVar[str] = "distributed"
    title: ClassVar[str] = "Distributed search"
    paper: ClassVar[str] = "Morton, distributed version of the global optimisation"
    summary: ClassVar[str] = (
        "Splits the attributes, searches the parts in parallel processes and combines what passes; "
        "the answer of global for spaces that do not fit into memory"
    )
    twin: ClassVar[str] = ".twins.full_domain:optimum"
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        PRE_PRUNE,
        Line(
            "find a good string by a descent from the roots",
            kinds=("seek", "test"),
            causes=(DESCENT, NEIGHBOUR),
        ),
        Line("split the attributes into parts of few strings", 0, ("split",)),
        Line("for every part, in a process of its own:"),
        Line("find its passing strings", 1, ("part", "wait")),
        Line("test the string in the middle of those left", 2, ("test",), causes=(IN_PART,)),
        Line("combine what passes, leaving out what is worth less than the best", 0, ("combine",)),
        *HALVE,
    )

    memory: int = declared(1000, "Memory limit of all lists of strings, in megabytes", low=1)
    part: int = declared(4096, "Largest number of strings in one part of the attributes", low=2)
    workers: int = declared(
        0, "Number of processes; 0: one per core if that saves time, 1: none", low=0
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Search the parts, combine them, halve the last list."""
        search = yield from self.pre_pruned(task, context)
        yield from search.report(GoodStringSought())
        yield from Descent(search, Budget(_HEAD_START)).run(search.lattice.heights, patience=0)
        parts = split(search.lattice.sizes, self.part)
        if len(parts) < 2:
            yield from _halve(search, search.lattice.strings()[0], of_parts=False)
            yield from search.last_step()
            return search.answer(-np.inf)
        yield from search.report(SpaceSplit(tuple(parts)))
        with ExitStack() as stack:
            solver = PartSolver(search, self.memory, self.workers, stack)
            search.bound = lambda: solver.bound
            try:
                yield from _search_parts(search, solver, parts)
            except NotReachedError as error:  # too many strings pass for the memory
                if not search.candidates:
                    raise
                why = note("{reason}", reason=Quotable(str(error)))
                return search.answer(solver.bound, why=[why])
        search.bound = lambda: -np.inf  # nothing is left that could be better
        yield from search.last_step()
        return search.answer(-np.inf)


def _search_parts(
    search: Search, solver: PartSolver, parts: Sequence[tuple[int, ...]]
) -> Iterator[Step]:
    """Find the passing strings of every part and search their combinations."""
    solved = yield from solver.solve([AllStrings(attributes) for attributes in parts])
    while len(solved) > 2 and prod(len(part.codes) for part in solved) > _FEW_COMBINATIONS:
        solved.sort(key=lambda part: len(part.codes))
        pairs = zip(solved[0::2], solved[1::2], strict=False)
        jobs = [solver.pair(first, second, solved) for first, second in pairs]
        solved = solved[2 * len(jobs) :] + (yield from solver.solve(jobs))
        solved = solver.worth(solved)
    for codes in solver.combinations(solved):
        yield from _halve(search, codes, of_parts=True)


def _halve(search: Search, codes: Words, of_parts: bool) -> Iterator[Step]:
    """Search a list for a string that is better than the best known."""
    strings = NodeList(search.lattice, codes, search.lattice.worth(codes))
    search.generated += len(strings)
    search.watcher.part = None
    _settle_others(search, codes)
    yield from search.report(ListMade(len(strings), of_parts))
    halving = Halving(search, strings)
    yield from halving.drop_known()
    yield from halving.drop_worse()
    yield from halving.run()


def _settle_others(search: Search, codes: Words) -> None:
    """Record for pictures that strings outside a list have a failing part or are worth less."""
    watcher = search.watcher
    every = search.watcher.lattice
    if watcher.follows:
        open_ones = np.all(every.grid >= np.array(every.lowest), axis=1)
        open_ones[every.nodes(search.lattice, codes)] = False
        beaten = every.worths < search.best_value - TIE
        watcher.add_settled(WORTH_LESS, np.flatnonzero(open_ones & beaten))
        watcher.add_settled(PART, np.flatnonzero(open_ones & ~beaten))
