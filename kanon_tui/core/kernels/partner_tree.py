"""A tree over clusters that finds the best partner of one without trying them all.

A leaf holds a few clusters that lie together, an inner node what its two children hold. Every node
knows, per attribute, what all boxes below it have in common (`all_…`: the largest lowest and the
smallest highest value, the values and rule sides that everyone has) and what some box has
(`some_…`). A union with any box below the node covers at least what all have in common, so its cost
has a lower bound, and a node whose bound exceeds the best cost found is passed over.

The answer is that of trying all: the lowest cost, and among those less than `TIE` above it the
cluster that comes first in the list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.boxes import (
    BITS,
    HIDE,
    HIGH,
    KIND,
    LINE,
    LOW,
    MISSING,
    NOTHING,
    PLACE,
    SET,
    SHOWN,
    SIZE,
    START,
    UNIT,
    WEIGHT,
    AttributeArrays,
    ClusterArrays,
    Words,
)
from kanon_tui.core.kernels import Floats, Ints, Longs, kernel
from kanon_tui.core.kernels.boxes import count_bits, extent, ratio, set_extent, uncounted
from kanon_tui.core.kernels.trials import CLUSTER, EXTENT, SUPPRESS, TIE, loss, trial

__all__ = ["Tree", "TreeArrays", "divide", "grow", "nearest", "refresh"]

LEAF = 8
_SAMPLE = 32

# Columns of `Tree.branches`. BEGIN, END: its clusters. CHILD: its first child, the second comes
# next; -1 for a leaf. PARENT: -1 for the root. ALIVE: clusters not yet merged into another.
# FIRST_PLACE: lowest place in the list of clusters.
BEGIN, END, CHILD, PARENT, ALIVE, FIRST_PLACE = range(6)

# Last axis of `Tree.reach`. ALL_LOW: highest LOW of a box, ALL_HIGH: lowest HIGH; SOME_LOW: lowest
# LOW, SOME_HIGH: highest HIGH; LEAST_SHOWN: fewest records with a cell that is not hidden.
ALL_LOW, ALL_HIGH, SOME_LOW, SOME_HIGH, LEAST_SHOWN = range(5)


class Tree(NamedTuple):
    """Nodes of the tree; clusters stand in the order of the leaves."""

    branches: Ints  # nodes × columns above
    reach: Ints  # nodes × attributes × columns above
    least_hide: Floats  # nodes × attributes: least that hiding a whole cluster adds to D
    all_words: Words  # nodes × words: bits that all boxes have
    some_words: Words  # bits that some box has
    leaf_of: Ints  # per cluster
    stack: Ints  # scratch for a search
    bounds: Floats


TreeArrays = tuple[Ints, Ints, Floats, Words, Words, Ints, Ints, Floats]


@kernel
def _boundary(attributes: AttributeArrays, x: int, sample: Ints) -> tuple[float, int]:
    """How well an attribute parts a sorted sample, and the first value of the upper side."""
    facts, prices, line, nodes, _ = attributes
    size = len(sample)
    cut = 0
    for i in range(1, size):
        if sample[i - 1] < sample[i] and abs(2 * i - size) < abs(2 * cut - size):
            cut = i
    if cut == 0:
        return 0.0, 0
    if facts[x, KIND] == SET:
        crossing = set_extent(prices, x, 2)
    else:
        low, high = sample[cut // 2], sample[(cut + size) // 2]
        crossing = extent(facts, prices, line, nodes, x, low, high)
    return crossing * min(cut, size - cut), sample[cut]


@kernel
def divide(
    attributes: AttributeArrays, boxes: Ints, scale: Floats, order: Ints, branches: Ints
) -> tuple[int, int]:
    """Sort clusters into leaves; gives the number of nodes and the depth of the tree.

    `order` holds the clusters and ends in the order of the leaves; `branches` gets BEGIN, END,
    CHILD and PARENT of every node. A node is divided where that parts most clusters by the
    costliest difference, `scale` being the price of extent; a sample decides.
    """
    count, deepest = 1, 1
    branches[0, BEGIN], branches[0, END] = 0, len(order)
    branches[0, CHILD], branches[0, PARENT] = -1, -1
    depth = np.ones(len(branches), dtype=np.int32)
    node = 0
    while node < count:
        begin, end = branches[node, BEGIN], branches[node, END]
        size = end - begin
        deepest = max(deepest, depth[node])
        if size > LEAF:
            best, best_x, best_value = 0.0, -1, 0
            picks = min(size, _SAMPLE)
            sample = np.empty(picks, dtype=np.int32)
            for x in range(boxes.shape[1]):
                for i in range(picks):
                    sample[i] = boxes[order[begin + i * size // picks], x, LOW]
                sample.sort()
                gain, value = _boundary(attributes, x, sample)
                if gain * scale[x] > best:
                    best, best_x, best_value = gain * scale[x], x, value
            middle = begin
            if best_x >= 0:
                for i in range(begin, end):
                    if boxes[order[i], best_x, LOW] < best_value:
                        order[middle], order[i] = order[i], order[middle]
                        middle += 1
            else:
                middle = begin + size // 2
            branches[node, CHILD] = count
            branches[count, BEGIN], branches[count, END] = begin, middle
            branches[count + 1, BEGIN], branches[count + 1, END] = middle, end
            branches[count : count + 2, CHILD] = -1
            branches[count : count + 2, PARENT] = node
            depth[count : count + 2] = depth[node] + 1
            count += 2
        node += 1
    return count, deepest


@kernel
def _clear(
    branches: Ints, reach: Ints, least_hide: Floats, all_words: Words, some_words: Words, node: int
) -> None:
    """A node without clusters: all of none have everything, none of them has anything."""
    branches[node, ALIVE], branches[node, FIRST_PLACE] = 0, NOTHING
    for x in range(reach.shape[1]):
        reach[node, x, ALL_LOW], reach[node, x, ALL_HIGH] = -1, NOTHING
        reach[node, x, SOME_LOW], reach[node, x, SOME_HIGH] = NOTHING, -1
        reach[node, x, LEAST_SHOWN] = NOTHING
        least_hide[node, x] = np.inf
    for word in range(all_words.shape[1]):
        all_words[node, word], some_words[node, word] = ~np.uint64(0), np.uint64(0)


@kernel
def _sum_up(
    prices: Floats,
    boxes: Ints,
    extents: Floats,
    words: Words,
    info: Ints,
    branches: Ints,
    reach: Ints,
    least_hide: Floats,
    all_words: Words,
    some_words: Words,
    node: int,
) -> None:
    """Work out what a node knows from its clusters or its children."""
    _clear(branches, reach, least_hide, all_words, some_words, node)
    child = branches[node, CHILD]
    if child >= 0:
        for i in range(child, child + 2):
            branches[node, ALIVE] += branches[i, ALIVE]
            first = min(branches[node, FIRST_PLACE], branches[i, FIRST_PLACE])
            branches[node, FIRST_PLACE] = first
            for x in range(len(prices)):
                reach[node, x, ALL_LOW] = max(reach[node, x, ALL_LOW], reach[i, x, ALL_LOW])
                reach[node, x, ALL_HIGH] = min(reach[node, x, ALL_HIGH], reach[i, x, ALL_HIGH])
                reach[node, x, SOME_LOW] = min(reach[node, x, SOME_LOW], reach[i, x, SOME_LOW])
                reach[node, x, SOME_HIGH] = max(reach[node, x, SOME_HIGH], reach[i, x, SOME_HIGH])
                reach[node, x, LEAST_SHOWN] = min(reach[node, x, LEAST_SHOWN], reach[i, x, LEAST_SHOWN])
                least_hide[node, x] = min(least_hide[node, x], least_hide[i, x])
            for word in range(all_words.shape[1]):
                all_words[node, word] &= all_words[i, word]
                some_words[node, word] |= some_words[i, word]
        return
    for c in range(branches[node, BEGIN], branches[node, END]):
        if info[c, SIZE] == 0:
            continue
        branches[node, ALIVE] += 1
        branches[node, FIRST_PLACE] = min(branches[node, FIRST_PLACE], info[c, PLACE])
        for x in range(len(prices)):
            low, high, shown = boxes[c, x, LOW], boxes[c, x, HIGH], boxes[c, x, SHOWN]
            reach[node, x, ALL_LOW] = max(reach[node, x, ALL_LOW], low)
            reach[node, x, ALL_HIGH] = min(reach[node, x, ALL_HIGH], high)
            reach[node, x, SOME_LOW] = min(reach[node, x, SOME_LOW], low)
            reach[node, x, SOME_HIGH] = max(reach[node, x, SOME_HIGH], high)
            reach[node, x, LEAST_SHOWN] = min(reach[node, x, LEAST_SHOWN], shown)
            hide = shown * (prices[x, HIDE] - extents[c, x])
            least_hide[node, x] = min(least_hide[node, x], hide)
        for word in range(all_words.shape[1]):
            all_words[node, word] &= words[c, word]
            some_words[node, word] |= words[c, word]


@kernel
def grow(attributes: AttributeArrays, clusters: ClusterArrays, tree: TreeArrays) -> None:
    """Work out what every node knows; children come after their parents."""
    _, prices, _, _, _ = attributes
    boxes, extents, words, info, _, _ = clusters
    branches, reach, least_hide, all_words, some_words, leaf_of, _, _ = tree
    for node in range(len(branches) - 1, -1, -1):
        _sum_up(
            prices, boxes, extents, words, info,
            branches, reach, least_hide, all_words, some_words, node,
        )
        if branches[node, CHILD] < 0:
            for c in range(branches[node, BEGIN], branches[node, END]):
                leaf_of[c] = node


@kernel
def refresh(attributes: AttributeArrays, clusters: ClusterArrays, tree: TreeArrays, c: int) -> None:
    """Bring the nodes above a cluster up to date."""
    _, prices, _, _, _ = attributes
    boxes, extents, words, info, _, _ = clusters
    branches, reach, least_hide, all_words, some_words, leaf_of, _, _ = tree
    node = np.int64(leaf_of[c])
    while node >= 0:
        _sum_up(
            prices, boxes, extents, words, info,
            branches, reach, least_hide, all_words, some_words, node,
        )
        node = np.int64(branches[node, PARENT])


@uncounted
def _least_union(
    facts: Longs,
    prices: Floats,
    line: Floats,
    nodes: Ints,
    boxes: Ints,
    words: Words,
    reach: Ints,
    all_words: Words,
    some_words: Words,
    x: int,
    a: int,
    node: int,
) -> tuple[float, float]:
    """Least extent of a union with a box below the node, and least that a sticks out of one."""
    low, high = boxes[a, x, LOW], boxes[a, x, HIGH]
    if facts[x, KIND] == SET:
        bits = words[a, facts[x, BITS]]
        foreign = count_bits(bits & ~some_words[node, facts[x, BITS]])
        common = count_bits(all_words[node, facts[x, BITS]] & ~bits)
        count = max(high + common, reach[node, x, ALL_HIGH] + foreign)
        return set_extent(prices, x, count), prices[x, UNIT] * foreign
    if low > high:  # all hidden: the other box stays as it is
        return 0.0, 0.0
    least_low, least_high = min(low, reach[node, x, ALL_LOW]), max(high, reach[node, x, ALL_HIGH])
    least = extent(facts, prices, line, nodes, x, least_low, least_high)
    if reach[node, x, LEAST_SHOWN] == 0:
        return least, 0.0
    some_low, some_high = reach[node, x, SOME_LOW], reach[node, x, SOME_HIGH]
    missing = facts[x, MISSING]
    if facts[x, KIND] == LINE and high < missing and some_high < missing:
        start = facts[x, START]
        below = line[start + some_low] - line[start + low]
        above = line[start + high] - line[start + some_high]
        return least, max(below, 0.0) + max(above, 0.0)
    widest = extent(facts, prices, line, nodes, x, some_low, some_high)
    return least, max(least - widest, 0.0)


@uncounted
def _bound(
    facts: Longs,
    prices: Floats,
    line: Floats,
    nodes: Ints,
    importance: Floats,
    boxes: Ints,
    extents: Floats,
    words: Words,
    reach: Ints,
    least_hide: Floats,
    all_words: Words,
    some_words: Words,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    node: int,
    limit: float,
) -> float:
    """No merge of cluster a with one below the node costs less; stops when above the limit."""
    cost, cost_other = 0.0, 0.0
    for x in range(len(facts)):
        least, foreign = _least_union(
            facts, prices, line, nodes, boxes, words, reach, all_words, some_words, x, a, node
        )
        if mode == EXTENT:
            cost += least
        else:
            weight = prices[x, WEIGHT]
            kept = ratio(facts, prices, importance, words, a, all_words, node, x)
            if mode == CLUSTER:
                cost += weight * (1.0 - kept / (1.0 + least))
            else:
                shown = boxes[a, x, SHOWN]
                more = max(shown * (least - extents[a, x]), 0.0)
                more += reach[node, x, LEAST_SHOWN] * foreign
                nothing = loss(weight, records, load[x], more, kept)
                of_a, of_b = nothing, nothing
                if mode == SUPPRESS and nothing > 0.0:
                    kept = ratio(facts, prices, importance, all_words, node, all_words, node, x)
                    more = shown * (prices[x, HIDE] - extents[a, x])
                    of_a = min(nothing, loss(weight, records, load[x], more, kept))
                    kept = ratio(facts, prices, importance, words, a, words, a, x)
                    more = least_hide[node, x]
                    of_b = min(nothing, loss(weight, records, load[x], more, kept))
                cost += of_a
                cost_other += of_b
        if cost > limit and (mode != SUPPRESS or cost_other > limit):
            return np.inf
    return min(cost, cost_other) if mode == SUPPRESS else cost


@kernel
def nearest(
    attributes: AttributeArrays,
    clusters: ClusterArrays,
    tree: TreeArrays,
    load: Floats,
    records: int,
    mode: int,
    a: int,
) -> tuple[int, float, int, int]:
    """The cluster to merge a with: its number, the cost, the side that hides cells, boxes tried."""
    facts, prices, line, nodes, importance = attributes
    boxes, extents, words, info, links, _ = clusters
    branches, reach, least_hide, all_words, some_words, _, stack, bounds = tree
    best, held, held_cost, held_place, held_side = np.inf, -1, np.inf, NOTHING, 0
    tried = 0
    doubtful = False
    for attempt in range(2):
        if attempt == 1:
            # A cost within TIE of the best was forgotten for one that is no longer within TIE:
            # the best cost is known now, look again for the first cluster within TIE of it.
            if not doubtful:
                break
            held, held_cost, held_place = -1, np.inf, NOTHING
        top = 0
        stack[0], bounds[0] = 0, 0.0
        while top >= 0:
            node, bound = np.int64(stack[top]), bounds[top]
            top -= 1
            if bound > best + TIE or (bound >= best and branches[node, FIRST_PLACE] > held_place):
                continue
            if branches[node, CHILD] >= 0:
                i = np.int64(branches[node, CHILD])
                j = i + 1
                bound_i, bound_j = np.inf, np.inf
                if branches[i, ALIVE] > 0:
                    bound_i = _bound(
                        facts, prices, line, nodes, importance, boxes, extents, words,
                        reach, least_hide, all_words, some_words,
                        load, records, mode, a, i, best + TIE,
                    )
                if branches[j, ALIVE] > 0:
                    bound_j = _bound(
                        facts, prices, line, nodes, importance, boxes, extents, words,
                        reach, least_hide, all_words, some_words,
                        load, records, mode, a, j, best + TIE,
                    )
                if bound_i < bound_j:
                    i, j, bound_i, bound_j = j, i, bound_j, bound_i
                tried += 2
                if bound_i < np.inf:
                    top += 1
                    stack[top], bounds[top] = i, bound_i
                if bound_j < np.inf:
                    top += 1
                    stack[top], bounds[top] = j, bound_j
                continue
            for b in range(np.int64(branches[node, BEGIN]), np.int64(branches[node, END])):
                if info[b, SIZE] == 0 or b == a:
                    continue
                place = info[b, PLACE]
                cost, side = trial(
                    facts, prices, line, nodes, importance, boxes, extents, words, info, links,
                    load, records, mode, a, b, best + TIE if place < held_place else best,
                )
                tried += 1
                if cost < best:
                    if held_cost > cost + TIE:
                        doubtful = doubtful or best <= cost + TIE
                        held_place = NOTHING
                    best = cost
                if cost <= best + TIE and place < held_place:
                    held, held_cost, held_place, held_side = b, cost, place, side
    return held, held_cost, held_side, tried
