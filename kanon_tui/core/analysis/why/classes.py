"""Explain a clustering: which values share a class, and where it could be cut.

A class publishes a range, a set or a common label because its records differ. The reason of a cell
is the values that stand furthest from the record's own; the change that would have kept more is a
cut of the class in two. The largest k that allows a cut is the size of its smaller
side; where more than k is required, both sides must keep that as well, or a bound must give way.

Numbers and dates are cut between two neighbouring values, categories around one of the labels just
below the common one. So every class has one cut for each of its *parts* (values or labels): what
lies up to the value, or has the label, is inside. Records whose own cell is suppressed are on
neither side.

Cost: O(cuts · records) for every class, some cuts at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why.reasons import (
    Change,
    Explanation,
    Reasons,
    fault_clause,
    figures_of_groups,
    requirement_change,
)
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.release.class_texts import cell_texts
from kanon_tui.core.table.column import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import count_of, plural, short_list, shortened


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
            distant = ~values.near()
            count = int(values.counts[distant].sum())
            labels = short_list(values.labels(distant))
            return f"{count:,} {of_them} {plural(count, 'is', 'are')} {labels}"
        column = values.attribute.column
        if column.missing in (values.own, values.codes[-1]):
            return f"the value is missing in {int(values.counts[-1]):,} {of_them}"
        distance = np.abs(column.value_numbers[values.codes] - column.value_numbers[values.own])
        far = int(np.argmax(np.where(values.codes == values.own, -1.0, distance)))
        count = int(values.counts[far])
        value = shortened(column.values[values.codes[far]])
        return f"{count:,} {of_them} {plural(count, 'has', 'have')} {value}"

    def _record_facts(self, record: int, x: int) -> tuple[str, ...]:
        values = self._values(record, x)
        cuts = self.cuts(record, x)
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
        elif cuts and all(cut.largest_k < self.k for cut in cuts):
            facts.append(f"No cut of the class leaves k = {self.k:,} records on either side.")
        elif forbidden := forbidden_cuts(cuts, self.task.requirements, self.k):
            cut = forbidden[0][1]
            fault = fault_clause(cut.missed, " or ")
            sentence = f"{cut.leaves}, but {cut.records_missing:,} of them would show {fault}"
            facts.append(f"{sentence[0].upper()}{sentence[1:]}.")
        return tuple(facts)

    def _record_changes(self, record: int, x: int) -> tuple[Change, ...]:
        changes = []
        cuts = self.cuts(record, x)
        possible = [cut for cut in cuts if not cut.missed]
        cut = max(possible, key=lambda cut: cut.largest_k, default=None)
        if cut is not None and cut.largest_k > 1:
            sentence = cut.leaves
            if cut.largest_k < self.k:
                sentence = f"k = {cut.largest_k:,} instead of {self.k:,}: {sentence}"
            else:
                enough = f"enough for k = {self.k:,}{self._requirements_clause}"
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
        values = self._values(record, x)
        published_text = self.published(record, x)
        if not values.mixed or self._own_hidden(record, x) or self._stretches(x) is not None:
            return []
        if values.attribute.ordered:
            ends = (values.codes[0], values.codes[-1])
            staying = [values.codes != end for end in ends if end != values.own]
        else:
            staying = [values.near()]
        changes = []
        for stay in staying:
            suppressed = int(values.counts[~stay].sum())
            codes = values.codes[stay]
            groups = GroupValues.from_records(np.zeros(len(codes), dtype=np.int64), codes, 1)
            text = cell_texts(values.attribute, groups)[0]
            if values.hidden and text != HIDDEN:
                text += HIDDEN
            if text != published_text and self.is_enough(
                self._left(record, x, values.codes[~stay])
            ):
                sentence = (
                    f"{count_of(suppressed, 'record')} of its class suppressed: the other "
                    f"{values.size - suppressed:,} would publish {shortened(text)}"
                )
                changes.append(Change("suppression", suppressed, "", sentence))
        return sorted(changes, key=lambda change: change.value)

    def _left(self, record: int, x: int, gone: Int64s) -> Int64s:
        """Return the records of a class without those that show some values."""
        members = self.members(record)
        leaves = np.isin(self.task.quasi[x].column.codes[members], gone)
        return members[~(leaves & (self.release.shown_classes(x)[members] >= 0))]

    # -- the class of a record

    def cuts(self, record: int, x: int) -> list[Cut]:
        """Return every way to cut the record's class in two on this attribute."""
        values = self._values(record, x)
        if self._own_hidden(record, x) or not values.mixed or self._stretches(x) is not None:
            return []  # stretches are the same for all classes: no class can be cut alone
        members = self._shown(self.members(record), x)
        place = int(np.flatnonzero(members == record)[0])
        class_cuts = []
        for number, cut in enumerate(judged_cuts(self.task, x, members)):
            record_inside = bool(cut.inside[place])
            if values.attribute.ordered or record_inside:
                sizes = (cut.own, cut.rest) if record_inside else (cut.rest, cut.own)
                text = values.cut_text(number)
                class_cuts.append(replace(cut, own=sizes[0], rest=sizes[1], text=text))
        return class_cuts

    def _values(self, record: int, x: int) -> ClassValues:
        attribute = self.task.quasi[x]
        codes, counts = np.unique(self._group_codes(record, x), return_counts=True)
        record_code = int(attribute.column.codes[record])
        size = len(self.members(record))
        return ClassValues(
            attribute, record_code, codes.astype(np.int64), counts.astype(np.int64), size
        )

    def _group_codes(self, record: int, x: int) -> npt.NDArray[np.integer]:
        return self.task.quasi[x].column.codes[self._shown(self.members(record), x)]

    def _shown(self, members: Int64s, x: int) -> Int64s:
        """Return the records of a class whose own cell is not suppressed."""
        return members[self.release.shown_classes(x)[members] >= 0]

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
        class_stretches = np.unique(stretches[self._group_codes(record, x)])
        return len(class_stretches) == 1 and int((stretches == class_stretches[0]).sum()) > 1

    def _own_hidden(self, record: int, x: int) -> bool:
        return bool(self.release.shown_classes(x)[record] < 0)

    # -- an attribute

    def of_attribute(self, x: int) -> Explanation:
        """Return how many classes agree on an attribute, and how many could be cut further."""
        attribute = self.task.quasi[x]
        classes = self.release.class_sizes
        shown = self.release.shown_classes(x)
        cells = CellGroups.of_classes(attribute, shown, classes)
        mixed = cells.values.distinct > 1
        facts = [
            f"{int((~mixed).sum()):,} of {len(classes):,} classes agree on {attribute.name}; "
            f"{int(mixed.sum()):,} mix values."
        ]
        if not mixed.any():
            return Explanation(self._attribute_question(attribute), "", tuple(facts))
        widest = int(np.argmax(np.where(mixed, cells.span, -1)))
        record = int(np.flatnonzero(self.release.classes == widest)[0])
        facts.append(
            f"The widest publishes {shortened(self.published(record, x))} for "
            f"{count_of(int(classes[widest]), 'record')} of "
            f"{int(cells.values.distinct[widest]):,} values."
        )
        counts = np.bincount(shown + 1, minlength=len(classes) + 1)
        every = np.split(np.argsort(shown, kind="stable"), np.cumsum(counts)[:-1])
        cuts = [
            judged_cuts(self.task, x, members)
            for members, several in zip(every[1:], mixed, strict=True)
            if several
        ]
        best = [
            max((c.largest_k for c in class_cuts if not c.missed), default=0) for class_cuts in cuts
        ]
        free = sum(size >= self.k for size in best)
        required = " with all that is required" if self.task.requirements else ""
        because = (
            f"in {len(cuts) - free:,} of {len(classes):,} classes no cut on {attribute.name} "
            f"leaves {self.k:,} records{required} on either side"
        )
        if free == len(cuts):
            because = f"{self.result.algorithm.name} did not take the cuts that are possible"
        if free:
            facts.append(
                f"{count_of(free, 'class', 'classes')} could be cut on {attribute.name} alone and "
                f"keep k{self._requirements_clause}."
            )
        if (
            barred := sum(any(c.largest_k >= self.k for c in class_cuts) for class_cuts in cuts)
            - free
        ):
            facts.append(
                f"{count_of(barred, 'class', 'classes')} could be cut on {attribute.name} for k "
                f"alone, but a side would miss what is required beyond it."
            )
        changes = (*self._smaller_k(best), *self._looser(cuts, best))
        return Explanation(self._attribute_question(attribute), because, tuple(facts), changes)

    def _smaller_k(self, best: Sequence[int]) -> Iterator[Change]:
        """Yield the largest smaller k that allows another cut; `best` has the classes' best."""
        smaller = [size for size in best if 1 < size < self.k]
        if smaller:
            more = count_of(smaller.count(max(smaller)), "more class", "more classes")
            sentence = f"k = {max(smaller):,} instead of {self.k:,}: {more} could be cut on it"
            yield Change("k", max(smaller), "", sentence)

    def _looser(self, cuts: Sequence[Sequence[Cut]], best: Sequence[int]) -> Iterator[Change]:
        """Yield per requirement the nearest bound that allows another class to be cut."""
        for r, requirement in enumerate(self.task.requirements):
            model = requirement.model
            bounds = [
                {
                    float(model.kept_by(cut.figures[r]))
                    for cut in class_cuts
                    if cut.largest_k >= self.k and cut.missed == (requirement,)
                }
                for class_cuts, size in zip(cuts, best, strict=True)
                if size < self.k
            ]
            every = set().union(*bounds)
            if every:
                nearest = max(every) if model.at_least else min(every)
                more = sum(nearest in class_bounds for class_bounds in bounds)
                gain = f"{count_of(more, 'more class', 'more classes')} could be cut on it"
                yield requirement_change(requirement, nearest, gain)

    # -- a suppressed record

    noun = "group"
    shared = "its MAGVals"
    left_over = "{algorithm} found no class for it"

    def _with_others(self, record: int, x: int, other_records: Int64s) -> Iterator[Change]:
        if len(self.task.quasi) > 1 and self.is_enough(other_records):
            gain = f"{count_of(len(other_records), 'record')} would share its MAGVals"
            if self.task.requirements:
                gain += " and keep what is required"
            yield self._raised(x, self.task.quasi[x].hierarchy.height, gain)

    def _alike(self, record: int) -> Flags:
        """Return records × attributes: whether the MAGVal is this record's."""
        alike = []
        for x, attribute in enumerate(self.task.quasi):
            levels = attribute.hierarchy.mark_levels[attribute.column.codes]
            record_level = int(levels[record])
            alike.append(self.like(record, x, record_level) & (levels == record_level))
        return np.column_stack(alike)


