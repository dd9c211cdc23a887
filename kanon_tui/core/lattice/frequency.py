"""The frequency engine: how large are the classes of a generalisation string?

Idea. The records collapse once to distinct coded tuples with counts, at the lowest levels that a
search will look at (`CodedTuples`). A string is then tested on tuples, not on records, and rather
than on all of them on the classes of a finer string that was tested before: classes only ever merge
when a string is raised, so those of the finer one, each as one of its tuples and a size, stand for
all of its records (`Frequency.test`, roll-up).

A string passes when the records in classes smaller than k number at most what may be suppressed.
Both properties that searches prune by follow from classes only merging: a more general string of a
passing one passes, and one with fewer attributes (the others at the root) does so too. A release of
no records is none: when everything would be suppressed, the string fails.

Where more than k is required (`RequirementTest`), classes that miss it must go as well. The
properties then hold as before where nothing may be suppressed and classes that hold make one that
holds (`closed`), or where more records never hurt a class (`monotone`). Else a class that holds may
be spoilt by one that is merged into it. The number of records that must go at least still only
falls from a string to a more general one: searches prune by that (`fails_below`, `necessary`).

Cost: a test is one pass over the source's tuples, with a table look-up for every attribute that is
not at the root and one probe of a table. No sort, no copy. A string with more than n / k classes
(and one for every record that may be suppressed) cannot pass, and counting stops there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels import frequency as kernels
from kanon_tui.core.numeric import Flags, Int32s, Int64s, Words
from kanon_tui.core.table.column import GroupValues
from kanon_tui.core.task.events import RecordNumber
from kanon_tui.core.task.task import QuasiIdentifier, RunContext, Task

_WORD_BITS = 64
_MOST_ROLL_UPS = 512
_NO_LIMIT = 2**62
_NO_NUMBERS: Int32s = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of the test of a string."""

    passes: bool
    classes: int
    """Number of classes; where counting stopped early there are at least so many.

    0 where the test of many strings at once did not count them.
    """
    smallest: int | None
    """Records in the smallest class; None where it was not looked for."""
    small: int | None
    """Records in classes that must go; None where counting stopped early."""
    member: RecordNumber
    """A tuple of the smallest class; of a string with too many classes one of those too many."""
    fails_below: bool
    """Whether every more specific string fails too."""
    missed: MissedRequirement | None = None
    """What is missed beyond k, where classes must go for that."""


