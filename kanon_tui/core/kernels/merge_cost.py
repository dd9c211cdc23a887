"""What it costs to merge two clusters.

Every objective is a cost that is a sum of terms ≥ 0, one per attribute. A sum can be given up as
soon as it is too high. With E the extent of the union and D the sum of records × span over all
clusters:

- `EXTENT` (bottom-up, euclidean): E.
- `RELEASE` (udc): w·n/D − w·n/D(after)·DR, which is what the attribute's research value loses; the
  highest score has the lowest loss.
- `CLUSTER` (udc, objective cluster): w − w/span·DR of the merged cluster.
- `SUPPRESS` (udc-suppress): as `RELEASE`, but per attribute the cells of one of the two sides may
  be hidden, where that loses less.

With a rule emphasis f other than ½ a product G · DR is G^(2(1−f)) · DR^(2f). Terms stay ≥ 0, rise
with D and the span and fall with DR, which is what all bounds rest on.

`tests/core/algorithms/twins/merging.py` scores every pair from the values of its records.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    EMPHASIS,
    HIDE,
    HIGH,
    KIND,
    LOW,
    SET,
    WEIGHT,
    Attributes,
    Clusters,
)
from kanon_tui.core.kernels.boxes import rule_ratio, set_extent, union_count, width
from kanon_tui.core.numeric import TIE, Floats

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
EVEN = 0.5
_ROUNDING = 1e-13


@part_of_kernel
def emphasised(detail: float, kept: float, emphasis: float) -> float:
    """Granularity · DR with an emphasis. What rounding leaves of no DR at all counts as none."""
    rules = kept if kept > _ROUNDING else 0.0
    return float(detail ** (2.0 * (1.0 - emphasis)) * rules ** (2.0 * emphasis))


@part_of_kernel
def value_lost(
    weight: float, emphasis: float, records: int, load: float, more: float, kept: float
) -> float:
    """What research value loses when D grows from records + load by `more` and DR is `kept`."""
    if more <= 0.0 and kept == 1.0:
        return 0.0
    before = records + load
    if emphasis != EVEN:
        left = emphasised(records / (before + more), kept, emphasis)
        return weight * (emphasised(records / before, 1.0, emphasis) - left)
    scale = weight * records
    return scale / before - scale * kept / (before + more)


@part_of_kernel
def cluster_lost(weight: float, emphasis: float, wide: float, kept: float) -> float:
    """What a cluster of this extent and DR lacks of its attribute's weight."""
    if emphasis != EVEN:
        return weight * (1.0 - emphasised(1.0 / (1.0 + wide), kept, emphasis))
    return weight * (1.0 - kept / (1.0 + wide))


@part_of_kernel
def union_extent(attributes: Attributes, clusters: Clusters, x: int, a: int, b: int) -> float:
    """Extent of the union of two clusters."""
    boxes = clusters.boxes
    if attributes.facts[x, KIND] == SET:
        return set_extent(attributes, x, union_count(attributes, clusters, x, a, b))
    low = min(boxes[a, x, LOW], boxes[b, x, LOW])
    high = max(boxes[a, x, HIGH], boxes[b, x, HIGH])
    return width(attributes, x, low, high)


@part_of_kernel
def losses_by_hiding(
    attributes: Attributes,
    clusters: Clusters,
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
    extents, words = clusters.extents, clusters.words
    shown_a, shown_b = clusters.shown[a, x], clusters.shown[b, x]
    weight, hide = attributes.prices[x, WEIGHT], attributes.prices[x, HIDE]
    emphasis = attributes.prices[x, EMPHASIS]
    more = shown_a * (wide - extents[a, x]) + shown_b * (wide - extents[b, x])
    kept = rule_ratio(attributes, words, a, words, b, x)
    nothing = value_lost(weight, emphasis, records, load[x], more, kept)
    of_a, of_b = nothing, nothing
    if nothing > TIE:
        kept = rule_ratio(attributes, words, b, words, b, x)
        more = shown_a * (hide - extents[a, x])
        better = value_lost(weight, emphasis, records, load[x], more, kept)
        if better < nothing - TIE:
            of_a = better
        kept = rule_ratio(attributes, words, a, words, a, x)
        more = shown_b * (hide - extents[b, x])
        better = value_lost(weight, emphasis, records, load[x], more, kept)
        if better < nothing - TIE:
            of_b = better
    return nothing, of_a, of_b


@part_of_kernel
def merge_cost(
    attributes: Attributes,
    clusters: Clusters,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    b: int,
    limit: float,
) -> tuple[float, int]:
    """Cost of merging cluster a into b and the side that hides cells; inf when above the limit."""
    prices, shown, words = attributes.prices, clusters.shown, clusters.words
    cost, cost_small, cost_other = 0.0, 0.0, 0.0
    for x in range(len(attributes.facts)):
        wide = union_extent(attributes, clusters, x, a, b)
        if mode == EXTENT:
            cost += wide
        elif mode == CLUSTER:
            kept = rule_ratio(attributes, words, a, words, b, x)
            cost += cluster_lost(prices[x, WEIGHT], prices[x, EMPHASIS], wide, kept)
        elif mode == RELEASE:
            kept = rule_ratio(attributes, words, a, words, b, x)
            more = shown[a, x] * (wide - clusters.extents[a, x])
            more += shown[b, x] * (wide - clusters.extents[b, x])
            cost += value_lost(prices[x, WEIGHT], prices[x, EMPHASIS], records, load[x], more, kept)
        else:
            nothing, of_a, of_b = losses_by_hiding(
                attributes, clusters, load, records, wide, x, a, b
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
