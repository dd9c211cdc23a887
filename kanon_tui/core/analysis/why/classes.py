"""Explain a clustering: which values share a class, and where it could be cut.

A class publishes a range, a set or a common label because its records differ. The reason of a cell
is the values that stand furthest from the record's own; the change that would have kept more is a
cut of the class in two (`ClassCuts`). The largest k that allows a cut is the size of its smaller
side; where more than k is required, both sides must keep that as well, or a bound must give way.

Numbers and dates are cut between two neighbouring values, categories around one of the labels just
below the common one. So every class has one cut for each of its *parts* (values or labels): what
lies up to the value, or has the label, is inside. Records whose own cell is suppressed are on
neither side. What is required beyond k is counted on distinct (part, sensitive value) pairs: a cut
looks at those of its class, which makes parts × pairs for every class, some cuts at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.reasons import (
    Change,
    GroupFigures,
    Reasons,
    Why,
    explain_suppressed,
    is_enough,
    lacks_clause,
    requirement_change,
)
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.release.published_cells import cell_texts
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import count_of, plural, short_list, shortened

__all__ = ["ClassCuts", "ClassReasons", "ClassValues", "Cut", "JudgedCuts", "forbidden_cuts"]


class ClassReasons(Reasons):
    """Answers by looking into the record's class."""

    # -- a cell

    def because(self, record: int, x: int) -> str:
        """Return a clause on the records of the class that are furthest from this one."""
        if self._own_hidden(record, x):
            return "its own cell was suppressed, so that the others of its class keep more detail"
        if self._in_one_stretch(record, x):
            return (
                "ranges do not overlap in this release, so that every class with values in this "
                "stretch publishes the whole of it"
            )
        values = self._values(record, x)
        if not values.mixed:
            return ""
        of_them = f"of the {count_of(values.size, 'record')} of its class"
        if not values.attribute.ordered:
            other = ~values.near()
            count = int(values.counts[other].sum())
            labels = short_list(values.labels(other))
            return f"{count:,} {of_them} {plural(count, 'is', 'are')} {labels}"
        column = values.attribute.column
        if column.missing in (values.own, values.codes[-1]):
            return f"the value is missing in {int(values.counts[-1]):,} {of_them}"
        assert column.numbers is not None
        distance = np.abs(column.numbers[values.codes] - column.numbers[values.own])
        far = int(np.argmax(np.where(values.codes == values.own, -1.0, distance)))
        count = int(values.counts[far])
        value = shortened(column.values[values.codes[far]])
        return f"{count:,} {of_them} {plural(count, 'has', 'have')} {value}"

    def _record_facts(self, record: int, x: int) -> tuple[str, ...]:
        values, cuts = self._values(record, x), self.cuts(record, x)
        pairs = zip(values.texts(values.codes), values.counts.tolist(), strict=True)
        listed = short_list([f"{shortened(value)} ({count:,})" for value, count in pairs], 12)
        size = count_of(values.size, "record")
        facts = [f"Its class has {size}; {values.attribute.name}: {listed}."]
        if values.hidden:
            have = plural(values.hidden, "has", "have")
            are = plural(values.hidden, "is", "are")
            facts.append(
                f"{values.hidden:,} of them {have} this cell suppressed and {are} on neither side "
                f"of a cut."
            )
        if self._in_one_stretch(record, x):
            facts.append("Its range goes on to the ends of the stretch that other classes share.")
        elif not values.mixed:
            facts.append("They agree, so that the value is published as it is.")
        elif cuts and all(cut.largest_k < 2 for cut in cuts):
            facts.append("No cut of the class leaves two records or more on either side.")
        elif forbidden := forbidden_cuts(cuts, self.task.requirements, self.k):
            cut = forbidden[0][1]
            lacks = lacks_clause(cut.lacks, " or ")
            sentence = f"{cut.leaves}, but {cut.lacking:,} of them would show {lacks}"
            facts.append(f"{sentence[0].upper()}{sentence[1:]}.")
        return tuple(facts)

    def _record_changes(self, record: int, x: int) -> tuple[Change, ...]:
        changes, cuts = [], self.cuts(record, x)
        possible = [cut for cut in cuts if not cut.lacks]
        cut = max(possible, key=lambda cut: cut.largest_k, default=None)
        if cut is not None and cut.largest_k > 1:
            sentence = cut.leaves
            if cut.largest_k < self.k:
                sentence = f"k = {cut.largest_k:,} instead of {self.k:,}: {sentence}"
            else:
                enough = f"enough for k = {self.k:,}{self._and_required}"
                sentence += f", {enough}; {self.result.algorithm.name} did not take it"
            changes.append(Change("k", min(cut.largest_k, self.k), "", sentence))
        for requirement, cut in forbidden_cuts(cuts, self.task.requirements, self.k):
            if requirement is not None:
                figure = cut.figures[self.task.requirements.index(requirement)]
                to = float(requirement.model.kept_by(figure))
                changes.append(requirement_change(requirement, to, cut.leaves))
        return (*changes, *self._without_others(record, x))

    def _without_others(self, record: int, x: int) -> list[Change]:
        """Return finer cells by suppressing others of the class, where those left are enough."""
        values, now = self._values(record, x), self.published(record, x)
        if not values.mixed or self._own_hidden(record, x) or self._stretches(x) is not None:
            return []
        if values.attribute.ordered:
            ends = (values.codes[0], values.codes[-1])
            kept = [values.codes != end for end in ends if end != values.own]
        else:
            kept = [values.near()]
        found = []
        for stay in kept:
            gone = int(values.counts[~stay].sum())
            codes = values.codes[stay]
            groups = GroupValues.from_records(np.zeros(len(codes), dtype=np.int64), codes, 1)
            text = cell_texts(values.attribute, groups)[0]
            if values.hidden and text != HIDDEN:
                text += HIDDEN
            if text != now and is_enough(self.result, self._left(record, x, values.codes[~stay])):
                sentence = (
                    f"{count_of(gone, 'record')} of its class suppressed: the other "
                    f"{values.size - gone:,} would publish {shortened(text)}"
                )
                found.append(Change("suppression", gone, "", sentence))
        return sorted(found, key=lambda change: change.value)

    def _left(self, record: int, x: int, gone: Int64s) -> Int64s:
        """Return the records of a class without those that show some values."""
        members = self.members(record)
        leaves = np.isin(self.task.quasi[x].column.codes[members], gone)
        singly = self.result.grouping.suppressed_cells
        if singly is not None:
            leaves &= ~singly[members, x]
        return members[~leaves]

    # -- the class of a record

    def cuts(self, record: int, x: int) -> list[Cut]:
        """Return every way to cut the record's class in two on this attribute."""
        values = self._values(record, x)
        if self._own_hidden(record, x) or not values.mixed or self._stretches(x) is not None:
            return []  # stretches are the same for all classes: no class can be cut alone
        ours = self.release.classes == self.release.classes[record]
        cuts = ClassCuts.from_cells(*self._cells(x, np.where(ours, 0, -1).astype(np.int32)))
        judged = cuts.judged(self.task.requirements)
        worse = [judged.worse(r) for r in range(len(judged.figures))]
        near = cuts.part_of[record]
        found = []
        for i, cut in enumerate(judged.cuts.tolist()):
            own, rest = int(cuts.inside[cut]), int(cuts.outside[cut])
            if values.attribute.ordered and near > cut:
                own, rest = rest, own
            if values.attribute.ordered or near == cut:
                figures = tuple(float(one[i]) for one in worse)
                found.append(Cut(own, rest, values.cut_text(cut), figures, *judged.lacks(i)))
        return found

    def _values(self, record: int, x: int) -> ClassValues:
        attribute = self.task.quasi[x]
        codes, counts = np.unique(self._group_codes(record, x), return_counts=True)
        own, size = int(attribute.column.codes[record]), len(self.members(record))
        return ClassValues(attribute, own, codes.astype(np.int64), counts.astype(np.int64), size)

    def _group_codes(self, record: int, x: int) -> npt.NDArray[np.integer]:
        members = self.members(record)
        singly = self.result.grouping.suppressed_cells
        if singly is not None:
            members = members[~singly[members, x]]
        return self.task.quasi[x].column.codes[members]

    def _stretches(self, x: int) -> Int32s | None:
        """Return the stretches that ranges of an attribute are made of.

        None if they may overlap.
        """
        stretches = self.result.grouping.stretches
        return None if stretches is None else stretches[x]

    def _in_one_stretch(self, record: int, x: int) -> bool:
        """Return whether the class publishes a stretch that is wider than one value."""
        stretches = self._stretches(x)
        if stretches is None:
            return False
        held = np.unique(stretches[self._group_codes(record, x)])
        return len(held) == 1 and int((stretches == held[0]).sum()) > 1

    def _own_hidden(self, record: int, x: int) -> bool:
        singly = self.result.grouping.suppressed_cells
        return singly is not None and bool(singly[record, x])

    # -- an attribute

    def of_attribute(self, x: int) -> Why:
        """Return how many classes agree on an attribute, and how many could be cut further."""
        attribute, sizes = self.task.quasi[x], self.release.class_sizes
        cells, shown = self._cells(x, self.release.classes)
        mixed = cells.values.distinct > 1
        facts = [
            f"{int((~mixed).sum()):,} of {len(sizes):,} classes agree on {attribute.name}; "
            f"{int(mixed.sum()):,} mix values."
        ]
        if not mixed.any():
            return Why(self._attribute_question(attribute), "", tuple(facts))
        widest = int(np.argmax(np.where(mixed, cells.span, -1)))
        record = int(np.flatnonzero(self.release.classes == widest)[0])
        facts.append(
            f"The widest publishes {shortened(self.published(record, x))} for "
            f"{count_of(int(sizes[widest]), 'record')} of "
            f"{int(cells.values.distinct[widest]):,} values."
        )
        cuts = ClassCuts.from_cells(cells, shown)
        judged = cuts.judged(self.task.requirements, least=min(2, self.k))
        best = judged.best()
        free = int((best >= self.k).sum())
        required = " with all that is required" if self.task.requirements else ""
        because = (
            f"in {int(mixed.sum()) - free:,} of {len(sizes):,} classes no cut on {attribute.name} "
            f"leaves {self.k:,} records{required} on either side"
        )
        if free == mixed.sum():
            because = f"{self.result.algorithm.name} did not take the cuts that are possible"
        if free:
            facts.append(
                f"{count_of(free, 'class', 'classes')} could be cut on {attribute.name} alone and "
                f"keep k{self._and_required}."
            )
        if barred := int((cuts.best() >= self.k).sum()) - free:
            facts.append(
                f"{count_of(barred, 'class', 'classes')} could be cut on {attribute.name} for k "
                f"alone, but a side would miss what is required beyond it."
            )
        changes = (*self._smaller_k(best), *self._looser(judged, best >= self.k))
        return Why(self._attribute_question(attribute), because, tuple(facts), changes)

    def _smaller_k(self, best: Int64s) -> Iterator[Change]:
        """Yield the largest smaller k that allows another cut.

        `best` has the classes' best cuts.
        """
        smaller = best[(best < self.k) & (best > 1)]
        if len(smaller):
            largest = int(smaller.max())
            more = count_of(int((smaller >= largest).sum()), "more class", "more classes")
            sentence = f"k = {largest:,} instead of {self.k:,}: {more} could be cut on it"
            yield Change("k", largest, "", sentence)

    def _looser(self, judged: JudgedCuts, free: Flags) -> Iterator[Change]:
        """Yield per requirement the nearest bound that allows another cut.

        `free` classes have one.
        """
        for r, requirement in enumerate(self.task.requirements):
            barred = (judged.smaller >= self.k) & judged.only(r) & ~free[judged.group]
            if barred.any():
                to = requirement.model.kept_by(judged.worse(r)[barred])
                nearest = float(to.max() if requirement.model.at_least else to.min())
                more = len(np.unique(judged.group[barred][to == nearest]))
                gain = f"{count_of(more, 'more class', 'more classes')} could be cut on it"
                yield requirement_change(requirement, nearest, gain)

    # -- helpers

    def _cells(
        self, x: int, classes: npt.NDArray[np.int32]
    ) -> tuple[CellGroups, npt.NDArray[np.int32]]:
        """Return an attribute of some classes, and their records without hidden cells."""
        singly, sizes = self.result.grouping.suppressed_cells, np.bincount(classes[classes >= 0])
        shown = classes
        if singly is not None:
            shown = np.where(singly[:, x], np.int32(-1), classes)
        return CellGroups.of_classes(self.task.quasi[x], shown, sizes, None), shown

    @property
    def _and_required(self) -> str:
        return " and what is required beyond it" if self.task.requirements else ""

    # -- a suppressed record

    def of_suppressed(self, record: int) -> Why:
        """Return why a record is suppressed.

        Its MAGVals are rare, or lack something, or by chance.
        """
        return explain_suppressed(self.result, record)


