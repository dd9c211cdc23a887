"""Split a group of records in two around a far-apart pair, and each part again.

Groups are runs of consecutive distinct rows in `order`, rising inside each run. Open groups wait on
a stack, the first side of a split on top. A split looks at every row of its group, rounds times for
the pair and up to k times more because a side left with fewer than k records takes rows from the
other one by one; or, where the group has a tree, at few of them (`splitting_sides`).
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import BITS, KIND, SET, Attributes
from kanon_tui.core.kernels.boxes import extent, long, set_extent, uncounted
from kanon_tui.core.kernels.splitting_boxes import apart, box_growth, forget, widen
from kanon_tui.core.kernels.splitting_sides import far_pair, sides_by_tree
from kanon_tui.core.kernels.splitting_tree import GroupTree, leave, tree_extent
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s

__all__ = ["CLOSED", "SPLIT", "group_extent", "split_groups"]

CLOSED, SPLIT = 0, 1
_ROWS_PER_CALL = 1_000_000  # a call that has passed over so many rows returns
_ROWS_PER_TREE = 1_000  # what a split with a tree counts for


@uncounted
def _columns(facts: Int64s) -> int:
    """How many words the values of all sets take, at least one."""
    columns = 1
    for x in range(len(facts)):
        columns = max(columns, facts[x, BITS] + 1)
    return columns


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


@kernel
def group_extent(attributes: Attributes, rows: Int32s, members: Int32s, present: Flags) -> float:
    """Extent of the box around some distinct rows."""
    facts, prices, line, nodes, _ = attributes
    low = np.zeros((1, rows.shape[1]), dtype=np.int32)
    high = np.zeros((1, rows.shape[1]), dtype=np.int32)
    words = np.zeros((1, _columns(facts)), dtype=np.uint64)
    for i in range(len(members)):
        widen(facts, prices, line, nodes, rows, low, high, present, words, 0, members[i], i == 0)
    total = 0.0
    for x in range(rows.shape[1]):
        if facts[x, KIND] == SET:
            total += set_extent(prices, x, high[0, x])
        else:
            total += extent(facts, prices, line, nodes, x, low[0, x], high[0, x])
    forget(facts, rows, members, present)
    return total


@kernel
def _far_pair(
    attributes: Attributes, rows: Int32s, members: Int32s, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart."""
    facts, prices, line, nodes, _ = attributes
    here, there = start, start
    distances = np.zeros(len(members))
    for _ in range(rounds):
        here = there
        for i in range(len(members)):
            distances[i] = apart(facts, prices, line, nodes, rows, members[here], members[i])
        there = _first_of_most(distances)
    return min(here, there), max(here, there), distances[there]


@uncounted
def _cost(grows: float, extent: float, size: int, count: int, per_record: bool) -> float:
    """What it costs when a box of so many records grows to take some more."""
    if per_record:
        return (size + count) * (extent + grows) - size * extent
    return grows


@kernel
def _sides(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    members: Int32s,
    first: int,
    second: int,
    k: int,
    per_record: bool,
    present: Flags,
    side_of: Int32s,
) -> bool:
    """Give every row to the seed whose box grows less, then see to it that both sides have k.

    Per record, the box of a side counts once for every record in it. `side_of` is 0 for all rows
    and becomes 1 for those of the second side.
    """
    facts, prices, line, nodes, _ = attributes
    low = np.zeros((2, rows.shape[1]), dtype=np.int32)
    high = np.zeros((2, rows.shape[1]), dtype=np.int32)
    words = np.zeros((2, _columns(facts)), dtype=np.uint64)
    sizes = np.zeros(2, dtype=np.int64)
    extents = np.zeros(2)
    widen(facts, prices, line, nodes, rows, low, high, present, words, 0, members[first], True)
    widen(facts, prices, line, nodes, rows, low, high, present, words, 1, members[second], True)
    sizes[0], sizes[1] = counts[members[first]], counts[members[second]]
    side_of[members[second]] = 1
    for i in range(len(members)):
        if i in (first, second):
            continue
        row, count = members[i], counts[members[i]]
        one = box_growth(facts, prices, line, nodes, rows, low, high, present, 0, row)
        other = box_growth(facts, prices, line, nodes, rows, low, high, present, 1, row)
        cost_one = _cost(one, extents[0], sizes[0], count, per_record)
        cost_other = _cost(other, extents[1], sizes[1], count, per_record)
        to = 0 if cost_one <= cost_other + TIE else 1
        widen(facts, prices, line, nodes, rows, low, high, present, words, to, row, False)
        extents[to] += one if to == 0 else other
        sizes[to] += count
        side_of[row] = to
    poor = 0 if sizes[0] < sizes[1] else 1
    rich = 1 - poor
    gains = np.zeros(len(members))
    enough = True
    while enough and sizes[poor] < k:
        for i in range(len(members)):
            gains[i] = -np.inf
            row, count = members[i], counts[members[i]]
            if side_of[row] == rich and sizes[rich] - count >= k:
                grows = box_growth(facts, prices, line, nodes, rows, low, high, present, poor, row)
                gains[i] = -_cost(grows, extents[poor], sizes[poor], count, per_record)
        i = _first_of_most(gains)
        enough = gains[i] > -np.inf
        if enough:
            row = members[i]
            side_of[row] = poor
            extents[poor] += box_growth(
                facts, prices, line, nodes, rows, low, high, present, poor, row
            )
            widen(
                facts, prices, line, nodes, rows, low, high, present, words, poor, members[i], False
            )
            sizes[poor] += counts[members[i]]
            sizes[rich] -= counts[members[i]]
    forget(facts, rows, members, present)
    return enough


