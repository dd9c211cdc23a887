"""Give the rows of a large group to the sides of two seeds, without looking at most of them.

Boxes only grow. A row that the box of the first side has already covered goes there whenever its
turn comes, and changes nothing; so a whole branch of the tree that is covered can be passed over. A
row covered by the box of the second side changes neither box: it goes to the second side unless
the first box covers it too when its turn comes, and that can be found out at the end, by letting
the first box grow once more. What is left are the rows that widen a box, and there are no more of
them than the group has values.

This needs that a box grows by more than a tie whenever it takes a row that it does not cover;
`kanon_tui.core.clustering.splitting` sees to it.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import BITS, CHAIN, KIND, NOTHING, SET, START, Attributes
from kanon_tui.core.kernels.boxes import long, uncounted
from kanon_tui.core.kernels.partner_tree import ALIVE, BEGIN, CHILD, END, FIRST_PLACE
from kanon_tui.core.kernels.splitting_boxes import box_growth, forget, widen
from kanon_tui.core.kernels.splitting_tree import (
    REACH_HIGH,
    REACH_LOW,
    GroupTree,
    furthest,
    nearest,
)
from kanon_tui.core.numeric import TIE, Flags, Int32s, Int64s, Words

__all__ = ["far_pair", "sides_by_tree"]

_FIRST, _SECOND, _REPLAY = 0, 1, 2  # boxes
_TURN = 1 << 32  # what waits is sorted by its turn, then comes what it is


@uncounted
def _covers(
    facts: Int64s,
    reach: Int32s,
    words: Words,
    low: Int32s,
    high: Int32s,
    present: Flags,
    box_words: Words,
    side: int,
    node: int,
) -> bool:
    """Whether the box of a side certainly covers every row of a node."""
    for x in range(len(facts)):
        lowest, highest = reach[node, x, REACH_LOW], reach[node, x, REACH_HIGH]
        if facts[x, KIND] != SET:
            if lowest < low[side, x] or highest > high[side, x]:
                return False
        elif facts[x, CHAIN] < 0:
            if words[node, facts[x, BITS]] & ~box_words[side, facts[x, BITS]] != 0:
                return False
        elif lowest != highest or not present[side, facts[x, START] + lowest]:
            return False
    return True


@uncounted
def _misses(
    facts: Int64s,
    reach: Int32s,
    words: Words,
    low: Int32s,
    high: Int32s,
    box_words: Words,
    side: int,
    node: int,
) -> bool:
    """Whether the box of a side certainly covers no row of a node."""
    for x in range(len(facts)):
        if facts[x, KIND] == SET:
            if words[node, facts[x, BITS]] & box_words[side, facts[x, BITS]] == 0:
                return True
        elif reach[node, x, REACH_HIGH] < low[side, x] or reach[node, x, REACH_LOW] > high[side, x]:
            return True
    return False


@kernel
def far_pair(
    attributes: Attributes, rows: Int32s, tree: GroupTree, start: int, rounds: int
) -> tuple[int, int, float]:
    """Walk from a row to the one furthest from it, and on; the last two and how far apart."""
    here, there, distance = start, start, 0.0
    for _ in range(rounds):
        here = there
        there, distance = furthest(attributes, rows, tree, here)
    return min(here, there), max(here, there), distance


@kernel
def sides_by_tree(
    attributes: Attributes,
    rows: Int32s,
    counts: Int32s,
    tree: GroupTree,
    members: Int32s,
    first: int,
    second: int,
    k: int,
    size: int,
    scan: float,
    present: Flags,
    side_of: Int32s,
) -> bool:
    """As `splitting` does it by looking at every row, for the rows of a tree with `size` records.

    `side_of` is 0 for all `members` and becomes 1 for those of the second side. At the start, when
    boxes are narrow, nearly every row widens one and a tree is of no use: as many as `scan` times
    the root of their number come in turn before the tree is asked.
    """
    facts, prices, line, nodes, _ = attributes
    branches, reach, words, items, _, _, _, _ = tree
    low = np.zeros((3, rows.shape[1]), dtype=np.int32)
    high = np.zeros((3, rows.shape[1]), dtype=np.int32)
    box_words = np.zeros((3, words.shape[1]), dtype=np.uint64)
    seeds = (first, second, first)
    for box in range(3):
        widen(
            facts, prices, line, nodes, rows, low, high, present, box_words, box, seeds[box], True
        )
    side_of[second] = 1
    second_size = long(counts[second])
    taken = [first, second]  # rows that widened a box
    widened_first = [first]
    covered_by_second = [0]  # nodes; a list says what it holds by what it held at first
    covered_by_second.clear()
    scanned = max(1, min(len(members), int(scan * np.sqrt(len(members)))))
    last = members[scanned - 1]
    waiting = [last * _TURN]  # the root, as soon as the rows up to the last one have had their turn
    turn = 0
    while turn < scanned or len(waiting):
        if turn < scanned:
            row = long(members[turn])
            turn += 1
            if row in (first, second):
                continue
        else:
            what = heappop(waiting) % _TURN
            row = what - len(branches)
        if row < 0:
            node = what
            if _covers(facts, reach, words, low, high, present, box_words, _FIRST, node):
                continue
            if _covers(facts, reach, words, low, high, present, box_words, _SECOND, node):
                covered_by_second.append(node)
                continue
            child = long(branches[node, CHILD])
            if child < 0:
                for i in range(branches[node, BEGIN], branches[node, END]):
                    row = long(items[i])
                    if row <= last or row in (first, second):
                        continue
                    if box_growth(
                        facts, prices, line, nodes, rows, low, high, present, _FIRST, row
                    ):
                        heappush(waiting, row * _TURN + len(branches) + row)
                continue
            for i in range(child, child + 2):
                if branches[i, ALIVE]:
                    heappush(waiting, branches[i, FIRST_PLACE] * _TURN + i)
            continue
        one = box_growth(facts, prices, line, nodes, rows, low, high, present, _FIRST, row)
        if one == 0.0:
            continue
        other = box_growth(facts, prices, line, nodes, rows, low, high, present, _SECOND, row)
        to = 0 if one <= other + TIE else 1
        side_of[row] = to
        second_size += to * counts[row]
        if to == 0 or other > 0.0:
            widen(facts, prices, line, nodes, rows, low, high, present, box_words, to, row, False)
            taken.append(row)
            if to == 0:
                widened_first.append(row)
    unsure = [0]  # rows that the first box may have covered before their turn
    unsure.clear()
    while len(covered_by_second):
        node = covered_by_second.pop()
        child = long(branches[node, CHILD])
        missed = _misses(facts, reach, words, low, high, box_words, _FIRST, node)
        if missed or child < 0:
            for i in range(branches[node, BEGIN], branches[node, END]):
                row = long(items[i])
                if row > last and row not in (first, second):
                    side_of[row] = 1
                    second_size += counts[row]
                    if not missed:
                        heappush(unsure, row)
            continue
        for i in range(child, child + 2):
            if branches[i, ALIVE]:
                covered_by_second.append(i)
    replayed = 1
    while len(unsure):
        row = heappop(unsure)
        while replayed < len(widened_first) and widened_first[replayed] < row:
            widen(
                facts,
                prices,
                line,
                nodes,
                rows,
                low,
                high,
                present,
                box_words,
                _REPLAY,
                widened_first[replayed],
                False,
            )
            replayed += 1
        if box_growth(facts, prices, line, nodes, rows, low, high, present, _REPLAY, row) == 0.0:
            side_of[row] = 0
            second_size -= counts[row]
    sizes = np.array([size - second_size, second_size])
    poor = 0 if sizes[0] < sizes[1] else 1
    enough = True
    while enough and sizes[poor] < k:
        row = nearest(
            attributes,
            rows,
            counts,
            tree,
            low,
            high,
            present,
            box_words,
            side_of,
            poor,
            sizes[1 - poor] - k,
        )
        enough = row != NOTHING
        if enough:
            side_of[row] = poor
            widen(facts, prices, line, nodes, rows, low, high, present, box_words, poor, row, False)
            taken.append(row)
            sizes[poor] += counts[row]
            sizes[1 - poor] -= counts[row]
    forget(facts, rows, np.array(taken, dtype=np.int32), present)
    return enough
