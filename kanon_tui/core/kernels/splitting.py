"""Split a group of records in two around a far-apart pair, and each part again.

Groups are runs of consecutive distinct rows in `order`, rising inside each run. Open groups wait on
a stack, the first side of a split on top. A split looks at every row of its group, rounds times for
the pair and up to k times more because a side left with fewer than k records takes rows from the
other one by one; or, where the group has a tree, at few of them (`splitting_sides`).

The twin in `tests/core/algorithms/twins/merging.py` splits lists of records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import KIND, SET, Attributes
from kanon_tui.core.kernels.boxes import extent, int64, set_extent
from kanon_tui.core.kernels.splitting_boxes import (
    Sides,
    apart,
    begin_box,
    box_growth,
    forget,
    new_boxes,
    widen,
)
from kanon_tui.core.kernels.splitting_sides import far_pair_by_tree, sides_by_tree
from kanon_tui.core.kernels.splitting_tree import GroupTree, remove_row, tree_extent
from kanon_tui.core.kernels.ties import first_of_largest
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s

__all__ = ["CLOSED", "SPLIT", "Groups", "Scratch", "SplitSettings", "group_extent", "split_groups"]

CLOSED, SPLIT = 0, 1
_ROWS_PER_CALL = 1_000_000  # a call that has passed over so many rows returns
_ROWS_PER_TREE = 1_000  # what a split with a tree counts for


class Groups(NamedTuple):
    """The groups so far, closed ones and open ones."""

    order: Int32s
    """Distinct rows, group by group."""
    begins: Flags
    """Per place in the order: a closed group begins there."""
    stack: Int64s
    """Open groups: begin, end and records …"""
    extents: Floats
    """… and their extents."""
    event: Int64s
    """The last decision: CLOSED or SPLIT, begin, begin of the second side, end."""


class SplitSettings(NamedTuple):
    """How groups are split."""

    k: int
    rounds: int
    """Of the walk to a far-apart pair."""
    per_record: bool
    """Whether the box of a side counts once for every record in it."""
    large: int
    """A group of so many rows or more is split with its tree."""
    scan: float
    """For `sides_by_tree`."""


class Scratch(NamedTuple):
    """Room to work in, all 0 between calls."""

    present: Flags
    """Boxes × values of all sets."""
    side_of: Int32s
    """Per row."""


@kernel
def group_extent(attributes: Attributes, rows: Int32s, members: Int32s, present: Flags) -> float:
    """Extent of the box around some distinct rows."""
    boxes = new_boxes(1, attributes, present)
    begin_box(attributes, rows, boxes, 0, members[0])
    for i in range(1, len(members)):
        widen(attributes, rows, boxes, 0, members[i])
    total = 0.0
    for x in range(rows.shape[1]):
        if attributes.facts[x, KIND] == SET:
            total += set_extent(attributes, x, boxes.high[0, x])
        else:
            total += extent(attributes, x, boxes.low[0, x], boxes.high[0, x])
    forget(attributes, rows, members, present)
    return total


@kernel
def _far_pair(
    attributes: Attributes, rows: Int32s, members: Int32s, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart.

    Rows are given by their places among the members.
    """
    here, there = start, start
    distances = np.zeros(len(members))
    for _ in range(rounds):
        here = there
        for i in range(len(members)):
            distances[i] = apart(attributes, rows, members[here], members[i])
        there = first_of_largest(distances)
    return min(here, there), max(here, there), distances[there]


@part_of_kernel
def _cost(grows: float, extent: float, size: int, count: int, per_record: bool) -> float:
    """What it costs when a box of so many records grows to take some more."""
    if per_record:
        return (size + count) * (extent + grows) - size * extent
    return grows


