"""Mondrian's inner loop: measure a part of the table, find its cut, divide it, repeat.

The table of ranks is reordered in place, so that every part is a run of consecutive rows and all
passes read memory in order. A pass over a part costs O(rows × attributes); with even cuts that is
O(n · attributes · log(n / k)) for the whole run. Open parts wait on a stack, the lower side of a
cut on top. The twin in `tests/core/algorithms/twins/mondrian.py` works on lists of records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.sorting import sort
from kanon_tui.core.kernels.ties import first_of_largest
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

__all__ = [
    "ALLOWABLE",
    "CLOSED",
    "CUT",
    "MEDIAN",
    "RELAXED",
    "Axes",
    "Parts",
    "advance",
    "loss",
    "measure",
]

CLOSED, CUT = 0, 1
ALLOWABLE, MEDIAN, RELAXED = 0, 1, 2  # where a part is cut
_ROWS_PER_CALL = 3_000_000  # a call that has passed over so many rows returns
_BLOCK = 512  # rows that stay in the fastest cache


class Axes(NamedTuple):
    """The attributes: values as ranks, those of all attributes one after the other."""

    offsets: Int64s
    """Where the ranks of each attribute begin in the arrays below."""
    ordered: Flags
    """Per attribute: a number or a date."""
    places: Floats
    """Numbers and dates: where the rank lies in the domain; nan for all else."""
    weights: Floats
    """Per attribute."""
    levels: Int32s
    """Given hierarchies: the label of a rank at each level below the root; else -1."""
    covers: Floats
    """The share of the attribute's values that this label covers."""


class Parts(NamedTuple):
    """The table, reordered part by part."""

    table: Int32s
    """Rows × attributes: ranks."""
    rows: Int32s
    """Per row of the table its record, or its distinct tuple."""
    copies: Int64s
    """Per row of the table how many records it stands for."""
    begins: Flags
    """Per row of the table: a closed part begins there."""
    stack: Int64s
    """Open parts: start, end; then per attribute lowest rank, highest rank, distinct values; at
    last the records."""
    seen: Int32s
    """Per rank the part it was last seen in; the last one is the number of parts measured."""
    event: Int64s
    """The last decision: CLOSED or CUT, size of the part, attribute, size of the lower side, ranks
    next to the cut."""
    tried: Int64s
    """The attributes the last decision looked at, in order, ended by -1."""


@kernel
def measure(axes: Axes, parts: Parts, start: int, end: int, level: int) -> None:
    """Write the ends, ranks and numbers of distinct values of a part to a level of the stack.

    `seen` needs no clearing: it is stamped with a number that is new each time. An attribute at a
    time goes through some rows, which stay at hand for the next: there is nothing to decide then.
    """
    table, seen, offsets, part = parts.table, parts.seen, axes.offsets, parts.stack[level]
    copies = parts.copies
    attributes = table.shape[1]
    seen[-1] += 1
    stamp = seen[-1]
    part[0], part[1] = start, end
    records = 0
    for i in range(start, end):
        records += copies[i]
    part[-1] = records
    for x in range(attributes):
        part[2 + 3 * x] = table[start, x]
        part[3 + 3 * x] = table[start, x]
        part[4 + 3 * x] = 0
    for begin in range(start, end, _BLOCK):
        for x in range(attributes):
            low, high, distinct = part[2 + 3 * x], part[3 + 3 * x], part[4 + 3 * x]
            seen_of = seen[offsets[x] :]
            for i in range(begin, min(begin + _BLOCK, end)):
                rank = np.uint64(table[np.uint64(i), np.uint64(x)])
                low, high = min(low, np.int64(rank)), max(high, np.int64(rank))
                distinct += seen_of[rank] != stamp
                seen_of[rank] = stamp
            part[2 + 3 * x], part[3 + 3 * x], part[4 + 3 * x] = low, high, distinct