@kernel
def split_groups(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    order: Int32s,
    stack: Int64s,
    extents: Floats,
    depth: int,
    draws: Floats,
    k: int,
    rounds: int,
    per_record: bool,
    decisions: int,
    present: Flags,
    begins: Flags,
    event: Int64s,
    large: int,
    scan: float,
    tree: GroupTree,
    level: int,
    side_of: Int32s,
) -> tuple[int, int, int, int, float, int]:
    """Make up to `decisions` decisions: split the group on top of the stack, or close it.

    Returns the new depth of the stack, decisions made, splits made, draws used, by how much
    records · extent fell, and the new level of the tree. `stack` holds begin, end and records of
    the open groups, `extents` their extents; `draws` pick the row from which the far-apart pair is
    looked for. `event` tells the last decision: CLOSED or SPLIT, begin, begin of the second side,
    end; `begins` marks where closed groups begin.

    A group of `large` rows or more is split with its tree: `tree` is that of the group at `level`
    of the stack, -1 for none. Where another tree is needed the call returns. The tree goes to the
    side with more rows unless half of those it was made for have left it. `scan` is for
    `sides_by_tree`; `side_of` is scratch, per row, all 0.
    """
    made, splits, used, passed = 0, 0, 0, 0
    saved = 0.0
    while depth > 0 and made < decisions and passed < _ROWS_PER_CALL:
        begin, end, size = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
        by_tree = end - begin >= large and size >= 2 * k
        if by_tree and level != depth - 1:
            break
        made += 1
        event[0], event[1], event[2], event[3] = CLOSED, begin, end, end
        members = order[begin:end].copy()
        can = size >= 2 * k and len(members) > 1
        if can:
            start = int(draws[used] * len(members))
            used += 1
            if by_tree:
                passed += _ROWS_PER_TREE
                row, other, distance = far_pair(
                    attributes, rows, tree, long(members[start]), rounds
                )
                can = distance > TIE and sides_by_tree(
                    attributes,
                    rows,
                    counts,
                    tree,
                    members,
                    row,
                    other,
                    k,
                    size,
                    scan,
                    present,
                    side_of,
                )
            else:
                passed += len(members)
                first, second, distance = _far_pair(attributes, rows, members, start, rounds)
                can = distance > TIE and _sides(
                    attributes,
                    rows,
                    counts,
                    members,
                    first,
                    second,
                    k,
                    per_record,
                    present,
                    side_of,
                )
        if not can:
            side_of[members] = 0
            begins[begin] = True
            depth -= 1
            if level == depth:
                level = -1
            continue
        middle, others = begin, 0
        second_side = np.empty(len(members), dtype=np.int32)
        for row in members:  # without a branch, as no processor can guess where rows go
            order[middle], second_side[others] = row, row
            others += side_of[row]
            middle += 1 - side_of[row]
        order[middle:end] = second_side[:others]
        event[0], event[2] = SPLIT, middle
        side_of[order[middle:end]] = 0
        saved += size * extents[depth - 1]
        stack[depth, 0], stack[depth, 1], stack[depth - 1, 0] = begin, middle, middle
        more, fewer = depth, depth - 1  # levels of the side with more rows and of the other one
        if middle - begin < end - middle:
            more, fewer = fewer, more
        depth += 1
        splits += 1
        few = order[stack[fewer, 0] : stack[fewer, 1]]
        many = order[stack[more, 0] : stack[more, 1]]
        stack[fewer, 2] = counts[few].sum()
        stack[more, 2] = size - stack[fewer, 2]
        extents[fewer] = group_extent(attributes, rows, few, present)
        if by_tree:
            splits_by_tree = len(many) >= large and stack[more, 2] >= 2 * k
            level = more if splits_by_tree and 2 * len(many) >= len(tree[3]) else -1
        if by_tree and level >= 0:
            for row in few:
                leave(attributes, rows, tree, long(row))
            extents[more] = tree_extent(attributes, tree)
        else:
            extents[more] = group_extent(attributes, rows, many, present)
        saved -= stack[fewer, 2] * extents[fewer] + stack[more, 2] * extents[more]
    return depth, made, splits, used, saved, level
