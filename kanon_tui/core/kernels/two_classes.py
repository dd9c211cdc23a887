"""Two classes that share out their records anew, so that together they cost less.

What a class costs is, summed over the attributes, rate · records shown · extent, and for every rule
that it breaks rate · records. With extents of NCP and rates of 1 that is the NCP of its records.

A side knows enough of its records to say at once what it would cost without one and with another:
of numbers and trees the two lowest and the two highest values, of sets how often each value
occurs, of rules how many records stand on either side.

`tests/core/algorithms/twins/refining.py` counts every class anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import called_by_kernels, part_of_kernel
from kanon_tui.core.kernels.box_arrays import KIND, NOTHING, SET, START, Attributes
from kanon_tui.core.kernels.boxes import extent, set_extent
from kanon_tui.core.numeric import TIE, Floats, Int32s

__all__ = ["Costs", "Sides"]

HIDDEN_CELL = -1
"""In place of a value: the cell is hidden and no part of its class's box."""
NO_RECORD = -1
UNDECIDED = 2
"""The side of a record that has none yet."""
LOWEST, SECOND_LOWEST, HIGHEST, SECOND_HIGHEST = range(4)
_SWAPPED = 256  # records of the largest two classes that swap, where 4k is not more


class Costs(NamedTuple):
    """What records are, by *type* (records of one type are alike), and what classes cost."""

    attributes: Attributes
    values: Int32s  # types × attributes: code, or rank in the order of the tree; or HIDDEN_CELL
    rule_sides: Int32s  # types × rules: 1 on the first side, 2 on the second, 0 on none
    rates: Floats  # per attribute: what extent costs a record
    rule_rates: Floats  # per rule: what breaking it costs a record


class Sides(NamedTuple):
    """The records of two classes, and what is known of either side."""

    record: Int32s
    type: Int32s
    side: Int32s  # per record 0, 1 or UNDECIDED
    size: Int32s  # records of either side
    shown: Int32s  # sides × attributes: records whose cell is not hidden
    ends: Int32s  # sides × attributes × LOWEST …
    counts: Int32s  # sides × values of all sets
    distinct: Int32s  # sides × attributes: values of a set
    on_rule: Int32s  # sides × rules × 2
    growth: Floats  # sides × records: what a record would add


@part_of_kernel
def shown_extent(costs: Costs, sides: Sides, s: int, x: int, old: int, new: int) -> float:
    """Records shown · extent of a side along an attribute, without one value and with another."""
    attributes = costs.attributes
    shown = sides.shown[s, x] - (old >= 0) + (new >= 0)
    if attributes.facts[x, KIND] == SET:
        start, count = attributes.facts[x, START], sides.distinct[s, x]
        if old >= 0 and sides.counts[s, start + old] == 1:
            count -= 1
        if new >= 0 and sides.counts[s, start + new] == (old == new):
            count += 1
        return float(shown * set_extent(attributes, x, count))
    low, high = sides.ends[s, x, LOWEST], sides.ends[s, x, HIGHEST]
    if old == low:
        low = sides.ends[s, x, SECOND_LOWEST]
    if old == high:
        high = sides.ends[s, x, SECOND_HIGHEST]
    if new >= 0:
        low, high = min(low, new), max(high, new)
    return float(shown * extent(attributes, x, low, high))


@called_by_kernels
def class_cost(costs: Costs, sides: Sides, s: int, leaves: int, joins: int) -> float:
    """What a side costs without a record of one type and with one of another."""
    values, rule_sides = costs.values, costs.rule_sides
    total = 0.0
    for x in range(len(costs.rates)):
        old = values[leaves, x] if leaves >= 0 else HIDDEN_CELL
        new = values[joins, x] if joins >= 0 else HIDDEN_CELL
        total += costs.rates[x] * shown_extent(costs, sides, s, x, old, new)
    size = sides.size[s] - (leaves >= 0) + (joins >= 0)
    for r in range(len(costs.rule_rates)):
        first, second = sides.on_rule[s, r, 0], sides.on_rule[s, r, 1]
        if leaves >= 0:
            first -= rule_sides[leaves, r] == 1
            second -= rule_sides[leaves, r] == 2
        if joins >= 0:
            first += rule_sides[joins, r] == 1
            second += rule_sides[joins, r] == 2
        if first > 0 and second > 0:
            total += costs.rule_rates[r] * size
    return total


