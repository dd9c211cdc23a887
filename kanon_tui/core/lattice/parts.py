"""Parts of the attributes: their strings, their passing strings, and how these combine.

A string of all attributes can pass only if its part in every subset of them passes. So the passing
strings of two parts, put together in all ways, contain the passing strings of both. Codes of a part
have the other attributes at the root; combining two of them is taking each part's fields.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.lattice.events import (
    ABOVE,
    BELOW,
    IN_PART,
    PartsAwaited,
    PartSearched,
    Picked,
)
from kanon_tui.core.lattice.frequency import Frequency
from kanon_tui.core.lattice.halving import ListFollower, find_passing
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import Lattice, NodeList
from kanon_tui.core.numeric import TIE, Floats, Words, sum_in_order
from kanon_tui.core.processes.workers import Processes, cores
from kanon_tui.core.task.task import Step


def split(sizes: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Divide attributes, in order, into parts of at most `most` strings each.

    Attributes with one level are in no part. An attribute with more levels than that is a part of
    its own.

    >>> split([7, 5, 1, 5, 2, 2], 40)
    [(0, 1), (3, 4, 5)]
    """
    parts: list[tuple[int, ...]] = []
    strings = most + 1
    for attribute, size in enumerate(sizes):
        if size == 1:
            continue
        if strings * size > most:
            parts.append(())
            strings = 1
        parts[-1] += (attribute,)
        strings *= size
    return parts


@dataclass(frozen=True, eq=False)
class Part:
    """Strings of some attributes that may be part of the answer, by falling value."""

    attributes: tuple[int, ...]
    codes: Words
    worths: Floats
    """What they are worth at most, by these attributes alone."""

    @classmethod
    def from_codes(cls, space: Lattice, attributes: tuple[int, ...], codes: Words) -> Part:
        """Sort the codes of a part by their value."""
        worths = space.worth(codes, attributes)
        order = np.argsort(-worths, kind="stable")
        return cls(attributes, codes[order], worths[order])

    def at_least(self, worth: float) -> Part:
        """Return the strings with at least this value."""
        count = int(np.searchsorted(-self.worths, -worth, side="right"))
        return Part(self.attributes, self.codes[:count], self.worths[:count])


@dataclass(frozen=True)
class AllStrings:
    """A job: all strings of some attributes."""

    attributes: tuple[int, ...]

    def count(self, space: Lattice) -> int:
        """Return the number of strings."""
        return prod(space.sizes[a] for a in self.attributes)

    def lists(self, space: Lattice) -> Iterator[tuple[Words, Floats]]:
        """Yield the strings to settle with their values."""
        yield space.strings(self.attributes)


@dataclass(frozen=True, eq=False)
class Pair:
    """A job: all combinations of two parts' strings that are worth enough."""

    one: Part
    other: Part
    least: float
    most: int
    """How many combinations to hold at a time."""

    @property
    def attributes(self) -> tuple[int, ...]:
        """The attributes of both."""
        return tuple(sorted(self.one.attributes + self.other.attributes))

    def count(self, space: Lattice) -> int:
        """Return the number of combinations."""
        return int(self._partners().sum())

    def lists(self, space: Lattice) -> Iterator[tuple[Words, Floats]]:
        """Yield the combinations in lists, the most valuable strings of the first part first."""
        fields = space.fields(self.other.attributes)
        other_fields = self.other.codes & fields
        partners = self._partners()
        ends = np.cumsum(partners)
        first = 0
        while first < len(partners) and partners[first]:
            before = ends[first] - partners[first]
            last = max(first + 1, int(np.searchsorted(ends, before + self.most, side="right")))
            count = partners[first:last]
            first_places = np.repeat(np.arange(first, last), count)
            second_places = np.arange(len(first_places)) - np.repeat(
                np.cumsum(count) - count, count
            )
            codes = (self.one.codes[first_places] & ~fields) | other_fields[second_places]
            yield codes, self.one.worths[first_places] + self.other.worths[second_places]
            first = last

    def _partners(self) -> npt.NDArray[np.int64]:
        """Return per string of the first part how many of the second are worth enough with it."""
        return np.searchsorted(-self.other.worths, self.one.worths - self.least, side="right")