@dataclass(frozen=True, eq=False)
class CodedTuples:
    """The distinct tuples of a table with their counts; plain arrays that can go to a process."""

    tuples: Words
    """Tuples × words: the labels at the lowest levels, as bit fields."""
    counts: Int32s
    """Records per tuple."""
    word: Int64s
    shift: Words
    mask: Words
    start: Int64s
    """Attributes × levels: where a level's labels (by lowest label) begin in `labels`."""
    radix: Int64s
    """Attributes × levels: number of labels; 0 below the lowest level."""
    labels: Int32s

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts.sum(dtype=np.int64))

    @classmethod
    def from_attributes(
        cls, quasi: Sequence[QuasiIdentifier], lowest: Sequence[int]
    ) -> tuple[CodedTuples, Int32s]:
        """Return the distinct tuples of records at these levels, and the tuple of every record.

        Tuples are numbered in order of first appearance.
        """
        deepest = max(attribute.hierarchy.height for attribute in quasi) + 1
        word, shift, mask = np.zeros((3, len(quasi)), dtype=np.int64)
        start = np.zeros((len(quasi), deepest), dtype=np.int64)
        radix = np.zeros((len(quasi), deepest), dtype=np.int64)
        tables: list[Int32s] = []
        length = words = bits = 0
        for a, (attribute, low) in enumerate(zip(quasi, lowest, strict=True)):
            tree = attribute.hierarchy
            width = (len(tree.labels[low]) - 1).bit_length()
            if bits + width > _WORD_BITS:
                words = words + 1
                bits = 0
            word[a], shift[a], mask[a] = words, bits % _WORD_BITS, (1 << width) - 1
            bits += width
            for level in range(low, tree.height + 1):
                table = np.zeros(len(tree.labels[low]), dtype=np.int32)
                table[tree.maps[low]] = tree.maps[level]
                start[a, level], radix[a, level] = length, len(tree.labels[level])
                tables.append(table)
                length += len(table)
        records = np.zeros((len(quasi[0].column.codes), words + 1), dtype=np.uint64)
        for a, (attribute, low) in enumerate(zip(quasi, lowest, strict=True)):
            fields = attribute.hierarchy.maps[low].astype(np.uint64) << np.uint64(shift[a])
            records[:, word[a]] |= fields[attribute.column.codes]
        copies = quasi[0].column.copies
        record_copies = (
            np.ones(len(records), dtype=np.int32) if copies is None else copies.astype(np.int32)
        )
        layout = (word, shift.astype(np.uint64), mask.astype(np.uint64), start, radix)
        all_records = cls(records, record_copies, *layout, np.concatenate(tables))
        classes, tuple_of = Frequency(all_records, k=1, allowed=0).classes(lowest)
        return cls(records[classes.members], classes.sizes, *layout, all_records.labels), tuple_of


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a string, a tuple of each and its size: they stand in for the records."""

    members: Int32s
    """A tuple of every class, in the order in which these come."""
    sizes: Int32s
    all_tuples: Words

    @cached_property
    def tuples(self) -> Words:
        """The tuples of the members, side by side in memory."""
        if len(self.members) == len(self.all_tuples):
            return self.all_tuples
        return self.all_tuples[self.members]

    @cached_property
    def groups(self) -> kernels.RecordGroups:
        """The classes as the struct that kernels take."""
        return kernels.RecordGroups(self.members, self.tuples, self.sizes)

    def chosen(self, is_chosen: Flags) -> Classes:
        """Return the classes that are marked."""
        return Classes(self.members[is_chosen], self.sizes[is_chosen], self.all_tuples)

    @property
    def nbytes(self) -> int:
        """Memory it takes once it is rolled up."""
        bytes_per_class = self.all_tuples.nbytes // max(1, len(self.all_tuples))
        return self.members.nbytes + self.sizes.nbytes + bytes_per_class * len(self.members)


class Frequency:
    """The tests of strings for one k, with the classes of strings that failed."""

    def __init__(
        self,
        coded: CodedTuples,
        k: int,
        allowed: int,
        roll_ups: RollUps | None = None,
        requirement_test: RequirementTest | None = None,
        bounds_only: bool = False,
    ) -> None:
        self.coded = coded
        self.k = k
        self.n = coded.records
        self.allowed = min(allowed, self.n - 1)
        """How many records may be suppressed; at least one record stays."""
        self.requirement_test = requirement_test
        self.bounds_only = bounds_only
        """Whether a string passes that is not known to fail, and everything below it with it."""
        self.work = 0
        """Tuples looked at since the start, as a measure of time."""
        size = len(coded.counts)
        self.base = Classes(np.arange(size, dtype=np.int32), coded.counts, coded.tuples)
        self.layout = kernels.TupleLayout(
            coded.word, coded.shift, coded.mask, coded.start, coded.radix, coded.labels
        )
        self._counter = kernels.new_counter(self.layout, size, k)
        self._cache = RollUps(coded.radix.shape[0]) if roll_ups is None else roll_ups
        self._uncollected: tuple[Classes, Int64s, int] | None = None
        """Of the last count, while its classes are in the slots: source, string, and how many."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tests without the classes of strings that failed."""
        limits = self.k, self.allowed, None, self.requirement_test, self.bounds_only
        return Frequency, (self.coded, *limits)

    def test(self, levels: Sequence[int] | Int64s, to_the_end: bool = False) -> Outcome:
        """Test a string; `to_the_end` finds the smallest class even where it cannot pass."""
        string = np.asarray(levels, dtype=np.int64)
        source = self._cache.finest(string) or self.base
        most = self.n // self.k + self.allowed
        classes, small, smallest, member = self._count(source, string, most, not to_the_end)
        self.work += len(source.members)
        if classes > most and not to_the_end:
            return Outcome(False, classes, None, None, member, fails_below=True)
        passes = small <= self.allowed
        if not passes and 2 * classes < len(source.members):
            self._cache.add(string, self._collect(source, classes))
        if passes and self.requirement_test is not None:
            return self._judge(string, Outcome(passes, classes, smallest, small, member, False))
        return Outcome(passes, classes, smallest, small, member, fails_below=not passes)

    def _judge(self, string: Int64s, large_enough: Outcome) -> Outcome:
        """Return the outcome for a string with large enough classes, requirements included."""
        classes, numbers = self.classes(string)
        self.work += len(numbers)
        is_kept, missed = self._kept(string, classes, numbers)
        small = int(classes.sizes[~is_kept].sum())
        outcome = replace(large_enough, small=small, missed=missed)
        if self.bounds_only:
            fails = self._least_removed(classes, numbers) > self.allowed
            return replace(outcome, passes=not fails, fails_below=fails)
        assert self.requirement_test is not None
        fails = (
            small > self.allowed
            or self.requirement_test.suppresses_too_many_people(numbers, is_kept)
            or self.requirement_test.at_risk(numbers, classes.sizes, is_kept)
        )
        below = fails and (self.monotone or self._least_removed(classes, numbers) > self.allowed)
        return replace(outcome, passes=not fails, fails_below=below)

    def _kept(
        self, string: Sequence[int] | Int64s, classes: Classes, numbers: Int32s
    ) -> tuple[npt.NDArray[np.bool_], MissedRequirement | None]:
        """Return which classes may be published, and the requirement that most others miss."""
        is_kept = classes.sizes >= self.k
        if self.requirement_test is None:
            return is_kept, None
        failing, missed = self.requirement_test.judge(numbers, classes.sizes)
        is_kept = is_kept & ~failing
        subsets = self.requirement_test.subsets
        if subsets is None or self.bounds_only:
            return is_kept, missed
        labels = [self.labels_of(classes, a, int(level)) for a, level in enumerate(string)]
        counting = partial(self.requirement_test.count, numbers, classes.sizes)
        is_still_kept = subsets.kept(labels, is_kept, counting)
        short = int(classes.sizes[is_kept & ~is_still_kept].sum())
        if short and missed is None:
            missed = MissedRequirement(f"a combination of values without {subsets}", short)
        return is_still_kept, missed

    def _least_removed(self, classes: Classes, numbers: Int32s) -> int:
        """Return how many records must go at least, here and at every more specific string."""
        assert self.requirement_test is not None
        removed = self.requirement_test.least_removed(numbers, classes.sizes)
        sizes_left = classes.sizes - removed
        return int(np.where(sizes_left < self.k, classes.sizes, removed).sum())

    @cached_property
    def monotone(self) -> bool:
        """Whether everything more general than a passing string passes."""
        if self.requirement_test is None or self.bounds_only:
            return True
        required = self.requirement_test.requirements
        if not self.allowed:
            return all(requirement.closed for requirement in required)
        return self.requirement_test.risk is None and all(
            requirement.monotone for requirement in required
        )

    @cached_property
    def necessary(self) -> Frequency:
        """The monotone test that a search may prune by: this one, or a weaker one."""
        if self.monotone:
            return self
        return Frequency(self.coded, self.k, self.allowed, self._cache, self.requirement_test, True)

    def roll_up(self, levels: Sequence[int]) -> None:
        """Remember the classes of a string that many strings to come are more general than."""
        string = np.asarray(levels, dtype=np.int64)
        source = self._cache.finest(string) or self.base
        classes, *_ = self._count(source, string)
        self.work += len(source.members)
        if classes < len(source.members):
            self._cache.add(string, self._collect(source, classes))

    def class_everywhere(self, member: int, lowest: Int64s, levels: Int64s) -> Int32s:
        """Return the size of a tuple's class at every string of a grid of levels above `lowest`.

        Attributes with one level must be at their root. The first attribute is slowest.
        """
        coded = self.coded
        grid = np.empty(int(levels.prod()), dtype=np.int32)
        labels = int(coded.radix[np.arange(len(lowest)), lowest].sum())
        agree = np.empty(labels, dtype=np.int32)
        kernels.class_everywhere(
            self._counter, self.base.groups, member, lowest, levels, agree, grid
        )
        self.work += len(coded.counts) + len(grid)
        return grid

    def labels(self, levels: Sequence[int] | Int64s, tuple_of: Int32s) -> Int32s:
        """Return per record the number of its class, -1 where the class must go."""
        classes, numbers = self.classes(levels)
        is_kept, _ = self._kept(levels, classes, numbers)
        renumbered = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)
        return renumbered[numbers][tuple_of]

    def kept_classes(self, levels: Sequence[int]) -> tuple[Flags, Classes]:
        """Return per class of a string whether it may be published, and the classes."""
        string = np.asarray(levels, dtype=np.int64)
        source = self.base
        if self.requirement_test is None:  # else the numbers of all tuples' classes are needed
            source = self._cache.finest(string) or source
        classes, numbers = self.classes(string, source)
        if 2 * len(classes.members) < len(source.members):
            self._cache.add(string, classes)
        return self._kept(string, classes, numbers)[0], classes

    def small_records(self, levels: Sequence[int], limit: int) -> int | None:
        """Return the records in classes below k, None if they are more than the limit."""
        string = np.asarray(levels, dtype=np.int64)
        if self._uncollected is not None and (self._uncollected[1] <= string).all():
            source, finer, classes = self._uncollected
            self._cache.add(finer, self._collect(source, classes))
        source = self._cache.finest(string) or self.base
        most = self.n // self.k + limit
        classes, small, *_ = self._count(source, string, most, stop=True)
        self.work += len(source.members)
        if classes <= most and 2 * classes < len(source.members):
            self._uncollected = source, string, classes
        return small if classes <= most and small <= limit else None

    def labels_of(self, classes: Classes, attribute: int, level: int) -> Int32s:
        """Return per class its label of an attribute, by number, at a level."""
        coded = self.coded
        fields = classes.tuples[:, coded.word[attribute]] >> coded.shift[attribute]
        values = (fields & coded.mask[attribute]).astype(np.int64)
        labels: Int32s = coded.labels[coded.start[attribute, level] + values]
        return labels

    def classes(
        self, levels: Sequence[int] | Int64s, source: Classes | None = None
    ) -> tuple[Classes, Int32s]:
        """Return the classes of a string, and per tuple (or class of the source) its class."""
        source = self.base if source is None else source
        numbers = np.empty(len(source.members), dtype=np.int32)
        count, *_ = self._count(source, np.asarray(levels, dtype=np.int64))
        return self._collect(source, count, numbers), numbers

    def _count(
        self, source: Classes, string: Int64s, most: int = _NO_LIMIT, stop: bool = False
    ) -> tuple[int, int, int, int]:
        """Count the classes of a string into the slots."""
        self._uncollected = None
        classes, small, smallest, group = kernels.count_classes(
            self._counter, source.groups, string, most, stop
        )
        return classes, small, smallest, int(source.members[group])

    def _collect(self, source: Classes, classes: int, numbers: Int32s = _NO_NUMBERS) -> Classes:
        """List the classes that were just counted."""
        collected = np.empty((2, classes), dtype=np.int32)
        kernels.collect_classes(self._counter, source.groups, collected, numbers)
        return Classes(collected[0], collected[1], self.coded.tuples)


