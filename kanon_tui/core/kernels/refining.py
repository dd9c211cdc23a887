"""Proposals to better a clustering: which classes exchange records, and which are split.

A batch goes on through the classes in order. A class of 2k or more may be split. Otherwise it is
tried with the classes that hold most of the nearest records of its own: their records are shared
out anew, once from the division they have and once from two far-apart seeds, and the pair that
saves most is proposed. A class takes part in one proposal of a batch. Whoever runs this looks at
the proposals, has those carried out that it accepts (`carry_out`) and asks for the next batch.

Pairs that were tried are left alone until one of the two has changed.
"""

from __future__ import annotations

from typing import NamedTuple

from kanon_tui.core.kernels import called_by_kernels, kernel
from kanon_tui.core.kernels.boxes import int64
from kanon_tui.core.kernels.two_classes import (
    HIDDEN_CELL,
    NO_RECORD,
    Costs,
    Sides,
    class_cost,
    fill_sides,
    improve_sides,
    seed_sides,
    shown_extent,
)
from kanon_tui.core.numeric import TIE, Floats, Int32s, Int64s

__all__ = ["Classes", "Limits", "Proposals", "carry_out", "propose"]

NEW_CLASS, NOBODY = -1, -2
"""In place of the other class of a proposal: the class is split; there is no proposal."""


class Classes(NamedTuple):
    """The classes: lists of records, and when something happened to them."""

    of: Int32s  # per record its class
    following: Int32s  # per record the next of its class, NO_RECORD at the end
    head: Int32s  # per class its first record
    size: Int32s  # per class its records; 0: it does not exist yet
    block: Int32s  # per class: only classes of one block exchange records
    changed: Int64s  # per class the first batch since it last changed
    tried: Int64s  # per class the batch from which on it has been tried with all near ones
    busy: Int64s  # per class the batch in which it is part of a proposal
    refused: Int32s  # classes × a few: partners with whom a proposal was refused


class Limits(NamedTuple):
    """How far a batch goes."""

    k: int
    partners: int  # classes that a class is tried with
    records: int  # most records of two classes together
    work: int  # a batch ends when it is done


class Proposals(NamedTuple):
    """Room for the proposals of a batch, one after the other."""

    classes: Int32s  # proposals × the two classes; the second is NEW_CLASS for a split
    ends: Int32s  # proposals: where the records of each end
    record: Int32s
    side: Int32s  # per record 0 or 1
    saved: Floats  # proposals: by how much the cost falls
    extents: Floats  # proposals × attributes: change of records shown · extent
    broken: Floats  # proposals × rules: change of records in classes that break it
    partner: Int32s  # room to choose partners: the classes near one …
    votes: Floats  # … and how near they are
    slot: Int32s  # per class its place among these


@called_by_kernels
def _gather(classes: Classes, type_of: Int32s, sides: Sides, c: int, s: int, begin: int) -> int:
    """Write the records of a class as one side; returns where they end."""
    record = classes.head[c]
    while record != NO_RECORD:
        sides.record[begin], sides.type[begin], sides.side[begin] = record, type_of[record], s
        begin += 1
        record = classes.following[record]
    return begin


@called_by_kernels
def _copy(source: Int32s, target: Int32s, begin: int, count: int) -> None:
    """Write the first numbers of an array to another, from a place on."""
    for i in range(count):
        target[begin + i] = source[i]


