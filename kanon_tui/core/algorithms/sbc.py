"""Similarity-based clustering: the first record left and the k − 1 records most like it.

Its page, with naive code, a picture and a run: algorithms/sbc.html of the manual, which
`kanon-tui explain sbc` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.clustering.similarity import Similarity, SimilarityClustering
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.task.task import Line, RunContext, Steps, Task


@dataclass(frozen=True)
class SBC(SimilarityClustering):
    """Classes of k records by similarity, without hierarchies.

    Idea: two categories are alike when they are equally frequent among comparable records. Sort
    the records by the attribute with most distinct values; the first one left and its k − 1
    nearest form a class, again and again.

    Distance from that first record t1, summed over the attributes:

    - numbers and dates: the difference divided by the width of the domain;
    - categories, in order of rising cardinality in the whole table: 0 for t1's own value; 1 when
      only one other value is left; otherwise the values still left are ordered by how much their
      frequency differs from that of t1's value (ties by value), and the i-th of m others is at
      i / m. Frequencies are taken among the records left that share t1's value of the attribute
      just below in that order, or among all that are left when those are fewer than k; the lowest
      attribute uses its own.

    Missing is at distance 1 from every other value and takes no part in the order of values. Of
    records less than 1e-9 apart the lowest row is nearest.

    Records that are too few for another class go where `left_over` says. For `nearest` that is, one
    after the other in sorted order, the class whose first record is nearest: each of them could
    have joined that class, so the distance is the one it had then; of equals the first class.

    Cost: a class measures the values left, O(values), and finds all its records in one search of a
    tree of boxes. Contingency tables are kept up to date instead of being counted again. On census
    data the time grows like n^1.1 to n^1.3; only a category with nearly as many values as records
    makes it quadratic. Memory is linear.

    Departures from the thesis: it normalises total distances, which changes no order; it leaves
    open how to sort, how ties fall and which frequencies the lowest attribute uses.

    Reference: SBC, sections 3.4 to 3.9 (tables 3-1 to 3-4, figure 3-6).
    """

    name: ClassVar[str] = "sbc"
    title: ClassVar[str] = "Similarity-based clustering"
    paper: ClassVar[str] = "SBC chapter 3 (figure 3-6)"
    summary: ClassVar[str] = (
        "Sorts the records and gives each class the k − 1 most similar to its first; learns how "
        "alike categories are from their frequencies, needs no hierarchies"
    )
    sample: ClassVar[str] = "similarity"
    twin: ClassVar[str] = ".twins.similarity:sbc"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("sort the records by the attribute with most values", 0, ("sort",)),
        Line("while k records are left:"),
        Line("the first one left starts a cluster; measure distances to it", 1, ("start",)),
        Line("its k − 1 nearest join", 1, ("grow", "close")),
        Line("the records left over go where left_over says", 0, ("join", "suppress", "compare")),
    )
    time_exponent: ClassVar[float] = 1.35

    left_over: str = declared(
        "join-last",
        "What happens to the last records when fewer than k are left",
        choices=("join-last", "nearest", "suppress"),
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Make classes while k records are left, then place the rest."""
        clusters = Similarity(task, context, spatial=False)
        leftovers = yield from clusters.grow()
        place = {"join-last": clusters.join_last, "nearest": clusters.join_nearest}
        yield from place.get(self.left_over, clusters.suppress)(leftovers)
        return clusters.grouping()
