"""Reasons of a clustering: which values share a class, and where it could be cut.

A class publishes a range, a set or a common label because its records differ. The reason of a cell
is the values that stand furthest from the record's own; the change that would have kept more is a
cut of the class in two. A number or date is cut between two neighbouring values, a category
between the labels just below the common one. The largest k that allows a cut is the size of its
smaller side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.why import Change, Reasons, Why, few, records_text, short
from kanon_tui.core.group_values import GroupValues
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.recode import cell_texts
from kanon_tui.core.task import QuasiIdentifier

__all__ = ["ClassReasons", "Cut", "best_cuts"]

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Cut:
    """A class in two parts."""

    own: int
    """Records on the side of the record in question."""
    rest: int
    text: str
    """Where: `39 | 52`, or `Midwest | South, West`."""

    @property
    def largest_k(self) -> int:
        """The largest k that both sides can hold."""
        return min(self.own, self.rest)


@dataclass(frozen=True, eq=False)
class Held:
    """What a record's class shows of one attribute."""

    attribute: QuasiIdentifier
    own: int
    """The record's own value."""
    codes: Ints
    """The distinct values, rising."""
    counts: Ints
    """Records per value."""
    size: int
    """Records of the class, those with a suppressed cell included."""

    @property
    def mixed(self) -> bool:
        """Whether there is more than one value."""
        return len(self.codes) > 1

    def names(self, codes: Ints) -> list[str]:
        """Texts of values."""
        return [self.attribute.column.values[code] for code in codes.tolist()]

    def near(self) -> Flags:
        """Categories: which values have the record's label just below the common one."""
        hierarchy = self.attribute.hierarchy
        labels = hierarchy.maps[max(hierarchy.lca_level(self.codes.tolist()) - 1, 0)]
        return np.asarray(labels[self.codes] == labels[self.own], dtype=bool)

    def labels(self, which: Flags) -> list[str]:
        """Categories: labels of some values just below the common one, most records first."""
        hierarchy = self.attribute.hierarchy
        level = max(hierarchy.lca_level(self.codes.tolist()) - 1, 0)
        numbers = hierarchy.maps[level][self.codes[which]]
        records = np.bincount(numbers, weights=self.counts[which])
        order = np.argsort(-records, kind="stable")
        return [hierarchy.labels[level][i] for i in order.tolist() if records[i]]