@called_by_kernels
def _near_classes(
    classes: Classes, near: Int32s, proposals: Proposals, a: int, limits: Limits
) -> int:
    """The classes of the nearest records, those with most of them first; how many they are."""
    partner, votes, slot = proposals.partner, proposals.votes, proposals.slot
    found = 0
    record = classes.head[a]
    while record != NO_RECORD:
        for j in range(near.shape[1]):
            if near[record, j] < 0:
                continue
            b = classes.of[near[record, j]]
            if b == a or classes.block[b] != classes.block[a]:
                continue
            if slot[b] < 0:
                if found == len(partner) or classes.size[a] + classes.size[b] > limits.records:
                    continue
                slot[b] = found
                partner[found], votes[found] = b, 0.0
                found += 1
            votes[slot[b]] += 1.0 / (1 + j)
        record = classes.following[record]
    for i in range(found):
        slot[partner[i]] = -1
    kept = min(found, limits.partners)
    for i in range(kept):
        best = i
        for j in range(i + 1, found):
            if votes[j] > votes[best] + TIE or (
                votes[j] > votes[best] - TIE and partner[j] < partner[best]
            ):
                best = j
        partner[i], partner[best] = partner[best], partner[i]
        votes[i], votes[best] = votes[best], votes[i]
    return kept


@called_by_kernels
def _measure(
    costs: Costs, sides: Sides, records: int, proposals: Proposals, p: int, sign: int
) -> None:
    """Add or subtract what both sides cost, attribute by attribute and rule by rule."""
    fill_sides(costs, sides, records)
    for s in range(2):
        for x in range(len(costs.rates)):
            proposals.extents[p, x] += sign * shown_extent(
                costs, sides, s, x, HIDDEN_CELL, HIDDEN_CELL
            )
        for r in range(len(costs.rule_rates)):
            if sides.on_rule[s, r, 0] > 0 and sides.on_rule[s, r, 1] > 0:
                proposals.broken[p, r] += sign * sides.size[s]


@called_by_kernels
def _divide(costs: Costs, sides: Sides, records: int, k: int) -> float:
    """Divide one class of 2k records or more in two; by how much the cost falls."""
    fill_sides(costs, sides, records)
    before = class_cost(costs, sides, 0, NO_RECORD, NO_RECORD)
    if before < TIE or not seed_sides(costs, sides, records, k):
        return 0.0
    return before - improve_sides(costs, sides, records, k)


@called_by_kernels
def _share_out(costs: Costs, sides: Sides, records: int, k: int, kept: Int32s, begin: int) -> float:
    """Share the records of two classes out anew; by how much the cost falls.

    The sides are written to `kept`, from a place on.
    """
    fill_sides(costs, sides, records)
    before = class_cost(costs, sides, 0, NO_RECORD, NO_RECORD)
    before += class_cost(costs, sides, 1, NO_RECORD, NO_RECORD)
    if before < TIE:
        return 0.0
    best = improve_sides(costs, sides, records, k)
    _copy(sides.side, kept, begin, records)
    if best > TIE and seed_sides(costs, sides, records, k):
        seeded = improve_sides(costs, sides, records, k)
        if seeded < best - TIE:
            best = seeded
            _copy(sides.side, kept, begin, records)
    return before - best


@called_by_kernels
def _best_change(
    costs: Costs,
    classes: Classes,
    type_of: Int32s,
    near: Int32s,
    sides: Sides,
    proposals: Proposals,
    limits: Limits,
    a: int,
    batch: int,
    kept: Int32s,
) -> tuple[int, float, int]:
    """The other class of the best change of a class, what it saves, and the work.

    The sides of its records are in `kept`, those of the class itself first.
    """
    own = classes.size[a]
    work, best, other = 0, TIE, NOBODY
    if own >= 2 * limits.k and classes.changed[a] > classes.tried[a]:
        records = _gather(classes, type_of, sides, a, 0, 0)
        if not _was_refused(classes, a, NEW_CLASS):
            saved = _divide(costs, sides, records, limits.k)
            work += records * records
            if saved > best:
                _copy(sides.side, kept, 0, records)
                return NEW_CLASS, saved, work
    complete = True
    for i in range(_near_classes(classes, near, proposals, a, limits)):
        b = proposals.partner[i]
        if max(classes.changed[a], classes.changed[b]) <= classes.tried[a]:
            continue
        if classes.busy[b] == batch:
            complete = False
            continue
        if _was_refused(classes, a, b):
            continue
        records = _gather(classes, type_of, sides, a, 0, 0)
        records = _gather(classes, type_of, sides, b, 1, records)
        work += records * records
        saved = _share_out(costs, sides, records, limits.k, kept, limits.records)
        if saved > best + TIE:
            best, other = saved, b
            for j in range(records):
                kept[j] = kept[limits.records + j]
    if other == NOBODY and complete:
        classes.tried[a] = batch
    return other, best, work


