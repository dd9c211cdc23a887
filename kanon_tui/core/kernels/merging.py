"""The loop of all merging algorithms: take the next small cluster, merge it with the best.

A merge costs one search for a partner (`partner_search`) and what changes in the tree above the
two clusters. `tests/core/algorithms/twins/merging.py` tries every pair instead.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import inner_kernel, kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    CLUSTERS_LEFT,
    FOLLOWING,
    HEAD,
    HIDE,
    MERGES,
    NEXT_PLACE,
    PLACE,
    SIZE,
    TAIL,
    UNDER_K,
    Attributes,
    ClusterList,
    Clusters,
)
from kanon_tui.core.kernels.boxes import absorb, hide_all, int64, rule_ratio
from kanon_tui.core.kernels.merge_cost import (
    HIDE_NONE,
    HIDE_SMALL,
    losses_by_hiding,
    union_extent,
)
from kanon_tui.core.kernels.partner_search import cheapest_partner
from kanon_tui.core.kernels.partner_tree import PartnerTree, refresh
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s

__all__ = ["advance", "label_rows", "merge", "merge_runs", "next_small", "union_extents"]

_BOXES_PER_CALL = 2_000_000  # a call that has tried so many boxes returns


@kernel
def next_small(clusters: Clusters, listed: ClusterList, turn: int, k: int) -> int:
    """The next place in the list that has a cluster under k; the end of the list if none has.

    With turns (`turn` > 0), a cluster that was part of a merge in this turn waits for the next.
    """
    at, cursor = listed.at, listed.tally[NEXT_PLACE]
    while cursor < len(at):
        c = at[cursor]
        if c >= 0 and clusters.info[c, SIZE] < k and (turn == 0 or listed.touched[cursor] != turn):
            break
        cursor += 1
    return int(cursor)


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
    wide = np.zeros(len(attributes.facts))
    for x in range(len(wide)):
        wide[x] = union_extent(attributes, clusters, x, a, b)
        hidden[x] = False
        if side != HIDE_NONE:
            nothing, of_a, of_b = losses_by_hiding(
                attributes, clusters, load, records, wide[x], x, a, b
            )
            hidden[x] = (of_a if side == HIDE_SMALL else of_b) < nothing
    return wide


@inner_kernel
def merge(
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
    _, shown, extents, words, info, links, _ = clusters
    hide = np.zeros(len(load), dtype=np.bool_)
    if side != HIDE_NONE:
        union_extents(attributes, clusters, load, records, a, b, side, hide)
    for x in range(len(load)):
        load[x] -= shown[a, x] * extents[a, x] + shown[b, x] * extents[b, x]
        kept[x] -= info[a, SIZE] * rule_ratio(attributes, words, a, words, a, x)
        kept[x] -= info[b, SIZE] * rule_ratio(attributes, words, b, words, b, x)
        if hide[x]:
            c = a if side == HIDE_SMALL else b
            load[x] += shown[c, x] * attributes.prices[x, HIDE]
            hide_all(attributes, clusters, x, c)
        absorb(attributes, clusters, x, a, b)
        load[x] += shown[b, x] * extents[b, x]
        both = info[a, SIZE] + info[b, SIZE]
        kept[x] += both * rule_ratio(attributes, words, b, words, b, x)
    info[b, SIZE] += info[a, SIZE]
    info[a, SIZE] = 0
    links[info[b, TAIL], FOLLOWING] = info[a, HEAD]
    info[b, TAIL] = info[a, TAIL]


@part_of_kernel
def _hand_over(clusters: Clusters, tree: PartnerTree, a: int, b: int) -> None:
    """Let the rows of cluster a belong to b."""
    row = clusters.info[a, HEAD]
    while row >= 0:
        tree.owner[row] = b
        row = clusters.links[row, FOLLOWING]


@kernel
def advance(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    listed: ClusterList,
    load: Floats,
    kept: Floats,
    records: int,
    mode: int,
    turn: int,
    k: int,
    decisions: int,
) -> int:
    """Make up to `decisions` merges and say how many were made.

    The call ends early when half of the tree's clusters are gone, because a new tree is then worth
    its while.
    """
    info, tally = clusters.info, listed.tally
    merges, tried = 0, 0
    while merges < decisions and tried < _BOXES_PER_CALL:
        cursor = next_small(clusters, listed, turn, k)
        tally[NEXT_PLACE] = cursor
        if cursor == len(listed.at) or (tally[CLUSTERS_LEFT] <= len(info) // 2 and merges > 0):
            break
        a = int64(listed.at[cursor])
        b, _, side, boxes = cheapest_partner(attributes, clusters, tree, load, records, mode, a)
        tried += boxes
        tally[UNDER_K] -= 1
        if info[b, SIZE] < k <= info[a, SIZE] + info[b, SIZE]:
            tally[UNDER_K] -= 1
        _hand_over(clusters, tree, a, b)
        merge(attributes, clusters, load, kept, records, a, b, side)
        listed.at[cursor] = -1
        listed.touched[info[b, PLACE]] = turn
        refresh(attributes, clusters, tree, a)
        refresh(attributes, clusters, tree, b)
        tally[CLUSTERS_LEFT] -= 1
        tally[MERGES] += 1
        merges += 1
    return merges


@kernel
def merge_runs(
    attributes: Attributes,
    clusters: Clusters,
    starts: Int64s,
    load: Floats,
    kept: Floats,
    records: int,
) -> None:
    """Merge consecutive clusters into the first of each run; `starts` ends with their number."""
    for part in range(len(starts) - 1):
        b = starts[part]
        for a in range(b + 1, starts[part + 1]):
            merge(attributes, clusters, load, kept, records, a, b, HIDE_NONE)


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