_PAIRS_AT_A_TIME = 2_000_000


@dataclass(frozen=True, eq=False)
class ClassCuts:
    """Every cut of some classes; cut number i belongs to part number i."""

    parts: GroupValues
    """Per class its values, or the labels just below the common one."""
    ordered: bool
    part_of: Int64s
    """Per record the number of its part, -1 where it has none."""

    @classmethod
    def from_cells(cls, cells: CellGroups, classes: npt.NDArray[np.integer]) -> ClassCuts:
        """Return the cuts of published classes.

        `classes` is -1 where the record's cell is suppressed.
        """
        attribute, parts = cells.attribute, cells.values
        shown = np.flatnonzero(classes >= 0)
        group = classes[shown].astype(np.int64)
        part = attribute.column.codes[shown].astype(np.int64)
        if not attribute.ordered:
            below = np.maximum(cells.height - 1, 0)
            part = np.stack(attribute.hierarchy.maps)[below[group], part].astype(np.int64)
            parts = GroupValues.from_records(group, part, cells.values.count)
        width = np.int64(part.max(initial=0)) + 1
        part_of = np.full(len(classes), -1, dtype=np.int64)
        part_of[shown] = np.searchsorted(parts.group * width + parts.code, group * width + part)
        return cls(parts, attribute.ordered, part_of)

    @cached_property
    def inside(self) -> Int64s:
        """Records inside every cut."""
        if not self.ordered:
            return self.parts.records
        so_far = np.cumsum(self.parts.records)
        before = (so_far - self.parts.records)[self.parts.starts[self.parts.group]]
        return np.asarray(so_far - before, dtype=np.int64)

    @cached_property
    def outside(self) -> Int64s:
        """Records of the class on the other side of every cut."""
        records = np.bincount(
            self.parts.group, weights=self.parts.records, minlength=self.parts.count
        )
        return records.astype(np.int64)[self.parts.group] - self.inside

    @cached_property
    def smaller(self) -> Int64s:
        """Records on the smaller side; 0 behind the last value of a class."""
        return np.minimum(self.inside, self.outside)

    def best(self, possible: Flags | None = None) -> Int64s:
        """Return per class the records on the smaller side of its best cut.

        0 where none is possible.
        """
        smaller = self.smaller if possible is None else np.where(possible, self.smaller, 0)
        return np.maximum(self.parts.ends(smaller)[1], 0)

    def judged(self, requirements: Sequence[ColumnRequirement], least: int = 1) -> JudgedCuts:
        """Return the figures of the sides of cuts; both sides must have so many records."""
        cuts = np.flatnonzero(self.smaller >= max(least, 1))
        return JudgedCuts(self, cuts, tuple(self._sides(each, cuts) for each in requirements))

    def _sides(self, requirement: ColumnRequirement, cuts: Int64s) -> GroupFigures:
        """Return the figures of the sides, cuts × 2."""
        pairs = GroupValues.from_records(
            self.part_of, requirement.column.codes, len(self.parts.group)
        )
        starts = np.searchsorted(pairs.group, self.parts.starts)
        group = self.parts.group[cuts]
        first, length = starts[group], (starts[1:] - starts[:-1])[group]
        parts = [
            GroupFigures.from_values(
                requirement, self._values(pairs, cuts[some], first[some], length[some])
            )
            for some in _some_at_a_time(length)
        ]
        figures = np.concatenate([np.empty(0), *(one.figures for one in parts)])
        missed = np.concatenate([np.empty(0, dtype=bool), *(one.missed for one in parts)])
        return GroupFigures(requirement, figures.reshape(-1, 2), missed.reshape(-1, 2))

    def _values(
        self, pairs: GroupValues, cuts: Int64s, first: Int64s, length: Int64s
    ) -> GroupValues:
        """Return the values on both sides of every cut, the inside first."""
        number = np.repeat(np.arange(len(cuts)), length)
        ends = np.cumsum(length)
        pair = np.arange(len(number)) + (first - (ends - length))[number]
        part, cut = pairs.group[pair], cuts[number]
        outside = part > cut if self.ordered else part != cut
        sides = 2 * number + outside
        return GroupValues.from_records(sides, pairs.code[pair], 2 * len(cuts), pairs.records[pair])