@called_by_kernels
def _was_refused(classes: Classes, a: int, b: int) -> bool:
    """Whether a change of a class with another was refused since it last changed."""
    refused = False
    for other in classes.refused[a]:
        refused = refused or other == b
    return refused


@called_by_kernels
def _write(
    classes: Classes, sides: Sides, proposals: Proposals, p: int, a: int, b: int, kept: Int32s
) -> None:
    """Write a proposal down, with as few records as can be on another side than before."""
    begin = proposals.ends[p - 1] if p else 0
    records = classes.size[a] + (classes.size[b] if b >= 0 else 0)
    stay = 0
    for i in range(records):
        stay += kept[i] == sides.side[i]
    flip = b >= 0 and 2 * stay < records
    _copy(sides.record, proposals.record, begin, records)
    for i in range(records):
        proposals.side[begin + i] = 1 - kept[i] if flip else kept[i]
    proposals.classes[p, 0], proposals.classes[p, 1] = a, b
    proposals.ends[p] = begin + records


@kernel
def propose(
    costs: Costs,
    classes: Classes,
    type_of: Int32s,
    near: Int32s,
    sides: Sides,
    proposals: Proposals,
    limits: Limits,
    begin: int,
    batch: int,
    kept: Int32s,
) -> tuple[int, int]:
    """The next batch, from a class on: how many proposals, and the class to go on from."""
    p, work, a = 0, 0, begin
    proposals.extents[:], proposals.broken[:] = 0.0, 0.0
    while a < len(classes.size) and work < limits.work and p < len(proposals.ends):
        filled = proposals.ends[p - 1] if p else 0
        if filled + limits.records > len(proposals.record):
            break
        if 0 < classes.size[a] <= limits.records and classes.busy[a] != batch:
            b, saved, done = _best_change(
                costs, classes, type_of, near, sides, proposals, limits, a, batch, kept
            )
            work += done + classes.size[a]
            if b != NOBODY:
                records = _gather(classes, type_of, sides, a, 0, 0)
                if b >= 0:
                    records = _gather(classes, type_of, sides, b, 1, records)
                    classes.busy[b] = batch
                classes.busy[a] = batch
                _measure(costs, sides, records, proposals, p, -1)
                _write(classes, sides, proposals, p, a, b, kept)
                _copy(kept, sides.side, 0, records)
                _measure(costs, sides, records, proposals, p, 1)
                proposals.saved[p] = saved
                p += 1
        a += 1
    return p, a


@kernel
def carry_out(classes: Classes, proposals: Proposals, p: int, other: int, batch: int) -> None:
    """Give the records of a proposal to its class and the other."""
    a = int64(proposals.classes[p, 0])
    classes.block[other] = classes.block[a]
    classes.size[a], classes.size[other] = 0, 0
    classes.head[a], classes.head[other] = NO_RECORD, NO_RECORD
    begin = proposals.ends[p - 1] if p else 0
    for i in range(proposals.ends[p] - 1, begin - 1, -1):
        record = proposals.record[i]
        c = a if proposals.side[i] == 0 else other
        classes.of[record] = c
        classes.following[record] = classes.head[c]
        classes.head[c] = record
        classes.size[c] += 1
    for c in (a, other):
        classes.changed[c] = batch + 1  # whoever tried it in this batch has not seen this
        classes.refused[c] = NOBODY
