"""Split a group of records in two around a far-apart pair, and each part again.

Groups are runs of consecutive distinct rows in `order`, rising inside each run. Open groups wait on
a stack, the first side of a split on top. A split costs O(rows · attributes · (rounds + k)): the
rounds look for the pair, and a side left with fewer than k records takes rows from the other one
by one.

While a group is divided its two boxes are tables of lowest and highest value per attribute (a set
has its number of values as the highest) and flags of the values that its sets have.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.boxes import KIND, SET, START, AttributeArrays
from kanon_tui.core.kernels import Flags, Floats, Ints, Longs, kernel
from kanon_tui.core.kernels.boxes import extent, set_extent, uncounted
from kanon_tui.core.kernels.trials import TIE

__all__ = ["CLOSED", "SPLIT", "group_extent", "split_groups"]

CLOSED, SPLIT = 0, 1
_ROWS_PER_CALL = 1_000_000  # a call that has passed over so many rows returns


@uncounted
def _apart(
    facts: Longs, prices: Floats, line: Floats, nodes: Ints, rows: Ints, i: int, j: int
) -> float:
    """Extent of the box around two distinct rows."""
    total = 0.0
    for x in range(rows.shape[1]):
        low, high = min(rows[i, x], rows[j, x]), max(rows[i, x], rows[j, x])
        if low == high:
            continue
        if facts[x, KIND] == SET:
            total += set_extent(prices, x, 2)
        else:
            total += extent(facts, prices, line, nodes, x, low, high)
    return total


@uncounted
def _first_of_most(amounts: Floats) -> int:
    """The first of the largest, as far as rounding can tell."""
    most = -np.inf
    for amount in amounts:
        most = max(most, amount)
    i = 0
    while amounts[i] < most - TIE:
        i += 1
    return i


@uncounted
def _growth(
    facts: Longs,
    prices: Floats,
    line: Floats,
    nodes: Ints,
    rows: Ints,
    low: Ints,
    high: Ints,
    present: Flags,
    side: int,
    row: int,
) -> float:
    """By how much the box of a side grows when it takes a row."""
    total = 0.0
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            if not present[side, facts[x, START] + value]:
                count = high[side, x]
                total += set_extent(prices, x, count + 1) - set_extent(prices, x, count)
        elif value < low[side, x] or value > high[side, x]:
            wider_low, wider_high = min(low[side, x], value), max(high[side, x], value)
            total += extent(facts, prices, line, nodes, x, wider_low, wider_high)
            total -= extent(facts, prices, line, nodes, x, low[side, x], high[side, x])
    return total


@uncounted
def _take(
    facts: Longs,
    rows: Ints,
    low: Ints,
    high: Ints,
    present: Flags,
    side: int,
    row: int,
    begin: bool,
) -> None:
    """Widen the box of a side so that it covers a row, or begin a box with it."""
    for x in range(rows.shape[1]):
        value = rows[row, x]
        if facts[x, KIND] == SET:
            if begin:
                high[side, x] = 0
            if not present[side, facts[x, START] + value]:
                present[side, facts[x, START] + value] = True
                high[side, x] += 1
        elif begin:
            low[side, x], high[side, x] = value, value
        else:
            low[side, x], high[side, x] = min(low[side, x], value), max(high[side, x], value)


@uncounted
def _forget(facts: Longs, rows: Ints, members: Ints, present: Flags) -> None:
    """Clear the flags of the values of these rows, so that the next boxes begin with none."""
    for x in range(rows.shape[1]):
        if facts[x, KIND] == SET:
            for row in members:
                present[0, facts[x, START] + rows[row, x]] = False
                present[1, facts[x, START] + rows[row, x]] = False


@kernel
def group_extent(attributes: AttributeArrays, rows: Ints, members: Ints, present: Flags) -> float:
    """Extent of the box around some distinct rows."""
    facts, prices, line, nodes, _ = attributes
    low = np.zeros((1, rows.shape[1]), dtype=np.int32)
    high = np.zeros((1, rows.shape[1]), dtype=np.int32)
    for i in range(len(members)):
        _take(facts, rows, low, high, present, 0, members[i], i == 0)
    total = 0.0
    for x in range(rows.shape[1]):
        if facts[x, KIND] == SET:
            total += set_extent(prices, x, high[0, x])
        else:
            total += extent(facts, prices, line, nodes, x, low[0, x], high[0, x])
    _forget(facts, rows, members, present)
    return total


@kernel
def _far_pair(
    attributes: AttributeArrays, rows: Ints, members: Ints, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart."""
    facts, prices, line, nodes, _ = attributes
    here, there = start, start
    distances = np.zeros(len(members))
    for _ in range(rounds):
        here = there
        for i in range(len(members)):
            distances[i] = _apart(facts, prices, line, nodes, rows, members[here], members[i])
        there = _first_of_most(distances)
    return min(here, there), max(here, there), distances[there]


