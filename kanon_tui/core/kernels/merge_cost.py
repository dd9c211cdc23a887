"""What it costs to merge two clusters.

Every objective is a cost that is a sum of terms ≥ 0, one per attribute, so that a trial can stop as
soon as its partial sum is too high. With E the extent of the union and D the sum of records × span
over all clusters:

- `EXTENT` (bottom-up, euclidean): E.
- `RELEASE` (udc): w·n/D − w·n/D(after)·DR, which is what the attribute's research value loses; the
  highest score has the lowest loss.
- `CLUSTER` (udc, objective cluster): w − w/span·DR of the merged cluster.
- `SUPPRESS` (udc-suppress): as `RELEASE`, but per attribute the cells of one of the two sides may
  be hidden, where that loses less.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels.box_arrays import HIDE, HIGH, KIND, LOW, SET, SHOWN, WEIGHT
from kanon_tui.core.kernels.boxes import extent, ratio, set_extent, uncounted, union_count
from kanon_tui.core.numeric import TIE, Floats, Int32s, Int64s, Words

__all__ = [
    "CLUSTER",
    "EXTENT",
    "HIDE_NONE",
    "HIDE_OTHER",
    "HIDE_SMALL",
    "RELEASE",
    "SUPPRESS",
]

EXTENT, RELEASE, CLUSTER, SUPPRESS = 0, 1, 2, 3
HIDE_NONE, HIDE_SMALL, HIDE_OTHER = 0, 1, 2


@uncounted
def loss(weight: float, records: int, load: float, more: float, kept: float) -> float:
    """What research value loses when D grows from records + load by `more` and DR is `kept`."""
    if more <= 0.0 and kept == 1.0:
        return 0.0
    before = records + load
    scale = weight * records
    return scale / before - scale * kept / (before + more)


@uncounted
def union_extent(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    boxes: Int32s,
    words: Words,
    info: Int32s,
    links: Int32s,
    x: int,
    a: int,
    b: int,
) -> float:
    """Extent of the union of two clusters."""
    if facts[x, KIND] == SET:
        return set_extent(prices, x, union_count(facts, boxes, words, info, links, x, a, b))
    low = min(boxes[a, x, LOW], boxes[b, x, LOW])
    high = max(boxes[a, x, HIGH], boxes[b, x, HIGH])
    return extent(facts, prices, line, nodes, x, low, high)


@uncounted
def losses(
    facts: Int64s,
    prices: Floats,
    importance: Floats,
    boxes: Int32s,
    extents: Floats,
    words: Words,
    load: Floats,
    records: int,
    wide: float,
    x: int,
    a: int,
    b: int,
) -> tuple[float, float, float]:
    """Loss of an attribute when nothing, the cells of a, or the cells of b are hidden.

    `wide` is the extent of the union. Where hiding is no better it counts as hiding nothing.
    """
    shown_a, shown_b = boxes[a, x, SHOWN], boxes[b, x, SHOWN]
    weight, hide = prices[x, WEIGHT], prices[x, HIDE]
    more = shown_a * (wide - extents[a, x]) + shown_b * (wide - extents[b, x])
    kept = ratio(facts, prices, importance, words, a, words, b, x)
    nothing = loss(weight, records, load[x], more, kept)
    of_a, of_b = nothing, nothing
    if nothing > TIE:
        kept = ratio(facts, prices, importance, words, b, words, b, x)
        better = loss(weight, records, load[x], shown_a * (hide - extents[a, x]), kept)
        if better < nothing - TIE:
            of_a = better
        kept = ratio(facts, prices, importance, words, a, words, a, x)
        better = loss(weight, records, load[x], shown_b * (hide - extents[b, x]), kept)
        if better < nothing - TIE:
            of_b = better
    return nothing, of_a, of_b


@uncounted
def trial(
    facts: Int64s,
    prices: Floats,
    line: Floats,
    nodes: Int32s,
    importance: Floats,
    boxes: Int32s,
    extents: Floats,
    words: Words,
    info: Int32s,
    links: Int32s,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    b: int,
    limit: float,
) -> tuple[float, int]:
    """Cost of merging cluster a into b and the side that hides cells; inf when above the limit."""
    cost, cost_small, cost_other = 0.0, 0.0, 0.0
    for x in range(len(facts)):
        wide = union_extent(facts, prices, line, nodes, boxes, words, info, links, x, a, b)
        if mode == EXTENT:
            cost += wide
        elif mode == CLUSTER:
            kept = ratio(facts, prices, importance, words, a, words, b, x)
            cost += prices[x, WEIGHT] * (1.0 - kept / (1.0 + wide))
        elif mode == RELEASE:
            kept = ratio(facts, prices, importance, words, a, words, b, x)
            more = boxes[a, x, SHOWN] * (wide - extents[a, x])
            more += boxes[b, x, SHOWN] * (wide - extents[b, x])
            cost += loss(prices[x, WEIGHT], records, load[x], more, kept)
        else:
            nothing, of_a, of_b = losses(
                facts, prices, importance, boxes, extents, words, load, records, wide, x, a, b
            )
            cost += nothing
            cost_small += of_a
            cost_other += of_b
            if cost_small > limit and cost_other > limit:
                return np.inf, HIDE_NONE
            continue
        if cost > limit:
            return np.inf, HIDE_NONE
    if mode == SUPPRESS:
        if cost_small < cost - TIE and cost_small <= cost_other + TIE:
            return cost_small, HIDE_SMALL
        if cost_other < cost - TIE:
            return cost_other, HIDE_OTHER
    return cost, HIDE_NONE
