"""Split a group of records in two around a far-apart pair, and each part again.

Groups are runs of consecutive distinct rows in `order`, rising inside each run. Open groups wait on
a stack, the first side of a split on top. A split looks at every row of its group
(`splitting_scan`) or, where the group has trees, at few of them (`splitting_sides`). The rows of a
group with trees are those of its trees: its run is written only when it loses them, or when
somebody asks, because a split that takes a few rows away must not move all others.

The twin in `tests/core/algorithms/twins/merging.py` splits lists of records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel
from kanon_tui.core.kernels.box_arrays import KIND, SET, Attributes
from kanon_tui.core.kernels.boxes import extent, int64, set_extent
from kanon_tui.core.kernels.splitting_boxes import begin_box, forget, new_boxes, widen
from kanon_tui.core.kernels.splitting_scan import far_pair_by_scan, sides_by_scan
from kanon_tui.core.kernels.splitting_sides import far_pair_by_tree, sides_by_tree
from kanon_tui.core.kernels.splitting_tree import (
    GroupTrees,
    remove_row,
    tree_extent,
    tree_row,
    unlink_row,
    write_rows,
)
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s

__all__ = [
    "CLOSED",
    "ROWS_PER_CALL",
    "SPLIT",
    "Groups",
    "Scratch",
    "SplitSettings",
    "group_extent",
    "split_groups",
]

CLOSED, SPLIT = 0, 1
ROWS_PER_CALL = 1_000_000  # a call that has passed over so many rows returns
_ROWS_PER_TREE = 1_000  # what a split with trees counts for


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
    """A group of so many rows or more is split with its trees."""


class Scratch(NamedTuple):
    """Room to work in, all 0 between calls."""

    present: Flags
    """Boxes × values of all sets."""
    side_of: Int32s
    """Per row."""


@kernel
def group_extent(attributes: Attributes, rows: Int32s, members: Int32s, present: Flags) -> float:
    """Extent of the box around some distinct rows."""
    boxes = new_boxes(1, attributes, present, members[:0])
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


@inner_kernel
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
    for i in range(others):
        order[middle + i] = second_side[i]
        side_of[second_side[i]] = 0
    return middle


@inner_kernel
def _part(groups: Groups, depth: int, middle: int) -> tuple[int, int]:
    """Put the two sides of the group on top of the stack in its place; the levels of the two."""
    stack, event = groups.stack, groups.event
    event[0], event[2] = SPLIT, middle
    stack[depth, 0], stack[depth, 1] = stack[depth - 1, 0], middle
    stack[depth - 1, 0] = middle
    return depth, depth - 1


@inner_kernel
def _measure(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    level: int,
    present: Flags,
) -> None:
    """Set the records and the extent of a group on the stack from its rows."""
    members = groups.order[groups.stack[level, 0] : groups.stack[level, 1]]
    groups.stack[level, 2] = counts[members].sum()
    groups.extents[level] = group_extent(attributes, rows, members, present)


@inner_kernel
def _split_by_scan(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    depth: int,
    draw: float,
    settings: SplitSettings,
    scratch: Scratch,
) -> bool:
    """Split the group on top of the stack by looking at every row, if that is possible."""
    begin, end = groups.stack[depth - 1, 0], groups.stack[depth - 1, 1]
    members = groups.order[begin:end].copy()
    start = int(draw * len(members))
    one, other, distance = far_pair_by_scan(attributes, rows, members, start, settings.rounds)
    if distance <= TIE or not sides_by_scan(
        attributes,
        rows,
        counts,
        members,
        (one, other),
        settings.k,
        settings.per_record,
        scratch.present,
        scratch.side_of,
    ):
        scratch.side_of[members] = 0
        return False
    middle = _divide(members, scratch.side_of, groups.order, begin)
    for level in _part(groups, depth, middle):
        _measure(attributes, rows, counts, groups, level, scratch.present)
    return True


@inner_kernel
def _split_by_trees(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    depth: int,
    trees: GroupTrees,
    draw: float,
    settings: SplitSettings,
    scratch: Scratch,
) -> tuple[bool, int]:
    """Split the group on top of the stack with its trees, if that is possible.

    Also gives the new level of the trees: they go to the side that was not listed, unless half of
    the rows they were made for have left them; then the level is -1, and its run is written.
    """
    order, stack = groups.order, groups.stack
    begin, end, size = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
    start = tree_row(trees.turns, int(draw * (end - begin)))
    one, other, distance = far_pair_by_tree(attributes, rows, trees.near, start, settings.rounds)
    enough, few, side = False, order[:0], 0
    if distance > TIE:
        enough, few, side = sides_by_tree(
            attributes,
            rows,
            counts,
            trees,
            (one, other),
            settings.k,
            size,
            scratch.present,
            scratch.side_of,
        )
    if not enough:
        write_rows(trees.turns, few[:0], order, begin)
        return False, -1
    middle = begin + len(few) if side == 0 else end - len(few)
    first, second = _part(groups, depth, middle)
    listed, kept = (first, second) if side == 0 else (second, first)
    for i in range(len(few)):
        order[stack[listed, 0] + i] = few[i]
    _measure(attributes, rows, counts, groups, listed, scratch.present)
    rows_kept, records_kept = stack[kept, 1] - stack[kept, 0], size - stack[listed, 2]
    if (
        rows_kept < settings.large
        or records_kept < 2 * settings.k
        or 2 * rows_kept < len(trees.turns.items)
    ):
        write_rows(trees.turns, few, order, stack[kept, 0])
        _measure(attributes, rows, counts, groups, kept, scratch.present)
        return True, -1
    for row in few:
        unlink_row(attributes, rows, trees, int64(row))
        remove_row(attributes, rows, trees.near, int64(row))
        remove_row(attributes, rows, trees.turns, int64(row))
    stack[kept, 2] = records_kept
    groups.extents[kept] = tree_extent(attributes, trees.near)
    return True, kept


@kernel
def split_groups(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    depth: int,
    trees: GroupTrees,
    level: int,
    draws: Floats,
    decisions: int,
    settings: SplitSettings,
    scratch: Scratch,
) -> tuple[int, int, int, int, int, float, int]:
    """Make up to `decisions` decisions: split the group on top of the stack, or close it.

    Returns the new depth of the stack, decisions made, splits made, draws used, rows passed over,
    by how much records · extent fell, and the new level of the trees. `draws` pick the row from
    which the far-apart pair is looked for. `trees` are those of the group at `level` of the stack,
    -1 for none. Where other trees are needed the call returns.
    """
    begins, stack, extents, event = groups.begins, groups.stack, groups.extents, groups.event
    decided, splits, used, passed = 0, 0, 0, 0
    saved = 0.0
    while depth > 0 and decided < decisions and passed < ROWS_PER_CALL:
        begin, end, size = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
        large = end - begin >= settings.large and size >= 2 * settings.k
        if large and level != depth - 1:
            break
        decided += 1
        event[0], event[1], event[2], event[3] = CLOSED, begin, end, end
        before = size * extents[depth - 1]
        split = False
        if size >= 2 * settings.k and end - begin > 1:
            draw = draws[used]
            used += 1
            if large:
                passed += _ROWS_PER_TREE
                split, level = _split_by_trees(
                    attributes, rows, counts, groups, depth, trees, draw, settings, scratch
                )
            else:
                passed += end - begin
                split = _split_by_scan(
                    attributes, rows, counts, groups, depth, draw, settings, scratch
                )
        if split:
            for side in (depth - 1, depth):
                before -= stack[side, 2] * extents[side]
            saved += before
            depth += 1
            splits += 1
        else:
            begins[begin] = True
            depth -= 1
    return depth, decided, splits, used, passed, saved, level
