"""The loop of all merging algorithms: take the next small cluster, merge it with the best."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import (
    FOLLOWING,
    HEAD,
    HIDE,
    PLACE,
    SHOWN,
    SIZE,
    TAIL,
    Attributes,
    Clusters,
)
from kanon_tui.core.kernels.boxes import absorb, hide_all, long, ratio
from kanon_tui.core.kernels.merge_cost import HIDE_NONE, HIDE_SMALL, losses, union_extent
from kanon_tui.core.kernels.partner_search import nearest
from kanon_tui.core.kernels.partner_tree import Tree, refresh
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

__all__ = ["advance", "collect", "join", "label_rows", "next_small", "union_extents"]

# What `tally` holds: the place in the list that is next, clusters under k, clusters, merges.
CURSOR, SMALL, ALIVE, MERGES = range(4)

_BOXES_PER_CALL = 2_000_000  # a call that has tried so many boxes returns


@kernel
def next_small(info: Int32s, at: Int32s, touched: Int32s, turn: int, cursor: int, k: int) -> int:
    """The next place in the list that has a cluster under k; the end of the list if none has.

    With turns (`turn` > 0), a cluster that was part of a merge in this turn waits for the next.
    """
    while cursor < len(at):
        c = at[cursor]
        if c >= 0 and info[c, SIZE] < k and (turn == 0 or touched[cursor] != turn):
            break
        cursor += 1
    return cursor


@kernel
def union_extents(
    attributes: Attributes,
    clusters: Clusters,
    load: Floats,
    records: int,
    a: int,
    b: int,
    side: int,
    hidden: Flags,
) -> Floats:
    """Extents of the union of two clusters if nothing were hidden.

    `hidden` gets the attributes that a merge hides which may hide cells of this side.
    """
    facts, prices, line, nodes, importance = attributes
    boxes, extents, words, info, links, _ = clusters
    wide = np.zeros(len(facts))
    for x in range(len(facts)):
        wide[x] = union_extent(facts, prices, line, nodes, boxes, words, info, links, x, a, b)
        hidden[x] = False
        if side != HIDE_NONE:
            nothing, of_a, of_b = losses(
                facts, prices, importance, boxes, extents, words, load, records, wide[x], x, a, b
            )
            hidden[x] = (of_a if side == HIDE_SMALL else of_b) < nothing
    return wide


@kernel
def join(
    attributes: Attributes,
    clusters: Clusters,
    load: Floats,
    kept: Floats,
    records: int,
    a: int,
    b: int,
    side: int,
) -> None:
    """Merge cluster a into b, hiding cells of one side where that pays.

    `load` is Σ records · extent per attribute, hidden cells included, `kept` is Σ records · DR.
    """
    facts, prices, line, nodes, importance = attributes
    boxes, extents, words, info, links, hidden = clusters
    hide = np.zeros(len(facts), dtype=np.bool_)
    if side != HIDE_NONE:
        union_extents(attributes, clusters, load, records, a, b, side, hide)
    for x in range(len(facts)):
        load[x] -= boxes[a, x, SHOWN] * extents[a, x] + boxes[b, x, SHOWN] * extents[b, x]
        kept[x] -= info[a, SIZE] * ratio(facts, prices, importance, words, a, words, a, x)
        kept[x] -= info[b, SIZE] * ratio(facts, prices, importance, words, b, words, b, x)
        if hide[x]:
            c = a if side == HIDE_SMALL else b
            load[x] += boxes[c, x, SHOWN] * prices[x, HIDE]
            hide_all(facts, boxes, extents, words, info, links, hidden, x, c)
        absorb(facts, prices, line, nodes, boxes, extents, words, info, links, x, a, b)
        load[x] += boxes[b, x, SHOWN] * extents[b, x]
        both = info[a, SIZE] + info[b, SIZE]
        kept[x] += both * ratio(facts, prices, importance, words, b, words, b, x)
    info[b, SIZE] += info[a, SIZE]
    info[a, SIZE] = 0
    links[info[b, TAIL], FOLLOWING] = info[a, HEAD]
    info[b, TAIL] = info[a, TAIL]


@kernel
def advance(
    attributes: Attributes,
    clusters: Clusters,
    tree: Tree,
    load: Floats,
    kept: Floats,
    at: Int32s,
    touched: Int32s,
    tally: Int64s,
    records: int,
    mode: int,
    turn: int,
    k: int,
    decisions: int,
) -> int:
    """Make up to `decisions` merges and say how many were made.

    `at` gives the cluster of every place in the list. The call ends early when half of the tree's
    clusters are gone, because a new tree is then worth its while.
    """
    _, _, _, info, _, _ = clusters
    made, tried = 0, 0
    while made < decisions and tried < _BOXES_PER_CALL:
        cursor = next_small(info, at, touched, turn, tally[CURSOR], k)
        tally[CURSOR] = cursor
        if cursor == len(at) or (tally[ALIVE] <= len(info) // 2 and made > 0):
            break
        a = long(at[cursor])
        b, _, side, boxes = nearest(attributes, clusters, tree, load, records, mode, a)
        tried += boxes
        tally[SMALL] -= 1
        if info[b, SIZE] < k <= info[a, SIZE] + info[b, SIZE]:
            tally[SMALL] -= 1
        join(attributes, clusters, load, kept, records, a, b, side)
        at[cursor] = -1
        touched[info[b, PLACE]] = turn
        refresh(attributes, clusters, tree, a)
        refresh(attributes, clusters, tree, b)
        tally[ALIVE] -= 1
        tally[MERGES] += 1
        made += 1
    return made


@kernel
def collect(
    attributes: Attributes,
    clusters: Clusters,
    starts: Int64s,
    load: Floats,
    kept: Floats,
    records: int,
    side: int,
) -> None:
    """Merge consecutive clusters into the first of each run; `starts` ends with their number."""
    for part in range(len(starts) - 1):
        b = starts[part]
        for a in range(b + 1, starts[part + 1]):
            join(attributes, clusters, load, kept, records, a, b, side)


@kernel
def label_rows(info: Int32s, links: Int32s, listed: Int32s) -> Int32s:
    """Per distinct row the place of its cluster among those listed, -1 where it is not."""
    labels = np.full(len(links), -1, dtype=np.int32)
    for place, c in enumerate(listed):
        row = info[c, HEAD]
        while row >= 0:
            labels[row] = place
            row = links[row, FOLLOWING]
    return labels