_PAIRS_AT_A_TIME = 2_000_000
"""The most (cut, record) pairs that are judged together."""


def cut_sides(attribute: QuasiIdentifier, codes: npt.NDArray[np.integer]) -> Flags:
    """Return cuts × records: whether a record of a class lies inside a cut."""
    parts: npt.NDArray[np.integer] = codes
    if not attribute.ordered:
        level = attribute.hierarchy.lca_level(np.unique(codes).tolist()) - 1
        parts = attribute.hierarchy.maps[max(level, 0)][codes]
    values = np.unique(parts)[:, None]
    if len(values) < 2:
        return np.zeros((0, len(codes)), dtype=bool)
    return np.asarray(parts <= values[:-1] if attribute.ordered else parts == values)


def judged_cuts(task: Task, x: int, members: Int64s) -> list[Cut]:
    """Return every cut of a class on an attribute, with the figures of the sides."""
    sides = cut_sides(task.quasi[x], task.quasi[x].column.codes[members])
    step = max(1, _PAIRS_AT_A_TIME // max(1, len(members)))
    return [
        cut
        for start in range(0, len(sides), step)
        for cut in _judged(sides[start : start + step], task.requirements, members)
    ]


def _judged(
    sides: Flags, requirements: Sequence[ColumnRequirement], members: Int64s
) -> Iterator[Cut]:
    sizes = np.column_stack([sides.sum(axis=1), (~sides).sum(axis=1)])
    side = (2 * np.arange(len(sides))[:, None] + ~sides).ravel()
    figures = figures_of_groups(requirements, side, sizes.size, np.tile(members, len(sides)))
    for i, (inside, outside) in enumerate(sizes.tolist()):
        both_sides = slice(2 * i, 2 * i + 2)
        missed = np.array(
            [group_figures.missed[both_sides] for group_figures in figures], dtype=bool
        ).reshape(-1, 2)
        yield Cut(
            inside,
            outside,
            "",
            tuple(
                group_figures.requirement.model.worst(group_figures.figures[both_sides])
                for group_figures in figures
            ),
            tuple(
                group_figures.requirement
                for group_figures in figures
                if group_figures.missed[both_sides].any()
            ),
            int(sizes[i][missed.any(axis=0)].sum()),
            sides[i],
        )


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
    """The place of the cut: `39 | 52`, or `Midwest | South, West`."""
    figures: tuple[float, ...] = ()
    """Per requirement the figure of the side that is worse."""
    missed: tuple[ColumnRequirement, ...] = ()
    """The requirements that a side misses."""
    records_missing: int = 0
    """Records on sides that miss something."""
    inside: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool), compare=False)
    """Per record of the class whether it lies inside."""

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
    if not large or not all(cut.missed for cut in large):
        return []
    forbidden: list[tuple[ColumnRequirement | None, Cut]] = []
    for r, requirement in enumerate(requirements):
        sign = 1 if requirement.model.at_least else -1
        alone = [(sign * cut.figures[r], cut) for cut in large if cut.missed == (requirement,)]
        if alone:
            nearest = max(
                alone, key=lambda figure_and_cut: (figure_and_cut[0], figure_and_cut[1].largest_k)
            )
            forbidden.append((requirement, nearest[1]))
    return forbidden or [(None, min(large, key=lambda cut: (cut.records_missing, -cut.largest_k)))]
