"""Utility-driven clustering: merge small clusters where the research value suffers least.

Its page, with naive code, a picture and a run: algorithms/udc.html of the manual, which
`kanon-tui explain udc` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.clustering.boxes import Measure, MergeObjective
from kanon_tui.core.clustering.merging import Merging, MergingClustering
from kanon_tui.core.clustering.merging_steps import MERGE_SMALL, merge_all
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.kernels.merging import CLUSTER, RELEASE
from kanon_tui.core.task.task import Line, RunContext, Steps, Task, Wish


@dataclass(frozen=True)
class Udc(MergingClustering):
    """Merge each small cluster with the one that leaves the highest research value.

    Idea: every merge widens ranges and may break data constraint rules. Try a cluster under k with
    every other one, and let the research value of the release decide.

    Phases: clusters start as the distinct records with their counts, in order of first appearance.
    While a cluster has fewer than k records, the first such is tried with every other cluster and
    merged with the best; the union takes the place of the one that was found. With D the sum of
    records · span over all clusters, a merge scores `Σ w · n / D(after) · DR(merged cluster)` over
    the quasi-identifiers; with `objective: cluster` it scores `Σ w / span · DR` of the merged
    cluster alone, as line 9 of figure 14 says. More of what the thesis prints about this algorithm
    holds with `release` (docs/algorithms.md compares the two), so that is the default. Among scores
    less than 1e-9 below the best, the cluster that comes first wins.

    That bar is absolute, as scores are. A merge of a few records moves the score of an attribute by
    about w · Δ/n · (n/D)², Δ being what it adds to records · span; where ranges have become
    thousands of units wide, differences between merges can therefore count as ties.

    A category without hierarchy spans the values it holds, one with a hierarchy the values under
    its lowest common ancestor; numbers that meet a missing one span the whole domain.

    Cost: at most one merge per distinct record. A tree over the clusters gives lower bounds on what
    a merge costs, so that a search tries about a hundred of tens of thousands of clusters; without
    it the time would be quadratic. Memory is linear.

    Departures from the paper: it takes numbers only; here categories take part. Its figure 14
    leaves open which small cluster comes next and how ties fall: both go by the order of the list.

    Reference: Morton, utility-driven clustering without suppression (figures 13 and 14).
    """

    name: ClassVar[str] = "udc"
    title: ClassVar[str] = "Utility-driven clustering"
    paper: ClassVar[str] = "Morton, figure 14"
    summary: ClassVar[str] = (
        "Merges each small cluster where the research value stays highest; for data with "
        "constraint rules, which it keeps where others break them"
    )
    terms: ClassVar[tuple[str, ...]] = ("merge", "RV")
    twin: ClassVar[str] = ".twins.merging:udc"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        *MERGE_SMALL,
        Line("merge it where the research value stays highest", 1, ("merge",)),
    )
    seeks_rv: ClassVar[bool] = True
    modes: ClassVar[tuple[int, int]] = (RELEASE, CLUSTER)
    """What the kernel calls the two objectives."""

    objective: str = declared(
        "release",
        "The research value that a merge should keep highest: of the whole release, or of the "
        "merged cluster alone",
        choices=("release", "cluster"),
    )

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return rules kept, where an attribute has rules."""
        return (Wish.RULES,) if any(a.rules.rules for a in task.quasi) else ()

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Merge until every cluster has k records."""
        alone = self.objective == "cluster"
        merging = Merging(task, context, MergeObjective(self.modes[alone], Measure.SPAN))
        yield from merge_all(merging)
        return merging.grouping()