@called_by_kernels
def pair_cost(attributes: Attributes, rates: Floats, row: Int32s, other: Int32s) -> float:
    """What a record of a class of two would cost, rules aside."""
    total = 0.0
    for x in range(len(rates)):
        low, high = min(row[x], other[x]), max(row[x], other[x])
        if low == high or low < 0:
            continue
        if attributes.facts[x, KIND] == SET:
            total += rates[x] * set_extent(attributes, x, 2)
        else:
            total += rates[x] * extent(attributes, x, low, high)
    return total


@called_by_kernels
def _add(costs: Costs, sides: Sides, s: int, type_: int) -> None:
    """A side has one record more."""
    facts = costs.attributes.facts
    sides.size[s] += 1
    for x in range(len(costs.rates)):
        value = costs.values[type_, x]
        if value < 0:
            continue
        sides.shown[s, x] += 1
        if facts[x, KIND] == SET:
            place = facts[x, START] + value
            if sides.counts[s, place] == 0:
                sides.distinct[s, x] += 1
            sides.counts[s, place] += 1
            continue
        ends = sides.ends[s, x]
        if value < ends[LOWEST]:
            ends[SECOND_LOWEST], ends[LOWEST] = ends[LOWEST], value
        elif value < ends[SECOND_LOWEST]:
            ends[SECOND_LOWEST] = value
        if value > ends[HIGHEST]:
            ends[SECOND_HIGHEST], ends[HIGHEST] = ends[HIGHEST], value
        elif value > ends[SECOND_HIGHEST]:
            ends[SECOND_HIGHEST] = value
    for r in range(len(costs.rule_rates)):
        which = costs.rule_sides[type_, r]
        if which > 0:
            sides.on_rule[s, r, which - 1] += 1


@called_by_kernels
def fill_sides(costs: Costs, sides: Sides, records: int) -> None:
    """Count both sides from the side that every record has."""
    facts = costs.attributes.facts
    sides.size[:], sides.shown[:], sides.distinct[:], sides.on_rule[:] = 0, 0, 0, 0
    for x in range(len(costs.rates)):
        for s in range(2):
            sides.ends[s, x, LOWEST], sides.ends[s, x, SECOND_LOWEST] = NOTHING, NOTHING
            sides.ends[s, x, HIGHEST], sides.ends[s, x, SECOND_HIGHEST] = -1, -1
        if facts[x, KIND] == SET:  # only values that occur here can have been counted before
            for i in range(records):
                value = costs.values[sides.type[i], x]
                if value >= 0:
                    sides.counts[0, facts[x, START] + value] = 0
                    sides.counts[1, facts[x, START] + value] = 0
    for i in range(records):
        if sides.side[i] != UNDECIDED:
            _add(costs, sides, sides.side[i], sides.type[i])


@called_by_kernels
def _furthest(costs: Costs, sides: Sides, records: int, origin: int) -> int:
    """The first of the records that are furthest from one."""
    values, attributes, rates = costs.values, costs.attributes, costs.rates
    best, found = TIE, origin
    for i in range(records):
        away = pair_cost(attributes, rates, values[sides.type[i]], values[sides.type[origin]])
        if away > best + TIE:
            best, found = away, i
    return found


@called_by_kernels
def _measure_growth(costs: Costs, sides: Sides, s: int, records: int) -> None:
    """What every record that has no side yet would add to a side."""
    now = class_cost(costs, sides, s, NO_RECORD, NO_RECORD)
    for i in range(records):
        if sides.side[i] == UNDECIDED:
            sides.growth[s, i] = class_cost(costs, sides, s, NO_RECORD, sides.type[i]) - now