Job = AllStrings | Pair

_WORTH_A_PROCESS = 500_000_000  # strings × tuples: below it starting processes takes longer
_HEARTBEAT = 0.05  # seconds without an answer after which a step gives the chance to cancel


class PartSolver:
    """A solver of parts: finds their passing strings and drops those that cannot be optimal.

    The best string known sets the mark: a part's string is dropped when even the best strings of
    all other parts do not lift it there.
    """

    def __init__(self, search: Search, memory: int, workers: int, stack: ExitStack) -> None:
        self.search = search
        self._memory = memory
        self._asked_for = workers
        self._workers = workers or cores()
        self._stack = stack
        self._processes: Processes | None = None
        self._engine = search.frequency.necessary
        space = search.lattice
        self._most = max(1, int(memory * 1e6 / space.bytes_per_string) // self._workers)
        """How many strings one worker may hold in a list."""
        limits = zip(space.values, space.heights, space.sizes, strict=True)
        self._fixed = sum_in_order(float(values[top]) for values, top, size in limits if size == 1)
        pairs = zip(space.values, space.lowest, strict=True)
        scale = sum_in_order(float(np.abs(values).max()) for values in space.values)
        self.bound = sum_in_order(float(values[low:].max()) for values, low in pairs)
        """An upper bound on the value of every string."""
        self._slack = 2 * TIE + 1e-12 * scale  # values are summed in another order than in `Search`

    def solve(self, jobs: Sequence[Job]) -> Generator[Step, None, list[Part]]:
        """Return the passing strings of every job, in the order of the jobs."""
        if self._in_processes(jobs):
            return (yield from self._solve_in_processes(jobs))
        parts = []
        for job in jobs:
            parts.append((yield from self._solve_here(job)))
        return parts

    def worth(self, parts: Sequence[Part]) -> list[Part]:
        """Drop the strings that are worth too little even with the best of the other parts."""
        best = [float(part.worths[0]) for part in parts]
        self.bound = min(self.bound, sum_in_order(best) + self._fixed + self._slack)
        needed = self._mark() - sum_in_order(best)
        return [
            part.at_least(needed + best_worth) for part, best_worth in zip(parts, best, strict=True)
        ]

    def pair(self, first_part: Part, second_part: Part, parts: Sequence[Part]) -> Pair:
        """Return the job of combining two parts, with the value that a combination must have."""
        worth_of_others = sum_in_order(
            float(part.worths[0])
            for part in parts
            if part is not first_part and part is not second_part
        )
        return Pair(first_part, second_part, self._mark() - worth_of_others, self._most)

    def combinations(self, parts: list[Part]) -> Iterator[Words]:
        """Yield all combinations of parts that are worth enough, in lists that fit into memory."""
        space = self.search.lattice
        parts = self.worth(parts)
        while len(parts) > 2:
            parts.sort(key=lambda part: len(part.codes))
            pair = self.pair(parts[0], parts[1], parts)
            codes = np.concatenate([codes for codes, _ in pair.lists(space)])
            parts = [Part.from_codes(space, pair.attributes, codes), *parts[2:]]
        first_part, second_part = parts
        for codes, _ in self.pair(first_part, second_part, parts).lists(space):
            yield codes

    def _mark(self) -> float:
        """Return the value that the strings of all parts together must have."""
        return self.search.best_value - self._fixed - self._slack

    def _in_processes(self, jobs: Sequence[Job]) -> bool:
        """Return whether to use processes: when asked to or when it pays, never step by step."""
        if self._workers == 1 or len(jobs) < 2 or self.search.context.decisions_per_step == 1:
            return False
        strings = sum(job.count(self.search.lattice) for job in jobs)
        work = strings * len(self.search.frequency.coded.counts)
        return self._asked_for > 1 or work > _WORTH_A_PROCESS

    def _solve_here(self, job: Job) -> Generator[Step, None, Part]:
        search = self.search
        before = search.generated, search.tested
        passing = _PassingCodes(search.lattice, self._memory)
        for codes, worths in job.lists(search.lattice):
            search.generated += len(codes)
            strings = NodeList(search.lattice, codes, worths)
            follower = ListFollower(search.watcher, strings)
            search.watcher.part = job.attributes
            for test in find_passing(self._engine, strings, job.attributes, passing.add):
                search.generated += not test.in_list
                search.tested += 1
                search.pruned += test.others
                reason = ABOVE if test.outcome.passes else BELOW
                search.watcher.add_settled(reason, follower.dropped())
                yield from search.report_test(
                    test.levels, test.outcome, job.attributes, Picked(IN_PART)
                )
        generated = search.generated - before[0]
        tested = search.tested - before[1]
        return (yield from self._finish_part(job, passing.codes, generated, tested))

    def _solve_in_processes(self, jobs: Sequence[Job]) -> Generator[Step, None, list[Part]]:
        search = self.search
        if self._processes is None:
            setup = self._engine, search.lattice, self._memory
            processes = search.context.helpers(min(self._workers, len(jobs)), job_solver, *setup)
            self._processes = self._stack.enter_context(processes)
        self._processes.submit(jobs)
        parts_by_job: dict[int, Part] = {}
        while len(parts_by_job) < len(jobs):
            answer = self._processes.result(_HEARTBEAT)
            if answer is None:
                yield search.step(PartsAwaited(len(parts_by_job), len(jobs)))
                continue
            number, (codes, generated, tested) = answer
            search.generated += generated
            search.tested += tested
            search.pruned += generated - tested
            parts_by_job[number] = yield from self._finish_part(
                jobs[number], codes, generated, tested
            )
        return [parts_by_job[number] for number in range(len(jobs))]

    def _finish_part(
        self, job: Job, codes: Words, generated: int, tested: int
    ) -> Generator[Step, None, Part]:
        search = self.search
        part = Part.from_codes(search.lattice, job.attributes, codes)
        if search.frequency.monotone:  # it passes with the other attributes at the root
            search.record_passing(search.lattice.levels(part.codes[0]))
        event = PartSearched(job.attributes, len(codes), generated, tested)
        yield from search.report(event)
        return part


def job_solver(
    frequency: Frequency, space: Lattice, memory: int
) -> Callable[[Job], tuple[Words, int, int]]:
    """Return the function that a helper process runs per job: codes that pass, strings, tests."""

    def solve_job(job: Job) -> tuple[Words, int, int]:
        passing = _PassingCodes(space, memory)
        generated = tested = 0
        for codes, worths in job.lists(space):
            generated += len(codes)
            strings = NodeList(space, codes, worths)
            for test in find_passing(frequency, strings, job.attributes, passing.add):
                generated += not test.in_list
                tested += 1
        return passing.codes, generated, tested

    return solve_job


class _PassingCodes:
    """The passing strings of a job, as long as they fit into memory."""

    def __init__(self, space: Lattice, memory: int) -> None:
        self._codes: list[Words] = [np.empty((0, space.words), dtype=np.uint64)]
        self._most = int(memory * 1e6 / space.bytes_per_string)
        self._memory = memory
        self._count = 0

    def add(self, codes: Words) -> None:
        """Take some more, unless they become too many."""
        self._codes.append(codes)
        self._count += len(codes)
        if self._count > self._most:
            raise NotReachedError(
                f"distributed: {self._count:,} and more passing strings of a part do not fit into "
                f"memory ({self._memory:,} MB); raise memory, leave out attributes, or choose "
                f"anytime"
            )

    @property
    def codes(self) -> Words:
        """All that were added, in that order."""
        return np.concatenate(self._codes)
