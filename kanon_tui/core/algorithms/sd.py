"""SpatialDistance clustering: classes grow record by record around a moving centre.

Its page, with naive code, a picture and a run: algorithms/sd.html of the manual, which
`kanon-tui explain sd` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.clustering.similarity import Similarity, SimilarityClustering
from kanon_tui.core.task.task import Line, RunContext, Steps, Task


@dataclass(frozen=True)
class SD(SimilarityClustering):
    """As `sbc`, with finer contexts, shrinking distances and a centre that moves.

    Three things differ from `sbc`:

    - frequencies of a category are taken among the records left that share t1's values of *all*
      attributes of lower cardinality; the condition of highest cardinality is dropped, and the
      next, while fewer than k records match;
    - distances shrink from the least similar value on: with m ≥ 2 others the first is D / m, where
      D is the smallest distance of the attribute below (1 if there is none, or if it has no
      distance to order), and each next one is the one before divided by m, so that attributes
      with many values weigh little;
    - the class grows one record at a time, nearest to its centre: the mean of its numbers, and
      every category it already has is at distance 0.

    A missing number is at distance 0 from a class that has one, else at 1; numbers are at 1 from a
    class that has none but missing ones.

    Left-over records join, one after the other in sorted order, the class with the nearest centre,
    which then moves; categories are as far from a class as they were when it was made, and of equal
    classes the first is nearest.

    Cost: as `sbc`, with two searches of the tree per record instead of one per class: one for the
    smallest distance, one for the lowest row that has it.

    Departures from the paper: figure 3 makes classes while *more than* k records are left, which
    would leave exactly k records in no class; here k are enough.

    Reference: SD, section 4 (figures 1 to 3, table 3).
    """

    name: ClassVar[str] = "sd"
    title: ClassVar[str] = "SpatialDistance clustering"
    paper: ClassVar[str] = "SD figure 3"
    summary: ClassVar[str] = (
        "Grows each class record by record around its moving centre; for tables where one or two "
        "numbers matter most, needs no hierarchies"
    )
    sample: ClassVar[str] = "spatial-distance"
    twin: ClassVar[str] = ".twins.similarity:sd"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("sort the records by the attribute with most values", 0, ("sort",)),
        Line("while k records are left:"),
        Line("the first one left starts a cluster and is its centre", 1, ("start",)),
        Line("the nearest to the centre joins, and the centre moves", 1, ("grow", "close")),
        Line("each record left over joins the nearest centre", 0, ("join", "compare")),
    )
    time_exponent: ClassVar[float] = 1.1

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Make classes while k records are left, then place the rest."""
        clusters = Similarity(task, context, spatial=True)
        leftovers = yield from clusters.grow()
        yield from clusters.join_nearest(leftovers)
        return clusters.grouping()