@inner_kernel
def _width(axes: Axes, part: Int64s, x: int) -> float:
    """Normalised width of a part along an attribute, 0 to 1."""
    offsets, places = axes.offsets, axes.places
    low, high, distinct = part[2 + 3 * x], part[3 + 3 * x], part[4 + 3 * x]
    if low == high:
        return 0.0
    if not axes.ordered[x]:
        return float((distinct - 1) / (offsets[x + 1] - offsets[x] - 1))
    width = places[offsets[x] + high] - places[offsets[x] + low]
    return 1.0 if np.isnan(width) else float(width)  # missing is the highest rank and has no place


@kernel
def loss(axes: Axes, part: Int64s) -> float:
    """What publishing the part as one class costs: its NCP times its number of records."""
    offsets, ordered, _, weights, levels, covers = axes
    total = 0.0
    for x in range(len(weights)):
        low, high, distinct = part[2 + 3 * x], part[3 + 3 * x], part[4 + 3 * x]
        if low == high:
            continue
        cost = 1.0
        if ordered[x]:
            cost = _width(axes, part, x)
        elif levels[offsets[x], 0] < 0:  # no hierarchy: a set of values is published
            cost = distinct / (offsets[x + 1] - offsets[x])
        else:  # in the order of the tree, the ends have the common ancestor of all
            for level in range(levels.shape[1]):
                label = levels[offsets[x] + low, level]
                if label >= 0 and label == levels[offsets[x] + high, level]:
                    cost = covers[offsets[x] + low, level]
                    break
        total += weights[x] * cost
    return float(total * part[-1])


@inner_kernel
def _in_order(column: Int32s) -> Int64s:
    """The places of rising ranks; quicker than `argsort`, which compares through an index."""
    keys = np.empty(len(column), dtype=np.int64)
    for i in range(len(column)):
        keys[i] = (np.int64(column[i]) << 32) | i
    sort(keys)
    for i in range(len(keys)):
        keys[i] &= 0xFFFFFFFF
    return keys


@inner_kernel
def _strict_cut(
    column: Int32s, copies: Int64s, size: int, low: int, high: int, k: int
) -> tuple[int, int]:
    """Size of the lower side and its highest rank, for the allowable cut nearest the median.

    Counting ranks costs O(rows + span); where ranks are sparse, sorting is cheaper.
    """
    best_left, best_rank = 0, -1
    best_off = size + 1
    if high - low <= 4 * len(column) + 64:
        counts = np.zeros(high - low + 1, dtype=np.int64)
        for i in range(len(column)):
            counts[column[i] - low] += copies[i]
        left = 0
        for step in range(high - low):
            left += counts[step]
            if size - left < k:
                break
            off = abs(2 * left - size)
            if counts[step] > 0 and left >= k and off < best_off:
                best_left, best_rank, best_off = left, low + step, off
    else:
        order = _in_order(column)
        left = 0
        for i in range(len(column) - 1):
            rank = column[order[i]]
            left += copies[order[i]]
            if size - left < k:
                break
            off = abs(2 * left - size)
            if left >= k and rank != column[order[i + 1]] and off < best_off:
                best_left, best_rank, best_off = left, rank, off
    return best_left, best_rank


@inner_kernel
def _count_below(
    column: Int32s, copies: Int64s, middle: int, low: int, high: int
) -> tuple[int, int, int]:
    """The rank of a record in the middle, counted from 1; the records below it, and up to it."""
    below, upto, rank, step = 0, 0, low, 0
    if high - low <= 4 * len(column) + 64:
        counts = np.zeros(high - low + 1, dtype=np.int64)
        for i in range(len(column)):
            counts[column[i] - low] += copies[i]
        while upto < middle:
            below, upto, rank = upto, upto + counts[step], low + step
            step += 1
    else:
        order = _in_order(column)
        while upto < middle or (step < len(order) and column[order[step]] == rank):
            if column[order[step]] != rank:
                below, rank = upto, column[order[step]]
            upto += copies[order[step]]
            step += 1
    return rank, below, upto


