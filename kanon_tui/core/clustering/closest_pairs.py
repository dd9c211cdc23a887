"""The order of merges in which the closest two clusters come first.

Of all pairs of a cluster under k and any other, the one whose union costs least is merged next; of
pairs less than 1e-9 apart the one whose small cluster comes first in the list, and of its partners
the first. A union with a cluster that has grown costs no less than before, so that the least cost
of a cluster only ever rises: a queue of costs, some of them out of date, needs a new search only
for those at its head.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Any

from kanon_tui.core.clustering.box_sentences import change
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.clustering.merging_sentences import many_merges, tell_merge
from kanon_tui.core.kernels.box_arrays import NEXT_PLACE, SIZE
from kanon_tui.core.kernels.merging import cheapest_partner
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.steps import Step

__all__ = ["merge_closest"]

_MOST_MERGES = 500  # of one step, so that a cancel is heard


def merge_closest(merging: Merging) -> Iterator[Step]:
    """Merge the closest two clusters, again and again, until none is under k."""
    queue = _Queue(merging)
    merges, before = 0, merging.utility
    while (place := queue.next()) is not None:
        step_by_step = merging.context.decisions_per_step == 1
        merging.list.tally[NEXT_PLACE] = place
        sentence = tell_merge(merging, 0) if step_by_step else None
        merging.list.tally[NEXT_PLACE] = place
        merges += merging.advance(0, most=1)
        done = not merging.counters["under_k"]
        if done or merges >= min(_MOST_MERGES, merging.context.decisions_per_step):
            yield _step(merging, sentence, merges, before)
            merges, before = 0, merging.utility
        merging.renew_tree()


def _step(
    merging: Merging, sentence: tuple[str, dict[str, Any]] | None, merges: int, before: float
) -> Step:
    facts: dict[str, Any] = {"before": before, "after": merging.utility, "k": merging.task.k}
    facts["change"] = change(before, merging.utility)
    template = many_merges(merging, merges)
    if sentence is None:
        facts |= {"made": merges, **merging.counters} | merging.together(anew=True)
    else:
        template = sentence[0]
        facts |= sentence[1]
    facts["sizes"] = merging.sizes()
    return Step("merge", template, facts, merging.counters, merging.progress)


class _Queue:
    """Places in the list of clusters, by the least that a merge of theirs can cost."""

    def __init__(self, merging: Merging) -> None:
        self._merging = merging
        self._entries = [(-1.0, place) for place in range(len(merging.list.at))]
        heapify(self._entries)

    def next(self) -> int | None:
        """The place of the cluster to merge next; None where none is under k."""
        found: list[tuple[float, int]] = []
        least = float("inf")
        while self._entries and self._entries[0][0] <= least + TIE:
            _, place = heappop(self._entries)
            if not self._is_small(place):
                continue
            cost = self._cost(place)
            least = min(least, cost)
            found.append((cost, place))
        for entry in found:
            heappush(self._entries, entry)
        return min((place for cost, place in found if cost <= least + TIE), default=None)

    def _is_small(self, place: int) -> bool:
        c = int(self._merging.list.at[place])
        return c >= 0 and int(self._merging.clusters.info[c, SIZE]) < self._merging.task.k

    def _cost(self, place: int) -> float:
        merging = self._merging
        return cheapest_partner(merging.state, merging.tree, int(merging.list.at[place])).cost