class ClassReasons(Reasons):
    """Answers by looking into the record's class."""

    # -- a cell

    def because(self, record: int, x: int) -> str:
        """Who in the class is furthest from this record."""
        if self._own_hidden(record, x):
            return "its own cell was suppressed, so that the others of its class keep more detail"
        held = self._held(record, x)
        if not held.mixed:
            return ""
        of_them = f"of the {records_text(held.size)} of its class"
        if not held.attribute.ordered:
            other = ~held.near()
            count = int(held.counts[other].sum())
            return f"{count:,} {of_them} {'is' if count == 1 else 'are'} {few(held.labels(other))}"
        column = held.attribute.column
        if column.missing in (held.own, held.codes[-1]):
            return f"the value is missing in {int(held.counts[-1]):,} {of_them}"
        assert column.numbers is not None
        distance = np.abs(column.numbers[held.codes] - column.numbers[held.own])
        far = int(np.argmax(np.where(held.codes == held.own, -1.0, distance)))
        count = int(held.counts[far])
        value = short(column.values[held.codes[far]])
        return f"{count:,} {of_them} {'has' if count == 1 else 'have'} {value}"

    def _record_facts(self, record: int, x: int) -> tuple[str, ...]:
        held = self._held(record, x)
        pairs = zip(held.names(held.codes), held.counts.tolist(), strict=True)
        listed = few([f"{short(value)} ({count:,})" for value, count in pairs], 12)
        facts = [f"Its class has {records_text(held.size)}; {held.attribute.name}: {listed}."]
        if not held.mixed:
            facts.append("They agree, so that the value is published as it is.")
        elif all(cut.largest_k < 2 for cut in self.cuts(record, x)):
            facts.append("No cut of the class leaves two records or more on either side.")
        return tuple(facts)

    def _record_changes(self, record: int, x: int) -> tuple[Change, ...]:
        changes = []
        cut = max(self.cuts(record, x), key=lambda cut: cut.largest_k, default=None)
        if cut is not None and cut.largest_k > 1:
            told = f"a cut at {cut.text} leaves {cut.own:,} and {cut.rest:,} records"
            if cut.largest_k < self.k:
                told = f"k = {cut.largest_k:,} instead of {self.k:,}: {told}"
            else:
                told += f", enough for k = {self.k:,}; {self.result.algorithm.name} did not take it"
            changes.append(Change("k", min(cut.largest_k, self.k), "", told))
        return (*changes, *self._without_others(record, x))

    def _without_others(self, record: int, x: int) -> list[Change]:
        """Finer cells by suppressing others of the class, where k records are left."""
        held, now = self._held(record, x), self.published(record, x)
        if not held.mixed or self._own_hidden(record, x):
            return []
        if held.attribute.ordered:
            ends = (held.codes[0], held.codes[-1])
            kept = [held.codes != end for end in ends if end != held.own]
        else:
            kept = [held.near()]
        found = []
        for stay in kept:
            gone = int(held.counts[~stay].sum())
            codes = held.codes[stay]
            groups = GroupValues.of(np.zeros(len(codes), dtype=np.int64), codes, 1)
            text = cell_texts(held.attribute, groups)[0]
            if held.size - gone >= self.k and text != now:
                told = (
                    f"{records_text(gone)} of its class suppressed: the other "
                    f"{held.size - gone:,} would publish {short(text)}"
                )
                found.append(Change("suppression", gone, "", told))
        return sorted(found, key=lambda change: change.value)

    # -- the class of a record

    def cuts(self, record: int, x: int) -> list[Cut]:
        """Every way to cut the record's class in two on this attribute."""
        if self._own_hidden(record, x):
            return []
        held = self._held(record, x)
        return list(_cuts(held)) if held.mixed else []

    def _held(self, record: int, x: int) -> Held:
        attribute = self.task.quasi[x]
        codes, counts = np.unique(self._group_codes(record, x), return_counts=True)
        own, size = int(attribute.column.codes[record]), len(self.members(record))
        return Held(attribute, own, codes.astype(np.int64), counts.astype(np.int64), size)

    def _group_codes(self, record: int, x: int) -> npt.NDArray[np.integer]:
        members = self.members(record)
        singly = self.result.grouping.suppressed_cells
        if singly is not None:
            members = members[~singly[members, x]]
        return self.task.quasi[x].column.codes[members]

    def _own_hidden(self, record: int, x: int) -> bool:
        singly = self.result.grouping.suppressed_cells
        return singly is not None and bool(singly[record, x])

    # -- an attribute

    def of_attribute(self, x: int) -> Why:
        """How many classes agree on it, and how many could be cut further."""
        attribute, sizes = self.task.quasi[x], self.release.class_sizes
        singly = self.result.grouping.suppressed_cells
        hidden = None if singly is None else singly[:, x]
        cells = CellGroups.of_classes(attribute, self.release.classes, sizes, hidden)
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
            f"The widest publishes {short(self.published(record, x))} for "
            f"{records_text(int(sizes[widest]))} of {int(cells.values.distinct[widest]):,} values."
        )
        best = best_cuts(cells)
        free = int((best >= self.k).sum())
        because = (
            f"in {int(mixed.sum()) - free:,} of {len(sizes):,} classes no cut on {attribute.name} "
            f"leaves {self.k:,} records on either side"
        )
        if free:
            facts.append(f"{free:,} classes could be cut on {attribute.name} alone and keep k.")
        changes = []
        smaller = best[(best < self.k) & (best > 1)]
        if len(smaller):
            largest = int(smaller.max())
            more = int((best >= largest).sum()) - free
            told = (
                f"k = {largest:,} instead of {self.k:,}: {more:,} more classes could be cut on it"
            )
            changes.append(Change("k", largest, "", told))
        return Why(self._attribute_question(attribute), because, tuple(facts), tuple(changes))

    # -- a suppressed record

    def of_suppressed(self, record: int) -> Why:
        """Too few share its MAGVals, or the algorithm let it go."""
        suppressed = int(self.release.suppressed.sum())
        facts = (f"{suppressed:,} of {self.task.n:,} records are suppressed.",)
        alike = np.ones(self.task.n, dtype=bool)
        for attribute in self.task.quasi:
            hierarchy, codes = attribute.hierarchy, attribute.column.codes
            if hierarchy.marks:
                level = int(hierarchy.mark_levels[codes[record]])
                labels = hierarchy.maps[level]
                same = (labels == labels[codes[record]]) & (hierarchy.mark_levels == level)
                alike &= same[codes]
        count = int(alike.sum())
        if count >= self.k:
            because = f"{self.result.algorithm.name} found no class for it"
            return Why(self._suppressed_question(), because, facts)
        alone = "no other record shares" if count == 1 else f"only {records_text(count)} share"
        because = f"{alone} its MAGVals, and k is {self.k:,}"
        told = f"k = {count:,} instead of {self.k:,}: its group would be large enough"
        changes = (Change("k", count, "", told),) if count > 1 else ()
        return Why(self._suppressed_question(), because, facts, changes)


def _cuts(held: Held) -> Iterator[Cut]:
    total = int(held.counts.sum())
    if not held.attribute.ordered:
        near = held.near()
        inside = int(held.counts[near].sum())
        yield Cut(inside, total - inside, f"{few(held.labels(near))} | {few(held.labels(~near))}")
        return
    values = held.names(held.codes)
    for i, below in enumerate(np.cumsum(held.counts)[:-1].tolist()):
        own, rest = below, total - below
        if held.own > held.codes[i]:
            own, rest = rest, own
        yield Cut(own, rest, f"{short(values[i])} | {short(values[i + 1])}")


def best_cuts(cells: CellGroups) -> Ints:
    """Per class the records on the smaller side of its best cut on this attribute; 0 where none."""
    held, sizes = cells.values, cells.shown
    if cells.attribute.ordered:
        so_far = np.cumsum(held.records)
        side = so_far - (so_far - held.records)[held.starts[held.group]]
    else:
        held = _as_parts(cells)
        side = held.records
    smaller = np.minimum(side, sizes[held.group] - side)
    return np.maximum(held.ends(smaller)[1], 0)


def _as_parts(cells: CellGroups) -> GroupValues:
    """The values of every class by the label just below its lowest common one."""
    held = cells.values
    below = np.maximum(cells.height - 1, 0)[held.group]
    part = np.stack(cells.attribute.hierarchy.maps)[below, held.code].astype(np.int64)
    width = np.int64(part.max(initial=0)) + 1
    pairs, place = np.unique(held.group * width + part, return_inverse=True)
    records = np.bincount(place, weights=held.records).astype(np.int64)
    return GroupValues(held.count, pairs // width, pairs % width, records)