class RollUps:
    """Classes of tested strings, the least recently used of which give way to new ones.

    They belong to coded tuples, not to a k, so that tests in several threads can share them.
    """

    def __init__(self, attributes: int, most_bytes: int = 64_000_000) -> None:
        self._lock = Lock()
        self._most_bytes = most_bytes
        self._bytes = 0
        self._strings = np.zeros((attributes, _MOST_ROLL_UPS), dtype=np.uint8)
        self._classes: list[Classes] = []
        self._sizes = np.zeros(_MOST_ROLL_UPS, dtype=np.int64)
        self._used = np.zeros(_MOST_ROLL_UPS, dtype=np.int64)
        self._turn = 0

    def finest(self, string: Int64s) -> Classes | None:
        """Return the fewest remembered classes that can be merged into those of a string."""
        with self._lock:
            count = len(self._classes)
            levels = string.astype(np.uint8)[:, None]
            finer = np.flatnonzero((self._strings[:, :count] <= levels).all(axis=0))
            if not len(finer):
                return None
            place = int(finer[self._sizes[finer].argmin()])
            self._turn += 1
            self._used[place] = self._turn
            return self._classes[place]

    def add(self, string: Int64s, classes: Classes) -> None:
        """Remember the classes of a string."""
        if classes.nbytes > self._most_bytes:
            return
        with self._lock:
            while (
                self._bytes + classes.nbytes > self._most_bytes
                or len(self._classes) == _MOST_ROLL_UPS
            ):
                self._forget(int(self._used[: len(self._classes)].argmin()))
            place = len(self._classes)
            self._turn += 1
            self._classes.append(classes)
            self._strings[:, place] = string
            self._sizes[place] = len(classes.members)
            self._used[place] = self._turn
            self._bytes += classes.nbytes

    def _forget(self, place: int) -> None:
        """Remove an entry; the last one moves into its place."""
        self._bytes -= self._classes[place].nbytes
        last = len(self._classes) - 1
        for column in (*self._strings, self._sizes, self._used):
            column[place] = column[last]
        self._classes[place] = self._classes[last]
        self._classes.pop()


