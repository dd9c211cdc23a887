"""Extents, unions and rules of boxes; `box_arrays` says what a box is.

Everything here is a part of other kernels and costs O(1) per attribute, but for long sets, whose
lists are walked, and trees, whose parents are. `tests/core/algorithms/twins/merging.py` computes
the same from sets of values.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import part_of_kernel
from kanon_tui.core.kernels.box_arrays import (
    BITS,
    CHAIN,
    FIRST,
    FOLLOWING,
    HEAD,
    HIGH,
    IMPORTANCE,
    KIND,
    LINE,
    LOW,
    MISSING,
    MISSING_PLACE,
    MIXED,
    OFTEN,
    RULE_WORDS,
    SECOND,
    SET,
    SHIFT,
    START,
    TREE,
    UNIT,
    VALUES,
    WHOLE,
    Attributes,
    Clusters,
)
from kanon_tui.core.numeric import Int32s, Words

__all__: list[str] = []  # all of it is for kernels only

_ONE = np.uint64(1)


@part_of_kernel
def int64(number: float | np.int32) -> int:
    """A whole number of an array as kernels hand it on; else each would be compiled twice."""
    return int(np.int64(number))


@part_of_kernel
def count_bits(word: np.uint64) -> int:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@part_of_kernel
def common_ancestor(nodes: Int32s, start: int, low: int, high: int) -> int:
    """The lowest node of a tree that has both ranks below it."""
    node = start + low
    while nodes[node, 1] < high:
        node = start + nodes[node, 2]
    return node


@part_of_kernel
def extent(attributes: Attributes, x: int, low: int, high: int) -> float:
    """Extent of the smallest box from one code or rank to another; not for sets."""
    if low >= high:
        return 0.0
    facts, prices, line, nodes, _ = attributes
    start = facts[x, START]
    if facts[x, KIND] == LINE:
        if high == facts[x, MISSING]:
            return float(prices[x, MIXED])
        return float(line[start + high] - line[start + low])
    node = common_ancestor(nodes, start, low, high)
    covered = nodes[node, 1] - nodes[node, 0] + 1
    return float(prices[x, UNIT] * covered + prices[x, SHIFT])


@part_of_kernel
def width(attributes: Attributes, x: int, low: float, high: float) -> float:
    """Extent of the smallest box from one place or rank to another; not for sets."""
    if low >= high:
        return 0.0
    if attributes.facts[x, KIND] == LINE:
        return float(attributes.prices[x, MIXED] if high == MISSING_PLACE else high - low)
    return extent(attributes, x, int64(low), int64(high))


@part_of_kernel
def set_extent(attributes: Attributes, x: int, count: int) -> float:
    """Extent of a set of so many values."""
    if count <= 1:
        return 0.0
    return float(attributes.prices[x, UNIT] * count + attributes.prices[x, SHIFT])


@part_of_kernel
def union_count(attributes: Attributes, clusters: Clusters, x: int, a: int, b: int) -> int:
    """How many values the sets of two clusters have together."""
    facts, boxes, words = attributes.facts, clusters.boxes, clusters.words
    info, links = clusters.info, clusters.links
    column, chain = facts[x, BITS], facts[x, CHAIN]
    if chain < 0:
        return count_bits(words[a, column] | words[b, column])
    count = int64(boxes[a, x, HIGH]) + int64(boxes[b, x, HIGH])
    if words[a, column] & words[b, column] == 0:
        return count
    step, code = 1 + chain, 1 + chain + (links.shape[1] - 1) // 2
    row, other = info[a, VALUES + chain], info[b, VALUES + chain]
    while row >= 0 and other >= 0:
        value, other_value = links[row, code], links[other, code]
        if value == other_value:
            count -= 1
        if value <= other_value:
            row = links[row, step]
        if other_value <= value:
            other = links[other, step]
    return count


@part_of_kernel
def rule_ratio(attributes: Attributes, words: Words, a: int, more: Words, b: int, x: int) -> float:
    """DR of the union of box a of one table of words and box b of another."""
    facts, prices, importance = attributes.facts, attributes.prices, attributes.importance
    kept = 1.0
    for w in range(facts[x, RULE_WORDS]):
        first, second = facts[x, FIRST] + w, facts[x, SECOND] + w
        broken = (words[a, first] | more[b, first]) & (words[a, second] | more[b, second])
        r = 0
        while broken != 0:
            if broken & _ONE:
                kept -= importance[facts[x, IMPORTANCE] + w, r] / prices[x, WHOLE]
            broken = broken >> _ONE
            r += 1
    return kept


@part_of_kernel
def absorb(attributes: Attributes, clusters: Clusters, x: int, a: int, b: int) -> None:
    """Widen cluster b along an attribute so that it also covers cluster a."""
    facts, nodes = attributes.facts, attributes.nodes
    boxes, extents, words = clusters.boxes, clusters.extents, clusters.words
    clusters.shown[b, x] += clusters.shown[a, x]
    for w in range(2 * facts[x, RULE_WORDS]):
        words[b, facts[x, FIRST] + w] |= words[a, facts[x, FIRST] + w]
    low = min(boxes[a, x, LOW], boxes[b, x, LOW])
    boxes[b, x, LOW] = low
    if facts[x, KIND] == SET:
        count = union_count(attributes, clusters, x, a, b)
        boxes[b, x, HIGH] = count
        extents[b, x] = set_extent(attributes, x, count)
        words[b, facts[x, BITS]] |= words[a, facts[x, BITS]]
        words[b, facts[x, OFTEN]] |= words[a, facts[x, OFTEN]]
        if facts[x, CHAIN] >= 0:
            _join_lists(clusters.info, clusters.links, facts[x, CHAIN], a, b)
        return
    high = max(boxes[a, x, HIGH], boxes[b, x, HIGH])
    boxes[b, x, HIGH] = high
    extents[b, x] = width(attributes, x, low, high)
    if facts[x, KIND] == TREE and low < high:
        node = common_ancestor(nodes, facts[x, START], int64(low), int64(high))
        boxes[b, x, LOW], boxes[b, x, HIGH] = nodes[node, 0], nodes[node, 1]


@part_of_kernel
def _join_lists(info: Int32s, links: Int32s, chain: int, a: int, b: int) -> None:
    """Merge the sorted lists of values; a value that both have stays once."""
    step, code = 1 + chain, 1 + chain + (links.shape[1] - 1) // 2
    row, other = info[a, VALUES + chain], info[b, VALUES + chain]
    last = -1
    while row >= 0 or other >= 0:
        if other < 0 or (row >= 0 and links[row, code] < links[other, code]):
            taken = row
            row = links[row, step]
        else:
            if row >= 0 and links[row, code] == links[other, code]:
                row = links[row, step]
            taken = other
            other = links[other, step]
        if last < 0:
            info[b, VALUES + chain] = taken
        else:
            links[last, step] = taken
        last = taken
    if last >= 0:
        links[last, step] = -1


@part_of_kernel
def hide_all(attributes: Attributes, clusters: Clusters, x: int, c: int) -> None:
    """Hide an attribute of all records of a cluster."""
    facts, boxes, words = attributes.facts, clusters.boxes, clusters.words
    info, links = clusters.info, clusters.links
    row = info[c, HEAD]
    while row >= 0:
        clusters.hidden[row, x] = True
        row = links[row, FOLLOWING]
    clusters.extents[c, x] = 0.0
    boxes[c, x, LOW], boxes[c, x, HIGH], clusters.shown[c, x] = np.inf, -np.inf, 0
    if facts[x, KIND] == SET:
        boxes[c, x, HIGH] = 0
        words[c, facts[x, BITS]] = np.uint64(0)
        words[c, facts[x, OFTEN]] = np.uint64(0)
        if facts[x, CHAIN] >= 0:
            info[c, VALUES + facts[x, CHAIN]] = -1
    for w in range(2 * facts[x, RULE_WORDS]):
        words[c, facts[x, FIRST] + w] = np.uint64(0)
