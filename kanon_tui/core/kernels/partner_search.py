"""Which cluster to merge a cluster with, without trying them all.

A union with any box below a node of the tree covers at least what all of them have in common, so
its cost has a lower bound, and a node whose bound exceeds the best cost found is passed over.

The answer is that of trying all: the lowest cost, and among those less than `TIE` above it the
cluster that comes first in the list.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import (
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
    Attributes,
    Clusters,
)
from kanon_tui.core.kernels.boxes import count_bits, extent, long, ratio, set_extent, uncounted
from kanon_tui.core.kernels.merge_cost import CLUSTER, EXTENT, SUPPRESS, loss, trial
from kanon_tui.core.kernels.partner_tree import (
    ALIVE,
    ALL_HIGH,
    ALL_LOW,
    BEGIN,
    CHILD,
    END,
    FIRST_PLACE,
    LEAST_SHOWN,
    SOME_HIGH,
    SOME_LOW,
    Tree,
)
from kanon_tui.core.numeric import TIE, Floats, Int32s, Int64s, Words

__all__ = ["nearest"]


@uncounted
def _least_union(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    boxes: Int32s,
    words: Words,
    reach: Int32s,
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
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    importance: Floats,
    boxes: Int32s,
    extents: Floats,
    words: Words,
    reach: Int32s,
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
    attributes: Attributes,
    clusters: Clusters,
    tree: Tree,
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
            node, bound = long(stack[top]), bounds[top]
            top -= 1
            if bound > best + TIE or (bound >= best and branches[node, FIRST_PLACE] > held_place):
                continue
            child = long(branches[node, CHILD])
            if child >= 0:
                waiting = top
                for i in range(child, child + 2):
                    if branches[i, ALIVE] == 0:
                        continue
                    tried += 1
                    bound = _bound(
                        facts,
                        prices,
                        line,
                        nodes,
                        importance,
                        boxes,
                        extents,
                        words,
                        reach,
                        least_hide,
                        all_words,
                        some_words,
                        load,
                        records,
                        mode,
                        a,
                        i,
                        best + TIE,
                    )
                    if bound < np.inf:
                        top += 1
                        stack[top], bounds[top] = i, bound
                if top == waiting + 2 and bounds[top] > bounds[top - 1]:  # the lower bound first
                    stack[top], stack[top - 1] = stack[top - 1], stack[top]
                    bounds[top], bounds[top - 1] = bounds[top - 1], bounds[top]
                continue
            for b in range(long(branches[node, BEGIN]), long(branches[node, END])):
                if info[b, SIZE] == 0 or b == a:
                    continue
                place = info[b, PLACE]
                cost, side = trial(
                    facts,
                    prices,
                    line,
                    nodes,
                    importance,
                    boxes,
                    extents,
                    words,
                    info,
                    links,
                    load,
                    records,
                    mode,
                    a,
                    b,
                    best + TIE if place < held_place else best,
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