@dataclass(frozen=True, eq=False)
class JudgedCuts:
    """Cuts with the figures of their sides."""

    all_cuts: ClassCuts
    cuts: Int64s
    """Which of them were judged."""
    figures: tuple[GroupFigures, ...]
    """Per requirement, cuts × 2: the side inside, the side outside."""

    @property
    def smaller(self) -> Int64s:
        """Records on the smaller side."""
        return self.all_cuts.smaller[self.cuts]

    @cached_property
    def group(self) -> Int64s:
        """The class of every cut."""
        return self.all_cuts.parts.group[self.cuts]

    @cached_property
    def missed(self) -> Flags:
        """Requirements × cuts: whether one of the sides misses it."""
        missed = [one.missed.any(axis=1) for one in self.figures]
        return np.array(missed, dtype=bool).reshape(len(self.figures), len(self.cuts))

    @cached_property
    def lacking(self) -> Int64s:
        """Records on sides that miss something."""
        sides = np.zeros((len(self.cuts), 2), dtype=bool)
        for one in self.figures:
            sides |= one.missed
        records = np.column_stack([self.all_cuts.inside, self.all_cuts.outside])[self.cuts]
        return np.asarray((sides * records).sum(axis=1), dtype=np.int64)

    def lacks(self, i: int) -> tuple[tuple[ColumnRequirement, ...], int]:
        """Return the requirements that a cut's sides miss, and the records on such sides."""
        missed = zip(self.figures, self.missed[:, i].tolist(), strict=True)
        return tuple(one.requirement for one, bad in missed if bad), int(self.lacking[i])

    @cached_property
    def holds(self) -> Flags:
        """Whether both sides keep all that is required."""
        return np.asarray(~self.missed.any(axis=0), dtype=bool)

    def best(self) -> Int64s:
        """Return per class the records on the smaller side of its best cut that holds.

        0 where none.
        """
        possible = np.zeros(len(self.all_cuts.smaller), dtype=bool)
        possible[self.cuts[self.holds]] = True
        return self.all_cuts.best(possible)

    def only(self, r: int) -> Flags:
        """Return for every cut whether it misses requirement number r and no other."""
        return np.asarray(self.missed[r] & (self.missed.sum(axis=0) == 1), dtype=bool)

    def worse(self, r: int) -> Floats:
        """Return the worse of both sides' figures of requirement number r."""
        one = self.figures[r]
        return np.asarray(one.requirement.model.worst(one.figures, axis=1), dtype=np.float64)


