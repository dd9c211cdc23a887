"""Clustering by raw ranges: the simple method that utility-driven clustering is compared with.

Its page, with naive code, a picture and a run: algorithms/euclidean.html of the manual, which
`kanon-tui explain euclidean` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.clustering.boxes import Measure, MergeObjective
from kanon_tui.core.clustering.clustering import NumericClustering
from kanon_tui.core.clustering.merging import Merging, MergingClustering
from kanon_tui.core.clustering.merging_steps import MERGE_SMALL, merge_all, merge_closest
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.kernels.merging import EXTENT
from kanon_tui.core.task.task import Line, RunContext, Steps, Task


@dataclass(frozen=True)
class Euclidean(MergingClustering, NumericClustering):
    """Merge each small cluster with the one that gives the smallest sum of raw ranges.

    Idea: agglomerative clustering with no notion of utility. Ranges are neither normalised nor
    weighted, so an attribute counted in thousands outweighs all others; that is its lesson.

    Phases: clusters start as the distinct records with their counts, in order of first appearance.
    While a cluster has fewer than k records, the first such joins the cluster with which the sum of
    the ranges of the union is smallest (less than 1e-9 apart is a tie, and the cluster that comes
    first wins); the union takes the place of the one that was found.

    With `order: closest` the two clusters whose union has the smallest ranges are merged, of all
    pairs of which one is under k: Morton's sentence. It takes a search for many clusters per merge
    where the default takes one.

    With `objective: sse` ranges are in standard deviations instead of units.

    The range of a number is largest − smallest in its own units, of a date in days. A category
    counts the values it covers minus one, as if they were numbered one by one: those under the
    lowest common ancestor where it has a hierarchy, else those it holds. Numbers that meet a
    missing one have the range of the whole domain.

    Cost: as `udc`.

    Reference: Morton, Euclidean distance (table 10), where only numbers occur.
    """

    name: ClassVar[str] = "euclidean"
    title: ClassVar[str] = "Euclidean clustering"
    paper: ClassVar[str] = "Morton, table 10"
    summary: ClassVar[str] = (
        "Merges each small cluster with the one that gives the smallest raw ranges; a baseline "
        "that ignores weights, domains and rules"
    )
    twin: ClassVar[str] = ".twins.merging:euclidean"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        *MERGE_SMALL,
        Line("merge it where the ranges of the union are smallest", 1, ("merge",)),
    )
    time_exponent: ClassVar[float] = 1.2

    order: str = declared(
        "first",
        "The next merge: the first cluster below k with its nearest, or the closest two of all, "
        "as Morton has it",
        choices=("closest", "first"),
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Merge until every cluster has k records."""
        measure = Measure.SQUARES if self.squared(task) else Measure.RAW
        merging = Merging(task, context, MergeObjective(EXTENT, measure))
        yield from merge_closest(merging) if self.order == "closest" else merge_all(merging)
        return merging.grouping()