@kernel
def _give_rows(
    attributes: Attributes,
    rows: Int32s,
    members: Int32s,
    seeds: tuple[int, int],
    per_record: bool,
    sides: Sides,
    sizes: Int64s,
    extents: Floats,
) -> None:
    """Give every row to the seed whose box grows less; seeds are places among the members."""
    boxes, side_of, counts = sides
    for side in range(2):
        row = members[seeds[side]]
        begin_box(attributes, rows, boxes, side, row)
        sizes[side] = counts[row]
        side_of[row] = side
    for i in range(len(members)):
        if i in seeds:
            continue
        row, count = members[i], counts[members[i]]
        one = box_growth(attributes, rows, boxes, 0, row)
        other = box_growth(attributes, rows, boxes, 1, row)
        cost_one = _cost(one, extents[0], sizes[0], count, per_record)
        cost_other = _cost(other, extents[1], sizes[1], count, per_record)
        to = 0 if cost_one <= cost_other + TIE else 1
        widen(attributes, rows, boxes, to, row)
        extents[to] += one if to == 0 else other
        sizes[to] += count
        side_of[row] = to


@kernel
def _fill_poor_side(
    attributes: Attributes,
    rows: Int32s,
    members: Int32s,
    settings: SplitSettings,
    sides: Sides,
    sizes: Int64s,
    extents: Floats,
) -> bool:
    """Let a side with fewer than k records take rows from the other; is that possible?"""
    boxes, side_of, counts = sides
    k = settings.k
    poor = 0 if sizes[0] < sizes[1] else 1
    rich = 1 - poor
    gains = np.zeros(len(members))
    while sizes[poor] < k:
        for i in range(len(members)):
            gains[i] = -np.inf
            row, count = members[i], counts[members[i]]
            if side_of[row] == rich and sizes[rich] - count >= k:
                grows = box_growth(attributes, rows, boxes, poor, row)
                gains[i] = -_cost(grows, extents[poor], sizes[poor], count, settings.per_record)
        i = first_of_largest(gains)
        if gains[i] == -np.inf:
            return False
        row = members[i]
        side_of[row] = poor
        extents[poor] += box_growth(attributes, rows, boxes, poor, row)
        widen(attributes, rows, boxes, poor, row)
        sizes[poor] += counts[row]
        sizes[rich] -= counts[row]
    return True


@kernel
def _sides(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    members: Int32s,
    seeds: tuple[int, int],
    settings: SplitSettings,
    scratch: Scratch,
) -> bool:
    """Give every row to the seed whose box grows less, then see to it that both sides have k.

    `scratch.side_of` is 0 for all rows and becomes 1 for those of the second side.
    """
    boxes = new_boxes(2, attributes, scratch.present)
    sides = Sides(boxes, scratch.side_of, counts)
    sizes, extents = np.zeros(2, dtype=np.int64), np.zeros(2)
    _give_rows(attributes, rows, members, seeds, settings.per_record, sides, sizes, extents)
    enough = _fill_poor_side(attributes, rows, members, settings, sides, sizes, extents)
    forget(attributes, rows, members, scratch.present)
    return enough


@kernel
def _find_sides(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    members: Int32s,
    tree: GroupTree,
    by_tree: bool,
    size: int,
    draw: float,
    settings: SplitSettings,
    scratch: Scratch,
) -> bool:
    """Give every row of a group its side, if there are two sides of k; `draw` picks the start."""
    start = int(draw * len(members))
    rounds = settings.rounds
    if not by_tree:
        one, other, distance = _far_pair(attributes, rows, members, start, rounds)
        return distance > TIE and _sides(
            attributes, rows, counts, members, (one, other), settings, scratch
        )
    one, other, distance = far_pair_by_tree(attributes, rows, tree, int64(members[start]), rounds)
    return distance > TIE and sides_by_tree(
        attributes,
        rows,
        counts,
        tree,
        members,
        (one, other),
        settings.k,
        size,
        settings.scan,
        scratch.present,
        scratch.side_of,
    )


