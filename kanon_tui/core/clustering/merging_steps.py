"""The steps of merging: its two orders, and the choice of a partner.

Small clusters are merged by their place in the list, or the closest pair first.

Closest first: of all pairs of a cluster under k and any other, the one whose union costs least is
merged next; of pairs less than 1e-9 apart the one whose small cluster comes first in the list, and
of its partners the first. A union with a cluster that has grown costs no less than before, so the
least cost of a cluster only ever rises: a queue of costs, some of them out of date, needs a new
search only for those at its head.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from kanon_tui.core.clustering.events import GroupEvent, HiddenCells, LossFigure, moved_to
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.clustering.merging_events import (
    ClusterSeen,
    ClustersMerged,
    MergesMade,
    MergeTerms,
)
from kanon_tui.core.kernels import box_arrays as box
from kanon_tui.core.kernels import merging as kernel
from kanon_tui.core.numeric import TIE, Floats, Int32s
from kanon_tui.core.task.task import Line, Step

MERGE_SMALL = (
    Line("every distinct record is a cluster"),
    Line("while a cluster has fewer than k records:"),
    Line("take the first such cluster", 1),
)
_MOST_MERGES = 500  # in one step, so that a cancel takes effect soon
_COMPARED = 5
"""Partners of a cluster that are compared where one merge is one step."""


def merge_all(merging: Merging, turn: int = 0) -> Iterator[Step]:
    """Merge until no cluster is under k; with turns, until all small ones had theirs."""
    merging.list.tally[box.NEXT_PLACE] = 0  # from the beginning of the list again
    while True:
        single = merging.context.decisions_per_step == 1
        before = merging.utility
        merging.follow()
        event = next_merge(merging, turn) if single else None
        merges = merging.advance(turn)
        if not merges:
            return
        yield _step(merging, event, merges, before)
        merging.renew_tree()


def merge_closest(merging: Merging) -> Iterator[Step]:
    """Merge the closest two clusters, again and again, until none is under k."""
    queue = [(-1.0, place) for place in range(len(merging.list.at))]
    merges = 0
    before = merging.utility
    while (place := _next_place(merging, queue)) is not None:
        single = merging.context.decisions_per_step == 1
        merging.list.tally[box.NEXT_PLACE] = place
        merging.follow()
        event = next_merge(merging, 0) if single else None
        merging.list.tally[box.NEXT_PLACE] = place
        merges += merging.advance(0, most=1)
        finished = not merging.counters["under_k"]
        if finished or merges >= min(_MOST_MERGES, merging.context.decisions_per_step):
            yield _step(merging, event, merges, before)
            merges = 0
            before = merging.utility
        merging.renew_tree()


def _step(merging: Merging, event: ClustersMerged | None, merges: int, before: float) -> Step:
    """Return the step of one merge, or of several where nobody looked at one."""
    figure = LossFigure(merging.objective.utility, before, merging.utility)
    happened: GroupEvent
    if event is None:
        clusters = int(merging.list.tally[box.CLUSTERS_LEFT])
        under_k = int(merging.list.tally[box.UNDER_K])
        happened = merging.followed(MergesMade(clusters, under_k, figure, decisions=merges))
    else:
        happened = merging.followed(replace(event, figure=figure))
    happened = replace(happened, class_sizes=merging.sizes())
    return Step(happened, merging.counters, merging.progress)


def _next_place(merging: Merging, queue: list[tuple[float, int]]) -> int | None:
    """Return the place of the cluster to merge next; None where none is under k.

    `queue` is a heap of places in the list, by lower bounds on the cost of their merges.
    """
    tried: list[tuple[float, int]] = []
    least = float("inf")
    while queue and queue[0][0] <= least + TIE:
        _, place = heappop(queue)
        c = int(merging.list.at[place])
        if c >= 0 and merging.clusters.info[c, box.SIZE] < merging.task.k:
            partner = kernel.cheapest_partner(merging.state, merging.tree, c)
            merging.list.tally[box.PATIENCE] -= partner.tried - merging.list.tally[box.USUAL]
            tried.append((partner.cost, place))
            least = min(least, partner.cost)
    for entry in tried:
        heappush(queue, entry)
    return min((place for cost, place in tried if cost <= least + TIE), default=None)


def next_merge(merging: Merging, turn: int) -> ClustersMerged | None:
    """Return the next merge before it is made; None where there is none."""
    task = merging.task
    clusters = merging.clusters
    place = kernel.next_small(clusters, merging.list, turn, task.k)
    if place == len(merging.list.at):
        return None
    small = int(merging.list.at[place])
    chosen, cost, side, _ = kernel.cheapest_partner(merging.state, merging.tree, small)
    wide = np.empty(len(task.quasi))
    hides = np.empty(len(task.quasi), dtype=np.bool_)
    kernel.union_extents(merging.state, small, chosen, side, wide, hides)
    partners = _cheapest_partners(merging, small, chosen, cost)
    event = ClustersMerged(
        merging.objective,
        LossFigure(merging.objective.utility, merging.utility, merging.utility),
        _seen(merging, small),
        tuple(_seen(merging, int(partner)) for partner in partners.clusters),
        _scores(merging, partners.costs),
        int(merging.list.tally[box.CLUSTERS_LEFT]) - 1,
        hides,
        side == kernel.HIDE_SMALL,
        wide * merging.price_of_extent(),
        _terms(merging, small, chosen),
        not merging.list.tally[box.MERGES],
    )
    if not merging.context.watched:
        return event
    joining = merging.rows(small)
    joined = merging.rows(chosen)
    hidden = None
    if hides.any():
        records = joining if side == kernel.HIDE_SMALL else joined
        hidden = HiddenCells(records, np.tile(hides, (len(records), 1)))
    moves = moved_to(event.other.number, joining)
    return replace(event, records=np.concatenate([joining, joined]), moves=moves, hidden=hidden)


class _Partners(NamedTuple):
    clusters: Int32s
    costs: Floats


def _cheapest_partners(merging: Merging, small: int, chosen: int, cost: float) -> _Partners:
    """Return the partner that was chosen at a cost, and those that come next."""
    info = merging.clusters.info
    costs = np.empty(len(info))
    kernel.costs_with(merging.state, small, costs)
    costs[(info[:, box.SIZE] == 0) | np.isin(np.arange(len(info)), [small, chosen])] = np.inf
    runners_up = np.lexsort((info[:, box.PLACE], costs))[: _COMPARED - 1]
    runners_up = runners_up[costs[runners_up] < np.inf]
    clusters = np.append(chosen, runners_up).astype(np.int32)
    return _Partners(clusters, np.append(cost, costs[runners_up]))


def _scores(merging: Merging, costs: Floats) -> Floats:
    """Return the scores of merges with these costs, in the terms of the paper."""
    objective = merging.objective
    if objective.mode == kernel.EXTENT:
        return costs
    weights = merging.attributes.prices[:, box.WEIGHT]
    best = weights.sum()
    if not objective.of_union:
        best = merging.values(merging.load, np.ones_like(weights)).sum()
    return np.asarray(best - costs, dtype=np.float64)


def _seen(merging: Merging, cluster: int) -> ClusterSeen:
    """Return a cluster with the values that it shows."""
    members = merging.members(cluster)
    first = merging.distinct.first[members]
    hidden = merging.clusters.hidden[members]
    shown = tuple(
        np.unique(attribute.column.codes[first[~hidden[:, x]]])
        for x, attribute in enumerate(merging.task.quasi)
    )
    info = merging.clusters.info[cluster]
    return ClusterSeen(int(info[box.PLACE]), int(info[box.SIZE]), shown)


def _terms(merging: Merging, small: int, chosen: int) -> MergeTerms:
    """Return what the score of a merge is computed from."""
    union = np.empty(len(merging.task.quasi))
    unused = np.empty(len(union), dtype=np.bool_)
    kernel.union_extents(merging.state, small, chosen, kernel.HIDE_NONE, union, unused)
    both = np.array([small, chosen])
    clusters = merging.clusters
    hide = merging.attributes.prices[:, box.HIDE].copy()
    load = merging.load.copy()
    return MergeTerms(union, load, clusters.shown[both], clusters.extents[both], hide)