@uncounted
def _cost(grows: float, extent: float, size: int, count: int, per_record: bool) -> float:
    """What it costs when a box of so many records grows to take some more."""
    if per_record:
        return (size + count) * (extent + grows) - size * extent
    return grows


@kernel
def _assign(
    attributes: AttributeArrays,
    rows: Ints,
    counts: Ints,
    members: Ints,
    first: int,
    second: int,
    k: int,
    per_record: bool,
    present: Flags,
    side: Ints,
) -> bool:
    """Give every row to the seed whose box grows less, then see to it that both sides have k.

    Per record, the box of a side counts once for every record in it.
    """
    facts, prices, line, nodes, _ = attributes
    low = np.zeros((2, rows.shape[1]), dtype=np.int32)
    high = np.zeros((2, rows.shape[1]), dtype=np.int32)
    sizes = np.zeros(2, dtype=np.int64)
    extents = np.zeros(2)
    _take(facts, rows, low, high, present, 0, members[first], True)
    _take(facts, rows, low, high, present, 1, members[second], True)
    sizes[0], sizes[1] = counts[members[first]], counts[members[second]]
    side[first], side[second] = 0, 1
    for i in range(len(members)):
        if i in (first, second):
            continue
        row, count = members[i], counts[members[i]]
        one = _growth(facts, prices, line, nodes, rows, low, high, present, 0, row)
        other = _growth(facts, prices, line, nodes, rows, low, high, present, 1, row)
        cost_one = _cost(one, extents[0], sizes[0], count, per_record)
        cost_other = _cost(other, extents[1], sizes[1], count, per_record)
        to = 0 if cost_one <= cost_other + TIE else 1
        _take(facts, rows, low, high, present, to, row, False)
        extents[to] += one if to == 0 else other
        sizes[to] += count
        side[i] = to
    poor = 0 if sizes[0] < sizes[1] else 1
    rich = 1 - poor
    gains = np.zeros(len(members))
    enough = True
    while enough and sizes[poor] < k:
        for i in range(len(members)):
            gains[i] = -np.inf
            row, count = members[i], counts[members[i]]
            if side[i] == rich and sizes[rich] - count >= k:
                grows = _growth(facts, prices, line, nodes, rows, low, high, present, poor, row)
                gains[i] = -_cost(grows, extents[poor], sizes[poor], count, per_record)
        i = _first_of_most(gains)
        enough = gains[i] > -np.inf
        if enough:
            side[i] = poor
            row = members[i]
            extents[poor] += _growth(
                facts, prices, line, nodes, rows, low, high, present, poor, row
            )
            _take(facts, rows, low, high, present, poor, members[i], False)
            sizes[poor] += counts[members[i]]
            sizes[rich] -= counts[members[i]]
    _forget(facts, rows, members, present)
    return enough


@kernel
def split_groups(
    attributes: AttributeArrays,
    rows: Ints,
    counts: Ints,
    order: Ints,
    stack: Longs,
    extents: Floats,
    depth: int,
    draws: Floats,
    k: int,
    rounds: int,
    per_record: bool,
    decisions: int,
    present: Flags,
    begins: Flags,
    event: Longs,
) -> tuple[int, int, int, int, float]:
    """Make up to `decisions` decisions: split the group on top of the stack, or close it.

    Returns the new depth of the stack, decisions made, splits made, draws used, and by how much
    records · extent fell. `stack` holds begin, end and records of the open groups, `extents` their
    extents; `draws` pick the row from which the far-apart pair is looked for. `event` tells the
    last decision: CLOSED or SPLIT, begin, begin of the second side, end; `begins` marks where
    closed groups begin.
    """
    made, splits, used, passed = 0, 0, 0, 0
    saved = 0.0
    while depth > 0 and made < decisions and passed < _ROWS_PER_CALL:
        made += 1
        begin, end, size = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
        event[0], event[1], event[2], event[3] = CLOSED, begin, end, end
        members = order[begin:end].copy()
        side = np.zeros(len(members), dtype=np.int32)
        can = size >= 2 * k and len(members) > 1
        if can:
            start = int(draws[used] * len(members))
            used += 1
            passed += len(members)
            first, second, distance = _far_pair(attributes, rows, members, start, rounds)
            can = distance > TIE and _assign(
                attributes, rows, counts, members, first, second, k, per_record, present, side
            )
        if not can:
            begins[begin] = True
            depth -= 1
            continue
        middle = begin
        for to in range(2):
            for i in range(len(members)):
                if side[i] == to:
                    order[middle] = members[i]
                    middle += 1
            if to == 0:
                event[0], event[2] = SPLIT, middle
        saved += size * extents[depth - 1]
        stack[depth, 0], stack[depth, 1], stack[depth - 1, 0] = begin, event[2], event[2]
        depth += 1
        splits += 1
        for level in range(depth - 2, depth):
            part = order[stack[level, 0] : stack[level, 1]]
            stack[level, 2] = counts[part].sum()
            extents[level] = group_extent(attributes, rows, part, present)
            saved -= stack[level, 2] * extents[level]
    return depth, made, splits, used, saved