def _some_at_a_time(lengths: Int64s) -> Iterator[slice]:
    """Yield stretches of cuts with not too many pairs, each of one cut at least."""
    so_far = np.cumsum(lengths)
    begin = 0
    while begin < len(lengths):
        before = int(so_far[begin] - lengths[begin])
        end = int(np.searchsorted(so_far, before + _PAIRS_AT_A_TIME, side="right"))
        end = max(end, begin + 1)
        yield slice(begin, end)
        begin = end


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The values of a class in one attribute, seen from one of its records."""

    attribute: QuasiIdentifier
    own: int
    """The record's own value."""
    codes: Int64s
    """The distinct values, rising."""
    counts: Int64s
    """Records per value."""
    size: int
    """Records of the class, those with a suppressed cell included."""

    @property
    def mixed(self) -> bool:
        """Whether there is more than one value."""
        return len(self.codes) > 1

    @property
    def hidden(self) -> int:
        """Records whose own cell was suppressed."""
        return self.size - int(self.counts.sum())

    def texts(self, codes: Int64s) -> list[str]:
        """Return values as they are written in the data."""
        return [self.attribute.column.values[code] for code in codes.tolist()]

    def near(self) -> Flags:
        """Return for each category whether it has the record's label just below the common one."""
        hierarchy = self.attribute.hierarchy
        labels = hierarchy.maps[max(hierarchy.lca_level(self.codes.tolist()) - 1, 0)]
        return np.asarray(labels[self.codes] == labels[self.own], dtype=bool)

    def labels(self, which: Flags) -> list[str]:
        """Return labels of some categories just below the common one, most records first."""
        hierarchy = self.attribute.hierarchy
        level = max(hierarchy.lca_level(self.codes.tolist()) - 1, 0)
        numbers = hierarchy.maps[level][self.codes[which]]
        records = np.bincount(numbers, weights=self.counts[which])
        order = np.argsort(-records, kind="stable")
        return [hierarchy.labels[level][i] for i in order.tolist() if records[i]]

    def cut_text(self, place: int) -> str:
        """Return a cut in words.

        After the value at this place, or around the record's own label.
        """
        if not self.attribute.ordered:
            near = self.near()
            return f"{short_list(self.labels(near))} | {short_list(self.labels(~near))}"
        below, above = self.texts(self.codes[place : place + 2])
        return f"{shortened(below)} | {shortened(above)}"


