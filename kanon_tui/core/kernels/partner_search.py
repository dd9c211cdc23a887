"""Which cluster to merge a cluster with, without trying them all.

A union with any box below a node of the tree covers at least what all of them have in common, so
its cost has a lower bound. Nodes are visited by rising bounds, until the next is no lower than the
best cost found. Clusters that share a rare value with the cluster are listed, and tried before: in
the tree its rare values count as values that nobody else has.

The answer is that of trying all: the lowest cost, and among those less than `TIE` above it the
cluster that comes first in the list. In the worst case all of them are tried, on data a few dozen.
`tests/core/algorithms/twins/merging.py` does try all.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import called_by_kernels, kernel, part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    CHAIN,
    EMPHASIS,
    HIDE,
    HIGH,
    KIND,
    LINE,
    LOW,
    MISSING_PLACE,
    NOTHING,
    OFTEN,
    PLACE,
    SET,
    SIZE,
    START,
    UNIT,
    VALUES,
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
    LEAF,
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
        bits = clusters.words[a, facts[x, OFTEN]]
        foreign = tree.alone[x] + count_bits(bits & ~tree.some_words[node, facts[x, OFTEN]])
        common = count_bits(tree.all_words[node, facts[x, OFTEN]] & ~bits)
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
        bits = clusters.words[a, facts[x, OFTEN]]
        foreign = tree.alone[x] + count_bits(bits & ~tree.some_words[node, facts[x, OFTEN]])
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
def _push(tree: PartnerTree, top: int, node: int, key: float) -> None:
    """Put a node on the heap, whose last place is then `top`."""
    heap, keys = tree.heap, tree.keys
    above = (top - 1) // 2
    while top > 0 and keys[above] > key:
        heap[top], keys[top] = heap[above], keys[above]
        top, above = above, (above - 1) // 2
    heap[top], keys[top] = node, key


@part_of_kernel
def _pop(tree: PartnerTree, top: int) -> None:
    """Take the first node off the heap, whose last place was `top`."""
    heap, keys = tree.heap, tree.keys
    node, key = heap[top], keys[top]
    at, child = 0, 1
    while child < top:
        if child + 1 < top and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        heap[at], keys[at] = heap[child], keys[child]
        at, child = child, 2 * child + 1
    heap[at], keys[at] = node, key


@part_of_kernel
def _sharers(attributes: Attributes, clusters: Clusters, tree: PartnerTree, a: int) -> int:
    """Make the clusters that share a rare value with cluster a candidates; how many there are.

    Where they would be too many, a value is left to the tree.
    """
    facts, links = attributes.facts, clusters.links
    count = 0
    for x in range(len(facts)):
        chain = facts[x, CHAIN]
        tree.alone[x] = 0
        if chain < 0:
            continue
        step, code = 1 + chain, 1 + chain + (links.shape[1] - 1) // 2
        row = clusters.info[a, VALUES + chain]
        while row >= 0:
            value = facts[x, START] + links[row, code]
            begin, end = int64(tree.rare_starts[value]), int64(tree.rare_starts[value + 1])
            if begin < end and count + end - begin <= len(tree.candidates) - LEAF:
                tree.alone[x] += 1
                for i in range(begin, end):
                    tree.candidates[count] = tree.owner[tree.rare_rows[i]]
                    count += 1
            row = links[row, step]
    return count


@called_by_kernels
def _search(
    attributes: Attributes,
    clusters: Clusters,
    tree: PartnerTree,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    sharers: int,
    limit: float,
    before: int,
) -> tuple[int, float, int, float, int]:
    """A cluster with the lowest cost, its cost and side, what the next costs at least, boxes tried.

    With `before` a place in the list it is instead the first cluster before it that costs no more
    than the limit; -1 where there is none.
    """
    branches, info, candidates = tree.branches, clusters.info, tree.candidates
    by_place = before < NOTHING
    chosen, best, chosen_side, following = -1, np.inf, 0, np.inf
    tried, node, top, begin, end = 0, 0, -1, 0, sharers
    while True:
        for i in range(begin, end):
            b = int64(candidates[i])
            place = int64(info[b, PLACE])
            if b in (a, chosen) or place >= before:
                continue
            cost, side = merge_cost(attributes, clusters, load, records, mode, a, b, limit)
            tried += 1
            if by_place and cost <= limit:
                chosen, best, chosen_side, before = b, cost, side, place
            elif not by_place and cost < best:
                following, limit = best, cost + TIE
                chosen, best, chosen_side = b, cost, side
            elif not by_place:
                following = min(following, cost)
        if node < 0:
            if top < 0 or tree.keys[0] >= (before if by_place else best):
                break
            node = int64(tree.heap[0])
            _pop(tree, top)
            top -= 1
        begin, end = sharers, sharers
        child = int64(branches[node, CHILD])
        if child < 0:
            for b in range(int64(branches[node, BEGIN]), int64(branches[node, END])):
                if info[b, SIZE] > 0:
                    candidates[end] = b
                    end += 1
        node, lower = -1, float(before if by_place else best)
        for i in range(child, child + 2 if child >= 0 else child):
            if branches[i, FIRST_PLACE] >= before:
                continue
            tried += 1
            key = _least_cost(attributes, clusters, tree, load, records, mode, a, i, limit)
            if key == np.inf:
                continue
            if by_place:
                key = float(branches[i, FIRST_PLACE])
            if key < lower:
                if node >= 0:
                    top += 1
                    _push(tree, top, node, lower)
                node, lower = i, key
            else:
                top += 1
                _push(tree, top, i, key)
    if top >= 0 and not by_place:
        following = min(following, tree.keys[0])
    return chosen, best, chosen_side, following, tried


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
    count = _sharers(attributes, clusters, tree, a)
    limit, before = np.inf, NOTHING
    chosen, cost, side, following, tried = _search(
        attributes, clusters, tree, load, records, mode, a, count, limit, before
    )
    if following <= cost + TIE:
        limit, before = cost + TIE, int64(clusters.info[chosen, PLACE])
        b, cost_b, side_b, _, boxes = _search(
            attributes, clusters, tree, load, records, mode, a, count, limit, before
        )
        tried += boxes
        if b >= 0:
            chosen, cost, side = b, cost_b, side_b
    return chosen, cost, side, tried
