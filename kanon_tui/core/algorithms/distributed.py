"""Distributed: the answer of global for more strings than memory holds, part by part."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.algorithms.full_domain import TIE, Search, better, counted
from kanon_tui.core.algorithms.halving import Halving
from kanon_tui.core.algorithms.local_search import Pointers
from kanon_tui.core.algorithms.parts import Pair, Part, Whole, split
from kanon_tui.core.algorithms.passing import find_passing
from kanon_tui.core.algorithms.pre_pruning import lowest_levels
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.frequency import CodedTuples, Frequency
from kanon_tui.core.parameters import parameter
from kanon_tui.core.processes import Processes, cores
from kanon_tui.core.run import Algorithm, Family, Step, Steps
from kanon_tui.core.strings import StringList, StringSpace
from kanon_tui.core.task import Task

__all__ = ["DistributedSearch"]

Words = npt.NDArray[np.uint64]
Job = Whole | Pair

_FEW_COMBINATIONS = 1_000_000  # that many are listed at once rather than combined part by part
_WORTH_A_PROCESS = 500_000_000  # strings × tuples: below it starting processes takes longer
_HEARTBEAT = 0.05  # seconds without news after which a step gives the chance to cancel


@dataclass(frozen=True)
class DistributedSearch(Algorithm):
    """Global search over parts of the attributes.

    Idea: a string passes only if its part in every subset of the attributes passes. So split the
    attributes into parts with few strings, find every passing string of each part, and combine only
    those: of a space of 10^15 strings a small share is ever written down.

    Phases: drop the levels that fail alone (pre-pruning); find a good passing string, by the moves
    of `local` and then by lowering one level at a time where most is gained; split the attributes, in
    order, into parts of at most `part` strings and find the passing strings of every part, each part
    in a process of its own; while their combinations are many, combine the parts two by two and keep
    what passes, again in processes; halve the list of the last combinations as `global` does. The
    good string at the start bounds the rest: a part's string is dropped when even the best strings of
    the other parts do not lift it to that value.

    Cost: memory is bounded by `memory`: longer lists of combinations are settled in slabs. Time
    depends on how many strings pass in the parts and is exponential at worst.

    Departures: the thesis combines all parts at once. The answer is that of `global` for any number
    of workers and any size of parts.

    Reference: Morton, distributed version of the global optimisation.
    """

    name: ClassVar[str] = "distributed"
    title: ClassVar[str] = "Distributed search"
    family: ClassVar[Family] = Family.FULL_DOMAIN
    paper: ClassVar[str] = "Morton, distributed version of the global optimisation"
    summary: ClassVar[str] = (
        "Splits the attributes, searches the parts in parallel processes and combines what passes; "
        "the answer of global for spaces that do not fit into memory"
    )

    memory: int = parameter(1000, "Megabytes that lists of strings may take together", low=1)
    part: int = parameter(4096, "Most strings of one part of the attributes", low=2)
    workers: int = parameter(
        0, "Processes; 0 for as many as there are cores where that saves time, 1 for none", low=0
    )

    def steps(self, task: Task) -> Steps:
        """Search the parts, combine them, halve the last list."""
        lowest, dropped = lowest_levels(task)
        search = Search(task, lowest)
        yield from search.tell_dropped(dropped)
        yield from _find_good_string(search)
        with ExitStack() as stack:
            crew = _Crew(search, self, stack)
            attributes = split(search.space.sizes, self.part)
            found = yield from crew.settle([Whole(some) for some in attributes])
            while len(found) > 2 and prod(len(part.codes) for part in found) > _FEW_COMBINATIONS:
                found.sort(key=lambda part: len(part.codes))
                pairs = list(zip(found[0::2], found[1::2], strict=False))
                jobs = [crew.pair(one, other, found) for one, other in pairs]
                found = found[2 * len(jobs) :] + (yield from crew.settle(jobs))
                found = crew.worth(found)
            yield from crew.finish(found)
        return search.answer()


class _Crew:
    """Settles lists of strings, in processes where that saves time."""

    def __init__(self, search: Search, settings: DistributedSearch, stack: ExitStack) -> None:
        self.search = search
        self._settings = settings
        self._stack = stack
        self._workers = settings.workers or cores()
        self._processes: Processes | None = None
        space = search.space
        self._most = int(settings.memory * 1e6 / space.bytes_per_string)
        """How many strings the lists of all workers may hold together."""
        self._fixed = sum(
            float(values[top])
            for values, top, size in zip(
                space.research_values, space.heights, space.sizes, strict=True
            )
            if size == 1
        )

    def settle(self, jobs: Sequence[Job]) -> Generator[Step, None, list[Part]]:
        """The passing strings of every job, in the order of the jobs."""
        if self._in_processes(jobs):
            return (yield from self._settle_in_processes(jobs))
        found = []
        for job in jobs:
            found.append((yield from self._settle_here(job)))
        return found

    def worth(self, found: Sequence[Part]) -> list[Part]:
        """Drop the strings that the best of the other parts do not lift to what is known to pass."""
        best = [float(part.rvs[0]) for part in found]
        needed = self._known() - self._fixed - sum(best)
        return [part.at_least(needed + own) for part, own in zip(found, best, strict=True)]

    def pair(self, one: Part, other: Part, found: Sequence[Part]) -> Pair:
        """The combinations of two parts that the best of the others lift to what is known."""
        rest = sum(float(part.rvs[0]) for part in found if part is not one and part is not other)
        most = max(1, self._most // self._workers)
        return Pair(one, other, self._known() - self._fixed - rest, most)

    def finish(self, found: list[Part]) -> Iterator[Step]:
        """Halve the list of all combinations that can be the answer."""
        search, space = self.search, self.search.space
        found = self.worth(found)
        while len(found) > 2:
            found.sort(key=lambda part: len(part.codes))
            pair = self.pair(found[0], found[1], found)
            codes = np.concatenate([codes for codes, _ in pair.lists(space)])
            found = [Part.of(space, pair.attributes, codes), *found[2:]]
        if len(found) == 2:
            lists = (codes for codes, _ in self.pair(*found, found).lists(space))
        else:
            lists = (part.codes for part in found)
        for codes in lists:
            strings = StringList(space, codes, space.rv(codes))
            search.generated += len(strings)
            yield from search.tell(
                "combine",
                "Combine the parts: {strings:,} strings are worth a search for the best.",
                strings=len(strings),
            )
            halving = Halving(search, strings)
            yield from halving.drop_worse()
            yield from halving.run()

    def _known(self) -> float:
        """The research value to reach, a little less to allow for another order of summing."""
        return max(met.rv for met in self.search.met) - 2 * TIE

    def _in_processes(self, jobs: Sequence[Job]) -> bool:
        """Whether to use processes: when asked to, or when it pays; never step by step."""
        if self._workers == 1 or len(jobs) < 2 or self.search.task.pace.decisions == 1:
            return False
        strings = sum(job.count(self.search.space) for job in jobs)
        work = strings * len(self.search.frequency.coded.counts)
        return self._settings.workers > 1 or work > _WORTH_A_PROCESS

    def _settle_here(self, job: Job) -> Generator[Step, None, Part]:
        search = self.search
        before = search.generated, search.tested
        passing = _Passing(search.space, self._settings.memory)
        for codes, rvs in job.lists(search.space):
            search.generated += len(codes)
            settling = find_passing(
                search.frequency, StringList(search.space, codes, rvs), job.attributes
            )
            while True:
                try:
                    settled = next(settling)
                except StopIteration as stop:
                    passing.add(stop.value)
                    break
                search.tested += 1
                search.pruned += settled.others
                yield from search.tell_test(settled.levels, settled.outcome, job.attributes)
        strings, tested = search.generated - before[0], search.tested - before[1]
        return (yield from self._conclude(job, passing.codes, strings, tested))

    def _settle_in_processes(self, jobs: Sequence[Job]) -> Generator[Step, None, list[Part]]:
        search = self.search
        if self._processes is None:
            engine = search.frequency
            setup = (engine.coded, engine.k, engine.allowed, search.space, self._settings.memory)
            made = Processes(min(self._workers, len(jobs)), begin, *setup)
            self._processes = self._stack.enter_context(made)
        self._processes.submit(jobs)
        found: dict[int, Part] = {}
        while len(found) < len(jobs):
            news = self._processes.result(_HEARTBEAT)
            if news is None:
                yield search.step(
                    "wait",
                    "{done} of {jobs} parts are settled, the others are at work.",
                    {"done": len(found), "jobs": len(jobs)},
                )
                continue
            number, (codes, strings, tested) = news
            search.generated += strings
            search.tested += tested
            search.pruned += strings - tested
            found[number] = yield from self._conclude(jobs[number], codes, strings, tested)
        return [found[number] for number in range(len(jobs))]

    def _conclude(
        self, job: Job, codes: Words, strings: int, tested: int
    ) -> Generator[Step, None, Part]:
        search = self.search
        part = Part.of(search.space, job.attributes, codes)
        search.meet(search.space.levels(part.codes[0]))  # with the other attributes at the root
        yield from search.tell(
            "part",
            "Part {names}: {passing:,} of " + counted(strings) + " pass; {tested:,} were tested.",
            names=", ".join(search.names[a] for a in job.attributes),
            passing=len(codes),
            strings=strings,
            tested=tested,
        )
        return part


class _Passing:
    """The passing strings of a job, as long as they fit."""

    def __init__(self, space: StringSpace, memory: int) -> None:
        self._codes: list[Words] = []
        self._most = int(memory * 1e6 / space.bytes_per_string)
        self._memory = memory

    def add(self, codes: Words) -> None:
        """More of them."""
        self._codes.append(codes)
        count = sum(map(len, self._codes))
        if count > self._most:
            raise NotReachedError(
                f"distributed: {count:,} passing strings of one part do not fit into memory "
                f"({self._memory:,} MB); raise memory, leave out attributes or choose local"
            )

    @property
    def codes(self) -> Words:
        """All of them."""
        return np.concatenate(self._codes)


def begin(
    coded: CodedTuples, k: int, allowed: int, space: StringSpace, memory: int
) -> Callable[[Job], tuple[Words, int, int]]:
    """What a process does with a job: the passing strings, how many there were, how many tests."""
    frequency = Frequency(coded, k, allowed)

    def settle(job: Job) -> tuple[Words, int, int]:
        passing = _Passing(space, memory)
        strings = tested = 0
        for codes, rvs in job.lists(space):
            strings += len(codes)
            settling = find_passing(frequency, StringList(space, codes, rvs), job.attributes)
            while True:
                try:
                    next(settling)
                except StopIteration as stop:
                    passing.add(stop.value)
                    break
                tested += 1
        return passing.codes, strings, tested

    return settle


def _find_good_string(search: Search) -> Iterator[Step]:
    """The moves of `local`, then lower one attribute at a time, where most is gained."""
    pointers = Pointers(search.space.lowest, search.space.heights)
    moving = True
    while moving:
        passes = yield from _try(search, pointers.levels)
        moving = pointers.move(passes)
    string = list(better(search.met).levels)
    values = search.space.research_values
    open_attributes = set(range(len(string)))  # lowering a closed one failed and so fails for good
    while open_attributes:
        gains = {
            a: float(values[a][string[a] - 1] - values[a][string[a]])
            for a in sorted(open_attributes)
            if string[a] > search.space.lowest[a]
        }
        if not gains:
            break
        a = max(gains, key=lambda b: gains[b])
        string[a] -= 1
        if not (yield from _try(search, string)):
            string[a] += 1
            open_attributes.remove(a)


def _try(search: Search, levels: Sequence[int]) -> Generator[Step, None, bool]:
    search.generated += 1
    outcome = search.test(levels)
    yield from search.tell_test(levels, outcome)
    return outcome.passes