@dataclass(frozen=True)
class Cut:
    """The class of a record in two parts."""

    own: int
    """Records on the side of the record in question."""
    rest: int
    text: str
    """Where: `39 | 52`, or `Midwest | South, West`."""
    figures: tuple[float, ...] = ()
    """Per requirement the figure of the side that is worse."""
    lacks: tuple[ColumnRequirement, ...] = ()
    """What a side misses of the requirements."""
    lacking: int = 0
    """Records on sides that miss something."""

    @property
    def largest_k(self) -> int:
        """The largest k that both sides can hold."""
        return min(self.own, self.rest)

    @property
    def leaves(self) -> str:
        """A clause on the records that the cut leaves on either side."""
        return f"a cut at {self.text} leaves {self.own:,} and {count_of(self.rest, 'record')}"


def forbidden_cuts(
    cuts: Sequence[Cut], requirements: Sequence[ColumnRequirement], k: int
) -> list[tuple[ColumnRequirement | None, Cut]]:
    """Return cuts that k would allow, where what is required allows none.

    Per requirement the cut for which it would have to give way least, if it is the only one
    that is missed there; else the cut with fewest records on sides that miss something.
    """
    large = [cut for cut in cuts if cut.largest_k >= k]
    if not large or not all(cut.lacks for cut in large):
        return []
    found: list[tuple[ColumnRequirement | None, Cut]] = []
    for r, requirement in enumerate(requirements):
        sign = 1 if requirement.model.at_least else -1
        alone = [(sign * cut.figures[r], cut) for cut in large if cut.lacks == (requirement,)]
        if alone:
            nearest = max(alone, key=lambda one: (one[0], one[1].largest_k))
            found.append((requirement, nearest[1]))
    return found or [(None, min(large, key=lambda cut: (cut.lacking, -cut.largest_k)))]