@kernel
def _divide(members: Int32s, side_of: Int32s, order: Int32s, begin: int) -> int:
    """Move the rows of the first side to the front; where the second side begins.

    Without a branch, as no processor can guess where rows go.
    """
    middle, others = begin, 0
    second_side = np.empty(len(members), dtype=np.int32)
    for row in members:
        order[middle], second_side[others] = row, row
        others += side_of[row]
        middle += 1 - side_of[row]
    end = begin + len(members)
    order[middle:end] = second_side[:others]
    side_of[second_side[:others]] = 0
    return middle


@kernel
def _measure_sides(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    tree: GroupTree,
    by_tree: bool,
    first: int,
    size: int,
    settings: SplitSettings,
    present: Flags,
) -> tuple[int, float]:
    """Set records and extents of the two groups on top of the stack; the tree's level, the loss.

    `first` is the level of the first side, `size` the records of both. The tree goes to the side
    with more rows unless half of those it was made for have left it: then the level is -1.
    """
    order, stack, extents = groups.order, groups.stack, groups.extents
    more, fewer = first, first - 1  # levels of the side with more rows and of the other one
    if stack[more, 1] - stack[more, 0] < stack[fewer, 1] - stack[fewer, 0]:
        more, fewer = fewer, more
    few = order[stack[fewer, 0] : stack[fewer, 1]]
    many = order[stack[more, 0] : stack[more, 1]]
    stack[fewer, 2] = counts[few].sum()
    stack[more, 2] = size - stack[fewer, 2]
    extents[fewer] = group_extent(attributes, rows, few, present)
    keeps_tree = (
        by_tree
        and len(many) >= settings.large
        and stack[more, 2] >= 2 * settings.k
        and 2 * len(many) >= len(tree.items)
    )
    if keeps_tree:
        for row in few:
            remove_row(attributes, rows, tree, int64(row))
        extents[more] = tree_extent(attributes, tree)
    else:
        extents[more] = group_extent(attributes, rows, many, present)
    loss = stack[fewer, 2] * extents[fewer] + stack[more, 2] * extents[more]
    return more if keeps_tree else -1, loss


@kernel
def split_groups(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    depth: int,
    tree: GroupTree,
    level: int,
    draws: Floats,
    decisions: int,
    settings: SplitSettings,
    scratch: Scratch,
) -> tuple[int, int, int, int, float, int]:
    """Make up to `decisions` decisions: split the group on top of the stack, or close it.

    Returns the new depth of the stack, decisions made, splits made, draws used, by how much
    records · extent fell, and the new level of the tree. `draws` pick the row from which the
    far-apart pair is looked for. `tree` is that of the group at `level` of the stack, -1 for none.
    Where another tree is needed the call returns.
    """
    order, begins, stack, extents, event = groups
    decided, splits, used, passed = 0, 0, 0, 0
    saved = 0.0
    while depth > 0 and decided < decisions and passed < _ROWS_PER_CALL:
        begin, end, size = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
        by_tree = end - begin >= settings.large and size >= 2 * settings.k
        if by_tree and level != depth - 1:
            break
        decided += 1
        event[0], event[1], event[2], event[3] = CLOSED, begin, end, end
        members = order[begin:end].copy()
        can = size >= 2 * settings.k and len(members) > 1
        if can:
            passed += _ROWS_PER_TREE if by_tree else len(members)
            can = _find_sides(
                attributes,
                rows,
                counts,
                members,
                tree,
                by_tree,
                size,
                draws[used],
                settings,
                scratch,
            )
            used += 1
        if not can:
            scratch.side_of[members] = 0
            begins[begin] = True
            depth -= 1
            if level == depth:
                level = -1
            continue
        middle = _divide(members, scratch.side_of, order, begin)
        event[0], event[2] = SPLIT, middle
        saved += size * extents[depth - 1]
        stack[depth, 0], stack[depth, 1], stack[depth - 1, 0] = begin, middle, middle
        new_level, loss = _measure_sides(
            attributes,
            rows,
            counts,
            groups,
            tree,
            by_tree,
            depth,
            size,
            settings,
            scratch.present,
        )
        if by_tree:
            level = new_level
        saved -= loss
        depth += 1
        splits += 1
    return depth, decided, splits, used, saved, level
