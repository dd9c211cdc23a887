"""Split a group of records in two around a far-apart pair, and each part again.

Groups are runs of consecutive distinct rows in `order`, rising inside each run. Open groups wait on
a stack, the first side of a split on top. A split looks at every row of its group
(`splitting_scan`) or, where the group has a tree, at few of them (`splitting_sides`).

The twin in `tests/core/algorithms/twins/merging.py` splits lists of records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import KIND, SET, Attributes
from kanon_tui.core.kernels.boxes import extent, int64, set_extent
from kanon_tui.core.kernels.splitting_boxes import begin_box, forget, new_boxes, widen
from kanon_tui.core.kernels.splitting_scan import far_pair_by_scan, sides_by_scan
from kanon_tui.core.kernels.splitting_sides import far_pair_by_tree, sides_by_tree
from kanon_tui.core.kernels.splitting_tree import GroupTree, remove_row, tree_extent
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
        one, other, distance = far_pair_by_scan(attributes, rows, members, start, rounds)
        return distance > TIE and sides_by_scan(
            attributes,
            rows,
            counts,
            members,
            (one, other),
            settings.k,
            settings.per_record,
            scratch.present,
            scratch.side_of,
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
def _split(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    groups: Groups,
    members: Int32s,
    depth: int,
    tree: GroupTree,
    by_tree: bool,
    settings: SplitSettings,
    scratch: Scratch,
) -> tuple[int, float]:
    """Put the two sides of the group on top of the stack in its place; as `_measure_sides`."""
    stack, event = groups.stack, groups.event
    begin, size = stack[depth - 1, 0], stack[depth - 1, 2]
    middle = _divide(members, scratch.side_of, groups.order, begin)
    event[0], event[2] = SPLIT, middle
    stack[depth, 0], stack[depth, 1], stack[depth - 1, 0] = begin, middle, middle
    return _measure_sides(
        attributes, rows, counts, groups, tree, by_tree, depth, size, settings, scratch.present
    )


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
        saved += size * extents[depth - 1]
        new_level, loss = _split(
            attributes, rows, counts, groups, members, depth, tree, by_tree, settings, scratch
        )
        if by_tree:
            level = new_level
        saved -= loss
        depth += 1
        splits += 1
    return depth, decided, splits, used, saved, level
