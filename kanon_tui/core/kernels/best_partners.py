"""The best few partners of a cluster, for those who want to see what a merge was chosen from.

Every cluster is looked at: it is called for one decision at a time, while somebody watches.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.box_arrays import PLACE, SIZE, Attributes, Clusters
from kanon_tui.core.kernels.merge_cost import merge_cost
from kanon_tui.core.numeric import Floats, Int32s

__all__ = ["best_partners"]


@kernel
def best_partners(
    attributes: Attributes,
    clusters: Clusters,
    load: Floats,
    records: int,
    mode: int,
    a: int,
    found: Int32s,
    costs: Floats,
) -> int:
    """Fill in the partners of a that cost least, cheapest first, and what they cost; how many.

    Of those that cost the same the one that comes first in the list is the first.
    """
    info = clusters.info
    count = 0
    for b in range(len(info)):
        if b == a or info[b, SIZE] == 0:
            continue
        limit = costs[count - 1] if count == len(found) else np.inf
        cost, _ = merge_cost(attributes, clusters, load, records, mode, a, b, limit)
        if cost == np.inf:
            continue
        place = count
        while place > 0 and (
            cost < costs[place - 1]
            or (cost == costs[place - 1] and info[b, PLACE] < info[found[place - 1], PLACE])
        ):
            place -= 1
        if place == len(found):
            continue
        count = min(count + 1, len(found))
        for i in range(count - 1, place, -1):
            found[i], costs[i] = found[i - 1], costs[i - 1]
        found[place], costs[place] = b, cost
    return count