@called_by_kernels
def seed_sides(costs: Costs, sides: Sides, records: int, k: int) -> bool:
    """Divide the records around two that are far apart; False where they are all alike.

    While a side has fewer than k, the record joins that adds least to such a side. The others
    follow in order, each to the side to which it adds less.
    """
    one = _furthest(costs, sides, records, 0)
    other = _furthest(costs, sides, records, one)
    if one == other:
        return False
    side, growth = sides.side, sides.growth
    side[:records] = UNDECIDED
    side[min(one, other)], side[max(one, other)] = 0, 1
    fill_sides(costs, sides, records)
    _measure_growth(costs, sides, 0, records)
    _measure_growth(costs, sides, 1, records)
    while min(sides.size[0], sides.size[1]) < k:
        least, chosen, into = np.inf, -1, 0
        for s in range(2):
            for i in range(records if sides.size[s] < k else 0):
                if side[i] == UNDECIDED and growth[s, i] < least - TIE:
                    least, chosen, into = growth[s, i], i, s
        side[chosen] = into
        _add(costs, sides, into, sides.type[chosen])
        _measure_growth(costs, sides, into, records)
    for i in range(records):
        if side[i] == UNDECIDED:
            for s in range(2):
                now = class_cost(costs, sides, s, NO_RECORD, NO_RECORD)
                growth[s, i] = class_cost(costs, sides, s, NO_RECORD, sides.type[i]) - now
            side[i] = growth[1, i] < growth[0, i] - TIE
            _add(costs, sides, side[i], sides.type[i])
    return True


@called_by_kernels
def improve_sides(costs: Costs, sides: Sides, records: int, k: int) -> float:
    """Move and swap records while that lowers the cost, the best first; what both cost then."""
    side, types = sides.side, sides.type
    swaps = records <= max(_SWAPPED, 4 * k)
    while True:
        fill_sides(costs, sides, records)
        now = class_cost(costs, sides, 0, NO_RECORD, NO_RECORD)
        now += class_cost(costs, sides, 1, NO_RECORD, NO_RECORD)
        least, moves, swapped = now, -1, -1
        for i in range(records if now > TIE else 0):
            s = side[i]
            if sides.size[s] > k:
                cost = class_cost(costs, sides, s, types[i], NO_RECORD)
                if cost < least - TIE:
                    cost += class_cost(costs, sides, 1 - s, NO_RECORD, types[i])
                if cost < least - TIE:
                    least, moves, swapped = cost, i, -1
            if s == 1 or not swaps:
                continue
            narrows = _narrows(costs, sides, 0, types[i])
            for j in range(records):
                if side[j] == 0 or types[i] == types[j]:
                    continue
                if not narrows and not _narrows(costs, sides, 1, types[j]):
                    continue
                cost = class_cost(costs, sides, 0, types[i], types[j])
                if cost < least - TIE:
                    cost += class_cost(costs, sides, 1, types[j], types[i])
                if cost < least - TIE:
                    least, moves, swapped = cost, i, j
        if moves < 0:
            return now
        side[moves] = 1 - side[moves]
        if swapped >= 0:
            side[swapped] = 1 - side[swapped]


@called_by_kernels
def _narrows(costs: Costs, sides: Sides, s: int, type_: int) -> bool:
    """Whether a side may be narrower without a record: a swap of two others gains nothing."""
    for x in range(len(costs.rates)):
        value = costs.values[type_, x]
        if value < 0:
            continue
        if costs.attributes.facts[x, KIND] == SET:
            if sides.counts[s, costs.attributes.facts[x, START] + value] == 1:
                return True
        else:
            ends = sides.ends
            if value == ends[s, x, LOWEST] and value != ends[s, x, SECOND_LOWEST]:
                return True
            if value == ends[s, x, HIGHEST] and value != ends[s, x, SECOND_HIGHEST]:
                return True
    for r in range(len(costs.rule_rates)):
        which = costs.rule_sides[type_, r]
        if which > 0 and sides.on_rule[s, r, which - 1] == 1:
            return True
    return False