@dataclass(frozen=True)
class MissedRequirement:
    """The requirement that most records of a string miss."""

    fault: str
    """As a clause after 'with'."""
    records: int

    def __str__(self) -> str:
        return self.fault


class RequirementTest:
    """A test of classes for requirements beyond k.

    The records collapse once to distinct (tuple, sensitive value) pairs with counts. A string puts
    tuples together: its classes are judged on these pairs, not on records.
    """

    def __init__(self, task: Task, most_people: int, tuple_of: Int32s, tuples: int) -> None:
        """Take a task of which at most `most_people` people may lose a record."""
        self.requirements = task.requirements
        columns = {
            id(requirement.column.codes): requirement.column for requirement in self.requirements
        }
        self._pairs = [
            GroupValues.from_records(tuple_of, column.codes, tuples, column.copies)
            for column in columns.values()
        ]
        self._place = [
            list(columns).index(id(requirement.column.codes)) for requirement in self.requirements
        ]
        self._people: GroupValues | None = None
        if task.repeated is not None:
            self._people = GroupValues.from_records(tuple_of, task.repeated.codes, tuples)
        self._most_people = most_people
        self.risk = task.release_risk
        self.subsets = task.subsets
        self._of = task.people

    def at_risk(self, number: Int32s, sizes: Int32s, is_kept: Flags) -> bool:
        """Return whether the classes that are kept exceed the bound for the risk of the release.

        `number` has the class of every tuple, `sizes` and `is_kept` are per class.
        """
        if self.risk is None:
            return False
        counted = self.count(number, sizes, np.arange(len(sizes)), is_kept)
        return not self.risk.holds(counted[is_kept], self._of)

    def count(self, number: Int32s, sizes: Int32s, group: Int64s, is_kept: Flags) -> Int64s:
        """Return the records, or people, of groups of the classes that are kept.

        `number` gives the class of every tuple, `group` the group of every class.
        """
        groups = int(group.max()) + 1
        if self._people is None:
            return np.bincount(group[is_kept], sizes[is_kept], groups).astype(np.int64)
        pairs = self._people
        owner = number[pairs.group]
        is_pair_kept = is_kept[owner]
        return GroupValues.from_records(
            group[owner[is_pair_kept]], pairs.code[is_pair_kept], groups
        ).distinct

    def suppresses_too_many_people(self, number: Int32s, is_kept: Flags) -> bool:
        """Return whether too many people have a record in classes that are not kept.

        `number` has the class of every tuple, `is_kept` a flag per class.
        """
        if self._people is None:
            return False
        lost = ~is_kept[number[self._people.group]]
        return len(np.unique(self._people.code[lost])) > self._most_people

    def least_removed(self, number: Int32s, sizes: Int32s) -> npt.NDArray[np.int64]:
        """Return per class how many records must go at least to meet the requirements."""
        values = self._values(number, len(sizes))
        if not self.requirements:
            return np.zeros(len(sizes), dtype=np.int64)
        pairs = zip(self.requirements, values, strict=True)
        removed = [requirement.least_removed(class_values) for requirement, class_values in pairs]
        return np.asarray(np.max(removed, axis=0), dtype=np.int64)

    def _values(self, number: Int32s, classes: int) -> list[GroupValues]:
        """Return the values that every class has of each requirement's column."""
        column_values = [
            GroupValues.from_records(number[pairs.group], pairs.code, classes, pairs.records)
            for pairs in self._pairs
        ]
        return [column_values[place] for place in self._place]

    def judge(self, number: Int32s, sizes: Int32s) -> tuple[Flags, MissedRequirement | None]:
        """Return per class whether it misses a requirement, and the one that most records miss.

        `number` gives the class of every tuple, `sizes` the records of every class.
        """
        classes = len(sizes)
        values = self._values(number, classes)
        missed = np.zeros(classes, dtype=bool)
        worst: MissedRequirement | None = None
        for requirement, class_values in zip(self.requirements, values, strict=True):
            misses = requirement.gaps(class_values) > 0
            records = int(sizes[misses].sum())
            if records > (worst.records if worst is not None else 0):
                worst = MissedRequirement(requirement.model.fault, records)
            missed |= misses
        return missed, worst


class SharedCounts:
    """The coded tuples of some attributes and the classes counted so far, by lowest levels.

    The classes of a string do not depend on k; only whether they are large enough does. So searches
    over the same records share them: a run by itself has its own, the points of a sweep, in several
    threads at once, have one together. Every search makes the same decisions as alone.
    """

    def __init__(self, quasi: Sequence[QuasiIdentifier]) -> None:
        self._quasi = quasi
        self._known: dict[tuple[int, ...], tuple[CodedTuples, Int32s, RollUps]] = {}
        self._lock = Lock()

    def at(self, lowest: Sequence[int]) -> tuple[CodedTuples, Int32s, RollUps]:
        """Return the tuples at these levels, the tuple of every record, and classes to roll up."""
        key = tuple(lowest)
        with self._lock:
            if key not in self._known:
                coded, tuple_of = CodedTuples.from_attributes(self._quasi, key)
                self._known[key] = coded, tuple_of, RollUps(len(key))
            return self._known[key]


def shared_counts(task: Task, context: RunContext) -> SharedCounts:
    """Return the counts that all runs with this context share on the records of a task."""
    counts: SharedCounts = context.shared.setdefault(task.quasi, SharedCounts(task.quasi))
    return counts
