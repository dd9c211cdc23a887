"""Which cluster to merge a cluster with, without trying them all.

A union with any box below a node of the tree covers at least what all of them have in common, so
its cost has a lower bound, and a node whose bound exceeds the best cost found is passed over.

The answer is that of trying all: the lowest cost, and among those less than `TIE` above it the
cluster that comes first in the list. In the worst case all of them are tried, on data a few dozen.
`tests/core/algorithms/twins/merging.py` does try all.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    BITS,
    EMPHASIS,
    HIDE,
    HIGH,
    KIND,
    LINE,
    LOW,
    MISSING_PLACE,
    NOTHING,
    PLACE,
    SET,
    SIZE,
    UNIT,
    WEIGHT,
    Attributes,
    Clusters,
)
from kanon_tui.core.kernels.boxes import count_bits, int64, rule_ratio, set_extent, width
from kanon_tui.core.kernels.merge_cost import (
    CLUSTER,
    EXTENT,
    SUPPRESS,
    cluster_lost,
    merge_cost,
    value_lost,
)
from kanon_tui.core.kernels.partner_tree import (
    ALL_HIGH,
    ALL_LOW,
    BEGIN,
    CHILD,
    END,
    FIRST_PLACE,
    LEAST_HIDE,
    LEAST_SHOWN,
    SOME_HIGH,
    SOME_LOW,
    PartnerTree,
)
from kanon_tui.core.numeric import TIE, Floats

__all__ = ["cheapest_partner"]


@part_of_kernel
def _least_union(
    attributes: Attributes, clusters: Clusters, tree: PartnerTree, x: int, a: int, node: int
) -> float:
    """Least extent of a union with a box below the node."""
    facts, reach = attributes.facts, tree.reach
    low, high = clusters.boxes[a, x, LOW], clusters.boxes[a, x, HIGH]
    if facts[x, KIND] == SET:
        bits = clusters.words[a, facts[x, BITS]]
        foreign = count_bits(bits & ~tree.some_words[node, facts[x, BITS]])
        common = count_bits(tree.all_words[node, facts[x, BITS]] & ~bits)
        count = max(int64(high) + common, int64(reach[node, x, ALL_HIGH]) + foreign)
        return set_extent(attributes, x, count)
    if low > high:  # all hidden: the other box stays as it is
        return 0.0
    low, high = min(low, reach[node, x, ALL_LOW]), max(high, reach[node, x, ALL_HIGH])
    return width(attributes, x, low, high)


@part_of_kernel
def _least_beyond(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    x: int,
    a: int,
    node: int,
    least: float,
) -> float:
    """Least by which cluster a widens a box below the node; `least` is that of the union."""
    facts, others = attributes.facts, tree.others
    low, high = clusters.boxes[a, x, LOW], clusters.boxes[a, x, HIGH]
    if facts[x, KIND] == SET:
        bits = clusters.words[a, facts[x, BITS]]
        foreign = count_bits(bits & ~tree.some_words[node, facts[x, BITS]])
        return float(attributes.prices[x, UNIT] * foreign)
    if low > high or others[node, x, LEAST_SHOWN] == 0:
        return 0.0
    some_low, some_high = others[node, x, SOME_LOW], others[node, x, SOME_HIGH]
    if facts[x, KIND] == LINE and high < MISSING_PLACE and some_high < MISSING_PLACE:
        return float(max(some_low - low, 0.0) + max(high - some_high, 0.0))
    return max(least - width(attributes, x, some_low, some_high), 0.0)


@part_of_kernel
def _least_losses(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: float,
    records: int,
    hiding: bool,
    x: int,
    a: int,
    node: int,
) -> tuple[float, float]:
    """Least loss of an attribute when cells of a may be hidden, and when those of b may be."""
    prices, words = attributes.prices, clusters.words
    weight, own = prices[x, WEIGHT], clusters.extents[a, x]
    least = _least_union(attributes, clusters, tree, x, a, node)
    beyond = _least_beyond(attributes, clusters, tree, x, a, node, least)
    kept = rule_ratio(attributes, words, a, tree.all_words, node, x)
    shown = clusters.shown[a, x]
    more = max(shown * (least - own), 0.0) + tree.others[node, x, LEAST_SHOWN] * beyond
    emphasis = prices[x, EMPHASIS]
    nothing = value_lost(weight, emphasis, records, load, more, kept)
    if not hiding or nothing <= 0.0:
        return nothing, nothing
    kept = rule_ratio(attributes, tree.all_words, node, tree.all_words, node, x)
    of_a = value_lost(weight, emphasis, records, load, shown * (prices[x, HIDE] - own), kept)
    kept = rule_ratio(attributes, words, a, words, a, x)
    of_b = value_lost(weight, emphasis, records, load, tree.others[node, x, LEAST_HIDE], kept)
    return min(nothing, of_a), min(nothing, of_b)


@part_of_kernel
def _least_cost(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    node: int,
    limit: float,
) -> float:
    """No merge of cluster a with one below the node costs less; inf when above the limit."""
    cost, cost_other = 0.0, 0.0
    for x in range(len(load)):
        if mode == EXTENT:
            cost += _least_union(attributes, clusters, tree, x, a, node)
        elif mode == CLUSTER:
            least = _least_union(attributes, clusters, tree, x, a, node)
            kept = rule_ratio(attributes, clusters.words, a, tree.all_words, node, x)
            weight, emphasis = attributes.prices[x, WEIGHT], attributes.prices[x, EMPHASIS]
            cost += cluster_lost(weight, emphasis, least, kept)
        else:
            of_a, of_b = _least_losses(
                attributes, clusters, tree, load[x], records, mode == SUPPRESS, x, a, node
            )
            cost += of_a
            cost_other += of_b
        if cost > limit and (mode != SUPPRESS or cost_other > limit):
            return np.inf
    return min(cost, cost_other) if mode == SUPPRESS else cost


@part_of_kernel
def _push_children(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    child: int,
    limit: float,
    top: int,
    by_place: bool,
) -> tuple[int, int]:
    """Put the children worth a visit on the stack, the better on top; new top, boxes tried.

    The better has the lower bound, or with `by_place` the cluster that is first in the list.
    """
    stack, bounds, branches = tree.stack, tree.bounds, tree.branches
    tried, below = 0, top
    for i in range(child, child + 2):
        if branches[i, FIRST_PLACE] == NOTHING:
            continue
        tried += 1
        bound = _least_cost(attributes, clusters, tree, load, records, mode, a, i, limit)
        if bound < np.inf:
            top += 1
            stack[top], bounds[top] = i, bound
    if top == below + 2:
        upper, lower = stack[top], stack[top - 1]
        if by_place:
            swap = branches[upper, FIRST_PLACE] > branches[lower, FIRST_PLACE]
        else:
            swap = bounds[top] > bounds[top - 1]
        if swap:
            stack[top], stack[top - 1] = lower, upper
            bounds[top], bounds[top - 1] = bounds[top - 1], bounds[top]
    return top, tried


@part_of_kernel
def _lowest_cost(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: Floats,
    records: int,
    mode: int,
    a: int,
) -> tuple[int, float, int, float, int]:
    """A cluster with the lowest cost, that cost and its side, the next to it, boxes tried.

    No other cluster costs less than the next: where it is more than TIE above, there is no tie.
    """
    branches, info = tree.branches, clusters.info
    chosen, best, chosen_side, following = -1, np.inf, 0, np.inf
    tried, top = 0, 0
    tree.stack[0], tree.bounds[0] = 0, 0.0
    while top >= 0:
        node, bound = int64(tree.stack[top]), tree.bounds[top]
        top -= 1
        if bound >= best:
            following = min(following, bound)
            continue
        child = int64(branches[node, CHILD])
        if child >= 0:
            top, boxes = _push_children(
                attributes, clusters, tree, load, records, mode, a, child, best + TIE, top, False
            )
            tried += boxes
            continue
        for b in range(int64(branches[node, BEGIN]), int64(branches[node, END])):
            if info[b, SIZE] == 0 or b == a:
                continue
            cost, side = merge_cost(attributes, clusters, load, records, mode, a, b, best + TIE)
            tried += 1
            if cost < best:
                following = min(following, best)
                chosen, best, chosen_side = b, cost, side
            else:
                following = min(following, cost)
    return chosen, best, chosen_side, following, tried


@part_of_kernel
def _first_within(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    limit: float,
    before: int,
) -> tuple[int, float, int, int]:
    """The first cluster in the list that costs no more than the limit; cost, side, boxes tried.

    Only those before a place count; -1 when there is none.
    """
    branches, info = tree.branches, clusters.info
    chosen, chosen_cost, chosen_place, chosen_side = -1, np.inf, before, 0
    tried, top = 0, 0
    tree.stack[0], tree.bounds[0] = 0, 0.0
    while top >= 0:
        node = int64(tree.stack[top])
        top -= 1
        if branches[node, FIRST_PLACE] >= chosen_place:
            continue
        child = int64(branches[node, CHILD])
        if child >= 0:
            top, boxes = _push_children(
                attributes, clusters, tree, load, records, mode, a, child, limit, top, True
            )
            tried += boxes
            continue
        for b in range(int64(branches[node, BEGIN]), int64(branches[node, END])):
            place = info[b, PLACE]
            if info[b, SIZE] == 0 or b == a or place >= chosen_place:
                continue
            cost, side = merge_cost(attributes, clusters, load, records, mode, a, b, limit)
            tried += 1
            if cost <= limit:
                chosen, chosen_cost, chosen_place, chosen_side = b, cost, place, side
    return chosen, chosen_cost, chosen_side, tried


@kernel
def cheapest_partner(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: Floats,
    records: int,
    mode: int,
    a: int,
) -> tuple[int, float, int, int]:
    """The cluster to merge a with: its number, the cost, the side that hides cells, boxes tried.

    First the lowest cost is found, which ties cannot hold up; then, only where another cost is
    within TIE of it, the first of those in the list.
    """
    chosen, cost, side, following, tried = _lowest_cost(
        attributes, clusters, tree, load, records, mode, a
    )
    if following <= cost + TIE:
        b, cost_b, side_b, boxes = _first_within(
            attributes,
            clusters,
            tree,
            load,
            records,
            mode,
            a,
            cost + TIE,
            int64(clusters.info[chosen, PLACE]),
        )
        tried += boxes
        if b >= 0:
            chosen, cost, side = b, cost_b, side_b
    return chosen, cost, side, tried