@inner_kernel
def _divide(parts: Parts, start: int, end: int, x: int, rank: int, equal: int) -> int:
    """Move rows below `rank`, and the first `equal` of those at it, to the front, in order.

    Gives the place where the others begin.
    """
    table, rows, copies = parts.table, parts.rows, parts.copies
    spare_copies = np.empty(end - start, dtype=copies.dtype)
    spare_table = np.empty((end - start, table.shape[1]), dtype=table.dtype)
    spare_rows = np.empty(end - start, dtype=rows.dtype)
    left, right = start, 0
    for i in range(start, end):
        value = table[i, x]
        if value == rank:
            equal -= 1
        if value < rank or (value == rank and equal >= 0):
            for y in range(table.shape[1]):
                table[left, y] = table[i, y]
            rows[left], copies[left] = rows[i], copies[i]
            left += 1
        else:
            for y in range(table.shape[1]):
                spare_table[right, y] = table[i, y]
            spare_rows[right], spare_copies[right] = rows[i], copies[i]
            right += 1
    for i in range(right):
        for y in range(table.shape[1]):
            table[left + i, y] = spare_table[i, y]
        rows[left + i], copies[left + i] = spare_rows[i], spare_copies[i]
    return left


@inner_kernel
def _choose_cut(
    axes: Axes, parts: Parts, part: Int64s, k: int, where: int
) -> tuple[int, int, int, int]:
    """The attribute to cut (-1: none), and of the lower side: size, highest rank, rows at it."""
    table, tried = parts.table, parts.tried
    attributes = table.shape[1]
    size = part[-1]
    copies = parts.copies[part[0] : part[1]]
    tried[:] = -1
    if size < 2 * k:
        return -1, 0, 0, 0
    widths = np.empty(attributes)
    for x in range(attributes):
        widths[x] = _width(axes, part, x)
    for turn in range(attributes):
        x = first_of_largest(widths)
        widths[x] = -1.0
        low, high = part[2 + 3 * x], part[3 + 3 * x]
        if low == high:
            continue
        tried[turn] = x
        column = table[part[0] : part[1], x].copy()
        if where == RELAXED:
            rank, below, _ = _count_below(column, copies, size // 2, low, high)
            return x, size // 2, rank, size // 2 - below
        if where == MEDIAN:  # the lower side ends with the lower median
            rank, _, left = _count_below(column, copies, (size + 1) // 2, low, high)
        else:
            left, rank = _strict_cut(column, copies, size, low, high, k)
        if min(left, size - left) >= k:
            return x, left, rank, left
    return -1, 0, 0, 0


@kernel
def advance(
    axes: Axes, parts: Parts, depth: int, decisions: int, k: int, where: int
) -> tuple[int, int, int, float]:
    """Make up to `decisions` decisions: cut the part on top of the stack, or close it.

    `where` is ALLOWABLE, MEDIAN or RELAXED. Returns the new depth of the stack, decisions made,
    cuts made, and by how much the loss fell.
    """
    begins, stack, event = parts.begins, parts.stack, parts.event
    decided, cuts, passed = 0, 0, 0
    saved = 0.0
    while depth > 0 and decided < decisions and passed < _ROWS_PER_CALL:
        decided += 1
        part = stack[depth - 1].copy()
        start, end = part[0], part[1]
        passed += end - start
        event[0], event[1] = CLOSED, part[-1]
        x, left, rank, equal = _choose_cut(axes, parts, part, k, where)
        if x < 0:
            begins[start] = True
            depth -= 1
            continue
        middle = _divide(parts, start, end, x, rank, equal)
        cuts += 1
        saved += loss(axes, part)
        measure(axes, parts, middle, end, depth - 1)
        measure(axes, parts, start, middle, depth)
        for i in (depth - 1, depth):
            saved -= loss(axes, stack[i])
        event[0], event[2], event[3], event[4] = CUT, x, left, rank
        event[5] = stack[depth - 1, 2 + 3 * x]
        depth += 1
    return depth, decided, cuts, saved
